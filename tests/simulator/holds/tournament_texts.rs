//! What mails about tournaments say is true when they are first tried: docs/tournaments.md and docs/mail.md.

use std::collections::BTreeSet;

use super::list_rows::zone_of;
use super::mail_texts::{flat, plain};
use super::rows::{Mail, name_of, of_new_mails};
use super::scores::Division;
use super::tournament_tables::{Cup, shown};
use super::tournaments::MAX_AT_ONCE;
use super::{Change, schedules, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::server::Accepted;
use crate::simulator::tables::{Tables, number};

/// Stands below the first paragraph of a mail.
const ABOVE: &str = "---- Answer above this line ----";

/// A mail about the start, a round or the end of a tournament, as its reader sees it.
struct Read<'a> {
    text: &'a str,
    flat: &'a str,
    player: i64,
    /// Why a tournament that does not take place was cancelled, if that is known.
    why_not: &'static str,
}

/// The mail about the start names the opponents, that about a round the opponent, and that about the end has the
/// table and the place of the reader.
pub fn tournament_mails_say_what_is_true(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    for (mail, row) in of_new_mails(change) {
        let was_tried = Mail::of(change.before, row.id).is_some_and(|it| it.first_try_at.is_some());
        let is_first = !was_tried && row.first_try_at == Some(change.now.timestamp());
        let Some(player) = row.player.filter(|_| row.kind == "tournament" && is_first) else {
            continue;
        };
        let [text, _] = mailer::parts(mail);
        let is_new = Mail::of(change.before, row.id).is_none();
        let why_not = match change.words[0].as_str() {
            "tournament" if is_new => "The host has cancelled it.",
            "send" if is_new => "Fewer than three have joined it.",
            _ => "",
        };
        let read = Read { text: &text, flat: &plain(&text.replace(ABOVE, "")), player, why_not };
        let wrong = [change.after, change.before].map(|tables| read.wrong(tables));
        if let [Some(wrong), Some(_)] = wrong {
            let found = format!("{} to player {player}: {wrong}: {text}", mail.id);
            return violated("tournament_mails_say_what_is_true", found);
        }
        if let Some(line) = told_again(change, mail, player) {
            let found = format!("{} to player {player}: {line:?} was told before", mail.id);
            return violated("tournaments_are_told_once", found);
        }
    }
    Ok(())
}

/// Returns the line of a mail that says that something has started or is over if another mail to its reader said so.
fn told_again(change: &Change, mail: &Accepted, player: i64) -> Option<String> {
    let lines = |mail: &Accepted| {
        let [text, _] = mailer::parts(mail);
        let lines = text.lines().map(|it| it.trim().to_owned());
        let says = |it: &String| it.ends_with(" has started.") || it.ends_with(" is over.");
        lines.filter(says).collect::<Vec<_>>()
    };
    let line = lines(mail).into_iter().next()?;
    // What was lost with a restored backup is told again.
    let rows = change.after.columns("outbox", ["message_id", "kind", "player"]);
    let known: BTreeSet<_> = rows
        .filter(|row| row[1] == Some("tournament") && number(row[2]) == Some(player))
        .filter_map(|[id, ..]| id)
        .collect();
    let others = change.accepted.iter().filter(|it| it.id != mail.id && known.contains(&*it.id));
    let mut others = others.filter(|it| lines(it).contains(&line));
    others.next().map(|_| line)
}

