//! A plain yes or no in a reply: docs/receiving.md, What players can write.

use super::commands::{Given, Member, allowed};
use super::mail_answers::{answers, clear_reply};
use super::replies::{is_chosen, is_planned, new_events};
use super::rows::{Game, with_message_id};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::{self, Incoming};
use crate::simulator::replay::Replayed;
use crate::simulator::server::Accepted;
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// What says yes and no, and nothing else.
const YES: [&str; 13] = [
    "yes",
    "ok",
    "sure",
    "i'd love to",
    "yes, please",
    "yes, thanks",
    "ja",
    "oui",
    "s\u{ed}",
    "s\u{ed}, gracias",
    "sim",
    "\u{434}\u{430}",
    "sure thing",
];
const NO: [&str; 5] = ["no", "no, thanks", "nein", "non", "not today"];

/// Kinds of mail about one game that can show a question.
const OF_GAMES: [&str; 7] = ["turn", "started", "over", "receipt", "flagged", "notice", "reminder"];

/// Returns whether a text says yes or no, if it says nothing else.
pub(super) fn says_yes(text: &str) -> Option<bool> {
    let text = text.trim().trim_end_matches(['.', '!']).to_lowercase();
    let is_yes = YES.contains(&&*text);
    (is_yes || NO.contains(&&*text)).then_some(is_yes)
}

/// A plain yes or no accepts or declines what the mail has asked, if that was one question without words of the other
/// player and is still open. In a reply to any other mail it does nothing, and the answer offers both.
pub fn plain_answers_answer_what_was_asked(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear_reply(change) else { return Ok(()) };
    let Some(is_yes) = says_yes(&mail.written) else { return Ok(()) };
    let found = |what: String| {
        let records = change.after.columns("received", ["understood", "disposition", "why"]);
        let found = format!("{:?} of player {player}: {what}: {:?}", mail.written, records.last());
        violated("plain_answers_answer_what_was_asked", found)
    };
    let Some(answered) = mail.answers.and_then(|at| change.accepted.get(at)) else {
        return Ok(());
    };
    words_are_no_question(change, answered).or_else(found)?;
    answer(change, mail, player, answered, is_yes).or_else(found)
}

/// A plain answer to a mail about a challenge that has words of the other player answers nothing.
fn words_are_no_question(change: &Change, answered: &Accepted) -> Result<(), String> {
    let is_of_challenge = answered.shown.as_ref().is_some_and(|it| it.kind == "challenge");
    let row = with_message_id(change.before, &answered.id, ["challenge", "text"]);
    let Some([id, Some(text)]) = row.filter(|_| is_of_challenge) else { return Ok(()) };
    // The words stand below the news.
    let (Some(id), true) = (number(id), text.contains("\n\n")) else { return Ok(()) };
    let state = |tables| Tables::columns_of(tables, "challenge", id, ["state"]).next();
    let states = [change.before, change.after].map(state);
    match states {
        [Some([Some("open")]), Some([Some("accepted" | "declined" | "withdrawn")])] => {
            Err(format!("challenge {id} is {:?}", states[1]))
        }
        _ => Ok(()),
    }
}

fn answer(
    change: &Change,
    mail: &Incoming,
    player: i64,
    answered: &Accepted,
    is_yes: bool,
) -> Result<(), String> {
    let Some(shown) = answered.shown.as_ref().filter(|it| OF_GAMES.contains(&&*it.kind)) else {
        return Ok(());
    };
    let [then] = &shown.games[..] else { return Ok(()) };
    let Some(id) = number(Some(&then.game)) else { return Ok(()) };
    let Some(game) = Game::of(change.before, id) else { return Ok(()) };
    let log = shown::log(change.before, &then.game);
    // What a restore has undone is not there.
    if shown::history(&log, then.events) != Some(then.history) {
        return Ok(());
    }
    let Some(own) = game.color_of(player) else { return Ok(()) };
    let asked = offer(change.before, id, then.events, own);
    let open = offer(change.before, id, usize::MAX, own);
    let is_asked = asked.is_some() && !has_words(answered);
    let is_open = open.is_some() && open == asked;
    let word = if is_yes { "accept" } else { "decline" };
    let done = done(change, player, &then.game);
    let text = answers(change, player);
    if !is_asked || !is_open {
        if let Some(action) = done {
            return Err(format!("{action} in game {id}, asked {asked:?}, open {open:?}"));
        }
        if !is_asked && text.contains("` was not done:") {
            return Err(format!("it is read as a command: {text:?}"));
        }
        // A game that has changed since is shown as it stands.
        let is_unread = !is_asked && text.contains("No command was found");
        let lacks = open.is_some_and(|(_, kind)| !has_buttons(change, mail, id, &kind));
        return match is_unread && lacks {
            true => Err(format!("the answer has no buttons for the offer in game {id}: {text:?}")),
            false => Ok(()),
        };
    }
    let (id_word, own_id) = ([then.game.clone()], player.to_string());
    let actor = Member::with_id(change.before, &own_id);
    let (tables, now) = (change.before, change.now.timestamp());
    let given = Given { word, rest: &id_word, actor, tables, now };
    match (allowed(&given), done) {
        // Another move of the opponent changes what a request for a takeback means.
        (Some(true), None) if asked.as_ref().is_none_or(|(_, kind)| kind != "takeback") => {
            Err(format!("{asked:?} of game {id} stays open: {text:?}"))
        }
        (_, Some(action)) if action != word => Err(format!("{action} in game {id}, not {word}")),
        _ => Ok(()),
    }
}

/// Returns the number of the event with the open offer of the opponent of a colour, when a game had so many events.
fn offer(tables: &Tables, game: i64, events: usize, own: &str) -> Option<(usize, String)> {
    let replayed = Replayed::of(tables, game, events).ok()?;
    let offer = replayed.offer().filter(|it| it.by.to_string() != own)?;
    Some((offer.event, offer.kind.clone()))
}

/// Returns whether a mail has words of another player.
fn has_words(mail: &Accepted) -> bool {
    let is_said = |line: &str| line.strip_prefix("| ").is_some_and(|it| it.contains(": "));
    mailer::parts(mail)[0].lines().any(is_said)
}

/// Returns what a player has done by a reply, if it is more than a move by a plan.
fn done<'a>(change: &Change<'a>, player: i64, game: &str) -> Option<&'a str> {
    let own = player.to_string();
    let new = new_events(change).into_iter().filter(|it| it.player == Some(&*own));
    let mut new = new.filter(|it| {
        let action = it.event.action;
        let word = action.split(' ').next().unwrap_or_default();
        let is_move = is_chosen(action) && !is_planned(change.before, game, &own, action);
        matches!(word, "accept" | "decline" | "offer" | "resign" | "takeback" | "say") || is_move
    });
    new.next().map(|it| it.event.action)
}

/// Returns whether the new answer to a mail has a button for each answer to an offer of this kind in a game. A
/// takeback that would leave no time can only be declined.
fn has_buttons(change: &Change, mail: &Incoming, game: i64, kind: &str) -> bool {
    let columns = ["in_reply_to", "suggested"];
    let rows = change.after.columns("outbox", columns);
    let replies = rows.filter(|[to, _]| *to == Some(&*mail.id));
    let suggested: Vec<_> = replies.filter_map(|[_, it]| it).collect();
    let words = if kind == "takeback" { &["decline"][..] } else { &["accept", "decline"] };
    let answers: Vec<_> = words.iter().map(|word| format!("{word} {game}")).collect();
    suggested.is_empty() || answers.iter().all(|it| suggested.iter().any(|all| all.contains(it)))
}
