//! What the mails say that are about no move, offer or challenge: questions, warnings, links and farewells.
//! docs/mail.md, docs/receiving.md, docs/club.md.

use super::mail_texts::{bare, plain};
use super::rows::{Game, Mail, name_of, of_new_mails, of_player};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::pages;
use crate::simulator::tables::number;

/// Each of these mails has the sentences of its kind, with the right names, in both parts.
pub fn mails_have_the_words_of_their_kind(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let Some([in_text, in_html]) = expected(change, &row) else { continue };
        let [text, html] = mailer::parts(mail);
        let (text, html) = (plain(&text), bare(&pages::texts(&html).join(" ")));
        let lacks = in_text.iter().find(|it| !text.contains(&**it));
        let lacks = lacks.or_else(|| in_html.iter().find(|it| !html.contains(&bare(it))));
        if let Some(lacks) = lacks {
            let found = format!("{} ({}) lacks {lacks:?}: {text:?}", mail.id, row.kind);
            return violated("mails_have_the_words_of_their_kind", found);
        }
    }
    Ok(())
}

/// Returns the sentences of the text and of the HTML part.
fn expected(change: &Change, row: &Mail) -> Option<[Vec<String>; 2]> {
    const NO: &str = "If not, reply no or ignore this mail, and nothing happens.";
    let tables = change.after;
    let reader = row.player.and_then(|it| name_of(tables, it));
    let both = |sentences: &[&str]| sentences.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let same = |sentences: &[&str]| Some([both(sentences), both(sentences)]);
    match &*row.kind {
        "confirm" => same(&[
            "Was it you?",
            "This was asked for in your name:",
            "If it was you, reply with just yes and it is done.",
        ])
        .map(|[mut text, html]| {
            text.push(NO.to_owned());
            [text, html]
        }),
        "address" => {
            let held = tables.columns_of("outbox", row.id, ["held"]).next()?[0];
            let of = tables.columns_of("held", number(held)?, ["player"]).next()?[0];
            let name = name_of(tables, number(of)?)?;
            let question = format!("Is this your address, {name}?");
            let wants = "A player of this name wants to get mail about games of Othello here.";
            same(&[&question, wants, "If it is, reply with just yes and it is done."])
        }
        "own-page" => {
            let link = format!("The link to your page, {}", reader?);
            same(&[&link, "The link is valid for 30 days. Do not pass it on:"])
        }
        "moved" => same(&["Both addresses have confirmed that.", "goes to another address now."]),
        "farewell" => same(&["This is the last mail. Once it is sent, your address is deleted."]),
        "paused" => {
            let game = Game::of(tables, row.game?)?;
            let other = game.opponent(game.color_of(row.player?)?)?;
            let name = name_of(tables, other)?;
            let begin = format!("Mail to {name} cannot be delivered");
            let rest = format!(
                "It resumes when {name} writes or gets a new address. Game {} stays as it is.",
                game.id
            );
            same(&[&begin, "o more is sent for now.", &rest])
        }
        "mismatch" => {
            let sender = tables.columns_of("outbox", row.id, ["text"]).next()?[0]?;
            let own = [change.before, tables].map(|it| of_player(it, row.player?, "address"));
            let again = format!("If it was you, send your reply again from {}.", own[1]?);
            let again = if own[0] == own[1] { &*again } else { "" };
            let from = "from an address that is not yours";
            same(&[from, sender, again, "somebody else has read your mail:"])
        }
        _ => None,
    }
}
