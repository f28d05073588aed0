//! Whatever a line of a mail says: no panic, the same when it is read as plain, and a refusal in
//! one line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outflank::app::Line;
use outflank::command::plain;
use outflank::game::GameId;

fuzz_target!(|line: &str| {
    for at in [None, Some((GameId(12), 4)), Some((GameId(i64::MAX), usize::MAX))] {
        let said = Line::read(line, at);
        let again = Line::read(&plain(line), at);
        assert_eq!(format!("{said:?}"), format!("{again:?}"), "plain, it says something else");
        if let Line::Refused(error) = said {
            assert!(!error.to_string().contains(char::is_control), "{error:?}");
        }
    }
});
