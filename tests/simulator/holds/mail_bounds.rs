//! What some mails cannot do: those without a command, with a move that names no game, or in reply to a mail to somebody
//! who watches. docs/receiving.md, docs/settings.md.

use super::mail_answers::{answers, clear, own_reply, unanswered};
use super::quotas::mailbox;
use super::replies::{self, author, is_chosen, is_flood, is_planned, new_events};
use super::rows::{Game, called, of_player};
use super::{Change, Part, each_holds};
use crate::simulator::Violation;
use crate::simulator::mailer::Incoming;
use crate::simulator::naive::Status;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::tables::{Tables, number};

/// So many mails in a row without a command are answered.
const MAX_IDLE: i64 = 3;

/// So few replies in a day are surely below the limit of a day.
const FEW: usize = 15;

/// What is no command, and looks like none.
const IDLE: [&str; 2] = ["hello", "Ok."];

/// Mails without a command are answered three times in a row, a move alone that names no game is not made, and a reply
/// to a mail to somebody who watches a game reads or ends the watching.
pub fn mails_do_no_more_than_they_may(change: &Change) -> Result<(), Violation> {
    if change.incoming.is_none() || change.words.is_empty() {
        return Ok(());
    }
    let parts: [(_, Part); 5] = [
        ("words_below_two_games_are_for_neither", words_below_two_games_are_for_neither),
        ("two_moves_for_a_turn_are_refused", two_moves_for_a_turn_are_refused),
        ("idle_mails_are_answered_three_times", idle_mails_are_answered_three_times),
        ("moves_alone_need_a_game", moves_alone_need_a_game),
        ("replies_of_watchers_only_read", replies_of_watchers_only_read),
    ];
    each_holds(change, &parts)
}

/// Returns how many mails of a player came since the last one with a command, whoever has sent them.
fn idle(tables: &Tables, player: i64) -> i64 {
    let mailbox = mailbox(of_player(tables, player, "address").unwrap_or_default());
    let mut rows = tables.columns("idle", ["mailbox", "is_verified", "mails"]);
    let is_theirs = |it: &str| it.eq_ignore_ascii_case(&mailbox);
    let row = rows.find(|[it, verified, _]| it.is_some_and(is_theirs) && *verified == Some("1"));
    row.and_then(|[.., mails]| number(mails)).unwrap_or_default()
}

/// Returns the player whose own mail this is surely, though it may get no answer.
fn sender(change: &Change, mail: &Incoming) -> Option<i64> {
    let player = number(author(mail, change))?;
    let is_new = !mail.is_copy && !is_flood(change) && mail.answers.is_none();
    let bytes = String::from_utf8_lossy(&mail.bytes).replace('\r', "");
    let is_plain = bytes.contains("Content-Type: text/plain") && bytes.contains(&mail.written);
    (is_new && is_plain).then_some(player)
}

fn idle_mails_are_answered_three_times(change: &Change) -> Result<(), String> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let Some(player) = sender(change, mail) else { return Ok(()) };
    let has_command = mail.written == "games";
    if !has_command && !IDLE.contains(&&*mail.written) {
        return Ok(());
    }
    let [was, is] = [change.before, change.after].map(|it| idle(it, player));
    let expected = if has_command { 0 } else { was + 1 };
    let found = |what: String| {
        let records = change.after.columns("received", ["understood", "disposition", "why"]);
        Err(format!("{:?} of player {player}: {what}: {:?}", mail.written, records.last()))
    };
    let last = change.after.columns("received", ["disposition"]).last();
    if last != Some([Some("done")]) {
        return Ok(());
    }
    if is != expected {
        return found(format!("mails in a row without a command: {was} and then {is}"));
    }
    let mut replies = change.before.columns("reply", ["mailbox"]);
    let own = mailbox(of_player(change.before, player, "address").unwrap_or_default());
    let is_theirs = |[it]: &[Option<&str>; 1]| it.is_some_and(|it| it.eq_ignore_ascii_case(&own));
    if replies.by_ref().filter(is_theirs).count() > FEW {
        return Ok(());
    }
    let is_answered = !answers(change, player).is_empty();
    let is_counted = unanswered(change.after) > unanswered(change.before);
    match is_answered == (expected <= MAX_IDLE) && is_counted != is_answered {
        true => Ok(()),
        false => found(format!("number {expected} is answered: {is_answered}, {is_counted}")),
    }
}

