use chrono::{DateTime, Utc};
use rusqlite::{Params, Row, named_params};

use super::content::{content, suggested_lines};
use super::{InReplyTo, MailId, NewOutboxEntry, OutboxEntry, Recipient, WaitingMail};
use crate::store::player::{self, COLUMNS};
use crate::store::{Db, Error, Result, Tx, get, kinds, only, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MailState, MessageKind, Occasion, Trait};

/// An answer, and the Message-ID of the mail that it replies to, if that has one.
pub type Carried = (String, Option<String>);

fn entry(row: &Row) -> Result<OutboxEntry> {
    let address = row.get("address")?;
    let player: Option<_> = get(row, "player")?;
    let player = player.map(|id| player::from_row(row, id)).transpose()?;
    Ok(OutboxEntry {
        id: get(row, "id")?,
        message_id: row.get("message_id")?,
        content: content(row)?,
        player,
        address,
        is_reply: row.get("is_reply")?,
        in_reply_to: row.get("in_reply_to")?,
        state: parsed(row, "state")?,
        for_digest: row.get("for_digest")?,
        is_prompt: row.get("is_prompt")?,
        not_before: get(row, "not_before")?,
        tries: row.get("tries")?,
        first_try_at: get(row, "first_try_at")?,
        shown: row.get("shown")?,
        says_turn: row.get("says_turn")?,
        created_at: get(row, "created_at")?,
        due_at: get(row, "due_at")?,
        sent_to: row.get("sent_to")?,
        last_error: row.get("last_error")?,
        bounced_at: get(row, "bounced_at")?,
    })
}

