//! What holds of commands that were given alone: they do what they say, and only what the docs allow.

mod allowed;
mod events;
mod own;
mod settings;
mod stored;

use super::{Change, HOST};
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{Tables, number};

pub use allowed::{MAX_COMMENT, MAX_NOTE, allowed, commands_are_done_or_refused};
pub use events::{events_are_by_those_who_acted, plans_answer};
pub use own::only_own_things_change;
pub use stored::{commands_store_what_they_say, seconds, wrong_in_tables};

/// A command in a shell.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    pub word: &'a str,
    pub rest: &'a [String],
    /// The player; `None` for the host.
    pub actor: Option<Member<'a>>,
    /// The tables when it was given.
    pub tables: &'a Tables,
    pub now: i64,
}

/// A player.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub address: Option<&'a str>,
    pub has_left: bool,
}

/// A game with its log, when a command about it is given.
pub struct Game<'a> {
    pub id: i64,
    /// The players and computer players, black first.
    pub people: [Option<&'a str>; 2],
    pub replayed: Replayed,
    pub is_hard: bool,
    pub has_clock: bool,
    pub deadline: i64,
    pub since: i64,
}

impl<'a> Member<'a> {
    /// Returns the player with this name.
    pub fn named(tables: &'a Tables, name: &str) -> Option<Self> {
        Self::all(tables).find(|it| it.name.eq_ignore_ascii_case(name))
    }

    pub fn with_id(tables: &'a Tables, id: &str) -> Option<Self> {
        Self::all(tables).find(|it| it.id == id)
    }

    pub fn all(tables: &'a Tables) -> impl Iterator<Item = Self> {
        tables.columns("player", ["id", "name", "address", "left_at"]).filter_map(
            |[id, name, address, left_at]| {
                Some(Self { id: id?, name: name?, address, has_left: left_at.is_some() })
            },
        )
    }
}

impl<'a> Given<'a> {
    /// Returns the command of a change, if it was one in a shell, and alone.
    pub fn of(change: &Change<'a>) -> Option<Self> {
        let (word, rest) = change.words.split_first()?;
        if matches!(&**word, "page" | "receive" | "send") {
            return None;
        }
        let actor = match change.actor {
            HOST => None,
            name => Some(Member::named(change.before, name)?),
        };
        let (tables, now) = (change.before, change.now.timestamp());
        Some(Self { word, rest, actor, tables, now })
    }

    /// Returns the words behind the command, unless there are options among them.
    pub fn plain(&self) -> Option<Vec<&'a str>> {
        let rest: &'a [String] = self.rest;
        let is_option = |word: &&String| word.starts_with('-');
        rest.iter().find(is_option).is_none().then(|| rest.iter().map(String::as_str).collect())
    }

    /// Returns the number that the command names first.
    pub fn id(&self) -> Option<i64> {
        self.rest.first()?.parse().ok().filter(|id| *id > 0)
    }

    pub fn is_blocked(&self, player: &str, author: &str) -> bool {
        let mut rows = self.tables.columns("blocked", ["player", "author"]);
        rows.any(|row| row == [Some(player), Some(author)])
    }
}

impl<'a> Game<'a> {
    pub fn of(tables: &'a Tables, id: i64) -> Option<Self> {
        let names = ["black", "white", "flag", "clock", "deadline", "since"];
        let [black, white, flag, clock, deadline, since] =
            tables.columns_of("game", id, names).next()?;
        Some(Self {
            id,
            people: [black, white],
            replayed: Replayed::of(tables, id, usize::MAX).ok()?,
            is_hard: flag == Some("hard"),
            has_clock: clock != Some("none"),
            deadline: number(deadline)?,
            since: number(since)?,
        })
    }

    /// Returns the colour of a player.
    pub fn color_of(&self, player: &str) -> Option<char> {
        let at = self.people.iter().position(|it| *it == Some(player))?;
        Some(if at == 0 { 'b' } else { 'w' })
    }

    /// Returns the person of a colour.
    pub const fn person(&self, color: char) -> Option<&'a str> {
        self.people[if color == 'b' { 0 } else { 1 }]
    }
}
