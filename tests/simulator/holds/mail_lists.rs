//! What the lists of mails show: those that go out, and those that have come in.

use serde_json::{Value, json};

use super::views::{Asked, number, time};

/// How many mails that were sent `mail` lists.
const MAX_SETTLED: usize = 20;

/// How long it is known what happened to a mail that came in.
const RECEIVED_DAYS: i64 = 30;

impl Asked<'_> {
    pub(super) fn mail(&self) -> Option<Value> {
        let names = ["game", "challenge", "id", "kind", "state", "tries"];
        let rows = self.tables.columns("outbox", names);
        let rows = rows.filter(|[game, challenge, ..]| number(game.or(*challenge)) == self.game);
        Some(Self::mails(rows))
    }

    /// Returns the mails that are not sent, and the last ones of the others.
    pub(super) fn outbox(&self) -> Option<Value> {
        let names = ["game", "challenge", "id", "kind", "state", "tries"];
        let rows: Vec<_> = self.tables.columns("outbox", names).collect();
        let is_settled = |row: &[Option<&str>; 6]| matches!(row[4], Some("sent" | "superseded"));
        let settled: Vec<_> = rows.iter().filter(|row| is_settled(row)).collect();
        let first = settled.len().checked_sub(MAX_SETTLED).map_or(0, |at| number(settled[at][2]));
        let rows = rows.iter().filter(|row| !is_settled(row) || number(row[2]) >= first);
        Some(Self::mails(rows.copied()))
    }

    /// Returns how many mails have come in, by what was done with them.
    pub(super) fn intake(&self) -> Value {
        let rows = self.tables.columns("intake", ["disposition", "mails", "last_at"]);
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable();
        let mails = rows.into_iter().map(|[disposition, mails, last_at]| {
            json!({ "disposition": disposition, "mails": number(mails), "last": time(number(last_at)) })
        });
        json!({ "mails": mails.collect::<Vec<_>>() })
    }

    /// Returns the last mails that have come in, the latest first: those of a player, or all.
    pub(super) fn inbox(&self, player: Option<&str>, count: usize) -> Value {
        let names = ["received_at", "player", "understood", "disposition", "why"];
        let since = self.now.timestamp() - RECEIVED_DAYS * 86_400;
        let rows = self.tables.columns("received", names);
        let rows =
            rows.filter(|[at, of, ..]| number(*at) >= since && (player.is_none() || *of == player));
        let mut mails: Vec<_> = rows
            .map(|[at, of, understood, disposition, why]| {
                let understood = understood.unwrap_or_default().split(' ');
                let understood: Vec<_> = understood.filter(|word| !word.is_empty()).collect();
                json!({
                    "at": time(number(at)), "player": self.name(of), "understood": understood,
                    "disposition": disposition, "why": why.filter(|why| !why.is_empty()),
                })
            })
            .collect();
        mails.reverse();
        mails.truncate(count);
        json!({ "mails": mails })
    }

    fn mails<'a>(rows: impl Iterator<Item = [Option<&'a str>; 6]>) -> Value {
        let mail = |[_, _, id, kind, state, tries]: [Option<&str>; 6]| {
            let mut mail = json!({ "id": number(id), "about": kind, "tries": number(tries) });
            if state != Some("queued") {
                mail["state"] = state.into();
            }
            mail
        };
        json!({ "mails": rows.map(mail).collect::<Vec<_>>() })
    }
}
