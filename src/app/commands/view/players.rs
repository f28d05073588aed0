use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::json;

use crate::app::run::session::Reading;
use crate::app::views::json::{json_time, merged};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::time::Away;
use crate::app::{Actor, Error, Heading, Reply, Session, Traits, UseCase};
use crate::store::{Db, Results};
use outflank_model::Player;

/// List the players and their results
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: players")]
pub struct Players {
    /// List their addresses and whether mail to them works; for the host only
    #[arg(long)]
    addresses: bool,
}

/// The number of players of a part of the public list.
const PLAYERS_PER_PART: u32 = 500;

/// A player, the state of the mail to the player, and when it began to fail or was paused.
type MailTo = (Player, &'static str, Option<DateTime<Utc>>);

/// The state of the mail to a player who has no address.
const NO_MAIL: &str = "none";

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
    const TRAITS: Traits = Traits::new("players", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if let (true, Actor::Player(_)) = (self.addresses, &session.actor) {
            let error = Error::refused("only the host can list addresses");
            return Err(error.with_hint("leave out --addresses"));
        }
        let (results, mail, away) = session.read(|Reading { db, env, most, .. }| {
            let players = if self.addresses { db.players()? } else { Vec::new() };
            let mail: Result<Vec<_>, _> =
                players.into_iter().map(|player| mail_to(db, player)).collect();
            Ok((db.results(None, most)?, mail?, Away::at(db, env.now())?))
        })?;
        let mut addresses =
            mail.iter().map(|(player, state, since)| (player.address.as_ref(), *state, *since));
        let players = results.iter().map(|results| {
            let Results { name, active, won, lost, drawn, has_address, .. } = results;
            let mail = addresses.next().or((!has_address).then_some((None, NO_MAIL, None)));
            let mail = mail.map(|(address, state, since)| {
                json!({ "address": address, "mail": state, "since": since.map(json_time) })
            });
            let until = away.until(name).map(|day| day.to_string());
            let player = json!({
                "player": name, "active": active, "won": won, "lost": lost, "drawn": drawn,
                "away_until": until,
            });
            merged([player, mail.into()])
        });
        let reply = Reply::list("players", players);
        let table =
            if self.addresses { addresses_table(&mail) } else { results_table(&results, &away) };
        Ok(reply.table(table, "No players. `signup NAME ADDRESS` adds one."))
    }
}

fn results_table(results: &[Results], away: &Away) -> Table {
    Table::of(
        results,
        &[
            (Column::Text("Name"), &|it| Entry::player(&it.name)),
            (Column::Number("Active"), &|it| it.active.into()),
            (Column::Number("Won"), &|it| it.won.into()),
            (Column::Number("Lost"), &|it| it.lost.into()),
            (Column::Number("Drawn"), &|it| it.drawn.into()),
            (Column::Text("Away until"), &|it| Entry::of(away.until(&it.name))),
        ],
    )
}

fn addresses_table(mail: &[MailTo]) -> Table {
    Table::of(
        mail,
        &[
            (Column::Text("Name"), &|(player, ..)| (&player.name).into()),
            (Column::Prose("Address"), &|(player, ..)| Entry::of(player.address.as_ref())),
            (Column::Text("Mail"), &|(_, state, _)| state.into()),
            (Column::Text("Since"), &|(.., since)| since.map_or(Entry::NONE, Entry::Time)),
        ],
    )
}

/// Returns whether mail to a player works, and when it began to fail or was paused.
fn mail_to(db: &Db, player: Player) -> Result<MailTo, Error> {
    let first_failure = db.first_failure(player.id)?;
    let (state, since) = match player.paused_at {
        _ if player.address.is_none() => (NO_MAIL, None),
        Some(paused_at) => ("paused", Some(paused_at)),
        None if player.has_failed() => ("failing", first_failure),
        None => ("works", None),
    };
    Ok((player, state, since))
}
