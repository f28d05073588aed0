//! Values of small boards, databases, and a comparison of the solver with a search of every position.

use std::collections::HashMap;
use std::io::Cursor;

use fastrand::Rng;
use outflank_engine::{
    Database, Resources, Solution, Unbuildable, Value, Wanted, build_database, estimated_nodes,
    solve,
};
use outflank_rules::{Color, Overrides, Position, State, Stuck};

use crate::exhaustive::{self, Exhaustive};
use crate::plain::random_position;
use crate::{moves, rules, size};

/// Returns the value of a position by a search of every position after it.
fn expected(exhaustive: &mut Exhaustive, position: &Position) -> Value {
    let exhaustive::Value { margin, remoteness } = exhaustive.value(position);
    Value { margin, remoteness: Some(remoteness) }
}

fn start(rows: usize, columns: usize, misere: bool, anywhere: bool) -> Position {
    let overrides = Overrides { size: size(rows, columns), misere, anywhere, stuck: None };
    Position::start(rules("othello", &overrides))
}

const RESOURCES: Resources =
    Resources { memory: 1 << 22, threads: 1, stop: &|| false, counter: None, progress: &|_| {} };
const MARGIN: Wanted = Wanted { all: false, remoteness: false };

fn solved(position: &Position, all: bool) -> Solution {
    solve(position, Wanted { all, remoteness: true }, &RESOURCES)
}

fn margin(position: &Position) -> i32 {
    solve(position, MARGIN, &RESOURCES).value.expect("a value").margin
}

#[test]
fn small_boards_have_their_known_margins() {
    for ((rows, columns), normal, misere) in [
        ((3, 3), -9, 7),
        ((3, 4), 12, 2),
        ((4, 3), 12, 2),
        ((4, 4), -8, 3),
        ((4, 5), 16, 4),
        ((5, 4), 16, 4),
        ((4, 6), 16, 0),
    ] {
        assert_eq!(margin(&start(rows, columns, false, false)), normal, "{rows}x{columns}");
        assert_eq!(margin(&start(rows, columns, true, false)), misere, "{rows}x{columns} misere");
    }
    for ((rows, columns), normal, misere) in [((3, 3), -1, -3), ((3, 4), 2, 0)] {
        assert_eq!(margin(&start(rows, columns, false, true)), normal, "{rows}x{columns}");
        assert_eq!(margin(&start(rows, columns, true, true)), misere, "{rows}x{columns} misere");
    }
}

#[test]
fn black_loses_4x4_in_twelve_plies_and_wins_its_misere_in_fourteen() {
    for (misere, margin, remoteness) in [(false, -8, 12), (true, 3, 14)] {
        let solution = solved(&start(4, 4, misere, false), true);
        let value = Value { margin, remoteness: Some(remoteness) };
        assert_eq!(solution.value, Some(value));
        assert_eq!(solution.moves.len(), 4);
        assert!(solution.moves.iter().all(|solved| solved.value == value), "by symmetry");
    }
}

#[test]
fn the_solver_agrees_with_a_search_of_every_position() {
    let mut rng = Rng::with_seed(3);
    let none = Overrides::default();
    let explicit = Some(Stuck::MustPass);
    let mut kinds = vec![(rules("oddthello", &none), 2)];
    for (rows, columns, left) in [(3, 3, 9), (4, 4, 7), (3, 5, 7), (6, 6, 5)] {
        for misere in [false, true] {
            let size = size(rows, columns);
            let overrides = Overrides { size, misere, anywhere: false, stuck: explicit };
            kinds.push((rules("othello", &overrides), left));
            let overrides = Overrides { anywhere: true, stuck: None, ..overrides };
            kinds.push((rules("othello", &overrides), left.min(5)));
        }
    }
    for (rules, left) in kinds {
        let mut exhaustive = Exhaustive::default();
        for _ in 0..5 {
            let position = random_position(Position::start(rules), left, &mut rng);
            let solution = solved(&position, true);
            assert_eq!(
                solution.value,
                Some(expected(&mut exhaustive, &position)),
                "{position} {rules:?}"
            );
            let best = solved(&position, false);
            assert_eq!(best.value, solution.value);
            assert!(best.complete && solution.complete);
            let only_margin = solve(&position, MARGIN, &RESOURCES);
            let margin = |solution: &Solution| solution.value.map(|value| value.margin);
            assert_eq!(margin(&only_margin), margin(&best));
            assert_eq!((only_margin.complete, only_margin.line), (true, best.line.clone()));
            assert_eq!(solution.moves.len(), moves(&position).len());
            for solved in &solution.moves {
                let mut after = position.clone();
                after.play(solved.mv).expect("a legal move");
                let Value { margin, remoteness } = expected(&mut exhaustive, &after);
                let remoteness = remoteness.map(|plies| plies + 1);
                assert_eq!(solved.value, Value { margin: -margin, remoteness }, "{position}");
            }
            // The line keeps the margin to the end.
            for solution in [solution, best] {
                let mut after = position.clone();
                let mut margin = exhaustive.value(&position).margin;
                for mv in solution.line {
                    after.play(mv).expect("a legal move");
                    margin = -margin;
                    assert_eq!(exhaustive.value(&after).margin, margin, "{position}");
                }
                assert!(matches!(after.state(), State::Over(_)), "{position}");
            }
        }
    }
}

