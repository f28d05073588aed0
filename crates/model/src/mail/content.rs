use chrono::NaiveDate;

use super::{MessageKind, Occasion, Topic};
use crate::log::GameId;
use crate::{HeldId, Moment};

/// The content of a mail: the data that its kind needs, as the columns of the outbox have it. Its text
/// is composed when it is sent, but the words of notices and answers are fixed when they are queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailContent {
    /// The kind.
    pub kind: MessageKind,
    /// The game that the mail shows; `None` if it shows several.
    pub game: Option<Moment>,
    /// The games of a digest, the most urgent first, then those that the recipient watches. Those of a
    /// reminder are those that the table `reminder` has for the mail at the first try; none until then.
    pub games: Vec<Moment>,
    /// The challenge.
    pub challenge: Option<GameId>,
    /// What has happened, or the answer, in sentences; of a mismatch the address of the sender; of a letter
    /// that was not tried the Monday on which it is due.
    pub text: Option<String>,
    /// Why it is sent, if limits or a check before each try depend on that.
    pub occasion: Option<Occasion>,
    /// The held commands that a reply to the mail confirms or cancels.
    pub held: Option<HeldId>,
    /// Commands that the text suggests, each a complete reply.
    pub suggested: Vec<String>,
    /// The files that a new answer brings. They are rows of another table, which only the composer reads.
    pub attachments: Vec<Attachment>,
}

/// A text file that a mail brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, in ASCII.
    pub name: String,
    /// Its media type (RFC 2046).
    pub media_type: String,
    /// Its text.
    pub content: String,
}

impl MailContent {
    /// Returns the content of a mail that carries nothing.
    pub const fn of(kind: MessageKind) -> Self {
        Self {
            kind,
            game: None,
            games: Vec::new(),
            challenge: None,
            text: None,
            occasion: None,
            held: None,
            suggested: Vec::new(),
            attachments: Vec::new(),
        }
    }

    /// Returns the content of a mail that shows a game.
    pub fn of_game(kind: MessageKind, game: Moment) -> Self {
        Self { game: Some(game), ..Self::of(kind) }
    }

    /// Returns the content of a mail that shows several games. A reminder of one shows it like other mails.
    pub fn of_games(kind: MessageKind, games: Vec<Moment>) -> Self {
        let single = games.first().copied().filter(|_| games.len() == 1);
        let game = single.filter(|_| kind.topic() == Topic::EndingGames);
        Self { game, games, ..Self::of(kind) }
    }

    /// Returns the content of a mail about a game or none, with a text.
    pub fn of_text(kind: MessageKind, game: Option<Moment>, text: impl Into<String>) -> Self {
        Self { game, text: Some(text.into()), ..Self::of(kind) }
    }

    /// Returns the content of a question about held commands.
    pub fn of_held(kind: MessageKind, held: HeldId) -> Self {
        Self { held: Some(held), ..Self::of(kind) }
    }

    /// Returns the content of the letter of the club that is due on this Monday.
    pub fn of_letter(monday: NaiveDate) -> Self {
        Self::of_text(MessageKind::Letter, None, monday.to_string())
    }

    /// Returns the Monday on which it is due if it is a letter of the club that was not tried.
    pub fn monday(&self) -> Option<NaiveDate> {
        self.text().parse().ok().filter(|_| self.kind == MessageKind::Letter)
    }

    /// Returns its text, which may be empty.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Returns the games that it shows: those of a digest or a reminder, or the one of another mail.
    pub fn all_games(&self) -> Vec<Moment> {
        match &self.games[..] {
            [] => self.game.into_iter().collect(),
            games => games.to_vec(),
        }
    }

    /// Returns whether the recipient only watches the game of the mail.
    pub fn is_for_watcher(&self) -> bool {
        self.kind.topic() == Topic::WatchedGame
    }
}
