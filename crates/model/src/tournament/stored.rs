use std::fmt;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Divisions, Fixture, Format, MAX_SWISS_ROUNDS, State, berger, double_berger};
use crate::log::GameId;
use crate::words::counted;
use crate::{Agreement, Player, PlayerId, words};
use outflank_rules::Position;

/// The key of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TournamentId(pub i64);

words! {
    /// How far a tournament is.
    TournamentState {
        /// Players can join, and its first or next games have not begun.
        Open = "open",
        /// Its games are played.
        Running = "running",
        /// All its games are over.
        Finished = "finished",
        /// It never began.
        Cancelled = "cancelled",
    }
}

/// What a tournament is to be.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub name: String,
    /// Who meets whom.
    pub format: Format,
    /// Whether each two players of a round robin meet twice, with either colour.
    pub is_double: bool,
    /// The rounds of a Swiss tournament; `None` until its start if the number of players decides.
    pub rounds: Option<usize>,
    /// The divisions of a league.
    pub divisions: Divisions,
    /// The most players.
    pub places: usize,
    /// The lowest and the highest rating of those who may join; `None` without limits.
    pub ratings: Option<[u32; 2]>,
    /// What the players of a game agree on.
    pub agreement: Agreement,
    /// The position in which all games begin.
    pub start: Position,
    /// When it starts, if there are enough players; `None`: when the places are full or the host starts it.
    pub starts_at: Option<DateTime<Utc>>,
}

impl Plan {
    /// The fewest players of a tournament.
    pub const MIN_PLAYERS: usize = 3;
    /// The time from the end of a league's season to the beginning of the next one.
    pub const BETWEEN_SEASONS: TimeDelta = TimeDelta::weeks(1);

    /// Returns the games that so many players of a round robin or a division have, by their numbers; none in
    /// a Swiss tournament, which pairs each round after the one before. No game has begun.
    pub fn schedule(&self, players: usize) -> Vec<Fixture> {
        match self.format {
            Format::RoundRobin if self.is_double => Fixture::of_rounds(&double_berger(players)),
            Format::RoundRobin | Format::League => Fixture::of_rounds(&berger(players)),
            Format::Swiss => Vec::new(),
        }
    }

    /// Returns how many rounds a Swiss tournament of so many players has: as many as the plan says, or one more
    /// than a knockout would need; always fewer than players.
    pub fn rounds_for(&self, players: usize) -> usize {
        let usual = players.next_power_of_two().ilog2() as usize + 1;
        self.rounds.unwrap_or(usual).min(players.saturating_sub(1)).min(MAX_SWISS_ROUNDS)
    }
}

/// Writes how players meet: `each two players meet once`, `5 rounds`, `divisions of 8; after each season 2 move up and 2 down`.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.format, self.rounds) {
            (Format::RoundRobin, _) if self.is_double => {
                f.write_str("each two players meet twice, with either colour")
            }
            (Format::RoundRobin, _) => f.write_str("each two players meet once"),
            (Format::Swiss, Some(rounds)) => f.write_str(&counted(rounds, "round")),
            (Format::Swiss, None) => {
                f.write_str("the number of rounds depends on the number of players")
            }
            (Format::League, _) => {
                let Divisions { size, moved } = self.divisions;
                write!(f, "divisions of {size}; after each season {moved} move up and {moved} down")
            }
        }
    }
}

/// A stored tournament.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// Its key.
    pub id: TournamentId,
    /// What it is to be.
    pub plan: Plan,
    /// How far it is.
    pub state: TournamentState,
    /// How many seasons have begun, 0 before the start. Only a league has more than one.
    pub season: usize,
    /// When the last of them began.
    pub began_at: Option<DateTime<Utc>>,
    /// A random word, which decides by lot.
    pub mark: String,
    /// When the host made it.
    pub created_at: DateTime<Utc>,
    /// How often the start, or that of the next season, was put off, since there were too few players.
    pub postponed: u32,
    /// When it or, in a league, its last season ended, or when it was cancelled.
    pub ended_at: Option<DateTime<Utc>>,
    /// When something is to be done in it; `None`: not until one of its games ends.
    pub due_at: Option<DateTime<Utc>>,
}

impl Tournament {
    /// Returns the number of the last season that is over, or 0.
    pub fn ended_season(&self) -> usize {
        match self.state {
            TournamentState::Running => self.season.saturating_sub(1),
            TournamentState::Open | TournamentState::Finished | TournamentState::Cancelled => {
                self.season
            }
        }
    }
}

/// A player of a season.
#[derive(Debug, Clone)]
pub struct Entrant {
    /// The player.
    pub player: Player,
    /// When the player joined.
    pub joined_at: DateTime<Utc>,
    /// The division, from 1, which is always 1 outside of leagues; `None` until the season starts.
    pub division: Option<usize>,
    /// The player's number in it, from 1; `None` until the season starts.
    pub number: Option<usize>,
    /// The round of a Swiss tournament in which the player had no opponent.
    pub bye: Option<usize>,
    /// How many of the player's games were over when the player withdrew; `None` if the player has not.
    pub withdrawn: Option<usize>,
}

/// A game of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pairing {
    /// The number among the games of the tournament, from 1.
    pub number: usize,
    /// The round, from 1.
    pub round: usize,
    /// The players, black first.
    pub players: [PlayerId; 2],
    /// The game; `None` until it begins.
    pub game: Option<GameId>,
    /// How far it is.
    pub state: State,
}

/// The place of a game in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTournament {
    /// The name of the tournament.
    pub name: String,
    /// The season and the division of a league, from 1.
    pub league: Option<[usize; 2]>,
    /// The round, from 1.
    pub round: usize,
}

/// Writes `spring, round 3` or `club, season 2, division 1, round 3`.
impl fmt::Display for InTournament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some([season, division]) = self.league {
            write!(f, ", season {season}, division {division}")?;
        }
        write!(f, ", round {}", self.round)
    }
}
