//! Two worlds that differ only in a plan look alike to all but its owner, until the plan makes a move.

use std::collections::BTreeSet;

use super::Violation;
use super::step::{Action, Command, Step};
use super::tables::Tables;
use super::world::World;

/// The name under which a difference is reported.
pub const OF: &str = "plans_are_hidden";

/// A plan that only the first world has.
struct Plan {
    owner: String,
    /// The owner's addresses.
    addresses: BTreeSet<String>,
}

/// Repeats a trail without its cuts in two worlds. In the second, a plan of the first one is only read. Returns
/// after how many steps they were compared while only one had a plan. Without the cuts, a mail can be somebody
/// else's than the trail meant, so nothing else is judged.
///
/// # Errors
/// What differs for others.
pub fn plans_are_hidden(trail: &[Step]) -> Result<usize, Violation> {
    let is_plan = |at: &usize| without_plan(&trail[*at], &trail[at + 1..]).is_some();
    let Some(last) = (0..trail.len()).rfind(is_plan) else { return Ok(0) };
    let mut worlds = [World::not_judged(), World::not_judged()];
    let mut hidden: Option<Plan> = None;
    let (mut compared, mut is_backed_up) = (0, false);
    for (at, step) in trail.iter().enumerate() {
        match step.action {
            Action::Backup => is_backed_up = hidden.is_some(),
            // The plan comes back.
            Action::Restore if is_backed_up => return Ok(compared),
            _ => {}
        }
        if hidden.is_none() && at > last {
            return Ok(compared);
        }
        let step = Step { cut: None, ..step.clone() };
        let plans = worlds[0].tables().0.get("plan").cloned();
        if worlds[0].carry_out(&step).is_err() {
            return Ok(compared);
        }
        let (owner, other) = match (&hidden, without_plan(&step, &trail[at + 1..])) {
            (None, Some((owner, other))) if worlds[0].tables().0.get("plan") != plans.as_ref() => {
                (Some(owner), other)
            }
            _ => (None, step.clone()),
        };
        if let Some(owner) = owner {
            hidden = Some(Plan { owner, addresses: BTreeSet::new() });
        }
        if worlds[1].carry_out(&other).is_err() {
            return Ok(compared);
        }
        let [with, without] = &worlds;
        let (tables, other) = (with.tables(), without.tables());
        let Some(plan) = &mut hidden else {
            if tables != other {
                return violated(&step, &format!("{:?}", tables.differences(other)));
            }
            continue;
        };
        plan.addresses.extend(address_of(tables, &plan.owner));
        if has_moved(tables, other) {
            return Ok(compared);
        }
        compared += 1;
        let is_foreign = |(reader, _): &&(String, String)| {
            *reader != plan.owner && !plan.addresses.contains(reader)
        };
        let [one, two] = [with, without].map(|it| it.read.iter().filter(is_foreign).collect());
        let (one, two): (Vec<_>, Vec<_>) = (one, two);
        if one != two {
            let differs = one.iter().zip(&two).find(|(one, two)| one != two);
            return violated(&step, &format!("{differs:?}, {} and {}", one.len(), two.len()));
        }
        if tables.is_same(other, "plan") {
            // Its owner may have been mailed what became of it.
            if tables != other {
                return Ok(compared);
            }
            hidden = None;
        }
    }
    Ok(compared)
}

fn violated<T>(step: &Step, found: &str) -> Result<T, Violation> {
    Err(Violation { of: OF, found: format!("after {step}: {found}") })
}

/// Returns the owner of the plan that a step makes, and a step that only reads it; `None` if a later command in
/// the game makes the move that the plan waits for.
fn without_plan(step: &Step, later: &[Step]) -> Option<(String, Step)> {
    let Action::Command(command) = &step.action else { return None };
    let Command { actor: Some(owner), words, is_elsewhere } = command else { return None };
    let [plan, game, planned, ..] = &**words else { return None };
    let next = later.iter().find_map(|step| match &step.action {
        Action::Command(Command { words, .. }) if words[0] == "move" => {
            words.get(2).filter(|_| words[1] == *game)
        }
        _ => None,
    });
    if next == Some(planned) {
        return None;
    }
    let words = vec![plan.clone(), game.clone()];
    let actor = Some(owner.clone());
    let action = Action::Command(Command { actor, words, is_elsewhere: *is_elsewhere });
    (plan == "plan").then(|| (owner.clone(), Step { action, ..step.clone() }))
}

fn address_of(tables: &Tables, name: &str) -> Option<String> {
    let mut players = tables.columns("player", ["name", "address"]);
    players.find(|[it, _]| *it == Some(name))?[1].map(str::to_owned)
}

/// Returns whether the plan made a move: the two worlds differ in the moves of a game.
fn has_moved(with: &Tables, without: &Tables) -> bool {
    let moves = |tables: &Tables, game| {
        let actions = tables.columns_of("event", game, ["action"]).flatten().flatten();
        actions.filter(|action| !action.contains(' ')).map(str::to_owned).collect::<Vec<_>>()
    };
    with.changed(without, "event").into_iter().any(|game| moves(with, game) != moves(without, game))
}
