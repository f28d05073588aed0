//! What a form of a page does, and where it leads: docs/web.md.

use super::answered::is_read;
use super::buttons::has_ended_long_ago;
use super::challenges::challenges_are_what_was_asked_for;
use super::commands::{Member, commands_are_done_or_refused, commands_store_what_they_say};
use super::mail_texts::flat;
use super::replies::{New, new_events};
use super::views::Asked;
use super::{Change, Opened, violated};
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer};
use crate::simulator::tables::number;

/// A form that a player has sent.
struct Sent<'a> {
    path: &'a str,
    answer: &'a Answer,
    /// The command with its second word, if it is a setting.
    command: String,
    /// What was typed and chosen.
    text: String,
    /// What goes with a move.
    words: String,
    is_at_once: bool,
    /// What its page showed, as it carries that.
    history: String,
}

impl<'a> Sent<'a> {
    fn of(change: &Change<'a>) -> Option<Self> {
        let [page, path, form] = change.words else { return None };
        let answer = change.ran?.answer.as_ref()?;
        let is_of_player = path.starts_with("/play/") || path.starts_with("/me/");
        if page != "page" || form.is_empty() || !is_of_player {
            return None;
        }
        let fields: Vec<_> = form.split('&').filter_map(|it| it.split_once('=')).collect();
        let all = |name: &str| {
            let own = fields.iter().filter(|(it, _)| *it == name);
            let values: Vec<_> = own.map(|(_, value)| pages::unescaped(value)).collect();
            values.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
        };
        let is_at_once = fields.iter().any(|(name, _)| *name == "now");
        let [command, text, words, history] = ["command", "text", "say", "history"].map(all);
        let sent = Self { path, answer, command, text, words, is_at_once, history };
        Some(sent).filter(|it| !it.command.is_empty())
    }

    /// Returns the number of the game of its page; `None` if it is the own page, or if that is not known.
    fn game(&self, change: &Change) -> Option<i64> {
        if self.path.starts_with("/me/") {
            return number(self.path.split('/').nth(3));
        }
        let token = self.path.split('/').nth(2)?;
        let has = |text: &str| text.replace("=\r\n", "").replace("=\n", "").contains(token);
        let mail = change.accepted.iter().rev().find(|mail| has(&mail.text))?;
        match &mail.shown.as_ref()?.games[..] {
            [only] => number(Some(&only.game)),
            _ => None,
        }
    }

    /// Returns the command as it is written in a shell; `None` if the game is not known.
    fn line(&self, change: &Change) -> Option<Vec<String>> {
        let is_own_page = self.path.matches('/').count() == 2 && self.path.starts_with("/me/");
        let mut line: Vec<_> = self.command.split(' ').map(str::to_owned).collect();
        if !is_own_page {
            line.push(self.game(change)?.to_string());
        }
        line.extend(self.is_at_once.then(|| "--now".to_owned()));
        line.extend(self.text.split(' ').filter(|it| !it.is_empty()).map(str::to_owned));
        Some(line)
    }
}

/// A form does what its command does in a shell, and is refused if that is.
pub fn forms_do_what_commands_do(change: &Change) -> Result<(), Violation> {
    let Some(sent) = Sent::of(change) else { return Ok(()) };
    let status = match sent.answer.status {
        303 => 0,
        422 if sent.words.is_empty() => 1,
        _ => return Ok(()),
    };
    let Some(words) = sent.line(change) else { return Ok(()) };
    // A button of the own page is about a challenge: once that has become a game, it answers nothing there.
    let is_challenge = matches!(&*sent.command, "accept" | "decline") && words.len() == 2;
    let is_game = |id: &String| !change.before.rows_with("game", "id", id).is_empty();
    if sent.game(change).is_none() && is_challenge && words.last().is_some_and(is_game) {
        return match status {
            0 => violated("forms_do_what_commands_do", format!("{:?} was done", change.words)),
            _ => Ok(()),
        };
    }
    // Nothing can be done in a game that has ended long ago.
    let id = sent.game(change).unwrap_or_default().to_string();
    if has_ended_long_ago(change.before, &id, change.now.timestamp()) {
        return Ok(());
    }
    let given = Change { words: &words, status, ..*change };
    commands_are_done_or_refused(&given)?;
    commands_store_what_they_say(&given)?;
    challenges_are_what_was_asked_for(&given)
}

/// A form that is refused changes nothing of a game, also if it has words beside its move. Only a flag that has fallen is
/// recorded, with what follows from it.
pub fn refused_forms_change_nothing(change: &Change) -> Result<(), Violation> {
    let Some(sent) = Sent::of(change).filter(|it| matches!(it.answer.status, 409 | 422)) else {
        return Ok(());
    };
    let reader = Member::named(change.before, change.actor).map(|it| it.id);
    let is_own = |it: &&New| it.player.is_some() && it.player == reader;
    let new = new_events(change);
    let found = match new.iter().find(is_own) {
        Some(new) => format!("{:?} in game {}", new.event.action, new.game),
        None if !change.after.is_same(change.before, "comment") && !sent.words.is_empty() => {
            "the comments".to_owned()
        }
        None => return Ok(()),
    };
    let found = format!("{:?} was refused, and left {found}", change.words);
    violated("refused_forms_change_nothing", found)
}

