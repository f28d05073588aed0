//! Reads games in GGF: no panic, and a game that was read and written again reads the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank::protocol::Ggf;

fuzz_target!(|text: &str| {
    let Ok(game) = text.parse::<Ggf>() else { return };
    let [black, white] = &game.players;
    let Some(written) = Ggf::of(&game.record, [black, white], game.seconds) else { return };
    let again: Ggf = written.to_string().parse().expect("GGF");
    assert_eq!(again.record.position(), game.record.position());
    assert!(again.record.moves().eq(game.record.moves()));
    assert_eq!(again.to_string(), written.to_string());
});
