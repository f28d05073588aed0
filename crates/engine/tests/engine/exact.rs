//! The exact search and a plain one give the same values, on random positions under all rules. Most
//! of the positions have few empty cells.

use std::collections::HashMap;

use fastrand::Rng;
use outflank_engine::{Engine, Limits, Proof};
use outflank_rules::{Overrides, Position, Rules, Stuck};

use crate::plain::{discs_left, negamax, random_position};
use crate::{moves, position, rules, size};

const MAX_BYTES: usize = 1 << 22;

const POSITIONS: u32 = 1000;

/// Compares the engine with a plain search on random positions where at most `most` discs can still
/// be placed.
fn compare(rules: &[Rules], most: u32, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut engine = Engine::new(MAX_BYTES, 1);
    let mut base = Position::start(rules[0]);
    let mut decided = 0;
    for index in 0..POSITIONS {
        // A long game gives several positions.
        if index % 20 == 0 || moves(&base).is_empty() {
            base = random_position(Position::start(*rng.choice(rules).unwrap()), most, &mut rng);
        }
        // Only one position in a hundred has the full number of empty cells.
        let left = if index % 100 == 0 { most } else { rng.u32(1..=most / 2 + 1) };
        let position = random_position(base.clone(), left, &mut rng);
        let all = engine.all(&position, &Limits::until(&|| false));
        assert_eq!(all.len(), moves(&position).len(), "{position}");
        let Some(best) = engine.best(&position, &Limits::until(&|| false)) else { continue };
        let value = negamax(&position);
        decided += 1;
        assert!(best.is_exact(), "{position}");
        assert_eq!(best.value, value, "{position} {:?}", position.rules());
        assert_eq!(all[0].value, value, "{position}");
        check_line(&position, &best.line, value);
        for found in &all {
            assert!(found.is_exact(), "{position}");
            check_line(&position, &found.line, found.value);
        }
        assert!(discs_left(&position) <= most);
    }
    assert!(decided > POSITIONS / 2, "{decided}");
}

/// Checks that the moves of a line are legal, and that all keep the value.
fn check_line(position: &Position, line: &[outflank_rules::Move], value: i32) {
    let mut after = position.clone();
    let mut sign = 1;
    for &mv in line {
        after.play(mv).unwrap_or_else(|error| panic!("{position} {line:?}: {error}"));
        sign = -sign;
    }
    assert_eq!(sign * negamax(&after), value, "{position} {line:?}");
}

/// Returns the rules of small boards with these options.
fn small(misere: bool, anywhere: bool, stuck: Option<Stuck>) -> Vec<Rules> {
    let sizes = [(3, 3), (3, 5), (4, 4), (4, 6), (5, 5), (6, 6), (7, 5), (8, 8), (9, 8), (12, 11)];
    let large = [(13, 13), (26, 11)];
    let sizes = sizes.iter().chain(if anywhere { &[][..] } else { &large });
    let rules = sizes.map(|&(rows, columns)| {
        let size = size(rows, columns);
        rules("othello", &Overrides { size, misere, anywhere, stuck })
    });
    rules.collect()
}

#[test]
fn the_engine_agrees_with_a_plain_search() {
    compare(&small(false, false, None), 10, 1);
}

#[test]
fn the_engine_for_8x8_agrees_with_a_plain_search() {
    let othello = rules("othello", &Overrides::default());
    compare(&[othello, rules("twente", &Overrides::default())], 10, 7);
}

#[test]
fn the_engine_agrees_with_a_plain_search_when_passes_are_explicit() {
    compare(&small(false, false, Some(Stuck::MustPass)), 10, 2);
}

#[test]
fn the_engine_agrees_with_a_plain_search_in_misere() {
    compare(&small(true, false, None), 10, 3);
}

#[test]
fn the_engine_agrees_with_a_plain_search_when_discs_go_anywhere() {
    compare(&small(false, true, None), 8, 4);
}

#[test]
fn the_engine_agrees_with_a_plain_search_in_misere_anywhere() {
    compare(&small(true, true, None), 8, 5);
}

#[test]
fn the_engine_agrees_with_a_plain_search_on_the_hex_lattice() {
    let rules = rules("oddthello", &Overrides::default());
    compare(&[rules], 5, 6);
}

