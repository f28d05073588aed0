//! A command in a mail of its own is done or refused as in a shell, and stores the same: docs/receiving.md.

use super::commands::{Given, Member, allowed, wrong_in_tables};
use super::mail_answers::{answers, clear};
use super::{Change, violated};
use crate::simulator::Violation;

/// Commands that a mail reads in another way, or that ask for a confirmation or for more.
const OTHERS: [&str; 9] =
    ["leave", "address", "signup", "say", "note", "plan", "page", "stop", "thanks"];

/// What the answer says of a command that was refused.
const REFUSED: &str = "` was not done:";

/// A command that is alone in a mail of its own, from a player for sure, is done if the docs allow it, and refused if
/// not; one that is done stores what it says.
pub fn mailed_commands_are_done_or_refused(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear(change).filter(|(mail, _)| mail.answers.is_none()) else {
        return Ok(());
    };
    let words: Vec<_> = mail.written.split_whitespace().map(str::to_owned).collect();
    let Some((word, rest)) = words.split_first() else { return Ok(()) };
    let record = change.after.columns("received", ["understood", "disposition"]).last();
    let is_alone = !mail.written.trim().contains('\n') && mail.written.len() < 200;
    let is_read = record == Some([Some(&**word), Some("done")]);
    if !is_alone || !is_read || OTHERS.iter().any(|it| words.iter().take(2).any(|word| word == it))
    {
        return Ok(());
    }
    let id = player.to_string();
    let Some(actor) = Member::with_id(change.before, &id) else { return Ok(()) };
    let (tables, now) = (change.before, change.now.timestamp());
    let given = Given { word, rest, actor: Some(actor), tables, now };
    let text = answers(change, player);
    let is_done = !text.contains(REFUSED);
    let found = |what: String| {
        let found = format!("{} wrote {:?}: {what}: {text:?}", actor.name, mail.written);
        violated("mailed_commands_are_done_or_refused", found)
    };
    match allowed(&given) {
        Some(is_allowed) if is_allowed != is_done => {
            return found(format!("is allowed: {is_allowed}, and is done: {is_done}"));
        }
        _ => {}
    }
    // A game that a command names can be one of the same number that has not begun.
    let is_of_challenge = given.id().is_some_and(|id| {
        change.before.columns_of("challenge", id, ["id"]).next().is_some()
            && change.before.columns_of("game", id, ["id"]).next().is_none()
    });
    match wrong_in_tables(change, &given, actor).filter(|_| is_done && !is_of_challenge) {
        Some(wrong) => found(wrong),
        None => Ok(()),
    }
}
