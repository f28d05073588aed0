//! The shell: arguments in, text or JSON out, and an exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::{panic, thread};

use clap::error::ErrorKind;

use super::args::Arguments;
use super::failure::{FAULT, Failure, USAGE, check_written, one_line};
use super::invocation::Invocation;
use super::{environment, pipe};

/// Runs the command that these arguments give; the first is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<_> = arguments.into_iter().collect();
    if pipe::is_meant(&words) {
        return pipe::run(&words);
    }
    report_panics_in_one_line();
    let json = words.iter().any(|word| word == "--json")
        || words.iter().any(|word| word == "ssh") && environment::ssh_command().contains("--json");
    let arguments = match Arguments::parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return report_unparsed(&error, json),
    };
    let result = panic::catch_unwind(|| Invocation::new(arguments)?.run()?);
    match result {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.print(json),
        Err(_) => ExitCode::from(FAULT),
    }
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn report_unparsed(error: &clap::Error, json: bool) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ if error.use_stderr() => Failure::from_clap(error).print(json),
        _ => match check_written(error.print(), false) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.print(json),
        },
    }
}

/// Makes a panic print one line; on a thread that delivers mail, nothing: there it is a failed
/// delivery.
fn report_panics_in_one_line() {
    panic::set_hook(Box::new(|info| {
        if thread::current().name() == Some("main") {
            let what = one_line(&info.to_string());
            let _ = writeln!(io::stderr(), "outflank: internal error, please report it: {what}");
        }
    }));
}