/// Compares the engine with a plain search on positions of 8×8 where nearly all discs have one colour, and
/// most of them are stable.
fn compare_lopsided(overrides: &Overrides, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let mut engine = Engine::new(MAX_BYTES, 1);
    let mut lopsided = 0;
    for index in 0..POSITIONS {
        let empty = rng.usize(2..=if index % 50 == 0 { 9 } else { 6 });
        let mut cells = [b'b'; 64];
        (0..rng.usize(1..=6)).for_each(|_| *rng.choice(&mut cells).unwrap() = b'w');
        let places = rng.choose_multiple(0..64, empty);
        places.into_iter().for_each(|at| cells[at] = b'-');
        let rows: Vec<_> = cells.chunks(8).map(|row| std::str::from_utf8(row).unwrap()).collect();
        let text = format!("({} {})", rng.choice(["b", "w"]).unwrap(), rows.join(" "));
        let position = position("othello", overrides, &text);
        let Some(best) = engine.best(&position, &Limits::until(&|| false)) else { continue };
        assert!(best.is_exact(), "{text}");
        assert_eq!(best.value, negamax(&position), "{text}");
        check_line(&position, &best.line, best.value);
        lopsided +=
            u32::from(best.value.abs() + i32::try_from(discs_left(&position)).unwrap() >= 64);
    }
    assert!(lopsided > 50, "{lopsided}");
}

/// Empty cells at the end of a game do not count, even if the loser has no disc left.
#[test]
fn the_engine_for_8x8_agrees_with_a_plain_search_where_a_colour_dies_out() {
    compare_lopsided(&Overrides::default(), 11);
}

/// In misère, stable discs of the opponent are no upper bound.
#[test]
fn the_engine_agrees_with_a_plain_search_in_misere_where_most_discs_are_stable() {
    compare_lopsided(&Overrides { misere: true, ..Overrides::default() }, 12);
}

/// Checks that limited searches of random positions after the start, with this many discs left, claim no more
/// than they have proved: neither the score nor who wins. Returns how often they proved what.
fn check_proofs(start: &Position, left: u32, seed: u64) -> HashMap<Proof, u32> {
    let mut rng = Rng::with_seed(seed);
    let mut counts = HashMap::new();
    for _ in 0..3 {
        let position = random_position(start.clone(), left, &mut rng);
        let all = Engine::new(MAX_BYTES, 1).all(&position, &Limits::until(&|| false));
        let values: HashMap<_, _> = all.iter().map(|it| (it.mv(), it.value)).collect();
        for nodes in [5_000, 40_000, 80_000, 160_000, 320_000, 640_000, 10_000_000] {
            let limits = Limits { nodes, ..Limits::until(&|| false) };
            let best = Engine::new(MAX_BYTES, 1).best(&position, &limits);
            let found = Engine::new(MAX_BYTES, 1).all(&position, &limits);
            let best = best.iter().map(|it| (it, all[0].value));
            for (it, value) in best.chain(found.iter().map(|it| (it, values[&it.mv()]))) {
                *counts.entry(it.proof).or_insert(0) += 1;
                match it.proof {
                    Proof::None => {}
                    Proof::Winner => assert_eq!(it.value.signum(), value.signum(), "{it:?}"),
                    Proof::Score => assert_eq!(it.value, value, "{position} {it:?}"),
                }
                // The move keeps the proved result.
                let kept = it.proof == Proof::None || values[&it.mv()].signum() == value.signum();
                assert!(kept, "{position} {it:?}");
            }
        }
    }
    counts
}

#[test]
fn the_proofs_of_a_limited_search_are_right() {
    let start = Position::start(rules("othello", &Overrides::default()));
    let counts = check_proofs(&start, 18, 3);
    for proof in [Proof::None, Proof::Winner, Proof::Score] {
        assert!(counts.contains_key(&proof), "{counts:?}");
    }
}

#[test]
fn the_proofs_of_a_limited_search_on_other_boards_are_right() {
    for (overrides, left) in [
        (Overrides { size: size(6, 6), ..Overrides::default() }, 17),
        (Overrides { size: size(10, 10), ..Overrides::default() }, 13),
        (Overrides { misere: true, ..Overrides::default() }, 16),
        (Overrides { size: size(4, 5), anywhere: true, ..Overrides::default() }, 9),
    ] {
        let counts = check_proofs(&Position::start(rules("othello", &overrides)), left, 3);
        for proof in [Proof::None, Proof::Winner, Proof::Score] {
            assert!(counts.contains_key(&proof), "{overrides:?} {counts:?}");
        }
    }
}
