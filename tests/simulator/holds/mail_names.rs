//! Whom and what mails name: docs/mail.md.

use std::collections::BTreeSet;

use mail_parser::MessageParser;
use memchr::memmem::Finder;

use super::mail_texts::{Letter, bare, flat};
use super::rows::{Game, Mail, name_of, of_new_mails};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{self, number};

/// A mail stays below this many bytes.
const MAX_BYTES: usize = 100_000;

/// What makes a mail program load something.
const LOADING: [&str; 6] = ["src=", "url(", "<script", "<link", "<iframe", "@import"];

/// Seconds in the units of the time that is left.
const UNITS: [(&str, i64); 3] = [("minute", 60), ("hour", 3600), ("day", 86_400)];

/// Accepted mails name the right people and games, also in their lists.
pub fn mails_name_the_right_ones(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        for (of, check) in CHECKS {
            check(change, mail, &row)
                .or_else(|what| violated(of, format!("{} ({}): {what}", mail.id, row.kind)))?;
        }
    }
    Ok(())
}

type Check = fn(&Change, &Accepted, &Mail) -> Result<(), String>;

/// What must hold of each mail, with its name.
const CHECKS: [(&str, Check); 5] = [
    ("mails_are_small_and_load_nothing", is_small_and_loads_nothing),
    ("mails_name_their_reader", names_its_reader),
    ("replies_say_that_they_are_replies", says_whether_it_is_a_reply),
    ("subjects_count_the_games", counts_the_games),
    ("lists_are_the_same_in_both_parts", lists_the_same_twice),
];

/// A mail loads nothing from the network and stays below 100 KB.
fn is_small_and_loads_nothing(_: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let [_, html] = mailer::parts(mail);
    if let Some(loading) = LOADING.iter().find(|it| html.contains(**it)) {
        return Err(format!("the HTML part has {loading:?}"));
    }
    // What a player asked for can be a file.
    let is_big = mail.text.len() >= MAX_BYTES && !matches!(&*row.kind, "answer" | "confirm");
    if is_big { Err(format!("has {} bytes", mail.text.len())) } else { Ok(()) }
}

/// The header `To` has the name of the player to whom the mail goes.
fn names_its_reader(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let Some(player) = row.player.filter(|_| row.address.is_none()) else { return Ok(()) };
    let to = mail.field("To").unwrap_or_default();
    let mut names = [change.before, change.after].into_iter().map(|it| name_of(it, player));
    let shown = to.split(" <").next().map(|it| it.trim_matches('"'));
    match names.any(|name| name.is_none() || name == shown) {
        true => Ok(()),
        false => Err(format!("goes to {to:?}, not to {:?}", name_of(change.after, player))),
    }
}

/// The header `Auto-Submitted` says of a reply that it is one, and of no other mail (RFC 3834).
fn says_whether_it_is_a_reply(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let of_row = change.after.columns_of("outbox", row.id, ["is_reply"]).next();
    let is_reply = of_row.is_some_and(|[it]| it == Some("1"));
    let submitted = mail.field("Auto-Submitted").unwrap_or_default();
    match submitted == if is_reply { "auto-replied" } else { "auto-generated" } {
        true => Ok(()),
        false => Err(format!("is a reply: {is_reply}, and says {submitted:?}")),
    }
}

/// Returns the games that a text lists: the number of each, and the line about it, joined again. The board of one
/// can come below.
pub(super) fn listed(text: &str) -> Vec<(i64, String)> {
    let paragraphs = text.split("\n\n").filter_map(|paragraph| {
        let line = paragraph.lines().skip_while(|it| !it.starts_with("Game "));
        let line = flat(&line.collect::<Vec<_>>().join(" "));
        let (id, _) = line.strip_prefix("Game ")?.split_once(": ")?;
        Some((id.parse().ok()?, line))
    });
    let mut seen = BTreeSet::new();
    paragraphs.filter(|(id, _)| seen.insert(*id)).collect()
}

/// The subject of a digest has the number of games that wait; that of a reminder has the most urgent one, with its
/// opponent and the time left, and how many more wait.
fn counts_the_games(change: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    let Some(player) = row.player.filter(|_| matches!(&*row.kind, "digest" | "reminder")) else {
        return Ok(());
    };
    let parsed = MessageParser::default().parse(mail.text.as_bytes());
    let subject = parsed.as_ref().and_then(|it| it.subject()).unwrap_or_default();
    let listed = listed(mail.words());
    let is_own =
        |id: i64| Game::of(change.after, id).is_none_or(|it| it.color_of(player).is_some());
    let own: Vec<_> = listed.iter().map(|(id, _)| *id).filter(|id| is_own(*id)).collect();
    let watched = listed.len() - own.len();
    let expected = match (&*row.kind, own.len()) {
        ("digest", 0) if watched == 1 => "Moves in 1 game that you are watching".to_owned(),
        ("digest", 0) => format!("Moves in {watched} games that you are watching"),
        ("digest", 1) => "1 game waits for you".to_owned(),
        ("digest", count) => format!("{count} games wait for you"),
        (_, count) => return reminds_of(change, row, player, subject, (count, own.first())),
    };
    if subject == expected { Ok(()) } else { Err(format!("{subject:?}, not {expected:?}")) }
}

