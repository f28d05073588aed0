use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

use crate::store::PlayerId;

/// Why a notice is sent, for limits and for the check before each try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The opponent has made the offer with this event. It is sent as long as that is open.
    Offer(usize),
    /// The opponent has answered or withdrawn an offer.
    Answer,
    /// The opponent has said something. It is sent unless the recipient has blocked the opponent.
    Comment,
    /// This player begins or ends an absence.
    Absence(PlayerId),
    /// This player has begun and ended absences. It says what holds at the first try.
    Absences(PlayerId),
    /// The recipient can claim a game without a clock. It is sent as long as that is so.
    Claim,
    /// It gathers what this player has caused beyond a day's quota. It is sent unless the recipient has
    /// blocked the player.
    Gathered(PlayerId),
    /// The recipient is challenged. It is sent as long as the challenge is open.
    Challenge,
}

const OFFER: &str = "offer";
const ANSWER: &str = "answer";
const COMMENT: &str = "comment";
const ABSENCE: &str = "absence";
const ABSENCES: &str = "absences";
const CLAIM: &str = "claim";
const GATHERED: &str = "gathered";
const CHALLENGE: &str = "challenge";

impl FromSql for Occasion {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let (word, number) = text.split_once(' ').unwrap_or((text, ""));
        let invalid = |_| FromSqlError::InvalidType;
        Ok(match word {
            OFFER => Self::Offer(number.parse().map_err(invalid)?),
            ANSWER => Self::Answer,
            COMMENT => Self::Comment,
            ABSENCE => Self::Absence(PlayerId(number.parse().map_err(invalid)?)),
            ABSENCES => Self::Absences(PlayerId(number.parse().map_err(invalid)?)),
            CLAIM => Self::Claim,
            GATHERED => Self::Gathered(PlayerId(number.parse().map_err(invalid)?)),
            CHALLENGE => Self::Challenge,
            _ => return Err(FromSqlError::InvalidType),
        })
    }
}

impl ToSql for Occasion {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Offer(event) => format!("{OFFER} {event}").into(),
            Self::Answer => ANSWER.into(),
            Self::Comment => COMMENT.into(),
            Self::Absence(player) => format!("{ABSENCE} {}", player.0).into(),
            Self::Absences(player) => format!("{ABSENCES} {}", player.0).into(),
            Self::Claim => CLAIM.into(),
            Self::Gathered(player) => format!("{GATHERED} {}", player.0).into(),
            Self::Challenge => CHALLENGE.into(),
        })
    }
}
