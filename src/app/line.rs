//! The lines of a mail as commands: the same words as in a shell, read with more patience.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};

use super::{Error, PlayerCommand};
use crate::command::{MoveAt, Name, plain};
use crate::game::{GameId, Lattice, Move};
use crate::mail::LINE;

/// What a player can say in a line of a mail.
#[derive(Debug, Parser)]
#[command(name = "", no_binary_name = true, disable_help_subcommand = true, term_width = LINE)]
#[command(after_help = "One command a line. `help COMMAND` tells more about a command.")]
struct Words {
    #[command(subcommand)]
    command: PlayerCommand,
}

/// All that can be said in a mail, for `help`.
pub(super) fn program() -> clap::Command {
    Words::command()
}

/// What a line of a mail says.
#[derive(Debug)]
pub enum Line {
    /// Nothing.
    Blank,
    /// That nothing follows.
    End,
    /// Something that is no command.
    Unknown,
    /// A command.
    Command(Box<PlayerCommand>),
    /// That somebody wants to sign up.
    Signup(Name),
    /// Something that begins as a command and cannot be one.
    Refused(Error),
}

/// The game that a mail answers, and after how many moves.
pub type At = Option<(GameId, usize)>;

/// Words that end a mail.
pub(super) const ENDS: [&str; 4] = ["--", "stop", "quit", "thanks"];

/// The longest line that can be a command, in bytes: what is refused is quoted in the answer.
const LONGEST: usize = 500;

impl Line {
    /// Reads a line of a mail that answers one about a game as it stood at a ply: the game can
    /// be left out then, a move alone is a move in it, and a move without a number is the one
    /// that was asked for.
    #[must_use]
    pub fn read(line: &str, at: At) -> Self {
        let line = plain(line);
        let lower = line.to_lowercase();
        if ENDS.contains(&lower.as_str()) {
            return Self::End;
        }
        let mut words: Vec<_> = line.split_whitespace().collect();
        let Some(first) = words.first().map(|word| word.to_lowercase()) else {
            return Self::Blank;
        };
        if line.len() > LONGEST {
            return Self::Unknown;
        }
        if let ("signup", [_, name]) = (first.as_str(), &words[..]) {
            return match name.parse() {
                Ok(name) => Self::Signup(name),
                Err(bad) => Self::Refused(Error::Words(bad.to_string())),
            };
        }
        let game = at.map(|(game, _)| game.to_string());
        if let (Some(game), [only]) = (&game, &words[..])
            && only.parse::<MoveAt>().is_ok()
        {
            return Self::parse(&["move", game, only], at).unwrap_or(Self::Unknown);
        }
        words[0] = &first;
        let Some(shape) = Shape::of(&first) else { return Self::Unknown };
        let error = match Self::parse(&words, at) {
            Ok(command) => return command,
            Err(error) => error,
        };
        if let (Some(game), Shape { of_game: true }) = (&game, &shape) {
            words.insert(1, game);
            if let Ok(command) = Self::parse(&words, at) {
                return command;
            }
            words.remove(1);
        }
        // Many a sentence begins with such a word; one that goes on with a game is meant.
        let meant = words.get(1).is_none_or(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        if meant { Self::Refused(error) } else { Self::Unknown }
    }

    fn parse(words: &[&str], at: At) -> Result<Self, Error> {
        match Words::try_parse_from(words) {
            Ok(Words { mut command }) => {
                if let Some((game, ply)) = at {
                    command.bind(game, ply);
                }
                Ok(Self::Command(Box::new(command)))
            }
            // There is one way to tell it.
            Err(error) if error.kind() == ErrorKind::DisplayHelp => {
                Self::parse(&["help", words.first().copied().unwrap_or_default()], at)
            }
            Err(error) => Err(Error::Words(first_line(&error))),
        }
    }
}

/// What clap has against a line, in one.
fn first_line(error: &clap::Error) -> String {
    if let Some(reason) = std::error::Error::source(error) {
        return reason.to_string();
    }
    let text = error.render().to_string();
    let first: Vec<_> = text.split("\n\n").next().unwrap_or_default().split_whitespace().collect();
    first.join(" ").trim_start_matches("error: ").to_owned()
}

/// What is known of a command by its first word.
struct Shape {
    /// Whether it begins with a game.
    of_game: bool,
}

impl Shape {
    fn of(word: &str) -> Option<Self> {
        let program = program();
        let command = program.find_subcommand(word)?;
        let first = command.get_positionals().next();
        Some(Self { of_game: first.is_some_and(|first| first.get_id() == "game") })
    }
}

impl PlayerCommand {
    /// Makes a move in this game that has no number the one that follows this ply.
    pub(super) fn bind(&mut self, game: GameId, ply: usize) {
        let next = ply.saturating_add(1);
        match self {
            Self::Move(command) if command.game == game => {
                if let Some(first) = command.moves.first_mut() {
                    first.ply.get_or_insert(next);
                }
            }
            Self::Pass(command) if command.game.game == game => {
                command.game.ply.get_or_insert(next);
            }
            _ => {}
        }
    }

