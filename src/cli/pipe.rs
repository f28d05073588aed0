//! The pipe from a mail server: a message in, an exit status out, and nothing else.
//!
//! A mail server takes every other status as a failure and sends standard error to the author of the
//! message. So nothing is printed, except to a terminal. The status is 0 when the mail was
//! processed, even if it was refused, and 75 when it must be delivered again.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::panic;
use std::process::ExitCode;

use super::args::{self, Arguments, OutputOptions};
use super::failure::Failure;
use super::invocation::Invocation;

/// `EX_TEMPFAIL` of sysexits.h.
const TRY_AGAIN: u8 = 75;

/// Returns whether these arguments come from a mail server; the first is the program's name.
pub(super) fn is_from_mail_server(words: &[OsString]) -> bool {
    if !words.iter().any(|word| word == "receive") {
        return false;
    }
    let by_hand = ["--maildir", "--watch", "--help", "-h"];
    let is_by_hand =
        |word: &OsString| by_hand.iter().any(|option| word.to_string_lossy().starts_with(option));
    let (options, envelope) = command_and_envelope(words);
    words.get(options).is_some_and(|word| word == "receive")
        && !words[..envelope].iter().any(is_by_hand)
}

/// Returns the position of the command, and that of the first word after it that is not an
/// option.
fn command_and_envelope(words: &[OsString]) -> (usize, usize) {
    let with_value = options_with_value();
    let skip_options = |mut at: usize| {
        while words.get(at).is_some_and(is_option) {
            at += if with_value.iter().any(|option| words[at] == **option) { 2 } else { 1 };
        }
        at.min(words.len())
    };
    let command = skip_options(1);
    (command, skip_options((command + 1).min(words.len())))
}

/// Returns the global options that take a value: `--db` and others.
fn options_with_value() -> Vec<String> {
    let options = args::global_options();
    let options = options.get_arguments().filter(|option| option.get_action().takes_values());
    options.filter_map(|option| option.get_long().map(|name| format!("--{name}"))).collect()
}

fn is_option(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"-") && word != "--"
}

/// Returns the arguments with the envelope after a `--`. A stranger makes up the addresses: they
/// are not options, whatever they look like, and may not even be text.
fn guarded(words: &[OsString]) -> Vec<OsString> {
    let (_, envelope) = command_and_envelope(words);
    let (before, rest) = words.split_at(envelope);
    let (handed, options) = match rest {
        [first, handed @ ..] if first == "--" => (handed, &[][..]),
        [_, sender, ..] if is_option(sender) && !is_address(sender) => rest.split_at(1),
        _ => rest.split_at(rest.len().min(3)),
    };
    let guard = OsString::from("--");
    let handed = handed.iter().map(|word| word.to_string_lossy().into_owned().into());
    before.iter().chain(options).chain([&guard]).cloned().chain(handed).collect()
}

fn is_address(word: &OsString) -> bool {
    word.as_encoded_bytes().contains(&b'@')
}

/// Processes the message.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    panic::set_hook(Box::new(|_| {}));
    let processed = panic::catch_unwind(|| {
        let arguments = Arguments::parse_from(&guarded(words));
        let arguments = arguments.map_err(|error| Failure::from_clap(&error, &args::program()))?;
        Invocation::new(arguments)?.quietly().run()
    });
    match processed {
        // The mail was processed even if the reply could not be written.
        Ok(Ok(_)) => return ExitCode::SUCCESS,
        // A person tries the command.
        Ok(Err(failure)) if io::stderr().is_terminal() => {
            failure.print(OutputOptions::of(&[]));
        }
        _ => {}
    }
    ExitCode::from(TRY_AGAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_pipe_from_the_mail_server_is_recognized() {
        for pipe in [
            "outflank receive",
            "outflank receive outflank+x@a.example  +x",
            "outflank receive outflank+--maildir@a.example  --maildir",
            "outflank receive -- -h@a.example alice@a.example -h",
            "outflank --db receive receive --jsn",
            "outflank --config x --nonsense receive",
            "outflank receive --db x r@a.example s@a.example --help",
        ] {
            assert!(is_from_mail_server(&words(pipe)), "{pipe}");
        }
        for other in [
            "outflank",
            "outflank --db receive show 1",
            "outflank receive --maildir x",
            "outflank receive --db x --maildir=x",
            "outflank receive --help",
            "outflank help receive",
            "outflank --db",
        ] {
            assert!(!is_from_mail_server(&words(other)), "{other}");
        }
    }

    #[test]
    fn addresses_are_never_options() {
        for (given, taken) in [
            ("o receive r@a s@a --help", "o receive -- r@a s@a --help"),
            ("o receive r@a  --db", "o receive -- r@a  --db"),
            ("o receive r@a s@a -x --json", "o receive --json -- r@a s@a -x"),
            ("o receive r@a s@a x --db y", "o receive --db y -- r@a s@a x"),
            ("o --db y receive --json r@a", "o --db y receive --json -- r@a"),
            ("o receive r@a --db y", "o receive --db y -- r@a"),
            ("o receive r@a --db=x@y e", "o receive -- r@a --db=x@y e"),
            ("o receive r@a --json@y --json", "o receive -- r@a --json@y --json"),
            ("o receive -- -r@a -s -e", "o receive -- -r@a -s -e"),
            ("o receive --db y", "o receive --db y --"),
        ] {
            assert_eq!(guarded(&words(given)), words(taken), "{given}");
        }
    }
}
