//! Protocols between a program that plays and a program that shows or organises games: lines in,
//! lines out.
//!
//! Each protocol has a file, which knows both sides: how our engine answers
//! (`Responder`), and how we ask another program for a move (`Questioner`). A new protocol is a
//! file and a line in [`PROTOCOLS`]. Nothing here starts a process, reads a stream or a clock.

mod definition;
mod ggf;
mod gtp;
mod inbox;
mod nboard;
mod notation;
mod record;
mod session;

use std::str::FromStr;

pub use definition::{Protocol, Questioner, Unsuitable};
pub use ggf::{BadGgf, Ending, Ggf, Played};
pub use inbox::Inbox;
pub use notation::{parse_move, parse_time};
pub use record::Record;
pub use session::EngineSession;

use outflank_rules::quoted;

/// Every protocol.
pub const PROTOCOLS: &[Protocol] = &[nboard::PROTOCOL, gtp::PROTOCOL];

/// No protocol has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no protocol {}; use {}",
    quoted(.0),
    PROTOCOLS.iter().map(|protocol| protocol.name).collect::<Vec<_>>().join(" or ")
)]
pub struct UnknownProtocol(pub String);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        let found = PROTOCOLS.iter().find(|protocol| protocol.name == name);
        found.copied().ok_or_else(|| UnknownProtocol(name.to_owned()))
    }
}
