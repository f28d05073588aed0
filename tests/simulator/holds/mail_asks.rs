//! What mails ask their readers, and what they suggest: docs/mail.md, docs/club.md.

use super::mail_texts::flat;
use super::rows::{Game, Mail, OPEN_FOR, has_blocked, name_of, of_new_mails, of_player};
use super::views::Asked;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// Stands in the sentence about a challenge in a digest, in front of the answer.
const TO_A_GAME: &str = " to a game of ";

/// A mail asks only what can be answered when it goes, and suggests only what its reader can do.
pub fn mails_ask_what_can_be_done(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let Some(player) = row.player else { continue };
        for (of, check) in CHECKS {
            let found = |what| violated(of, format!("{} ({}): {what}", mail.id, row.kind));
            check(change, mail, &row, player).or_else(found)?;
        }
    }
    asked_analyses_are_kept(change)
}

/// An analysis that somebody has asked for is kept when it is mailed: docs/analysis.md.
fn asked_analyses_are_kept(change: &Change) -> Result<(), Violation> {
    if change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    for id in change.after.new_rows("outbox", change.before) {
        let text = change.after.columns_of("outbox", id, ["text"]).next();
        let text = text.and_then(|[text]| text).unwrap_or_default();
        let game = text.strip_prefix("The analysis of game ").and_then(|it| it.split(':').next());
        let Some(game) = number(game).filter(|_| Mail::of(change.before, id).is_none()) else {
            continue;
        };
        if change.after.columns_of("analysis", game, ["game"]).next().is_none() {
            let found = format!("mail {id} has the analysis of game {game}, which is not kept");
            return violated("asked_analyses_are_kept", found);
        }
    }
    Ok(())
}

type Check = fn(&Change, &Accepted, &Mail, i64) -> Result<(), String>;

/// What holds of each, with its name.
const CHECKS: [(&str, Check); 4] = [
    ("digests_list_the_open_challenges", lists_the_open_challenges),
    ("questions_go_while_a_challenge_is_open", asks_while_it_is_open),
    ("ends_suggest_a_rematch_if_there_can_be_one", suggests_a_rematch),
    ("the_blocked_are_not_heard", is_of_nobody_blocked),
];

/// A digest lists the challenges that its reader can accept: to the reader first, then to anyone, the oldest first.
fn lists_the_open_challenges(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
    player: i64,
) -> Result<(), String> {
    if row.kind != "digest" || !row.is_tried_first(change) || change.words.is_empty() {
        return Ok(());
    }
    let [text, _] = mailer::parts(mail);
    let text = flat(&text);
    let sentences = text.split(TO_A_GAME).skip(1);
    let listed =
        sentences.filter_map(|it| it.split_once(": \u{2039}accept ")?.1.split('\u{203a}').next());
    let listed: Vec<i64> = listed.filter_map(|it| number(Some(it))).collect();
    let open = |tables: &Tables| {
        let (id, name) = (player.to_string(), name_of(tables, player)?);
        Asked::by(tables, change.now, [&id, name]).acceptable()
    };
    let expected = [change.before, change.after].map(open);
    match expected.iter().flatten().any(|it| *it == listed) {
        true => Ok(()),
        false => Err(format!("lists the challenges {listed:?}, not {expected:?}")),
    }
}

/// The question whether somebody accepts a challenge goes only while that is possible, at each try.
fn asks_while_it_is_open(change: &Change, _: &Accepted, row: &Mail, _: i64) -> Result<(), String> {
    let (Some(id), "challenge", "challenge") = (row.challenge, &*row.kind, &*row.occasion) else {
        return Ok(());
    };
    let is_open = |tables: &Tables| {
        let row = tables.columns_of("challenge", id, ["state", "created_at"]).next();
        row.is_none_or(|[state, at]| {
            let until = number(at).unwrap_or_default() + OPEN_FOR;
            state == Some("open") && until > change.now.timestamp()
        })
    };
    match is_open(change.before) || is_open(change.after) || change.words.is_empty() {
        true => Ok(()),
        false => Err(format!("asks about challenge {id}, which is not open any more")),
    }
}

/// The mail about the end of a game suggests a rematch, unless the opponent has left or the game is one of a
/// tournament.
fn suggests_a_rematch(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
    player: i64,
) -> Result<(), String> {
    let (Some(id), "over", true) = (row.game, &*row.kind, row.is_tried_first(change)) else {
        return Ok(());
    };
    let Some(game) = Game::of(change.after, id) else { return Ok(()) };
    let Some(color) = game.color_of(player) else { return Ok(()) };
    let has_left = |tables: &Tables| {
        let opponent = game.opponent(color);
        opponent.is_some_and(|it| of_player(tables, it, "left_at").is_some())
    };
    if has_left(change.before) != has_left(change.after) {
        return Ok(());
    }
    let mut pairings = change.after.columns("pairing", ["game"]);
    let is_of_tournament = pairings.any(|[it]| number(it) == Some(id));
    let [text, html] = mailer::parts(mail);
    let expected = !has_left(change.after) && !is_of_tournament;
    let says =
        [flat(&text).contains("\u{2039}rematch\u{203a} to play "), html.contains("body=rematch")];
    match says == [expected; 2] {
        true => Ok(()),
        false => Err(format!("suggests a rematch: {says:?} and not {expected}")),
    }
}

/// A mail with words of somebody whom its reader has blocked is not sent, also if it was tried before: about a
/// comment, about a challenge, or one that gathers such words.
fn is_of_nobody_blocked(
    change: &Change,
    _: &Accepted,
    row: &Mail,
    player: i64,
) -> Result<(), String> {
    let is_comment = row.occasion == "comment";
    let gathered = row.occasion.strip_prefix("gathered ").and_then(|it| number(Some(it)));
    let author = match (&*row.kind, row.challenge, row.game) {
        ("challenge", Some(id), _) if is_comment => {
            let people = change.after.columns_of("challenge", id, ["challenger", "opponent"]);
            let people = people.flatten().filter_map(number);
            people.into_iter().find(|it| *it != player)
        }
        ("notice", _, Some(id)) if is_comment => {
            let game = Game::of(change.after, id);
            game.and_then(|game| game.opponent(game.color_of(player)?))
        }
        _ => gathered,
    };
    let Some(author) = author else { return Ok(()) };
    let is_blocked = |tables: &Tables| has_blocked(tables, player, author);
    match is_blocked(change.before) && is_blocked(change.after) {
        true => Err(format!("{} of player {author}, who is blocked", row.occasion)),
        false => Ok(()),
    }
}
