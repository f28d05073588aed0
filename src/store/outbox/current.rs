use crate::store::{Db, Result, moment};
use outflank_model::log::GameId;
use outflank_model::{Moment, PlayerId};

/// A game as it is now for the recipient of a mail about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentGame {
    /// The present moment.
    pub moment: Moment,
    /// The last event that changed the position.
    pub position_event: usize,
    /// The event that made the open offer; `None` if none is open.
    pub offer_event: Option<usize>,
    /// When the time of the player to move is over, in seconds since 1970.
    deadline: i64,
    /// Whether it is active.
    pub is_active: bool,
    /// Whether it is the player's turn.
    pub is_turn: bool,
    /// Whether clocks stand still during absences.
    pub has_absences: bool,
    /// Whether both players have agreed to a pause, which has not ended.
    pub is_paused: bool,
    /// Whether the opponent of the player to move was mailed that it can be claimed.
    pub is_claimable: bool,
    /// Whether the player gets turn mails of the game.
    pub is_subscribed: bool,
    /// Whether the player has blocked the opponent's comments.
    pub has_blocked: bool,
}

impl CurrentGame {
    /// Returns a text that changes with the parts of a game that mails show: the position, the deadline
    /// and the open offer.
    pub fn shown(&self) -> String {
        let Self { position_event, deadline, offer_event, .. } = self;
        let offer = offer_event.unwrap_or_default();
        format!("{position_event} {deadline} {offer}")
    }

    /// Returns whether it is active and moves were made.
    pub const fn has_moves(&self) -> bool {
        self.is_active && self.moment.ply > 0
    }

    /// Returns the same without the offer, which is not shown to those who watch the game.
    pub fn shown_to_watcher(&self) -> String {
        format!("{} {}", self.position_event, self.deadline)
    }
}

impl Db<'_> {
    /// Returns a game as it is now for one of its players, or for one who watches it.
    pub fn current_game(&self, game: GameId, player: PlayerId) -> Result<CurrentGame> {
        let sql = "SELECT ply, events, position_event, offer_event, deadline, turn IS NOT NULL AS is_active,
                to_move IS ?2 AS is_turn, absences, paused,
                claim_event IS NOT NULL AS is_claimable,
                NOT EXISTS (SELECT 1 FROM unsubscribed WHERE game = ?1 AND player = ?2)
                    AS is_subscribed,
                EXISTS (SELECT 1 FROM blocked WHERE player = ?2 AND author IN (black, white))
                    AS has_blocked
             FROM game WHERE id = ?1";
        self.one(sql, (game.0, player.0), |row| {
            Ok(CurrentGame {
                moment: moment(row, game)?,
                position_event: row.get("position_event")?,
                offer_event: row.get("offer_event")?,
                deadline: row.get("deadline")?,
                is_active: row.get("is_active")?,
                is_turn: row.get("is_turn")?,
                has_absences: row.get("absences")?,
                is_paused: row.get("paused")?,
                is_claimable: row.get("is_claimable")?,
                is_subscribed: row.get("is_subscribed")?,
                has_blocked: row.get("has_blocked")?,
            })
        })
    }
}
