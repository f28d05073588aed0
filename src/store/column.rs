use std::convert::identity;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Row, RowIndex};

use super::{MailId, Result};
use outflank_model::log::GameId;
use outflank_model::mail::MessageKind;
use outflank_model::{HeldId, Moment, PlayerId};
use outflank_rules::Color;

/// A type that a column holds. The types of the model do not know rusqlite's [`FromSql`].
pub(super) trait Column: Sized {
    fn from_column(value: ValueRef) -> FromSqlResult<Self>;
}

/// Implements [`Column`] for types that are made of a type which SQLite knows.
macro_rules! columns {
    ($($made:ty: $make:expr;)*) => {$(
        impl Column for $made {
            fn from_column(value: ValueRef) -> FromSqlResult<Self> {
                FromSql::column_result(value).map($make)
            }
        }
    )*};
}

columns! {
    bool: identity;
    u32: identity;
    i64: identity;
    u64: identity;
    usize: identity;
    String: identity;
    [u8; 32]: identity;
    PlayerId: PlayerId;
    GameId: GameId;
    HeldId: HeldId;
    MailId: MailId;
}

impl Column for DateTime<Utc> {
    fn from_column(value: ValueRef) -> FromSqlResult<Self> {
        let seconds = value.as_i64()?;
        Self::from_timestamp(seconds, 0).ok_or(FromSqlError::OutOfRange(seconds))
    }
}

impl<T: Column> Column for Option<T> {
    fn from_column(value: ValueRef) -> FromSqlResult<Self> {
        match value {
            ValueRef::Null => Ok(None),
            value => T::from_column(value).map(Some),
        }
    }
}

/// Returns the value of a column.
pub(super) fn get<T: Column>(row: &Row, column: impl RowIndex) -> rusqlite::Result<T> {
    struct Read<T>(T);
    impl<T: Column> FromSql for Read<T> {
        fn column_result(value: ValueRef) -> FromSqlResult<Self> {
            T::from_column(value).map(Self)
        }
    }
    row.get::<_, Read<T>>(column).map(|read| read.0)
}

/// Returns the value of a row's only column.
pub(super) fn only<T: Column>(row: &Row) -> Result<T> {
    Ok(get(row, 0)?)
}

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

/// Parses the word for a colour; `None` without one.
pub(super) fn color(row: &Row, column: &str) -> rusqlite::Result<Option<Color>> {
    let word = row.get_ref(column)?.as_str_or_null()?;
    Ok(Color::BOTH.into_iter().find(|color| word == Some(color.to_string().as_str())))
}

/// Returns the moment of this game from the columns `ply` and `events`.
pub(super) fn moment(row: &Row, game: GameId) -> rusqlite::Result<Moment> {
    Ok(Moment { game, ply: row.get("ply")?, events: row.get("events")? })
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
