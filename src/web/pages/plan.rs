//! The part of the page of a game on which its player makes a plan.

use minijinja::{Value, context};

use crate::web::pages::PlayPage;
use crate::web::pages::board::Marks;
use crate::web::pages::command::capitalized;
use crate::web::pages::game::shown;
use outflank_model::log::Game;
use outflank_model::render::LastMove;
use outflank_model::words::joined;

/// Returns what a page says on which a branch of a plan is made, and the board there: the game after its moves,
/// with squares that add another one.
pub(super) fn planning(page: &PlayPage, branch: &Game) -> (Value, Value) {
    let (live, names) = (page.live, page.live.names());
    let lattice = branch.lattice();
    let plies = branch.plies().iter().skip(live.game.plies().len()).filter(|ply| !ply.auto);
    let labels: Vec<_> = plies.clone().map(|ply| lattice.move_label(ply.mv)).collect();
    let moves = labels.join(" ");
    let last = LastMove::of(branch);
    let choices = branch.turn().map(|_| branch.position().placements());
    let marks = Marks {
        last: last.as_ref(),
        choices: choices.as_ref(),
        plan: Some(&moves),
        ..Marks::default()
    };
    let steps = plies.clone().map(|ply| match live.owns(ply.by) {
        true => format!("you play {}", lattice.move_label(ply.mv)),
        false => format!("{} plays {}", names.of(ply.by), lattice.move_label(ply.mv)),
    });
    let steps: Vec<_> = steps.collect();
    let next = match branch.turn().map(|turn| live.owns(turn)) {
        Some(true) => "choose your answer on the board.",
        Some(false) => "choose the next move of your opponent on the board.",
        None => "the game is over.",
    };
    let text = match steps[..] {
        [] => capitalized(next),
        _ => format!("If {}: {next}", joined(&steps, "and")),
    };
    // A branch ends with an own move.
    let is_whole = plies.clone().next_back().is_some_and(|ply| live.owns(ply.by));
    let plan = match &page.aside.plan {
        Some(before) => format!("{before} / {moves}"),
        None => moves.clone(),
    };
    let planning = context! {
        text,
        plan => is_whole.then_some(plan),
        back => labels.split_last().map(|(_, before)| before.join(" ")),
        pass => branch.must_pass().then(|| format!("{moves} pass")),
    };
    (planning, shown(page.path, live, branch, marks))
}

/// Returns the branches of a plan, each with the plan that is left without it.
pub(super) fn branches(plan: &str) -> Vec<Value> {
    let branches: Vec<_> = plan.split(" / ").collect();
    let rest = |at: usize| {
        let rest: Vec<_> = [&branches[..at], &branches[at + 1..]].concat();
        if rest.is_empty() { "off".to_owned() } else { rest.join(" / ") }
    };
    let branch = |(at, moves): (usize, &&str)| context! { moves => *moves, rest => rest(at) };
    branches.iter().enumerate().map(branch).collect()
}
