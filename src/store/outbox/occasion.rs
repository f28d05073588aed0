use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// Why a notice is sent. It is sent only as long as this holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The opponent has made the offer with this event, which is open.
    Offer(usize),
    /// The opponent has said something, and the recipient has not blocked the opponent.
    Comment,
}

/// What the column begins with for an offer.
const OFFER: &str = "offer ";
const COMMENT: &str = "comment";

impl FromSql for Occasion {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        match text.strip_prefix(OFFER) {
            Some(event) => event.parse().map(Self::Offer).map_err(|_| FromSqlError::InvalidType),
            None if text == COMMENT => Ok(Self::Comment),
            None => Err(FromSqlError::InvalidType),
        }
    }
}

impl ToSql for Occasion {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Offer(event) => format!("{OFFER}{event}").into(),
            Self::Comment => COMMENT.into(),
        })
    }
}
