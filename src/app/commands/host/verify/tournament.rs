//! Tournaments: their schedules follow from their players, and something is due while something is to be done.

use std::collections::BTreeSet;

use super::fault::Fault;
use crate::app::Error;
use crate::app::views::tournament::Standing;
use crate::store::Db;
use outflank_model::tournament::{Fixture, Format, Group, Plan, TournamentState, next};

/// Checks all tournaments.
pub(super) fn check_all(db: &Db, faults: &mut Vec<Fault>) -> Result<(), Error> {
    for &state in TournamentState::ALL {
        for id in db.tournaments(state, None)? {
            let read = db.tournament(id).and_then(|tournament| Standing::read(db, tournament));
            let standing = match read {
                Ok(standing) => standing,
                Err(error) if error.is_of_one() => {
                    let what = format!("tournament number {}", id.0);
                    faults.push(Fault::new(&what, &error.to_string()).in_column("tournament"));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
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
    let Standing { tournament, groups, joined, .. } = standing;
    let mut problems = Vec::new();
    let is_numbered = (1..).zip(groups).all(|(division, group)| {
        let numbers = group.entrants.iter().map(|it| (it.division, it.number));
        numbers.eq((1..=group.entrants.len()).map(|it| (Some(division), Some(it))))
    });
    if !is_numbered || joined.iter().any(|it| it.number.is_some() || it.division.is_some()) {
        problems.push(("entrant.number", "the players are not numbered one by one"));
        return problems;
    }
    let has_begun = tournament.season > 0;
    let is_begun = match tournament.state {
        TournamentState::Open => !has_begun || tournament.plan.format == Format::League,
        TournamentState::Running | TournamentState::Finished => has_begun,
        TournamentState::Cancelled => !has_begun,
    };
    if !is_begun || has_begun == groups.is_empty() {
        problems.push(("tournament.season", "its season is not that of its players"));
        return problems;
    }
    if !groups.iter().all(|group| is_scheduled(&tournament.plan, group)) {
        problems.push(("pairing", "the games are not those of the schedule"));
    }
    if tournament.state != TournamentState::Running && !standing.is_decided() {
        problems.push(("tournament.state", "it has ended, but not all its games"));
    }
    let can_begin = |group: &Group| !next(&group.fixtures, &group.withdrawals).is_empty();
    let is_waiting = match tournament.state {
        TournamentState::Open => has_begun,
        TournamentState::Running => standing.is_decided() || groups.iter().any(can_begin),
        TournamentState::Finished | TournamentState::Cancelled => false,
    };
    if is_waiting && tournament.due_at.is_none() {
        problems.push(("tournament.due_at", "nothing is due, but something is to be done"));
    }
    problems
}

/// Returns whether the games of a group are those of its schedule. In a Swiss tournament nobody meets twice, or
/// has two games in a round.
fn is_scheduled(plan: &Plan, group: &Group) -> bool {
    let fixtures = &group.fixtures;
    let is_counted = (1..).zip(&group.pairings).all(|(number, pairing)| pairing.number == number);
    let games = |fixtures: &[Fixture]| -> Vec<_> {
        fixtures.iter().map(|it| (it.round, it.players)).collect()
    };
    let follows = match plan.format {
        Format::RoundRobin | Format::League => {
            games(fixtures) == games(&plan.schedule(group.entrants.len()))
                && group.entrants.iter().all(|entrant| entrant.bye.is_none())
        }
        Format::Swiss => {
            let of_games =
                fixtures.iter().flat_map(|it| it.players.map(|player| (it.round, player)));
            let byes = group.entrants.iter().enumerate();
            let byes = byes.filter_map(|(player, entrant)| Some((entrant.bye?, player)));
            let seats: Vec<_> = of_games.chain(byes).collect();
            let pairs = fixtures.iter().map(|it| it.players.iter().copied().collect());
            let last = group.round();
            seats.iter().collect::<BTreeSet<_>>().len() == seats.len()
                && pairs.collect::<BTreeSet<BTreeSet<_>>>().len() == fixtures.len()
                && fixtures.is_sorted_by_key(|it| it.round)
                && fixtures
                    .iter()
                    .map(|it| it.round)
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .eq(1..=last)
                && seats.iter().all(|(round, _)| (1..=last).contains(round))
                && plan.rounds.is_some_and(|rounds| last <= rounds)
        }
    };
    is_counted && follows
}