/// A move alone, in a mail that is about no game or about several, is not made. The answer lists the games in which it
/// is legal.
fn moves_alone_need_a_game(change: &Change) -> Result<(), String> {
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let answered = mail.answers.map(|at| change.accepted.get(at));
    // What some mails have shown is not known. A mail about one game has its number in its Message-ID.
    let is_about_none = answered.is_none_or(|it| {
        let of_several = ["digest.", "reminder."];
        it.is_some_and(|it| {
            it.shown.is_some() && of_several.iter().any(|kind| it.id.starts_with(kind))
        })
    });
    let Some(place) = replay::place(&mail.written).filter(|_| is_about_none) else {
        return Ok(());
    };
    let own = player.to_string();
    let made = new_events(change).into_iter().find(|it| {
        let action = it.event.action;
        it.player == Some(&*own)
            && is_chosen(action)
            && !is_planned(change.before, it.game, &own, action)
    });
    if let Some(made) = made {
        return Err(format!("{:?} is made in game {}", made.event.action, made.game));
    }
    let text = answers(change, player);
    if text.is_empty() || text.contains("more than") {
        return Ok(());
    }
    let is_legal = |tables: &Tables, id: i64| {
        let replayed = Replayed::of(tables, id, usize::MAX).ok();
        let is_own = Game::of(tables, id).is_some_and(|it| it.to_move == Some(player));
        let legal = replayed.as_ref().map(Replayed::status);
        is_own && matches!(legal, Some(Status::Place(legal)) if legal.contains(&place))
    };
    for id in change.after.columns("game", ["id"]).filter_map(|[id]| number(id)) {
        let [was, is] = [change.before, change.after].map(|it| is_legal(it, id));
        let Some(game) = Game::of(change.after, id).filter(|_| was == is) else { continue };
        let Some(color) = game.color_of(player) else { continue };
        let other = if color == "b" { 'w' } else { 'b' };
        let other = called(change.after, id, other).unwrap_or_default();
        let is_listed = text.contains(&format!("- game {id} against {other}: "));
        if is_listed != is && !(is && text.matches("\n- game ").count() >= FEW) {
            return Err(format!(
                "{:?}: game {id} is listed: {is_listed} in {text:?}",
                mail.written
            ));
        }
    }
    Ok(())
}

/// Words without a number are for no game, in a mail that is about none, below commands for several games.
fn words_below_two_games_are_for_neither(change: &Change) -> Result<(), String> {
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let answered = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    if answered.is_some_and(|it| it.kind != "digest") {
        return Ok(());
    }
    let lines: Vec<_> = mail.written.lines().map(|it| it.split(' ').collect::<Vec<_>>()).collect();
    let [.., one, other, said] = &lines[..] else { return Ok(()) };
    if lines.len() > 4 {
        return Ok(());
    }
    let game = |line: &[&str]| match line {
        ["show" | "mute" | "unmute", id] => number(Some(id)),
        ["move", id, mv] => number(Some(id)).filter(|_| replay::place(mv).is_some()),
        _ => None,
    };
    let (Some(one), Some(other), ["say", first, ..]) = (game(one), game(other), &said[..]) else {
        return Ok(());
    };
    let is_unnamed = first.starts_with(|it: char| it.is_ascii_alphabetic());
    let own = player.to_string();
    let is_said =
        |it: &replies::New| it.player == Some(&*own) && it.event.action.starts_with("say ");
    match new_events(change).into_iter().find(is_said) {
        Some(new) if is_unnamed && one != other => {
            Err(format!("{:?}: {:?} in game {}", mail.written, new.event.action, new.game))
        }
        _ => Ok(()),
    }
}

