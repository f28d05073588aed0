//! The end of a search, and positions at the edge of the rules.

use std::sync::atomic::{AtomicU64, Ordering};

use outflank_engine::{Engine, Level, Limits};
use outflank_rules::{Move, Overrides, Position};

use crate::{moves, position, rules, size};

const MAX_BYTES: usize = 1 << 20;
/// Only a pass is allowed.
const PASS: &str = "(b wbbb wwb- wbwb www-)";

fn othello() -> Position {
    Position::start(rules("othello", &Overrides::default()))
}

/// Returns positions of every kind where the game is not over.
fn positions() -> Vec<Position> {
    let none = Overrides::default();
    let anywhere = Overrides { anywhere: true, ..none };
    let sized = |rows, columns| {
        Position::start(rules("othello", &Overrides { size: size(rows, columns), ..none }))
    };
    vec![
        othello(),
        sized(3, 26),
        sized(26, 3),
        sized(11, 11),
        sized(99, 26),
        Position::start(rules("oddthello", &none)),
        // A long row of discs.
        position("oddthello", &none, &format!("(b bw{}bwb)", "-".repeat(900))),
        position("oddthello", &none, &format!("(w bw{})", "wb".repeat(28))),
        position("mini", &none, PASS),
        position("twente", &none, PASS),
        // A board without discs, and one without discs of one colour.
        position("mini", &anywhere, "(b --- --- ---)"),
        position("mini", &anywhere, "(w bbb --- ---)"),
    ]
}

#[test]
fn a_search_that_is_stopped_at_once_returns_a_move() {
    for position in positions() {
        let mut engine = Engine::new(MAX_BYTES, 1);
        let limits = Limits { nodes: 0, ..Limits::until(&|| true) };
        let best = engine.best(&position, &limits).expect("a move");
        assert!(moves(&position).contains(&best.mv()), "{position}");
        assert!(best.depth >= 1);
        let all = engine.all(&position, &limits);
        assert_eq!(all.len(), moves(&position).len(), "{position}");
        for level in Level::all().filter(|level| level.nodes_elsewhere() < 200_000) {
            let played = engine.play(&position, level, 7, &|| true).expect("a move");
            assert!(moves(&position).contains(&played.mv()), "{position}");
        }
    }
}

#[test]
fn a_game_that_is_over_has_no_move() {
    let none = Overrides::default();
    for position in [
        position("mini", &none, "(b bbbb wwww bbbb wwww)"),
        position("mini", &none, "(b bbb --- ---)"),
        position("mini", &Overrides { misere: true, ..none }, "(w --- -w- ---)"),
        position("oddthello", &none, "(w bbb)"),
        position("oddthello", &none, &format!("(b {})", "bw".repeat(32))),
    ] {
        let mut engine = Engine::new(MAX_BYTES, 2);
        assert_eq!(engine.best(&position, &Limits::until(&|| false)), None, "{position}");
        assert_eq!(engine.all(&position, &Limits::until(&|| false)), []);
        assert_eq!(engine.play(&position, Level::STRONGEST, 1, &|| false), None);
    }
}

#[test]
fn a_pass_is_evaluated_like_a_move() {
    let none = Overrides::default();
    let position = position("mini", &none, PASS);
    let mut engine = Engine::new(MAX_BYTES, 1);
    let best = engine.best(&position, &Limits::until(&|| false)).expect("a move");
    assert_eq!(best.mv(), Move::Pass);
    assert!(best.is_exact() && best.line.len() > 1, "{best:?}");
}

#[test]
fn the_limits_are_kept() {
    for position in positions() {
        let mut engine = Engine::new(MAX_BYTES, 1);
        let asked = AtomicU64::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) > 1_000_000;
        let limits = Limits { nodes: 2_000, ..Limits::until(&stop) };
        engine.best(&position, &limits);
        assert!(asked.into_inner() < 1_000, "{position}");
        let limits = Limits { depth: 2, ..Limits::until(&|| false) };
        let best = engine.best(&position, &limits).expect("a move");
        assert!(best.depth <= 2);
    }
}

#[test]
fn the_same_input_gives_the_same_answer() {
    for position in positions() {
        let search = || {
            let mut engine = Engine::new(MAX_BYTES, 1);
            let limits = Limits { nodes: 2_000, ..Limits::until(&|| false) };
            let level = Level::new(2).unwrap();
            let best = engine.best(&position, &limits);
            (best, engine.play(&position, level, 3, &|| false), engine.all(&position, &limits))
        };
        assert_eq!(search(), search(), "{position}");
    }
}

#[test]
fn the_seed_decides_among_moves_of_about_the_same_value() {
    // By symmetry, the four first moves are equal.
    for level in Level::all().filter(|level| level.nodes() < 10_000) {
        let played = (0..40).map(|seed| {
            let mut engine = Engine::new(MAX_BYTES, 1);
            engine.play(&othello(), level, seed, &|| false).expect("a move").line[0]
        });
        let played: std::collections::HashSet<_> = played.collect();
        assert_eq!(played.len(), 4, "{level}");
    }
}

#[test]
fn threads_agree_on_an_exact_value() {
    let overrides = Overrides { size: size(4, 4), ..Overrides::default() };
    let position = Position::start(rules("othello", &overrides));
    for threads in [1, 2, 3] {
        let mut engine = Engine::new(MAX_BYTES, threads);
        let best = engine.best(&position, &Limits::until(&|| false)).expect("a move");
        assert_eq!((best.value, best.is_exact()), (-8, true));
    }
}

#[test]
fn moves_that_are_equal_by_symmetry_have_the_same_value() {
    let mut engine = Engine::new(1 << 20, 1);
    for rules in [rules("othello", &Overrides::default()), rules("mini", &Overrides::default())] {
        let limits = Limits { nodes: 3000, depth: 6, stop: &|| false };
        let found = engine.all(&Position::start(rules), &limits);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|other| other.value == found[0].value), "{found:?}");
    }
}

/// Windows of selective searches may contradict each other. The search must end nevertheless.
#[test]
fn short_searches_end() {
    let mut engine = Engine::new(MAX_BYTES, 1);
    for game in 0..30 {
        let mut position = othello();
        for ply in 0.. {
            let seed = 100 * game + ply;
            let limits = Limits { nodes: 160 + 290 * (ply % 2), ..Limits::until(&|| false) };
            let Some(found) = engine.choose(&position, &limits, seed) else { break };
            // The first eight moves vary from game to game.
            let moves = moves(&position);
            let mv = if ply < 8 { moves[seed as usize % moves.len()] } else { found.mv() };
            position.play(mv).unwrap();
        }
    }
}
