use chrono::{DateTime, Utc};
use serde::Serialize;

use super::link::mailto;
use crate::config::SubjectStyle;
use outflank_model::log::{Game, GameId};
use outflank_model::mail::Attachment;
use outflank_model::preferences::BoardStyle;
use outflank_model::render::words::{self, Names};
use outflank_model::tournament::InTournament;
use outflank_rules::{Color, Rules};

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
    /// The game that the message is about.
    pub game: Option<GameContext<'a>>,
    /// The challenge that the message is about.
    pub challenge: Option<ChallengeContext<'a>>,
    /// A line for each challenge that a digest lists.
    pub challenges: &'a [String],
    /// The games of a digest or of a reminder of several, in order.
    pub sections: &'a [Section<'a>],
    /// Lines of text that belong to the event, such as the output of a command.
    pub text: Option<&'a str>,
    /// The game as a signed block of text, at its end.
    pub portable: Option<&'a str>,
    /// The files that it brings.
    pub attachments: &'a [Attachment],
    /// Whether the text has markup.
    pub has_markup: bool,
    /// Commands that the text suggests.
    pub suggested: &'a [String],
    /// The Message-ID, without angle brackets, of the mail that this message replies to; `Some(None)`
    /// if that mail has none.
    pub in_reply_to: Option<Option<&'a str>>,
    /// The address for replies; `None` if incoming mail is disabled.
    pub reply_to: Option<ReplyAddress<'a>>,
    /// The address for stopping turn mails for the game.
    pub unsubscribe: Option<ReplyAddress<'a>>,
    /// The link that does the same by one click (RFC 8058).
    pub one_click: Option<&'a str>,
    /// The answer to the command that caused the mail, which it carries above its own text.
    pub answer: Option<&'a str>,
    /// Whether it offers the player's own page, to which `page` mails the link.
    pub offers_page: bool,
    /// What the Subject says in place of the game.
    pub title: Option<&'a str>,
    /// Whether the Subject says whose turn it is.
    pub subject: SubjectStyle,
    /// How the board is shown.
    pub style: BoardStyle,
    /// Who is to be asked for help: "the host", with an address if there is one.
    pub host: &'a str,
    /// The bare address for reports that it could not be delivered.
    pub return_path: &'a str,
}

/// A game at one moment, as its reader sees it.
#[derive(Debug, Clone, Copy)]
pub struct GameContext<'a> {
    /// The number of the game.
    pub id: GameId,
    /// The name of its variant.
    pub variant: &'a str,
    /// Whether its result counts for the players' ratings.
    pub is_rated: bool,
    /// Its place in a tournament; `None` if it belongs to none.
    pub tournament: Option<&'a InTournament>,
    /// The game at that moment.
    pub game: &'a Game,
    /// The names of both players.
    pub names: Names<'a>,
    /// The colour of the recipient; `None` for one who watches the game.
    pub to: Option<Color>,
    /// The colour of the computer player; `None` if both players are people.
    pub bot: Option<Color>,
    /// The id, without angle brackets, that all mails of the game have as a reference.
    pub thread: &'a str,
    /// What the opponent has said, each as lines with marks.
    pub comments: &'a [String],
    /// The players' time; `None` if it is not limited.
    pub time: Option<&'a TimeContext>,
    /// Whether an offer that is open could be accepted.
    pub can_accept: bool,
    /// How long it waits for the recipient, in reminders and digests; `None` if nothing ends.
    pub waiting: Option<&'a Waiting>,
    /// The link to its page for the recipient; `None` without pages.
    pub page_link: Option<&'a str>,
}

/// A challenge.
#[derive(Debug, Clone, Copy)]
pub struct ChallengeContext<'a> {
    /// Its number.
    pub id: GameId,
    /// The name of the other person.
    pub other: &'a str,
    /// Whether it can be answered.
    pub is_open: bool,
    /// The challenge in words, a line each.
    pub facts: &'a [String],
    /// What was said about it, as lines with marks.
    pub comments: &'a [String],
    /// The id, without angle brackets, that its mails and those of its game have as a reference.
    pub thread: &'a str,
}

/// How long a game waits for the player to move, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// What is left: `8 hours`.
    pub left: String,
    /// The end, in the player's time zone.
    pub until: String,
    /// When it ends, as a sentence.
    pub ends: String,
    /// What happens then, if the first sentence does not say it.
    pub then: Option<String>,
}

/// The time that the players of a game have, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeContext {
    /// The time control.
    pub control: String,
    /// What the recipient has left, or Black if the recipient watches the game.
    pub own_left: String,
    /// What the opponent has left, or White.
    pub other_left: String,
    /// When the time of the player to move ends, in the recipient's time zone; `None` if no clock
    /// runs.
    pub deadline: Option<String>,
}

/// A game of a digest or a reminder.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The game.
    pub game: GameContext<'a>,
    /// The address for replies about it; `None` if incoming mail is disabled.
    pub reply_to: Option<ReplyAddress<'a>>,
    /// Whether its board is drawn, if it fits into the mail.
    pub is_drawn: bool,
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
    /// Returns the context of a message about the game of this section.
    pub(super) fn of_section(&self, section: &Section<'a>) -> Self {
        Self { game: Some(section.game), title: None, reply_to: section.reply_to, ..*self }
    }

    /// Returns the Subject: the title, or else that of the game. Without a title, it is the same for
    /// all mails of a game, unless the style adds `(your move)` or `(bob's move)`.
    pub(super) fn subject(&self) -> String {
        if let Some(title) = self.title {
            return title.to_owned();
        }
        let Some(GameContext { variant, game, id, names, to, .. }) = self.game else {
            return "Outflank".to_owned();
        };
        let turn = match game.turn().filter(|_| self.subject == SubjectStyle::Turn) {
            Some(turn) if to == Some(turn) => " (your move)".to_owned(),
            Some(turn) => format!(" ({}'s move)", names.of(turn)),
            None => String::new(),
        };
        subject_of_game(variant, game.start().rules(), id) + &turn
    }
}

/// Returns the Subject of the mails about a game or its challenge, such as `Othello #12`, or
/// `Othello 10x10 misère #12` under special rules.
pub fn subject_of_game(variant: &str, rules: &Rules, id: GameId) -> String {
    format!("{} #{id}", words::title(variant, rules))
}
