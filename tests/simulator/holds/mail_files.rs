//! Files in answers: docs/playing.md, Games for other programs.

use mail_parser::{MessageParser, MimeHeaders};

use super::documents::{DOCUMENTS, documents_hold_what_stands};
use super::mail_answers::{answers, clear};
use super::quotas::UNVERIFIED;
use super::rows::of_player;
use super::views::Asked;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::server::Accepted;
use crate::simulator::tables::number;

/// Nobody but the player makes the server send files: what answers a mail that nobody has verified brings none.
pub fn unverified_mail_brings_no_files(change: &Change) -> Result<(), Violation> {
    for answer in change.new_mails() {
        let to = answer.field("In-Reply-To").unwrap_or_default();
        if !UNVERIFIED.iter().any(|end| to.trim_end_matches('>').ends_with(end)) {
            continue;
        }
        let parsed = MessageParser::default().parse(answer.text.as_bytes()).unwrap_or_default();
        let mut names = parsed.attachments().filter_map(|it| it.attachment_name());
        if let Some(file) = names.find(|it| it.starts_with("game")) {
            let found = format!("{} brings {file:?} to {}", answer.id, answer.to);
            return violated("unverified_mail_brings_no_files", found);
        }
    }
    Ok(())
}

/// The answer to `export` by mail brings the game as a file, with what the command prints in a shell.
pub fn answers_bring_files(change: &Change) -> Result<(), Violation> {
    let Some((mail, player)) = clear(change) else { return Ok(()) };
    let first = mail.written.lines().next().unwrap_or_default();
    let words: Vec<_> = first.split(' ').collect();
    let ["export", game, "--format", format] = words[..] else { return Ok(()) };
    let name = of_player(change.before, player, "name").unwrap_or_default();
    let id = player.to_string();
    let found = |what: String| violated("answers_bring_files", format!("{first:?}: {what}"));
    let text = answers(change, player);
    let (Some(number), true) = (number(Some(game)), text.contains("Reply to `export ")) else {
        return Ok(());
    };
    let is_answer = |it: &&Accepted| {
        let to = it.field("In-Reply-To").unwrap_or_default();
        to.trim_matches(['<', '>']) == mail.id.trim_matches(['<', '>'])
    };
    let Some(answer) = change.new_mails().iter().find(is_answer) else { return Ok(()) };
    let parsed = MessageParser::default().parse(answer.text.as_bytes()).unwrap_or_default();
    let files = parsed.attachments().filter_map(|it| {
        let name = it.attachment_name()?;
        name.starts_with("game").then(|| (name, it.text_contents().unwrap_or_default()))
    });
    let files: Vec<_> = files.collect();
    let [(file, content)] = &files[..] else {
        return found(format!("{} files come with {text:?}", files.len()));
    };
    if !file.starts_with(&format!("game-{number}.")) {
        return found(format!("the file is {file:?}"));
    }
    let command = format!("export GAME --format {format}");
    let Some(document) = DOCUMENTS.iter().find(|(it, _)| *it == command) else { return Ok(()) };
    let tables = change.after;
    let own = Asked::by(tables, change.now, [&id, name]);
    let asked = Asked { game: number, ..own };
    let ran = Ran { document: content.replace('\r', ""), ..Ran::default() };
    documents_hold_what_stands(&asked, *document, &ran)
}
