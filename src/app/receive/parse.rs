//! The commands of a mail.

use crate::app::commands::settings::mute::Mute;
use crate::app::receive::comment;
use crate::app::{At, Error, Line, PlayerCommand, UseCase};
use crate::command::{Name, normalize};
use crate::log::GameId;
use crate::mail::read::{Body, InboundMessage};
use outflank_rules::Lattice;

/// A line of a mail that was parsed as a command, with its words.
pub(crate) struct Parsed {
    pub words: String,
    pub request: Request,
}

/// What a line requests.
pub(crate) enum Request {
    Command(Box<PlayerCommand>),
    Signup(Name),
    /// An invalid command.
    Invalid(Error),
}

/// The most lines without a command that are skipped before the first command.
const MOST_SKIPPED: usize = 5;
/// The most commands in one mail.
const MOST: usize = 20;

/// Returns the commands of a mail that replies to a mail about a game: those in the lines that
/// its writer wrote, or else the one in its subject.
pub(crate) fn commands(message: &InboundMessage, at: At) -> Vec<Parsed> {
    let mut parsed = match &message.body {
        Body::Lines { fresh, own, .. } => {
            let begin = comment::begins(fresh, at);
            let above = fresh.iter().take(begin.unwrap_or(fresh.len()));
            let commands = commands_in(above.map(String::as_str), at);
            // A comment comes first, so that the mail about a move brings it.
            let of = only_game(&commands);
            let comment = begin.map(|begin| comment::parse(fresh, begin, own, at, of));
            comment.into_iter().chain(commands).collect()
        }
        Body::Empty | Body::AttachmentOnly => Vec::new(),
        Body::Encrypted | Body::Signed | Body::Calendar => return Vec::new(),
    };
    if parsed.is_empty() {
        let subject = Parsed::new(&message.subject, Line::parse(&message.subject, at));
        parsed.extend(subject.filter(|subject| !subject.is_invalid()));
    }
    parsed
}

/// Returns the game of the commands, if they are all about one.
fn only_game(commands: &[Parsed]) -> Option<GameId> {
    let mut games = commands.iter().filter_map(|parsed| match &parsed.request {
        Request::Command(command) => command.concerns().game(),
        _ => None,
    });
    let first = games.next()?;
    games.all(|game| game == first).then_some(first)
}

/// Returns whether a mail with these commands asks for `signup` or `help`, even with an invalid name
/// or topic.
pub(crate) fn asks_to_join(message: &InboundMessage, commands: &[Parsed]) -> bool {
    let subject = Parsed::new(&message.subject, Line::parse(&message.subject, None));
    commands.iter().chain(&subject).any(|parsed| {
        let first = parsed.words.split_whitespace().next().unwrap_or_default();
        ["signup", "help"].iter().any(|word| word.eq_ignore_ascii_case(first))
    })
}

/// Returns the commands in lines, up to the first other line after a command.
pub(crate) fn commands_in<'a>(lines: impl Iterator<Item = &'a str>, at: At) -> Vec<Parsed> {
    let mut parsed: Vec<Parsed> = Vec::new();
    let mut skipped = 0;
    for line in lines {
        match Line::parse(line, at) {
            Line::Blank => {}
            Line::End => break,
            Line::Unknown => {
                skipped += 1;
                if skipped > MOST_SKIPPED || parsed.iter().any(|earlier| !earlier.is_invalid()) {
                    break;
                }
            }
            command => parsed.extend(Parsed::new(line, command)),
        }
        if parsed.len() == MOST {
            break;
        }
    }
    parsed
}

impl Parsed {
    fn new(words: &str, line: Line) -> Option<Self> {
        let request = match line {
            Line::Command(command) => Request::Command(command),
            Line::Signup(name) => Request::Signup(name),
            Line::Refused(error) => Request::Invalid(error),
            Line::Blank | Line::End | Line::Unknown => return None,
        };
        Some(Self { words: normalize(words), request })
    }

    /// Returns the command of a mail to the address for unsubscribing.
    pub(crate) fn unsubscribe(game: GameId) -> Self {
        let command = PlayerCommand::Mute(Mute { game });
        Self { words: format!("unsubscribe {game}"), request: Request::Command(Box::new(command)) }
    }

    /// Returns whether it is an invalid command.
    pub(crate) const fn is_invalid(&self) -> bool {
        matches!(self.request, Request::Invalid(_))
    }

    /// Returns whether another line requests the same: `d3` and `move 12 d3` do.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let (Request::Command(one), Request::Command(two)) = (&self.request, &other.request) else {
            return false;
        };
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
        let (Request::Command(one), Request::Command(two)) = (&self.request, &other.request) else {
            return false;
        };
        match (one.concerns().play(), two.concerns().play()) {
            (Some(one), Some(two)) => one.contradicts(two),
            _ => false,
        }
    }
}
