use std::ffi::OsString;
#[cfg(feature = "web")]
use std::net::SocketAddr;
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use super::size;
#[cfg(feature = "web")]
use crate::app::LogFormat;
use crate::app::{self, AnyCommand, ColorOption, Error, HostCommand, PlayerCommand, terminal_help};
use crate::command::PlayerRef;

/// Play Othello and its family by mail
#[derive(Debug, Parser)]
#[command(name = "outflank", version, disable_help_subcommand = true)]
#[command(after_help = "\
Example: outflank play

Players find a game with `challenge bot:novice`, `challenge anyone` and `challenges`.
`outflank help COMMAND` explains a command.")]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: Global,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl Arguments {
    /// Parses the arguments of the program; the first is its name.
    pub(super) fn parse_from(words: &[OsString]) -> Result<Self, clap::Error> {
        use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
        if let [_, word] = words
            && (word == "--version" || word == "-V")
        {
            // This fails with the version.
            global_options()
                .name("outflank")
                .version(env!("CARGO_PKG_VERSION"))
                .try_get_matches_from(words)?;
        }
        // Errors and help come from the parser of all commands.
        if let Some(matches) = parse_one(words) {
            return Self::from_arg_matches(&matches);
        }
        let matches = with_synonyms(Self::command()).try_get_matches_from(words).or_else(|error| {
            match error.kind() {
                // The parser with the lists of commands takes longer to build.
                DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand => {
                    program().try_get_matches_from(words)
                }
                _ => Err(error),
            }
        });
        Self::from_arg_matches(&matches?)
    }
}

/// Parses valid arguments with the parser of their command only, which is built in less time.
fn parse_one(words: &[OsString]) -> Option<ArgMatches> {
    let parser = |word: &str| PlayerCommand::parser(word).or_else(|| HostCommand::parser(word));
    let command = words.iter().skip(1).find_map(|word| parser(word.to_str()?))?;
    let program = global_options().subcommand_required(true).disable_help_subcommand(true);
    let program = program.subcommand(command);
    program.try_get_matches_from(words).ok()
}

/// Returns a parser of the options that stand before or after any command.
pub(super) fn global_options() -> clap::Command {
    OutputOptions::augment_args(Global::augment_args(clap::Command::new("options")))
}

/// Returns the parser of the shell, whose help lists the players' and the host's commands separately.
pub fn program() -> clap::Command {
    let program = with_synonyms(Arguments::command());
    // By mail and over ssh, players write a command without the name of the program.
    let program = for_shell(program);
    let host = HostCommand::words().chain(FRONT_ENDS.iter().copied());
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n\
         To begin:\n{}\n\
         Commands of players, in the shell, by mail and over ssh\n\n{}\
         Commands of the host, in the shell:\n{}\n\
         Global options:\n{{options}}{{after-help}}",
        list(&program, ["play"]),
        player_commands(&program),
        list(&program, host),
    );
    program.help_template(template).term_width(width())
}

/// Returns the help of the shell for somebody who has typed no command.
pub(super) fn beginning() -> String {
    let mut program = program();
    let about = program.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = program.render_usage();
    let first = list(&program, ["play", "signup", "challenge", "move", "games"]);
    format!(
        "{about}\n\n{usage}\n\nTo begin:\n{first}\n\
         `outflank help` lists all commands, and `outflank help COMMAND` explains one.\n"
    )
}

/// Returns how wide help is. It is hard to read if it is very wide.
fn width() -> usize {
    const MAX: usize = 100;
    size::width().unwrap_or(80).min(MAX)
}

/// Returns the parser with remarks that are wrapped to the terminal, and with examples as they are typed in the
/// shell.
fn for_shell(program: clap::Command) -> clap::Command {
    program.mut_subcommands(|command| {
        let mut remarks = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        if let Some(traits) = PlayerCommand::named(command.get_name()) {
            remarks = remarks.replace("Example: ", "Example: outflank ");
            remarks += if traits.needs_name { " --as alice" } else { "" };
        }
        for_shell(command.after_help(unwrapped(&remarks)))
    })
}

