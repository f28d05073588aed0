use crate::words::words;

words! {
    /// The kind of a mail, without what it carries. Each kind has templates of its name.
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
        /// Reminds of games whose time is almost over.
        Reminder = "reminder",
        /// Says what the host or the opponent has done.
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
        /// A challenge, or what has become of it.
        Challenge = "challenge",
        /// What needs the host.
        Host = "host",
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
