//! The end of memberships: players who have left, and the erasure of their addresses.

use std::ops::Range;

use chrono::{DateTime, Utc};

use super::{Db, MailId, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;

impl Db<'_> {
    /// Returns the farewells that wait no longer, and those that were queued at this time or before. Each has
    /// the address to be erased.
    pub fn settled_farewells(&self, before: DateTime<Utc>) -> Result<Vec<(MailId, String)>> {
        let sql = "SELECT id, address FROM outbox INDEXED BY outbox_farewell
             WHERE kind = 'farewell' AND (state <> 'queued' OR created_at <= ?1)";
        self.all(sql, [seconds(before)], |row| Ok((get(row, 0)?, row.get(1)?)))
    }

    /// Returns the rows that mention an address. Reads the whole tables of mails, but other processes can
    /// write meanwhile.
    pub fn rows_mentioning(&self, address: &str) -> Result<Vec<Mentioning>> {
        let mut rows = Vec::new();
        for table in &MENTIONING {
            let columns = [table.addresses, table.texts].concat().join(", ");
            let sql = format!(
                "SELECT id, concat_ws(' ', {columns}) AS texts FROM {} NOT INDEXED
                 WHERE instr(lower(texts), lower(?1)) > 0",
                table.name
            );
            let found = self.all(&sql, [domain(address)], |row| {
                let (id, text): (_, String) = (row.get(0)?, row.get(1)?);
                Ok(mentions(text.as_bytes(), address).then_some(Mentioning { table, id }))
            })?;
            rows.extend(found.into_iter().flatten());
        }
        Ok(rows)
    }

    /// Returns the finished games of a player with an open offer of a rematch.
    pub fn games_with_rematch_offer(&self, player: PlayerId) -> Result<Vec<GameId>> {
        let sql =
            "SELECT id FROM game WHERE black = ?1 AND turn IS NULL AND offer_event IS NOT NULL
             UNION ALL
             SELECT id FROM game WHERE white = ?1 AND turn IS NULL AND offer_event IS NOT NULL";
        self.all(sql, [player.0], only)
    }
}

