use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::args::{OutputOptions, color_choice};
use super::size;
use crate::app::{AnyCommand, Error, Kind, clap_text, one_line, refused_value, unknown_command};

/// The exit statuses of the contract.
pub(super) const DONE: u8 = 0;
const REFUSED: u8 = 1;
pub(super) const USAGE: u8 = 2;
pub(super) const FAULT: u8 = 3;

/// Why a command has no reply, with its exit status.
pub(super) struct Failure {
    message: String,
    hint: Option<String>,
    status: u8,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error.kind() {
            Kind::Refused | Kind::Stale => REFUSED,
            Kind::Usage => USAGE,
            Kind::Fault | Kind::Locked | Kind::Moved => FAULT,
        };
        Self { message: error.to_string(), hint: error.hint().map(str::to_owned), status }
    }
}

impl Failure {
    pub(super) fn fault(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: FAULT }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, status: USAGE }
    }

    /// Writes the commands of hints as they are typed over ssh, without `outflank`.
    pub(super) fn over_ssh(self) -> Self {
        Self { hint: self.hint.map(|hint| hint.replace("`outflank ", "`")), ..self }
    }

    /// Suggests the command with the number of its game, if a value was refused because that is missing.
    pub(super) fn or_missing_game(self, suggested: impl FnOnce() -> Option<String>) -> Self {
        if self.status != REFUSED {
            return self;
        }
        match (self.message.split_once("; "), suggested()) {
            (Some((refused, _)), Some(suggested)) => Self {
                message: refused.to_owned(),
                hint: Some(format!("did you mean `{suggested}`?")),
                ..self
            },
            _ => self,
        }
    }

    /// Converts an error of clap for the arguments of this program. An invalid value is refused like any
    /// other that the rules do not allow; everything else is wrong usage.
    pub(super) fn from_clap(error: &clap::Error, program: &clap::Command) -> Self {
        if let (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) =
            (error.kind(), error.get(ContextKind::InvalidSubcommand))
        {
            let names = program.get_subcommands().map(clap::Command::get_name);
            return unknown_command(word, names.filter(|name| AnyCommand::is_suggested(name)))
                .into();
        }
        if let Some(message) = refused_value(error) {
            return Self { message, hint: None, status: REFUSED };
        }
        let text = clap_text(error);
        let mut parts = text.split("\n\n").map(|part| {
            let words: Vec<_> = part.split_whitespace().collect();
            words.join(" ").replace("subcommand", "command")
        });
        let message = parts.next().unwrap_or_default();
        let hint = parts.find_map(|part| {
            let similar = |tip: &&str| tip.contains("similar");
            let tip = part.strip_prefix("tip: ").filter(similar).map(str::to_owned);
            tip.or_else(|| part.strip_prefix("Usage: ").map(|usage| format!("usage: {usage}")))
        });
        let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
        Self { message, hint, status: USAGE }
    }

    /// Prints it to standard error on one line, as JSON where the contract asks for that, and
    /// returns the exit status.
    pub(super) fn print(&self, options: OutputOptions) -> ExitCode {
        let Self { message, hint, status } = self;
        let (message, hint) = (one_line(message), hint.as_deref().map(one_line));
        if options.json && [REFUSED, FAULT].contains(status) {
            let hint = hint.unwrap_or_default();
            let error = serde_json::json!({ "error": message, "hint": hint });
            // A closed standard error changes nothing.
            let _ = writeln!(io::stderr(), "{error}");
        } else {
            let hint = hint.map_or(String::new(), |hint| format!("; {hint}"));
            report(color_choice(options.color), *status == DONE, &format!("{message}{hint}"));
        }
        ExitCode::from(*status)
    }
}

/// Prints an error or a warning to standard error, on one line behind the name of the program.
pub(super) fn report(color: ColorChoice, is_warning: bool, message: &str) {
    let name = if is_warning { AnsiColor::Yellow } else { AnsiColor::Red };
    let name = name.on_default().bold();
    let line = format!("{name}outflank:{name:#} {}\n", one_line(message));
    let width = size::width().filter(|_| io::stderr().is_terminal());
    let line = width.map_or_else(|| line.clone(), |width| textwrap::fill(&line, width));
    // A closed standard error changes nothing.
    let _ = AutoStream::new(io::stderr(), color).write_all(line.as_bytes());
}

/// Checks the result of writing a reply. A closed pipe is a success: its reader has read enough.
/// After a change, any other error is only a warning.
pub(super) fn check_written(written: io::Result<()>, is_change: bool) -> Result<(), Failure> {
    let Err(error) = written else { return Ok(()) };
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ if is_change => {
            let message = format!("done, but the reply cannot be written: {error}");
            Err(Failure { message, hint: None, status: DONE })
        }
        _ => Err(Failure::fault(format!("cannot write the reply: {error}"))),
    }
}
