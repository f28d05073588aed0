use std::fmt;

use chrono::{DateTime, Utc};

use super::{Fixture, State, Withdrawal, berger, double_berger};
use crate::log::GameId;
use crate::{Agreement, Player, PlayerId, words};
use outflank_rules::Position;

/// The key of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TournamentId(pub i64);

words! {
    /// Who meets whom.
    Format {
        /// Everybody meets everybody.
        RoundRobin = "round-robin",
    }
}

impl Format {
    /// Returns its name in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::RoundRobin => "round robin",
        }
    }
}

words! {
    /// How far a tournament is.
    TournamentState {
        /// Players can join.
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
    /// Whether each two players meet twice, with either colour.
    pub is_double: bool,
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
    /// The most players of a round robin.
    pub const MAX_PLAYERS: usize = 16;

    /// Returns the games of a tournament with so many players, by their numbers. None has begun.
    pub fn schedule(&self, players: usize) -> Vec<Fixture> {
        let rounds = if self.is_double { double_berger } else { berger };
        Fixture::of_rounds(&rounds(players))
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
    /// A random word, which decides by lot.
    pub mark: String,
    /// When the host made it.
    pub created_at: DateTime<Utc>,
    /// How often its start was put off, since there were too few players.
    pub postponed: u32,
    /// When it ended or was cancelled.
    pub ended_at: Option<DateTime<Utc>>,
    /// When something is to be done in it; `None`: not until one of its games ends.
    pub due_at: Option<DateTime<Utc>>,
}

/// A player of a tournament.
#[derive(Debug, Clone)]
pub struct Entrant {
    /// The player.
    pub player: Player,
    /// When the player joined.
    pub joined_at: DateTime<Utc>,
    /// The player's number, from 1; `None` until the tournament starts.
    pub number: Option<usize>,
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

/// Returns the games of a tournament as its table counts them, by the places of these players.
pub fn fixtures(entrants: &[Entrant], pairings: &[Pairing]) -> Vec<Fixture> {
    let number =
        |player| entrants.iter().position(|entrant| entrant.player.id == player).unwrap_or(0);
    let fixture = |&Pairing { round, players, state, .. }: &Pairing| Fixture {
        round,
        players: players.map(number),
        state,
    };
    pairings.iter().map(fixture).collect()
}

/// Returns which of these players have withdrawn.
pub fn withdrawals(entrants: &[Entrant]) -> Vec<Withdrawal> {
    let withdrawal = |(player, entrant): (usize, &Entrant)| {
        Some(Withdrawal { player, ended: entrant.withdrawn? })
    };
    entrants.iter().enumerate().filter_map(withdrawal).collect()
}

/// The place of a game in a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InTournament {
    /// The name of the tournament.
    pub name: String,
    /// The round, from 1.
    pub round: usize,
}

/// Writes `spring, round 3`.
impl fmt::Display for InTournament {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, round {}", self.name, self.round)
    }
}
