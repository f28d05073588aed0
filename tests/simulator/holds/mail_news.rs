//! What notices and the mails about challenges say: docs/mail.md, docs/playing.md, docs/club.md.

use mail_parser::MessageParser;

use super::clocks::Settings;
use super::mail_sentences::clock_line;
use super::mail_texts::{Letter, plain};
use super::results::list_of;
use super::rows::{Mail, OPEN_FOR, name_of, of_new_mails, of_player, title, title_with_opening};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// Beginnings of the notice of an offer of a player, by its kind.
const OFFERS: [(&str, &str); 4] = [
    ("draw", "offers a draw"),
    ("takeback", "asks to take back"),
    ("pause", "asks for a pause"),
    ("rematch", "offers a rematch"),
];

impl Letter<'_> {
    /// A notice of an offer says who offers what, in the text and in the subject; one about a game with an opponent
    /// names that one, and says whether it is the reader's turn.
    pub fn says_what_is_new(&self) -> Result<(), String> {
        let (Some(color), "notice") = (self.color, &*self.row.kind) else { return Ok(()) };
        let text = plain(&self.text);
        let other = self.game.opponent(color).and_then(|it| name_of(self.change.after, it));
        let Some(other) = other else { return Ok(()) };
        let about = format!("Game {} against ", self.game.id);
        if let Some((_, rest)) = text.split_once(&about) {
            let says_turn = rest.starts_with(&format!("{other}. It is your turn."));
            if !rest.starts_with(&format!("{other}.")) || says_turn != self.is_own_turn() {
                return Err(format!("{about}{:?} is not {other}", rest.get(..60)));
            }
        }
        let offer =
            self.row.occasion.strip_prefix("offer ").and_then(|it| it.parse::<usize>().ok());
        let Some(event) = offer.and_then(|event| event.checked_sub(1)) else { return Ok(()) };
        let log = self.change.after.columns_of("event", self.game.id, ["author", "action"]);
        let Some([author, action]) = log.into_iter().nth(event) else { return Ok(()) };
        let kind = action.and_then(|it| it.strip_prefix("offer "));
        let Some((_, offers)) = OFFERS.iter().find(|it| Some(it.0) == kind) else { return Ok(()) };
        if author == Some(color) {
            return Err(format!("its reader has made the offer {action:?}"));
        }
        let mut said = format!("{other} {offers}");
        if kind == Some("takeback") {
            said += &format!(" {}.", self.to_take_back(color));
        }
        let parsed = MessageParser::default().parse(self.mail.text.as_bytes());
        let subject = parsed.as_ref().and_then(|it| it.subject()).unwrap_or_default();
        let begin = format!("Game {}: {other} {offers}", self.game.id);
        match text.contains(&said) && subject.starts_with(&begin) {
            true => Ok(()),
            false => Err(format!("{subject:?} {text:?} have not {said:?}")),
        }
    }

    /// Returns the moves that an offer of the opponent asks to take back: from the last one that the opponent chose.
    fn to_take_back(&self, own: &str) -> String {
        let plies: Vec<_> = self.replayed.plies.iter().zip(&self.replayed.made_at).collect();
        let from = plies.iter().rposition(|(ply, _)| ply.by.to_string() != own && !ply.auto);
        let from = from.unwrap_or_default();
        let log = self.change.after.columns_of("event", self.game.id, ["action"]);
        let log: Vec<_> = log.flatten().flatten().collect();
        let moves = (from + 1..).zip(&plies[from..]).map(|(number, (ply, event))| {
            let label = log.get(**event - 1).copied().unwrap_or_default();
            format!("{number}.{}", if ply.auto { "(pass)" } else { label })
        });
        let moves: Vec<_> = moves.collect();
        moves.join(" ")
    }
}

/// Mails about a challenge have its terms, and say who says what.
pub fn mails_have_the_terms_of_challenges(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        let (Some(id), Some(reader), "challenge") = (row.challenge, row.player, &*row.kind) else {
            continue;
        };
        let found = |what| {
            let found = format!("{} ({:?}): {what}", mail.id, row.occasion);
            violated("mails_have_the_terms_of_challenges", found)
        };
        has_the_terms(change, mail, &row, id, reader).or_else(found)?;
    }
    Ok(())
}

