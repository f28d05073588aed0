//! Mails that wait, and what mails about waiting games say: docs/mail.md, docs/settings.md, docs/time.md.

use std::collections::BTreeSet;

use super::mail_names::listed;
use super::mail_sentences::terms_in_words;
use super::mail_texts::plain;
use super::remarks::span;
use super::rows::{Game, Mail, name_of, of_new_mails, of_player, title};
use super::shown::in_words;
use super::{Change, Part, each_holds, violated};
use crate::simulator::mailer;
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{self, Tables, number};
use crate::simulator::{DAY, Violation};

/// Kinds of mail about moves, which `set mail none` ends.
const ABOUT_MOVES: [&str; 2] = ["turn", "watched"];

/// The most boards of a digest, and the bytes of a mail below which there is surely room for another one.
const MAX_BOARDS: usize = 10;
const MAX_DRAWN: usize = 60_000;

/// Begins the sentence about the games whose boards are not in a mail.
const LEFT_OUT: &str = "Boards that did not fit here: those of ";

/// What waits is kept, held back or given up as its reader's settings and its bounces say, and a mail about games that
/// wait says what happens then, and which boards it lacks.
pub fn waiting_games_and_mails_are_right(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let found = |what: String| format!("{} ({}): {what}", mail.id, row.kind);
        says_what_happens_then(change, mail, &row)
            .or_else(|what| violated("reminders_say_what_happens_then", found(what)))?;
        lists_what_waits(change, mail, &row)
            .or_else(|what| violated("lists_say_how_much_time_is_left", found(what)))?;
        names_the_boards_it_lacks(mail, &row)
            .or_else(|what| violated("mails_name_the_boards_that_they_lack", found(what)))?;
    }
    if change.words.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    let parts: [(_, Part); 4] = [
        ("mails_are_tried_again_at_once", mails_are_tried_again_at_once),
        ("nothing_waits_for_who_wants_none", nothing_waits_for_who_wants_none),
        ("bounced_mails_wait", bounced_mails_wait),
        ("deferred_mails_are_tried_again", deferred_mails_are_tried_again),
    ];
    each_holds(change, &parts)
}

/// A reminder of one game says whether the opponent can claim it when the time is over. A computer player claims
/// nothing, and with a hard flag the game is lost.
fn says_what_happens_then(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let (Some(player), Some(game), "reminder") = (row.player, row.game, &*row.kind) else {
        return Ok(());
    };
    let Some(game) = Game::of(change.after, game) else { return Ok(()) };
    let Some(color) = game.color_of(player) else { return Ok(()) };
    let flag = change.after.columns_of("game", game.id, ["flag"]).next();
    let is_hard = flag == Some([Some("hard")]);
    let opponent = game.opponent(color).and_then(|it| name_of(change.after, it));
    let [text, html] = mailer::parts(mail);
    for part in [plain(&text), plain(&pages::texts(&html).join(" "))] {
        // The rest shows the game, with words of the opponent.
        let lead = part.split("Answer above this line").next().unwrap_or_default();
        let is_limited = lead.contains("Your time ends on ");
        let expected = match (opponent, is_limited) {
            (_, true) if is_hard => "After that you lose the game.".to_owned(),
            (None, true) => "does not claim the game.".to_owned(),
            (Some(name), true) => format!("After that {name} can claim the game."),
            (Some(name), false) => format!("{name} can claim the game from "),
            (None, false) => continue,
        };
        let is_wrong = (is_hard || opponent.is_none()) && lead.contains("can claim");
        if !lead.contains(&expected) || is_wrong {
            return Err(format!("{lead:?} is not {expected:?}"));
        }
    }
    Ok(())
}

