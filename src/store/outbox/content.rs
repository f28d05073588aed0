use rusqlite::Row;

use super::{MessageKind, Moment, Occasion};
use crate::log::GameId;
use crate::store::{HeldId, parsed};

/// What a mail carries, by its kind. Most kinds name the game that the mail shows; its text is
/// composed when the mail is sent. The words of notices and answers are fixed when they are queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailContent {
    /// The game has begun.
    Started(Moment),
    /// It is the recipient's turn.
    Turn(Moment),
    /// The game is over.
    Over(Moment),
    /// The recipient's move was made.
    Receipt(Moment),
    /// The time of the recipient or of the opponent is over.
    Flagged(Moment),
    /// Mail to the opponent in this game bounces.
    Paused(Moment),
    /// Reminds of games whose time is almost over, the most urgent first. There are none until the first
    /// try: they are those that the table `reminder` has for the mail then.
    Reminder(Vec<Moment>),
    /// The games that wait for the recipient, the most urgent first, then those that the recipient
    /// watches.
    Digest(Vec<Moment>),
    /// Reports what the host or the opponent has done, about a game or none.
    Notice {
        /// The game that the mail shows.
        game: Option<Moment>,
        /// What was done, in sentences.
        text: String,
        /// Why it is sent, if limits or a check before each try depend on that.
        occasion: Option<Occasion>,
    },
    /// The reply to an incoming mail or to a request.
    Answer {
        /// The game that the mail shows.
        game: Option<Moment>,
        /// The reply.
        text: String,
        /// The held commands that an answer to this mail can still confirm.
        held: Option<HeldId>,
        /// Commands that the text suggests, each of which a reply can consist of.
        suggested: Vec<String>,
    },
    /// Tells somebody who has left what became of the games.
    Farewell {
        /// That, in sentences.
        text: String,
    },
    /// Tells a former address that the player's mail goes elsewhere now.
    Moved {
        /// That, in sentences.
        text: String,
    },
    /// Tells the host what needs a person.
    Host {
        /// That: a line for the beginning, then one for each thing.
        text: String,
    },
    /// Asks for an answer, which shows how mail comes in.
    Probe {
        /// The question.
        text: String,
    },
    /// Asks whether held commands are really the recipient's.
    Confirm(HeldId),
    /// Asks whether the mail to a player is to come to the recipient's address, which is held.
    NewAddress(HeldId),
    /// The link to the recipient's own page.
    OwnPage,
    /// A challenge, or what has become of it.
    Challenge {
        /// The number of the challenge.
        challenge: GameId,
        /// What has happened, in sentences.
        text: String,
        /// Why it is sent, if limits or a check before each try depend on that.
        occasion: Option<Occasion>,
    },
    /// Another sender used the recipient's reply token.
    Mismatch {
        /// The game that the mail shows.
        game: Option<Moment>,
        /// The address of that sender.
        sender: String,
    },
    /// A move was made in a game that the recipient watches.
    Watched(Moment),
    /// A game that the recipient watches is over.
    WatchedOver(Moment),
    /// The analysis of a game that the recipient watches.
    WatchedAnalysis {
        /// The game.
        game: Moment,
        /// The analysis, as the recipient reads it.
        text: String,
    },
}

impl MailContent {
    /// Returns the kind.
    pub const fn kind(&self) -> MessageKind {
        match self {
            Self::Started(_) => MessageKind::Started,
            Self::Turn(_) => MessageKind::Turn,
            Self::Over(_) => MessageKind::Over,
            Self::Receipt(_) => MessageKind::Receipt,
            Self::Flagged(_) => MessageKind::Flagged,
            Self::Paused(_) => MessageKind::Paused,
            Self::Reminder(_) => MessageKind::Reminder,
            Self::Digest(_) => MessageKind::Digest,
            Self::Notice { .. } => MessageKind::Notice,
            Self::Challenge { .. } => MessageKind::Challenge,
            Self::Answer { .. } => MessageKind::Answer,
            Self::Farewell { .. } => MessageKind::Farewell,
            Self::Moved { .. } => MessageKind::Moved,
            Self::Host { .. } => MessageKind::Host,
            Self::Probe { .. } => MessageKind::Probe,
            Self::Confirm(_) => MessageKind::Confirm,
            Self::NewAddress(_) => MessageKind::NewAddress,
            Self::OwnPage => MessageKind::OwnPage,
            Self::Mismatch { .. } => MessageKind::Mismatch,
            Self::Watched(_) => MessageKind::Watched,
            Self::WatchedOver(_) => MessageKind::WatchedOver,
            Self::WatchedAnalysis { .. } => MessageKind::WatchedAnalysis,
        }
    }

    /// Returns the games that it is about: those of a digest or a reminder, or the one of another mail.
    pub fn games(&self) -> Vec<GameId> {
        if let Self::Digest(games) | Self::Reminder(games) = self {
            return games.iter().map(|at| at.game).collect();
        }
        self.game().into_iter().map(|at| at.game).collect()
    }