impl Tx<'_> {
    /// Ends a membership. Keeps the row so that the name stays taken; deletes address, mail, notes,
    /// plans, absences and requests. The secret makes earlier reply tokens invalid.
    pub fn end_membership(
        &self,
        player: PlayerId,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "UPDATE player SET address = NULL, left_at = ?2, secret = ?3, failures = 0,
                paused_at = NULL, failed_from = NULL, failed_until = NULL
             WHERE id = ?1";
        self.execute(sql, (player.0, seconds(now), secret))?;
        for sql in [
            "DELETE FROM outbox WHERE player = ?1 AND state IN ('queued', 'paused', 'failed')",
            "DELETE FROM outbox WHERE player = ?1 AND state IN ('sent', 'superseded')",
            "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE player = ?1)",
            "DELETE FROM held WHERE player = ?1",
            "DELETE FROM job WHERE player = ?1",
            "DELETE FROM failure WHERE player = ?1",
            "DELETE FROM absence WHERE player = ?1",
            "DELETE FROM address_request WHERE player = ?1",
            "DELETE FROM system_user WHERE player = ?1",
            "DELETE FROM received WHERE player = ?1",
            "DELETE FROM plan WHERE player = ?1 AND game IN
                (SELECT id FROM game WHERE black = ?1 UNION ALL SELECT id FROM game WHERE white = ?1)",
        ] {
            self.execute(sql, [player.0])?;
        }
        self.erase_notes(player)?;
        self.delete_host_items_about(player)
    }

    /// Deletes a farewell.
    pub fn delete_farewell(&self, mail: MailId) -> Result<()> {
        self.run("DELETE FROM outbox WHERE id = ?1 AND kind = 'farewell'", [mail.0])
    }

    /// Erases an address and its mailbox from the rows that [`Db::rows_mentioning`] has found, and deletes
    /// those that are about it, but no farewell.
    pub fn erase_rows(&self, rows: &[Mentioning], address: &str, mailbox: &str) -> Result<()> {
        rows.iter().try_for_each(|&Mentioning { table, id }| {
            for (of, sql) in [
                (
                    "outbox",
                    "DELETE FROM outbox WHERE id = ?1 AND kind <> 'farewell'
                     AND (address = ?2 COLLATE NOCASE
                        OR kind = 'mismatch' AND text = ?2 COLLATE NOCASE)",
                ),
                ("outbox", "UPDATE outbox SET sent_to = NULL WHERE id = ?1 AND sent_to = ?2 COLLATE NOCASE"),
                (
                    "held",
                    "DELETE FROM outbox WHERE held = ?1 AND EXISTS
                        (SELECT 1 FROM held WHERE id = ?1 AND address = ?2 COLLATE NOCASE)",
                ),
                ("held", "DELETE FROM held WHERE id = ?1 AND address = ?2 COLLATE NOCASE"),
            ] {
                if of == table.name {
                    self.execute(sql, (id, address))?;
                }
            }
            if table.name == "received" {
                let sql = "DELETE FROM received WHERE id = ?1 AND iif(instr(sender, '+') > 0,
                    substr(sender, 1, instr(sender, '+') - 1) || substr(sender, instr(sender, '@')),
                    sender) = ?2 COLLATE NOCASE";
                self.execute(sql, (id, mailbox))?;
            }
            table.texts.iter().try_for_each(|column| self.cut_out(table.name, column, id, address))
        })
    }

    /// Erases an address and its mailbox from the tables with an index of them, and from the list of the
    /// quarantine.
    pub fn erase_address(&self, address: &str, mailbox: &str) -> Result<()> {
        self.execute("DELETE FROM probe WHERE address = ?1", [address])?;
        self.delete_from_quarantine(address)?;
        for sql in [
            "DELETE FROM reply WHERE mailbox = ?1",
            "DELETE FROM idle WHERE mailbox = ?1",
            "DELETE FROM refusal WHERE mailbox = ?1",
            "UPDATE seen SET sender = 'erased' WHERE sender = ?1",
        ] {
            self.execute(sql, [mailbox])?;
        }
        Ok(())
    }

    /// Deletes the rows of quarantined mails that name an address.
    fn delete_from_quarantine(&self, address: &str) -> Result<()> {
        let sql =
            "SELECT file, concat_ws(' ', sender, subject, message_id) AS header FROM quarantine
             WHERE instr(lower(header), lower(?1)) > 0";
        let found: Vec<(String, String)> =
            self.all(sql, [domain(address)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        found
            .into_iter()
            .filter(|(_, header)| mentions(header.as_bytes(), address))
            .try_for_each(|(file, _)| self.run("DELETE FROM quarantine WHERE file = ?1", [file]))
    }

    /// Replaces an address with dots wherever it stands in a text of a row.
    fn cut_out(&self, table: &str, column: &str, id: i64, address: &str) -> Result<()> {
        let sql = format!("SELECT {column} FROM {table} WHERE id = ?1");
        let text: Option<Option<String>> = self.first(&sql, [id], only)?;
        match text.flatten().filter(|text| mentions(text.as_bytes(), address)) {
            Some(text) => {
                let update = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
                self.run(&update, (id, without(&text, address)))
            }
            None => Ok(()),
        }
    }

    /// Erases the words of the private notes of a player in the logs of the games.
    fn erase_notes(&self, player: PlayerId) -> Result<()> {
        for (side, author) in [("black", "b"), ("white", "w")] {
            let sql = format!(
                "UPDATE event SET action = 'note (erased)' WHERE (game, number) IN (
                        SELECT event.game, event.number
                        FROM game CROSS JOIN event INDEXED BY event_note ON event.game = game.id
                        WHERE {side} = ?1 AND author = ?2 AND substr(action, 1, 5) = 'note ')"
            );
            self.execute(&sql, (player.0, author))?;
        }
        Ok(())
    }
}

