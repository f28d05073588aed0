//! Parses any line of a mail: it never panics, a normalized line parses to the same command, and an
//! error has one line. In a text of such lines, a quoted one is never typed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank::app::Line;
use outflank::command::normalize;
use outflank_model::log::GameId;
use outflank::mail::read::quote::fresh;
use outflank_model::Moment;

fuzz_target!(|line: &str| {
    let at = |game, ply| Some(Moment { game: GameId(game), ply, events: ply });
    for at in [None, at(12, 4), at(i64::MAX, usize::MAX)] {
        let parsed = Line::parse(line, at);
        let again = Line::parse(&normalize(line), at);
        assert_eq!(format!("{parsed:?}"), format!("{again:?}"), "normalizing changes the command");
        if let Line::Refused(error) = parsed {
            assert!(!error.to_string().contains(char::is_control), "{error:?}");
        }
    }
    let quoted: String = line.split('\n').map(|line| format!("> {line}\n")).collect();
    assert!(fresh(&quoted).is_empty(), "{quoted:?}");
});
