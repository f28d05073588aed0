//! Two endings of the FFO collection.

use outflank_engine::{Engine, Limits};
use outflank_rules::Overrides;

use crate::position;

/// Position, score with the empty squares counted for the winner, best move.
const ENDINGS: [(&str, i32, &str); 2] = [
    ("(b w--wwwwb -wwwwwwb wwbbwwwb wwbwwwbb wwwwwwbb ---wwwwb ----w--b --------)", 38, "a2"),
    ("(b -wwwww-- --wwwwb- -wwwwww- bbbbbww- -bbwwb-- wwbwbb-- --wbbw-- -www--w-)", 0, "h4"),
];

#[test]
fn known_endings_are_solved_with_one_and_two_threads() {
    for (text, value, mv) in ENDINGS {
        let position = position("othello", &Overrides::default(), text);
        for threads in [1, 2] {
            let mut engine = Engine::new(64 << 20, threads).winner_takes_empties();
            let best = engine.best(&position, &Limits::until(&|| false)).expect("a move");
            assert!(best.is_exact() && engine.nodes() > 1_000_000, "{best:?}");
            let label = position.rules().lattice.move_label(best.mv());
            assert_eq!((best.value, label.as_str()), (value, mv), "{threads} threads");
        }
    }
}
