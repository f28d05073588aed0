//! Each rule in a position of its own, and all rules by a slow check of what they claim.

use std::collections::BTreeSet;

use super::*;
use crate::evaluated::Proof;
use outflank_rules::{Overrides, State, Transcript, Variant};

/// Returns the start of Othello on a board of this size.
fn start(size: &str, misere: bool) -> Position {
    let overrides = Overrides { size: size.parse().ok(), misere, ..Overrides::default() };
    Position::start(Variant::named("othello").unwrap().rules(&overrides).unwrap())
}

/// Returns a judgement of a move, which cost discs if there is a better line.
fn judged(position: &Position, mv: Move, line: Vec<Move>) -> Judgement {
    let best = line.first().copied().unwrap_or(mv);
    let best_value = if line.is_empty() { 0 } else { 4 };
    let (by, choices, value, depth, proof) = (position.turn(), 2, 0, 1, Proof::Score);
    Judgement { by, mv, best, choices, value, best_value, depth, proof, line }
}

/// Returns the judgements of these moves. The first cost discs, compared with the better line.
fn judged_all(before: &Position, made: &[Move], better: &[Move]) -> Vec<Judgement> {
    let mut position = before.clone();
    let all = made.iter().enumerate().map(|(ply, &mv)| {
        let line = if ply == 0 { better.to_vec() } else { Vec::new() };
        let it = judged(&position, mv, line);
        position = played(&position, mv);
        it
    });
    all.collect()
}

/// Returns a position after random moves.
fn random_position(rng: &mut fastrand::Rng) -> Position {
    let size = rng.choice(["4x4", "5x4", "5x5", "6x6", "8x8"]).unwrap();
    let mut position = start(size, false);
    for _ in 0..rng.usize(0..position.cells().count() - 4) {
        let Some(mv) = rng.choice(position.legal()) else { break };
        position = played(&position, mv);
    }
    position
}

/// Returns a line of random moves.
fn random_line(rng: &mut fastrand::Rng, from: &Position) -> Vec<Move> {
    let (mut position, mut line) = (from.clone(), Vec::new());
    for _ in 0..rng.usize(1..MAX_COMPARED + 3) {
        let mv = if position.state() == State::Passing {
            Some(Move::Pass)
        } else {
            rng.choice(position.legal())
        };
        let Some(mv) = mv else { break };
        position = played(&position, mv);
        line.push(mv);
    }
    line
}

/// Returns the positions of a line, the one before it included.
fn positions(before: &Position, line: &[Move]) -> Vec<Position> {
    let mut all = vec![before.clone()];
    line.iter().for_each(|&mv| all.push(played(all.last().unwrap(), mv)));
    all
}

/// Returns the number of legal moves, by trying each cell.
fn tried(position: &Position) -> usize {
    position.cells().filter(|&cell| position.clone().play(Move::Place(cell)).is_ok()).count()
}

/// Returns after which move of a line a player has put a disc into a cell.
fn taken(line: &[Position], cell: Cell, by: Color) -> Option<usize> {
    line.windows(2).position(|pair| pair[0].disc(cell).is_none() && pair[1].disc(cell) == Some(by))
}

/// Returns whether a player can put a disc into a cell before one of the moves of a line.
fn is_open(line: &[Position], cell: Cell, to: Color) -> bool {
    let [moves @ .., _] = line else { return false };
    moves.iter().any(|it| it.turn() == to && it.clone().play(Move::Place(cell)).is_ok())
}

/// Returns when a player passes, although no disc shows it.
fn passed(line: &[Position], by: Color) -> Option<usize> {
    line.windows(2).position(|pair| {
        let is_same = pair[0].cells().all(|cell| pair[0].disc(cell) == pair[1].disc(cell));
        is_same && pair[0].turn() == by && tried(&pair[0]) == 0
    })
}

