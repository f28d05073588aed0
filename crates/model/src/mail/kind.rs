use chrono::TimeDelta;

use crate::words;

words! {
    /// The kind of a mail, without its content. Each kind has templates of its name.
    MessageKind {
        /// The game has begun.
        Started = "started",
        /// It is the player's turn.
        Turn = "turn",
        /// The game is over.
        Over = "over",
        /// The player's move was made.
        Receipt = "receipt",
        /// The reply to an incoming mail.
        Answer = "answer",
        /// Asks whether an incoming mail was really the recipient's.
        Confirm = "confirm",
        /// Another sender used the player's reply token.
        Mismatch = "mismatch",
        /// Mail to the opponent bounces.
        Paused = "paused",
        /// All games that wait for the player.
        Digest = "digest",
        /// The time of the player or of the opponent is over.
        Flagged = "flagged",
        /// Reminds of games with little time left.
        Reminder = "reminder",
        /// Reports an act of the host or the opponent.
        Notice = "notice",
        /// Asks whether a player's mail is to come to this address.
        NewAddress = "address",
        /// The link to the player's own page.
        OwnPage = "own-page",
        /// The last mail to somebody who has left.
        Farewell = "farewell",
        /// Tells a former address that the player's mail goes elsewhere.
        Moved = "moved",
        /// A move was made in a game that the recipient watches.
        Watched = "watched",
        /// A game that the recipient watches is over.
        WatchedOver = "watched-over",
        /// The analysis of a game that the recipient watches.
        WatchedAnalysis = "watched-analysis",
        /// Asks for an answer, which shows how mail comes in.
        Probe = "probe",
        /// A challenge, or the end of one.
        Challenge = "challenge",
        /// News of a tournament.
        Tournament = "tournament",
        /// The week of the club.
        Letter = "letter",
        /// What needs the host.
        Host = "host",
    }
}

/// What a mail is about, which decides the use of a reply to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// A game that the recipient plays, or none.
    Game,
    /// A game that the recipient watches.
    WatchedGame,
    /// The games that wait for the recipient, as they were when it was queued.
    WaitingGames,
    /// Games with little time left, as they are at the first try.
    EndingGames,
    /// A challenge.
    Challenge,
    /// Held commands, which a reply confirms or cancels.
    Held,
    /// The recipient's membership.
    Membership,
    /// The recipient's former address. Its reader must not act for the player.
    FormerAddress,
    /// The delivery of mail, which a reply shows.
    Delivery,
    /// The club, to its host.
    Club,
}

impl Topic {
    /// Returns whether it is several games.
    pub fn is_games(self) -> bool {
        [Self::WaitingGames, Self::EndingGames].contains(&self)
    }
}

/// The Subject of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// That of all mails of its game.
    Game,
    /// That of all mails of its game, or without one the first sentence of its text.
    GameOrText,
    /// That of all mails of its game, or without one this.
    GameOr(&'static str),
    /// The first sentence of its text.
    Text,
    /// Always this.
    Fixed(&'static str),
    /// It is composed with the content.
    Composed,
}

/// A property of some kinds of mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trait {
    /// It comes for each move: a player can turn it off, and it waits for digests and absences.
    OfMove,
    /// It goes only as long as the time of the turn runs.
    EndsWithTime,
    /// It makes an unsent turn mail of its game pointless.
    SupersedesTurn,
    /// It shows the position in the recipient's turn.
    ShowsTurn,
    /// It goes again after a bounce, as long as its position holds.
    SentAgain,
    /// It attaches the comments of opponents.
    BringsComments,
    /// It has a token that ends the mails of its game.
    Stoppable,
    /// It answers its recipient, also about a local game.
    Answers,
    /// The limits on replies hold for it even if it replies to no mail.
    Limited,
    /// Its recipient has asked for it each time, so that no limit and no setting holds it back.
    Ordered,
    /// Its text has markup.
    HasMarkup,
    /// It says what to do next, and offers the player's own page.
    OffersPage,
    /// It can carry the answer to the command that caused it, as its text.
    CarriesAnswer,
}