fn has_the_terms(
    change: &Change,
    mail: &Accepted,
    row: &Mail,
    id: i64,
    reader: i64,
) -> Result<(), String> {
    let tables = change.after;
    let columns = ["challenger", "opponent", "color"];
    let found = tables.columns_of("challenge", id, columns).next();
    let Some([challenger, opponent, color]) = found else { return Ok(()) };
    let (Some(challenger), opponent) = (number(challenger), number(opponent)) else {
        return Ok(());
    };
    let [text, html] = mailer::parts(mail);
    let parts = [text, pages::texts(&html).join(" ")].map(|it| plain(&it));
    let name = |player| name_of(tables, player).unwrap_or_default();
    let mut facts = vec![
        format!("Challenge {id}"),
        format!("Game: {}", title(tables, "challenge", id).unwrap_or_default()),
        match color {
            Some(color) => format!("Colours: {} is {color}", name(challenger)),
            None => "Colours: random".to_owned(),
        },
        clock_line(tables, "challenge", id).unwrap_or_default(),
    ];
    if row.occasion == "challenge" && row.is_tried_first(change) && opponent == Some(reader) {
        facts.push(format!("{} challenges you", name(challenger)));
        let (accept, decline) = (format!("accept {id}"), format!("decline {id}"));
        let asks = format!("Reply {accept} and the game begins, or {decline}.");
        let links = [accept, decline].map(|it| format!("body={}", it.replace(' ', "%20")));
        if !parts[0].contains(&asks) || !links.iter().all(|it| html.contains(it)) {
            return Err(format!("cannot be answered with {links:?}: {parts:?}"));
        }
        facts.push(open_until(tables, id, reader).unwrap_or_default());
        let said = record(change, challenger).unwrap_or_default();
        if let Some((_, rest)) = parts[0].split_once(&format!("{said} In "))
            && let Some((_, found)) = rest.split_once(": ")
            && let [Some(old), Some(new)] = [change.before, tables]
                .map(|it| rating_said(it, id, challenger, change.now.timestamp()))
            && old == new
            && !found.starts_with(&new)
        {
            return Err(format!("the rating of the challenger is {new:?}, not {rest:?}"));
        }
        facts.push(said);
    }
    if row.is_tried_first(change) {
        facts.extend(end_of_challenge(change, row, id, reader));
    }
    for part in &parts {
        if let Some(fact) = facts.iter().find(|it| !part.contains(&***it)) {
            return Err(format!("{fact:?} is not in {part:?}"));
        }
    }
    Ok(())
}

/// Returns what the mail about the end of a challenge says to its reader; `None` if it is about something else.
fn end_of_challenge(change: &Change, row: &Mail, id: i64, reader: i64) -> Option<String> {
    let tables = change.after;
    let columns = ["challenger", "opponent", "state", "closed_at"];
    let [challenger, opponent, state, closed_at] =
        tables.columns_of("challenge", id, columns).next()?;
    let is_about_end = row.occasion.is_empty() && number(closed_at) == Some(row.created_at);
    let (by, to) = (number(challenger)?, number(opponent));
    let name = |player| name_of(tables, player).unwrap_or_default();
    let game = format!("a game of {}", title_with_opening(tables, "challenge", id)?);
    let is_own = by == reader;
    let said = match (state?, is_own) {
        ("declined", true) => {
            let (to, left_at) = (to?, of_player(tables, to?, "left_at"));
            match left_at.is_some() && left_at == closed_at {
                // Somebody can also have declined it a moment before.
                true => format!("your challenge to {game}"),
                false => format!("{} declined your challenge to {game}.", name(to)),
            }
        }
        ("withdrawn", false) => format!("{} withdrew the challenge to {game}.", name(by)),
        ("expired", true) => "Nobody accepted your challenge within 14 days.".to_owned(),
        ("expired", false) => format!("The challenge by {} to {game} has expired.", name(by)),
        _ => return None,
    };
    is_about_end.then_some(said)
}

/// Returns how the rating of a player in the list of a challenge begins, as people read it, unless it is calculated
/// again.
fn rating_said(tables: &Tables, id: i64, player: i64, now: i64) -> Option<String> {
    let rules = ["board_rows", "board_columns", "misere", "anywhere", "stuck", "supply"];
    let list = list_of(tables.columns_of("challenge", id, rules).next()?);
    let mut pending = tables.columns("recalculation", ["list"]).flatten();
    if pending.any(|it| it == Some(&*list)) {
        return None;
    }
    let rows = tables.columns("rating", ["list", "player", "ended_at", "game", "rating"]);
    let own = rows.filter(|[of, it, at, ..]| {
        *of == Some(&*list) && number(*it) == Some(player) && number(*at) <= Some(now)
    });
    let last = own.max_by_key(|[_, _, at, game, _]| (number(*at), number(*game)));
    Some(match last {
        Some([.., rating]) => format!("{:.0} \u{b1} ", rating?.parse::<f64>().ok()?.round()),
        None => "not rated yet.".to_owned(),
    })
}

/// Returns until when a challenge is open, where its reader is.
fn open_until(tables: &Tables, id: i64, reader: i64) -> Option<String> {
    let [created_at] = tables.columns_of("challenge", id, ["created_at"]).next()?;
    let until = number(created_at)? + OPEN_FOR;
    let local = Settings::of(tables, reader)?.calendar.local(until);
    Some(format!("Open until: {}", local.format("%A, %-d %B %Y, %H:%M")))
}

/// Returns the record of the one who challenges, if the step has left it as it was.
fn record(change: &Change, player: i64) -> Option<String> {
    let record = |tables: &Tables| {
        let counts =
            ["won", "lost", "drawn"].map(|it| of_player(tables, player, it).map(str::to_owned));
        let [Some(won), Some(lost), Some(drawn)] = counts else { return None };
        let name = name_of(tables, player)?;
        Some(match [&*won, &*lost, &*drawn] {
            ["0", "0", "0"] => format!("{name} has not finished a game yet."),
            _ => format!("The record of {name}: {won} won, {lost} lost, {drawn} drawn."),
        })
    };
    record(change.after).filter(|it| record(change.before).as_ref() == Some(it))
}
