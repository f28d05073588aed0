//! The terms of incoming mail.

use std::fmt;

use clap::Args;

use crate::app::ClaimedMails;
use crate::mail::read::{Unreadable, is_null_path};
use crate::store::MailId;

/// What a mail server knows about a mail besides its text (RFC 5321).
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Envelope {
    /// The address that it was sent to
    pub recipient: Option<String>,
    /// The address that it came from; empty for bounces
    pub sender: Option<String>,
    /// The part of the recipient between + and @
    pub extension: Option<String>,
}

impl Envelope {
    /// Returns whether the sender is known to be empty, as in bounces.
    pub(crate) fn has_null_sender(&self) -> bool {
        self.sender.as_deref().is_some_and(is_null_path)
    }
}

/// What happened to an incoming mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disposition {
    /// Its commands were run or refused.
    Done,
    /// Its commands wait for a confirmation.
    Held,
    /// Its sender is not signed up.
    Stranger,
    /// It carried a player's reply token, but came from another address.
    Mismatch,
    /// It reported that a mail of ours could not be delivered.
    Bounce,
    /// It was a test of `doctor` that came back, or the answer to one.
    Probe,
    /// It was processed before.
    Copy,
    /// Its sender, or all senders together, sent too much.
    Flood,
    /// It was sent by a machine or cannot be acted upon, for this reason.
    Ignored(&'static str),
    /// It could not be processed and is kept.
    Quarantined,
}

impl Disposition {
    /// A report about a mail that this database has not sent, or has forgotten.
    pub(crate) const UNKNOWN_MAIL: Self = Self::Ignored("a report about an unknown mail");
    /// The sender is banned.
    pub(crate) const BANNED: Self = Self::Ignored("banned");

    /// The words of all dispositions, without reasons.
    pub(crate) const WORDS: [&str; 10] = [
        Self::Done.base_word(),
        Self::Held.base_word(),
        Self::Stranger.base_word(),
        Self::Mismatch.base_word(),
        Self::Bounce.base_word(),
        Self::Probe.base_word(),
        Self::Copy.base_word(),
        Self::Flood.base_word(),
        Self::Ignored("").base_word(),
        Self::Quarantined.base_word(),
    ];

    /// Returns the word under which it is counted.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Ignored(why) => format!("ignored: {why}"),
            other => other.base_word().to_owned(),
        }
    }

    /// Returns its word without a reason.
    pub(crate) const fn base_word(self) -> &'static str {
        self.row().0
    }

    /// Returns the reason that every mail with this disposition has.
    pub(crate) const fn reason(self) -> Option<&'static str> {
        self.row().1
    }

    const fn row(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Done => ("done", None),
            Self::Held => ("held", Some("the sender is asked to confirm")),
            Self::Stranger => ("stranger", Some("the address is not signed up")),
            Self::Mismatch => {
                ("mismatch", Some("a player's reply token came from another address"))
            }
            Self::Bounce => ("bounce", None),
            Self::Probe => ("probe", None),
            Self::Copy => ("copy", Some("processed before")),
            Self::Flood => ("flood", Some("too many mails in an hour")),
            Self::Ignored(why) => ("ignored", Some(why)),
            Self::Quarantined => ("quarantined", None),
        }
    }
}

/// A processed mail.
pub(crate) struct Processed {
    pub disposition: Disposition,
    /// The mails that it caused.
    pub mails: Vec<MailId>,
    /// Those of them that were claimed with the change, to be delivered by this process.
    pub claimed: Option<ClaimedMails>,
    /// The name of the player who sent it.
    pub player: Option<String>,
    /// The words of its commands.
    pub understood: Vec<&'static str>,
}

/// Why a mail cannot be processed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unprocessable {
    Unreadable(Unreadable),
    NoAuthor,
    Panicked,
}

impl fmt::Display for Unprocessable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => why.fmt(f),
            Self::NoAuthor => f.write_str("its From field does not name one author"),
            Self::Panicked => f.write_str("the program failed on it, which is a bug; report it"),
        }
    }
}