/// Two different moves for the same turn are both refused.
fn two_moves_for_a_turn_are_refused(change: &Change) -> Result<(), String> {
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let lines: Vec<_> = mail.written.lines().map(|it| it.split(' ').collect::<Vec<_>>()).collect();
    let [one, other] = &lines[..] else { return Ok(()) };
    let answered = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let shown = answered.map_or(&[][..], |it| if it.kind == "digest" { &[] } else { &it.games });
    let (id, mv, other_id, other) = match (&one[..], &other[..], shown) {
        (["move", id, mv], ["move", other_id, other], _) => (*id, mv, *other_id, other),
        ([mv], [other], [only]) => (&*only.game, mv, &*only.game, other),
        _ => return Ok(()),
    };
    let places = [mv, other].map(|it| replay::place(it));
    if id != other_id || places.contains(&None) || places[0] == places[1] {
        return Ok(());
    }
    let own = player.to_string();
    let is_it = |action: &str| is_chosen(action) && !is_planned(change.before, id, &own, action);
    let mut new = new_events(change).into_iter();
    let made = new.find(|it| it.game == id && it.player == Some(&*own) && is_it(it.event.action));
    let text = answers(change, player);
    match made {
        Some(made) => Err(format!("{:?}: {:?} is made", mail.written, made.event.action)),
        None if lines[0][0] == "move"
            && !text.is_empty()
            && text.matches("` was not done:").count() != 2 =>
        {
            Err(format!("{:?}: {text:?} does not refuse both", mail.written))
        }
        None => Ok(()),
    }
}

/// Tables and columns with what a player decides.
const DECISIONS: [(&str, [&str; 3]); 6] = [
    ("plan", ["player", "game", "branches"]),
    ("unsubscribed", ["player", "game", ""]),
    ("blocked", ["player", "author", ""]),
    ("absence", ["player", "from_at", "until_at"]),
    ("challenge", ["challenger", "id", "state"]),
    ("held", ["player", "id", ""]),
];

/// The settings of a player.
const SETTINGS: [&str; 9] =
    ["receipt", "clock", "mail_mode", "style", "grace", "subject", "watchers", "letter", "address"];

fn replies_of_watchers_only_read(change: &Change) -> Result<(), String> {
    let Some((mail, player)) = own_reply(change) else { return Ok(()) };
    let shown = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let is_watcher = shown.is_some_and(|it| it.kind.starts_with("watched"));
    if !is_watcher {
        return Ok(());
    }
    let own = player.to_string();
    let new = new_events(change).into_iter().find(|it| {
        let action = it.event.action;
        it.player == Some(&*own) && !is_planned(change.before, it.game, &own, action)
    });
    if let Some(new) = new.filter(|it| it.event.action != "auto-pass") {
        return Err(format!("{:?} in game {}", new.event.action, new.game));
    }
    for (table, columns) in DECISIONS {
        if change.after.is_same(change.before, table) {
            continue;
        }
        let of = |tables| -> Vec<_> {
            let rows = Tables::columns(tables, table, columns);
            rows.filter(|it| it[0] == Some(&*own)).collect::<Vec<_>>()
        };
        let [was, is] = [change.before, change.after].map(of);
        if was != is && table != "plan" {
            return Err(format!("{:?} changes {table}: {was:?} {is:?}", mail.written));
        }
    }
    let is_other =
        |it: &&&str| of_player(change.before, player, it) != of_player(change.after, player, it);
    if let Some(setting) = SETTINGS.iter().find(is_other) {
        return Err(format!("{:?} changes {setting}", mail.written));
    }
    let is_refused = !mail.is_clear || answers(change, player).contains("` was not done:");
    let is_command = mail.written.starts_with("set ") || mail.written == "resign";
    match is_command && !is_refused {
        true => Err(format!("{:?} is not refused: {:?}", mail.written, answers(change, player))),
        false => Ok(()),
    }
}
