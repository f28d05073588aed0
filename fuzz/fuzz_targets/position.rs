//! Parses position strings: no panic, a valid position is written as a string that means the same, and
//! its legal moves are those that can be played.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_rules::{Cell, Move, Overrides, Setup, VARIANTS};

fuzz_target!(|text: &str| {
    let Ok(setup) = text.parse::<Setup>() else { return };
    assert_eq!(setup.to_string().parse(), Ok(setup.clone()));
    for variant in VARIANTS {
        let Ok(rules) = variant.rules(&Overrides::default()) else { continue };
        let Ok(position) = setup.position(&rules, Cell::new(0, 1)) else { continue };
        let again: Setup = position.to_string().parse().expect("a position string");
        let again = again.position(position.rules(), position.frame().first).expect("a position");
        assert_eq!(again, position);
        let legal = position.legal();
        assert_eq!(position.on_general_board().legal(), legal);
        for cell in position.cells().take(200) {
            let mv = Move::Place(cell);
            assert_eq!(position.clone().play(mv).is_ok(), legal.contains(&mv), "{cell:?}");
        }
        assert_eq!(position.check(Move::Pass).is_ok(), legal == [Move::Pass]);
    }
});
