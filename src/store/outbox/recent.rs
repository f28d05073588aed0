use chrono::{DateTime, Utc};

use super::MailId;
use crate::store::{Db, Result, get, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::mail::Occasion;

/// A notice to a player that was sent lately or waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentNotice {
    /// Its number in the outbox.
    pub id: MailId,
    /// Why it is sent.
    pub occasion: Occasion,
    /// When it was first tried; `None` if it waits for that.
    pub first_try_at: Option<DateTime<Utc>>,
}

impl Db<'_> {
    /// Returns the notices to a player with an occasion, about a game or none: those first tried after
    /// this time, and those that wait for their first try.
    pub fn recent_notices(
        &self,
        player: PlayerId,
        game: Option<GameId>,
        after: DateTime<Utc>,
    ) -> Result<Vec<RecentNotice>> {
        let sql = "SELECT id, occasion, first_try_at FROM outbox
             WHERE player = ?1 AND game IS ?2 AND occasion IS NOT NULL
             AND (first_try_at > ?3 OR first_try_at IS NULL AND state IN ('queued', 'paused'))
             ORDER BY id";
        self.all(sql, (player.0, game.map(|game| game.0), seconds(after)), |row| {
            let (occasion, first_try_at) = (parsed(row, "occasion")?, get(row, "first_try_at")?);
            Ok(RecentNotice { id: get(row, "id")?, occasion, first_try_at })
        })
    }
}
