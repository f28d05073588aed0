use chrono::{DateTime, NaiveDate, Utc};

use outflank_rules::Move;

/// Returns the move in a program's words: a cell, or `pass`, `PA` or `--`.
pub fn parse_move(text: &str) -> Option<Move> {
    match text.to_ascii_lowercase().as_str() {
        "pa" | "pass" | "ps" | "--" | "passe" => Some(Move::Pass),
        cell => cell.parse().ok(),
    }
}

/// Returns the time in a text such as `2003.12.15_13:24:03.MST` or `1977.??.??`, without its zone, or of a
/// number of seconds since 1970; `None` if there is none.
pub fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut numbers = numbers.map(str::parse);
    let first: i64 = numbers.next()?.ok()?;
    if first > 9999 {
        return DateTime::from_timestamp(first, 0);
    }
    let year = i32::try_from(first).ok().filter(|year| *year > 0)?;
    let mut next = |default: u32| match numbers.next() {
        Some(number) => u32::try_from(number.ok()?).ok(),
        None => Some(default),
    };
    let day = NaiveDate::from_ymd_opt(year, next(1)?, next(1)?)?;
    Some(day.and_hms_opt(next(0)?, next(0)?, next(0)?)?.and_utc())
}
