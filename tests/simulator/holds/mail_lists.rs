//! What the lists of mails show: those that go out, and those that have come in.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::rows::of_player;
use super::views::{Asked, number, time};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables;

/// What is judged of a mail.
const OF_MAILS: [&str; 9] =
    ["game", "challenge", "id", "kind", "state", "tries", "player", "ply", "last_error"];

/// How many mails that were sent `mail` lists.
const MAX_SETTLED: usize = 20;

/// How long it is known what happened to a mail that came in.
const RECEIVED_DAYS: i64 = 30;

/// How many mails that have come in are listed, if nobody says how many.
const LISTED: usize = 20;

/// How many characters the time of a row has.
const TIME: usize = 17;

/// How many characters of a sender are surely in one line.
const SENDER: usize = 8;

/// Each row of the inbox says who sent the mail: not the player to whom a mail goes that has bounced.
pub fn the_inbox_says_who_sent_it(_: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    if !words.starts_with("inbox --") {
        return Ok(());
    }
    let (shown, text) = (ran.shown(), ran.drawn.join("\n"));
    let rows = text.lines().filter(|line| line.starts_with("20") && line.len() > TIME);
    for (row, mail) in rows.zip(shown["mails"].as_array().into_iter().flatten()) {
        let own = mail["player"].as_str().filter(|_| mail["disposition"] != "bounce");
        let from = mail["from"].as_str().or(own).unwrap_or("nobody");
        let begin: String = from.chars().take(SENDER).collect();
        if !row[TIME..].trim_start().starts_with(&begin) {
            let found = format!("{words}: {row:?} is not from {from:?}");
            return violated("the_inbox_says_who_sent_it", found);
        }
    }
    Ok(())
}

impl Asked<'_> {
    pub(super) fn mail(&self) -> Option<Value> {
        let rows = self.tables.columns("outbox", OF_MAILS);
        let rows = rows.filter(|[game, challenge, ..]| number(game.or(*challenge)) == self.game);
        Some(self.mails(rows))
    }

    /// Returns the mails that are not sent, and the last ones of the others.
    pub(super) fn outbox(&self) -> Option<Value> {
        let rows: Vec<_> = self.tables.columns("outbox", OF_MAILS).collect();
        let is_settled = |row: &[Option<&str>; 9]| matches!(row[4], Some("sent" | "superseded"));
        let settled: Vec<_> = rows.iter().filter(|row| is_settled(row)).collect();
        let first = settled.len().checked_sub(MAX_SETTLED).map_or(0, |at| number(settled[at][2]));
        let rows = rows.iter().filter(|row| !is_settled(row) || number(row[2]) >= first);
        Some(self.mails(rows.copied()))
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
        let names = ["received_at", "player", "understood", "disposition", "why", "sender"];
        let since = self.now.timestamp() - RECEIVED_DAYS * 86_400;
        let rows = self.tables.columns("received", names);
        let sender = |sender: Option<&str>| {
            let mut players = self.tables.columns("player", ["name", "address"]);
            let is_theirs = |it: &str| sender.is_some_and(|sender| sender.eq_ignore_ascii_case(it));
            let named = players.find(|[_, address]| address.is_some_and(is_theirs));
            named.and_then(|[name, _]| name).or(sender).map(str::to_owned)
        };
        let rows =
            rows.filter(|[at, of, ..]| number(*at) >= since && (player.is_none() || *of == player));
        let mut mails: Vec<_> = rows
            .map(|[at, of, understood, disposition, why, from]| {
                let understood = understood.unwrap_or_default().split(' ');
                let understood: Vec<_> = understood.filter(|word| !word.is_empty()).collect();
                json!({
                    "at": time(number(at)), "player": self.name(of), "from": sender(from),
                    "understood": understood,
                    "disposition": disposition, "why": why.filter(|why| !why.is_empty()),
                })
            })
            .collect();
        mails.reverse();
        mails.truncate(count);
        json!({ "mails": mails })
    }

    /// Returns the last mails with this disposition.
    pub(super) fn inbox_of(&self, disposition: &str) -> Value {
        let mut shown = self.inbox(None, usize::MAX);
        if let Some(mails) = shown["mails"].as_array_mut() {
            mails.retain(|it| it["disposition"] == disposition);
            mails.truncate(LISTED);
        }
        shown
    }

    fn mails<'a>(&self, rows: impl Iterator<Item = [Option<&'a str>; 9]>) -> Value {
        let mail = |row: [Option<&str>; 9]| {
            let [game, challenge, _, _, state, .., ply, _] = row;
            let mut mail = self.mail_line(row);
            // A digest knows the moves of several games.
            let of_game =
                |value: Option<&str>| value.map_or(Value::Null, |it| number(Some(it)).into());
            (mail["game"], mail["ply"]) = (of_game(game.or(challenge)), of_game(ply));
            // A reminder can get more games, and is then about none of them alone.
            let games = self.tables.columns("digest_game", ["mail"]);
            if row[3] == Some("reminder") && games.filter(|[it]| *it == row[2]).count() > 1 {
                (mail["game"], mail["ply"]) = (Value::Null, Value::Null);
            }
            if state != Some("queued") {
                mail["state"] = state.into();
            }
            let columns = ["due_at", "sent_to", "address"];
            let more = self.tables.columns_of("outbox", number(row[2]), columns).next();
            let [due_at, sent_to, address] = more.unwrap_or_default();
            let waits = state == Some("queued");
            mail["due"] = if waits { time(number(due_at)) } else { Value::Null };
            let own = tables::number(row[6]).and_then(|it| of_player(self.tables, it, "address"));
            mail["address"] = sent_to.filter(|_| state == Some("sent")).or(address).or(own).into();
            mail
        };
        json!({ "mails": rows.map(mail).collect::<Vec<_>>() })
    }

    /// Returns the mails about the game as `log` lists them, with the digests and reminders that have it.
    pub(super) fn logged_mails(&self) -> Vec<Value> {
        let lists = ["digest_game", "reminder"].into_iter();
        let with = lists.flat_map(|table| self.tables.columns(table, ["mail", "game"]));
        let with = with.filter(|[_, game]| game.is_some() && number(*game) == self.game);
        let with: BTreeSet<_> = with.filter_map(|[mail, _]| mail).collect();
        let rows = self.tables.columns("outbox", OF_MAILS);
        let rows = rows.filter(|[game, challenge, id, ..]| {
            let about = game.or(*challenge);
            about.is_some() && number(about) == self.game || id.is_some_and(|id| with.contains(id))
        });
        let line = |row: [Option<&str>; 9]| {
            let mut mail = self.mail_line(row);
            let columns = ["created_at", "due_at", "events"];
            let more = self.tables.columns_of("outbox", number(row[2]), columns).next();
            let [created_at, due_at, events] = more.unwrap_or_default();
            mail["queued"] = time(number(created_at));
            mail["sent"] = if row[4] == Some("sent") { time(number(due_at)) } else { Value::Null };
            let is_of_game = row[0].is_some() && number(row[0]) == self.game;
            if row[3] != Some("reminder") {
                mail["event"] = if is_of_game { number(events).into() } else { Value::Null };
            }
            mail
        };
        rows.map(line).collect()
    }

    /// Returns what each list says of a mail.
    fn mail_line(&self, row: [Option<&str>; 9]) -> Value {
        let [_, _, id, kind, _, tries, player, _, error] = row;
        json!({
            "id": number(id), "about": kind, "tries": number(tries), "error": error,
            "to": self.name(player),
        })
    }
}