/// Returns the number of the game that a text begins with, and what follows it.
fn game_in(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix("Game ")?;
    let end = rest.find(|it: char| !it.is_ascii_digit())?;
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

/// Returns the numbers in the sentence about the boards that a mail lacks.
fn lacking(part: &str) -> BTreeSet<i64> {
    let (_, rest) = part.split_once(LEFT_OUT).unwrap_or_default();
    let words = rest.split(['.', ':']).next().unwrap_or_default().split([' ', ',']);
    words.filter_map(|it| it.parse().ok()).collect()
}

/// A digest or a reminder names each of its games whose board it does not have, and no other.
fn names_the_boards_it_lacks(mail: &Accepted, row: &Mail) -> Result<(), String> {
    let is_of_several = row.kind == "digest" || row.kind == "reminder" && row.game.is_none();
    if !is_of_several {
        return Ok(());
    }
    let [text, html] = mailer::parts(mail);
    let paragraphs: Vec<_> = text.split("\n\n").map(plain).collect();
    let is_drawn =
        |rest: &str| rest.starts_with(" against ") || rest.contains("You are watching it.");
    let games: Vec<_> = paragraphs.iter().filter_map(|it| game_in(it)).collect();
    let (drawn, listed): (Vec<_>, Vec<_>) = games.iter().partition(|(_, rest)| is_drawn(rest));
    let numbers =
        |games: Vec<(i64, &str)>| -> BTreeSet<i64> { games.iter().map(|it| it.0).collect() };
    let (drawn, listed) = (numbers(drawn), numbers(listed));
    let texts: Vec<_> = pages::texts(&html).iter().map(|it| plain(it)).collect();
    let in_html = texts.iter().filter_map(|it| game_in(it));
    let in_html: BTreeSet<_> = in_html
        .filter(|(_, rest)| !rest.is_empty() && !rest.contains(", which you are watching"))
        .map(|(id, _)| id)
        .collect();
    let is_full = drawn.len() == MAX_BOARDS || mail.text.len() > MAX_DRAWN;
    if row.kind == "digest" && (drawn.len() > MAX_BOARDS || drawn != listed && !is_full) {
        return Err(format!("draws {drawn:?} of {listed:?}"));
    }
    for (drawn, part) in [(drawn, plain(&text)), (in_html, texts.join(" "))] {
        let expected: BTreeSet<_> = listed.difference(&drawn).copied().collect();
        let named = lacking(&part);
        if named != expected {
            return Err(format!("names {named:?}; it has {drawn:?} of {listed:?}"));
        }
    }
    Ok(())
}

/// A digest or a reminder says of each game that it lists how it is called, against whom it is, how much time is left
/// and when that ends; of one that its reader watches, who plays it.
fn lists_what_waits(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let is_judged = matches!(&*row.kind, "digest" | "reminder")
        && row.is_tried_first(change)
        && !change.words.is_empty();
    let Some(reader) = row.player.filter(|_| is_judged) else { return Ok(()) };
    let (tables, now) = (change.after, change.now.timestamp());
    for (id, line) in listed(&mail.words().replace(['\u{2039}', '\u{203a}'], "")) {
        let deadline = |tables: &Tables| {
            let row = tables.columns_of("game", id, ["deadline"]).next();
            row.and_then(|[deadline]| tables::deadline(deadline))
        };
        let (Some(game), Some(title)) = (Game::of(tables, id), title(tables, "game", id)) else {
            continue;
        };
        let bots = tables.columns_of("game", id, ["black_bot", "white_bot"]).next();
        let called = |color: &str| {
            let person = game.person(color).and_then(|it| name_of(tables, it));
            person.or(bots.unwrap_or_default()[usize::from(color == "w")]).unwrap_or_default()
        };
        let expected = match game.color_of(reader) {
            None => {
                format!("{title}, {} against {}, which you are watching", called("b"), called("w"))
            }
            Some(own) => {
                let (other, color) = if own == "b" { ("w", "white") } else { ("b", "black") };
                format!("{title}, against {} ({color})", called(other))
            }
        };
        let begin = format!("Game {id}: {expected}");
        let Some(rest) = line.strip_prefix(&begin) else {
            return Err(format!("{line:?} does not begin with {begin:?}"));
        };
        let is_limited = terms_in_words(tables, "game", id).is_some();
        if game.to_move != Some(reader)
            || deadline(change.before) != deadline(tables)
            || !is_limited
        {
            continue;
        }
        let end = deadline(tables).filter(|at| *at > now);
        let Some(end) = end.and_then(|at| Some((at, in_words(tables, reader, at)?))) else {
            continue;
        };
        let expected = format!(", {} left Your time ends on {}", span(end.0 - now), end.1);
        if !rest.starts_with(&expected) {
            return Err(format!("{line:?} does not go on with {expected:?}"));
        }
    }
    Ok(())
}

/// Of who sets `mail none`, no mail about a move waits any more, also while mail is paused.
fn nothing_waits_for_who_wants_none(change: &Change) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    for player in after.changed(before, "player") {
        let wants_none = |tables| of_player(tables, player, "mail_mode") == Some("none");
        if !wants_none(after) || wants_none(before) {
            continue;
        }
        let rows = after.columns("outbox", ["player", "kind", "state", "id"]);
        let mut waiting = rows.filter(|[it, kind, state, _]| {
            number(*it) == Some(player)
                && kind.is_some_and(|it| ABOUT_MOVES.contains(&it))
                && matches!(state, Some("queued" | "paused"))
        });
        if let Some([_, kind, state, id]) = waiting.next() {
            return Err(format!("{kind:?} {id:?} of player {player} is {state:?}"));
        }
    }
    Ok(())
}

/// A turn mail that has bounced.
struct Bounced {
    bounces: i64,
    first_at: i64,
    due_at: i64,
    created_at: i64,
    player: i64,
}

impl Bounced {
    fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["bounces", "bounced_at", "due_at", "created_at", "player", "kind", "state"];
        let [bounces, first_at, due_at, created_at, player, kind, state] =
            tables.columns_of("outbox", id, columns).next()?;
        let is_it = [kind, state] == [Some("turn"), Some("queued")];
        is_it.then_some(())?;
        Some(Self {
            bounces: number(bounces)?,
            first_at: number(first_at)?,
            due_at: number(due_at)?,
            created_at: number(created_at)?,
            player: number(player)?,
        })
    }
}