impl Tx<'_> {
    /// Puts a mail with this mark into the outbox, due at once or paused. `message_id` makes its Message-ID
    /// from its number.
    pub fn add_outbox_entry<E: From<Error>>(
        &self,
        new: &NewOutboxEntry,
        mark: &str,
        message_id: impl FnOnce(MailId) -> Result<String, E>,
        state: MailState,
        now: DateTime<Utc>,
    ) -> Result<MailId, E> {
        let (player, address) = match new.to {
            Recipient::Player(player) => (Some(player.id.0), None),
            Recipient::Address(address) => (None, Some(address)),
        };
        let game = new.content.game;
        let sql = "INSERT INTO outbox (message_id, kind, player, address, game, ply, events, text, occasion,
                held, challenge, suggested, is_reply, in_reply_to, created_at, due_at, state, mark)
             VALUES ('', :kind, :player, :address, :game, :ply, :events, :text, :occasion,
                :held, :challenge, :suggested, :is_reply, :in_reply_to, :now, :now, :state, :mark)";
        let id = self.insert(
            sql,
            named_params! {
                ":kind": new.content.kind.word(),
                ":player": player,
                ":address": address,
                ":game": game.map(|game| game.game.0),
                ":ply": game.map(|game| game.ply),
                ":events": game.map(|game| game.events),
                ":text": new.content.text,
                ":occasion": new.content.occasion.map(|it| it.to_string()),
                ":held": new.content.held.map(|id| id.0),
                ":challenge": new.content.challenge.map(|id| id.0),
                ":suggested": suggested_lines(&new.content),
                ":is_reply": new.in_reply_to.is_some(),
                ":in_reply_to": new.in_reply_to.and_then(|mail| mail.message_id),
                ":now": seconds(now),
                ":state": state.word(),
                ":mark": mark,
            },
        )?;
        let id = MailId(id);
        let sql = "UPDATE outbox SET message_id = ?2 WHERE id = ?1";
        self.execute(sql, (id.0, message_id(id)?))?;
        self.set_digest_games(id, &new.content.games)?;
        self.add_attachments(id, &new.content.attachments)?;
        Ok(id)
    }

    /// Records which player has caused a mail.
    pub fn set_cause(&self, mail: MailId, by: PlayerId) -> Result<()> {
        self.run("UPDATE outbox SET caused_by = ?2 WHERE id = ?1", (mail.0, by.0))
    }

    /// Makes a mail the reply to another one, with this answer.
    pub fn set_answer(&self, mail: MailId, to: InReplyTo, answer: &str) -> Result<()> {
        let sql = "UPDATE outbox SET text = ?2, is_reply = 1, in_reply_to = ?3 WHERE id = ?1";
        self.run(sql, (mail.0, answer, to.message_id))
    }

    /// Adds a paragraph to the text of a mail.
    pub fn append_text(&self, mail: MailId, text: &str) -> Result<()> {
        let sql = "UPDATE outbox SET text = text || char(10, 10) || ?2 WHERE id = ?1";
        self.run(sql, (mail.0, text))
    }

    /// Supersedes the unsent mails of this kind about a game to its players.
    pub fn supersede_mails(&self, game: GameId, kind: MessageKind) -> Result<()> {
        self.supersede_with(game, "kind", kind.word())
    }

    /// Supersedes the unsent mails about the offer with this event of a game.
    pub fn supersede_offer_mails(&self, game: GameId, event: usize) -> Result<()> {
        self.supersede_with(game, "occasion", &Occasion::Offer(event).to_string())
    }

    /// Queues again the turn mail of the present turn that gave way to a mail about the end of the time, which was
    /// superseded itself before it was tried.
    pub fn revive_turn_mail(&self, game: GameId) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'queued'
             WHERE game = ?1 AND state = 'superseded' AND tries = 0 AND NOT for_digest AND kind = 'turn'
             AND EXISTS (SELECT 1 FROM game WHERE id = ?1 AND to_move = outbox.player
                AND position_event <= outbox.events)
             AND EXISTS (SELECT 1 FROM outbox AS flagged WHERE flagged.game = ?1
                AND flagged.player = outbox.player AND flagged.kind = 'flagged' AND flagged.tries = 0
                AND flagged.state = 'superseded' AND flagged.events >= outbox.events)";
        self.run(sql, [game.0])
    }

    fn supersede_with(&self, game: GameId, column: &str, value: &str) -> Result<()> {
        let sql = format!(
            "UPDATE outbox SET state = 'superseded'
             WHERE player IN (SELECT black FROM game WHERE id = ?1
                              UNION ALL SELECT white FROM game WHERE id = ?1)
             AND game = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND {column} = ?2"
        );
        self.run(&sql, (game.0, value))
    }

    /// Supersedes the mails that ask players to answer a challenge and were not tried yet. Returns
    /// whether there were any.
    pub fn supersede_challenge_mails(&self, challenge: GameId) -> Result<bool> {
        let sql =
            "UPDATE outbox SET state = 'superseded' WHERE challenge = ?1 AND occasion = 'challenge'
             AND state IN ('queued', 'paused') AND tries = 0";
        self.changes(sql, [challenge.0])
    }

    /// Supersedes the mails that bring words about a challenge to a reader and were not tried yet, and
    /// returns their texts, oldest first.
    pub fn supersede_challenge_comments(
        &self,
        challenge: GameId,
        reader: PlayerId,
    ) -> Result<Vec<String>> {
        let sql = "UPDATE outbox INDEXED BY outbox_challenge SET state = 'superseded'
             WHERE challenge = ?1 AND player = ?2 AND occasion = 'comment'
             AND state IN ('queued', 'paused') AND tries = 0 RETURNING id, text";
        let mut comments: Vec<(i64, String)> =
            self.all(sql, (challenge.0, reader.0), |row| Ok((row.get(0)?, row.get(1)?)))?;
        comments.sort();
        Ok(comments.into_iter().map(|(_, text)| text).collect())
    }

    /// Supersedes the unsent turn mails of a game to a player, and the bounced mails to either player
    /// that wait to be sent again and were queued before the position changed.
    pub fn supersede_turn_mails(&self, game: GameId, player: PlayerId) -> Result<()> {
        // With the first condition on the state SQLite uses the index of unsent mail.
        let sql = "UPDATE outbox SET state = 'superseded'
             WHERE player IN (SELECT black FROM game WHERE id = ?1
                              UNION ALL SELECT white FROM game WHERE id = ?1)
             AND game = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND (kind = 'turn' OR bounced_at IS NOT NULL)
             AND (player = ?2 OR bounced_at IS NOT NULL
                 AND events < (SELECT position_event FROM game WHERE id = ?1))";
        self.run(sql, (game.0, player.0))
    }

    /// Supersedes the untried mails about the start of a game, and returns their recipients, each with the
    /// answer that the mail carried and the mail that this replies to.
    pub fn supersede_starts(&self, game: GameId) -> Result<Vec<(PlayerId, Option<Carried>)>> {
        let sql = "UPDATE outbox SET state = 'superseded'
             WHERE player IN (SELECT black FROM game WHERE id = ?1
                              UNION ALL SELECT white FROM game WHERE id = ?1)
             AND game = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND kind = 'started' AND first_try_at IS NULL
             RETURNING player, text, in_reply_to";
        self.all(sql, [game.0], |row| {
            let answer: Option<String> = row.get(1)?;
            let replied_to = row.get(2)?;
            Ok((PlayerId(row.get(0)?), answer.map(|answer| (answer, replied_to))))
        })
    }

    /// Supersedes the unsent mails about moves and the end of a game to those who watch it.
    pub fn supersede_watched_mails(&self, game: GameId) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'superseded'
             WHERE player IN (SELECT player FROM watcher WHERE game = ?1)
             AND game = ?1 AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND kind IN ('watched', 'watched-over')";
        self.run(sql, [game.0])
    }
}