    /// The moves that it makes on this lattice as a line, if it makes moves.
    pub(super) fn line(&self, lattice: Lattice) -> Option<String> {
        match self {
            Self::Move(command) => {
                let label = |made: &MoveAt| made.label(lattice);
                let moves: Vec<_> = command.moves.iter().map(label).collect();
                let receipt = if command.receipt { " --receipt" } else { "" };
                Some(format!("move {} {}{receipt}", command.game, moves.join(" ")))
            }
            Self::Pass(command) => {
                let receipt = if command.receipt { " --receipt" } else { "" };
                Some(format!("pass {}{receipt}", command.game))
            }
            _ => None,
        }
    }

    /// The first move that it makes, if it makes moves: in which game, which move, as which ply.
    pub(super) fn makes(&self) -> Option<(GameId, MoveAt)> {
        match self {
            Self::Move(command) => command.moves.first().map(|first| (command.game, *first)),
            Self::Pass(command) => {
                Some((command.game.game, MoveAt { played: Move::Pass, ply: command.game.ply }))
            }
            _ => None,
        }
    }

    /// The game that it is about, if it is about one.
    pub(super) fn game(&self) -> Option<GameId> {
        match self {
            Self::Move(command) => Some(command.game),
            Self::Pass(command) => Some(command.game.game),
            Self::Resign(command) => Some(command.game),
            Self::Show(command) => Some(command.game.game),
            Self::History(command) => Some(command.game),
            Self::Subscribe(command) => Some(command.game),
            Self::Unsubscribe(command) => Some(command.game),
            Self::Games(_) | Self::Players(_) | Self::Receipt(_) | Self::Help(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Size;

    const EIGHT: Lattice = Lattice::Rectangle(Size::EIGHT);
    const AT: At = Some((GameId(12), 4));

    fn makes(line: &str, at: At) -> Option<(i64, String, Option<usize>)> {
        match Line::read(line, at) {
            Line::Command(command) => {
                let (game, made) = command.makes()?;
                let label = match made.played {
                    Move::Pass => "pass".to_owned(),
                    Move::Place(cell) => cell.label(),
                };
                Some((game.0, label.to_lowercase(), made.ply))
            }
            _ => None,
        }
    }

    #[test]
    fn an_answer_needs_neither_game_nor_number() {
        let asked = |label: &str| Some((12, label.to_owned(), Some(5)));
        for line in ["d3", "D3", " d3. ", "\u{ff24}\u{ff13}", "move d3", "MOVE 12 D3", "Move d3!"] {
            assert_eq!(makes(line, AT), asked("d3"), "{line}");
        }
        for line in ["pass", "Pass.", "pass 12", "move pass"] {
            assert_eq!(makes(line, AT), asked("pass"), "{line}");
        }
        assert_eq!(makes("d3#7", AT), Some((12, "d3".into(), Some(7))));
        assert_eq!(makes("move 13 d3", AT), Some((13, "d3".into(), None)));
        assert_eq!(makes("move 12 d3", None), Some((12, "d3".into(), None)));
        assert_eq!(makes("d3", None), None);
        for line in ["show", "history", "resign", "subscribe", "unsubscribe", "show --arrows"] {
            let Line::Command(command) = Line::read(line, AT) else { panic!("{line}") };
            assert_eq!(command.game(), Some(GameId(12)), "{line}");
        }
    }

    #[test]
    fn a_command_is_written_as_it_is_read() {
        for line in ["move 12 d3#5", "move 12 B-1 pass D3#7 --receipt", "pass 12#5", "pass 9"] {
            let Line::Command(command) = Line::read(line, None) else { panic!("{line}") };
            let lattice = if line.contains('B') { Lattice::Hex } else { EIGHT };
            assert_eq!(command.line(lattice).as_deref(), Some(line));
        }
    }

    #[test]
    fn nothing_is_guessed_from_a_sentence() {
        for line in [
            "Hi Bob",
            "d3 was nice",
            "I play d3",
            "move over, darling",
            "pass the salt",
            "show me the money",
            "help me please",
            "d3 e3",
            "resign? never",
            "games are fun",
            "12",
            "#5",
            "d",
            "signup for our newsletter",
            "--json games",
            "-h",
            "new mini a b",
            "send",
            "backup /tmp/x",
            "ssh alice",
            "receive",
        ] {
            assert!(matches!(Line::read(line, AT), Line::Unknown), "{line}");
        }
    }

    #[test]
    fn what_is_meant_as_a_command_is_told_what_is_wrong() {
        for line in ["move 12", "move 12 dd", "show", "pass 12#x", "receipt"] {
            assert!(matches!(Line::read(line, None), Line::Refused(_)), "{line}");
        }
    }

    #[test]
    fn a_mail_ends_with_a_word_of_its_own() {
        for line in ["-- ", "stop", "Quit", "thanks!", "Thanks."] {
            assert!(matches!(Line::read(line, AT), Line::End), "{line}");
        }
        for line in ["", " \u{200b}", "..."] {
            assert!(matches!(Line::read(line, AT), Line::Blank), "{line}");
        }
        assert!(
            matches!(Line::read("signup Alice", None), Line::Signup(name) if name.as_str() == "Alice")
        );
    }
}