/// Returns how many discs of a colour on an edge no sequence of moves along it can flip. The players need not
/// alternate, and a move need not flip.
fn unflippable(position: &Position, edge: [Cell; 2], color: Color) -> usize {
    let [first, last] = edge;
    let cells = position.cells().filter(|it| {
        (first.column..=last.column).contains(&it.column)
            && (first.row..=last.row).contains(&it.row)
    });
    let start: Vec<_> = cells.map(|cell| position.disc(cell)).collect();
    let (mut seen, mut left) = (BTreeSet::new(), vec![start.clone()]);
    let code = |edge: &[Option<Color>]| -> Vec<u8> {
        edge.iter().map(|disc| disc.map_or(0, |it| it as u8 + 1)).collect()
    };
    let mut stays: Vec<_> = start.iter().map(|&it| it == Some(color)).collect();
    while let Some(edge) = left.pop() {
        if !seen.insert(code(&edge)) {
            continue;
        }
        stays.iter_mut().zip(&edge).for_each(|(stays, &it)| *stays &= it == Some(color));
        for (place, _) in edge.iter().enumerate().filter(|it| it.1.is_none()) {
            for by in Color::BOTH {
                let mut next = edge.clone();
                next[place] = Some(by);
                let right = place + 1..edge.len();
                for run in [right.collect::<Vec<_>>(), (0..place).rev().collect()] {
                    let flipped = run.iter().take_while(|&&it| edge[it] == Some(!by)).count();
                    if run.get(flipped).is_some_and(|&end| edge[end] == Some(by)) {
                        run[..flipped].iter().for_each(|&it| next[it] = Some(by));
                    }
                }
                left.push(next);
            }
        }
    }
    stays.iter().filter(|&&stays| stays).count()
}

/// Returns the size of the region of an empty cell, by giving neighbours the same number until nothing changes.
fn region_size(position: &Position, mv: Move) -> usize {
    let Move::Place(cell) = mv else { panic!("a pass has no region") };
    let cells: Vec<_> = position.cells().filter(|&it| position.disc(it).is_none()).collect();
    let mut marks: Vec<_> = (0..cells.len()).collect();
    for _ in &cells {
        for (one, a) in cells.iter().enumerate() {
            for (other, b) in cells.iter().enumerate() {
                if (a.column - b.column).abs() <= 1 && (a.row - b.row).abs() <= 1 {
                    marks[one] = marks[one].min(marks[other]);
                }
            }
        }
    }
    let own = marks[cells.iter().position(|&it| it == cell).unwrap()];
    marks.iter().filter(|&&mark| mark == own).count()
}

/// Checks what a reason claims.
fn verify(before: &Position, made: &[Move], better: &[Move], reason: &Reason) {
    let plies = made.len().min(better.len()).min(MAX_COMPARED);
    let [line, other] = [made, better].map(|line| positions(before, line));
    let (short, short_other) = (&line[..=plies], &other[..=plies]);
    let (player, opponent) = (before.turn(), !before.turn());
    let can_take = |position: &Position, cell| position.check(Move::Place(cell)).is_ok();
    match *reason {
        Reason::GaveUpCorner(cell) => {
            assert!(can_take(&line[1], cell) && !can_take(&other[1], cell));
        }
        Reason::MissedCorner(cell) => assert_eq!(other[1].disc(cell), Some(player)),
        Reason::OnlyMove(cell) => assert!(tried(&line[2]) == 1 && can_take(&line[2], cell)),
        Reason::NoMove => assert_eq!(tried(&line[2]), 0),
        Reason::LosesCornerLater { corner, ply } => {
            assert_eq!(taken(short, corner, opponent), Some(ply));
            assert!(!is_open(short_other, corner, opponent));
        }
        Reason::MissesCornerLater { corner, ply } => {
            assert_eq!(taken(short_other, corner, player), Some(ply));
            assert!(!is_open(short, corner, player));
        }
        Reason::MustPass { ply } => {
            assert_eq!((passed(short, player), passed(short_other, player)), (Some(ply), None));
        }
        Reason::ForcesNoPass { ply } => {
            assert_eq!((passed(short, opponent), passed(short_other, opponent)), (None, Some(ply)));
        }
        Reason::LosesEdge { edge, discs, mv, ply } => {
            assert_eq!(made[ply], mv);
            assert!(discs <= unflippable(&line[ply + 1], edge, opponent));
        }
        Reason::EvenRegion { cells } => {
            assert_eq!(cells, [made, better].map(|line| region_size(before, line[0])));
            assert_eq!(cells.map(|size| size % 2), [0, 1]);
        }
        Reason::Mobility { opponent: theirs, player: own } => {
            assert_eq!(theirs, [&line[1], &other[1]].map(tried));
            assert_eq!(own, [&line[2], &other[2]].map(tried));
            assert_eq!([&line[1], &line[2]].map(Position::turn), [opponent, player]);
            assert!(theirs[0] + own[1] > theirs[1] + own[0]);
        }
        Reason::LeavesMove(mv) => assert_eq!((made[1], better[0]), (mv, mv)),
    }
}

