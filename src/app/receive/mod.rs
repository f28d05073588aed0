//! Incoming mail: from a pipe or a Maildir to the commands that it contains.
//!
//! `batch` takes the mails through these steps; a step imports only earlier ones, and `inbound` has
//! the terms that they share.
//!
//! | step | files |
//! |---|---|
//! | read and parse a mail, find the reply tokens in it | `read`, `tokens` |
//! | screen it: automatic, seen before, within the quotas, by which sender? | `screen`, `sender` |
//! | parse its commands, bind them to the mail that it answers | `parse`, `comment`, `request`, `yes_no`, `bind`, `watching` |
//! | answer the commands that only read, before the transaction | `answers` |
//! | screen it again and process it, in the transaction | `process`, `intake` |
//! | run the other commands and reply | `run`, `report`, `suggest`, `beginner` |
//! | hold commands until they are confirmed; sign people up | `hold`, `join`, `confirm` |
//! | refuse a reply about a state that a restore has lost | `outdated` |
//! | record a bounce of one of our mails | `bounces` |
//! | record the disposition of a mail | `record` |
//! | keep a mail that cannot be processed | `quarantine` |

mod answer;
mod answers;
pub(crate) mod batch;
mod beginner;
mod bind;
mod bounces;
mod bound;
mod comment;
mod confirm;
mod doubtful;
mod hold;
pub(crate) mod inbound;
mod intake;
mod join;
pub(crate) mod maildir;
mod outdated;
mod parse;
mod process;
pub(crate) mod quarantine;
mod question;
mod quoted;
pub(crate) mod read;
mod record;
mod report;
mod request;
mod run;
mod screen;
mod sender;
mod suggest;
mod tokens;
mod watching;
mod wrapped;
pub(crate) mod yes_no;
