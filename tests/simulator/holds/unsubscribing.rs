//! The "unsubscribe" button of a mail program. docs/mail.md, Links to web pages.

use super::rows::{Game, Mail, of_player, watchers, with_message_id};
use super::violated;
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer, Request};
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// What the mail says that comes after a click in a mail of a kind, which a setting of the player stops.
const AGAIN: [(&str, &str, [&str; 2], &str); 3] = [
    ("digest", "digests", ["mail_mode", "none"], "set mail digest 18:00"),
    ("reminder", "reminders", ["reminders", "off"], "set reminders on"),
    ("letter", "letters of the club", ["letter", "0"], "set letter on"),
];

/// The button mutes the game of its mail, or ends the watching of it. In a digest, a reminder and a letter it turns
/// all of these off, and a mail says how to get them again. Its page says which mails these are, and whether they
/// are stopped.
pub fn unsubscribing_stops_mails(
    request: &Request,
    answer: &Answer,
    accepted: &[Accepted],
    [before, tables]: [&Tables; 2],
) -> Result<(), Violation> {
    const OF: &str = "unsubscribing_stops_mails";
    let is_of = |mail: &&Accepted| mail.unsubscribes_at().as_ref() == Some(&request.path);
    let is_whole = answer.status < 400 && request.path.starts_with("/unsubscribe/");
    let Some(mail) = accepted.iter().rfind(is_of).filter(|_| is_whole) else { return Ok(()) };
    let row = with_message_id(tables, &mail.id, ["id"]);
    let row = row.and_then(|[id]| Mail::of(tables, number(id)?));
    let Some((row, player)) = row.and_then(|row| Some((row.clone(), row.player?))) else {
        return Ok(());
    };
    let is = |column, value| of_player(tables, player, column) == Some(value);
    let has = |table| {
        let mut rows = tables.columns_of(table, row.game.unwrap_or_default(), ["player"]);
        rows.any(|[it]| number(it) == Some(player))
    };
    let about_game = format!("about game {}", row.game.unwrap_or_default());
    let (is_stopped, title, mails) = match &*row.kind {
        "digest" => (is("mail_mode", "none"), "Digests", "it is your turn"),
        "reminder" => (is("reminders", "off"), "Reminders", "little time left"),
        "letter" => (is("letter", "0"), "Letters of the club", "the week of the club"),
        kind if kind.starts_with("watched") => {
            // Who may not watch any more gets none either.
            let game = row.game.and_then(|id| Game::of(tables, id));
            let is_watching = game.is_some_and(|game| watchers(tables, &game).contains(&player));
            (!is_watching, &*about_game, "which you watch")
        }
        _ => (row.game.is_none() || has("unsubscribed"), &*about_game, "your turn in this game"),
    };
    for (_, mails, [column, off], back) in AGAIN.iter().filter(|it| it.0 == row.kind) {
        let was_on = of_player(before, player, column) != Some(off);
        let text = format!("You get no more {mails}. To get them again, write `{back}`.");
        let new = tables.new_rows("outbox", before).into_iter();
        let mut new =
            new.filter_map(|id| tables.columns_of("outbox", id, ["player", "text"]).next());
        let is_told = new.any(|[of, said]| number(of) == Some(player) && said == Some(&text));
        if is_stopped && is_told != was_on {
            let found = format!("{} stops {mails}, which were on: {was_on}; {is_told}", mail.id);
            return violated("stopped_mails_can_come_again", found);
        }
    }
    let is_gone = of_player(tables, player, "left_at").is_some();
    if request.form.is_some() && !is_stopped && !is_gone {
        return violated(OF, format!("{} goes on: {row:?}", mail.id));
    }
    let said = pages::texts(&answer.body).join(" ");
    let begin =
        if is_stopped { "You get no more mails" } else { "Do you want to get no more mails" };
    let is_right = [title, begin, mails].iter().all(|it| said.contains(it));
    let is_whole_kind = row.kind == "digest" && said.contains("in this game");
    match is_right && !is_whole_kind || is_gone || row.game.is_none() && title == about_game {
        true => Ok(()),
        false => violated(OF, format!("of {row:?}, stopped: {is_stopped}, it says {said:?}")),
    }
}
