//! Runs the binary in a sealed environment: its own folder, database and configuration, a clock
//! that moves only when a test moves it, and the mails that go out and come in.

pub mod chromium;
mod club;
mod environment;
mod examples;
mod inbound;
mod mail;
mod run;
mod server;
pub mod sshd;
mod tokens;

pub use club::Club;
pub use environment::{ALICE, BOB, CAROL, PROGRAM, SERVER, STRANGER, TestEnvironment, until};
pub use examples::examples;
pub use inbound::InboundMessage;
pub use mail::{Mail, buttons, decoded, with_marks};
pub use run::{Run, Running, run, run_with_input};
pub use server::Server;
pub use tokens::{Purpose, Token, first_version, token, tokens_in};

use std::env;
use std::io::{self, Write};
use std::thread;

/// Returns whether this program is there, as the caller found; otherwise reports a skipped test. It must be where
/// `OUTFLANK_E2E` is `required`.
pub fn is_installed(program: &str, is_there: bool) -> bool {
    let is_required = env::var("OUTFLANK_E2E").is_ok_and(|value| value == "required");
    assert!(is_there || !is_required, "OUTFLANK_E2E=required, but there is no {program}");
    if !is_there {
        let current = thread::current();
        let test = current.name().unwrap_or("test");
        skipped(test, &format!("needs {program}, which .ci/run installs"));
    }
    is_there
}

/// Reports a skipped test on standard error, which the test runner would hide from `eprintln!`.
pub fn skipped(test: &str, why: &str) {
    let _ = writeln!(io::stderr(), "skipped {test}: {why}");
}
