//! A game after some of its moves.

use minijinja::{Value, context};
use serde::Serialize;

use crate::app::LiveGame;
use crate::web::pages::board::{self, Marks};
use crate::web::pages::menu::menu;
use crate::web::pages::play::{Side, moves, versus};
use crate::web::pages::plot::{Series, plot};
use crate::web::pages::templates::{render, value};
use crate::web::pages::{Analysis, ReplayPage};
use outflank_model::log::Game;
use outflank_model::render::words::Names;
use outflank_model::render::{LastMove, spoken, words};
use outflank_rules::{Color, Move};

/// The most moves that are listed, those around the one that is shown.
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
    /// What an analysis found: the expected result, and what the move lost.
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
    let scores = scores(&live.game);
    let leads: Vec<_> = scores.iter().map(|[black, white]| lead(*black, *white)).collect();
    let by: Vec<_> = live.game.plies().iter().map(|it| it.by).collect();
    let title = match analysis {
        Some(_) => "The score, the expected result and the losses, move by move",
        None => "The score, move by move",
    };
    let series = Series { leads: &leads, by: &by, analysis, ply };
    let state = match (&live.result, ply == made) {
        (Some(result), true) => result.clone(),
        _ => words::turn(game, names).map_or_else(String::new, |turn| format!("{turn}.")),
    };
    let score = words::score(game);
    let about = match ply {
        0 => format!("Before the first move: {score}. {state}"),
        _ => format!("After move {ply} of {made}: {score}. {state}"),
    };
    let preview = is_public.then(|| {
        context! {
            title => format!("{}: {}", versus(names), live.title),
            description => format!("After {}: {score}. {state}", moves(made)),
            url => format!("{}/game/{}", site.url, live.id),
            // The number makes a program that keeps pictures fetch that of a later position.
            image => format!("{}/game/{}/board.png?{made}", site.url, live.id),
        }
    });
    let values = context! {
        site => value(site),
        path,
        preview,
        menu => value(is_public.then(|| menu(site, None))),
        title => format!("Game {} after move {ply}: {}", live.id, versus(names)),
        headline => format!("Game {}: {}", live.id, versus(names)),
        about => about.trim_end(),
        variant => live.title.as_str(),
        is_wide => board::is_wide(game.position()),
        scrolls => board::scrolls(game.position()),
        is_public,
        ply,
        made,
        back => ply.checked_sub(1),
        next => Some(ply + 1).filter(|next| *next <= made),
        board => Value::from_safe_string(board::board(game.position(), marks)),
        sides => value(Color::BOTH.map(|color| Side::of(live, game, color))),
        last => spoken::last_move(game, names),
        found => analysis.and_then(|analysis| found(analysis, ply, names)),
        plot => (made > 0).then(|| Value::from_safe_string(plot(&series, title))),
        is_analyzed => analysis.is_some(),
        moves => value(listed(live, ply, analysis, &scores)),
        has_more => made > MAX_LISTED,
        spoken => spoken::board(game.position()),
    };
    render("replay.html", values)
}

/// Returns the moves around the one with this number.
fn listed<'a>(
    live: &'a LiveGame,
    ply: usize,
    analysis: Option<&Analysis>,
    scores: &[[u32; 2]],
) -> Vec<Listed<'a>> {
    let (names, plies) = (live.names(), live.game.plies());
    let lattice = live.game.position().rules().lattice;
    let first = ply.saturating_sub(MAX_LISTED / 2).min(plies.len().saturating_sub(MAX_LISTED));
    let listed = plies.iter().enumerate().skip(first).take(MAX_LISTED).map(|(at, it)| {
        let found = analysis.and_then(|analysis| analysis.moves.get(at));
        let [black, white] = scores.get(at + 1).copied().unwrap_or_default();
        Listed {
            number: at + 1,
            label: lattice.move_label(it.mv),
            by: names.of(it.by),
            color: it.by.to_string(),
            flips: it.flipped.len(),
            black,
            white,
            expected: found.map(|&(expected, _)| format!("{expected:+}")),
            loss: found.map(|&(_, loss)| loss),
        }
    });
    listed.collect()
}

/// Returns what an analysis found about the move with this number, or about the start.
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

/// Returns the discs of Black and of White before the first move and after each.
fn scores(game: &Game) -> Vec<[u32; 2]> {
    let start = game.start();
    let mut score = Color::BOTH.map(|color| start.count(color));
    let mut scores = vec![score];
    for ply in game.plies() {
        let flipped = u32::try_from(ply.flipped.len()).unwrap_or(0);
        let placed = u32::from(ply.mv != Move::Pass);
        let [black, white] = score;
        score = match ply.by {
            Color::Black => [black + placed + flipped, white.saturating_sub(flipped)],
            Color::White => [black.saturating_sub(flipped), white + placed + flipped],
        };
        scores.push(score);
    }
    scores
}

fn lead(black: u32, white: u32) -> i32 {
    i32::try_from(i64::from(black) - i64::from(white)).unwrap_or(0)
}
