//! What notices of events are queued with: docs/playing.md, docs/time.md, docs/mail.md. What they say when they go is
//! judged elsewhere.

use super::clocks;
use super::commands::Given;
use super::mail_sentences::all_units;
use super::replies::{self, New};
use super::rows::{Game, Mail, called, name_of};
use super::turn_mails::has_fallen;
use super::{Change, commands, violated};
use crate::simulator::Violation;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::tables::number;

/// A notice of an answer to an offer, of the end of a pause or of more time says what has happened, to the one whom it
/// is for.
pub fn notices_say_what_has_happened(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    let events = replies::new_events(change);
    for id in change.after.new_rows("outbox", change.before) {
        let is_known = Mail::of(change.before, id).is_some();
        let Some(row) = Mail::of(change.after, id).filter(|it| it.kind == "notice" && !is_known)
        else {
            continue;
        };
        let text = change.after.columns_of("outbox", id, ["text"]).next();
        let text = text.and_then(|[text]| text).unwrap_or_default();
        let expected = match (row.game, &*row.occasion) {
            (Some(game), "answer") => answers(change, &events, game, &row),
            (_, "") if text.starts_with("The host has given ") => extensions(change, &row),
            (Some(game), "deleted plan") => deleted_plan(change, game, &row),
            (Some(game), "claim") => claim(change, game, &row).into_iter().collect(),
            _ => continue,
        };
        let said = text.split("\nGame ").next().unwrap_or_default();
        let suggested = change.after.columns_of("outbox", id, ["suggested"]).next();
        let is_offered = suggested.is_some_and(|[it]| it.is_some_and(|it| it.contains("claim")));
        if said.ends_with(" so you can claim the game.") != is_offered {
            let found = format!("{row:?} says {said:?}, and offers it: {is_offered}");
            return violated("notices_say_what_has_happened", found);
        }
        if !expected.iter().any(|it| it == said) {
            let found = format!("{:?}: {row:?} says {said:?}, not {expected:?}", change.words);
            return violated("notices_say_what_has_happened", found);
        }
    }
    Ok(())
}

/// Returns the sentences about the new answers in a game, for this reader.
fn answers(change: &Change, events: &[New], game: i64, row: &Mail) -> Vec<String> {
    let id = game.to_string();
    let own =
        |it: &&New| it.game == id && it.player != row.player.map(|it| it.to_string()).as_deref();
    let events = events.iter().filter(own);
    events.filter_map(|it| answer(change, game, it, row)).collect()
}

fn answer(change: &Change, id: i64, new: &New, row: &Mail) -> Option<String> {
    let tables = change.after;
    let name = called(tables, id, new.event.author.chars().next()?)?;
    let event = new.event.number;
    let before = Replayed::of(tables, id, event - 1).ok()?;
    let offer = before.offer();
    let noun = offer.map(|it| match &*it.kind {
        "draw" => "offer of a draw",
        "rematch" => "offer of a rematch",
        "takeback" => "request for a takeback",
        _ => "request for a pause",
    });
    match new.event.action {
        "accept" => match &*offer?.kind {
            "pause" => Some(format!("{name} agreed to the pause, so the clocks stand still.")),
            "takeback" => Some(taken_back(change, id, event, name)?),
            _ => None,
        },
        "decline" => Some(match offer?.by.to_string() == new.event.author {
            true => format!("{name} withdrew the {} in this game.", noun?),
            false => format!("{name} declined your {} in this game.", noun?),
        }),
        "unpause" => {
            let game = Game::of(tables, id)?;
            let late = before.turn()?;
            let is_late_own = game.person(&late.to_string()) == row.player;
            let [deadline] = tables.columns_of("game", id, ["deadline"]).next()?;
            // The host can have given more time since the flag fell.
            let is_over = has_fallen(tables, id, i64::try_from(event).ok()?)
                && number(deadline) <= Some(change.now.timestamp());
            Some(match (is_over, is_late_own) {
                (false, _) => format!("{name} ended the pause, so the clocks run again."),
                (true, true) => format!(
                    "{name} ended the pause. Your time is over, so {name} can claim the game."
                ),
                (true, false) => format!(
                    "{name} ended the pause. The time of {name} is over, so you can claim the game."
                ),
            })
        }
        _ => None,
    }
}

