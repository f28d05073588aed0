//! What a mail asks for.

use super::super::subscribe::Unsubscribe;
use super::super::{At, Error, Line, PlayerCommand};
use crate::command::{Name, normalize};
use crate::game::{GameId, Lattice};
use crate::mail::read::{Body, InboundMessage};

/// Something that a mail asks for, with the words it says it in.
pub(super) struct Ask {
    pub words: String,
    pub wish: Wish,
}

/// What is asked for.
pub(super) enum Wish {
    Command(Box<PlayerCommand>),
    Signup(Name),
    /// It begins as a command and cannot be one.
    Refused(Error),
}

/// So many lines that are no commands are skipped before the first command.
const CHATTER: usize = 5;
/// So many commands are taken from one mail.
const MOST: usize = 20;

/// What a mail asks for that answers one about a game as it stood: the commands in the lines that
/// its writer wrote, or else the one in its subject.
pub(super) fn asks(incoming: &InboundMessage, at: At) -> Vec<Ask> {
    let mut asks = match &incoming.body {
        Body::Lines { fresh, .. } => in_lines(fresh.iter().map(String::as_str), at),
        Body::Empty | Body::AttachmentOnly => Vec::new(),
        Body::Encrypted | Body::Signed | Body::Calendar => return Vec::new(),
    };
    if asks.is_empty() {
        let said = Ask::of(&incoming.subject, Line::read(&incoming.subject, at));
        asks.extend(said.filter(|ask| !ask.wish.is_refused()));
    }
    asks
}

/// The commands in lines, up to the first other line behind a command.
pub(super) fn in_lines<'a>(lines: impl Iterator<Item = &'a str>, at: At) -> Vec<Ask> {
    let mut asks = Vec::new();
    let mut chatter = 0;
    for line in lines {
        match Line::read(line, at) {
            Line::Blank => {}
            Line::End => break,
            Line::Unknown => {
                chatter += 1;
                if chatter > CHATTER || asks.iter().any(|ask: &Ask| !ask.wish.is_refused()) {
                    break;
                }
            }
            said => asks.extend(Ask::of(line, said)),
        }
        if asks.len() == MOST {
            break;
        }
    }
    asks
}

impl Ask {
    /// What is asked for in a line that says this; `None` where nothing is.
    fn of(line: &str, said: Line) -> Option<Self> {
        let wish = match said {
            Line::Command(command) => Wish::Command(command),
            Line::Signup(name) => Wish::Signup(name),
            Line::Refused(error) => Wish::Refused(error),
            Line::Blank | Line::End | Line::Unknown => return None,
        };
        Some(Self { words: normalize(line), wish })
    }

    /// What a mail to an address asks for that is there to unsubscribe.
    pub(super) fn unsubscribe(game: GameId) -> Self {
        let command = PlayerCommand::Unsubscribe(Unsubscribe { game });
        Self { words: format!("unsubscribe {game}"), wish: Wish::Command(Box::new(command)) }
    }

    /// Whether another ask is for the same, however it is said: `d3` and `move 12 d3` are one.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let (Wish::Command(one), Wish::Command(two)) = (&self.wish, &other.wish) else {
            return false;
        };
        let moves = |command: &PlayerCommand| command.line(Lattice::Hex);
        match (moves(one), moves(two)) {
            (None, None) => self.words.eq_ignore_ascii_case(&other.words),
            (one, two) => one == two,
        }
    }
}

impl Wish {
    const fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_))
    }

    /// Whether another wish asks for another move as the same ply of the same game, so that
    /// nobody can tell which is meant.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        let (Self::Command(one), Self::Command(two)) = (self, other) else { return false };
        let (Some((game, one)), Some((other_game, two))) = (one.makes(), two.makes()) else {
            return false;
        };
        let same_ply = one.ply.is_none() || two.ply.is_none() || one.ply == two.ply;
        game == other_game && same_ply && one.mv != two.mv
    }
}
