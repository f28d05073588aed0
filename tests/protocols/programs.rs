//! External programs.
