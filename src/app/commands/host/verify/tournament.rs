//! Tournaments: their schedules follow from their players, and something is due while something is to be done.

use super::fault::Fault;
use crate::app::Error;
use crate::app::views::tournament::Standing;
use crate::store::Db;
use outflank_model::tournament::{Fixture, TournamentState, next};

/// Checks all tournaments.
pub(super) fn check_all(db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
    for &state in TournamentState::ALL {
        for id in db.tournaments(state, None)? {
            let standing = Standing::read(db, db.tournament(id)?)?;
            let name = format!("tournament {}", standing.tournament.plan.name);
            let found = problems(&standing).into_iter();
            faults.extend(found.map(|(column, it)| Fault::new(&name, it).in_column(column)));
        }
    }
    let wrong = db
        .wrong_pairings()?
        .into_iter()
        .map(|game| Fault::of_game(game, "pairing", "its tournament has other players for it"));
    faults.extend(wrong);
    Ok(())
}

/// Returns what is wrong, each with the column or the table that it is about.
fn problems(standing: &Standing) -> Vec<(&'static str, &'static str)> {
    let Standing { tournament, entrants, pairings, fixtures, .. } = standing;
    let has_started =
        matches!(tournament.state, TournamentState::Running | TournamentState::Finished);
    let mut problems = Vec::new();
    let numbers: Vec<_> = entrants.iter().map(|entrant| entrant.number).collect();
    let expected: Vec<_> = match has_started {
        true => (1..=entrants.len()).map(Some).collect(),
        false => vec![None; entrants.len()],
    };
    if numbers != expected {
        problems.push(("entrant.number", "the players are not numbered one by one"));
        return problems;
    }
    let schedule = match has_started {
        true => tournament.plan.schedule(entrants.len()),
        false => Vec::new(),
    };
    let games = |fixtures: &[Fixture]| -> Vec<_> {
        fixtures.iter().map(|it| (it.round, it.players)).collect()
    };
    let is_counted = (1..).zip(pairings).all(|(number, pairing)| pairing.number == number);
    if !is_counted || games(fixtures) != games(&schedule) {
        problems.push(("pairing", "the games are not those of the schedule"));
    }
    if tournament.state == TournamentState::Finished && !standing.is_decided() {
        problems.push(("tournament.state", "it has ended, but not all its games"));
    }
    let is_waiting = standing.is_decided() || !next(fixtures, &standing.withdrawals).is_empty();
    if tournament.state == TournamentState::Running && tournament.due_at.is_none() && is_waiting {
        problems.push(("tournament.due_at", "nothing is due, but something is to be done"));
    }
    problems
}
