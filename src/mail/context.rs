use chrono::{DateTime, Utc};

use super::link::mailto;
use crate::config::SubjectStyle;
use crate::log::{Game, GameId};
use crate::preferences::BoardStyle;
use crate::render::words::{self, Names};
use outflank_rules::Color;

/// Everything that is known about a message when it is composed.
#[derive(Debug, Clone, Copy)]
pub struct MessageContext<'a> {
    /// The event, which is also the name of the templates.
    pub event: &'a str,
    /// The recipient's name; `None` if the recipient is not a player.
    pub name: Option<&'a str>,
    /// The recipient's bare address.
    pub address: &'a str,
    /// The Message-ID without angle brackets.
    pub message_id: &'a str,
    /// The time for the Date header.
    pub date: DateTime<Utc>,
    /// The game that the message is about, if any.
    pub game: Option<GameContext<'a>>,
    /// The games of a digest, in order.
    pub sections: &'a [Section<'a>],
    /// Lines of text that belong to the event, such as the output of a command.
    pub text: Option<&'a str>,
    /// Commands that the text suggests.
    pub suggested: &'a [String],
    /// The Message-ID, without angle brackets, of the mail that this message replies to; `Some(None)`
    /// if that mail has none.
    pub in_reply_to: Option<Option<&'a str>>,
    /// The address for replies; `None` if incoming mail is disabled.
    pub reply_to: Option<ReplyAddress<'a>>,
    /// The address for stopping turn mails for the game.
    pub unsubscribe: Option<ReplyAddress<'a>>,
    /// Whether the Subject says that it is the recipient's turn.
    pub subject: SubjectStyle,
    /// How the board is shown.
    pub style: BoardStyle,
    /// The bare address to which the message is returned if it cannot be delivered.
    pub return_path: &'a str,
}

/// A game at one moment, as one of its players sees it.
#[derive(Debug, Clone, Copy)]
pub struct GameContext<'a> {
    /// The number of the game.
    pub id: GameId,
    /// The name of its variant.
    pub variant: &'a str,
    /// The game at that moment.
    pub game: &'a Game,
    /// The names of both players.
    pub names: Names<'a>,
    /// The colour of the recipient.
    pub to: Color,
    /// The colour of the computer player; `None` if both players are people.
    pub bot: Option<Color>,
    /// The id, without angle brackets, to which all mails of the game refer.
    pub thread: &'a str,
    /// What the opponent has said, each as lines with marks.
    pub comments: &'a [String],
    /// The players' time; `None` if it is not limited.
    pub time: Option<&'a TimeContext>,
}

/// The time that the players of a game have, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeContext {
    /// The time control.
    pub control: String,
    /// What the recipient has left.
    pub own_left: String,
    /// What the opponent has left.
    pub other_left: String,
    /// When the time of the player to move ends, in the recipient's time zone; `None` if no clock
    /// runs.
    pub deadline: Option<String>,
}

/// A game of a digest.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The game.
    pub game: GameContext<'a>,
    /// The address for replies about it; `None` if incoming mail is disabled.
    pub reply_to: Option<ReplyAddress<'a>>,
}

/// An address for replies.
#[derive(Debug, Clone, Copy)]
pub struct ReplyAddress<'a> {
    /// The bare address.
    pub address: &'a str,
    /// The reply token that must be in the text, if the address does not carry it.
    pub token: Option<&'a str>,
}

impl ReplyAddress<'_> {
    /// Returns a link that opens a reply with this text already in it.
    pub(super) fn link(&self, subject: &str, text: &str) -> String {
        // A mail program may add its signature right below the text.
        let body = match (text, self.token) {
            ("", None) => String::new(),
            (text, None) => format!("{text}\n"),
            (text, Some(token)) => format!("{text}\n\nReply token: {token}\n"),
        };
        mailto(self.address, &format!("Re: {subject}"), &body)
    }
}

impl<'a> MessageContext<'a> {
    /// Returns the context of a section, in which its game is that of the message.
    pub(super) fn of_section(&self, section: &Section<'a>) -> Self {
        Self { game: Some(section.game), reply_to: section.reply_to, ..*self }
    }

    /// Returns the Subject: `Othello #12: alice - bob`, or `Othello 10x10 misère #12: alice - bob`
    /// under special rules. It is the same for all mails of a game, unless the style adds
    /// `(your move)`.
    pub(super) fn subject(&self) -> String {
        let Some(GameContext { variant, game, id, names, to, .. }) = self.game else {
            return match (self.event, self.sections.len()) {
                ("reminder", _) => "Outflank: reminder".to_owned(),
                (_, 0) => "Outflank".to_owned(),
                (_, 1) => "Outflank: a game waits for you".to_owned(),
                _ => "Outflank: games wait for you".to_owned(),
            };
        };
        let title = words::title(variant, game.start().rules());
        let is_turn = self.subject == SubjectStyle::Turn && game.turn() == Some(to);
        let turn = if is_turn { " (your move)" } else { "" };
        format!("{title} #{id}: {} - {}{turn}", names.black, names.white)
    }
}
