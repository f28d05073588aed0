//! What is stored of what was done and said in games: migrations/schema.sql, docs/words.md.

use std::collections::BTreeSet;

use super::commands::Given;
use super::replies::{author, new_events};
use super::rows::{Game, of_player};
use super::{Change, each_holds};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// Kinds of mail about one game that bring the comments in it.
const WITH_COMMENTS: [&str; 6] = ["started", "turn", "over", "receipt", "flagged", "notice"];

/// Events that only their own author brings about, never a plan, a computer player or a departure.
const OWN_WORDS: [&str; 4] = ["say", "note", "offer", "claim"];

/// A row of the table `comment`.
#[derive(Debug, Clone, Copy)]
struct Comment {
    event: i64,
    reader: i64,
    said_at: i64,
    is_at_once: bool,
    mail: Option<i64>,
}

impl Comment {
    fn all(tables: &Tables, game: i64) -> Vec<Self> {
        let columns = ["event", "reader", "said_at", "at_once", "mail"];
        let row = |[event, reader, said_at, at_once, mail]: [Option<&str>; 5]| {
            Some(Self {
                event: number(event)?,
                reader: number(reader)?,
                said_at: number(said_at)?,
                is_at_once: at_once == Some("1"),
                mail: number(mail),
            })
        };
        tables.columns_of("comment", game, columns).filter_map(row).collect()
    }
}

/// The events and comments of games are stored as they came.
pub fn words_are_stored(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    each_holds(
        change,
        &[
            ("events_are_numbered_and_dated", events_are_numbered_and_dated),
            ("words_by_mail_are_their_authors", words_by_mail_are_their_authors),
            ("comments_are_for_the_opponent", comments_are_for_the_opponent),
            ("comments_wait_for_a_mail", comments_wait_for_a_mail),
            ("mails_take_the_comments", mails_take_the_comments),
        ],
    )
}

/// The events of a game are numbered from 1 without gaps, and happen when they are added. Those of an imported game
/// have the times of its record.
fn events_are_numbered_and_dated(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    for id in after.changed(before, "event") {
        let Some([imported, count]) = after.columns_of("game", id, ["digest", "events"]).next()
        else {
            continue;
        };
        let known = before.columns_of("event", id, ["number"]).count();
        let events: Vec<_> = after.columns_of("event", id, ["number", "at", "author"]).collect();
        for (place, [event, at, author]) in (1..).zip(&events) {
            if number(*event) != Some(place) {
                return Err(format!("event {place} of game {id} has the number {event:?}"));
            }
            let is_new = usize::try_from(place).is_ok_and(|place| place > known);
            // A flag has fallen at the deadline.
            let is_dated = number(*at) == Some(now)
                || *author == Some("h") && number(*at).is_some_and(|at| at < now);
            if is_new && imported.is_none() && !is_dated {
                return Err(format!("event {place} of game {id} is of {at:?}, not of {now}"));
            }
        }
        if number(count) != i64::try_from(events.len()).ok() {
            return Err(format!("game {id} has {} events, not {count:?}", events.len()));
        }
    }
    Ok(())
}

/// What the owner of an address says, notes, offers or claims by mail is the event of that player.
fn words_by_mail_are_their_authors(change: &Change) -> Result<(), String> {
    let Some(mail) = change.incoming.filter(|_| change.words[0] == "receive") else {
        return Ok(());
    };
    let Some(own) = author(mail, change) else { return Ok(()) };
    for new in new_events(change) {
        let word = new.event.action.split(' ').next().unwrap_or_default();
        // The words of the notes of one who leaves are erased.
        if OWN_WORDS.contains(&word)
            && new.event.action != "note (erased)"
            && new.player != Some(own)
        {
            let what = format!("{:?} in game {}", new.event.action, new.game);
            return Err(format!("{what} is by {:?}, not by {own}", new.player));
        }
    }
    Ok(())
}

/// Each new comment is for the opponent of the one who said it, of the time of its event, and says whether it was to
/// be mailed at once: with `--now`, and always after the end of the game.
fn comments_are_for_the_opponent(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    let mut known = BTreeSet::new();
    for id in after.changed(before, "comment") {
        let Some(game) = Game::of(after, id) else { continue };
        let old: BTreeSet<_> = Comment::all(before, id).iter().map(|it| it.event).collect();
        for comment in Comment::all(after, id) {
            known.insert((id, comment.event));
            if old.contains(&comment.event) {
                continue;
            }
            let row = usize::try_from(comment.event - 1).ok();
            let columns = ["author", "action"];
            let said = row.and_then(|row| after.columns_of("event", id, columns).nth(row));
            let Some([Some(by), Some(action)]) = said else {
                return Err(format!("{comment:?} of game {id} has no event"));
            };
            let is_right = action.starts_with("say ")
                && game.opponent(by) == Some(comment.reader)
                && comment.said_at == now
                && expects_mail(change, &game).is_none_or(|it| it == comment.is_at_once);
            if !is_right {
                return Err(format!("{comment:?} of game {id} for {action:?} by {by} at {now}"));
            }
        }
    }
    has_all_comments(change, &known)
}