/// Returns a text with each paragraph on one line. Lines that are indented, and examples, stay lines.
fn unwrapped(text: &str) -> String {
    let is_prose =
        |line: &str| !line.is_empty() && !line.starts_with(' ') && !line.starts_with("Example");
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match lines.last_mut() {
            Some(last) if is_prose(last) && is_prose(line) => *last += &format!(" {line}"),
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// The commands that begin other front ends.
const FRONT_ENDS: &[&str] = &[
    "ssh",
    #[cfg(feature = "web")]
    "web",
    "completions",
    "man",
];

/// Returns the parser of a line over ssh.
fn ssh_program() -> clap::Command {
    let program = with_synonyms(SshLine::command());
    let template = format!("{}Options:\n{{options}}{{after-help}}", player_commands(&program));
    program.help_template(template).term_width(width())
}

/// Adds the synonyms of commands, which are not for mail: there they would turn sentences into
/// commands.
fn with_synonyms(program: clap::Command) -> clap::Command {
    let synonyms = PlayerCommand::ALL
        .iter()
        .flat_map(|traits| traits.synonyms.iter().map(|synonym| (*synonym, traits.word)));
    let names = synonyms.clone().map(|(synonym, word)| format!("{synonym} for {word}"));
    let names: Vec<_> = names.collect();
    let help = program.get_after_help().map(ToString::to_string).unwrap_or_default();
    let program = program.after_help(format!("{help}\n\nOther names: {}.", names.join(", ")));
    synonyms.into_iter().fold(program, |program, (synonym, word)| {
        program.mut_subcommand(word, |command| command.visible_alias(synonym))
    })
}

/// Returns the help of the shell.
pub(super) fn help(words: &[String]) -> Result<String, Error> {
    terminal_help(program(), AnyCommand::is_suggested, words)
}

/// Returns the help over ssh.
pub(super) fn ssh_help(words: &[String]) -> Result<String, Error> {
    terminal_help(ssh_program(), AnyCommand::is_suggested, words)
}

/// Lists the commands of players under their headings.
fn player_commands(program: &clap::Command) -> String {
    let section = |(heading, words)| format!("{heading}:\n{}\n", list(program, words));
    PlayerCommand::headings().into_iter().map(section).collect()
}

/// Lists the commands with these words, one per line.
fn list<'w>(program: &clap::Command, words: impl IntoIterator<Item = &'w str>) -> String {
    const INDENT: usize = 15;
    let indent = " ".repeat(INDENT);
    let options = textwrap::Options::new(width()).subsequent_indent(&indent);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    let line = |command: &clap::Command| {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let name = format!("  {:<12} ", command.get_name());
        textwrap::fill(&about, options.clone().initial_indent(&name)) + "\n"
    };
    words.into_iter().filter_map(|word| program.find_subcommand(word)).map(line).collect()
}

/// The host's options, before or after any command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Global {
    /// The database [or OUTFLANK_DB; default: outflank.db in the XDG data folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// The configuration [or OUTFLANK_CONFIG; default: config.toml in the XDG config folder]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Act for this player [or OUTFLANK_AS; default: the host, who is to move, or whom you last played as]
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub actor: Option<PlayerRef>,
}

/// How to print the reply.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct OutputOptions {
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Draw arrows in ASCII
    #[arg(long, global = true)]
    pub ascii: bool,
    /// When to use colour: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        hide_possible_values = true,
        value_parser = output_color()
    )]
    pub color: ColorOption,
}

/// Parses when to use colour.
fn output_color() -> impl TypedValueParser<Value = ColorOption> {
    PossibleValuesParser::new(ColorOption::OUTPUT)
        .map(|word| word.parse().unwrap_or(ColorOption::Auto))
}

/// Returns the choice for an output stream.
pub(super) const fn color_choice(option: ColorOption) -> ColorChoice {
    match option {
        ColorOption::Always => ColorChoice::Always,
        ColorOption::Never => ColorChoice::Never,
        ColorOption::Auto | ColorOption::Player(_) | ColorOption::Random => ColorChoice::Auto,
    }
}

