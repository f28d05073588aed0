use clap::Args;
use serde::Serialize;

use super::session::Reading;
use super::table::{Column, Table};
use super::{Error, Reply, Session, UseCase};
use crate::store::Results;

/// List the players and their results
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: players")]
pub struct Players {}

#[derive(Serialize)]
struct PlayersJson {
    players: Vec<PlayerJson>,
}

#[derive(Serialize)]
struct PlayerJson {
    player: String,
    active: u32,
    won: u32,
    lost: u32,
    drawn: u32,
}

impl UseCase for Players {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let players = session.read(|Reading { db, most, .. }| Ok(db.results(most)?))?;
        let player = |results: Results| {
            let Results { name, active, won, lost, drawn } = results;
            PlayerJson { player: name, active, won, lost, drawn }
        };
        let players: Vec<_> = players.into_iter().map(player).collect();
        let row = |player: &PlayerJson| {
            let PlayerJson { player: name, active, won, lost, drawn } = player;
            vec![name.into(), active.into(), won.into(), lost.into(), drawn.into()]
        };
        let rows = players.iter().map(row).collect();
        let columns = vec![
            Column::Text("Player"),
            Column::Number("Active"),
            Column::Number("Won"),
            Column::Number("Lost"),
            Column::Number("Drawn"),
        ];
        let empty = "No players. `signup NAME ADDRESS` adds one.";
        Ok(Reply::new(&PlayersJson { players }).table(Table { columns, rows }, empty))
    }
}
