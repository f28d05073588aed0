use clap::Args;
use serde::Serialize;

use super::table::{Column, Table};
use super::{Error, Reply, Session, UseCase};

/// List the players
#[derive(Debug, Clone, Args)]
pub struct Players {}

#[derive(Serialize)]
struct Json {
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
        let players = session.app.store.read(|db| {
            let mut players = Vec::new();
            for player in db.players()? {
                let [active, won, lost, drawn] = db.record(player.id)?;
                players.push(PlayerJson { player: player.name, active, won, lost, drawn });
            }
            Ok::<_, Error>(players)
        })?;
        let row = |of: &PlayerJson| {
            let numbers = [of.active, of.won, of.lost, of.drawn];
            let mut row = vec![of.player.as_str().into()];
            row.extend(numbers.map(Into::into));
            row
        };
        let rows = players.iter().map(row).collect();
        let columns = vec![
            Column::Text("Player"),
            Column::Number("Playing"),
            Column::Number("Won"),
            Column::Number("Lost"),
            Column::Number("Drawn"),
        ];
        let empty = "No players. `signup NAME ADDRESS` adds one.";
        Ok(Reply::new(&Json { players }).table(Table { columns, rows }, empty))
    }
}
