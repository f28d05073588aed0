//! Whose events a command brings about, and what plans answer.

use std::collections::BTreeSet;

use super::{Given, Member};
use crate::simulator::Violation;
use crate::simulator::holds::replies::{self, New};
use crate::simulator::holds::{Change, tournaments, violated};
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::shown;
use crate::simulator::tables::Tables;

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
        let new = &log[events..];
        let is_back = |event: &shown::Event| {
            event.action == "takeback"
                || event.action == "accept"
                    && before.offer().is_some_and(|it| it.kind == "takeback")
        };
        if let Some(event) = new.iter().find(|event| is_back(event)) {
            if keeps(change.after, [game, player], event.number) {
                let found = format!("the plan of player {player} in game {game} is kept");
                return violated(OF, format!("{found} after event {}", event.number));
            }
            continue;
        }
        let moves: Vec<_> = new.iter().filter(|it| replies::is_chosen(it.action)).collect();
        let is_of_plan = before.turn() == Some(opponent(own))
            && moves.first().is_some_and(|it| it.author == opponent(own).to_string())
            && event.is_some_and(|it| parsed(it) >= before.position_event as i64);
        // Beside another process, the plan can be another one by then.
        if !is_of_plan || is_given("plan") || change.words.is_empty() {
            continue;
        }
        let plan = Planned::of(branches, own);
        let turn = Replayed::of(change.after, id, usize::MAX).ok().and_then(|it| it.turn());
        let mut plans = change.after.columns_of("plan", id, ["player", "branches"]);
        let kept = plans.find(|[it, _]| *it == Some(player)).and_then(|[_, it]| it);
        let is_move =
            |event: &shown::Event| event.action == "auto-pass" || replies::is_chosen(event.action);
        let are_moves = !change.words.is_empty() && new.iter().all(is_move);
        let wrong = plan.wrong_reply(&moves, turn);
        if let Some(wrong) =
            wrong.or_else(|| plan.wrong_rest(&moves, turn, kept).filter(|_| are_moves))
        {
            let found = format!("game {game}: player {player} has planned {branches:?}; {wrong}");
            return violated(OF, found);
        }
    }
    Ok(())
}

/// Returns whether a player has a plan for a game from before an event.
fn keeps(tables: &Tables, [game, player]: [&str; 2], number: usize) -> bool {
    let mut plans = tables.columns_of("plan", parsed(game), ["player", "event"]);
    plans
        .any(|[it, event]| it == Some(player) && event.is_some_and(|it| parsed(it) < number as i64))
}

/// A plan of the player of a colour: its branches, without automatic passes.
struct Planned<'a> {
    own: char,
    branches: Vec<Vec<&'a str>>,
}

impl<'a> Planned<'a> {
    fn of(branches: &'a str, own: char) -> Self {
        let branches = branches.split('/').map(|branch| branch.split_whitespace().collect());
        Self { own, branches: branches.collect() }
    }

    /// Returns what is left of the branches that begin with these moves.
    fn rest(&self, made: &[&shown::Event]) -> BTreeSet<Vec<&'a str>> {
        let begins_so = |it: &&Vec<&str>| {
            it.len() > made.len() && it.iter().zip(made).all(|(mv, made)| *mv == made.action)
        };
        self.branches.iter().filter(begins_so).map(|it| it[made.len()..].to_vec()).collect()
    }

    /// Returns which reply was not made though it is planned, or is another one. `turn` is whose turn it is then.
    fn wrong_reply(&self, moves: &[&shown::Event], turn: Option<char>) -> Option<String> {
        let turns = moves.iter().map(|it| it.author.chars().next()).chain([turn]);
        for (at, turn) in turns.enumerate() {
            let rest = self.rest(&moves[..at]);
            let Some(answer) = rest.first().map(|it| it[0]).filter(|_| turn == Some(self.own))
            else {
                continue;
            };
            let next = moves.get(at);
            if next.is_none_or(|it| it.action != answer) {
                return Some(format!("{next:?} is not {answer:?} after {:?}", &moves[..at]));
            }
        }
        None
    }

    /// Returns what is kept of it, if that is not what is still possible.
    fn wrong_rest(
        &self,
        moves: &[&shown::Event],
        turn: Option<char>,
        kept: Option<&str>,
    ) -> Option<String> {
        let rest = if turn.is_some() { self.rest(moves) } else { BTreeSet::new() };
        let branches = kept.into_iter().flat_map(|it| Planned::of(it, self.own).branches);
        let kept: BTreeSet<_> = branches.collect();
        (kept != rest).then(|| format!("{kept:?} is kept, not {rest:?}, after {moves:?}"))
    }
}
