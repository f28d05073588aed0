use std::fmt;
use std::str::FromStr;

use crate::PlayerId;

/// Why a notice is sent, for limits and for the check before each try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occasion {
    /// The opponent has made the offer with this event. It is sent as long as that is open.
    Offer(usize),
    /// The opponent has answered or withdrawn an offer.
    Answer,
    /// The opponent has said something. It is sent unless the recipient has blocked the opponent.
    Comment,
    /// This player has begun an absence. It reports the absences as they are at the first try, and is not sent if
    /// they are over.
    Absence(PlayerId),
    /// This player has ended an absence. If another has begun by the first try, it reports that.
    /// Mails of older versions about the beginning of an absence have it too.
    Return(PlayerId),
    /// This player has begun and ended absences. It reports the absences as they are at the first try, also that
    /// there are none.
    Absences(PlayerId),
    /// The recipient can claim a game without a clock. It is sent as long as that is so.
    Claim,
    /// It gathers the notices that this player has caused beyond a day's quota. It is sent unless the
    /// recipient has blocked the player.
    Gathered(PlayerId),
    /// The recipient's plan was deleted. Nobody else learns that there was one.
    DeletedPlan,
    /// The recipient is challenged. It is sent as long as the challenge is open.
    Challenge,
}

impl Occasion {
    /// Returns whether the opponent causes it in a game, also after its end.
    pub const fn is_of_opponent(self) -> bool {
        match self {
            Self::Offer(_) | Self::Answer | Self::Comment => true,
            Self::Absence(_)
            | Self::Return(_)
            | Self::Absences(_)
            | Self::Claim
            | Self::Gathered(_)
            | Self::DeletedPlan
            | Self::Challenge => false,
        }
    }
}

/// Writes the text that the database has for it.
impl fmt::Display for Occasion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offer(event) => write!(f, "offer {event}"),
            Self::Answer => f.write_str("answer"),
            Self::Comment => f.write_str("comment"),
            Self::Absence(player) => write!(f, "away {}", player.0),
            Self::Return(player) => write!(f, "absence {}", player.0),
            Self::Absences(player) => write!(f, "absences {}", player.0),
            Self::Claim => f.write_str("claim"),
            Self::Gathered(player) => write!(f, "gathered {}", player.0),
            Self::DeletedPlan => f.write_str("deleted plan"),
            Self::Challenge => f.write_str("challenge"),
        }
    }
}

/// A text is not an occasion of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownOccasion;

impl FromStr for Occasion {
    type Err = UnknownOccasion;

    fn from_str(text: &str) -> Result<Self, UnknownOccasion> {
        let number = text.split_once(' ').and_then(|(_, number)| number.parse().ok());
        let number: i64 = number.unwrap_or_default();
        let (event, player) = (usize::try_from(number).unwrap_or_default(), PlayerId(number));
        let known = [
            Self::Offer(event),
            Self::Answer,
            Self::Comment,
            Self::Absence(player),
            Self::Return(player),
            Self::Absences(player),
            Self::Claim,
            Self::Gathered(player),
            Self::DeletedPlan,
            Self::Challenge,
        ];
        known.into_iter().find(|it| it.to_string() == text).ok_or(UnknownOccasion)
    }
}
