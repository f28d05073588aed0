//! What holds of mails that come in: whose words act, in which position, and who is answered.

use std::collections::{BTreeMap, BTreeSet};

use super::plain_answers::says_yes;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::{self, Author, Incoming};
use crate::simulator::naive::Status;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::server::Accepted;
use crate::simulator::shown::{self, Event, Shown};
use crate::simulator::tables::{Tables, number};

/// More rounds than the limits allow between the server and a robot: 60 answers an hour, and one to mail that
/// is not verified.
pub const MAX_ROUNDS: u64 = 65;

/// A robot that answers each answer gets none some time.
pub fn loops_end<T>(about: &str) -> Result<T, Violation> {
    violated("loops_end", format!("{MAX_ROUNDS} answers in an hour, the last to {about}"))
}

/// An event that the mail has brought about, with the players of its game.
pub(super) struct New<'a> {
    pub game: &'a str,
    pub event: Event<'a>,
    /// The player who has caused it; `None` if a computer player, the clock or the host has.
    pub player: Option<&'a str>,
}

/// Returns the events that are new, in the order of their games.
pub(super) fn new_events<'a>(change: &Change<'a>) -> Vec<New<'a>> {
    if change.before.0.get("event") == change.after.0.get("event") {
        return Vec::new();
    }
    let columns = ["game", "number", "at", "author", "action"];
    let known: BTreeSet<_> = change.before.columns("event", ["game", "number", "action"]).collect();
    let players: BTreeMap<_, _> = change
        .after
        .columns("game", ["id", "black", "white"])
        .map(|[id, black, white]| (id, [black, white]))
        .collect();
    let new = |[game, number, at, author, action]: [Option<&'a str>; 5]| {
        if known.contains(&[game, number, action]) {
            return None;
        }
        let [black, white] = players.get(&game).copied()?;
        let player = match author? {
            "b" => black,
            "w" => white,
            _ => None,
        };
        let (number, at) = (number?.parse().ok()?, at?.parse().ok()?);
        let event = Event { number, at, author: author?, action: action? };
        Some(New { game: game?, event, player })
    };
    change.after.columns("event", columns).filter_map(new).collect()
}

/// Returns the number of the player with this address.
pub(super) fn player_at<'a>(tables: &'a Tables, address: &str) -> Option<&'a str> {
    let mut rows = tables.columns("player", ["id", "address"]);
    let is_theirs = |it: &str| it.eq_ignore_ascii_case(address);
    rows.find(|[_, it]| it.is_some_and(is_theirs)).and_then(|[id, _]| id)
}

/// Returns the player whose words a mail carries out: the owner of its address, if that is proved.
pub(super) fn author<'a>(mail: &Incoming, change: &Change<'a>) -> Option<&'a str> {
    match &mail.author {
        Author::Owner(address) => player_at(change.before, address),
        Author::Anybody(_) | Author::Machine => None,
    }
}

/// Returns the words that a mail may carry out: those that its author wrote or, if they confirm what a mail of
/// ours has asked, those that it has shown.
fn words_that_count(mail: &Incoming, change: &Change) -> String {
    let answered = mail.answers.and_then(|at| change.accepted.get(at));
    let is_question = |shown: &Shown| matches!(&*shown.kind, "confirm" | "answer");
    let question = answered.filter(|it| it.shown.as_ref().is_some_and(is_question));
    let is_again = question.is_some_and(|it| mailer::parts(it)[0].contains(UNCLEAR));
    // What was asked the first time counts, too.
    let is_earlier = |it: &&Accepted| {
        let is_confirm = it.shown.as_ref().is_some_and(|it| it.kind == "confirm");
        is_again && is_confirm && question.is_some_and(|question| question.to == it.to)
    };
    let before = &change.accepted[..mail.answers.unwrap_or_default()];
    let asked = before.iter().rfind(is_earlier).into_iter().chain(question);
    let mut words = mail.written.clone();
    for question in asked {
        let [text, _] = mailer::parts(question);
        for line in text.lines().filter(|line| line.starts_with("- ")) {
            words.extend(["\n", line]);
        }
    }
    words.to_lowercase()
}

