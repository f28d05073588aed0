//! Event streams: they tell open pages that their game has changed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::HeaderName;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::watch::{self, Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::{App, Error, Link, Version};
use crate::web::limits::MAX_STREAMS_OF_A_TOKEN;
use crate::web::pool::Pool;

/// The time between two looks at the database.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The time between two comments on a stream, which keep proxies from closing it.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// nginx passes on each event at once if a response has this header.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The history of a game; `None` when the token is no longer valid.
type History = Option<String>;

/// A token with open streams, and what it opens.
pub(super) type Watched = (String, Link);

/// All open streams.
#[derive(Default)]
pub(super) struct Streams(Mutex<Open>);

#[derive(Default)]
struct Open {
    of_tokens: HashMap<String, (Link, Sender<History>)>,
    /// Whether a stream was opened since the last look. The game can have changed meanwhile.
    has_new: bool,
    /// Whether the server stops.
    is_closed: bool,
}

impl Streams {
    /// Opens a stream for a token that is valid now, whose game has this history. `None` if it has too
    /// many streams, or the server stops.
    pub(super) fn open(&self, token: &str, link: Link, history: String) -> Option<Response> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_closed {
            return None;
        }
        let new = || (link, watch::channel(Some(history.clone())).0);
        let (_, sender) = open.of_tokens.entry(token.to_owned()).or_insert_with(new);
        if sender.receiver_count() >= MAX_STREAMS_OF_A_TOKEN {
            return None;
        }
        let receiver = sender.subscribe();
        send(sender, Some(history.clone()));
        open.has_new = true;
        Some(response(receiver))
    }

    /// Returns the tokens with open streams, and whether one was opened since this was last called.
    fn watched(&self) -> (Vec<Watched>, bool) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.of_tokens.retain(|_, (_, sender)| sender.receiver_count() > 0);
        let watched = open.of_tokens.iter().map(|(token, (link, _))| (token.clone(), *link));
        (watched.collect(), mem::take(&mut open.has_new))
    }

    /// Sends the history of the game to each stream of a token, or ends the streams.
    fn send(&self, token: &str, history: History) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sender)) = open.of_tokens.get(token) {
            send(sender, history);
        }
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Open { is_closed: true, ..Open::default() };
    }

    /// Looks at the database again and again, and sends what has changed. The pool has one connection, since
    /// each counts the versions by itself. Runs until it is dropped.
    pub(super) async fn watch(&self, pool: &Pool) {
        let mut version = None;
        let mut looks = interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let (watched, has_new) = self.watched();
            // If the database cannot be read now, the next look reads all.
            let before = version.take().filter(|_| !has_new);
            if watched.is_empty() {
                continue;
            }
            let looked = pool.run(move |app| look(app, before, watched)).await;
            let Ok((now, changed)) = looked else { continue };
            version = Some(now);
            changed.into_iter().for_each(|(token, history)| self.send(&token, history));
        }
    }
}

fn send(sender: &Sender<History>, history: History) {
    sender.send_if_modified(|known| {
        let is_new = *known != history;
        *known = history;
        is_new
    });
}

/// The version of the database, and the histories of the games of tokens.
type Looked = (Version, Vec<(String, History)>);

/// Reads the histories of the games, if the database has changed since this version.
fn look(app: &mut App, before: Option<Version>, watched: Vec<Watched>) -> Result<Looked, Error> {
    let version = app.version()?;
    if before == Some(version) {
        return Ok((version, Vec::new()));
    }
    let history = |(token, link): Watched| {
        let visit = app.visit(&token)?.filter(|visit| visit.kind == link);
        let history = match visit.and_then(|visit| visit.game) {
            Some(game) => app.history(game)?,
            None => None,
        };
        Ok((token, history))
    };
    let changed: Result<Vec<_>, Error> = watched.into_iter().map(history).collect();
    Ok((version, changed?))
}

/// Returns a response that goes on: the history of the game at first, and whenever it changes.
fn response(receiver: Receiver<History>) -> Response {
    let histories = stream::unfold((receiver, true), |(mut receiver, is_first)| async move {
        if !is_first {
            receiver.changed().await.ok()?;
        }
        let history = receiver.borrow_and_update().clone()?;
        let event = Event::default().data(history);
        Some((Ok::<_, Infallible>(event), (receiver, false)))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL);
    let mut response = Sse::new(histories).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}
