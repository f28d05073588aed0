//! The database: the only module that knows SQLite. A file per table; rows become domain types
//! here and nowhere else.
//!
//! [`Store::read`] gives a [`Db`], which can only read; [`Store::write`] gives a [`Tx`], which can
//! write too. All that one closure reads belongs together, and all that it writes is on disk when
//! [`Store::write`] returns, or none of it is. Every method of the two fails with [`Error`] when
//! the database does.

mod absence;
mod agreement;
mod analysis;
mod ban;
mod challenge;
mod clock;
mod club;
mod club_key;
mod column;
mod comment;
mod connection;
mod copy;
mod create;
mod database;
mod dated_copy;
mod derived;
mod error;
mod event;
mod failure;
mod game;
#[cfg(test)]
mod growth;
mod handover;
mod health;
mod held;
mod host_item;
mod inspect;
mod installation;
mod intake;
mod job;
mod job_order;
mod lease;
mod letter;
mod listing;
mod mark;
mod member;
mod migrate;
mod new_address;
mod outage;
mod outbox;
mod plan;
mod player;
mod probe;
mod quarantine;
mod queue;
mod rating;
mod read_only;
mod received;
mod record;
mod replica;
mod reply;
mod rows;
mod seen;
mod side;
mod signed_game;
#[cfg(test)]
mod statements;
mod subscription;
mod system_user;
#[cfg(test)]
mod tests;
mod tournament;
mod transaction;
mod verify;
#[cfg(test)]
mod watch;
mod watcher;

pub use absence::{Absence, AbsentPlayer};
pub use analysis::AnalyzedPly;
pub use challenge::{Challenges, NewChallenge};
pub use clock::{FailedAlarm, LastReminder, Reminder};
pub use club::Club;
pub use comment::CommentCount;
pub use connection::{MAX_REPLICATED_LOG, files_beside};
pub use database::Store;
pub use dated_copy::KeptCopies;
pub use error::{Error, Result};
pub use failure::Bounces;
pub use game::NewGame;
pub use handover::{Attempt, Handover};
pub use health::{Failures, OverdueMail};
pub use host_item::{HostItem, HostItemKind};
pub use intake::IntakeCount;
pub use job::{Job, JobId, JobKind, JobRequest, Jobs, NewJob, QueuedJob, WaitingJobs};
pub use job_order::JobRank;
pub use lease::Lease;
pub use listing::{GameSummary, Listing};
pub use member::{Mentioning, mentions};
pub use outage::{ClockDoubt, MailOutage};
pub use outbox::{
    Claim, ClaimRequest, CurrentGame, InReplyTo, MailId, NewOutboxEntry, OutboxEntry, RecentNotice,
    Recipient, Settled, UntriedQuestion, WaitingMail,
};
pub use plan::StoredPlan;
pub use player::Results;
pub use probe::{AnswerHeaders, Probe};
pub use quarantine::Quarantined;
pub use rating::{Place, RatedGame};
pub use received::{MAX_RECEIVED, Received, ReceivedFilter};
pub use record::{Record, RecordAbout, Turns};
pub use reply::ReplyCounts;
pub use rows::{Filling, Row};
pub use transaction::{Db, Tx};
pub use verify::{Cell, Checked, CheckedRow, Difference, Key, Wrong, derived_columns};

use column::{color, get, kinds, moment, only, parsed, parsed_or_none, seconds};
