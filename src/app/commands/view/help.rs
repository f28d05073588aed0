use std::fmt;

use clap::Args;
use serde_json::json;

use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, unknown_command};

/// Explain a command
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: help move")]
pub struct Help {
    /// The word of a command
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl UseCase for Help {
    const TRAITS: Traits = Traits::new("help", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let help = (session.front_end.help)(&self.command)?;
        Ok(Reply::new(&json!({ "help": help })).text(help.as_str()))
    }
}

/// Returns whether a word is suggested for a similar one.
type IsSuggested = fn(&str) -> bool;

/// Returns the help of a program, or of one of its commands, as clap renders it for a terminal.
///
/// # Errors
/// [`Error`] when there is no such command.
pub fn terminal_help(
    mut program: clap::Command,
    is_suggested: IsSuggested,
    words: &[String],
) -> Result<String, Error> {
    program.build();
    let command = find(&mut program, is_suggested, words)?;
    let long = command.get_long_about().is_some();
    let help = if long { command.render_long_help() } else { command.render_help() };
    Ok(help.to_string().trim_end().to_owned())
}

/// Returns the help of a program below this introduction, or that of one of its commands, as text of a
/// mail.
pub(crate) fn mail_help(
    mut program: clap::Command,
    headings: &[(Heading, Vec<&str>)],
    is_suggested: IsSuggested,
    introduction: &str,
    words: &[String],
) -> Result<String, Error> {
    let command = find(&mut program, is_suggested, words)?;
    if !words.is_empty() {
        let arguments = command.get_arguments().map(|argument| {
            let name = match argument.get_long() {
                Some(long) => format!("--{long}"),
                None => argument.get_value_names().unwrap_or_default().concat(),
            };
            let meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
            format!("\n- {name}: {meaning}.")
        });
        let arguments: String = arguments.collect();
        let (remarks, _) = remarks(command);
        let help = format!("{}\n{arguments}\n\n{remarks}", summary(command));
        return Ok(help.trim_end().to_owned());
    }
    let section = |heading: &dyn fmt::Display, words: &mut dyn Iterator<Item = &&str>| {
        let commands = words.filter_map(|word| program.find_subcommand(word));
        let commands: String =
            commands.map(|command| format!("\n- {}", summary(command))).collect();
        format!("\n\n{heading}:\n{commands}")
    };
    let first = section(&"The most important ones", &mut FIRST.iter());
    let others = headings.iter().map(|(heading, words)| {
        section(heading, &mut words.iter().filter(|word| !FIRST.contains(word)))
    });
    Ok(format!("{introduction}{first}{}", others.collect::<String>()))
}

/// The commands that the help in a mail lists before all others.
const FIRST: [&str; 7] = ["move", "show", "games", "challenge", "say", "takeback", "resign"];

/// Returns an example of a command with its summary.
fn summary(command: &clap::Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    format!("`{}`: {about}.", example(command))
}

/// Returns the example in the help of a command, as a player writes it in a mail.
pub(crate) fn example(command: &clap::Command) -> String {
    remarks(command).1.trim_start_matches("outflank ").to_owned()
}

/// Returns the remarks and the example at the end of the help of a command.
fn remarks(command: &clap::Command) -> (String, String) {
    let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (remarks, example) = text.rsplit_once("Example: ").unwrap_or(("", &text));
    (remarks.trim_end().to_owned(), example.to_owned())
}

fn find<'c>(
    program: &'c mut clap::Command,
    is_suggested: IsSuggested,
    words: &[String],
) -> Result<&'c mut clap::Command, Error> {
    let names: Vec<_> = program.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    words.iter().try_fold(program, |command, word| {
        let suggested = || names.iter().filter(|name| is_suggested(name));
        let unknown = || unknown_command(&words.join(" "), suggested());
        command.find_subcommand_mut(word).ok_or_else(unknown)
    })
}
