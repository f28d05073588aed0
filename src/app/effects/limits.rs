//! How many mails about offers and absences a player gets in a day. The others come together the next
//! day: one mail with the state at that time.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::app::effects::due::Hold;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::quota::{DAY, room_at};
use crate::store::{MailId, RecentNotice};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::mail::Occasion;

/// The most mails about offers in a day, a game and a player.
const MAX_OFFERS: usize = 5;
/// The most mails about the absences of an opponent in a day.
const MAX_ABSENCES: usize = 3;

/// What earlier notices to a player mean for another one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limit {
    /// When there is room for another mail; `None`: now.
    pub until: Option<DateTime<Utc>>,
    /// A notice that was not tried yet and that the new one would correct.
    pub waiting: Option<MailId>,
}

impl Limit {
    /// Returns how the limit holds the mail back.
    pub(crate) fn hold(self) -> Hold {
        self.until.map_or(Hold::Default, Hold::Until)
    }

    fn of(notices: &[RecentNotice], most: usize, corrected: &[Occasion]) -> Self {
        let is_waiting =
            |it: &&RecentNotice| it.first_try_at.is_none() && corrected.contains(&it.occasion);
        let waiting = notices.iter().find(is_waiting).map(|it| it.id);
        Self { until: room_at(notices.iter().map(|it| it.first_try_at), most), waiting }
    }
}

/// Returns the limit on mails to a player about offers in a game. `corrected` is the event of the offer
/// that the mail reports as withdrawn or declined.
pub(crate) fn offers(
    outbox: &Outbox,
    player: PlayerId,
    game: GameId,
    corrected: Option<usize>,
) -> Result<Limit, Error> {
    let mut notices = outbox.tx.recent_notices(player, Some(game), outbox.env.now() - DAY)?;
    notices.retain(|it| matches!(it.occasion, Occasion::Offer(_) | Occasion::Answer));
    let corrected: Vec<_> = corrected.map(Occasion::Offer).into_iter().collect();
    Ok(Limit::of(&notices, MAX_OFFERS, &corrected))
}

/// Returns the limit on mails to a player about the absences of an opponent.
pub(crate) fn absences(outbox: &Outbox, to: PlayerId, opponent: PlayerId) -> Result<Limit, Error> {
    let mut notices = outbox.tx.recent_notices(to, None, outbox.env.now() - DAY)?;
    let of_opponent =
        [Occasion::Absence, Occasion::Return, Occasion::Absences].map(|of| of(opponent));
    notices.retain(|it| of_opponent.contains(&it.occasion));
    Ok(Limit::of(&notices, MAX_ABSENCES, &of_opponent))
}
