//! How a command runs: by whom, on which database, at which front end, once or until stopped.

pub(crate) mod actor;
pub(crate) mod application;
pub(crate) mod claimed;
pub(crate) mod contain;
pub(crate) mod front_end;
pub(crate) mod log_format;
pub(crate) mod progress;
pub(crate) mod retry;
pub(crate) mod searched;
pub(crate) mod session;
pub(crate) mod traits;
pub(crate) mod use_case;
pub(crate) mod watch;
