//! The end of memberships: players who have left, and the erasure of their addresses.

use std::ops::Range;

use chrono::{DateTime, Utc};

use super::{Db, Error, MailId, PlayerId, Tx, seconds};
use crate::log::GameId;

/// A farewell that was sent or has failed, or that has waited for too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledFarewell {
    /// The mail.
    pub mail: MailId,
    /// The address to be erased.
    pub address: String,
}

impl Db<'_> {
    /// Returns the farewells that wait no longer, and those that were queued at this time or before.
    pub fn settled_farewells(&self, before: DateTime<Utc>) -> Result<Vec<SettledFarewell>, Error> {
        let mut select = self.prepare(
            "SELECT id, address FROM outbox INDEXED BY outbox_farewell
             WHERE kind = 'farewell' AND (state <> 'queued' OR created_at <= ?1)",
        )?;
        let farewells = select.query_map([seconds(before)], |row| {
            Ok(SettledFarewell { mail: MailId(row.get("id")?), address: row.get("address")? })
        })?;
        Ok(farewells.collect::<Result<_, _>>()?)
    }

    /// Returns the finished games of a player in which the offer of a rematch is open.
    pub fn games_with_rematch_offer(&self, player: PlayerId) -> Result<Vec<GameId>, Error> {
        let mut select = self.prepare(
            "SELECT id FROM game WHERE black = ?1 AND turn IS NULL AND offer_event IS NOT NULL
             UNION ALL
             SELECT id FROM game WHERE white = ?1 AND turn IS NULL AND offer_event IS NOT NULL",
        )?;
        let games = select.query_map([player], |row| row.get(0).map(GameId))?;
        Ok(games.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Ends a membership. The player stays, so that nobody gets the name, but has no address any more,
    /// no mail and no absence, and waits for nothing. The secret makes earlier reply tokens invalid.
    pub fn end_membership(
        &self,
        player: PlayerId,
        secret: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.execute(
            "UPDATE player SET address = NULL, left_at = ?2, secret = ?3, failures = 0,
                paused_at = NULL, failed_from = NULL, failed_until = NULL
             WHERE id = ?1",
            (player, seconds(now), secret),
        )?;
        for sql in [
            "DELETE FROM outbox WHERE player = ?1",
            "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE player = ?1)",
            "DELETE FROM held WHERE player = ?1",
            "DELETE FROM job WHERE player = ?1",
            "DELETE FROM failure WHERE player = ?1",
            "DELETE FROM absence WHERE player = ?1",
            "DELETE FROM address_request WHERE player = ?1",
            "DELETE FROM system_user WHERE player = ?1",
            "DELETE FROM received WHERE player = ?1",
        ] {
            self.execute(sql, [player])?;
        }
        self.delete_news_about(player)
    }

    /// Deletes a farewell.
    pub fn delete_farewell(&self, mail: MailId) -> Result<(), Error> {
        self.execute("DELETE FROM outbox WHERE id = ?1 AND kind = 'farewell'", [mail.0]).map(drop)
    }

    /// Erases an address and its mailbox from every table except the log of games. Reads whole tables.
    pub fn erase_address(&self, address: &str, mailbox: &str) -> Result<(), Error> {
        for sql in [
            "DELETE FROM outbox WHERE address = ?1 COLLATE NOCASE",
            "DELETE FROM outbox WHERE kind = 'mismatch' AND text = ?1 COLLATE NOCASE",
            "DELETE FROM outbox WHERE held IN (SELECT id FROM held WHERE address = ?1 COLLATE NOCASE)",
            "DELETE FROM held WHERE address = ?1 COLLATE NOCASE",
            "UPDATE outbox SET sent_to = NULL WHERE sent_to = ?1 COLLATE NOCASE",
            "DELETE FROM probe WHERE address = ?1",
        ] {
            self.execute(sql, [address])?;
        }
        self.delete_from_quarantine(address)?;
        for sql in [
            "DELETE FROM reply WHERE mailbox = ?1",
            "DELETE FROM idle WHERE mailbox = ?1",
            "DELETE FROM received WHERE iif(instr(sender, '+') > 0,
                substr(sender, 1, instr(sender, '+') - 1) || substr(sender, instr(sender, '@')),
                sender) = ?1 COLLATE NOCASE",
            "UPDATE seen SET sender = 'erased' WHERE sender = ?1",
        ] {
            self.execute(sql, [mailbox])?;
        }
        for (table, column) in [
            ("outbox", "text"),
            ("outbox", "last_error"),
            ("outbox", "in_reply_to"),
            ("held", "commands"),
            ("received", "sender"),
        ] {
            self.cut_out(table, column, address)?;
        }
        Ok(())
    }

    /// Deletes the rows of quarantined mails that name an address.
    fn delete_from_quarantine(&self, address: &str) -> Result<(), Error> {
        let mut select = self.prepare(
            "SELECT file, concat_ws(' ', sender, subject, message_id) AS header FROM quarantine
             WHERE instr(lower(header), lower(?1)) > 0",
        )?;
        let found = select.query_map([domain(address)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(String, String)> = found.collect::<Result<_, _>>()?;
        found.into_iter().filter(|(_, header)| mentions(header.as_bytes(), address)).try_for_each(
            |(file, _)| self.execute("DELETE FROM quarantine WHERE file = ?1", [file]).map(drop),
        )
    }

    /// Replaces an address with dots wherever it stands in a column of texts.
    fn cut_out(&self, table: &str, column: &str, address: &str) -> Result<(), Error> {
        let select =
            format!("SELECT id, {column} FROM {table} WHERE instr(lower({column}), lower(?1)) > 0");
        let mut select = self.prepare(&select)?;
        let found = select.query_map([domain(address)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let found: Vec<(i64, String)> = found.collect::<Result<_, _>>()?;
        let update = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1");
        found.into_iter().try_for_each(|(id, text)| {
            self.execute(&update, (id, without(&text, address))).map(drop)
        })
    }
}

/// Returns the `@` of an address and what follows.
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
