//! Answers to questions of ours, and moves in replies to a digest: docs/receiving.md.

use super::mail_answers::{answers, clear_reply};
use super::mail_held::NOT_KEPT;
use super::mail_texts::flat;
use super::quotas::mailbox;
use super::replies::{is_chosen, is_planned, new_events};
use super::rows::{of_player, with_message_id};
use super::{Change, violated};
use crate::simulator::mailer::{self, Incoming};
use crate::simulator::naive::Status;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How long commands wait for a confirmation.
const HELD_FOR: i64 = 7 * DAY;

/// What says yes to a question of ours, and what says no, without the mark at the end.
const YES: [&str; 6] = ["yes", "ja", "oui", "s\u{ed}", "sim", "\u{434}\u{430}"];
const NO: [&str; 6] = ["no", "no, that was not me", "cancel", "stop", "nein", "no; never"];

/// Returns whether the answer to a question of ours says yes or no, if it says nothing else.
pub(super) fn confirms(answer: &str) -> Option<bool> {
    let says = answer.trim().trim_end_matches(['.', '!']).to_lowercase();
    let is_yes = YES.contains(&&*says);
    (is_yes || NO.contains(&&*says)).then_some(is_yes)
}

/// Settings that a question can ask about.
const SETTINGS: [&str; 8] =
    ["receipt", "clock", "mail_mode", "style", "grace", "watchers", "challenges", "reminders"];

/// A plain answer to a question does what the question has shown, within a week; and a move in a reply to a digest is
/// made in the game that it names, if the digest has drawn it as it stands.
pub fn questions_and_digests_are_answered(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear_reply(change) else { return Ok(()) };
    answers_do_what_was_asked(change, mail, player)
        .or_else(|it| violated("answers_do_what_was_asked", it))?;
    moves_for_digests_are_made(change, mail, player)
        .or_else(|it| violated("moves_in_replies_to_digests_are_made", it))
}

fn answers_do_what_was_asked(change: &Change, mail: &Incoming, player: i64) -> Result<(), String> {
    let asked = mail.answers.and_then(|at| change.accepted.get(at));
    let asked = asked.filter(|it| it.shown.as_ref().is_some_and(|it| it.kind == "confirm"));
    let Some(id) = asked.map(|it| &*it.id) else { return Ok(()) };
    let held = with_message_id(change.before, id, ["held"]);
    let Some(held) = held.and_then(|[held]| number(held)) else { return Ok(()) };
    let columns = ["created_at", "done_at", "player", "is_new_address"];
    let row = change.before.columns_of("held", held, columns).next();
    let Some([created_at, None, owner, Some("0")]) = row else { return Ok(()) };
    if number(owner) != Some(player) {
        return Ok(());
    }
    let is_late = number(created_at).is_some_and(|at| change.now.timestamp() - at > HELD_FOR);
    let is_yes = match confirms(&mail.written) {
        Some(is_yes) => is_yes,
        None if mail.written.trim() == "perhaps" => {
            return unclear_ones_are_explained_once(change, player, held, is_late);
        }
        None => return Ok(()),
    };
    answers_are_noted(change, mail, player, held, [is_yes, is_late])?;
    let commands = change.before.columns("held_command", ["held", "kind", "words"]);
    let commands = commands.filter(|[it, ..]| number(*it) == Some(held));
    let commands: Vec<_> = commands.collect();
    if is_yes && !is_late {
        let text = answers(change, player);
        let is_told =
            |words: &str| text.contains(&format!("`{words}`")) || text.contains("` was not done:");
        let others = commands.iter().filter(|[_, kind, _]| *kind == Some("other"));
        let mut others = others.filter_map(|[.., words]| *words);
        // Who leaves gets a farewell.
        let is_here = of_player(change.after, player, "left_at").is_none();
        let at = number(created_at).unwrap_or(i64::MAX);
        let words: Vec<_> = commands.iter().filter_map(|[.., words]| *words).collect();
        moves_taken_back_are_refused(change, player, at, &words)?;
        return match others.find(|words| is_here && !is_told(words)) {
            Some(words) => Err(format!("{words:?} was confirmed, and {text:?} does not say it")),
            None => Ok(()),
        };
    }
    let own = player.to_string();
    let by_player = new_events(change).into_iter().find(|it| {
        it.player == Some(&*own) && matches!(it.event.action, "accept" | "decline" | "resign")
    });
    let is_other =
        |it: &&&str| of_player(change.before, player, it) != of_player(change.after, player, it);
    let setting = SETTINGS.iter().find(is_other);
    let says = if is_yes { "a yes after a week" } else { "a no" };
    match (by_player, setting) {
        (None, None) => Ok(()),
        (event, setting) => {
            let action = event.map(|it| it.event.action);
            Err(format!("{says} does {action:?} or changes {setting:?} of {commands:?}"))
        }
    }
}

