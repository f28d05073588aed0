//! The board on a terminal, as people see and use it.

mod games;
mod leaving;
mod pty;

use pty::Terminal;
