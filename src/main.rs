//! The `outflank` program; the library does all the work.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    outflank::cli::run(env::args_os())
}