/// A table with texts that can mention an address.
#[derive(Debug, PartialEq, Eq)]
struct MentioningTable {
    name: &'static str,
    /// The columns that hold an address alone.
    addresses: &'static [&'static str],
    /// Those that hold other text, too.
    texts: &'static [&'static str],
}

const MENTIONING: [MentioningTable; 4] = [
    MentioningTable {
        name: "outbox",
        addresses: &["address", "sent_to"],
        texts: &["text", "last_error", "in_reply_to"],
    },
    MentioningTable { name: "held", addresses: &["address"], texts: &[] },
    MentioningTable { name: "held_command", addresses: &[], texts: &["words"] },
    MentioningTable { name: "received", addresses: &[], texts: &["sender"] },
];

/// A row that mentions an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mentioning {
    table: &'static MentioningTable,
    id: i64,
}

/// Returns an address from its `@` on.
fn domain(address: &str) -> &str {
    address.rfind('@').map_or(address, |at| &address[at..])
}

/// Returns a text with dots in place of an address, in either case.
fn without(text: &str, address: &str) -> String {
    let mut rest = 0;
    let mut cut = String::new();
    for Range { start, end } in ranges(text.as_bytes(), address) {
        cut.push_str(text.get(rest..start).unwrap_or_default());
        cut.push_str("...");
        rest = end;
    }
    cut + text.get(rest..).unwrap_or_default()
}

/// Returns whether a text names an address, in either case, perhaps with a tag (`ann+othello@`) or
/// in quotation marks (`"ann"@`). `joann@example.org` does not name `ann@example.org`.
pub fn mentions(text: &[u8], address: &str) -> bool {
    ranges(text, address).next().is_some()
}

/// Returns where an address stands in a text, as `mentions` describes it.
fn ranges<'a>(text: &'a [u8], address: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let of_local_part = |c: &u8| c.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-.".contains(c);
    let of_domain = |c: &u8| c.is_ascii_alphanumeric() || *c == b'-';
    let domain = domain(address);
    let own = &address.as_bytes()[..address.len() - domain.len()];
    let found = text.windows(domain.len().max(1)).enumerate();
    let found = found.filter(move |(_, it)| it.eq_ignore_ascii_case(domain.as_bytes()));
    found.filter_map(move |(at, _)| {
        let end = at + domain.len();
        let is_end = match &text[end..] {
            // A full stop may end a sentence.
            [b'.', next, ..] => !of_domain(next),
            [next, ..] => !of_domain(next),
            [] => true,
        };
        let (start, local) = match &text[..at] {
            [quoted @ .., b'"'] => {
                let start = quoted.iter().rposition(|c| *c == b'"')?;
                (start, &quoted[start + 1..])
            }
            plain => {
                let start = at - plain.iter().rev().take_while(|c| of_local_part(c)).count();
                (start, &plain[start..])
            }
        };
        let untagged = local.split(|c| *c == b'+').next().unwrap_or_default();
        let is_own = |it: &[u8]| it.eq_ignore_ascii_case(own);
        (is_end && (is_own(local) || is_own(untagged))).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_within_a_longer_one_stays() {
        for (text, cut) in [
            ("ann@example.org", "..."),
            ("From: <Ann@Example.org>, joann@example.org", "From: <...>, joann@example.org"),
            ("ann@example.org.uk", "ann@example.org.uk"),
            ("to ann@example.org. It", "to .... It"),
            ("set address j.ann@example.org", "set address j.ann@example.org"),
            ("Ann+othello@example.org, d@e.f", "..., d@e.f"),
            ("joann+ann@example.org", "joann+ann@example.org"),
            (r#"the "ann"@example.org"#, "the ..."),
            (r#""jo ann"@example.org"#, r#""jo ann"@example.org"#),
            ("@example.org", "@example.org"),
        ] {
            assert_eq!(without(text, "ann@example.org"), cut);
        }
    }
}
