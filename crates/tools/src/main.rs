//! The tools as one program; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    outflank_tools::run()
}
