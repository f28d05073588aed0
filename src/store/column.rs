use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::FromSqlError;

use outflank_model::mail::MessageKind;

/// Parses a column of text.
pub(super) fn parsed<T: FromStr>(row: &Row, column: &str) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse().map_err(|_| FromSqlError::InvalidType.into())
}

/// Parses a column of text, or returns `None` for one that is empty.
pub(super) fn parsed_or_none<T: FromStr>(row: &Row, column: &str) -> rusqlite::Result<Option<T>> {
    let text = row.get_ref(column)?.as_str_or_null()?;
    text.map(str::parse).transpose().map_err(|_| FromSqlError::InvalidType.into())
}

/// Returns the words of the kinds of mail for which this holds, as a list for SQL.
pub(super) fn kinds(holds: impl Fn(MessageKind) -> bool) -> String {
    let kinds = MessageKind::ALL.iter().filter(|kind| holds(**kind));
    kinds.map(|kind| format!("'{}'", kind.word())).collect::<Vec<_>>().join(", ")
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
