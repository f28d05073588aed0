//! Links to pages as keys: whom they let in, and how long. docs/receiving.md, "Links to web pages".

use std::collections::BTreeMap;

use super::violated;
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How long a player's own page opens.
const OWN_PAGE: i64 = 30 * DAY;
/// How long a mail can wait for its delivery: its links are as much older than they look.
const IN_THE_POST: i64 = 6 * DAY;
/// The beginnings of links that are keys.
const KINDS: [&str; 4] = ["/play/", "/me/", "/watch/", "/calendar/"];

/// The links that people have been given.
#[derive(Debug, Default)]
pub struct Keys(BTreeMap<String, Key>);

/// A link that somebody has.
#[derive(Debug)]
struct Key {
    /// When it was first seen.
    seen_at: i64,
    player: i64,
    /// What all links of the player are made with; `rotate` and `leave` change it.
    secret: String,
}

impl Keys {
    /// Adds the links in new mails.
    pub fn add_mails(&mut self, mails: &[Accepted], tables: &Tables, now: i64) {
        for mail in mails {
            let mut owners = tables.columns("player", ["id", "address"]);
            let owner = owners.find(|[_, address]| *address == Some(&*mail.to));
            let Some(player) = owner.and_then(|[id, _]| number(id)) else { continue };
            self.add(mail.links(), player, tables, now);
        }
    }

    /// Forgets the links that were first seen now: what they are for may be lost with a cut.
    pub fn forget_new(&mut self, now: i64) {
        self.0.retain(|_, key| key.seen_at < now);
    }

    /// Adds the links of a page that somebody has opened with a key.
    pub fn add_page(&mut self, request: &Request, answer: &Answer, tables: &Tables, now: i64) {
        let Some(player) = key(&request.path).and_then(|it| self.0.get(it)).map(|it| it.player)
        else {
            return;
        };
        let calendars = pages::links(&answer.body).into_iter();
        self.add(calendars.filter(|it| it.starts_with("/calendar/")), player, tables, now);
    }

    fn add(
        &mut self,
        links: impl IntoIterator<Item = String>,
        player: i64,
        tables: &Tables,
        now: i64,
    ) {
        let Some(secret) = secret(tables, player) else { return };
        for link in links {
            let Some(key) = key(&link) else { continue };
            let new = Key { seen_at: now, player, secret: secret.to_owned() };
            self.0.entry(key.to_owned()).or_insert(new);
        }
    }

    /// Returns the links of a kind that somebody has, old ones, too.
    pub fn links(&self, kind: &str) -> Vec<String> {
        self.0.keys().filter(|it| it.starts_with(kind)).cloned().collect()
    }

    /// A link opens nothing after `rotate` or `leave`, and an own page only for 30 days. Before that, the links of
    /// players open their pages.
    pub fn open_what_they_may(
        &self,
        request: &Request,
        answer: &Answer,
        tables: &Tables,
        now: i64,
    ) -> Result<(), Violation> {
        let Some((path, key)) = key(&request.path).and_then(|it| self.0.get_key_value(it)) else {
            return Ok(());
        };
        let age = now - key.seen_at;
        let is_own_page = path.starts_with("/me/");
        let is_valid = secret(tables, key.player) == Some(&*key.secret);
        let is_old = is_own_page && age > OWN_PAGE;
        let found = |what| {
            let found = format!("{request:?} got {} after {age} s, and {what}", answer.status);
            violated("links_open_what_they_may", found)
        };
        if matches!(answer.status, 200 | 303) && (!is_valid || is_old) {
            return found("the link is not valid any more");
        }
        let is_young = !is_own_page || age < OWN_PAGE - IN_THE_POST;
        let is_whole = request.form.is_none() && request.path == *path;
        if answer.status == 404 && is_whole && is_valid && is_young && !path.starts_with("/watch/")
        {
            return found("the link is valid");
        }
        Ok(())
    }
}

/// Returns the beginning of a path that is a key.
fn key(path: &str) -> Option<&str> {
    let kind = KINDS.into_iter().find(|it| path.starts_with(it))?;
    let token = path[kind.len()..].split(['/', '?', '.']).next()?;
    Some(&path[..kind.len() + token.len()])
}

/// Returns what the tokens of a player are made with; `None` if the player has left.
fn secret(tables: &Tables, player: i64) -> Option<&str> {
    let mut rows = tables.columns_of("player", player, ["secret", "left_at"]);
    rows.next().and_then(|[secret, left_at]| secret.filter(|_| left_at.is_none()))
}
