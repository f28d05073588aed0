//! Whose events a command brings about, and what plans answer.

use std::collections::BTreeSet;

use super::{Given, Member};
use crate::simulator::Violation;
use crate::simulator::holds::replies::{self, New};
use crate::simulator::holds::{Change, tournaments, violated};
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::shown;

/// The commands that bring about an event.
fn commands_for(action: &str) -> &'static [&'static str] {
    match action.split(' ').next().unwrap_or_default() {
        "resign" => &["resign", "leave", "remove", "withdraw"],
        "given" => &["new", "challenge", "accept", "rematch"],
        "takeback" => &["takeback"],
        "accept" => &["accept", "draw", "pause", "rematch"],
        "decline" => &["decline", "abort", "leave", "remove"],
        "unpause" => &["unpause"],
        "claim" => &["claim"],
        "say" => &["say"],
        "note" => &["note"],
        "away" | "back" => &["away"],
        "hint" => &["hint"],
        "annul" => &["annul", "leave", "remove"],
        "forfeit" => &["forfeit"],
        "extend" => &["extend"],
        "offer" => match action {
            "offer draw" => &["draw"],
            "offer takeback" => &["takeback"],
            "offer pause" => &["pause"],
            _ => &["rematch"],
        },
        _ => &["move", "pass"],
    }
}

/// The events that a command brings about are those of the player who gave it, and they are what it says. Only
/// automatic passes, planned moves, computer players and the clock act by themselves.
pub fn events_are_by_those_who_acted(change: &Change) -> Result<(), Violation> {
    let is_page = change.words.first().is_some_and(|it| it == "page");
    if change.words.is_empty() || change.incoming.is_some() || change.words[0] == "receive" {
        return Ok(());
    }
    let given = Given::of(change);
    let actor = match is_page {
        true => Member::named(change.before, change.actor),
        false => given.and_then(|given| given.actor),
    };
    for New { game, event, player } in replies::new_events(change) {
        let word = event.action.split(' ').next().unwrap_or_default();
        if matches!(word, "auto-pass" | "settings" | "flag" | "time-out" | "outage")
            // The words of the notes of one who leaves.
            || event.action == "note (erased)"
        {
            continue;
        }
        let is_new = change.before.columns_of("game", parsed(game), ["id"]).next().is_none();
        // `send` withdraws a player who has lost on time.
        if change.words[0] == "send"
            && word == "forfeit"
            && tournaments::has(change.after, parsed(game))
        {
            continue;
        }
        // A computer player, or the log of a game that begins.
        if is_new
            && (matches!(word, "away" | "given") || commands_for(event.action).contains(&"move"))
            || player.is_none() && event.author != "h"
            || player.is_some_and(|it| replies::is_planned(change.before, game, it, event.action))
        {
            continue;
        }
        let expected = commands_for(event.action);
        let is_its = match given {
            Some(given) => expected.contains(&given.word),
            // A page has many commands; the host has none.
            None => is_page && event.author != "h",
        };
        let is_host = actor.is_none() && (event.author == "h" || word != "resign");
        let is_theirs = match (player, actor) {
            (Some(player), Some(actor)) => player == actor.id,
            (Some(_), None) => {
                is_host && (word == "hint" || expected.contains(&"move"))
                    || given.is_some_and(|it| it.word == "remove")
            }
            (None, actor) => actor.is_none(),
        };
        // When a player leaves, the opponent's offer of a rematch ends, too.
        let ends_offer = word == "decline"
            && given.is_some_and(|given| matches!(given.word, "leave" | "remove"));
        if !is_its || !is_theirs && !ends_offer {
            let found = format!(
                "{} gave {:?}, and player {player:?} has {:?} in game {game}",
                change.actor,
                change.words.join(" "),
                event.action
            );
            return violated("events_are_by_those_who_acted", found);
        }
    }
    Ok(())
}

fn parsed(number: &str) -> i64 {
    number.parse().unwrap_or_default()
}