fn reminds_of(
    change: &Change,
    row: &Mail,
    player: i64,
    subject: &str,
    (count, first): (usize, Option<&i64>),
) -> Result<(), String> {
    let Some((left, rest)) = subject.split_once(" left in game ") else {
        return Err(format!("has the subject {subject:?}"));
    };
    let (id, rest) = rest.split_once(" against ").unwrap_or((rest, ""));
    let Some(game) = number(Some(id)).and_then(|id| Game::of(change.after, id)) else {
        return Ok(());
    };
    let opponent = game.color_of(player).and_then(|color| game.opponent(color));
    let opponent = opponent.and_then(|it| name_of(change.after, it));
    let more = match count.saturating_sub(1) {
        0 => String::new(),
        1 => ", and 1 more waits".to_owned(),
        more => format!(", and {more} more wait"),
    };
    let is_named = opponent.is_none_or(|it| rest.starts_with(it)) && rest.ends_with(&more);
    if !is_named || first.is_some_and(|it| *it != game.id) {
        return Err(format!("{subject:?} is not about {first:?} against {opponent:?}{more}"));
    }
    let deadline = |tables: &tables::Tables| {
        let row = tables.columns_of("game", game.id, ["deadline"]).next();
        row.and_then(|[deadline]| tables::deadline(deadline))
    };
    let (was, deadline) = (deadline(change.before), deadline(change.after));
    let is_first = row.is_tried_first(change) && was == deadline;
    let (Some(deadline), true) = (deadline, is_first) else { return Ok(()) };
    let (shown, unit) = left.split_once(' ').unwrap_or_default();
    let unit = UNITS.iter().find(|it| unit.starts_with(it.0)).map(|it| it.1);
    let (Some(shown), Some(unit)) = (number(Some(shown)), unit) else { return Ok(()) };
    match deadline - change.now.timestamp() - shown * unit {
        off if off.abs() <= unit => Ok(()),
        off => Err(format!("{subject:?} is wrong by {off} seconds")),
    }
}

/// The table of the HTML part has the games that the text lists: each with its opponent, the colour of that one,
/// its title and the time left.
fn lists_the_same_twice(_: &Change, mail: &Accepted, row: &Mail) -> Result<(), String> {
    if !matches!(&*row.kind, "digest" | "reminder") {
        return Ok(());
    }
    let [text, html] = mailer::parts(mail);
    let html = bare(&pages::texts(&html).join(" "));
    for (id, line) in listed(&text) {
        let Some((about, left)) = line.split_once(", against ") else { continue };
        let (title, Some((opponent, rest))) =
            (about.split_once(": ").unwrap_or_default().1, left.split_once(')'))
        else {
            continue;
        };
        let left = rest.split_once(" left").and_then(|(it, _)| it.strip_prefix(", "));
        let cells = bare(&format!("{id} {opponent} {title} {}", left.unwrap_or_default()));
        if !html.contains(&cells) {
            return Err(format!("the HTML part lacks {line:?}"));
        }
    }
    Ok(())
}

impl Letter<'_> {
    /// A mail names the colour of its reader and of the opponent, and the number of the next move.
    pub fn says_who_is_who(&self) -> Result<(), String> {
        let text = flat(&self.text);
        let word = |color: &str| if color == "b" { "black" } else { "white" };
        let named = text.split_once("You are ").and_then(|(_, it)| it.split_once(" ("));
        let named = named.map(|it| it.0).filter(|it| matches!(*it, "black" | "white"));
        let own = self.color.map(word);
        if named.is_some() && named != own {
            return Err(format!("says that its reader is {named:?}, not {own:?}"));
        }
        let (Some(own), true) = (own, self.row.kind == "turn") else { return Ok(()) };
        let next = self.replayed.plies.len() + 1;
        let lead = format!("Move number {next} of game {}. You are {own} (", self.game.id);
        if text.contains(&lead) { Ok(()) } else { Err(format!("has not {lead:?}")) }
    }

    /// The link to the page of a game says what its reader can do there, and is in no mail to somebody else or about
    /// another game.
    pub fn has_the_link_of_its_reader(&self) -> Result<(), String> {
        let mut lines = self.text.lines().skip_while(|it| !it.ends_with(" in a browser:"));
        let Some(label) = lines.next() else { return Ok(()) };
        let expected = match self.color {
            None => "Follow the game",
            Some(_) if self.replayed.result().is_none() => "Play",
            Some(_) => "See the game",
        };
        if label != format!("{expected} in a browser:") {
            return Err(format!("{label:?} is not {expected:?}"));
        }
        let Some(link) = lines.find_map(|it| it.strip_prefix("  ")) else {
            return Err("has no link".to_owned());
        };
        let name = |mail: &Accepted| {
            mail.field("To").and_then(|to| Some(to.split_once(" <")?.0.to_owned()))
        };
        let of_game = |mail: &Accepted| {
            let subject = mail.field("Subject")?;
            Some(subject.split_once(" #")?.1.split(' ').next()?.to_owned())
        };
        let (own_name, own_game) = (name(self.mail), of_game(self.mail));
        let is_other = |it: &&Accepted| {
            let is_of_other = it.to != self.mail.to && name(it) != own_name;
            let game = of_game(it);
            is_of_other || game.is_some() && own_game.is_some() && game != own_game
        };
        let earlier = &self.change.accepted[..self.change.accepted_before];
        let link = Finder::new(link);
        let mut same = earlier.iter().filter(|it| link.find(it.text.as_bytes()).is_some());
        match same.find(is_other) {
            Some(other) => Err(format!("has the link of {} to {}", other.id, other.to)),
            None => Ok(()),
        }
    }
}
