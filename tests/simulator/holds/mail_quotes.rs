//! The words of people in mails: docs/words.md. Each comment comes as it was written, whatever signs it has.

use std::collections::BTreeSet;

use super::mail_texts::flat;
use super::privacy::marks;
use super::replies::{author, is_flood};
use super::rows::{Game, Mail, has_blocked, name_of, of_new_mails, of_player};
use super::{Change, violated};
use crate::simulator::mailer::{self, Incoming};
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// Fewer comments on a day can all be mailed at once, also after the end of a game.
const MAX_AT_ONCE: usize = 5;

/// A comment in the log of a game.
struct Said<'a> {
    author: i64,
    name: &'a str,
    words: &'a str,
}

/// Each comment that an accepted mail shows, of whatever kind, has the words of its author, in both parts. None is
/// by somebody whom its reader has blocked.
pub fn words_come_as_they_were_written(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        comes_as_it_was_written(change, mail, &row).or_else(|what| {
            let found = format!("{} ({}): {what}", mail.id, row.kind);
            violated("words_come_as_they_were_written", found)
        })?;
    }
    Ok(())
}

fn comes_as_it_was_written(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let [text, html] = mailer::parts(mail);
    let shown: BTreeSet<_> = marks(&text).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let in_html = pages::texts(&html);
    // The HTML part has room for fewer boards, and names the games that it lacks.
    let is_whole = !in_html.iter().any(|it| it.contains(LEFT_OUT));
    let parts = [unmarked(text.lines()), unmarked(in_html.iter().flat_map(|it| it.lines()))];
    for Said { author, name, words } in said(change, &shown) {
        // A question and an answer can repeat what their reader wrote, where the HTML part has commands in bold.
        let is_own = row.player == Some(author);
        let whole = if is_own { flat(words) } else { flat(&format!("{name}: {words}")) };
        let parts = if is_own || !is_whole { &parts[..1] } else { &parts[..] };
        if let Some(part) = parts.iter().find(|part| !part.contains(&unquoted(&whole))) {
            return Err(format!("{whole:?} is not in {part:?}"));
        }
        let is_hidden = |reader| {
            let tables = [change.before, change.after];
            reader != author && tables.into_iter().all(|it| has_blocked(it, reader, author))
        };
        // What was fixed before is sent again.
        let now = change.now.timestamp();
        let is_fixed =
            row.first_try_at != Some(now) || row.kind == "answer" && row.created_at != now;
        if !is_fixed && row.player.is_some_and(is_hidden) {
            return Err(format!("shows words of {name}, who is blocked: {words:?}"));
        }
    }
    Ok(())
}

/// A comment alone in a reply to a mail about a game is kept whole, however the mail program writes the reply:
/// docs/words.md, In a mail.
pub fn comments_in_clear_replies_are_kept(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear_reply(change) else { return Ok(()) };
    let Some((game, words)) = says(change, mail, player) else { return Ok(()) };
    let log = |tables| Tables::columns_of(tables, "event", game, ["action"]);
    let known = log(change.before).count();
    let mut new = log(change.after).skip(known).flatten().flatten();
    if new.any(|action| action.strip_prefix("say ").is_some_and(|it| flat(it) == words)) {
        return Ok(());
    }
    let records = change.after.columns("received", ["understood", "disposition", "why"]);
    let bytes = String::from_utf8_lossy(&mail.bytes);
    let found = format!("{words:?} of {player} in game {game}: {:?}\n{bytes}", records.last());
    violated("comments_in_clear_replies_are_kept", found)
}

/// Begins the sentence about the games whose boards are not in a mail.
const LEFT_OUT: &str = "Boards that did not fit here: ";

/// What stands in the line above a quote.
const INTRODUCTIONS: [&str; 2] = [" wrote:", " schrieb "];

/// Returns the mail of a change with its player, if it is a reply whose own text is told from the rest as the docs
/// say, and its token is that of the player.
fn clear_reply<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    let mail =
        change.incoming.filter(|mail| mail.is_clear && !mail.is_copy && !is_flood(change))?;
    if !is_marked_quote(&String::from_utf8_lossy(&mail.bytes).replace('\r', "")) {
        return None;
    }
    let player = number(author(mail, change))?;
    let shown = change.accepted.get(mail.answers?)?.shown.as_ref()?;
    (of_player(change.before, player, "secret") == shown.secret.as_deref())
        .then_some((mail, player))
}

/// Returns whether a mail is plain text with an introduced quote at its end in which each line has a mark. In others,
/// words above a quote can be part of it.
fn is_marked_quote(mail: &str) -> bool {
    let Some((head, body)) = mail.split_once("\n\n") else { return false };
    let is_plain = head.contains("text/plain")
        && !["base64", "quoted-printable"].iter().any(|it| head.contains(it));
    let mut lines = body.lines().map(str::trim_end);
    let has_quote = lines.any(|line| INTRODUCTIONS.iter().any(|it| line.contains(it)));
    is_plain && has_quote && lines.all(|line| line.is_empty() || line.starts_with('>'))
}

/// Returns the game in which a reply says something, and the words, if the author may say it there.
fn says(change: &Change, mail: &Incoming, player: i64) -> Option<(i64, String)> {
    let shown = change.accepted.get(mail.answers?)?.shown.as_ref()?;
    let [then] = &shown.games[..] else { return None };
    let is_about_game = !shown.kind.starts_with("watched") && shown.kind != "digest";
    let words =
        mail.written.strip_prefix("say ").filter(|it| is_about_game && !it.contains('@'))?;
    // It may name another game.
    if words.trim().is_empty() || words.starts_with(|it: char| it == '-' || it.is_ascii_digit()) {
        return None;
    }
    let log = shown::log(change.before, &then.game);
    let game = Game::of(change.before, number(Some(&then.game))?)?;
    let other = game.opponent(game.color_of(player)?)?;
    let is_same = shown::history(&log, then.events) == Some(then.history);
    let has_left = of_player(change.before, other, "left_at").is_some();
    if !is_same || game.is_local || has_left || has_blocked(change.before, other, player) {
        return None;
    }
    let today = change.before.columns_of("comment", game.id, ["reader", "said_at"]);
    let since = change.now.timestamp() - DAY;
    let today = today.filter(|[it, at]| number(*it) == Some(other) && number(*at) > Some(since));
    let words = flat(words);
    let is_new =
        log.iter().all(|it| it.action.strip_prefix("say ").is_none_or(|it| flat(it) != words));
    (is_new && today.count() < MAX_AT_ONCE).then_some((game.id, words))
}

/// Returns the comments that have one of these marks.
fn said<'a>(change: &Change<'a>, shown: &BTreeSet<&str>) -> Vec<Said<'a>> {
    let log = change.after.columns("event", ["game", "author", "action"]);
    let said = log.filter_map(|[game, author, action]| {
        let words = action?.strip_prefix("say ")?;
        marks(words).find(|mark| shown.contains(mark))?;
        let game = Game::of(change.after, game?.parse().ok()?)?;
        let author = game.person(author?)?;
        Some(Said { author, name: name_of(change.after, author)?, words })
    });
    said.collect()
}

/// Returns lines as one, without the marks of quoted ones and those of commands.
fn unmarked<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let lines = lines.map(|line| line.trim_start_matches('|'));
    unquoted(&flat(&lines.collect::<Vec<_>>().join(" ")))
}

fn unquoted(text: &str) -> String {
    text.replace(['\u{2039}', '\u{203a}'], "")
}
