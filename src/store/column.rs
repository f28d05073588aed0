use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::FromSqlError;

/// Parses a column of text.
pub(super) fn parsed<T: FromStr>(row: &Row, column: &str) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|_| FromSqlError::InvalidType.into())
}

/// Returns a time as it is stored.
pub(super) fn seconds(time: DateTime<Utc>) -> i64 {
    time.timestamp()
}

/// A column of seconds as a time.
pub(super) struct Time(pub(super) DateTime<Utc>);

impl rusqlite::types::FromSql for Time {
    fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
        let seconds = value.as_i64()?;
        DateTime::from_timestamp(seconds, 0)
            .map(Self)
            .ok_or(rusqlite::types::FromSqlError::OutOfRange(seconds))
    }
}