impl Db<'_> {
    /// Returns the mail with this number; `None` when there is none.
    pub fn outbox_entry(&self, id: MailId) -> Result<Option<OutboxEntry>> {
        Ok(self.outbox_entries("WHERE outbox.id = ?1", [id.0])?.pop())
    }

    /// Returns the queued turn mails of a player, and those about moves that the player watches, oldest
    /// first.
    pub fn queued_turn_mails(&self, player: PlayerId) -> Result<Vec<OutboxEntry>> {
        let sql = format!(
            "WHERE outbox.player = ?1 AND state IN ('queued', 'paused', 'failed')
             AND state = 'queued' AND kind IN ({}) ORDER BY outbox.id",
            kinds(|kind| kind.has(Trait::OfMove))
        );
        self.outbox_entries(&sql, [player.0])
    }

    /// Returns the digests of a player that wait to be tried again, and that no process has claimed.
    pub fn unsent_digests(&self, player: PlayerId) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries(
            "WHERE outbox.player = ?1 AND state IN ('queued', 'paused', 'failed')
             AND state = 'queued' AND kind = 'digest' AND lease IS NULL ORDER BY outbox.id",
            [player.0],
        )
    }

    /// Returns the recorded mails of a game, oldest first.
    pub fn outbox_of(&self, game: GameId) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries("WHERE game = ?1 OR challenge = ?1 ORDER BY outbox.id", [game.0])
    }

    /// Returns the same, and the digests and reminders that have the game.
    pub fn mails_with(&self, game: GameId) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries(
            "WHERE outbox.id IN (
                SELECT id FROM outbox WHERE game = ?1
                UNION ALL SELECT id FROM outbox WHERE challenge = ?1
                UNION ALL SELECT mail FROM digest_game WHERE game = ?1
                UNION ALL SELECT mail FROM reminder WHERE game = ?1)
             ORDER BY outbox.id",
            [game.0],
        )
    }

    /// Returns when the mails to a player that another one has caused were first tried: those tried after
    /// this time, and `None` for those that wait for that.
    pub fn caused_mails(
        &self,
        to: PlayerId,
        by: PlayerId,
        after: DateTime<Utc>,
    ) -> Result<Vec<Option<DateTime<Utc>>>> {
        let sql = "SELECT first_try_at FROM outbox WHERE player = ?1 AND caused_by = ?2
             AND (first_try_at > ?3 OR first_try_at IS NULL AND state IN ('queued', 'paused'))";
        self.all(sql, (to.0, by.0, seconds(after)), only)
    }

    /// Returns whether two players play an active game against each other.
    pub fn play_together(&self, one: PlayerId, other: PlayerId) -> Result<bool> {
        let sql = "SELECT 1 FROM game WHERE turn IS NOT NULL
             AND (to_move = ?1 AND to_wait = ?2 OR to_move = ?2 AND to_wait = ?1) LIMIT 1";
        self.exists(sql, [one.0, other.0])
    }

    /// Returns the untried notice to a player that begins with this text.
    pub fn untried_notice(&self, to: PlayerId, begin: &str) -> Result<Option<MailId>> {
        let sql = "SELECT id FROM outbox WHERE player = ?1 AND kind = 'notice'
             AND first_try_at IS NULL AND state IN ('queued', 'paused', 'failed') AND state <> 'failed'
             AND substr(text, 1, length(?2)) = ?2";
        self.first(sql, (to.0, begin), only)
    }

    /// Returns the untried mail to a player that gathers the notices caused by another one.
    pub fn gathering_mail(&self, to: PlayerId, by: PlayerId) -> Result<Option<MailId>> {
        let sql = "SELECT id FROM outbox WHERE player = ?1 AND caused_by = ?2 AND occasion = ?3
             AND first_try_at IS NULL AND state IN ('queued', 'paused')";
        self.first(sql, (to.0, by.0, Occasion::Gathered(by).to_string()), only)
    }

    /// Returns whether a mail that asks a player to answer a challenge waits to be sent.
    pub fn is_challenge_queued(&self, challenge: GameId) -> Result<bool> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE challenge = ?1 AND occasion = 'challenge'
                AND state IN ('queued', 'paused'))";
        self.one(sql, [challenge.0], only)
    }

    /// Returns whether the mail to a player about the start of a game is queued and reports the
    /// current position.
    pub fn is_start_queued(&self, game: GameId, player: PlayerId) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM outbox WHERE game = ?1 AND player = ?2
                AND events >= (SELECT position_event FROM game WHERE id = ?1)
                AND kind = 'started' AND state IN ('queued', 'paused', 'failed')
                AND state = 'queued')";
        self.one(sql, (game.0, player.0), only)
    }

    /// Returns the mails to a player that are about a game with this event, or list it, oldest first.
    pub fn mails_about(
        &self,
        game: GameId,
        player: PlayerId,
        event: usize,
    ) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries(
            "WHERE outbox.id IN (SELECT id FROM outbox WHERE game = ?1 AND events >= ?3
                UNION ALL SELECT mail FROM digest_game WHERE game = ?1 AND events >= ?3)
             AND outbox.player = ?2 ORDER BY outbox.id",
            (game.0, player.0, event),
        )
    }

    /// Returns the queued mails that are due after this time.
    pub fn mails_due_after(&self, time: DateTime<Utc>) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries(
            "WHERE outbox.id IN (SELECT id FROM outbox INDEXED BY outbox_due
                WHERE state = 'queued' AND due_at > ?1)",
            [seconds(time)],
        )
    }

    /// Returns the unsent mails and the last `settled` of the others, oldest first.
    pub fn recent_outbox(&self, settled: u32) -> Result<Vec<OutboxEntry>> {
        self.outbox_entries(
            "WHERE outbox.id IN (
                SELECT id FROM outbox INDEXED BY outbox_unsent
                WHERE state IN ('queued', 'paused', 'failed')
                UNION ALL SELECT * FROM (SELECT id FROM outbox NOT INDEXED
                    WHERE state IN ('sent', 'superseded') ORDER BY id DESC LIMIT ?1))
             ORDER BY outbox.id",
            [settled],
        )
    }

    /// Returns how much mail is still to be sent.
    pub fn waiting_mail(&self) -> Result<WaitingMail> {
        // A mail that another process has claimed is tried again when the claim ends.
        let sql = "SELECT count(*) FILTER (WHERE state = 'queued'),
                    min(max(due_at, lease_until)) FILTER (WHERE state = 'queued'),
                    count(*) FILTER (WHERE state = 'paused')
             FROM outbox INDEXED BY outbox_unsent WHERE state IN ('queued', 'paused', 'failed')";
        self.one(sql, [], |row| {
            Ok(WaitingMail { queued: row.get(0)?, next: get(row, 1)?, paused: row.get(2)? })
        })
    }

    fn outbox_entries(&self, which: &str, params: impl Params) -> Result<Vec<OutboxEntry>> {
        let sql = format!(
            "SELECT outbox.id, message_id, kind, player, name,
                coalesce(player.address, outbox.address) AS address, {COLUMNS}, game, ply, events, text,
                occasion, held, challenge, suggested, is_reply, in_reply_to, state, for_digest, is_prompt,
                not_before, tries, first_try_at, shown, says_turn, outbox.created_at, due_at, sent_to,
                last_error, bounced_at
             FROM outbox LEFT JOIN player ON player.id = outbox.player {which}"
        );
        let mut entries = self.all(&sql, params, entry)?;
        for OutboxEntry { id, content, .. } in &mut entries {
            if content.kind.topic().is_games() {
                *content = MailContent::of_games(content.kind, self.digest_games(*id)?);
            }
        }
        Ok(entries)
    }
}