#[test]
fn each_claim_holds_in_random_lines() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut kinds = BTreeSet::new();
    for _ in 0..20_000 {
        let before = random_position(&mut rng);
        let [made, better] = [(); 2].map(|()| random_line(&mut rng, &before));
        if made.is_empty() || made[0] == better[0] {
            continue;
        }
        let judged = judged_all(&before, &made, &better);
        if let Some(reason) = reason(&before, &judged) {
            verify(&before, &made, &better, &reason);
            let name = format!("{reason:?}");
            kinds.insert(name.split([' ', '(']).next().unwrap().to_owned());
        }
    }
    assert_eq!(kinds.len(), 12, "{kinds:?}");
}

/// Returns the moves of a transcript.
fn moves(text: &str) -> Vec<Move> {
    text.parse::<Transcript>().unwrap().0
}

#[test]
fn each_rule_has_a_position() {
    let at = |label: &str| label.parse::<Cell>().unwrap();
    let [a1, a4, d4] = ["a1", "a4", "d4"].map(at);
    for (size, before, made, better, expected) in [
        ("4x4", "b1a1", "c4d4", "a2c1", Reason::GaveUpCorner(d4)),
        ("4x4", "b1a3b4c1d2a4", "a2c4", "a1a2", Reason::MissedCorner(a1)),
        ("4x5", "b1c1d2e1", "d4a1", "e2e3", Reason::OnlyMove(at("e2"))),
        ("4x5", "d3d2d1b4a2b1a4e1c4e4", "e2e3", "c1d4", Reason::NoMove),
        ("4x4", "", "a2c1d3a4", "b1a3c4c1", Reason::LosesCornerLater { corner: a4, ply: 3 }),
        ("4x4", "", "a2a1b1", "b1a3d4", Reason::MissesCornerLater { corner: d4, ply: 2 }),
        ("4x4", "b1c1d1", "a1a3pass", "a3b4a1", Reason::MustPass { ply: 2 }),
        ("4x5", "b1a1d3c1a2", "d4c4", "a3pass", Reason::ForcesNoPass { ply: 1 }),
        (
            "4x4",
            "a2a3b4c1",
            "d1a1",
            "d2c4",
            Reason::LosesEdge { edge: [a1, a4], discs: 3, mv: Move::Place(a1), ply: 1 },
        ),
        ("4x4", "c4d2d1", "d4", "b4", Reason::EvenRegion { cells: [2, 7] }),
        ("6x6", "e4", "e3e2", "e5b3", Reason::Mobility { opponent: [5, 4], player: [3, 5] }),
        ("4x4", "d3d2d1", "d4b4", "b4a2", Reason::LeavesMove(Move::Place(at("b4")))),
    ] {
        let [made, better] = [made, better].map(moves);
        let of = |misere| {
            let position =
                moves(before).iter().fold(start(size, misere), |it, &mv| played(&it, mv));
            reason(&position, &judged_all(&position, &made, &better))
        };
        assert_eq!(of(false).as_ref(), Some(&expected), "{before}");
        let counts_in_misere = matches!(expected, Reason::OnlyMove(_) | Reason::NoMove);
        assert_eq!(of(true).is_some(), counts_in_misere, "{before}");
    }
}

#[test]
fn a_line_follows_the_game_until_a_move_costs_discs() {
    let before = start("4x4", false);
    let (game, best) = (moves("b1a1c4d4"), moves("a3c4d4"));
    let mut judged = judged_all(&before, &game, &moves("d3d2d1"));
    let lines = |judged: &[Judgement]| {
        let lines = Lines::of(&before, judged).unwrap();
        (lines.made.moves, lines.better.moves)
    };
    assert_eq!(lines(&judged), (moves("b1a1c4"), moves("d3d2d1")));
    let second = judged[1].clone();
    judged[1] = Judgement { best: best[0], best_value: 4, line: best, ..second };
    assert_eq!(lines(&judged), (moves("b1a3c4"), moves("d3d2d1")));
    judged[0].line.truncate(2);
    assert_eq!(lines(&judged).0, moves("b1a3"));
    judged[0].line.clear();
    assert!(Lines::of(&before, &judged).is_none());
}
