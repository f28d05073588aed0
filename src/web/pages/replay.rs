//! A game after some of its moves.

use minijinja::{Value, context};
use serde::Serialize;

use crate::app::{Analysis, LiveGame};
use crate::web::pages::ReplayPage;
use crate::web::pages::board::Marks;
use crate::web::pages::game::{moves, shown, versus};
use crate::web::pages::menu::menu;
use crate::web::pages::plot::plot;
use crate::web::pages::templates::{render, value};
use outflank_model::render::words::Names;
use outflank_model::render::{LastMove, spoken, words};
use outflank_rules::Color;

/// The most moves in the list, which are those around the one that is shown.
const MAX_LISTED: usize = 200;

/// A move of the list.
#[derive(Serialize)]
struct Listed<'a> {
    number: usize,
    label: String,
    by: &'a str,
    color: String,
    flips: usize,
    black: u32,
    white: u32,
    /// By an analysis: the expected result, and the discs that the move lost.
    expected: Option<String>,
    loss: Option<i32>,
}

/// Returns a game after some of its moves.
pub fn replay(page: &ReplayPage) -> String {
    let ReplayPage { site, path, live, ply, analysis, is_public } = *page;
    let made = live.game.plies().len();
    let earlier = live.game.right_after(ply).filter(|_| ply < made);
    let (game, ply) = earlier.as_ref().map_or((&live.game, made), |game| (game, ply));
    let names = live.names();
    let last = LastMove::of(game);
    let marks = Marks { last: last.as_ref(), ..Marks::default() };
    let state = match (&live.result, ply == made) {
        (Some(result), true) => result.clone(),
        _ => words::turn(game, names).map_or_else(String::new, |turn| format!("{turn}.")),
    };
    let score = words::score(game);
    let about = match ply {
        0 => format!("Before the first move: {score}. {state}"),
        _ => format!("After move {ply} of {made}: {score}. {state}"),
    };
    let url = format!("{}/game/{}", site.url, live.id);
    let preview = context! {
        title => format!("{}: {}", versus(names), live.title),
        description => format!("After {}: {score}. {state}", moves(made)),
        // The number makes a program that keeps pictures fetch that of a later position.
        image => format!("{url}/board.png?{made}"),
        url,
    };
    let plot = (made > 0).then(|| plot(&live.game, analysis, ply));
    let values = context! {
        preview => is_public.then_some(preview),
        menu => value(is_public.then(|| menu(site, None))),
        title => format!("Game {} after move {ply}: {}", live.id, versus(names)),
        headline => format!("Game {}: {}", live.id, versus(names)),
        about => about.trim_end(),
        variant => live.title.as_str(),
        is_public,
        history => (is_public && ply == made && live.game.turn().is_some()).then_some(&live.history),
        ply,
        made,
        back => ply.checked_sub(1),
        next => Some(ply + 1).filter(|next| *next <= made),
        found => analysis.and_then(|analysis| found(analysis, ply, names)),
        plot => plot.map(Value::from_safe_string),
        is_signed => live.is_signed,
        is_analyzed => analysis.is_some(),
        moves => value(listed(live, ply, analysis)),
        has_more => made > MAX_LISTED,
        ..shown(path, live, game, marks)
    };
    render("replay.html", site, values)
}

/// Returns the moves around the one with this number.
fn listed<'a>(live: &'a LiveGame, ply: usize, analysis: Option<&Analysis>) -> Vec<Listed<'a>> {
    let (names, plies) = (live.names(), live.game.plies());
    let lattice = live.game.position().rules().lattice;
    let first = ply.saturating_sub(MAX_LISTED / 2).min(plies.len().saturating_sub(MAX_LISTED));
    let listed = plies.iter().enumerate().skip(first).take(MAX_LISTED).map(|(at, it)| {
        let found = analysis.and_then(|analysis| analysis.moves.get(at));
        Listed {
            number: at + 1,
            label: lattice.move_label(it.mv),
            by: names.of(it.by),
            color: it.by.to_string(),
            flips: it.flipped.len(),
            black: it.black,
            white: it.white,
            expected: found.map(|&(expected, _)| format!("{expected:+}")),
            loss: found.map(|&(_, loss)| loss),
        }
    });
    listed.collect()
}

/// Describes the finding of an analysis about the move with this number, or about the start.
fn found(analysis: &Analysis, ply: usize, names: Names) -> Option<String> {
    let (expected, cost) = match ply.checked_sub(1) {
        None => (analysis.start, String::new()),
        Some(at) => {
            let &(expected, loss) = analysis.moves.get(at)?;
            let discs = usize::try_from(loss).ok().filter(|loss| *loss > 0).map(spoken::discs);
            let cost = discs.unwrap_or_else(|| "nothing".to_owned());
            (expected, format!("Move {ply} cost {cost}. "))
        }
    };
    let winner = match expected.signum() {
        1 => names.with_color(Color::Black),
        -1 => names.with_color(Color::White),
        _ => return Some(format!("{cost}The players can expect a draw.")),
    };
    Some(format!("{cost}{winner} can expect to win by {}.", expected.abs()))
}