impl OutputOptions {
    /// Returns the options that these words of a command give, even if the words cannot be parsed. Errors are
    /// printed with them.
    pub(super) fn of(words: &[String]) -> Self {
        let behind = |word: &String| word.strip_prefix("--color=").map(str::to_owned);
        let value = words.iter().rev().find_map(behind).or_else(|| {
            let option = words.iter().rposition(|word| word == "--color")?;
            words.get(option + 1).cloned()
        });
        let has = |option| words.iter().any(|word| word == option);
        let color = value.and_then(|value| value.parse().ok()).unwrap_or(ColorOption::Auto);
        Self { json: has("--json"), ascii: has("--ascii"), color }
    }
}

/// A command of the shell.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    #[command(flatten)]
    Any(AnyCommand),
    Play(Board),
    Ssh(Ssh),
    #[cfg(feature = "web")]
    Web(Web),
    Completions(Completions),
    Man(ManPages),
}

// The arguments of `play` in the application bring the help.
#[derive(Debug, Args)]
pub(super) struct Board {
    #[command(flatten)]
    pub play: app::Play,
    /// Play in lines of text instead, as without a terminal
    #[arg(long)]
    pub lines: bool,
}

/// Run one player's command over ssh, as a forced command of sshd
#[derive(Debug, Args)]
#[command(after_help = "\
sshd passes the player's command in SSH_ORIGINAL_COMMAND; without one, the
board opens, or without a terminal the command is games.

Example: command=\"outflank ssh alice\",restrict,pty ssh-ed25519 AAAA... alice@laptop")]
pub(super) struct Ssh {
    /// The player whose key it is
    #[arg(value_name = "NAME")]
    pub player: PlayerRef,
}

/// Serve the pages of games to browsers, until stopped
#[cfg(feature = "web")]
#[derive(Debug, Args)]
#[command(after_help = "\
The pages are meant for a reverse proxy, which speaks https. Mails link to them with `url` in [web] of the
configuration.

Example: outflank web --listen 127.0.0.1:8080")]
pub(super) struct Web {
    /// The address and the port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: SocketAddr,
    /// Serve the public pages of a replica, which is only read
    #[arg(long)]
    pub read_only: bool,
    /// How to log what is done
    #[arg(long, value_name = "FORMAT")]
    pub log: Option<LogFormat>,
}

/// Print a script that lets a shell complete commands, games, names and moves
#[derive(Debug, Args)]
#[command(after_help = "\
The script goes where the shell looks for it:
  bash  ~/.local/share/bash-completion/completions/outflank
  zsh   _outflank, in a folder of $fpath
  fish  ~/.config/fish/completions/outflank.fish

Example: outflank completions fish > ~/.config/fish/completions/outflank.fish")]
pub(super) struct Completions {
    /// The shell: bash, zsh or fish
    #[arg(hide_possible_values = true)]
    pub shell: CompletionShell,
}

/// A shell for which there is a script.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum CompletionShell {
    /// The Bourne-again shell.
    Bash,
    /// The Z shell.
    Zsh,
    /// The friendly interactive shell.
    Fish,
}

/// Write man pages of all commands and of the configuration
#[derive(Debug, Args)]
#[command(after_help = "\
The Debian package has them. If you installed with cargo, `man outflank` finds them in ~/.cargo/share/man.

Example: outflank man ~/.cargo/share/man")]
pub(super) struct ManPages {
    /// The folder that gets man1 and man5
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}

/// Parses an address and a port.
#[cfg(feature = "web")]
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!("{text:?} is not an address and a port; use one such as 127.0.0.1:8080")
    })
}

/// A command that a player gives over ssh.
#[derive(Debug, Parser)]
#[command(name = "", no_binary_name = true, disable_help_subcommand = true)]
#[command(after_help = "\
To play: `challenge bot:novice`, `challenge anyone`, or `challenges`.
`help COMMAND` explains a command. Example: help move")]
pub(super) struct SshLine {
    #[command(subcommand)]
    pub command: PlayerCommand,
    #[command(flatten)]
    pub output: OutputOptions,
}

impl SshLine {
    /// Parses the words of a command.
    pub(super) fn parse_words<'w>(
        words: impl IntoIterator<Item = impl AsRef<str> + 'w>,
    ) -> Result<Self, clap::Error> {
        let words = words.into_iter().map(|word| OsString::from(word.as_ref()));
        Self::from_arg_matches(&with_synonyms(Self::command()).try_get_matches_from(words)?)
    }
}
