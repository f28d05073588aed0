//! Which mail brings a comment: docs/words.md, docs/mail.md.

use super::mail_answers::{answers, own_reply};
use super::mail_texts::flat;
use super::privacy::marks;
use super::replies::new_events;
use super::rows::{Game, Mail, has_blocked, of_new_mails};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// Kinds of mail about a game that bring what was said in it.
const WITH_COMMENTS: [&str; 6] = ["turn", "started", "over", "receipt", "flagged", "notice"];

/// A comment of the log of a game that is for a reader.
struct Comment<'a> {
    game: i64,
    author: i64,
    words: &'a str,
    /// The mail that brings it.
    mail: Option<i64>,
}

impl<'a> Comment<'a> {
    /// Returns the comments for a reader.
    fn all(tables: &'a Tables, reader: i64) -> impl Iterator<Item = Self> {
        let rows = tables.columns("comment", ["game", "event", "reader", "mail"]);
        let own = rows.filter(move |row| number(row[2]) == Some(reader));
        own.filter_map(move |[game, event, _, mail]| {
            let game = Game::of(tables, number(game)?)?;
            let event = usize::try_from(number(event)? - 1).ok()?;
            let [action] = tables.columns_of("event", game.id, ["action"]).nth(event)?;
            let author = game.opponent(game.color_of(reader)?)?;
            let words = action?.strip_prefix("say ")?;
            Some(Self { game: game.id, author, words, mail: number(mail) })
        })
    }
}

/// A mail that is tried for the first time shows each comment that counts as mailed with it, and a mail about games
/// brings what was said in those that it draws.
pub fn comments_come_with_their_mails(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    for (mail, row) in of_new_mails(change) {
        let was_tried = Mail::of(change.before, row.id).is_some_and(|it| it.first_try_at.is_some());
        if was_tried || row.first_try_at != Some(change.now.timestamp()) {
            continue;
        }
        brings_its_comments(change, mail, &row).or_else(|what| {
            let found = format!("{} ({}): {what}", mail.id, row.kind);
            violated("comments_come_with_their_mails", found)
        })?;
    }
    Ok(())
}

/// What ends a text and looks like a signature.
const LOOKS_SIGNED: &str = "\nKind regards\nAnn Example";

/// Who says something above what only looks like a signature is told what was passed on and what was not, also if
/// another mail tells of the move.
pub fn cut_signatures_are_told(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = own_reply(change) else { return Ok(()) };
    let above = mail.written.strip_suffix(LOOKS_SIGNED);
    let Some((_, words)) = above.and_then(|it| it.split_once("say ")) else { return Ok(()) };
    let own = player.to_string();
    // What was passed on ends above the signature.
    let is_it =
        |action: &str| action.strip_prefix("say ").is_some_and(|it| flat(it) == flat(words));
    let mut new = new_events(change).into_iter();
    let said = new.find(|it| it.player == Some(&*own) && is_it(it.event.action));
    let Some(said) = said else { return Ok(()) };
    let text = answers(change, player);
    match text.contains("This looks like a signature and was not passed on:") {
        true => Ok(()),
        false => {
            let found = format!("{:?} in game {}: {text:?}", said.event.action, said.game);
            violated("cut_signatures_are_told", found)
        }
    }
}

fn brings_its_comments(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let Some(reader) = row.player else { return Ok(()) };
    let (before, after, text) = (change.before, change.after, mail.words());
    for Comment { game, author, words, mail } in Comment::all(after, reader) {
        let is_hidden = [before, after].iter().any(|it| has_blocked(it, reader, author));
        let Some(mark) = marks(words).next().filter(|_| !is_hidden) else { continue };
        if mail == Some(row.id) && !text.contains(mark) {
            return Err(format!("{words:?} in game {game} counts as mailed with it"));
        }
        let begin = format!("\nGame {game} against ");
        let is_drawn = match row.game {
            Some(of) => of == game && WITH_COMMENTS.contains(&&*row.kind),
            None => row.kind == "digest" && text.contains(&begin),
        };
        let is_known = || Comment::all(before, reader).any(|it| it.words == words);
        if is_drawn && mail.is_none() && is_known() {
            return Err(format!("lacks {words:?} in game {game}"));
        }
    }
    Ok(())
}
