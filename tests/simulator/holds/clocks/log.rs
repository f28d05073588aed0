//! The log of a game, as the tables have it.

use crate::simulator::tables::{self, Tables, number};

/// The colours, as indices.
pub const BLACK: usize = 0;
pub const WHITE: usize = 1;

/// A row of the table `game`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    pub id: i64,
    /// The players; `None` for a computer player.
    pub players: [Option<i64>; 2],
    pub created_at: i64,
    pub first: usize,
    pub control: Control,
    pub has_free_weekends: bool,
    pub has_absences: bool,
    pub is_hard: bool,
    pub is_local: bool,
    /// Whose turn it is; `None` if the game is over.
    pub turn: Option<usize>,
    pub since: i64,
    pub deadline: Option<i64>,
    pub alarm_at: Option<i64>,
    pub claim_event: Option<i64>,
    pub is_paused: bool,
    pub position_event: i64,
    pub has_alarm_error: bool,
}

/// A time control, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    None,
    PerMove(i64),
    Bank { bank: i64, increment: i64, most: Option<i64> },
    Total(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub number: i64,
    pub at: i64,
    /// The player; `None` for the host and the clock.
    pub by: Option<usize>,
    pub action: String,
    /// When the clock of the turn that begins with it starts, if later.
    pub starts_at: Option<i64>,
}

impl Event {
    pub fn word(&self) -> &str {
        self.action.split(' ').next().unwrap_or_default()
    }

    /// Returns whether it is a move, automatic or not: no other word.
    pub fn is_move(&self) -> bool {
        const OTHERS: [&str; 20] = [
            "resign", "takeback", "offer", "accept", "decline", "unpause", "claim", "flag",
            "time-out", "away", "back", "settings", "hint", "say", "note", "outage", "extend",
            "annul", "forfeit", "",
        ];
        !OTHERS.contains(&self.word())
    }

    /// Returns whether it is a move that its player did not choose.
    pub fn is_auto(&self) -> bool {
        matches!(self.word(), "auto-pass" | "given")
    }

    /// Returns a word of it as a number.
    pub fn number_at(&self, place: usize) -> Option<i64> {
        self.action.split(' ').nth(place)?.parse().ok()
    }

    /// Returns the colour that its second word names.
    pub fn about(&self) -> usize {
        usize::from(self.action.split(' ').nth(1) == Some("w"))
    }
}

impl Control {
    fn parse(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self::None);
        }
        if let Some(total) = text.strip_prefix("total=") {
            return Some(Self::Total(span(total)?));
        }
        let Some((bank, rest)) = text.split_once('+') else {
            return Some(Self::PerMove(span(text)?));
        };
        let (increment, most) = match rest.split_once(",max=") {
            Some((increment, most)) => (increment, Some(span(most)?)),
            None => (rest, None),
        };
        Some(Self::Bank { bank: span(bank)?, increment: span(increment)?, most })
    }
}

/// Returns the seconds of a span such as `1d12h`.
fn span(text: &str) -> Option<i64> {
    let parts = text.split_inclusive(|it: char| it.is_ascii_alphabetic());
    let seconds = parts.map(|part| {
        let unit = match part.chars().last()? {
            'w' => 604_800,
            'd' => 86_400,
            'h' => 3_600,
            'm' => 60,
            _ => return None,
        };
        Some(part[..part.len() - 1].parse::<i64>().ok()? * unit)
    });
    seconds.sum()
}

/// Returns the games of some tables whose rows are not the same in others.
pub fn changed_games(tables: &Tables, other: &Tables) -> Vec<Game> {
    let rows = tables.new_rows("game", other);
    rows.into_iter().filter_map(|id| game(tables, id)).collect()
}

/// Returns the game with this number.
pub fn game(tables: &Tables, id: i64) -> Option<Game> {
    let columns = [
        "black",
        "white",
        "created_at",
        "start",
        "clock",
        "free_weekends",
        "flag",
        "absences",
        "local",
        "turn",
        "since",
        "deadline",
        "alarm_at",
        "claim_event",
        "paused",
        "position_event",
        "alarm_error",
    ];
    let row = tables.columns_of("game", id, columns).next()?;
    let [black, white, created_at, start, clock, free, flag, absences, local, ..] = row;
    let [.., turn, since, deadline, alarm_at, claim_event, paused, position_event, error] = row;
    Some(Game {
        id,
        players: [number(black), number(white)],
        created_at: number(created_at)?,
        first: usize::from(start.is_some_and(|start| start.starts_with("(w"))),
        control: Control::parse(clock?)?,
        has_free_weekends: free == Some("1"),
        has_absences: absences == Some("1"),
        is_hard: flag == Some("hard"),
        is_local: local == Some("1"),
        turn: turn.map(|turn| usize::from(turn == "white")),
        since: number(since)?,
        deadline: tables::deadline(deadline),
        alarm_at: number(alarm_at),
        claim_event: number(claim_event),
        is_paused: paused == Some("1"),
        position_event: number(position_event)?,
        has_alarm_error: error.is_some(),
    })
}

/// Returns when the clock of a game's first turn starts; `None`: at once.
pub fn first_start(tables: &Tables, game: i64) -> Option<i64> {
    let [starts_at] = tables.columns_of("game", game, ["turn_starts_at"]).next()?;
    starts_at?.parse().ok()
}

/// Returns the events of a game.
pub fn events(tables: &Tables, game: i64) -> Vec<Event> {
    let columns = ["number", "at", "author", "action", "turn_starts_at"];
    let event = |[number, at, author, action, starts_at]: [Option<&str>; 5]| {
        let by = match author? {
            "b" => Some(BLACK),
            "w" => Some(WHITE),
            _ => None,
        };
        let starts_at = starts_at.and_then(|at| at.parse().ok());
        let (number, at) = (number?.parse().ok()?, at?.parse().ok()?);
        Some(Event { number, at, by, action: action?.to_owned(), starts_at })
    };
    tables.columns_of("event", game, columns).filter_map(event).collect()
}
