//! Games and clubs that go out of a database and into another.

mod club;
mod mailed;
