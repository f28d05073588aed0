use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::session::Reading;
use super::table::{Column, Entry, Table};
use super::{Actor, Error, Reply, Session, UseCase, find};
use crate::command::PlayerRef;
use crate::game::Variant;
use crate::render::words;
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
        let (player, is_actor, games, now) = session.read(|Reading { db, env, actor }| {
            let named = self.player.as_ref().or(actor.player());
            let player = named.map(|named| find::player(db, named)).transpose()?;
            let actor = actor.player().map(|actor| find::player(db, actor)).transpose()?;
            let games = self.which.read(db, player.as_ref().map(|player| player.id))?;
            Ok((player.clone(), player == actor, games, env.now()))
        })?;
        let waiting = player.as_ref().filter(|_| self.which.has_waiting()).map(|player| {
            let count = games.iter().filter(|game| game.to_move() == Some(&player.name)).count();
            waiting(count, if is_actor { "you" } else { &player.name })
        });
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
        let rows: Vec<_> = games.iter().map(|game| row(game, now)).collect();
        let columns = vec![
            Column::Number("Game"),
            Column::Prose("Variant"),
            Column::Prose("Black"),
            Column::Prose("White"),
            Column::Number("Moves"),
            Column::Text("Score"),
            Column::Prose("State"),
            Column::Text("Age"),
        ];
        let json = GamesJson { games: games.iter().map(json).collect() };
        let mut reply = Reply::new(&json);
        if let Some(waiting) = waiting.filter(|_| !rows.is_empty()) {
            reply = reply.text(waiting);
        }
        Ok(reply.table(Table { columns, rows }, &empty))
    }
}

impl Which {
    /// Returns whether the list has all games that wait for the player.
    const fn has_waiting(&self) -> bool {
        !self.finished && !self.next
    }

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

/// Returns how many games wait for somebody, as a sentence.
fn waiting(count: usize, whom: &str) -> String {
    match count {
        0 => format!("No game waits for {whom}."),
        1 => format!("1 game waits for {whom}."),
        _ => format!("{count} games wait for {whom}."),
    }
}

fn row(game: &GameSummary, now: DateTime<Utc>) -> Vec<Entry> {
    let state = match (game.to_move(), game.winner) {
        (Some(name), _) => format!("{name}'s turn"),
        (None, Some(color)) => format!("{} won", game.name(color)),
        (None, None) => "draw".to_owned(),
    };
    let title = match &game.rules {
        Some(rules) => words::title(&game.variant, rules),
        None => Variant::title_of(&game.variant).to_owned(),
    };
    vec![
        game.id.into(),
        title.into(),
        game.black.as_str().into(),
        game.white.as_str().into(),
        game.ply.into(),
        format!("{}-{}", game.discs.0, game.discs.1).into(),
        state.into(),
        age(now - game.since).into(),
    ]
}

/// Returns a span of time for people: its largest unit, such as `2 days`.
fn age(span: TimeDelta) -> String {
    let days = span.num_days();
    let (count, unit) = match (days, span.num_hours(), span.num_minutes()) {
        (730.., ..) => (days / 365, "year"),
        (60.., ..) => (days / 30, "month"),
        (1.., ..) => (days, "day"),
        (_, hours @ 1.., _) => (hours, "hour"),
        (.., minutes @ 1..) => (minutes, "minute"),
        _ => return "now".to_owned(),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_one_unit() {
        for (minutes, expected) in [
            (-5, "now"),
            (0, "now"),
            (1, "1 minute"),
            (59, "59 minutes"),
            (60, "1 hour"),
            (47 * 60, "1 day"),
            (59 * 1440, "59 days"),
            (60 * 1440, "2 months"),
            (729 * 1440, "24 months"),
            (730 * 1440, "2 years"),
        ] {
            assert_eq!(age(TimeDelta::minutes(minutes)), expected);
        }
    }
}