/// A move that was held is not made if a move of its game was taken back since.
fn moves_taken_back_are_refused(
    change: &Change,
    player: i64,
    held_at: i64,
    commands: &[&str],
) -> Result<(), String> {
    let own = player.to_string();
    for words in commands {
        let ["move", id, _] = words.split(' ').collect::<Vec<_>>()[..] else { continue };
        let log = shown::log(change.before, id);
        let is_shorter = |at: &usize| {
            let is_taken_back = matches!(log[*at].action, "takeback" | "accept");
            is_taken_back && shown::moves(&log[..=*at]).len() < shown::moves(&log[..*at]).len()
        };
        let mut since = (0..log.len()).filter(|at| log[*at].at >= held_at);
        if !since.any(|at| is_shorter(&at)) {
            continue;
        }
        let made = new_events(change).into_iter().find(|it| {
            let action = it.event.action;
            it.game == id
                && it.player == Some(&*own)
                && is_chosen(action)
                && !is_planned(change.before, id, &own, action)
        });
        if let Some(made) = made {
            return Err(format!("{words:?} makes {:?} after a takeback", made.event.action));
        }
    }
    Ok(())
}

/// A yes and a no end the question. A no to one about a mail that nobody has verified is noted, and a yes is told that
/// it is late, or that words of the mail were not kept.
fn answers_are_noted(
    change: &Change,
    mail: &Incoming,
    player: i64,
    held: i64,
    [is_yes, is_late]: [bool; 2],
) -> Result<(), String> {
    let done_at = change.after.columns_of("held", held, ["done_at"]).next();
    // Who leaves loses all that waits.
    if done_at.is_some_and(|[at]| number(at) != Some(change.now.timestamp())) {
        return Err(format!("{:?} leaves the question open", mail.written));
    }
    let was_verified = change.before.columns_of("held", held, ["is_verified"]).next();
    let address = of_player(change.before, player, "address").unwrap_or_default();
    let [was_noted, is_noted] = [change.before, change.after].map(|tables| {
        tables.columns("refusal", ["mailbox", "refused_at"]).any(|[it, at]| {
            let is_theirs = it.is_some_and(|it| it.eq_ignore_ascii_case(&mailbox(address)));
            is_theirs && number(at) == Some(change.now.timestamp())
        })
    });
    // There can be a no to another question in the same second.
    if !was_noted && is_noted == (is_yes || was_verified == Some([Some("1")])) {
        return Err(format!("a refusal is noted: {is_noted}, yes: {is_yes}, {was_verified:?}"));
    }
    if is_yes && is_late && !flat(&answers(change, player)).contains("waited for more than a week")
    {
        return Err("a yes after a week is not told so".to_owned());
    }
    let text = flat(&answers(change, player));
    let had_words = change.before.columns_of("held", held, ["had_words"]).next();
    let is_here = of_player(change.after, player, "left_at").is_none();
    if is_yes && is_here && had_words == Some([Some("1")]) && !text.contains(NOT_KEPT) {
        return Err(format!("{text:?} does not say that words were not kept"));
    }
    match is_yes && is_late && !text.contains("waited for more than a week") {
        true => Err("a yes after a week is not told so".to_owned()),
        false => Ok(()),
    }
}