/// Begins the mail to one who has given no clear answer to a question.
const UNCLEAR: &str = "Your reply was neither a clear yes nor a clear no";

/// Returns what a plain yes or no answers, in a reply to a mail without words of another player.
fn plain_answer(mail: &Incoming, change: &Change) -> Option<&'static str> {
    let answered = change.accepted.get(mail.answers?)?;
    // A row of a board begins with the same mark.
    let is_said = |line: &str| line.strip_prefix("| ").is_some_and(|it| it.contains(": "));
    let has_words = mailer::parts(answered)[0].lines().any(is_said);
    let first = mail.written.lines().find(|line| !line.trim().is_empty())?;
    let meant = if says_yes(first)? { "accept" } else { "decline" };
    (!has_words).then_some(meant)
}

/// Returns whether somebody has written words that ask for an action.
fn asks_for(words: &str, action: &str) -> bool {
    let has = |word: &str| words.contains(word);
    match action {
        "resign" => ["resign", "leave", "withdraw"].into_iter().any(has),
        "accept" => ["accept", "draw", "pause", "rematch"].into_iter().any(has),
        "decline" => ["decline", "abort", "leave"].into_iter().any(has),
        // The words of the notes of one who leaves.
        "note (erased)" => has("leave"),
        "back" => has("away"),
        "pass" | "takeback" | "unpause" | "claim" | "hint" => has(action),
        _ if shown::is_move(action) => has(&action.to_lowercase()),
        _ => match action.split_once(' ') {
            Some(("offer", offer)) => has(offer),
            Some(("say" | "note", text)) => {
                let bare = |text: &str| -> String {
                    text.to_lowercase().chars().filter(|it| it.is_alphanumeric()).collect()
                };
                // A token in an address is hidden.
                let own = text.split_whitespace().filter(|word| !word.contains('@'));
                let written = bare(words);
                (has("say") || has("note")) && own.map(bare).all(|word| written.contains(&word))
            }
            Some(("away", _)) => has("away"),
            Some(("annul", _)) => has("leave"),
            _ => false,
        },
    }
}

/// Only a player's own words act: each event that a mail brings about is one for which its author has written
/// words or, with a yes, one of those that our mail has asked about. Otherwise it follows by itself: an automatic
/// pass, a planned move, what a computer player, the clock or the settings of a player do.
pub fn own_words_act(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let events = new_events(change);
    if events.is_empty() {
        return Ok(());
    }
    let author = author(mail, change);
    let words = words_that_count(mail, change);
    for New { game, event, player } in events {
        let action = event.action;
        let Some(player) = player else { continue };
        if action == "auto-pass" || action.starts_with("settings ") {
            continue;
        }
        // The log of a game begins with the absences of its players.
        let is_new = change.before.columns("game", ["id"]).all(|[id]| id != Some(game));
        // So it does with the moves that a challenge has named.
        if is_new && (action.starts_with("away ") || shown::is_move(action)) {
            continue;
        }
        let is_said = asks_for(&words, action) || plain_answer(mail, change) == Some(action);
        let is_asked_for = author == Some(player) && !mail.is_copy && is_said;
        if !is_asked_for && !is_planned(change.before, game, player, action) {
            let found = format!(
                "{action} by {player:?} in game {game}: {:?} wrote {:?}\n{}",
                mail.author,
                mail.written,
                body(mail)
            );
            return violated("own_words_act", found);
        }
    }
    Ok(())
}

/// Returns whether a player has planned a move.
pub(super) fn is_planned(tables: &Tables, game: &str, player: &str, action: &str) -> bool {
    tables.columns("plan", ["game", "player", "branches"]).any(|[it, owner, branches]| {
        it == Some(game)
            && owner == Some(player)
            && branches.is_some_and(|it| it.to_lowercase().contains(&action.to_lowercase()))
    })
}

