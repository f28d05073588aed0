//! The evaluation of Othello on 8×8.

use outflank_engine::evaluation::{Evaluator, Features, STAGES, Weights};
use outflank_engine::mix;
use outflank_rules::Overrides;

use crate::position;

/// Returns the image of a set of squares under a symmetry of the board.
fn image(symmetry: u32, squares: u64) -> u64 {
    let set = (0..64).filter(|square| squares >> square & 1 == 1);
    set.fold(0, |image, square: u32| {
        let (mut column, mut row) = (square / 8, square % 8);
        if symmetry & 1 != 0 {
            column = 7 - column;
        }
        if symmetry & 2 != 0 {
            row = 7 - row;
        }
        image | 1 << if symmetry & 4 != 0 { 8 * row + column } else { 8 * column + row }
    })
}

/// Iterates over random positions: the discs of the player to move, and of the other.
fn positions() -> impl Iterator<Item = (u64, u64)> {
    (1..60).map(|number| {
        let [a, b, c] = [0, 1, 2].map(|part| mix(number, part));
        let discs = if number % 2 == 0 { a & b } else { a | b };
        (discs & c, discs & !c)
    })
}

#[test]
fn images_of_a_position_have_the_same_evaluation() {
    let size = 2 * STAGES * Features::all().count();
    // Each weight is below a disc, so that sums stay in range.
    let bytes = (0..size as u64).map(|i| if i % 2 == 0 { mix(i, 0) as u8 } else { 0 });
    let random = Weights::from_bytes(bytes.collect());
    for weights in [&random, Weights::embedded()] {
        let evaluator = Evaluator::new(weights, 0);
        for (own, other) in positions() {
            let expected = evaluator.evaluate(own, other);
            for symmetry in 1..8 {
                let (own, other) = (image(symmetry, own), image(symmetry, other));
                assert_eq!(evaluator.evaluate(own, other), expected, "{symmetry}");
            }
        }
    }
}

/// Black's view of a position is White's view of it with the colours exchanged.
#[test]
fn bitboards_are_from_the_view_of_the_player_to_move() {
    for (own, other) in positions() {
        let words = |turn: char, black: u64, white: u64| {
            let rows = (0..8).map(|row| {
                let letter = |column: u32| match (black >> (8 * column + row) & 1, white) {
                    (1, _) => 'b',
                    (_, white) if white >> (8 * column + row) & 1 == 1 => 'w',
                    _ => '-',
                };
                (0..8).map(letter).collect::<String>()
            });
            let text = format!("({turn} {})", rows.collect::<Vec<_>>().join(" "));
            position("othello", &Overrides::default(), &text).bitboards()
        };
        assert_eq!(words('b', own, other), Some((own, other)));
        assert_eq!(words('w', other, own), Some((own, other)));
    }
}
