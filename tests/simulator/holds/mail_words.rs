//! What else mails about a game say: offers, comments, ratings, and the same in both parts.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::clocks;
use super::mail_texts::{Letter, bare, flat};
use super::privacy::marks;
use super::rows::{Mail, has_blocked, name_of};
use crate::simulator::DAY;
use crate::simulator::server::{Accepted, Difference};
use crate::simulator::tables::{Tables, number};

/// Kinds of mail that bring what the opponent has said.
const WITH_COMMENTS: [&str; 6] = ["turn", "started", "over", "flagged", "notice", "receipt"];

/// How many seconds the record of a failed mail is kept. Only the record shows that a comment went with it.
const FAILED_KEPT_FOR: i64 = 30 * DAY;

impl Letter<'_> {
    /// An offer of the opponent that is open can be answered, and no other. A takeback that would leave no time can
    /// only be declined.
    pub fn shows_the_open_offer(&self) -> Result<(), String> {
        let offer = self.replayed.offer().filter(|it| Some(&*it.by.to_string()) != self.color);
        let offer = offer.filter(|_| self.color.is_some());
        let text = flat(&self.text);
        let asks = ["Reply ‹accept› or ‹decline›", "it can only be declined: reply ‹decline›"];
        let asks = asks.map(|it| text.contains(&format!("{it} on a line of its own.")));
        let is_now = self.row.is_tried_first(self.change) && self.game.events == self.row.events;
        let leaves_time = offer.filter(|it| it.kind == "takeback" && is_now).and_then(|it| {
            let (tables, now) = (self.change.after, self.change.now.timestamp());
            let by = usize::from(it.by == 'w');
            clocks::takeback_leaves_time(tables, self.game.id, by, true, now)
        });
        let is_right = match leaves_time {
            Some(leaves_time) => asks == [leaves_time, !leaves_time],
            None => asks.contains(&true) == offer.is_some() && asks != [true, true],
        };
        if !is_right {
            let may = format!("can be accepted: {leaves_time:?}");
            return Err(format!("{offer:?} is open, {may}, and the answers asked for: {asks:?}"));
        }
        // A mail that is about an offer is not sent if it is not open any more.
        let of = self.row.occasion.strip_prefix("offer ").and_then(|it| it.parse().ok());
        // Another process may have ended it between two mails.
        let is_alone = !self.change.words.is_empty();
        if let Some(of) = of.filter(|_| is_alone && self.is_first_try()) {
            let is_open = [self.change.before, self.change.after].into_iter().any(|tables| {
                let row = tables.columns_of("game", self.game.id, ["offer_event"]).next();
                row.and_then(|[it]| number(it)) == Some(of)
            });
            if !is_open {
                return Err(format!("the offer {of} is not open any more"));
            }
        }
        Ok(())
    }

    /// What the opponent has said comes once, as it was said, unless its author is blocked.
    pub fn has_the_comments(&self) -> Result<(), String> {
        let (Some(color), Some(reader)) = (self.color, self.row.player) else { return Ok(()) };
        let tables = self.change.after;
        let Some(author) = self.game.opponent(color) else { return Ok(()) };
        let name = name_of(tables, author).unwrap_or_default();
        let shown = said(&self.text);
        let rows = tables.columns_of("event", self.game.id, ["author", "action", "at"]);
        let rows = (1..).zip(rows).filter(|(_, [by, ..])| *by != Some(color));
        let comments = rows.filter_map(|(event, [_, action, at])| {
            Some((event, action?.strip_prefix("say ")?, number(at)?))
        });
        let mut comments: Vec<(usize, &str, i64)> = comments.collect();
        // Words without a mark can be a part of longer ones.
        comments.sort_by_key(|(_, words, _)| (marks(words).next().is_none(), Reverse(words.len())));
        if comments.is_empty() && shown.is_empty() {
            return Ok(());
        }
        let is_blocked = has_blocked(tables, reader, author);
        if is_blocked
            && has_blocked(self.change.before, reader, author)
            && !shown.is_empty()
            && self.is_first_try()
        {
            return Err(format!("shows words of {name}, who is blocked: {shown:?}"));
        }
        let mut left = bare(&shown.join(" "));
        for (number, words, said_at) in comments {
            let Some(mark) = marks(words).next() else {
                left = left.replacen(&bare(&format!("{name}: {words}")), "", 1);
                continue;
            };
            let earlier = self.earlier_with(mark);
            if self.text.contains(mark) {
                let whole = bare(&format!("{name}: {words}"));
                if !left.contains(&whole) {
                    return Err(format!("{shown:?} is not {words:?}"));
                }
                left = left.replacen(&whole, "", 1);
                if earlier == Some(false) && self.is_first_try() {
                    return Err(format!("shows {words:?} again"));
                }
            } else if earlier.is_none()
                && number <= self.row.events
                && self.change.now.timestamp() - said_at < FAILED_KEPT_FOR
                && WITH_COMMENTS.contains(&&*self.row.kind)
                && !is_blocked
                && self.is_first_try()
                && !self.is_on_its_way(mark)
                && !self.was_due_before(number)
            {
                return Err(format!("lacks {words:?}, which was not shown before"));
            }
        }
        if left.is_empty() { Ok(()) } else { Err(format!("nobody has said {left:?}")) }
    }

    /// Returns whether an earlier mail to the reader has shown these words, and if so, whether that may be lost.
    fn earlier_with(&self, mark: &str) -> Option<bool> {
        let mails = self.change.accepted.iter().take_while(|it| !std::ptr::eq(*it, self.mail));
        let mails = mails.filter(|it| it.id != self.mail.id);
        let mut mails = mails.filter(|it| {
            let kind = it.shown.as_ref().map_or("", |it| &*it.kind);
            let is_answer = matches!(kind, "answer" | "confirm");
            !is_answer && it.words().contains(mark)
        });
        let first = mails.next()?;
        // A mail that was on its way while another command ran is not known to have come.
        let beside = &self.change.accepted[self.change.accepted_before..];
        if self.change.words.is_empty() && beside.iter().any(|it| std::ptr::eq(it, first)) {
            return Some(true);
        }
        // Of a mail that the sender does not know to be accepted, the next one has the comments, too.
        let may_be_lost = |it: &Accepted| it.may_come_again || it.may_differ == Difference::All;
        Some(may_be_lost(first) || mails.any(may_be_lost))
    }

    /// Returns whether a comment went with another mail, which was judged then: its reader can have blocked its
    /// author for a while.
    fn was_due_before(&self, event: usize) -> bool {
        let tables = self.change.after;
        let mut rows = tables.columns_of("comment", self.game.id, ["event", "mail"]);
        rows.any(|[it, mail]| {
            let other = number(mail).filter(|mail| *mail != self.row.id);
            // The record of a mail that went long ago is gone.
            let went = |mail| Mail::of(tables, mail).is_none_or(|mail| mail.state == "sent");
            number(it) == i64::try_from(event).ok() && other.is_some_and(went)
        })
    }

    /// Returns whether another mail of the game was tried and not accepted yet, or is tried first in the same
    /// second: it may have what the opponent has said. So has one that waits and takes it along.
    fn is_on_its_way(&self, mark: &str) -> bool {
        let tables = self.change.after;
        let takes = |[mail]: [Option<&str>; 1]| {
            let mail = number(mail).and_then(|mail| Mail::of(tables, mail));
            let is_open = |it: &Mail| matches!(&*it.state, "queued" | "paused" | "failed");
            mail.is_some_and(|mail| mail.id != self.row.id && is_open(&mail))
        };
        let mut new = self.change.accepted[self.change.accepted_before..].iter();
        if tables.columns_of("comment", self.game.id, ["mail"]).any(takes)
            || new
                .any(|it| it.id != self.mail.id && it.to == self.mail.to && it.text.contains(mark))
        {
            return true;
        }
        let columns = ["id", "player", "game", "state", "first_try_at"];
        self.change.after.columns("outbox", columns).any(|[id, player, game, state, at]| {
            let is_other = number(id) != Some(self.row.id) && number(game) == self.row.game;
            let is_open = matches!(state, Some("queued" | "paused" | "failed")) && at.is_some();
            let is_beside = at.is_some() && number(at) == self.row.first_try_at;
            is_other && number(player) == self.row.player && (is_open || is_beside)
        })
    }

    /// The mail about the end of a rated game says what its reader's rating is then.
    pub fn says_what_the_rating_is(&self) -> Result<(), String> {
        let (before, after) = (self.change.before, self.change.after);
        if self.row.kind != "over" {
            return Ok(());
        }
        // Another game that ended in the same second can come before it, and be counted after the delivery.
        let ends = |tables: &Tables| {
            let rows = tables.columns("rating", ["list", "ended_at", "game"]);
            rows.map(|row| row.map(|it| it.map(str::to_owned))).collect::<BTreeSet<_>>()
        };
        let (earlier, now) = (ends(before), ends(after));
        let at = now.iter().find(|it| number(it[2].as_deref()) == Some(self.game.id));
        let has_neighbour = |at: &[Option<String>; 3]| {
            now.difference(&earlier).any(|it| it[..2] == at[..2] && it[2] != at[2])
        };
        if at.is_some_and(has_neighbour) {
            return Ok(());
        }
        self.says_rating_of(before).or_else(|_| self.says_rating_of(after))
    }

    fn says_rating_of(&self, tables: &Tables) -> Result<(), String> {
        let Some(player) = self.row.player else { return Ok(()) };
        let (before, after) = (self.change.before, self.change.after);
        let is_pending = [before, after]
            .iter()
            .any(|tables| tables.columns("recalculation", ["list"]).next().is_some());
        if !self.is_first_try() || is_pending || self.game.events != self.row.events {
            return Ok(());
        }
        let columns = ["list", "player", "ended_at", "game", "rating", "deviation"];
        let own = tables.columns("rating", columns).filter(|row| number(row[1]) == Some(player));
        let own: Vec<_> = own.collect();
        let key = |row: &[Option<&str>; 6]| (number(row[2]), number(row[3]));
        let text = flat(&self.text);
        let Some(row) = own.iter().find(|row| number(row[3]) == Some(self.game.id)) else {
            return match text.contains("Your rating in") || text.contains("Your first rating") {
                true => Err("says what the rating is, but the game does not count".to_owned()),
                false => Ok(()),
            };
        };
        let earlier = own.iter().filter(|it| it[0] == row[0] && key(it) < key(row));
        let earlier = earlier.max_by_key(|it| key(it));
        let round = |it: Option<&str>| {
            it.and_then(|it| it.parse::<f64>().ok()).map_or(0, |it| it.round() as i64)
        };
        let (now, then) = (round(row[4]), earlier.map(|row| round(row[4])));
        let said = match then {
            None => format!(" is {now} "),
            Some(then) if then < now => format!(" went up from {then} to {now} "),
            Some(then) if then > now => format!(" went down from {then} to {now} "),
            Some(_) => format!(" stays at {now} "),
        };
        let ends_with = format!("{} ", round(row[5]));
        let rest = text.split_once("rating in ").map_or("", |(_, rest)| rest);
        let rest = rest.split_once(". ").map_or(rest, |(it, _)| it).to_owned() + " ";
        match rest.contains(&said) && rest.ends_with(&ends_with) {
            true => Ok(()),
            false => Err(format!("{rest:?} is not {said:?} with {ends_with:?}")),
        }
    }

    /// The HTML part says what the text part says: who is to move or has won, the discs, the comments, the moves.
    pub fn has_the_same_twice(&self) -> Result<(), String> {
        let html = bare(&self.html);
        let lead = self.text.split("Answer above this line").next().unwrap_or_default();
        // The headline of these says it in other words.
        let has_own_headline = matches!(&*self.row.kind, "receipt" | "watched" | "watched-over");
        let lead = lead.split("\n\n").filter(|it| !has_own_headline && !it.starts_with('|'));
        for paragraph in lead.map(flat) {
            for sentence in paragraph.split_inclusive(". ").filter(|it| !it.contains("http")) {
                if !html.contains(&bare(sentence)) {
                    return Err(format!("the HTML part lacks {sentence:?}"));
                }
            }
        }
        for color in ['b', 'w'] {
            let word = if color == 'b' { "black" } else { "white" };
            let discs = format!("({word}) {}", self.replayed.discs(color));
            if !flat(&self.html).contains(&discs) {
                return Err(format!("the HTML part lacks {discs:?}"));
            }
        }
        let [in_text, in_html] =
            [&self.text, &self.html].map(|it| marks(it).collect::<BTreeSet<_>>());
        if in_text != in_html {
            return Err("the parts have other comments".to_owned());
        }
        let words: BTreeSet<_> = self
            .html
            .split(|it: char| !it.is_alphanumeric() && it != '-')
            .map(str::to_lowercase)
            .collect();
        let listed = self.text.lines().filter_map(|it| super::mail_texts::flip_row(it).map(|_| it));
        for label in listed.filter_map(|line| line.trim().split([' ', ':']).next()) {
            if !words.contains(&label.to_lowercase()) {
                return Err(format!("the HTML part lacks the move {label}"));
            }
        }
        Ok(())
    }
}

/// Returns the comments that a mail shows, without the marks of the lines.
fn said(text: &str) -> Vec<&str> {
    let mut is_own = false;
    let is_quoted = |line: &&str| {
        is_own =
            OF_OWN_WORDS.contains(line) || is_own && (line.is_empty() || line.starts_with('|'));
        !is_own && line.starts_with('|')
    };
    let quoted = text.lines().filter(is_quoted).filter_map(|line| line.strip_prefix('|'));
    quoted.filter(|line| !is_board(line)).collect()
}

/// The lines above quoted words of the reader's own, in an answer that the mail carries.
const OF_OWN_WORDS: [&str; 2] =
    ["Your comment was passed on as:", "This looks like a signature and was not passed on:"];

/// Returns whether a line behind its first bar is a row of a board.
fn is_board(line: &str) -> bool {
    line.contains('|')
}