/// A turn mail that has bounced is sent again a day and three days after the first bounce, and not before, whatever its
/// reader sets.
fn bounced_mails_wait(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    for id in after.new_rows("outbox", before) {
        let Some(mail) = Bounced::of(after, id) else { continue };
        let address = |tables| of_player(tables, mail.player, "address");
        if address(before) != address(after) || change.words[0] == "mail" {
            continue;
        }
        let found = |what: &str| {
            let Bounced { bounces, first_at, due_at, .. } = mail;
            Err(format!(
                "{id} is due at {due_at} {what}, {bounces} bounces from {first_at}, now {now}"
            ))
        };
        let old = before.columns_of("outbox", id, ["bounces", "state"]).next();
        let known = old.and_then(|[bounces, _]| number(bounces)).unwrap_or_default();
        // Whoever was killed before noting that a mail was accepted has left it to the next `send`.
        let is_known_as_sent = old.is_some_and(|[_, state]| state == Some("sent"));
        let latest = (mail.first_at + 3 * DAY).max(now + DAY);
        if mail.bounces > known
            && is_known_as_sent
            && !change.has_mail_faults
            && !(now + DAY..=latest).contains(&mail.due_at)
        {
            return found("after a bounce");
        }
        if let Some(was) = Bounced::of(before, id)
            && was.bounces == mail.bounces
            && was.created_at == mail.created_at
            && was.due_at > now
            && mail.due_at < was.due_at
        {
            return found(&format!("and no more at {}", was.due_at));
        }
    }
    Ok(())
}

/// A mail that the host tries again is tried at once, also in quiet hours, unless a grace holds it back or it is
/// pointless by now.
fn mails_are_tried_again_at_once(change: &Change) -> Result<(), String> {
    let ([mail, retry, id], 0) = (change.words, change.status) else { return Ok(()) };
    let is_it = mail == "mail" && retry == "retry";
    let Some(id) = number(Some(id)).filter(|_| is_it && change.mail_down_since[1].is_none()) else {
        return Ok(());
    };
    // A deadline that has passed in an outage moves first.
    let held = change.before.columns_of("outbox", id, ["game", "not_before"]).next();
    let [game, not_before] = held.unwrap_or_default().map(number);
    let deadline =
        game.and_then(|game| change.before.columns_of("game", game, ["deadline"]).next());
    let is_over = deadline.is_none_or(|[at]| number(at) <= Some(change.now.timestamp()));
    if is_over || not_before > Some(change.now.timestamp()) {
        return Ok(());
    }
    let row = |tables: &Tables| {
        let row = tables.columns_of("outbox", id, ["state", "tries"]).next();
        row.map(|[state, tries]| (state.map(str::to_owned), number(tries)))
    };
    let [was, is] = [change.before, change.after].map(row);
    let (Some((_, tried)), Some((state, tries))) = (&was, &is) else { return Ok(()) };
    match state.as_deref() == Some("superseded") || tries > tried {
        true => Ok(()),
        false => Err(format!("mail {id} was {was:?}, and is {is:?}")),
    }
}

/// The pause after the first try that failed, which doubles each time, and the longest one.
const FIRST_PAUSE: i64 = 60;
const MAX_PAUSE: i64 = 6 * 3_600;

/// How long a mail is tried.
const TRIED_FOR: i64 = 5 * DAY;

/// A mail that is refused temporarily is tried again after one minute, then two, four and so on up to six hours, give
/// or take a quarter; after five days it has failed.
fn deferred_mails_are_tried_again(change: &Change) -> Result<(), String> {
    let columns =
        ["state", "tries", "due_at", "last_error", "created_at", "bounced_at", "first_try_at"];
    let now = change.now.timestamp();
    for id in change.after.new_rows("outbox", change.before) {
        let row = change.after.columns_of("outbox", id, columns).next();
        let Some([Some("queued"), tries, due_at, Some(error), times @ ..]) = row else { continue };
        let (Some(tries @ 1..), Some(due_at)) = (number(tries), number(due_at)) else { continue };
        let old = change.before.columns_of("outbox", id, ["tries"]).next();
        let known = old.and_then(|[tries]| number(tries)).unwrap_or_default();
        let [created_at, bounced_at, first_try_at] = times.map(number);
        // One that bounced was accepted at its last try.
        if known + 1 != tries || bounced_at.is_some() {
            continue;
        }
        let pause = FIRST_PAUSE << (tries.min(17) - 1);
        let pause = pause.min(MAX_PAUSE);
        let latest = first_try_at.max(created_at).unwrap_or(now) + TRIED_FOR;
        let [from, until] = [now + pause - pause / 4 - 1, now + pause + pause / 4 + 1];
        // A command that has no time left leaves it to the next one.
        let is_left = due_at == now && latest > now;
        let is_right = due_at <= until && due_at >= from.min(latest) && latest > now;
        if !is_left && !is_right {
            return Err(format!(
                "mail {id} is due at {due_at} after {tries} tries, not from {from} to {until}, now {now}: {error}"
            ));
        }
    }
    Ok(())
}
