//! The example games and the figures of the rules.

use std::collections::BTreeSet;

use outflank_rules::{
    Cell, Color, Illegal, Move, Outcome, Overrides, Position, Reason, State, Stuck, Transcript,
};

use super::played::Played;
use super::{position, rules, size};

fn cell(label: &str) -> Cell {
    label.parse().expect("a cell's label")
}

fn moves(transcript: &str) -> Vec<Move> {
    transcript.parse::<Transcript>().expect("a transcript").0
}

fn labels(cells: impl IntoIterator<Item = Cell>) -> BTreeSet<String> {
    cells.into_iter().map(Cell::label).collect()
}

fn label_set(labels: &str) -> BTreeSet<String> {
    labels.split_whitespace().map(str::to_uppercase).collect()
}

/// Checks a move of a figure: it is legal, flips these discs and changes no others.
fn figure(variant: &str, before: &str, placed: &str, flipped: &str) {
    let before = position(variant, before);
    let (placed, flipped) = (cell(placed), label_set(flipped));
    for before in [before.on_general_board(), before] {
        assert!(before.placements().contains(placed));
        assert_eq!(labels(before.flips(placed).iter()), flipped);
        let mut after = before.clone();
        let reported = after.play(Move::Place(placed)).expect("a legal move");
        assert_eq!(labels(reported.iter()), flipped);
        assert_eq!(after.turn(), !before.turn());
        for cell in after.cells() {
            let changed = cell == placed || flipped.contains(&cell.label());
            let disc = if changed { Some(before.turn()) } else { before.disc(cell) };
            assert_eq!(after.disc(cell), disc, "{}", cell.label());
        }
    }
}

#[test]
fn a_disc_flips_in_every_direction() {
    figure(
        "othello",
        "(w -------- -------- --w---w- --b--b-- --b-b--- --bb---- ---bw--- --------)",
        "c7",
        "c4 c5 c6 d6 e5 f4 d7",
    );
}

#[test]
fn a_disc_flips_up_to_the_next_of_its_colour_only() {
    figure(
        "othello",
        "(b -------- -------- -------- -------- -------- -------- -wbwwb-- --------)",
        "a7",
        "b7",
    );
}

#[test]
fn a_flipped_disc_flips_no_others() {
    figure(
        "othello",
        "(b -------- -------- w------- wwwb---- b------- -------- -------- --------)",
        "a2",
        "a3 a4",
    );
}

#[test]
fn hex_a_disc_flips_in_every_direction() {
    figure(
        "oddthello",
        "(b ------ -b---b -w--w- -w-w-- -ww--- --wb--)",
        "b6",
        "b5 b4 b3 c5 d4 e3 c6",
    );
}

#[test]
fn hex_a_disc_flips_up_to_the_next_of_its_colour_only() {
    figure("oddthello", "(w ------ -bwbbw)", "a2", "b2");
}

#[test]
fn hex_a_flipped_disc_flips_no_others() {
    figure("oddthello", "(w ------ ------ -b---- -bbbw- -w----)", "b2", "b3 b4");
}

#[test]
fn oddthello_has_three_first_moves() {
    let start = Position::start(rules("oddthello", &Overrides::default()));
    assert_eq!(start.legal(), moves("A4 B4 C4"));
    assert_eq!(start.to_string(), "(b ---- -bb- -ww- ----)");
}

/// Plays oddthello from a position to the end of the game.
fn oddthello_ends(before: &str, transcript: &str) -> Outcome {
    let mut position = position("oddthello", before);
    for mv in moves(transcript) {
        position.play(mv).expect("a legal move");
    }
    assert_eq!(position.play(Move::Pass), Err(Illegal::Over));
    let State::Over(outcome) = position.state() else { panic!("the game is not over: {position}") };
    outcome
}

#[test]
fn hex_a_player_who_cannot_flip_loses_even_with_more_discs() {
    let stuck = |winner, black, white| Outcome {
        winner: Some(winner),
        reason: Reason::Stuck,
        black,
        white,
    };
    assert_eq!(oddthello_ends("(w wwww-bb)", ""), stuck(Color::Black, 2, 4));
    assert_eq!(oddthello_ends("(b wwb)", "zz1"), stuck(Color::Black, 4, 0));
}

#[test]
fn hex_the_last_disc_ends_the_game_before_a_player_is_stuck() {
    // Black places the 64th disc. White could not move, but has the majority.
    let apart = "w".repeat(61);
    let before = format!("(b -wb{} ---{} ---{apart})", "-".repeat(61), "-".repeat(61));
    let by_discs =
        Outcome { winner: Some(Color::White), reason: Reason::Discs, black: 3, white: 61 };
    assert_eq!(oddthello_ends(&before, "a1"), by_discs);
}