/// Returns the sentence about moves that are taken back with this event.
fn taken_back(change: &Change, id: i64, number: usize, name: &str) -> Option<String> {
    let after = Replayed::of(change.after, id, number).ok()?;
    let taken = after.taken.last()?;
    let moves = (taken.before + 1..).zip(&taken.plies).map(|(at, ply)| {
        let label = replay::move_label(ply, &after.board)?;
        Some(if ply.auto { format!("{at}.({label})") } else { format!("{at}.{label}") })
    });
    let moves: Vec<_> = moves.collect::<Option<_>>()?;
    Some(match &moves[..] {
        [one] => format!("{name} agreed, so {one} is taken back."),
        _ => format!("{name} agreed, so these moves are taken back: {}.", moves.join(" ")),
    })
}

/// Returns what the notice of a plan that is deleted says, if its reader had one: nobody else learns of it.
fn deleted_plan(change: &Change, game: i64, row: &Mail) -> Vec<String> {
    let mut plans = change.before.columns_of("plan", game, ["player"]);
    let had_one = plans.any(|[it]| number(it) == row.player);
    let text = "Your plan for this game was deleted, because moves were taken back.".to_owned();
    // A mail can have planned it before.
    (had_one || change.incoming.is_some()).then_some(text).into_iter().collect()
}

/// Returns what a notice of an extension can say: who has how much more time, and why.
fn extensions(change: &Change, row: &Mail) -> Vec<String> {
    let Some(given) = Given::of(change).filter(|it| it.word == "extend") else { return Vec::new() };
    let reason = given.rest.iter().position(|it| it == "--reason");
    let (words, reason) = match reason {
        Some(at) => (&given.rest[..at], given.rest[at + 1..].join(" ")),
        None => (given.rest, String::new()),
    };
    let reason = match reason.trim() {
        "" => String::new(),
        reason => format!("\nReason: {reason}"),
    };
    let named = |name: &String| {
        let member = commands::Member::named(change.before, name);
        member.map_or_else(|| name.clone(), |it| it.name.to_owned())
    };
    let span = words.get(1).and_then(|it| commands::seconds(it)).map(all_units).unwrap_or_default();
    let text = match (words, row.game) {
        ([_, _, name], None) => {
            let name = named(name);
            format!(
                "The host has given {name} {span} more in all games in which {name} is on turn."
            )
        }
        ([_, _, name], Some(id)) => {
            let game = Game::of(change.after, id);
            let member = commands::Member::named(change.before, name);
            let color = member.and_then(|it| game?.color_of(number(Some(it.id))?));
            let color = if color == Some("b") { "black" } else { "white" };
            format!("The host has given {} ({color}) {span} more.", named(name))
        }
        (_, None) => format!("The host has given {span} more to each player on turn."),
        (_, Some(id)) => {
            let to_move = change.after.columns_of("game", id, ["to_move", "turn"]).next();
            let [to_move, turn] = to_move.unwrap_or_default();
            let name = number(to_move).and_then(|it| name_of(change.after, it));
            let (name, turn) = (name.unwrap_or_default(), turn.unwrap_or_default());
            format!("The host has given {name} ({turn}) {span} more.")
        }
    };
    vec![text + &reason]
}

/// Returns what the notice says that a game without a clock can be claimed, if that is so.
fn claim(change: &Change, id: i64, row: &Mail) -> Option<String> {
    let game = Game::of(change.after, id)?;
    let late = game.to_move.filter(|it| Some(*it) != row.player)?;
    let can_claim = clocks::can_be_claimed(change.after, id, change.now.timestamp());
    let name = name_of(change.after, late)?;
    let text = format!("{name} has not moved for 60 days, so you can claim the game.");
    (can_claim != Some(false)).then_some(text)
}
