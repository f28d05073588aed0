//! Answers to the commands of a mail: docs/receiving.md.

use super::mail_texts::{Letter, bare};
use super::replies::{author, is_flood};
use super::rows::{Game, Mail, of_new_mails, of_player, with_message_id};
use super::views::Asked;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer::{self, Incoming};
use crate::simulator::pages;
use crate::simulator::replay::Replayed;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// Commands that only read, and the others that can stand beside them here.
pub(super) const READING: [&str; 10] = [
    "games",
    "challenges",
    "players",
    "player",
    "show",
    "history",
    "next",
    "standings",
    "help",
    "replay",
];
const CHANGING: [&str; 5] = ["set", "receipt", "mute", "unmute", "plan"];

/// Commands that end a game or a challenge.
const ENDING: [&str; 3] = ["resign", "accept", "decline"];

/// Kinds of mail to which a reply can have any command. An answer can be a question.
const ANSWERABLE: [&str; 11] = [
    "turn",
    "started",
    "over",
    "receipt",
    "flagged",
    "notice",
    "reminder",
    "digest",
    "challenge",
    "letter",
    "tournament",
];

/// The longest answer that is surely not cut, in bytes.
const MAX_WHOLE: usize = 20_000;

/// Each command of a clear mail that only reads is answered, in the order of the mail, with the lists as they stand;
/// and the HTML part of an answer has the tables of its text. The board below an answer is that of its game.
pub fn commands_in_mails_are_answered(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let found = |what| violated("answers_show_what_stands", format!("{}: {what}", mail.id));
        has_the_tables_twice(change, mail, &row).or_else(found)?;
        has_the_words_twice(change, mail, &row).or_else(found)?;
        shows_the_game(change, mail, &row).or_else(found)?;
    }
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let Some(lines) = commands(mail) else { return Ok(()) };
    let text = answers(change, player);
    // A copy of a mail is not answered again, and words that are no command are none of these.
    let last = change.after.columns("received", ["disposition"]).last();
    if text.contains("No command was found") || last == Some([Some("copy")]) {
        return Ok(());
    }
    let found = |what: String| {
        let records = change.after.columns("received", ["understood", "disposition", "why"]);
        let found = format!("{:?} of player {player}: {what}: {:?}", mail.written, records.last());
        violated("commands_in_mails_are_answered", found)
    };
    if lines.iter().any(|it| it == "help") && !text.contains("This is Othello by mail. You play") {
        return found(format!("`help` does not say what this is in {text:?}"));
    }
    let mut from = 0;
    for line in &lines {
        let title = format!("Reply to `{line}`:");
        let Some(at) = text.find(&title) else {
            if text.contains("` was not done:") || text.len() > MAX_WHOLE {
                continue;
            }
            return found(format!("{line:?} is not answered in {text:?}"));
        };
        if at < from {
            return found(format!("{line:?} is answered too early in {text:?}"));
        }
        from = at;
        let section = &text[at + title.len()..];
        let section = section.split("Reply to `").next().unwrap_or_default();
        still_lists(change, &mail.written, line, section).or_else(found)?;
        let lists = [change.before, change.after].map(|it| expected(it, change, player, line));
        let shown: Vec<_> = cells(section).map(|row| row[0].to_owned()).collect();
        // What else the end of a game brings about can come later.
        let is_between =
            lines_of(mail).is_some_and(|it| it.iter().any(|it| ENDING.contains(&first(it))));
        let is_right =
            is_between || lists.iter().any(|list| list.as_ref().is_none_or(|it| *it == shown));
        if !is_right && text.len() <= MAX_WHOLE {
            return found(format!("{line:?} lists {shown:?}, not {lists:?}"));
        }
    }
    Ok(())
}

