//! A command in a mail of its own is done or refused as in a shell, and stores the same: docs/receiving.md.

use super::commands::{Given, Member, allowed, wrong_in_tables};
use super::mail_answers::{answers, clear, clear_reply, own_mail};
use super::mail_held::ABOUT_GAMES;
use super::mail_texts::flat;
use super::reasons::{between, is_true_in_mail};
use super::rows::{Game, Mail, called};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::Incoming;
use crate::simulator::replay::{self, Replayed};
use crate::simulator::shown;
use crate::simulator::tables::{Tables, number};

/// Commands that a mail reads in another way, or that ask for a confirmation or for more.
const OTHERS: [&str; 9] =
    ["leave", "address", "signup", "say", "note", "plan", "page", "stop", "thanks"];

/// What the answer says of a command that was refused.
const REFUSED: &str = "` was not done:";

fn words_as_written(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns the words of a command, with a move in a short form such as `#12 d3` as one.
fn words_of(text: &str) -> Vec<String> {
    let words = words_as_written(text);
    let is_number = |it: &str| it.parse::<i64>().is_ok();
    let game = match &words[..] {
        [game, mv] if replay::place(mv).is_some() => {
            game.trim_start_matches('#').trim_end_matches(':')
        }
        [word, game, mv] if word == "game" && replay::place(mv).is_some() => game,
        _ => return words,
    };
    let [.., mv] = &words[..] else { return words };
    if is_number(game) { vec!["move".to_owned(), game.to_owned(), mv.clone()] } else { words }
}

/// Each command that an answer suggests with a button can be given by its reader.
pub fn suggested_commands_are_possible(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    for id in change.after.new_rows("outbox", change.before) {
        let columns = ["suggested", "player", "game", "kind"];
        let row = change.after.columns_of("outbox", id, columns).next();
        let Some([Some(suggested), Some(player), game, Some("answer")]) = row else { continue };
        // The row of an earlier one can have changed.
        if Mail::of(change.before, id).is_some() {
            continue;
        }
        let Some(actor) = Member::with_id(change.after, player) else { continue };
        for line in suggested.lines() {
            let words = match (replay::place(line), game) {
                (Some(_), Some(game)) => vec!["move".to_owned(), game.to_owned(), line.to_owned()],
                _ => words_of(line),
            };
            let Some((word, rest)) = words.split_first() else { continue };
            // To challenge somebody can be too much for a day, and words are for somebody.
            if rest.is_empty() || matches!(&**word, "say" | "challenge" | "signup") {
                continue;
            }
            let (tables, now) = (change.after, change.now.timestamp());
            let given = Given { word, rest, actor: Some(actor), tables, now };
            // A challenge can be too old, and a flag can have fallen, before that is recorded.
            let deadline =
                given.id().map(|id| change.after.columns_of("game", id, ["deadline"]).next());
            let is_in_time =
                deadline.is_none_or(|it| it.is_some_and(|[at]| number(at) > Some(now)));
            if is_in_time && allowed(&given) == Some(false) {
                let mail = change.incoming.map(|it| &it.written);
                let found = format!("{line:?} is suggested to {}, who wrote {mail:?}", actor.name);
                return violated("suggested_commands_are_possible", found);
            }
        }
    }
    Ok(())
}

/// A sentence with a legal move, in a reply to a mail about one game, is not carried out: the answer asks whether it
/// was meant as the move.
pub fn sentences_are_guessed(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear_reply(change) else { return Ok(()) };
    let mv = mail.written.trim().strip_prefix("I play ").filter(|it| *it != "pass");
    let Some(mv) = mv else { return Ok(()) };
    let about = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    let Some([only]) = about.map(|it| &it.games[..]) else { return Ok(()) };
    let (Some(id), Some(about)) = (number(Some(&only.game)), about) else { return Ok(()) };
    let is_turn = matches!(&*about.kind, "turn" | "started");
    let is_theirs =
        |tables: &Tables| Game::of(tables, id).is_some_and(|it| it.to_move == Some(player));
    let Ok(replayed) = Replayed::of(change.before, id, usize::MAX) else { return Ok(()) };
    let is_square = change.before.columns_of("game", id, ["board_rows"]).next() != Some([None]);
    if !is_turn
        || !is_square
        || replayed.paused
        || !is_theirs(change.before)
        || !is_theirs(change.after)
    {
        return Ok(());
    }
    // The move is for the position that the mail has shown.
    let log = shown::log(change.before, &only.game);
    let is_of_then = shown::history(&log, only.events) == Some(only.history)
        && shown::moves(&log[..only.events]) == shown::moves(&log)
        && !log[only.events..].iter().any(|it| shown::is_move(it.action));
    if !is_of_then {
        return Ok(());
    }
    let is_legal = replayed.legal().iter().any(|it| it == mv);
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let columns = ["kind", "in_reply_to", "suggested"];
    let new = new.filter_map(|id| change.after.columns_of("outbox", id, columns).next());
    let mut answers = new.filter(|row| row[0] == Some("answer") && row[1] == Some(&*mail.id));
    let Some([_, _, suggested]) = answers.next() else { return Ok(()) };
    let first = suggested.and_then(|it| it.lines().next()).unwrap_or_default();
    let is_asked = first == mv || first == format!("move {id} {mv}");
    match is_asked == is_legal {
        true => Ok(()),
        false => violated(
            "sentences_are_guessed",
            format!("{:?} in game {id}, legal: {is_legal}, suggests {suggested:?}", mail.written),
        ),
    }
}

/// A move below a challenge to a computer player is the first one of its game if the challenge has chosen black;
/// without a choice of the colour it is refused.
pub fn first_moves_are_made(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let lines: Vec<_> = mail.written.lines().map(str::trim).collect();
    let [.., challenge, mv] = lines[..] else { return Ok(()) };
    let Some(words) = challenge.strip_prefix("challenge bot:") else { return Ok(()) };
    let new = change.after.added("game", change.before);
    let ([id], Some(place)) = (&new[..], replay::place(mv)) else { return Ok(()) };
    let Some(game) = Game::of(change.after, *id) else { return Ok(()) };
    let Some(own) = game.color_of(player) else { return Ok(()) };
    let log = shown::log(change.after, &id.to_string());
    let first = log.iter().find(|it| it.author == own && replay::place(it.action).is_some());
    let is_made = first.is_some_and(|it| replay::place(it.action) == Some(place));
    let must_be = words.contains("--color black");
    let text = answers(change, player);
    let is_told = text.contains("your colour was open when you wrote this");
    match is_made == must_be && is_told != must_be {
        true => Ok(()),
        false => violated(
            "first_moves_are_made",
            format!("{:?}: is made in game {id}: {is_made}, {text:?}", mail.written),
        ),
    }
}

/// What the answer to a move says that replies to an older mail.
const OLDER: &str = "you have replied to an older mail, and it is ";

/// The answer to a mail with a refused command is about the game of the first such command, and names the one whose
/// turn it is there if the mail that was answered is older.
pub fn refusals_by_mail_show_their_game(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming.filter(|_| !change.words.is_empty()) else { return Ok(()) };
    for id in change.after.new_rows("outbox", change.before) {
        let columns = ["kind", "player", "game", "text", "in_reply_to"];
        let row = change.after.columns_of("outbox", id, columns).next();
        let Some([Some("answer"), player, game, Some(text), in_reply_to]) = row else { continue };
        if in_reply_to != Some(&*mail.id) {
            continue;
        }
        let found = |what: String| {
            let found = format!("{:?} is answered {text:?}: {what}", mail.written);
            violated("refusals_by_mail_show_their_game", found)
        };
        let turn = number(game).and_then(|id| {
            let turn = change.after.columns_of("game", id, ["turn"]).next()?[0]?;
            called(change.after, id, turn.chars().next()?)
        });
        match between(text, OLDER, "'s turn") {
            Some(named) if turn != Some(named) => {
                return found(format!("it is the turn of {turn:?}"));
            }
            _ => {}
        }
        let refused = text.split_once(REFUSED).and_then(|(before, _)| before.rsplit('`').next());
        let words: Vec<_> = refused.unwrap_or_default().split(' ').collect();
        // Only a line that is a command has a game.
        let named = match words[..] {
            [word, game] if ABOUT_GAMES.contains(&word) => number(Some(game)),
            ["move", game, mv] if replay::place(mv).is_some() => number(Some(game)),
            _ => None,
        };
        let plays = |id: &i64| {
            let game = Game::of(change.after, *id);
            game.is_some_and(|it| number(player).is_some_and(|own| it.color_of(own).is_some()))
        };
        match named.filter(plays) {
            Some(named) if number(game) != Some(named) => {
                return found(format!("it is about game {game:?}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the mail of a change with its player, if it is a plain one whose lines a mail program has wrapped.
fn wrapped<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    let (mail, player) = own_mail(change)?;
    let bytes = String::from_utf8_lossy(&mail.bytes).replace('\r', "");
    let (head, body) = bytes.split_once("\n\n")?;
    let is_encoded = ["base64", "quoted-printable", "flowed"].iter().any(|it| head.contains(it));
    // Only a first line that is too long is wrapped, and its rest is shorter than such a line.
    let (first, below) = mail.written.split_once('\n').unwrap_or((&mail.written, ""));
    let is_wrapped = (85..110).contains(&first.len()) && ["", "Hi Bob"].contains(&below);
    let is_plain = head.contains("Content-Type: text/plain") && !is_encoded;
    (is_plain && is_wrapped && flat(body).starts_with(&flat(&mail.written)))
        .then_some((mail, player))
}

/// A command that is alone in a mail of its own, from a player for sure, is done if the docs allow it, and refused if
/// not; one that is done stores what it says.
pub fn mailed_commands_are_done_or_refused(change: &Change) -> Result<(), Violation> {
    let own = clear(change).or_else(|| wrapped(change));
    let Some((mail, player)) = own.filter(|(mail, _)| mail.answers.is_none()) else {
        return Ok(());
    };
    // A line below that is no command does not belong to the command.
    let written = mail.written.trim();
    let above = written.strip_suffix("\nHi Bob");
    let written = above.filter(|it| !(40..85).contains(&it.len())).unwrap_or(written);
    let words = words_of(written);
    let Some((word, rest)) = words.split_first() else { return Ok(()) };
    let record = change.after.columns("received", ["understood", "disposition"]).last();
    let is_alone = !written.contains('\n') && written.len() < 200;
    let is_read = record == Some([Some(&**word), Some("done")]);
    let is_short = words[..] != words_as_written(written)[..];
    if is_short && is_alone && record.is_some_and(|it| it[1] == Some("done")) && !is_read {
        let found = format!("{:?} is read as {record:?}, not as {words:?}", mail.written);
        return violated("short_forms_are_moves", found);
    }
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
    let reason = text.split_once(REFUSED).and_then(|(_, it)| it.trim_start().split("\n\n").next());
    let after = Given { tables: change.after, ..given };
    if reason.is_some_and(|it| is_true_in_mail(&after, change, it) == Some(false)) {
        return found("is refused for a reason that is not true".to_owned());
    }
    match wrong_in_tables(change, &given, actor).filter(|_| is_done && !is_of_challenge) {
        Some(wrong) => found(wrong),
        None => Ok(()),
    }
}
