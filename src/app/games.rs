use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::session::Reading;
use super::table::{Column, Entry, Table};
use super::{Actor, Error, Reply, Session, UseCase, find};
use crate::command::PlayerRef;
use crate::game::Color;
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
        let (player, games) = session.read(|Reading { db, actor, .. }| {
            let named = self.player.as_ref().or(actor.player());
            let player = named.map(|named| find::player(db, named)).transpose()?;
            let games = self.which.read(db, player.as_ref().map(|player| player.id))?;
            Ok((player, games))
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
        let rows = games.iter().map(row).collect();
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
        let json = GamesJson { games: games.iter().map(json).collect() };
        Ok(Reply::new(&json).table(Table { columns, rows }, &empty))
    }
}

impl Which {
    fn read(&self, db: &Db, player: Option<PlayerId>) -> Result<Vec<GameSummary>, Error> {
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
        let most = self.next.then_some(1);
        let mut games = Vec::new();
        for listing in listings {
            games.extend(db.games(listing, most)?);
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
