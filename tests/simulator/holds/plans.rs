//! Plans: which are allowed, what is stored of them, and what they are for in a mail. docs/playing.md, Plans.

use std::collections::BTreeSet;

use super::commands::Given;
use super::rows::Game;
use super::{Change, replies, violated};
use crate::simulator::Violation;
use crate::simulator::naive::Status;
use crate::simulator::replay::{Replayed, move_label, opponent, place};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// The most branches of a plan.
const MAX_BRANCHES: usize = 50;

/// Returns the branches that words list, in lower case; `None` if they are not written move by move.
pub fn branches(words: &[String]) -> Option<Vec<Vec<String>>> {
    let is_label = |it: &str| {
        it.len() < 5
            && it.starts_with(|it: char| it.is_ascii_alphabetic())
            && it.ends_with(|it: char| it.is_ascii_digit())
            || it == "pass"
    };
    let text = words.join(" ").to_lowercase();
    let branch = |text: &str| {
        let moves = text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        (!moves.is_empty() && moves.iter().all(|it| is_label(it))).then_some(moves)
    };
    text.split('/').map(branch).collect()
}

/// Returns the beginnings of all branches, without passes: what a plan says.
pub fn beginnings(branches: &[Vec<String>]) -> BTreeSet<Vec<String>> {
    let mut all = BTreeSet::new();
    for branch in branches {
        let moves: Vec<_> = branch.iter().filter(|it| *it != "pass").cloned().collect();
        all.extend((1..=moves.len()).map(|length| moves[..length].to_vec()));
    }
    all
}

/// Returns whether a player of a colour may plan this in a game; `None` if this model does not know, such as with
/// passes.
pub fn may_plan(game: &Replayed, own: char, branches: &[Vec<String>]) -> Option<bool> {
    if game.turn() != Some(opponent(own)) || branches.len() > MAX_BRANCHES {
        return Some(false);
    }
    let mut known: Vec<(Vec<String>, String)> = Vec::new();
    for branch in branches {
        let mut board = game.board.clone();
        for (at, mv) in branch.iter().enumerate() {
            let cell = place(mv)?;
            match board.status() {
                Status::Place(cells) if cells.contains(&cell) => {}
                Status::Place(_) | Status::Over(..) => return Some(false),
                Status::Pass => return None,
            }
            let is_own = board.turn == own;
            let before = branch[..at].to_vec();
            let other = known.iter().find(|(it, _)| *it == before).map(|(_, it)| it);
            if is_own && other.is_some_and(|it| it != mv) {
                // Two answers to the same move.
                return Some(false);
            }
            known.extend(is_own.then(|| (before, mv.clone())));
            if board.play(Some(cell)).iter().any(|it| it.auto) {
                return None;
            }
        }
        if branch.len() % 2 == 1 {
            return Some(false);
        }
    }
    Some(true)
}

/// A plan in a reply to a mail is refused if the opponent has moved since, or if a move was taken back.
pub fn plans_by_mail_are_for_what_was_shown(change: &Change) -> Result<(), Violation> {
    const OF: &str = "plans_by_mail_are_for_what_was_shown";
    let Some(mail) = change.incoming.filter(|_| !change.after.is_same(change.before, "plan"))
    else {
        return Ok(());
    };
    let answered = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let (Some(author), Some(shown)) = (replies::author(mail, change), answered) else {
        return Ok(());
    };
    let written = mail.written.trim().to_lowercase();
    if !written.starts_with("plan ") || written.contains('\n') || written.contains('#') {
        return Ok(());
    }
    let named = written.split(' ').nth(1);
    let then = match &shown.games[..] {
        [then] if shown.kind != "digest" => then,
        all if shown.kind == "digest" || all.len() > 1 => {
            let Some(then) = all.iter().find(|it| Some(&*it.game) == named) else {
                return Ok(());
            };
            then
        }
        _ => return Ok(()),
    };
    let is_of_several = shown.kind == "digest" || shown.games.len() > 1;
    let Some(id) = number(Some(&then.game)) else { return Ok(()) };
    let plan = |tables| {
        let names = ["player", "event", "branches"];
        let mut rows = Tables::columns_of(tables, "plan", id, names);
        rows.find(|[player, ..]| *player == Some(author))
    };
    let (old, Some(new)) = (plan(change.before), plan(change.after)) else { return Ok(()) };
    if old == Some(new) {
        return Ok(());
    }
    let log = shown::log(change.before, &then.game);
    let people = change.before.columns_of("game", id, ["black", "white"]).next();
    let Some([black, _]) = people else { return Ok(()) };
    let other = if black == Some(author) { "w" } else { "b" };
    let is_known = shown::history(&log, then.events) == Some(then.history);
    let has_moved = log.iter().skip(then.events).any(|event| {
        event.author == other && replies::is_chosen(event.action) || event.action == "takeback"
    });
    // After a restore, the record of another such mail can have its number.
    match is_known && !has_moved || is_of_several && !is_known {
        true => Ok(()),
        false => violated(OF, format!("{new:?} in game {id} in reply to {shown:?}")),
    }
}

/// Who has planned is told which moves the plan has made, and nobody else is told of any.
pub fn plans_that_reply_are_told(change: &Change) -> Result<(), Violation> {
    const LEAD: &str = "Your plan replied for you: ";
    let (Some(given), 0) = (Given::of(change), change.status) else { return Ok(()) };
    let Some(game) = given.id().filter(|_| given.word == "move") else { return Ok(()) };
    let [then, now] =
        [change.before, change.after].map(|it| Replayed::of(it, game, usize::MAX).ok());
    let (Some(then), Some(now)) = (then, now) else { return Ok(()) };
    let made = now.plies.iter().enumerate().skip(then.plies.len());
    let mut chosen = made.filter(|(_, ply)| !ply.auto);
    let Some((_, by_command)) = chosen.next() else { return Ok(()) };
    let planned: Vec<_> = chosen.collect();
    for id in change.after.added("outbox", change.before) {
        let names = ["player", "game", "text"];
        let Some([player, about, Some(text)]) = change.after.columns_of("outbox", id, names).next()
        else {
            continue;
        };
        let color = number(player).and_then(|it| Game::of(change.after, game)?.color_of(it));
        let Some(said) = text.strip_prefix(LEAD).filter(|_| number(about) == Some(game)) else {
            continue;
        };
        let own = planned.iter().filter(|(_, ply)| color.is_some_and(|it| it.starts_with(ply.by)));
        let moves = own
            .filter_map(|(at, ply)| Some(format!("{}.{}", at + 1, move_label(ply, &now.board)?)));
        let moves: Vec<_> = moves.collect();
        if moves.is_empty() || said.lines().next() != Some(&*format!("{}.", moves.join(" "))) {
            let found = format!(
                "game {game}, {player:?} {color:?}: {said:?}, not {moves:?} after {by_command:?}"
            );
            return violated("plans_that_reply_are_told", found);
        }
    }
    Ok(())
}
