//! Mails that a player gets as long as a setting says so, and that each of them can stop.

use crate::mail::token::{Claims, Purpose};
use outflank_model::mail::MessageKind;
use outflank_model::preferences::{Setting, Settings};

/// A kind of mail that a setting stops.
#[derive(Debug, PartialEq, Eq)]
pub struct Stoppable {
    /// The purpose of the tokens that stop it.
    pub(crate) purpose: Purpose,
    /// The kind.
    pub(crate) kind: MessageKind,
    /// What people call these mails.
    pub name: &'static str,
    /// What they say, behind "mails".
    pub about: &'static str,
    /// The word of the setting.
    setting: &'static str,
    /// The value that stops them.
    off: &'static str,
    /// A value that brings them back.
    on: &'static str,
}

/// All such kinds.
static STOPPABLE: [Stoppable; 3] = [
    Stoppable {
        purpose: Purpose::StopDigests,
        kind: MessageKind::Digest,
        name: "digests",
        about: "that say it is your turn",
        setting: "mail",
        off: "none",
        on: "digest 18:00",
    },
    Stoppable {
        purpose: Purpose::StopReminders,
        kind: MessageKind::Reminder,
        name: "reminders",
        about: "that say you have little time left",
        setting: "reminders",
        off: "off",
        on: "on",
    },
    Stoppable {
        purpose: Purpose::StopLetters,
        kind: MessageKind::Letter,
        name: "letters of the club",
        about: "about the week of the club",
        setting: "letter",
        off: "off",
        on: "on",
    },
];

impl Stoppable {
    /// Returns the row of a kind, if a setting stops it.
    pub(crate) fn of_kind(kind: MessageKind) -> Option<&'static Self> {
        STOPPABLE.iter().find(|it| it.kind == kind)
    }

    /// Returns the row of the mails that a token stops, if it is one that does.
    pub(crate) fn of_token(token: &Claims) -> Option<&'static Self> {
        STOPPABLE.iter().find(|it| it.purpose == token.purpose)
    }

    /// Returns the command that stops them.
    pub(crate) fn command(&self) -> String {
        format!("set {} {}", self.setting, self.off)
    }

    /// Returns a command that brings them back.
    pub(crate) fn command_back(&self) -> String {
        format!("set {} {}", self.setting, self.on)
    }

    /// Returns whether these settings have stopped them.
    pub(crate) fn is_stopped(&self, settings: &Settings) -> bool {
        Setting::named(self.setting).is_ok_and(|setting| setting.value(settings) == self.off)
    }
}