/// The first answer that is neither a yes nor a no is answered with how to say them and with what was asked; later ones
/// and those after a week are not. Nothing is done.
fn unclear_ones_are_explained_once(
    change: &Change,
    player: i64,
    held: i64,
    is_late: bool,
) -> Result<(), String> {
    let text = answers(change, player);
    let rows = change.before.columns("outbox", ["kind", "held"]);
    let mut earlier =
        rows.filter(|[kind, it]| *kind == Some("answer") && number(*it) == Some(held));
    let is_first = earlier.next().is_none() && !is_late;
    let is_explained = text.starts_with("Your reply was neither a clear yes nor a clear no");
    let commands = change.before.columns("held_command", ["held", "words"]);
    let commands = commands.filter(|[it, _]| number(*it) == Some(held));
    let mut words = commands.filter_map(|[_, words]| words);
    if is_explained != is_first || !is_first && !text.is_empty() {
        return Err(format!("an unclear answer, the first: {is_first}, has {text:?}"));
    }
    match words.find(|it| is_first && !text.contains(&format!("\n- {it}"))) {
        Some(words) => Err(format!("{text:?} lacks {words:?}")),
        None => Ok(()),
    }
}

fn moves_for_digests_are_made(change: &Change, mail: &Incoming, player: i64) -> Result<(), String> {
    let Some(answered) = mail.answers.and_then(|at| change.accepted.get(at)) else {
        return Ok(());
    };
    let is_of_several =
        |it: &&shown::Shown| it.kind == "digest" || it.kind == "reminder" && it.games.len() > 1;
    let Some(shown) = answered.shown.as_ref().filter(is_of_several) else { return Ok(()) };
    let words: Vec<_> = mail.written.split_whitespace().collect();
    let ([game, mv] | ["move", game, mv]) = words[..] else { return Ok(()) };
    let (Some(id), Some(place)) = (number(Some(game)), replay::place(mv)) else { return Ok(()) };
    let [text, _] = mailer::parts(answered);
    let is_drawn = text.contains(&format!("\nGame {id} against "));
    let Some(then) = shown.games.iter().find(|it| it.game == game).filter(|_| is_drawn) else {
        return Ok(());
    };
    let columns = ["to_move", "paused", "deadline", "created_at"];
    let row = change.before.columns_of("game", id, columns).next();
    let Some([to_move, Some("0"), deadline, begun]) = row else { return Ok(()) };
    let is_own_turn = number(to_move) == Some(player)
        && number(deadline) > Some(change.now.timestamp())
        && number(begun) <= Some(shown.at);
    let log = shown::log(change.before, game);
    let holds = is_own_turn
        && shown::history(&log, then.events) == Some(then.history)
        && shown::moves(&log[..then.events]) == shown::moves(&log)
        && !log[then.events..].iter().any(|it| shown::is_move(it.action));
    let is_legal = |tables: &Tables| {
        let replayed = Replayed::of(tables, id, usize::MAX).ok();
        replayed
            .is_some_and(|it| matches!(it.status(), Status::Place(legal) if legal.contains(&place)))
    };
    if !holds || !is_legal(change.before) {
        return Ok(());
    }
    let own = player.to_string();
    let is_made = new_events(change).iter().any(|new| {
        let is_own = new.game == game && new.player == Some(&*own);
        is_own && replay::place(new.event.action) == Some(place)
    });
    let records = change.after.columns("received", ["understood", "disposition", "why"]);
    match is_made {
        true => Ok(()),
        false => Err(format!("{:?} to {}: {:?}", mail.written, answered.id, records.last())),
    }
}