impl MessageKind {
    /// Returns the topic, Subject and properties of the kind.
    const fn row(self) -> (Topic, Subject, &'static [Trait]) {
        use Trait::*;
        match self {
            Self::Started => (
                Topic::Game,
                Subject::Game,
                &[SupersedesTurn, ShowsTurn, SentAgain, BringsComments, Stoppable, CarriesAnswer],
            ),
            Self::Turn => (
                Topic::Game,
                Subject::Game,
                &[
                    OfMove,
                    EndsWithTime,
                    SupersedesTurn,
                    ShowsTurn,
                    SentAgain,
                    BringsComments,
                    Stoppable,
                ],
            ),
            Self::Over => {
                (Topic::Game, Subject::Game, &[SupersedesTurn, BringsComments, CarriesAnswer])
            }
            Self::Receipt => {
                (Topic::Game, Subject::Game, &[SupersedesTurn, BringsComments, Stoppable, Ordered])
            }
            Self::Answer => (Topic::Game, Subject::GameOrText, &[Answers, HasMarkup]),
            Self::Confirm => (Topic::Held, Subject::Composed, &[SupersedesTurn]),
            Self::Mismatch => {
                (Topic::Game, Subject::GameOr("A reply from another address"), &[Answers])
            }
            Self::Paused => (Topic::Game, Subject::Game, &[]),
            Self::Digest => {
                (Topic::WaitingGames, Subject::Composed, &[ShowsTurn, BringsComments, OffersPage])
            }
            Self::Flagged => (Topic::Game, Subject::Game, &[SupersedesTurn, BringsComments]),
            Self::Reminder => (Topic::EndingGames, Subject::Composed, &[]),
            Self::Notice => (Topic::Game, Subject::Text, &[ShowsTurn, BringsComments]),
            Self::NewAddress => (Topic::Held, Subject::Composed, &[Limited]),
            Self::OwnPage => (Topic::Membership, Subject::Fixed("Your page"), &[CarriesAnswer]),
            Self::Farewell => (Topic::Membership, Subject::Text, &[]),
            Self::Moved => (Topic::FormerAddress, Subject::Text, &[]),
            Self::Watched => (Topic::WatchedGame, Subject::Game, &[OfMove, Stoppable]),
            Self::WatchedOver => (Topic::WatchedGame, Subject::Game, &[Stoppable]),
            Self::WatchedAnalysis => (Topic::WatchedGame, Subject::Game, &[Stoppable, HasMarkup]),
            Self::Probe => (Topic::Delivery, Subject::Fixed("A test of the mail"), &[]),
            Self::Challenge => (Topic::Challenge, Subject::Composed, &[OffersPage]),
            Self::Tournament => (Topic::Game, Subject::Text, &[HasMarkup]),
            Self::Letter => (Topic::Membership, Subject::Text, &[HasMarkup]),
            Self::Host => (Topic::Club, Subject::Fixed("For the host"), &[]),
        }
    }

    /// Returns the topic of a mail of this kind.
    pub const fn topic(self) -> Topic {
        self.row().0
    }

    /// Returns its Subject.
    pub const fn subject(self) -> Subject {
        self.row().1
    }

    /// Returns whether this is true of the kind.
    pub fn has(self, asked: Trait) -> bool {
        self.row().2.contains(&asked)
    }
}

words! {
    /// The state of an outbox entry.
    MailState {
        /// To be sent, or sent again.
        Queued = "queued",
        /// Handed over.
        Sent = "sent",
        /// Replaced by a later mail before it was sent.
        Superseded = "superseded",
        /// Not tried again automatically.
        Failed = "failed",
        /// Held back until the player's address works again.
        Paused = "paused",
    }
}

/// How long the records of delivered mails are kept, the shortest of all: a mail may bounce until
/// then.
pub const DELIVERED_KEPT_FOR: TimeDelta = TimeDelta::days(10);

impl MailState {
    /// Returns how long the record of a mail of any kind is kept after it was last due; `None` while
    /// the mail may still go.
    pub const fn kept_for(self) -> Option<TimeDelta> {
        match self {
            Self::Queued | Self::Paused => None,
            Self::Sent | Self::Superseded => Some(DELIVERED_KEPT_FOR),
            // The host can try it again until then.
            Self::Failed => Some(TimeDelta::days(30)),
        }
    }
}