impl Read<'_> {
    /// Returns what is wrong if the tables are these.
    fn wrong(&self, tables: &Tables) -> Option<String> {
        for [id] in tables.columns("tournament", ["id"]) {
            let cup = Cup::of(tables, number(id)?)?;
            let title = match cup.is_league() {
                true => format!("Season {} of the league {}", cup.season, cup.name),
                false => format!("The tournament {}", cup.name),
            };
            let says = |what: &str| self.flat.contains(&format!("{title} {what}."));
            let of_round = format!("of the tournament {} has started.", cup.name);
            let is_round = self.flat.contains(&of_round);
            let own = cup.of_player(self.player);
            if says("has started") || is_round {
                let Some(own) = own else { return Some("a stranger".to_owned()) };
                let wrong = match own.is_swiss {
                    true => self.wrong_round(tables, own),
                    false => self.wrong_opponents(&cup, own),
                };
                return wrong.or_else(|| match is_round {
                    true if own.has_even_board() => self.lacks_row(cup.table(own)),
                    true => None,
                    false => self.lacks(cup.facts().unwrap_or_default()),
                });
            }
            if says("is over") {
                let Some(own) = own else { return Some("a stranger".to_owned()) };
                return self.wrong_table(&cup, own).or_else(|| self.wrong_next(&cup, own));
            }
            if let Some(wrong) = self.wrong_notice(&cup) {
                return Some(wrong);
            }
        }
        None
    }

    /// Returns the first of some sentences that is missing.
    fn lacks(&self, sentences: Vec<String>) -> Option<String> {
        let missing = sentences.into_iter().find(|it| !self.flat.contains(&flat(it)));
        missing.map(|it| format!("{it:?} is missing"))
    }

    /// Returns the first of the rows of a table that no line has.
    fn lacks_row(&self, rows: Vec<String>) -> Option<String> {
        // A remark can be wrapped.
        let cells = |row: &String| {
            let row = row.split(" withdrawn").next().unwrap_or_default();
            row.split(' ').map(str::to_owned).collect::<Vec<_>>()
        };
        let missing = rows.into_iter().find(|row| !self.has_line(&cells(row)));
        missing.map(|it| format!("{it:?} is missing"))
    }

    /// Returns what is wrong with a mail that a start is put off, that the reader is out, or that nothing comes of it.
    fn wrong_notice(&self, cup: &Cup) -> Option<String> {
        const NO_GAMES: &str = "Your games in it that are not over are lost.";
        let (name, joined) = (cup.name, cup.joined().len());
        let is_waiting = cup.state == "open" && cup.joined().contains(&self.player);
        let later =
            cup.starts_at.map(|at| shown(zone_of(cup.tables, &self.player.to_string()), at));
        let later = format!("It starts on {}.", later.unwrap_or_default());
        let needs = format!("It needs three players and has {joined}.");
        let rests = "The next season starts on the first Monday with three.";
        let again = format!("With join {name} you play in the next season.");
        let (is_first, is_league) = (cup.season == 0, cup.is_league());
        let notices = [
            (
                format!("The tournament {name} starts later."),
                is_waiting && is_first,
                format!("{needs} {later}"),
            ),
            (
                format!("The league {name} rests."),
                is_waiting && !is_first,
                format!("{needs} {rests}"),
            ),
            (
                format!("You are out of the tournament {name} after losing on time."),
                !is_league,
                NO_GAMES.to_owned(),
            ),
            (
                format!("You are out of the league {name} after losing on time."),
                is_league,
                format!("{NO_GAMES} {again}"),
            ),
            (
                format!("The tournament {name} does not take place."),
                cup.state == "cancelled",
                self.why_not.to_owned(),
            ),
            (
                format!("The league {name} has no more seasons."),
                is_league && cup.state == "finished",
                "The host has ended it.".to_owned(),
            ),
        ];
        let found = notices.into_iter().find(|(begin, ..)| self.flat.contains(begin));
        let (begin, is_true, rest) = found?;
        match is_true && self.flat.contains(format!("{begin} {rest}").trim_end()) {
            true => None,
            false => Some(format!("{begin:?} is {is_true}, and goes on with {rest:?}")),
        }
    }

    /// Returns what is wrong about the next season of a league: when it starts, whether the reader plays in it, and
    /// in which division.
    fn wrong_next(&self, cup: &Cup, own: &Division) -> Option<String> {
        let (name, next) = (cup.name, cup.season + 1);
        let begin = format!("Season {next} starts on ");
        let (is_next, joined) = (cup.is_league() && cup.state == "open", cup.joined());
        let has_joined = joined.contains(&self.player);
        if !is_next {
            return self
                .flat
                .contains(&begin)
                .then(|| format!("{begin:?}, and it is {}", cup.state));
        }
        let when = cup.when_next(zone_of(cup.tables, &self.player.to_string()))?;
        let plays = match has_joined {
            true => format!("You play in it unless you withdraw {name} before."),
            false => format!("You do not play in it unless you join {name}."),
        };
        let mut expected = vec![format!("Season {next} {when}. {plays}")];
        let joined: BTreeSet<_> = joined.into_iter().collect();
        let stay = schedules::those_who_stay(cup.tables, cup.id, cup.season, &joined);
        let division = schedules::division_at(cup.tables, cup.id, joined.len(), |at| {
            stay.get(at) == Some(&self.player)
        });
        let moves = match division.filter(|it| *it != own.number) {
            Some(division) if division < own.number => {
                format!("You move up to division {division}.")
            }
            Some(division) => format!("You move down to division {division}."),
            None => String::new(),
        };
        if moves.is_empty() && self.flat.contains("You move ") {
            return Some("the reader stays in the division".to_owned());
        }
        expected.push(moves);
        self.lacks(expected)
    }

    /// Returns whether the words of a line begin with these.
    fn has_line(&self, cells: &[String]) -> bool {
        self.text.lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words.len() >= cells.len() && words.iter().zip(cells).all(|(it, cell)| it == cell)
        })
    }

    fn wrong_opponents(&self, cup: &Cup, own: &Division) -> Option<String> {
        let tables = cup.tables;
        let games = own.fixtures.iter().filter(|it| it.players.contains(&self.player));
        let lines: Vec<_> = games
            .filter_map(|it| {
                let is_black = it.players[0] == self.player;
                let opponent = name_of(tables, it.players[usize::from(is_black)])?;
                let color = if is_black { "black" } else { "white" };
                Some([it.round.to_string(), opponent.to_owned(), color.to_owned()])
            })
            .collect();
        if let Some(line) = lines.iter().find(|line| !self.has_line(*line)) {
            return Some(format!("{line:?} is missing"));
        }
        let games = if lines.len() == 1 { "game" } else { "games" };
        let all = cup.divisions.len();
        let division = cup.is_league().then(|| format!(" in division {} of {all}", own.number));
        let at_once = if lines.len() > MAX_AT_ONCE { ", at most 4 at once" } else { "" };
        let (count, division) = (lines.len(), division.unwrap_or_default());
        let expected =
            format!("You play {count} {games}{division}{at_once}. Each begins by itself");
        (!self.flat.contains(&expected)).then(|| format!("{expected:?} is missing"))
    }

    fn wrong_round(&self, tables: &Tables, own: &Division) -> Option<String> {
        let round = own.fixtures.iter().map(|it| it.round).max()?;
        let mut games = own.fixtures.iter().filter(|it| it.round == round);
        let expected = match games.find(|it| it.players.contains(&self.player)) {
            Some(it) => {
                let is_black = it.players[0] == self.player;
                let opponent = name_of(tables, it.players[usize::from(is_black)])?;
                let color = if is_black { "black" } else { "white" };
                format!("In round {round} you play {opponent}, and you are {color}.")
            }
            None => {
                format!(
                    "In round {round} you have no opponent. That counts as a win without a game."
                )
            }
        };
        (!self.flat.contains(&expected)).then(|| format!("{expected:?} is missing"))
    }

    fn wrong_table(&self, cup: &Cup, own: &Division) -> Option<String> {
        let (table, is_league) = (own.table(), cup.is_league());
        if !own.has_even_board() {
            return None;
        }
        if let Some(missing) = self.lacks_row(cup.table(own)) {
            return Some(missing);
        }
        let row = table.iter().find(|row| row.player == self.player);
        let winners = own.winners();
        let place = row.filter(|row| !row.withdrawn).and_then(|row| row.place);
        let Some(place) = place else {
            let expected = "You have not played it to the end.";
            return (!self.flat.contains(expected)).then(|| format!("{expected:?} is missing"));
        };
        let expected = match (winners.contains(&self.player), is_league) {
            (true, true) if own.number == 1 => "You are the champion.".to_owned(),
            (_, true) => {
                format!("Your place is {place} of {} in division {}.", table.len(), own.number)
            }
            (true, false) if winners.len() == 1 => "You have won it.".to_owned(),
            (true, false) => "You share the first place.".to_owned(),
            (false, false) => format!("Your place is {place} of {}.", table.len()),
        };
        (!self.flat.contains(&expected)).then(|| format!("{expected:?} is missing"))
    }
}