/// A form that was done leads back to its page, which says what was done; on the own page, to the game that has begun.
/// One that was refused shows its page again, and says so.
pub fn forms_lead_on(change: &Change) -> Result<(), Violation> {
    const OF: &str = "forms_lead_on";
    let Some(sent) = Sent::of(change) else { return Ok(()) };
    let found = |what: String| violated(OF, format!("{:?}: {what}", change.words));
    let Answer { status, location, body, .. } = sent.answer;
    let says = |kind: &str| body.contains(&format!("<section class=\"notice {kind}\""));
    if *status == 303
        && sent.command == "away"
        && sent.text == "off"
        && !ends_what_it_showed(change, &sent)
    {
        return found("it ends another absence than its page showed".to_owned());
    }
    // Nobody has to type it again.
    let typed = if sent.words.is_empty() { &sent.text } else { &sent.words };
    let field = if sent.words.is_empty() { &sent.command } else { "say" };
    let has_field = || body.contains(&format!("<textarea id=\"{field}\" name=\"text\""));
    if *status == 422 && has_field() && !kept(body, typed) {
        return found(format!("{typed:?} is not there any more"));
    }
    match status {
        409 if !says("stale") => return found("it does not say that the page is old".to_owned()),
        422 if !says("refused") => return found("it does not say why it is refused".to_owned()),
        303 => {}
        _ => return Ok(()),
    }
    let new = change.after.added("game", change.before);
    let begun = new.first();
    let mut parts = sent.path.split('/').skip(1);
    let path = match (parts.next(), parts.next(), begun) {
        (Some("me"), Some(token), Some(game)) => format!("/me/{token}/{game}"),
        _ => sent.path.to_owned(),
    };
    let word = sent.command.split(' ').next().unwrap_or_default();
    let now = if sent.is_at_once { "&now=yes" } else { "" };
    let expected = format!("{path}?done={word}{now}");
    match location.as_deref() == Some(&*expected) || new.len() > 1 {
        true => Ok(()),
        false => found(format!("it leads to {location:?}, not {expected:?}")),
    }
}

/// Returns whether the absence that a form ends or cancels is the one that it carries.
fn ends_what_it_showed(change: &Change, sent: &Sent) -> bool {
    let Some(own) = Member::named(change.before, change.actor) else { return true };
    let asked = Asked::by(change.before, change.now, [own.id, own.name]);
    let Some((from, until)) = asked.absences_of(own.id).first().copied() else { return true };
    sent.history == format!("{from}-{until}")
}

/// Returns whether a field of a page has this text.
fn kept(page: &str, typed: &str) -> bool {
    typed.trim().is_empty() || pages::texts(page).iter().any(|it| flat(it) == flat(typed))
}

/// What a page says after a form, by the word of its command; what the opponent reads of words is judged apart.
const DONE: [(&str, &str); 13] = [
    ("move", "move was made"),
    ("pass", "have passed"),
    ("accept", "have accepted"),
    ("decline", "offer is closed"),
    ("unpause", "pause is over"),
    ("mute", "no more mails when it is your turn"),
    ("unmute", "mails again when it is your turn"),
    ("set", "setting was changed"),
    ("plan", "plan was changed"),
    ("note", "note was added"),
    ("away", "absence was changed"),
    ("challenge", "challenge was made"),
    ("analyze", "game is being analyzed"),
];

/// The page to which a form leads says what was done, and after words when the opponent reads them.
pub fn pages_say_what_was_done(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, .. } = opened;
    let Some((_, done)) = request.path.split_once("?done=") else { return Ok(()) };
    let (word, now) = done.split_once('&').unwrap_or((done, ""));
    let begin = "<section class=\"notice done\" aria-label=\"Notice\">";
    let notice = answer.body.split(begin).nth(1).and_then(|it| it.split("</section>").next());
    let said = pages::texts(notice.unwrap_or_default()).join(" ");
    let wrong = |expected: &str| {
        let found = format!("{} says {said:?}, not {expected:?}", request.path);
        violated("pages_say_what_was_done", found)
    };
    if let Some((_, expected)) = DONE.iter().find(|(it, _)| *it == word) {
        return if said.contains(expected) { Ok(()) } else { wrong(expected) };
    }
    let game = super::pages::game_of(&answer.body).and_then(|it| it.parse().ok());
    let (Some(game), "say", Some(own)) = (game, word, Member::named(tables, reader)) else {
        return Ok(());
    };
    let columns = ["black", "white", "turn", "local"];
    let Some([black, white, turn, local]) = tables.columns_of("game", game, columns).next() else {
        return Ok(());
    };
    let other = if black == Some(own.id) { white } else { black };
    let Some(other) = other.and_then(|id| Member::with_id(tables, id)) else { return Ok(()) };
    // Others are told in other words.
    if local == Some("1") || other.address.is_none() {
        return Ok(());
    }
    let expected = is_read(other.name, game, now == "now=yes", turn.is_some());
    if said.contains(&expected) { Ok(()) } else { wrong(&expected) }
}