/// A reply acts on what its mail has shown: a move is made in the position that the mail has drawn, unless it has
/// the number of the move; an answer is for an offer that was open then; and a resignation in a position that was
/// taken back is confirmed first.
pub fn replies_act_on_what_was_shown(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let Some(answered) = mail.answers.and_then(|at| change.accepted.get(at)) else {
        return Ok(());
    };
    let (Some(shown), Some(author)) = (answered.shown.as_ref(), author(mail, change)) else {
        return Ok(());
    };
    // What a question has asked about was bound when it was made.
    if matches!(&*shown.kind, "confirm" | "address") {
        return Ok(());
    }
    let events = new_events(change);
    for New { game, event, .. } in events.iter().filter(|new| new.player == Some(author)) {
        let log = shown::log(change.after, game);
        let before = &log[..event.number - 1];
        let then = shown.games.iter().find(|it| it.game == *game);
        let wrong = |why: &str| {
            let found = format!(
                "{} as event {} of game {game} in reply to {shown:?}: {why}",
                event.action, event.number
            );
            violated("replies_act_on_what_was_shown", found)
        };
        let is_shown = |then: &shown::ShownGame| {
            let known = log.get(..then.events)?;
            let is_same = shown::history(&log, then.events) == Some(then.history);
            // A reply to an older mail is refused, even if its position stands again.
            let is_older = before.iter().skip(then.events).any(|it| shown::is_move(it.action));
            Some(is_same && !is_older && shown::moves(known) == shown::moves(before))
        };
        let is_for_move = is_chosen(event.action);
        let has_number = mail.written.contains('#');
        // A mail that names another game than that of the mail that it answers is not bound to it.
        let is_bound = then.is_some() || shown.kind == "digest";
        match event.action {
            _ if is_for_move && is_bound && !has_number => {
                // The opponent's planned moves stand between two moves of one mail.
                let first = events.iter().any(|it| {
                    it.game == *game
                        && it.event.number < event.number
                        && shown::is_move(it.event.action)
                });
                // A digest names more games than it draws.
                let is_drawn = shown.kind != "digest" || draws(answered, game);
                if !first && (then.and_then(is_shown) != Some(true) || !is_drawn) {
                    return wrong("the mail has shown another position, or none");
                }
            }
            // `draw`, `pause` and `rematch` accept the same offer, whatever the mail has shown.
            "accept" | "decline" if mail.written.to_lowercase().contains(event.action) => {
                let Some(offer) = before.iter().rfind(|it| it.action.starts_with("offer ")) else {
                    continue;
                };
                let is_known = match then {
                    Some(then) => {
                        // After another move, a takeback is about that one.
                        let is_other =
                            |it: &Event| it.author == offer.author && is_chosen(it.action);
                        let has_moved = before.iter().skip(then.events).any(is_other);
                        offer.number <= then.events
                            && shown::history(&log, then.events) == Some(then.history)
                            && !(offer.action.ends_with("takeback") && has_moved)
                    }
                    // A challenge is another number than that of the game.
                    None if shown.kind == "challenge" => true,
                    None if shown.games.is_empty() || shown.kind == "digest" => {
                        offer.at <= shown.at
                    }
                    None => true,
                };
                // A reply of several lines may name another game.
                let is_other = then.is_some() && mail.written.lines().count() > 1;
                if !is_known && !is_other {
                    return wrong("the mail has not shown the offer");
                }
            }
            "resign" => {
                let is_gone = |then: &shown::ShownGame| {
                    let known = shown::moves(log.get(..then.events)?);
                    Some(!shown::moves(before).starts_with(&known))
                };
                if then.and_then(is_gone) == Some(true) {
                    return wrong("that position was taken back");
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a mail about several games has the board of this one.
fn draws(mail: &Accepted, game: &str) -> bool {
    mailer::parts(mail)[0].contains(&format!("\nGame {game} against "))
}

/// A move alone in a reply is made if it is for the position that the mail has shown, and the mail says that it
/// is legal, however the mail program writes the reply.
pub fn moves_in_clear_replies_are_made(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming.filter(|mail| mail.is_clear && !mail.is_copy) else {
        return Ok(());
    };
    let Author::Owner(address) = &mail.author else { return Ok(()) };
    let Some(answered) = mail.answers.and_then(|at| change.accepted.get(at)) else {
        return Ok(());
    };
    let Some(shown) = &answered.shown else { return Ok(()) };
    let [then] = &shown.games[..] else { return Ok(()) };
    if shown.kind == "digest" || shown.kind.starts_with("watched") {
        return Ok(());
    }
    let mv = mail.written.trim();
    let [text, _] = mailer::parts(answered);
    if !mailer::legal(&text).iter().any(|legal| legal == mv) {
        return Ok(());
    }
    let mut owners = change.before.columns("player", ["id", "address", "secret"]);
    let owner = owners.find(|[_, it, _]| it.is_some_and(|it| it.eq_ignore_ascii_case(address)));
    let Some([Some(player), _, secret]) = owner else { return Ok(()) };
    let columns = ["id", "turn", "to_move", "paused", "deadline", "created_at"];
    let mut games = change.before.columns("game", columns);
    let game = games.find(|[id, ..]| *id == Some(&then.game));
    let Some([_, Some(_), to_move, Some("0"), deadline, begun]) = game else { return Ok(()) };
    // After a restore, another game can have the number.
    if number(begun).is_none_or(|begun| begun > shown.at) {
        return Ok(());
    }
    let log = shown::log(change.before, &then.game);
    let is_in_time =
        deadline.and_then(|it| it.parse().ok()).is_some_and(|it: i64| it > change.now.timestamp());
    let holds = to_move == Some(player)
        && secret == shown.secret.as_deref()
        && is_in_time
        && shown::history(&log, then.events) == Some(then.history)
        && shown::moves(&log[..then.events]) == shown::moves(&log)
        && !log[then.events..].iter().any(|it| shown::is_move(it.action));
    let is_made = new_events(change)
        .iter()
        .any(|new| new.game == then.game && new.player == Some(player) && new.event.action == mv);
    if holds && !is_made && !is_flood(change) {
        let records = change.after.columns("received", ["understood", "disposition", "why"]);
        let found = format!(
            "{mv} was not made in reply to {}: {:?}\n{}",
            answered.id,
            records.last(),
            body(mail)
        );
        return violated("moves_in_clear_replies_are_made", found);
    }
    Ok(())
}

/// A command in a reply that names another game than that of the mail is done as in any other mail: a legal move
/// is made, and an offer that was open when the mail was written is answered.
pub fn replies_about_other_games_are_done(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming.filter(|mail| mail.is_clear && !mail.is_copy) else {
        return Ok(());
    };
    let (Some(player), Some(answered)) =
        (author(mail, change), mail.answers.and_then(|at| change.accepted.get(at)))
    else {
        return Ok(());
    };
    let words: Vec<_> = mail.written.split_whitespace().collect();
    let ([word @ ("move" | "accept" | "decline"), game, rest @ ..], Some(shown), false) =
        (&words[..], &answered.shown, mail.written.contains('\n'))
    else {
        return Ok(());
    };
    // What a restore has undone is not answered.
    let begun = |game: &str| {
        let id = number(Some(game))?;
        number(change.before.columns_of("game", id, ["created_at"]).next()?[0])
    };
    let is_other = matches!(&shown.games[..], [then] if then.game != *game
        && begun(&then.game).is_some_and(|at| at <= shown.at)
        && shown::history(&shown::log(change.before, &then.game), then.events) == Some(then.history));
    let secret = number(Some(player))
        .and_then(|player| change.before.columns_of("player", player, ["secret"]).next()?[0]);
    let Some(id) = number(Some(game)).filter(|_| is_other && secret == shown.secret.as_deref())
    else {
        return Ok(());
    };
    if shown.kind.starts_with("watched") || matches!(&*shown.kind, "digest" | "confirm" | "address")
    {
        return Ok(());
    }
    let columns = ["black", "white", "to_move", "paused", "deadline", "created_at", "offer_event"];
    let row = change.before.columns_of("game", id, columns).next();
    let Some([black, white, to_move, paused, deadline, created_at, offer]) = row else {
        return Ok(());
    };
    let is_in_time = number(deadline).is_none_or(|it| it > change.now.timestamp());
    let is_known = number(created_at) < Some(shown.at);
    let Ok(replayed) = Replayed::of(change.before, id, usize::MAX) else { return Ok(()) };
    let own = if black == Some(player) { 'b' } else { 'w' };
    let log = shown::log(change.before, game);
    let must_act = match (*word, rest) {
        ("move", [mv]) => {
            let place = replay::place(mv);
            let is_legal = matches!(
                (replayed.status(), place),
                (Status::Place(legal), Some(place)) if legal.contains(&place)
            );
            to_move == Some(player) && paused == Some("0") && is_legal && shown::is_move(mv)
        }
        (_, []) => {
            let offer = log.iter().find(|event| Some(event.number as i64) == number(offer));
            let is_open = offer.is_some_and(|offer| {
                offer.at < shown.at
                    && !offer.author.starts_with(own)
                    && !offer.action.ends_with("rematch")
            });
            is_open && [black, white].contains(&Some(player)) && replayed.turn().is_some()
        }
        _ => false,
    };
    let is_done =
        new_events(change).iter().any(|new| new.game == *game && new.player == Some(player));
    match must_act && is_in_time && is_known && !is_done && !is_flood(change) {
        true => {
            let records = change.after.columns("received", ["understood", "disposition", "why"]);
            let found =
                format!("{:?} in reply to {}: {:?}", mail.written, answered.id, records.last());
            violated("replies_about_other_games_are_done", found)
        }
        false => Ok(()),
    }
}

/// Returns whether an action is a move that its player chose.
pub fn is_chosen(action: &str) -> bool {
    action != "auto-pass" && !action.starts_with("given ") && shown::is_move(action)
}

/// A move that the opponent has answered, or that a mail has shown to the opponent, is not taken back without asking.
pub fn told_moves_are_not_taken_back_freely(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    for New { game, event, player } in new_events(change) {
        let (Some(player), "takeback") = (player, event.action) else { continue };
        let log = shown::log(change.after, game);
        let before = &log[..event.number - 1];
        let own = before.iter().rfind(|it| it.author == event.author && is_chosen(it.action));
        let id = number(Some(game)).unwrap_or_default();
        let people = change.after.columns_of("game", id, ["black", "white"]).next();
        let mut people = people.into_iter().flatten().flatten();
        let opponent = people.find(|it| *it != player);
        let is_local = change.after.columns_of("game", id, ["local"]).next() == Some([Some("1")]);
        let replayed = Replayed::of(change.after, id, event.number - 1).ok();
        let last = replayed.and_then(|it| it.plies.into_iter().rfind(|ply| !ply.auto));
        if let Some(last) = last.filter(|it| it.by.to_string() != event.author)
            && opponent.is_some()
            && !is_local
        {
            let found = format!("game {game} before {last:?}");
            return violated("told_moves_are_not_taken_back_freely", found);
        }
        let address = opponent.and_then(|it| {
            change.before.columns_of("player", number(Some(it))?, ["address"]).next()?[0]
        });
        // A player without an address counts as notified at once.
        if let (Some(own), Some(opponent), None, false) = (own, opponent, address, is_local) {
            let found =
                format!("{} of game {game} against {opponent}, who gets no mail", own.action);
            return violated("told_moves_are_not_taken_back_freely", found);
        }
        let (Some(own), Some(address)) = (own, address) else { continue };
        let told = change.accepted[..change.accepted_before].iter().find(|mail| {
            let shows = |it: &shown::ShownGame| {
                it.game == *game
                    && it.events >= own.number
                    && shown::history(&log, it.events) == Some(it.history)
            };
            let shown = mail.shown.as_ref().filter(|it| it.at >= own.at);
            // Who sent it may not know that it was accepted.
            !mail.may_come_again
                && mail.to.eq_ignore_ascii_case(address)
                && shown.is_some_and(|shown| shown.games.iter().any(shows))
        });
        if let Some(told) = told {
            let found = format!("{} of game {game}, which {} has shown", own.action, told.id);
            return violated("told_moves_are_not_taken_back_freely", found);
        }
    }
    Ok(())
}

/// Returns the bytes of a mail as text.
fn body(mail: &Incoming) -> String {
    String::from_utf8_lossy(&mail.bytes).into_owned()
}

/// Returns whether a mail was dropped because there were too many, or because another player with the same mailbox is
/// banned.
pub(super) fn is_flood(change: &Change) -> bool {
    is_ignored(change.after) || floods(change.before) != floods(change.after)
}

/// Returns how many mails were dropped because there were too many.
pub fn floods(tables: &Tables) -> Option<&str> {
    let mut rows = tables.columns("intake", ["disposition", "mails"]);
    rows.find(|[disposition, _]| *disposition == Some("flood")).and_then(|[_, mails]| mails)
}

/// Returns whether the last mail that came in was ignored because of a ban.
pub fn is_ignored(tables: &Tables) -> bool {
    let last = tables.columns("received", ["disposition", "why"]).last();
    let has_bans = tables.columns("ban", ["banned_at"]).next().is_some();
    has_bans && last == Some([Some("ignored"), Some("banned")])
}

/// A mail of ours in the outbox.
#[derive(Debug)]
struct Queued<'a> {
    kind: &'a str,
    player: Option<&'a str>,
    address: Option<&'a str>,
}

/// Returns the mails that were queued as answers to a mail: that say so, or warn of it.
fn answers<'a>(change: &Change<'a>, mail: &Incoming) -> Vec<Queued<'a>> {
    if change.before.0.get("outbox") == change.after.0.get("outbox") {
        return Vec::new();
    }
    let known: BTreeSet<_> = change.before.columns("outbox", ["id"]).flatten().collect();
    let columns = ["id", "kind", "player", "address", "in_reply_to"];
    let new = |[id, kind, player, address, in_reply_to]: [Option<&'a str>; 5]| {
        let is_answer = in_reply_to == Some(&*mail.id) || kind == Some("mismatch");
        let is_new = id.is_some_and(|id| !known.contains(&Some(id)));
        (is_new && is_answer).then_some(Queued { kind: kind?, player, address })
    };
    change.after.columns("outbox", columns).filter_map(new).collect()
}

/// A mail gets one answer at most, and one question about what must be confirmed. It goes to the player in whose
/// name the mail came or whose token it has, or else to its own address; machines and copies get none.
pub fn mails_are_answered_once(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let answers = answers(change, mail);
    let wrong = |why: &str| {
        let found = format!("{why}: {answers:?} to {:?}, {:?}", mail.author, mail.written);
        violated("mails_are_answered_once", found)
    };
    if answers.is_empty() {
        return Ok(());
    }
    if mail.author == Author::Machine || mail.is_copy {
        return wrong("nobody waits for an answer");
    }
    // A hint and an analysis come later, in a mail of their own.
    let has_later = ["hint", "analy"].iter().any(|word| mail.written.contains(word));
    for kind in ["answer", "confirm", "mismatch"] {
        let count = answers.iter().filter(|it| it.kind == kind).count();
        if count > 1 && !(kind == "answer" && has_later) {
            return wrong("more than one");
        }
    }
    let from = match &mail.author {
        Author::Owner(address) | Author::Anybody(address) => address,
        Author::Machine => return Ok(()),
    };
    // Whose token it has.
    let reader = mail.answers.and_then(|at| change.accepted.get(at)).map(|it| &*it.to);
    let secret =
        mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref()?.secret.as_deref());
    let mut players = change.after.columns("player", ["id", "secret"]);
    let owner = players.find(|[_, it]| it.is_some() && *it == secret).and_then(|[id, _]| id);
    let may_read: Vec<_> = [
        player_at(change.after, from),
        player_at(change.before, from),
        reader.and_then(|reader| player_at(change.before, reader)),
        owner,
    ]
    .into_iter()
    .flatten()
    .collect();
    let is_right = |it: &Queued| match (it.player, it.address) {
        (Some(player), _) => may_read.contains(&player),
        (None, Some(address)) => [Some(&**from), reader]
            .into_iter()
            .flatten()
            .any(|allowed| allowed.eq_ignore_ascii_case(address)),
        (None, None) => true,
    };
    let is_asked_elsewhere = |it: &Queued| matches!(it.kind, "address" | "moved" | "farewell");
    if !answers.iter().all(|it| is_right(it) || is_asked_elsewhere(it)) {
        return wrong("to somebody else");
    }
    // A forged token is nothing to answer: its owner is warned.
    let is_stolen = matches!(mail.author, Author::Anybody(_)) && author(mail, change).is_none();
    if is_stolen
        && secret.is_some()
        && owner.is_some()
        && answers.iter().any(|it| it.kind != "mismatch")
    {
        return wrong("a stolen token is answered");
    }
    Ok(())
}

/// Tables with what players have decided, outside of their games.
const DECISIONS: [(&str, &[&str]); 6] = [
    ("plan", &["game", "player", "branches"]),
    ("unsubscribed", &["game", "player"]),
    ("watcher", &["game", "player"]),
    ("blocked", &["player", "author"]),
    ("absence", &["player", "from_at", "until_at"]),
    ("challenge", &["id", "state", "challenger", "opponent"]),
];

/// The settings of a player.
const SETTINGS: [&str; 9] = [
    "name",
    "address",
    "receipt",
    "clock",
    "mail_mode",
    "style",
    "grace",
    "watchers",
    "challenges",
];

/// Mail of machines and forgers, and copies, decide nothing: no setting, plan, absence or challenge of anybody.
pub fn nobody_else_decides(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let is_own = !mail.is_copy && matches!(mail.author, Author::Owner(_));
    // What is confirmed was asked in the name of the address.
    if is_own {
        return Ok(());
    }
    let has_events = !new_events(change).is_empty();
    for (table, columns) in DECISIONS {
        // Games go on by themselves: a flag falls, a computer player moves.
        if has_events && table == "plan" {
            continue;
        }
        let rows = |tables: &Tables| -> BTreeSet<Vec<String>> {
            let columns: Vec<_> =
                columns.iter().map(|column| column_of(tables, table, column)).collect();
            let count = columns.first().map_or(0, Vec::len);
            (0..count).map(|at| columns.iter().map(|it| it[at].clone()).collect()).collect()
        };
        if change.before.0.get(table) != change.after.0.get(table) {
            let (before, after) = (rows(change.before), rows(change.after));
            if let Some(row) = before.symmetric_difference(&after).next() {
                return violated(
                    "nobody_else_decides",
                    format!("{table} {row:?} by {:?}", mail.author),
                );
            }
        }
    }
    for setting in SETTINGS {
        let of = |tables: &Tables| column_of(tables, "player", setting);
        if of(change.before) != of(change.after) {
            return violated("nobody_else_decides", format!("{setting} by {:?}", mail.author));
        }
    }
    Ok(())
}

fn column_of(tables: &Tables, table: &str, column: &str) -> Vec<String> {
    let values = tables.columns(table, [column]);
    values.map(|[value]| value.unwrap_or("null").to_owned()).collect()
}