#[test]
fn a_stopped_solver_returns_what_it_has_proved() {
    let position = start(4, 5, false, false);
    let resources =
        Resources { memory: 1 << 22, threads: 1, stop: &|| true, counter: None, progress: &|_| {} };
    let wanted = Wanted { all: true, remoteness: true };
    let solution = solve(&position, wanted, &resources);
    assert!(!solution.complete);
    assert_eq!((solution.value, solution.moves), (None, vec![]));

    // The search is stopped when it is proved who wins, before any move is solved.
    let reports = std::sync::atomic::AtomicU32::new(0);
    let resources = Resources {
        stop: &|| reports.load(std::sync::atomic::Ordering::Relaxed) > 1,
        progress: &|_| {
            reports.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        },
        ..resources
    };
    for all in [false, true] {
        reports.store(0, std::sync::atomic::Ordering::Relaxed);
        let solution = solve(&start(5, 5, true, false), Wanted { all, ..wanted }, &resources);
        assert_eq!((solution.value, solution.moves), (None, vec![]));
        assert_eq!(solution.result, Some(std::cmp::Ordering::Greater));
    }

    // The search is stopped after the first move is solved.
    let is_first_solved = std::sync::atomic::AtomicBool::new(false);
    let resources = Resources {
        stop: &|| is_first_solved.load(std::sync::atomic::Ordering::Relaxed),
        progress: &|progress| {
            is_first_solved.store(progress.solved > 0, std::sync::atomic::Ordering::Relaxed);
        },
        ..resources
    };
    let solution = solve(&start(5, 4, false, false), wanted, &resources);
    assert_eq!(solution.moves.len(), 1);
    assert_eq!((solution.value, solution.at_least), (None, Some(16)));
    assert!(!solution.line.is_empty());
}

#[test]
fn a_harder_position_has_a_higher_estimate() {
    let estimates = [(3, 3), (4, 4), (5, 5), (6, 6), (8, 8), (99, 26)]
        .map(|(rows, columns)| estimated_nodes(&start(rows, columns, false, false)));
    assert!(estimates.is_sorted(), "{estimates:?}");
    assert!(estimates[3] < 1e11 && estimates[4] > 1e15, "{estimates:?}");
    assert!(estimated_nodes(&start(6, 6, false, true)) > 1e15);
}

/// Returns every position that can be reached.
fn reachable(start: &Position) -> Vec<Position> {
    let mut found = HashMap::from([(start.to_string(), start.clone())]);
    let mut pending = vec![start.clone()];
    while let Some(position) = pending.pop() {
        for mv in moves(&position) {
            let mut after = position.clone();
            after.play(mv).expect("a legal move");
            if found.insert(after.to_string(), after.clone()).is_none() {
                pending.push(after);
            }
        }
    }
    found.into_values().collect()
}

#[test]
fn a_database_has_every_reachable_position() {
    let explicit =
        Overrides { size: size(3, 4), stuck: Some(Stuck::MustPass), ..Overrides::default() };
    for (start, positions) in [
        (start(3, 3, false, false), 47),
        (start(3, 4, false, false), 382),
        (start(3, 4, true, false), 382),
        (start(3, 3, true, true), 0),
        (Position::start(rules("othello", &explicit)), 382),
    ] {
        check_database(&start, positions);
    }
}

#[test]
fn the_database_of_4x4_has_every_reachable_position() {
    check_database(&start(4, 4, false, false), 62_789);
    check_database(&start(4, 4, true, false), 62_789);
}

fn check_database(start: &Position, positions: usize) {
    let file = build_database(start, 1_000_000, &|_| true).expect("a database");
    let mut database = Database::open(Cursor::new(&file)).expect("a database");
    assert_eq!(database.rules(), start.rules());
    let mut exhaustive = Exhaustive::default();
    let reachable = reachable(start);
    assert!(positions == 0 || reachable.len() == positions);
    for position in reachable {
        let value = database.get(&position).unwrap();
        assert_eq!(value, Some(expected(&mut exhaustive, &position)), "{position}");
    }
    // An unreachable position: a corner of one colour and an empty centre.
    let rules = *start.rules();
    let setup: outflank_rules::Setup = "(b bbw --- ---)".parse().unwrap();
    let alone = setup.position(&rules, outflank_rules::Cell::new(0, 1)).unwrap();
    if alone.rules() == &rules && rules.placement == outflank_rules::Placement::Outflanking {
        assert_eq!(database.get(&alone).unwrap(), None);
    }
}

#[test]
fn a_database_that_is_too_large_or_damaged_is_refused() {
    let small = start(3, 3, false, false);
    assert_eq!(build_database(&small, 3, &|_| true), Err(Unbuildable::TooLarge(3)));
    assert_eq!(
        build_database(&start(4, 4, false, false), 9999, &|_| false),
        Err(Unbuildable::Stopped)
    );
    let hex = Position::start(rules("oddthello", &Overrides::default()));
    assert_eq!(build_database(&hex, 9999, &|_| true), Err(Unbuildable::Board));
    let board = start(7, 6, false, false);
    assert_eq!(build_database(&board, 9999, &|_| true), Err(Unbuildable::Board));

    let file = build_database(&small, 100, &|_| true).expect("a database");
    for length in [0, 5, 40, file.len() - 1] {
        assert!(Database::open(Cursor::new(&file[..length])).is_err(), "{length}");
    }
    let mut other = file.clone();
    other[9] = b'x';
    assert!(Database::open(Cursor::new(other)).is_err());
    assert_eq!(small.count(Color::Black), 2);
}
