//! Answers that are neither a yes nor a no: docs/receiving.md.

use super::replies::{author, is_chosen, is_planned, new_events};
use super::rows::of_player;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::number;

/// Lines that say yes and no, or more than that.
pub const UNCLEAR: [&str; 7] = [
    "ok, no",
    "yes no",
    "no, yes",
    "sure, not now",
    "yes, but tomorrow",
    "yes and no",
    "no thanks, I accept",
];

/// Settings that a question can ask about.
const SETTINGS: [&str; 6] = ["receipt", "clock", "mail_mode", "style", "grace", "address"];

/// Who answers with a yes and a no at once does nothing with that: no offer and no challenge is answered, and no
/// question is.
pub fn unclear_answers_do_nothing(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let is_unclear = |line: &str| UNCLEAR.contains(&line);
    let mut lines = mail.written.lines().filter(|it| !it.trim().is_empty());
    let (Some(last), ..=2) = (lines.next_back(), mail.written.lines().count()) else {
        return Ok(());
    };
    let Some(player) = author(mail, change).filter(|_| is_unclear(last)) else { return Ok(()) };
    let found = |what: String| violated("unclear_answers_do_nothing", format!("{last:?}: {what}"));
    for new in new_events(change).iter().filter(|it| it.player == Some(player)) {
        let action = new.event.action;
        let word = action.split(' ').next().unwrap_or_default();
        let is_answer = matches!(word, "accept" | "decline" | "offer" | "resign" | "takeback");
        let is_by_plan = || is_planned(change.before, new.game, player, action);
        if is_answer || is_chosen(action) && !is_by_plan() {
            return found(format!("{action} in game {}", new.game));
        }
    }
    for id in change.after.changed(change.before, "challenge") {
        let state = |tables: &crate::simulator::tables::Tables| {
            let row = tables.columns_of("challenge", id, ["state"]).next();
            row.and_then(|[state]| state.map(str::to_owned))
        };
        let states = [state(change.before), state(change.after)];
        if matches!(states[1].as_deref(), Some("accepted" | "declined")) && states[0] != states[1] {
            return found(format!("challenge {id} is {:?}", states[1]));
        }
    }
    let player = number(Some(player)).unwrap_or_default();
    let is_other =
        |it: &&&str| of_player(change.before, player, it) != of_player(change.after, player, it);
    match SETTINGS.iter().find(is_other) {
        Some(setting) => found(format!("{setting} of player {player} is another one")),
        None => Ok(()),
    }
}