/// Returns whether a comment is to have a mail of its own, if that is clear.
fn expects_mail(change: &Change, game: &Game) -> Option<bool> {
    if Game::of(change.before, game.id).is_some_and(|game| game.reason.is_some()) {
        return Some(true);
    }
    let given = Given::of(change).filter(|given| given.word == "say")?;
    let at = given.rest.iter().position(|it| it == "--now");
    // Further behind, it could be one of the words.
    match at {
        None => (game.reason.is_none()).then_some(false),
        Some(at) => (at < 2).then_some(true),
    }
}

/// What one person says to another is a comment for that one.
fn has_all_comments(change: &Change, known: &BTreeSet<(i64, i64)>) -> Result<(), String> {
    for new in new_events(change) {
        let Ok(id) = new.game.parse() else { continue };
        let columns = ["digest", "black", "white"];
        let row = change.after.columns_of("game", id, columns).next();
        let Some([None, Some(_), Some(_)]) = row else { continue };
        let event = i64::try_from(new.event.number).unwrap_or_default();
        if new.event.action.starts_with("say ") && !known.contains(&(id, event)) {
            return Err(format!("event {event} of game {id} is no comment"));
        }
    }
    Ok(())
}

/// The game or the games that a mail to a player is about, if it brings comments.
fn brings(tables: &Tables, mail: i64) -> Option<(i64, Vec<i64>)> {
    let [kind, player, game] =
        tables.columns_of("outbox", mail, ["kind", "player", "game"]).next()?;
    let games = match kind? {
        "digest" => {
            let rows = tables.columns_of("digest_game", mail, ["game"]);
            rows.filter_map(|[game]| number(game)).collect()
        }
        kind if WITH_COMMENTS.contains(&kind) => number(game).into_iter().collect(),
        _ => Vec::new(),
    };
    Some((number(player)?, games))
}

/// A comment goes with a mail to its reader about its game. It goes with another one only if that mail was superseded,
/// was a turn mail that was due and not tried, or its record is gone, and waits again only then.
fn comments_wait_for_a_mail(change: &Change) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    for id in after.changed(before, "comment") {
        let old = Comment::all(before, id);
        for comment in Comment::all(after, id) {
            let was = old.iter().find(|it| it.event == comment.event).and_then(|it| it.mail);
            if was == comment.mail {
                continue;
            }
            // The turn mail that a mail about the end of the time has superseded can come back.
            let is_free = was.is_none_or(|was| {
                state(after, was).is_none_or(|it| it == "superseded")
                    || state(before, was).is_some_and(|it| it == "superseded")
                    || is_due_turn(change, was)
                    || comment
                        .mail
                        .and_then(|it| state(after, it))
                        .is_none_or(|it| it == "superseded")
            });
            let goes_there = comment.mail.is_none_or(|mail| {
                brings(after, mail)
                    .is_none_or(|(player, games)| player == comment.reader && games.contains(&id))
            });
            if !is_free || !goes_there {
                return Err(format!("{comment:?} of game {id} went with mail {was:?}"));
            }
        }
    }
    Ok(())
}

/// Returns whether a mail about a turn is due, but nobody has tried it.
fn is_due_turn(change: &Change, mail: i64) -> bool {
    let row = change.before.columns_of("outbox", mail, ["kind", "first_try_at", "due_at"]).next();
    row.is_some_and(|[kind, first_try_at, due_at]| {
        let is_due = number(due_at).is_some_and(|at| at <= change.now.timestamp());
        kind == Some("turn") && first_try_at.is_none() && is_due
    })
}

/// Returns the state of a mail, if it is there.
fn state(tables: &Tables, mail: i64) -> Option<&str> {
    tables.columns_of("outbox", mail, ["state"]).next()?[0]
}

/// A new mail about a game takes the comments for its reader that no other mail has, and a comment that is to be
/// mailed at once in an active game goes with a mail.
fn mails_take_the_comments(change: &Change) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    for mail in after.added("outbox", before) {
        let [Some(kind), Some(reader), Some(game)] =
            after.columns_of("outbox", mail, ["kind", "player", "game"]).next().unwrap_or_default()
        else {
            continue;
        };
        let (Some(reader), Some(game)) = (number(Some(reader)), number(Some(game))) else {
            continue;
        };
        if !WITH_COMMENTS.contains(&kind) {
            continue;
        }
        let now = Comment::all(after, game);
        // Not even one that will not go any more. Those of one that this mail replaces can follow when it is tried.
        let has_none =
            |it: &Comment| it.mail.is_none_or(|mail| state(before, mail) == Some("superseded"));
        let waits = |was: &&Comment| {
            let is = now.iter().find(|it| it.event == was.event);
            was.reader == reader && is.is_some_and(|it| it.mail == was.mail && has_none(it))
        };
        if let Some(comment) = Comment::all(before, game).iter().find(waits) {
            return Err(format!("mail {mail} ({kind}) of game {game} lacks {comment:?}"));
        }
    }
    for id in after.changed(before, "comment") {
        let Some(game) = Game::of(after, id).filter(|it| it.reason.is_none() && !it.is_local)
        else {
            continue;
        };
        let old = Comment::all(before, id);
        let lacks_mail = |it: &&Comment| {
            let has_address = [before, after]
                .iter()
                .all(|tables| of_player(tables, it.reader, "address").is_some());
            let is_new = old.iter().all(|old| old.event != it.event);
            is_new && it.is_at_once && it.mail.is_none() && has_address
        };
        if let Some(comment) = Comment::all(after, id).iter().find(lacks_mail) {
            return Err(format!("{comment:?} of game {} has no mail", game.id));
        }
    }
    Ok(())
}
