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

impl Occasion {
    /// Returns whether it follows from what the opponent does in a game, also after its end.
    pub const fn is_of_opponent(self) -> bool {
        match self {
            Self::Offer(_) | Self::Answer | Self::Comment => true,
            Self::Absence(_)
            | Self::Absences(_)
            | Self::Claim
            | Self::Gathered(_)
            | Self::Challenge => false,
        }
    }

    /// Returns the text for it in the database.
    fn stored(self) -> String {
        match self {
            Self::Offer(event) => format!("offer {event}"),
            Self::Answer => "answer".to_owned(),
            Self::Comment => "comment".to_owned(),
            Self::Absence(player) => format!("absence {}", player.0),
            Self::Absences(player) => format!("absences {}", player.0),
            Self::Claim => "claim".to_owned(),
            Self::Gathered(player) => format!("gathered {}", player.0),
            Self::Challenge => "challenge".to_owned(),
        }
    }
}

impl FromSql for Occasion {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        let number = text.split_once(' ').and_then(|(_, number)| number.parse().ok());
        let (event, player) =
            (number.unwrap_or_default(), PlayerId(number.unwrap_or_default() as i64));
        let known = [
            Self::Offer(event),
            Self::Answer,
            Self::Comment,
            Self::Absence(player),
            Self::Absences(player),
            Self::Claim,
            Self::Gathered(player),
            Self::Challenge,
        ];
        known.into_iter().find(|it| it.stored() == text).ok_or(FromSqlError::InvalidType)
    }
}

impl ToSql for Occasion {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.stored().into())
    }
}
