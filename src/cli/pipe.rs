//! The pipe from a mail server: a message in, an exit status out, and nothing else.
//!
//! A mail server takes every status but two for a failure, and sends what it finds on standard
//! error to whoever wrote the message. So nothing is said here, and the status is 0 when the mail
//! is dealt with, also when that means that it was refused, and 75 when it must come again.

use std::ffi::OsString;
use std::panic;
use std::process::ExitCode;

use clap::Parser;

use super::args::Arguments;
use super::shell::Errand;

/// `EX_TEMPFAIL` of sysexits.h.
const COME_AGAIN: u8 = 75;

/// The options with a value that may stand before a command.
const WITH_VALUE: [&str; 4] = ["--db", "--config", "--as", "--color"];

/// Whether these arguments, the first of which is the program's name, come from a mail server.
pub(super) fn is_meant(words: &[OsString]) -> bool {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.to_str() {
            Some("receive") => {
                let by_hand = |word: &OsString| {
                    let word = word.to_string_lossy();
                    word.starts_with("--maildir") || word == "--help" || word == "-h"
                };
                return !rest.any(by_hand);
            }
            Some(option) if WITH_VALUE.contains(&option) => drop(rest.next()),
            Some(option) if option.starts_with('-') => {}
            _ => return false,
        }
    }
    false
}

/// Takes the message in.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    panic::set_hook(Box::new(|_| {}));
    let done = panic::catch_unwind(|| {
        let arguments = Arguments::try_parse_from(words).map_err(drop)?;
        Errand::of(arguments).map_err(drop)?.quietly().carry_out().map_err(drop)
    });
    match done {
        Ok(Ok(())) => ExitCode::SUCCESS,
        _ => ExitCode::from(COME_AGAIN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_is_told_from_a_command_of_the_host() {
        let meant = |words: &str| {
            let words: Vec<_> = words.split(' ').map(OsString::from).collect();
            is_meant(&words)
        };
        for pipe in [
            "outflank receive",
            "outflank receive outflank+x@a.example  +x",
            "outflank --db receive receive --jsn",
            "outflank --config x --nonsense receive",
        ] {
            assert!(meant(pipe), "{pipe}");
        }
        for other in [
            "outflank",
            "outflank --db receive show 1",
            "outflank receive --maildir x",
            "outflank receive --help",
            "outflank help receive",
        ] {
            assert!(!meant(other), "{other}");
        }
    }
}
