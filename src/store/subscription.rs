use super::{Db, Result, Tx, kinds, only};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::mail::{MessageKind, Trait};

impl Tx<'_> {
    /// Sets whether a player gets turn mails of a game, and returns whether that is a change.
    pub fn set_subscribed(&self, player: PlayerId, game: GameId, wanted: bool) -> Result<bool> {
        let sql = if wanted {
            "DELETE FROM unsubscribed WHERE game = ?1 AND player = ?2"
        } else {
            "INSERT INTO unsubscribed (game, player) VALUES (?1, ?2) ON CONFLICT DO NOTHING"
        };
        self.changes(sql, (game.0, player.0))
    }
}

impl Db<'_> {
    /// Returns whether a player gets turn mails of a game.
    pub fn is_subscribed(&self, player: PlayerId, game: GameId) -> Result<bool> {
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM unsubscribed WHERE game = ?1 AND player = ?2)";
        self.one(sql, (game.0, player.0), only)
    }

    /// Returns whether a mail that was sent has told a player of the present turn of a game.
    pub fn is_turn_told(&self, player: PlayerId, game: GameId) -> Result<bool> {
        let told = "outbox.player = ?1 AND outbox.state = 'sent' AND outbox.bounced_at IS NULL";
        let sql = format!(
            "SELECT 1 FROM game JOIN outbox ON outbox.game = game.id
             WHERE game.id = ?2 AND {told} AND outbox.events >= game.position_event
                AND outbox.kind IN ({})
             UNION ALL
             SELECT 1 FROM game JOIN digest_game ON digest_game.game = game.id
                JOIN outbox ON outbox.id = digest_game.mail
             WHERE game.id = ?2 AND {told} AND digest_game.events >= game.position_event LIMIT 1",
            // A receipt of the last move says that its author moves again.
            kinds(|kind| kind.has(Trait::ShowsTurn) || kind == MessageKind::Receipt)
        );
        self.exists(&sql, (player.0, game.0))
    }
}
