use std::vec;

use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::session::Reading;
use super::table::{Column, Entry, Table};
use super::{Actor, Error, Reply, Session, UseCase, find};
use crate::command::PlayerRef;
use crate::game::{Color, GameId};
use crate::store::{Db, GameSummary, Listing, PlayerId};

/// List games, those that wait for the player first
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: games --finished")]
pub struct Games {
    /// Only the games of this player [default: the one of --as, else all]
    player: Option<PlayerRef>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
struct Which {
    /// Active games (the default)
    #[arg(long)]
    active: bool,
    /// Finished games, the latest first
    #[arg(long)]
    finished: bool,
    /// Active games, then finished ones
    #[arg(long)]
    all: bool,
    /// Only the game that has waited longest for the player
    #[arg(long)]
    next: bool,
}

#[derive(Serialize)]
struct GamesJson {
    games: Vec<GameJson>,
}

#[derive(Serialize)]
struct GameJson {
    game: i64,
    variant: String,
    black: String,
    white: String,
    status: &'static str,
    turn: Option<String>,
    ply: usize,
    since: String,
}

impl UseCase for Games {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (player, games, rest) = session.read(|Reading { db, actor, most }| {
            let named = self.player.as_ref().or(actor.player());
            let player = named.map(|named| find::player(db, named)).transpose()?;
            let ids = self.which.list(db, player.as_ref().map(|player| player.id), most)?;
            let mut rest = RestOfGames { ids: ids.into_iter() };
            let games = rest.next(db)?;
            Ok((player, games, rest))
        })?;
        let of = player.map_or(String::new(), |player| format!(" for {}", player.name));
        let start = match session.actor {
            Actor::Host => " `new VARIANT BLACK WHITE` starts one.",
            Actor::Player(_) => "",
        };
        let empty = match self.which {
            Which { next: true, .. } => format!("No game is waiting{of}."),
            Which { finished: true, .. } => format!("No finished games{of}."),
            Which { all: true, .. } => format!("No games{of}.{start}"),
            _ => format!("No active games{of}.{start}"),
        };
        let json = GamesJson { games: games.iter().map(json).collect() };
        let reply = Reply::new(&json).table(table(&games), &empty);
        Ok(Reply { rest: Some(rest).filter(|rest| !rest.ids.as_slice().is_empty()), ..reply })
    }
}

/// The games of a list that are still to be read.
#[derive(Debug)]
pub struct RestOfGames {
    ids: vec::IntoIter<GameId>,
}

impl RestOfGames {
    /// How many games are read and printed at a time.
    const PART: usize = 500;

    /// Reads the next games; none at the end. Each is listed once, also if it has changed since the
    /// list began.
    pub(super) fn next(&mut self, db: &Db) -> Result<Vec<GameSummary>, Error> {
        Ok(db.summaries(self.ids.by_ref().take(Self::PART))?)
    }
}

/// Returns games as the elements of a JSON array.
pub(super) fn elements(games: &[GameSummary]) -> String {
    let elements = games.iter().map(|game| serde_json::to_string(&json(game)).unwrap_or_default());
    elements.collect::<Vec<_>>().join(",")
}

/// Returns games as a table.
pub(super) fn table(games: &[GameSummary]) -> Table {
    let columns = vec![
        Column::Number("Game"),
        Column::Text("Variant"),
        Column::Prose("Black"),
        Column::Prose("White"),
        Column::Number("Moves"),
        Column::Text("Score"),
        Column::Prose("State"),
        Column::Prose("Since"),
    ];
    Table { columns, rows: games.iter().map(row).collect() }
}

impl Which {
    /// Returns the numbers of the games in the order of the list.
    fn list(
        &self,
        db: &Db,
        player: Option<PlayerId>,
        most: Option<u32>,
    ) -> Result<Vec<GameId>, Error> {
        let active = match player {
            Some(player) if self.next => vec![Listing::ToMove(player)],
            Some(player) => vec![Listing::ToMove(player), Listing::ToWait(player)],
            None => vec![Listing::Active],
        };
        let finished = vec![Listing::Finished(player)];
        let listings = match self {
            Self { finished: true, .. } => finished,
            Self { all: true, .. } => [active, finished].concat(),
            _ => active,
        };
        let most = if self.next { Some(1) } else { most };
        let mut games = Vec::new();
        for listing in listings {
            games.extend(db.list(listing, most)?);
        }
        Ok(games)
    }
}

fn row(game: &GameSummary) -> Vec<Entry> {
    let name = |color| match color {
        Color::Black => &game.black,
        Color::White => &game.white,
    };
    let state = match (game.turn, game.winner) {
        (Some(color), _) => format!("{}'s turn", name(color)),
        (None, Some(color)) => format!("{} won", name(color)),
        (None, None) => "draw".to_owned(),
    };
    vec![
        game.id.into(),
        game.variant.as_str().into(),
        game.black.as_str().into(),
        game.white.as_str().into(),
        game.ply.into(),
        format!("{}-{}", game.discs.0, game.discs.1).into(),
        state.into(),
        Entry::Time(game.since),
    ]
}

fn json(game: &GameSummary) -> GameJson {
    GameJson {
        game: game.id.0,
        variant: game.variant.clone(),
        black: game.black.clone(),
        white: game.white.clone(),
        status: super::view::status(game.turn),
        turn: game.turn.map(|color| color.to_string()),
        ply: game.ply,
        since: json_time(game.since),
    }
}
