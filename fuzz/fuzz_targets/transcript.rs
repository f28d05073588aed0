//! Parses transcripts and plays them: no panic, labels are read as the cells that they were written for,
//! and the boards of 8×8 and of all sizes play the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank_rules::{Move, Overrides, Position, Transcript, VARIANTS};

fuzz_target!(|text: &str| {
    let Ok(transcript) = text.parse::<Transcript>() else { return };
    for variant in VARIANTS {
        let Ok(rules) = variant.rules(&Overrides::default()) else { continue };
        let mut position = Position::start(rules);
        let mut general = position.on_general_board();
        for &mv in transcript.0.iter().take(100) {
            assert_eq!(rules.lattice.move_label(mv).parse(), Ok(mv));
            while position.passes_automatically() && mv != Move::Pass {
                assert_eq!(position.play(Move::Pass), general.play(Move::Pass));
            }
            let played = position.play(mv);
            assert_eq!(played, general.play(mv));
            assert_eq!(position.state(), general.state());
            if played.is_err() {
                break;
            }
        }
    }
});
