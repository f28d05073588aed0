//! What the lines of a mail request.

use crate::app::commands::settings::mute::Mute;
use crate::app::commands::view::watch::Unwatch;
use crate::app::line::MAX_COMMAND_BYTES;
use crate::app::receive::answer::Answer;
use crate::app::{Error, Line, PlayerCommand};
use crate::command::{MoveAt, Name, normalize};
use outflank_model::Moment;
use outflank_model::log::GameId;
use outflank_rules::{Color, Lattice};

/// A line of a mail that was parsed as a command.
pub(crate) struct Parsed {
    pub words: String,
    /// The number of the line among those that the author of the mail typed, if it is one of them.
    pub line: Option<usize>,
    pub request: Request,
    /// Its answer, if it only reads and was run before the transaction, or if it does not fit the mail
    /// that was answered.
    pub answer: Option<Result<Answer, Error>>,
}

/// What a line requests.
pub(crate) enum Request {
    Command(Box<PlayerCommand>),
    Signup(Name),
    /// The first move of the game that the command above begins, for the player of the black discs. `true` if
    /// that is certainly the author.
    FirstMove(bool),
    /// An invalid command.
    Invalid(Error),
}

impl Parsed {
    /// Returns a line with its request; `None` if it is not a command.
    pub(crate) fn new(words: &str, line: Line) -> Option<Self> {
        let request = match line {
            Line::Command(command) => Request::Command(command),
            Line::Signup(name) => Request::Signup(name),
            Line::Refused(error) => Request::Invalid(error),
            Line::Blank | Line::End | Line::Unknown => return None,
        };
        let mut words = normalize(words);
        if words.len() > MAX_COMMAND_BYTES {
            words.truncate(words.find(' ').unwrap_or_default());
        }
        Some(Self { words, line: None, request, answer: None })
    }

    /// Returns the command of a mail to the address for unsubscribing.
    pub(crate) fn unsubscribe(game: GameId) -> Self {
        Self::of(format!("unsubscribe {game}"), PlayerCommand::Mute(Mute { game }))
    }

    /// Returns the same for a game that the player watches.
    pub(crate) fn unwatch(game: GameId) -> Self {
        Self::of(format!("unwatch {game}"), PlayerCommand::Unwatch(Unwatch { game }))
    }

    fn of(words: String, command: PlayerCommand) -> Self {
        let request = Request::Command(Box::new(command));
        Self { words, line: None, request, answer: None }
    }

    /// Returns a line with a move below a challenge against a computer player, in a mail that refers to this
    /// position; `None` if it is not one.
    pub(crate) fn first_move(line: &str, above: &Self, at: Option<Moment>) -> Option<Self> {
        let Some(PlayerCommand::Challenge(challenge)) = above.command() else { return None };
        let color = challenge.color_against_bot()?.wanted();
        let words = normalize(line);
        words.parse::<MoveAt>().ok()?;
        let request = match at {
            None => Request::FirstMove(color == Some(Color::Black)),
            Some(Moment { game, .. }) => {
                let error = Error::refused("this move may be for the old game or for the new one");
                let hint = format!("for the old one write `move {game} {words}`");
                Request::Invalid(error.with_hint(hint))
            }
        };
        Some(Self { words, line: None, request, answer: None })
    }

    /// Returns the word of the command, also if the line is invalid.
    pub(crate) fn word(&self) -> &'static str {
        let first = self.words.split(' ').next().unwrap_or_default();
        match &self.request {
            Request::Command(command) => command.traits().word,
            Request::Signup(_) => "signup",
            Request::FirstMove(_) => "move",
            Request::Invalid(_) if self.is_signup() => "signup",
            Request::Invalid(_) => PlayerCommand::words()
                .find(|word| word.eq_ignore_ascii_case(first))
                .unwrap_or("move"),
        }
    }

    /// Returns whether it asks to sign up, with a valid name or not.
    pub(crate) fn is_signup(&self) -> bool {
        let first = self.words.split(' ').next();
        first.is_some_and(|word| word.eq_ignore_ascii_case("signup"))
    }

    /// Returns whether it is an invalid command.
    pub(crate) const fn is_invalid(&self) -> bool {
        matches!(self.request, Request::Invalid(_))
    }

    /// Returns the command, if it is a valid one.
    pub(crate) fn command(&self) -> Option<&PlayerCommand> {
        match &self.request {
            Request::Command(command) => Some(command),
            _ => None,
        }
    }

    /// Returns whether another line requests the same: `d3` and `move 12 d3` do.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.command(), other.command()) else { return false };
        let moves = |command: &PlayerCommand| {
            command.concerns().play().map(|play| play.to_command(Lattice::Hex, None))
        };
        match (moves(one), moves(two)) {
            (None, None) => self.words.eq_ignore_ascii_case(&other.words),
            (one, two) => one == two,
        }
    }

    /// Returns whether another line makes a different move at the same turn.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.command(), other.command()) else { return false };
        match (one.concerns().play(), two.concerns().play()) {
            (Some(one), Some(two)) => one.contradicts(two),
            _ => false,
        }
    }
}
