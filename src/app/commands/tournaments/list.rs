use clap::Args;
use serde_json::json;

use crate::app::commands::tournaments::join;
use crate::app::run::session::Reading;
use crate::app::views::json::{array, merged};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::tournament::{summary_to_json, title};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::Db;
use outflank_model::Player;
use outflank_model::tournament::{Tournament, TournamentState};

/// List the tournaments: open ones, running ones and the last that ended
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: tournaments")]
pub struct Tournaments {}

/// The most tournaments that have ended and are listed.
const MAX_ENDED: u32 = 10;

/// A row of the list.
#[derive(Clone)]
pub(crate) struct Listed {
    tournament: Tournament,
    players: usize,
}

impl UseCase for Tournaments {
    const TRAITS: Traits = Traits::new("tournaments", Heading::Tournaments);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.read(|Reading { db, .. }| {
            let listed = listed(db)?;
            let reply = reply(&listed);
            let hint = "`outflank join NAME` enters an open tournament; `outflank tournament NAME` shows one.";
            let has_open = listed.iter().any(|it| it.tournament.state == TournamentState::Open);
            Ok(if has_open { reply.text(hint) } else { reply })
        })
    }
}

/// Returns the tournaments of the list.
pub(crate) fn listed(db: &Db) -> Result<Vec<Listed>, Error> {
    Ok([
        in_state(db, TournamentState::Open, None)?,
        in_state(db, TournamentState::Running, None)?,
        in_state(db, TournamentState::Finished, Some(MAX_ENDED))?,
    ]
    .concat())
}

/// Returns these tournaments as a list.
pub(crate) fn reply(listed: &[Listed]) -> Reply {
    let json =
        |it: &Listed| merged([summary_to_json(&it.tournament), json!({ "players": it.players })]);
    let reply = Reply::new(&json!({ "tournaments": array(listed.iter().map(json)) }));
    reply.table(table(listed), "There are no tournaments.")
}

/// Returns the names of those of these tournaments that a player can join.
pub(crate) fn joinable(db: &Db, listed: &[Listed], player: &Player) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for Listed { tournament, .. } in listed {
        match join::check(db, tournament, player) {
            Ok(()) => names.push(tournament.plan.name.clone()),
            Err(error) if error.is_fault() => return Err(error),
            Err(_) => {}
        }
    }
    Ok(names)
}

fn in_state(db: &Db, state: TournamentState, limit: Option<u32>) -> Result<Vec<Listed>, Error> {
    let listed = |id| {
        let Some(tournament) = find::intact(db.tournament(id))? else { return Ok(None) };
        let season = tournament.season + usize::from(state == TournamentState::Open);
        let players = db.count_entrants(id, season)?;
        Ok(Some(Listed { tournament, players }))
    };
    db.tournaments(state, limit)?.into_iter().filter_map(|id| listed(id).transpose()).collect()
}

fn table(listed: &[Listed]) -> Table {
    Table::of(
        listed,
        &[
            (Column::Text("Tournament"), &|it| Entry::Tournament(it.tournament.plan.name.clone())),
            (Column::Prose("Game"), &|it| title(&it.tournament.plan).into()),
            (Column::Prose("Format"), &|it| it.tournament.plan.format.title().into()),
            (Column::Text("State"), &|it| it.tournament.state.into()),
            (Column::Text("Players"), &|it| match it.tournament.state {
                TournamentState::Open if it.tournament.season == 0 => {
                    format!("{} of {}", it.players, it.tournament.plan.places).into()
                }
                _ => it.players.into(),
            }),
            (Column::Text("Starts"), &|it| match it.tournament.state {
                TournamentState::Open => {
                    it.tournament.plan.starts_at.map_or(Entry::NONE, Entry::Time)
                }
                _ => Entry::NONE,
            }),
            (Column::Text("Ended"), &|it| it.tournament.ended_at.map_or(Entry::NONE, Entry::Time)),
        ],
    )
}