/// A list below a command that takes something off it does not have that any more.
fn still_lists(change: &Change, written: &str, list: &str, section: &str) -> Result<(), String> {
    let above = written.split_once(&format!("\n{list}")).map_or("", |(above, _)| above);
    // A list that stands twice is answered where it stands first.
    let above = if above.lines().any(|it| it == list) { "" } else { above };
    for line in above.lines() {
        let Some((word, id)) = line.trim().split_once(' ') else { continue };
        let Some(id) = number(Some(id)).filter(|_| ENDING.contains(&word)) else { continue };
        let is_open = |tables: &Tables, table| {
            let column = if table == "game" { "turn" } else { "state" };
            let row = tables.columns_of(table, id, [column]).next();
            let is = row.and_then(|[it]| it);
            is.is_some_and(|it| table == "game" || it == "open")
        };
        let table = if word == "resign" { "game" } else { "challenge" };
        if !is_open(change.before, table) || is_open(change.after, table) {
            continue;
        }
        let is_listed = cells(section).any(|row| row[0] == id.to_string());
        let is_of_it = matches!((table, list), ("game", "games") | ("challenge", "challenges"));
        if is_listed && is_of_it {
            return Err(format!("{list:?} below {line:?} is of the state before: {section:?}"));
        }
    }
    Ok(())
}

/// Returns how many mails got no answer because there were too many.
pub(super) fn unanswered(tables: &Tables) -> i64 {
    let mut rows = tables.columns("intake", ["disposition", "mails"]);
    let row = rows.find(|[it, _]| *it == Some("unanswered"));
    row.and_then(|[_, mails]| number(mails)).unwrap_or_default()
}

/// Returns the mail of a change with its player, if it is surely the player's, and gets its answer.
pub(super) fn own_mail<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    let mail = change.incoming.filter(|mail| !mail.is_copy && !is_flood(change))?;
    let player = number(author(mail, change))?;
    let is_answered = unanswered(change.before) == unanswered(change.after);
    (is_answered && !change.words.is_empty()).then_some((mail, player))
}

/// Returns the reply of a change with its player, if it is surely the player's, and the mail that it answers is known.
pub(super) fn own_reply<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    let (mail, player) = own_mail(change)?;
    let answered = change.accepted.get(mail.answers?)?;
    // What a restore has undone is not there.
    let is_known = with_message_id(change.before, &answered.id, ["id"]).is_some();
    let secret = answered.shown.as_ref()?.secret.as_deref();
    let is_own = of_player(change.before, player, "secret") == secret;
    (is_known && is_own).then_some((mail, player))
}

/// Returns that reply if it is read as it was written.
pub(super) fn clear_reply<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    own_reply(change).filter(|(mail, _)| mail.is_clear)
}

/// Returns the mail of a change with its player, if it is read as it was written, can have any command, and is surely
/// the player's.
pub(super) fn clear<'a>(change: &Change<'a>) -> Option<(&'a Incoming, i64)> {
    let (mail, player) = own_mail(change)?;
    let Some(answered) = mail.answers.and_then(|at| change.accepted.get(at)) else {
        let bytes = String::from_utf8_lossy(&mail.bytes).replace('\r', "");
        let is_plain = bytes.contains("Content-Type: text/plain") && bytes.contains(&mail.written);
        return is_plain.then_some((mail, player));
    };
    let is_answerable = answered.shown.as_ref().is_some_and(|it| ANSWERABLE.contains(&&*it.kind));
    clear_reply(change).filter(|_| is_answerable)
}

/// Returns the lines of a mail, if it has nothing else but a few short commands.
fn lines_of(mail: &Incoming) -> Option<Vec<&str>> {
    let lines = mail.written.lines().map(str::trim).filter(|it| !it.is_empty());
    let lines: Vec<_> = lines.collect();
    // Without a number, some can be the answer to a question.
    let ends = |line: &str| {
        let (word, id) = line.split_once(' ').unwrap_or_default();
        ENDING.contains(&word) && id.parse::<u32>().is_ok()
    };
    let is_known = |line: &&str| {
        READING.contains(&first(line)) || CHANGING.contains(&first(line)) || ends(line)
    };
    let is_short = |line: &str| line.len() < 40;
    (!lines.is_empty() && lines.iter().all(|it| is_known(it) && is_short(it))).then_some(lines)
}