    /// Returns the game that the mail shows; `None` if it shows several.
    pub const fn game(&self) -> Option<Moment> {
        match self {
            Self::Started(game)
            | Self::Turn(game)
            | Self::Over(game)
            | Self::Receipt(game)
            | Self::Flagged(game)
            | Self::Paused(game)
            | Self::Watched(game)
            | Self::WatchedOver(game)
            | Self::WatchedAnalysis { game, .. } => Some(*game),
            Self::Notice { game, .. } | Self::Answer { game, .. } | Self::Mismatch { game, .. } => {
                *game
            }
            Self::Reminder(games) => match games.as_slice() {
                [game] => Some(*game),
                _ => None,
            },
            Self::Digest(_)
            | Self::Farewell { .. }
            | Self::Moved { .. }
            | Self::Host { .. }
            | Self::Probe { .. }
            | Self::Confirm(_)
            | Self::NewAddress(_)
            | Self::OwnPage
            | Self::Challenge { .. } => None,
        }
    }

    /// Returns the challenge that the mail is about.
    pub const fn challenge(&self) -> Option<GameId> {
        match self {
            Self::Challenge { challenge, .. } => Some(*challenge),
            _ => None,
        }
    }

    /// Returns whether the recipient only watches the game of the mail.
    pub const fn is_for_watcher(&self) -> bool {
        matches!(self, Self::Watched(_) | Self::WatchedOver(_) | Self::WatchedAnalysis { .. })
    }

    /// Returns the held commands that a reply to the mail confirms or cancels.
    pub const fn held(&self) -> Option<HeldId> {
        match self {
            Self::Confirm(held) | Self::NewAddress(held) => Some(*held),
            Self::Answer { held, .. } => *held,
            _ => None,
        }
    }

    /// Returns why a notice is sent, if limits or a check before each try depend on that.
    pub const fn occasion(&self) -> Option<Occasion> {
        match self {
            Self::Notice { occasion, .. } | Self::Challenge { occasion, .. } => *occasion,
            _ => None,
        }
    }

    /// Returns the commands that the mail suggests.
    pub fn suggested(&self) -> &[String] {
        match self {
            Self::Answer { suggested, .. } => suggested,
            _ => &[],
        }
    }

    /// Returns what the column `text` stores.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Notice { text, .. }
            | Self::Answer { text, .. }
            | Self::Challenge { text, .. }
            | Self::Farewell { text }
            | Self::Moved { text }
            | Self::Host { text }
            | Self::Probe { text }
            | Self::WatchedAnalysis { text, .. } => Some(text),
            Self::Mismatch { sender, .. } => Some(sender),
            _ => None,
        }
    }

    /// Returns the content of a row of the outbox. The games of digests and reminders are rows of
    /// another table.
    pub(super) fn from_row(row: &Row) -> rusqlite::Result<Self> {
        let game = || {
            let game = GameId(row.get("game")?);
            Ok::<_, rusqlite::Error>(Moment {
                game,
                ply: row.get("ply")?,
                events: row.get("events")?,
            })
        };
        let any_game = || match row.get::<_, Option<i64>>("game")? {
            Some(_) => game().map(Some),
            None => Ok(None),
        };
        Ok(match parsed(row, "kind")? {
            MessageKind::Started => Self::Started(game()?),
            MessageKind::Turn => Self::Turn(game()?),
            MessageKind::Over => Self::Over(game()?),
            MessageKind::Receipt => Self::Receipt(game()?),
            MessageKind::Flagged => Self::Flagged(game()?),
            MessageKind::Paused => Self::Paused(game()?),
            MessageKind::Reminder => Self::Reminder(Vec::new()),
            MessageKind::Digest => Self::Digest(Vec::new()),
            MessageKind::Notice => Self::Notice {
                game: any_game()?,
                text: row.get("text")?,
                occasion: row.get("occasion")?,
            },
            MessageKind::Answer => Self::Answer {
                game: any_game()?,
                text: row.get("text")?,
                held: row.get("held")?,
                suggested: row
                    .get::<_, Option<String>>("suggested")?
                    .map(|lines| lines.lines().map(str::to_owned).collect())
                    .unwrap_or_default(),
            },
            MessageKind::Farewell => Self::Farewell { text: row.get("text")? },
            MessageKind::Moved => Self::Moved { text: row.get("text")? },
            MessageKind::Host => Self::Host { text: row.get("text")? },
            MessageKind::Probe => Self::Probe { text: row.get("text")? },
            MessageKind::Confirm => Self::Confirm(row.get("held")?),
            MessageKind::NewAddress => Self::NewAddress(row.get("held")?),
            MessageKind::OwnPage => Self::OwnPage,
            MessageKind::Challenge => Self::Challenge {
                challenge: GameId(row.get("challenge")?),
                text: row.get("text")?,
                occasion: row.get("occasion")?,
            },
            MessageKind::Mismatch => Self::Mismatch { game: any_game()?, sender: row.get("text")? },
            MessageKind::Watched => Self::Watched(game()?),
            MessageKind::WatchedOver => Self::WatchedOver(game()?),
            MessageKind::WatchedAnalysis => {
                Self::WatchedAnalysis { game: game()?, text: row.get("text")? }
            }
        })
    }
}