/// When the opponent makes a planned move, the reply is made with it; after another move the plan is gone. A
/// takeback deletes the plans of both.
pub fn plans_answer(change: &Change) -> Result<(), Violation> {
    const OF: &str = "plans_answer";
    let is_given = |word: &str| change.words.first().is_some_and(|it| it == word);
    if change.before.is_same(change.after, "event") {
        return Ok(());
    }
    let columns = ["game", "player", "event", "branches"];
    for [game, player, event, branches] in change.before.columns("plan", columns) {
        let (Some(game), Some(player), Some(branches)) = (game, player, branches) else { continue };
        let id = parsed(game);
        let events = change.before.columns_of("event", id, ["number"]).count();
        let log = shown::log(change.after, game);
        if log.len() <= events {
            continue;
        }
        let Ok(before) = Replayed::of(change.before, id, usize::MAX) else { continue };
        let people = change.before.columns_of("game", id, ["black", "white"]).next();
        let Some(at) = people.and_then(|it| it.iter().position(|it| *it == Some(player))) else {
            continue;
        };
        let own = if at == 0 { 'b' } else { 'w' };
        let keeps = |number: usize| {
            let mut plans = change.after.columns_of("plan", id, ["player", "event"]);
            plans.any(|[it, event]| {
                it == Some(player) && event.is_some_and(|it| parsed(it) < number as i64)
            })
        };
        let new = &log[events..];
        let is_back = |event: &shown::Event| {
            event.action == "takeback"
                || event.action == "accept"
                    && before.offer().is_some_and(|it| it.kind == "takeback")
        };
        if let Some(event) = new.iter().find(|event| is_back(event)) {
            if keeps(event.number) {
                let found = format!("the plan of player {player} in game {game} is kept");
                return violated(OF, format!("{found} after event {}", event.number));
            }
            continue;
        }
        let is_other = opponent(own).to_string();
        let Some(first) = new.iter().position(|event| {
            event.action != "auto-pass"
                && event.author != "h"
                && commands_for(event.action).contains(&"move")
        }) else {
            continue;
        };
        let mv = &new[first];
        let is_of_plan = before.turn() == Some(opponent(own))
            && mv.author == is_other
            && event.is_some_and(|it| parsed(it) >= before.position_event as i64);
        if !is_of_plan {
            continue;
        }
        let branches: Vec<Vec<&str>> =
            branches.split('/').map(|branch| branch.split_whitespace().collect()).collect();
        let is_made = |branch: &&Vec<&str>| branch.first() == Some(&mv.action);
        let answer = branches.iter().find(is_made).and_then(|branch| branch.get(1));
        let next = new.get(first + 1);
        if next.is_some_and(|it| it.action == "auto-pass") || answer == Some(&"pass") {
            continue;
        }
        let is_answered = matches!((answer, next), (Some(answer), Some(next))
            if *answer == next.action && next.author == own.to_string());
        if let (true, Some(answer), None) = (is_answered, answer, new.get(first + 2)) {
            // The branches that are still possible stay.
            let begins_so = |it: &&Vec<&str>| it.starts_with(&[mv.action, *answer]);
            let rest = branches.iter().filter(begins_so).map(|branch| branch[2..].join(" "));
            let rest: BTreeSet<_> = rest.filter(|branch| !branch.is_empty()).collect();
            let mut plans = change.after.columns_of("plan", id, ["player", "branches"]);
            let plan = plans.find(|[it, _]| *it == Some(player)).and_then(|[_, it]| it);
            let kept = plan.unwrap_or_default().split('/').map(|it| it.trim().to_owned());
            let kept: BTreeSet<_> = kept.filter(|branch| !branch.is_empty()).collect();
            if kept != rest {
                let found = format!("game {game}: of {branches:?} player {player} keeps {kept:?}");
                return violated(OF, format!("{found} after {} {answer}", mv.action));
            }
        }
        match (answer, next) {
            _ if is_answered => {}
            (None, _) if !keeps(mv.number) => {}
            _ if is_given("plan") => {}
            _ => {
                let found = format!(
                    "game {game}: player {player} has planned {branches:?}; after {} comes {next:?}",
                    mv.action
                );
                return violated(OF, found);
            }
        }
    }
    Ok(())
}