fn first(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Lines that are no commands, and those that end the commands.
pub(super) const OTHERS: [&str; 6] = [
    "Hi Bob",
    "How are you today?",
    "It is raining here.",
    "Hello!",
    "Hi there,",
    "Good evening everybody",
];
const ENDS: [&str; 4] = ["--", "stop", "quit", "thanks"];

/// How many lines that are no commands are skipped, and how many commands are read.
const MAX_SKIPPED: usize = 5;
const MAX_COMMANDS: usize = 20;

/// Returns the words of the commands of a mail that are read, if it has nothing else but short ones and known lines:
/// those above the first other line below a command.
pub(super) fn words_of(mail: &Incoming) -> Option<Vec<&str>> {
    let lines = mail.written.lines().map(str::trim).filter(|it| !it.is_empty());
    let lines: Vec<_> = lines.collect();
    // What ends the commands can be an answer in the first line.
    if lines.first().is_none_or(|it| ENDS.contains(it)) {
        return None;
    }
    let (mut words, mut skipped) = (Vec::new(), 0);
    let mut is_over = false;
    for line in lines {
        if ENDS.contains(&line) {
            is_over = true;
        } else if OTHERS.contains(&line) {
            skipped += 1;
            is_over |= !words.is_empty() || skipped > MAX_SKIPPED;
        } else {
            let word = word_of(line)?;
            if !is_over && words.len() < MAX_COMMANDS {
                words.push(word);
            }
        }
    }
    Some(words).filter(|it| !it.is_empty())
}

/// Returns the word of a short command, if a line is surely one.
fn word_of(line: &str) -> Option<&str> {
    // With another word behind it, such a line can be a sentence.
    let is_command = |line: &&str| match line.split(' ').nth(1) {
        None => true,
        Some(_) if ["set", "receipt", "player"].contains(&first(line)) => !line.contains("address"),
        Some(word) => word.starts_with("--") || word.chars().all(|it| it.is_ascii_digit()),
    };
    let is_known = READING.contains(&first(line)) || CHANGING.contains(&first(line));
    (is_known && line.len() < 40 && is_command(&line)).then(|| first(line))
}

/// Returns the commands of a mail that only read, each once, if it has nothing else but a few others.
fn commands(mail: &Incoming) -> Option<Vec<String>> {
    let mut reading: Vec<String> = Vec::new();
    for line in lines_of(mail)?.into_iter().filter(|it| READING.contains(&first(it))) {
        if !reading.iter().any(|it| it == line) {
            reading.push(line.to_owned());
        }
    }
    Some(reading)
}

/// Returns the texts of the mails that a step has queued for a player, as they are stored.
pub(super) fn answers(change: &Change, player: i64) -> String {
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let new = new.filter(|id| Mail::of(change.before, *id).is_none());
    let texts = new.filter_map(|id| {
        let row = change.after.columns_of("outbox", id, ["player", "text"]).next()?;
        row[1].filter(|_| number(row[0]) == Some(player)).map(str::to_owned)
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Returns the cells of the rows of the tables in a stored text, without their titles.
fn cells(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let is_kinds = |line: &str| !line.is_empty() && line.chars().all(|it| "<>".contains(it));
    let lines = text.lines().zip(std::iter::once("").chain(text.lines()));
    let rows = lines.filter(move |(line, above)| line.contains('\t') && !is_kinds(above));
    rows.map(|(line, _)| line.split('\t').map(|it| it.trim_matches(char::is_control)).collect())
}

/// Returns what stands first in the rows of a list that a player asks for; `None` if that is not judged.
fn expected(tables: &Tables, change: &Change, player: i64, line: &str) -> Option<Vec<String>> {
    let (id, name) = (player.to_string(), of_player(tables, player, "name")?);
    let asked = Asked::by(tables, change.now, [&id, name]);
    let (list, key) = match line {
        "games" => (asked.active(), "game"),
        "games --finished" => (asked.finished(), "game"),
        "challenges" => (asked.challenges()?["challenges"].as_array()?.clone(), "challenge"),
        _ => return None,
    };
    Some(list.iter().map(|it| it[key].to_string()).collect())
}

/// The HTML part has each row of the tables that an answer was stored with.
fn has_the_tables_twice(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let text = change.after.columns_of("outbox", row.id, ["text"]).next();
    let text = text.and_then(|[text]| text).filter(|it| it.contains('\t')).unwrap_or_default();
    let [_, html] = mailer::parts(mail);
    let html = bare(&pages::texts(&html).join(" "));
    match cells(text).find(|row| !html.contains(&bare(&row.join(" ")))) {
        Some(row) => Err(format!("the HTML part lacks {row:?}")),
        None => Ok(()),
    }
}

/// Kinds of mail that have words which were stored with them.
const WITH_WORDS: [&str; 5] = ["notice", "answer", "challenge", "tournament", "letter"];

/// Both parts have each paragraph that a mail was stored with, besides its tables and boards.
fn has_the_words_twice(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let stored = change.after.columns_of("outbox", row.id, ["text"]).next();
    let is_judged = WITH_WORDS.contains(&&*row.kind);
    let stored = stored.and_then(|[text]| text).filter(|_| is_judged).unwrap_or_default();
    // Until they are tried, news of a tournament have a number for each thing, and a letter has its Monday.
    let is_untried = match &*row.kind {
        "tournament" => stored.split(' ').skip(1).all(|it| it.parse::<u64>().is_ok()),
        "letter" => !stored.contains(char::is_whitespace),
        _ => false,
    };
    // Who is away is told as it stands at the try.
    if is_untried || stored.contains(" is not absent after all.") {
        return Ok(());
    }
    // Tables and boards stand between two signs.
    let words = stored.split('\u{2}').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once('\u{3}').map_or("", |(_, words)| words),
    });
    let words = words.collect::<Vec<_>>().join("\n\n");
    let [text, html] = mailer::parts(mail);
    let parts = [bare(&text), bare(&pages::texts(&html).join(" "))];
    for paragraph in words.split("\n\n").map(bare) {
        if let Some(at) = parts.iter().position(|it| !it.contains(&paragraph)) {
            let part = ["text", "HTML"][at];
            return Err(format!("the {part} part lacks {paragraph:?} of {stored:?}"));
        }
    }
    Ok(())
}

/// The board of an answer that has no other is that of its game, as it stood then.
fn shows_the_game(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let (Some(player), Some(game), "answer" | "paused" | "mismatch" | "challenge") =
        (row.player, row.game, &*row.kind)
    else {
        return Ok(());
    };
    let stored = change.after.columns_of("outbox", row.id, ["text"]).next();
    let has_board = |text: &str| {
        let words = ["|", "+-", "Score:", "Row ", "Legal:", "Last move", "Transcript"];
        text.contains('\u{2}') || words.iter().any(|it| text.contains(it))
    };
    if stored.and_then(|[text]| text).is_some_and(has_board) {
        return Ok(());
    }
    let [text, _] = mailer::parts(mail);
    let Some(game) = Game::of(change.after, game).filter(|_| text.contains("\nScore: ")) else {
        return Ok(());
    };
    let Ok(replayed) = Replayed::of(change.after, game.id, row.events) else { return Ok(()) };
    let color = game.color_of(player);
    let (row, html) = (row.clone(), String::new());
    let letter = Letter { change, mail, row, text, html, game, replayed, color };
    Letter::OF_BOARDS.iter().try_for_each(|check| check(&letter))
}
