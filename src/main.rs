//! The `outflank` program: everything it does is in the library.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    outflank::cli::run(env::args_os())
}
