//! The shell: arguments in, text or JSON out, and an exit status.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::{iter, panic, thread};

use clap::error::ErrorKind;

use super::args::{self, Arguments, Command, OutputOptions};
use super::failure::{DONE, FAULT, Failure, USAGE, check_written};
use super::invocation::{Invocation, with_game};
#[cfg(feature = "web")]
use super::web;
use super::{complete, completions, environment, man, pipe};
use crate::app::{PlayerCommand, is_contained, one_line};

/// Runs the command that these arguments give; the first is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<_> = arguments.into_iter().collect();
    if pipe::is_from_mail_server(&words) {
        return pipe::run(&words);
    }
    if complete::is_asked(&words) {
        return complete::run(&words);
    }
    report_panics_in_one_line();
    let options = error_options(&words);
    let arguments = match Arguments::parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) => return report_unparsed(&error, &words, options),
    };
    let result = panic::catch_unwind(|| match &arguments.command {
        #[cfg(feature = "web")]
        Command::Web(command) => {
            check_options("web", &arguments)?;
            web::run(command, &arguments.global).map(|()| DONE)
        }
        Command::Completions(command) => {
            check_options("completions", &arguments)?;
            completions::run(command.shell).map(|()| DONE)
        }
        Command::Man(command) => {
            check_options("man", &arguments)?;
            man::run(&command.folder).map(|()| DONE)
        }
        _ => Invocation::new(arguments)?.run()?,
    });
    match result {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(failure)) => failure.print(options),
        Err(_) => ExitCode::from(FAULT),
    }
}

/// Refuses the options that this command does not take.
fn check_options(word: &str, arguments: &Arguments) -> Result<(), Failure> {
    if arguments.global.actor.is_some() {
        return Err(Failure::usage(format!("`{word}` acts for no player: leave out --as")));
    }
    if arguments.output.json {
        return Err(Failure::usage(format!("`{word}` prints no JSON: leave out --json")));
    }
    Ok(())
}

/// Returns the options for errors in these arguments and the command given to ssh.
fn error_options(words: &[OsString]) -> OutputOptions {
    let mut words: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words.iter().any(|word| word == "ssh") {
        words.extend(environment::ssh_command().split_whitespace().map(str::to_owned));
    }
    OutputOptions::of(&words)
}

/// Prints the help, or the error in the arguments.
fn report_unparsed(error: &clap::Error, words: &[OsString], options: OutputOptions) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A closed standard error changes nothing.
            let _ = io::stderr().write_all(args::beginning().as_bytes());
            ExitCode::from(USAGE)
        }
        _ if error.use_stderr() => {
            let failure = Failure::from_clap(error, &args::program());
            failure.or_missing_game(|| with_only_game(words)).print(options)
        }
        _ => match check_written(error.print(), false) {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => failure.print(options),
        },
    }
}

/// Returns these words with the number of the only game that waits, if a number is missing.
fn with_only_game(words: &[OsString]) -> Option<String> {
    let words = words.iter().skip(1).map(|word| word.to_str().map(str::to_owned));
    let words: Vec<_> =
        iter::once(Some("outflank".to_owned())).chain(words).collect::<Option<_>>()?;
    let at = words.iter().position(|word| PlayerCommand::begins_with_game(word))?;
    let with_any: Vec<_> = with_game(&words, at, "1")?.into_iter().map(OsString::from).collect();
    let invocation = Invocation::new(Arguments::parse_from(&with_any).ok()?).ok()?;
    invocation.with_only_game(&words, at)
}

/// Makes a panic print one line, or nothing where it is recorded: in the work on one mail or job, and on
/// the thread of a transport.
fn report_panics_in_one_line() {
    panic::set_hook(Box::new(|info| {
        if thread::current().name() == Some("main") && !is_contained() {
            let what = one_line(&info.to_string());
            let _ = writeln!(io::stderr(), "outflank: internal error, please report it: {what}");
        }
    }));
}