/// A game on 4×4 with a pass: each move with the discs that it flips.
const GAME: &[(&str, &str)] = &[
    ("b1", "b2"),
    ("a1", "b2"),
    ("c4", "c3"),
    ("d4", "c3"),
    ("d3", "c3"),
    ("b4", "b3 c4"),
    ("a4", "b3"),
    ("c1", "b1 c2 c3"),
    ("d1", "c2"),
    ("d2", "c2 d3"),
    ("pass", ""),
    ("a3", "b3"),
    ("a2", "a3"),
];

fn assert_worked_game(game: &Played) {
    assert_eq!(game.plies.len(), GAME.len());
    for (ply, (mv, flipped)) in game.plies.iter().zip(GAME) {
        assert_eq!([ply.mv], *moves(mv));
        assert_eq!(labels(ply.flipped.iter()), label_set(flipped), "{mv}");
    }
    let outcome =
        Outcome { winner: Some(Color::White), reason: Reason::Discs, black: 4, white: 12 };
    assert_eq!(game.position.state(), State::Over(outcome));
    assert_eq!(game.position.legal(), []);
    let written = game.position.to_string();
    assert!(written.ends_with(" wwwb bwww bwww bwww)"), "{written}");
}

/// Plays the game with automatic passes.
fn played(overrides: &Overrides) -> Played {
    let mut game = Played::new(Position::start(rules("mini", overrides)));
    for (label, _) in GAME.iter().filter(|(label, _)| *label != "pass") {
        game.play(moves(label)[0]).expect("a legal move");
    }
    game
}

#[test]
fn a_pass_is_automatic() {
    let game = played(&Overrides::default());
    assert_worked_game(&game);
    let autos: Vec<_> = game.plies.iter().map(|ply| ply.auto).collect();
    assert_eq!(autos.iter().position(|&auto| auto), Some(10));
    assert_eq!(autos.iter().filter(|&&auto| auto).count(), 1);
}

#[test]
fn a_pass_is_an_explicit_move() {
    let overrides =
        Overrides { size: size(4, 4), stuck: Some(Stuck::MustPass), ..Overrides::default() };
    let mut game = Played::new(Position::start(rules("othello", &overrides)));
    for (ply, (label, _)) in GAME.iter().enumerate() {
        let mv = moves(label)[0];
        if mv == Move::Pass {
            assert_eq!(game.position.state(), State::Passing);
            assert_eq!(game.position.legal(), [Move::Pass]);
            assert_eq!(game.position.turn(), Color::Black);
            // White will play A3 next, but Black cannot.
            assert_eq!(game.play(moves("a3")[0]), Err(Illegal::MustPass(Color::Black)));
        } else {
            let passed = game.play(Move::Pass);
            assert_eq!(passed, Err(Illegal::CanPlace(game.position.turn())));
        }
        assert_eq!(game.plies.len(), ply, "a refused move changes nothing");
        game.play(mv).expect("a legal move");
    }
    assert_worked_game(&game);
    assert!(game.plies.iter().all(|ply| !ply.auto));
    assert_eq!(game.play(Move::Pass), Err(Illegal::Over));
}

#[test]
fn in_misere_the_other_player_wins_the_same_game() {
    let game = played(&Overrides { misere: true, ..Overrides::default() });
    let State::Over(outcome) = game.position.state() else { panic!("the game is not over") };
    assert_eq!(outcome.winner, Some(Color::Black));
}

#[test]
fn colours_are_written_out() {
    assert_eq!(Color::BOTH.map(|color| color.to_string()), ["black", "white"]);
}

#[test]
fn the_bitboards_begin_with_the_player_to_move() {
    let mut position = Position::start(rules("othello", &Overrides::default()));
    let word = |labels: &str| {
        let bit = |label: &str| cell(label).column * 8 + cell(label).row - 1;
        labels.split(' ').map(|label| 1_u64 << bit(label)).sum::<u64>()
    };
    assert_eq!(position.bitboards(), Some((word("e4 d5"), word("d4 e5"))));
    position.play(moves("f5")[0]).expect("a legal move");
    assert_eq!(position.bitboards(), Some((word("d4"), word("d5 e4 e5 f5"))));
    assert_eq!(position.on_general_board().bitboards(), None);
}
