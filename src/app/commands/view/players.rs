use chrono::{DateTime, Utc};
use clap::Args;
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::time::Away;
use crate::app::{Actor, Error, Reply, Session, UseCase};
use crate::store::{Db, Player, Results};

/// List the players and their results
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: players")]
pub struct Players {
    /// List their addresses and whether mail to them works; for the host only
    #[arg(long)]
    addresses: bool,
}

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
    away_until: Option<String>,
    #[serde(flatten)]
    address: Option<AddressJson>,
}

#[derive(Serialize)]
struct AddressJson {
    address: Option<String>,
    mail: &'static str,
    since: Option<String>,
}

/// The number of players of a part of the public list.
const PLAYERS_PER_PART: u32 = 500;

/// The state of the mail to a player who has no address.
const NO_MAIL: &str = "none";

impl AddressJson {
    /// Returns that of a player who has no address; `None` for others.
    fn none(of: &Results) -> Option<Self> {
        (!of.has_address).then_some(Self { address: None, mail: NO_MAIL, since: None })
    }
}

/// Returns a part of the list as everybody may see it: of all players, or of those behind this name; and the
/// last name of the part, if another one follows.
pub(crate) fn public_part(
    db: &Db,
    now: DateTime<Utc>,
    behind: Option<&str>,
) -> Result<(Reply, Option<String>), Error> {
    let mut results = db.results(behind, Some(PLAYERS_PER_PART + 1))?;
    let has_more = results.len() > PLAYERS_PER_PART as usize;
    results.truncate(PLAYERS_PER_PART as usize);
    let last = results.last().filter(|_| has_more).map(|last| last.name.clone());
    let table = results_table(&results, &Away::at(db, now)?);
    Ok((Reply::default().table(table, "No players."), last))
}

impl UseCase for Players {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let (true, Actor::Player(_)) = (self.addresses, &session.actor) {
            let error = Error::refused("only the host can list addresses");
            return Err(error.with_hint("leave out --addresses"));
        }
        let (results, mail, away) = session.read(|Reading { db, env, most, .. }| {
            let players = if self.addresses { db.players()? } else { Vec::new() };
            let mail: Result<Vec<_>, _> =
                players.into_iter().map(|player| MailTo::of(db, player)).collect();
            Ok((db.results(None, most)?, mail?, Away::at(db, env.now())?))
        })?;
        let mut addresses = mail.iter().map(MailTo::json);
        let players = results.iter().map(|results| PlayerJson {
            player: results.name.clone(),
            active: results.active,
            won: results.won,
            lost: results.lost,
            drawn: results.drawn,
            away_until: away.until(&results.name).map(|day| day.to_string()),
            address: addresses.next().or_else(|| AddressJson::none(results)),
        });
        let json = PlayersJson { players: players.collect() };
        let table =
            if self.addresses { addresses_table(&mail) } else { results_table(&results, &away) };
        Ok(Reply::new(&json).table(table, "No players. `signup NAME ADDRESS` adds one."))
    }
}

fn results_table(results: &[Results], away: &Away) -> Table {
    let row = |Results { name, active, won, lost, drawn, .. }: &Results| {
        let until = away.until(name).map_or(Entry::NONE, Entry::from);
        vec![name.into(), active.into(), won.into(), lost.into(), drawn.into(), until]
    };
    let columns = vec![
        Column::Text("Player"),
        Column::Number("Active"),
        Column::Number("Won"),
        Column::Number("Lost"),
        Column::Number("Drawn"),
        Column::Text("Away until"),
    ];
    Table { columns, rows: results.iter().map(row).collect() }
}

fn addresses_table(mail: &[MailTo]) -> Table {
    let row = |to: &MailTo| {
        let since = to.since.map_or(Entry::NONE, Entry::Time);
        let address = to.player.address.as_ref().map_or(Entry::NONE, Entry::from);
        vec![(&to.player.name).into(), address, to.state.into(), since]
    };
    let columns = vec![
        Column::Text("Player"),
        Column::Prose("Address"),
        Column::Text("Mail"),
        Column::Text("Since"),
    ];
    Table { columns, rows: mail.iter().map(row).collect() }
}

/// Whether mail to a player works.
struct MailTo {
    player: Player,
    state: &'static str,
    /// The time at which it began to fail or was paused.
    since: Option<DateTime<Utc>>,
}

impl MailTo {
    fn of(db: &Db, player: Player) -> Result<Self, Error> {
        let first_failure = db.first_failure(player.id)?;
        let (state, since) = match player.paused_at {
            _ if player.address.is_none() => (NO_MAIL, None),
            Some(paused_at) => ("paused", Some(paused_at)),
            None if player.has_failed() => ("failing", first_failure),
            None => ("works", None),
        };
        Ok(Self { player, state, since })
    }

    fn json(&self) -> AddressJson {
        let address = self.player.address.clone();
        AddressJson { address, mail: self.state, since: self.since.map(json_time) }
    }
}
