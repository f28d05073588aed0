//! Event streams, which notify open pages of changes in their game.

use std::collections::HashMap;
use std::convert::Infallible;
use std::mem;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::HeaderName;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::watch::{self, Receiver, Sender};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::{App, Error, Link, Stage, Version};
use crate::web::limits::{MAX_STREAMS, MAX_STREAMS_OF_A_PEER, MAX_STREAMS_OF_A_TOKEN, Slot, Slots};
use crate::web::pool::Pool;

/// The time between two looks at the database.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The time between two comments on a stream, which keep proxies from closing it.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// nginx passes on each event at once if a response has this header.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The stage of a game; `None` when the token is no longer valid.
type Known = Option<Stage>;

/// A token with open streams, and the kind of its link.
pub(super) type Watched = (String, Link);

/// All open streams.
pub(super) struct Streams {
    open: Mutex<Open>,
    slots: Slots,
}

#[derive(Default)]
struct Open {
    of_tokens: HashMap<String, (Link, Sender<Known>)>,
    /// Whether a stream was opened since the last look. The game can have changed meanwhile.
    has_new: bool,
    /// Whether the server stops.
    is_closed: bool,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { open: Mutex::default(), slots: Slots::new(MAX_STREAMS, MAX_STREAMS_OF_A_PEER) }
    }

    /// Opens a stream for a valid token of a game at this stage. Returns `None` if the server stops, or if
    /// the token, the peer or the server has too many streams.
    pub(super) fn open(
        &self,
        token: &str,
        link: Link,
        peer: Option<IpAddr>,
        now: Stage,
    ) -> Option<Response> {
        let slot = self.slots.take(peer)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_closed {
            return None;
        }
        let new = || (link, watch::channel(Some(now.clone())).0);
        let (_, sender) = open.of_tokens.entry(token.to_owned()).or_insert_with(new);
        if sender.receiver_count() >= MAX_STREAMS_OF_A_TOKEN {
            return None;
        }
        let receiver = sender.subscribe();
        send(sender, Some(now.clone()));
        open.has_new = true;
        Some(response(receiver, slot))
    }

    /// Returns the tokens with open streams, and whether one was opened since this was last called.
    fn watched(&self) -> (Vec<Watched>, bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.of_tokens.retain(|_, (_, sender)| sender.receiver_count() > 0);
        let watched = open.of_tokens.iter().map(|(token, (link, _))| (token.clone(), *link));
        (watched.collect(), mem::take(&mut open.has_new))
    }

    /// Sends the stage of the game to each stream of a token, or ends the streams.
    fn send(&self, token: &str, known: Known) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sender)) = open.of_tokens.get(token) {
            send(sender, known);
        }
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Open { is_closed: true, ..Open::default() };
    }

    /// Polls the database and sends the changes. The pool has one connection, since each counts the versions
    /// by itself. Runs until it is dropped.
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
            changed.into_iter().for_each(|(token, known)| self.send(&token, known));
        }
    }
}

fn send(sender: &Sender<Known>, now: Known) {
    sender.send_if_modified(|known| {
        let is_new = *known != now;
        *known = now;
        is_new
    });
}

/// The version of the database, and the stages of the games of tokens.
type Looked = (Version, Vec<(String, Known)>);

/// Reads the stages of the games, if the database has changed since this version.
fn look(app: &mut App, before: Option<Version>, watched: Vec<Watched>) -> Result<Looked, Error> {
    let version = app.version()?;
    if before == Some(version) {
        return Ok((version, Vec::new()));
    }
    let stage = |(token, link): Watched| {
        let visit = app.visit(&token)?.filter(|visit| visit.kind == link);
        let known = match visit.and_then(|visit| visit.game) {
            Some(game) => app.stage(game)?,
            None => None,
        };
        Ok((token, known))
    };
    let changed: Result<Vec<_>, Error> = watched.into_iter().map(stage).collect();
    Ok((version, changed?))
}

/// Returns a response that runs until the game ends: it sends the history of the game at first and after each
/// change. It holds the slot.
fn response(receiver: Receiver<Known>, slot: Slot) -> Response {
    let histories = stream::unfold(Some((receiver, slot, true)), |state| async move {
        let (mut receiver, slot, is_first) = state?;
        if !is_first {
            receiver.changed().await.ok()?;
        }
        let Stage { history, is_over } = receiver.borrow_and_update().clone()?;
        let event = Event::default().data(history);
        Some((Ok::<_, Infallible>(event), (!is_over).then_some((receiver, slot, false))))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL);
    let mut response = Sse::new(histories).keep_alive(keep_alive).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::limits::MAX_CONNECTIONS;

    #[tokio::test]
    async fn streams_leave_connections_to_requests() {
        let streams = Streams::new();
        let now = Stage { history: String::new(), is_over: false };
        let open = |token: usize| streams.open(&token.to_string(), Link::Play, None, now.clone());
        let mut opened: Vec<_> = (0..MAX_CONNECTIONS).map_while(open).collect();
        assert!(opened.len() <= MAX_CONNECTIONS * 3 / 4, "{}", opened.len());
        opened.pop();
        assert!(open(MAX_CONNECTIONS).is_some());
    }
}
