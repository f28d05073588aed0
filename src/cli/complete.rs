//! `outflank __complete WORD…` prints a shell's completions of the last word, one a line. The scripts of
//! `completions` call it. It is silent about every error, and changes no file.

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, Command};

use super::{args, environment};
use crate::app::Unfinished;
use crate::command::PlayerRef;

/// The word of the command, which no player types.
pub(super) const WORD: &str = "__complete";

/// Returns whether a shell asks for completions.
pub(super) fn is_asked(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|word| word == WORD)
}

/// Prints the completions, or nothing.
pub(super) fn run(words: &[OsString]) -> ExitCode {
    panic::set_hook(Box::new(|_| {}));
    let words: Option<Vec<_>> = words.iter().skip(2).map(|word| unquoted(word.to_str()?)).collect();
    let found = panic::catch_unwind(|| candidates(&words?)).ok().flatten().unwrap_or_default();
    let lines: String = found.iter().map(|word| format!("{word}\n")).collect();
    let _ = io::stdout().write_all(lines.as_bytes());
    ExitCode::SUCCESS
}

/// Returns a word as the shell would pass it: without quotes, and with the home folder for `~`.
fn unquoted(word: &str) -> Option<String> {
    let plain = shlex::split(word)?.into_iter().next().unwrap_or_default();
    match (plain.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => Some(home.join(rest).to_str()?.to_owned()),
        _ => Some(plain),
    }
}

/// The meaning of the words before the last one.
struct Typed<'p> {
    /// The parser of the command, or of the program before it.
    command: &'p Command,
    /// The positional arguments of the command.
    positionals: Vec<String>,
    /// An option that still needs its value.
    option: Option<&'p Arg>,
    database: Option<PathBuf>,
    actor: Option<PlayerRef>,
}

impl<'p> Typed<'p> {
    fn new(program: &'p Command, words: &[String]) -> Option<Self> {
        let mut typed = Self {
            command: program,
            positionals: Vec::new(),
            option: None,
            database: None,
            actor: None,
        };
        let mut has_options = true;
        for word in words {
            if let Some(option) = typed.option.take() {
                typed.note(option, word);
            } else if has_options && word == "--" {
                has_options = false;
            } else if has_options && word.len() > 1 && word.starts_with('-') {
                typed.read_option(program, word);
            } else if let Some(command) = typed.command.find_subcommand(word) {
                typed.command = command;
                typed.positionals.clear();
            } else if typed.command.get_name() == program.get_name() {
                return None;
            } else {
                typed.positionals.push(word.clone());
            }
        }
        Some(typed)
    }

    /// Reads an option, perhaps with its value behind `=`.
    fn read_option(&mut self, program: &'p Command, word: &str) {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let is_it = |argument: &&Arg| match name.strip_prefix("--") {
            Some(long) => argument.get_long() == Some(long),
            None => argument.get_short() == name.chars().nth(1) && name.chars().count() == 2,
        };
        let arguments = self.command.get_arguments().chain(program.get_arguments());
        let takes_value = |argument: &&Arg| argument.get_action().takes_values();
        let Some(option) = arguments.filter(takes_value).find(is_it) else { return };
        match value {
            Some(value) => self.note(option, value),
            None => self.option = Some(option),
        }
    }

    /// Notes the value of an option.
    fn note(&mut self, option: &Arg, value: &str) {
        match option.get_id().as_str() {
            "db" => self.database = Some(value.into()),
            "actor" => self.actor = value.parse().ok(),
            _ => {}
        }
    }

    /// Returns the argument that the next word is for.
    fn argument(&self) -> Option<&'p Arg> {
        let next = || {
            let at = self.positionals.len();
            let is_last = |argument: &&Arg| {
                argument.get_num_args().is_some_and(|range| range.max_values() > 1)
            };
            let mut positionals = self.command.get_positionals();
            positionals.nth(at).or_else(|| self.command.get_positionals().find(is_last))
        };
        self.option.or_else(next)
    }
}

/// Returns the completions of the last word.
fn candidates(words: &[String]) -> Option<Vec<String>> {
    let mut program = args::program();
    program.build();
    let (word, before) = words.split_last()?;
    let mut typed = Typed::new(&program, before)?;
    // The value of an option can stand behind it.
    let (prefix, word) = match word.split_once('=') {
        Some((option, value)) if typed.option.is_none() && option.starts_with("--") => {
            typed.read_option(&program, option);
            (format!("{option}="), value)
        }
        _ => (String::new(), word.as_str()),
    };
    if typed.option.is_none() && (word.starts_with('-') || !prefix.is_empty()) {
        return None;
    }
    let argument = typed.argument()?;
    if typed.command.get_name() == "help" {
        let names = program.get_subcommands().map(|command| command.get_name().to_owned());
        return Some(names.filter(|name| name.starts_with(word)).collect());
    }
    let actor = environment::actor(typed.actor.as_ref());
    let unfinished = Unfinished {
        command: typed.command.get_name(),
        argument,
        earlier: &typed.positionals,
        word,
        actor: &actor,
        now: environment::clock().ok()?.now(),
    };
    let found =
        unfinished.candidates(&environment::database(typed.database.as_ref()).ok()?).ok()?;
    Some(found.into_iter().map(|candidate| format!("{prefix}{candidate}")).collect())
}
