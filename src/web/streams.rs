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
use crate::web::limits::{
    MAX_PUBLIC_STREAMS, MAX_STREAMS, MAX_STREAMS_OF_A_PEER, MAX_STREAMS_OF_A_TOKEN, Slot, Slots,
};
use crate::web::pool::Pool;
use outflank_model::log::GameId;

/// The time between two looks at the database.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// The time between two comments on a stream, which keep proxies from closing it.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// nginx passes on each event at once if a response has this header.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The stage of a game; `None` when the token is no longer valid.
type Known = Option<Stage>;

/// A page with open streams.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Watched {
    /// The page of a game behind a token, the kind of its link, and the game if the link names none.
    Token(String, Link, Option<GameId>),
    /// The page of a public game.
    Public(GameId),
}

impl Watched {
    /// Returns its token, if it has one.
    fn token(&self) -> Option<&str> {
        match self {
            Self::Token(token, ..) => Some(token),
            Self::Public(_) => None,
        }
    }

    /// Returns how far its game is; `None` when the token is no longer valid.
    fn stage(&self, app: &mut App) -> Result<Known, Error> {
        let (token, link, game) = match self {
            Self::Token(token, link, game) => (token, link, game),
            Self::Public(game) => return app.stage(*game, false),
        };
        let visit = app.visit(token)?.filter(|visit| visit.kind == *link);
        let visit = match (visit, game) {
            (Some(visit), Some(game)) => app.visit_of_game(visit, *game)?,
            (visit, _) => visit,
        };
        match visit.and_then(|visit| visit.game) {
            Some(game) => app.stage(game, *link != Link::Watch),
            None => Ok(None),
        }
    }
}

/// All open streams.
pub(super) struct Streams {
    open: Mutex<Open>,
    slots: Slots,
    /// Those of public games, so that onlookers leave streams to players.
    public: Slots,
}

#[derive(Default)]
struct Open {
    pages: HashMap<Watched, Sender<Known>>,
    /// Whether a stream was opened since the last look. The game can have changed meanwhile.
    has_new: bool,
    /// Whether the server stops.
    is_closed: bool,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self {
            open: Mutex::default(),
            slots: Slots::new(MAX_STREAMS, MAX_STREAMS_OF_A_PEER),
            public: Slots::new(MAX_PUBLIC_STREAMS, MAX_STREAMS_OF_A_PEER),
        }
    }

    /// Opens a stream for a page of a game at this stage, whose token is valid if it has one. Returns `None`
    /// if the server stops, or if the token, the peer or the server has too many streams.
    pub(super) fn open(&self, page: Watched, peer: Option<IpAddr>, now: Stage) -> Option<Response> {
        let slot = match page {
            Watched::Token(..) => (self.slots.take(peer)?, None),
            Watched::Public(_) => (self.slots.take(peer)?, Some(self.public.take(peer)?)),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_closed {
            return None;
        }
        if page.token().is_some() {
            let same = open.pages.iter().filter(|(it, _)| it.token() == page.token());
            let streams: usize = same.map(|(_, sender)| sender.receiver_count()).sum();
            if streams >= MAX_STREAMS_OF_A_TOKEN {
                return None;
            }
        }
        let new = || watch::channel(Some(now.clone())).0;
        let sender = open.pages.entry(page).or_insert_with(new);
        let receiver = sender.subscribe();
        send(sender, Some(now.clone()));
        open.has_new = true;
        Some(response(receiver, slot))
    }

    /// Returns the pages with open streams, and whether one was opened since this was last called.
    fn watched(&self) -> (Vec<Watched>, bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.pages.retain(|_, sender| sender.receiver_count() > 0);
        (open.pages.keys().cloned().collect(), mem::take(&mut open.has_new))
    }

    /// Sends the stage of the game to each stream of a page, or ends the streams.
    fn send(&self, page: &Watched, known: Known) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = open.pages.get(page) {
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
            changed.into_iter().for_each(|(page, known)| self.send(&page, known));
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

/// The version of the database, and the stages of the games of pages.
type Looked = (Version, Vec<(Watched, Known)>);

/// Reads the stages of the games, if the database has changed since this version.
fn look(app: &mut App, before: Option<Version>, watched: Vec<Watched>) -> Result<Looked, Error> {
    let version = app.version()?;
    if before == Some(version) {
        return Ok((version, Vec::new()));
    }
    let stage = |page: Watched| {
        let known = page.stage(app)?;
        Ok((page, known))
    };
    let changed: Result<Vec<_>, Error> = watched.into_iter().map(stage).collect();
    Ok((version, changed?))
}

/// Returns a response that runs until the game ends: it sends the history of the game at first and after each
/// change. It holds its slots.
fn response(receiver: Receiver<Known>, slots: (Slot, Option<Slot>)) -> Response {
    let histories = stream::unfold(Some((receiver, slots, true)), |state| async move {
        let (mut receiver, slots, is_first) = state?;
        if !is_first {
            receiver.changed().await.ok()?;
        }
        let Stage { history, is_over } = receiver.borrow_and_update().clone()?;
        let event = Event::default().data(history);
        Some((Ok::<_, Infallible>(event), (!is_over).then_some((receiver, slots, false))))
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
        let open = |token: usize| {
            let page = Watched::Token(token.to_string(), Link::Play, None);
            streams.open(page, None, now.clone())
        };
        let public = || streams.open(Watched::Public(GameId(1)), None, now.clone());
        let onlookers: Vec<_> = (0..MAX_CONNECTIONS).map_while(|_| public()).collect();
        assert!(onlookers.len() <= MAX_STREAMS / 2, "{}", onlookers.len());
        drop(onlookers);
        let mut opened: Vec<_> = (0..MAX_CONNECTIONS).map_while(open).collect();
        assert!(opened.len() <= MAX_CONNECTIONS * 3 / 4, "{}", opened.len());
        opened.pop();
        assert!(open(MAX_CONNECTIONS).is_some());
    }
}
