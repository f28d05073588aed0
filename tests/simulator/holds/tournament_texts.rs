//! What mails about tournaments say is true when they are first tried: docs/tournaments.md and docs/mail.md.

use super::mail_texts::flat;
use super::rows::{Mail, name_of, of_new_mails};
use super::scores::{Division, Row, shown_brightwell, shown_points};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::tables::{Tables, number};

/// A mail about the start, a round or the end of a tournament, as its reader sees it.
struct Read<'a> {
    text: &'a str,
    flat: &'a str,
    player: i64,
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
        let read = Read { text: &text, flat: &flat(&text), player };
        let wrong = [change.after, change.before].map(|tables| read.wrong(tables));
        if let [Some(wrong), Some(_)] = wrong {
            let found = format!("{} to player {player}: {wrong}: {text}", mail.id);
            return violated("tournament_mails_say_what_is_true", found);
        }
    }
    Ok(())
}

impl Read<'_> {
    /// Returns what is wrong if the tables are these.
    fn wrong(&self, tables: &Tables) -> Option<String> {
        for [id, name, format, season] in
            tables.columns("tournament", ["id", "name", "format", "season"])
        {
            let (id, name, season) = (number(id)?, name?, number(season)?);
            let is_league = format == Some("league");
            let title = match is_league {
                true => format!("Season {season} of the league {name}"),
                false => format!("The tournament {name}"),
            };
            let says = |what: &str| self.flat.contains(&format!("{title} {what}."));
            let divisions = Division::all(tables, id, season);
            let own =
                divisions.iter().find(|it| it.entrants.iter().any(|it| it.player == self.player));
            let of_round = format!("of the tournament {name} has started.");
            if says("has started") || self.flat.contains(&of_round) {
                let Some(own) = own else { return Some("a stranger".to_owned()) };
                return match own.is_swiss {
                    true => self.wrong_round(tables, own),
                    false => {
                        self.wrong_opponents(tables, own, is_league.then_some(divisions.len()))
                    }
                };
            }
            if says("is over") {
                let Some(own) = own else { return Some("a stranger".to_owned()) };
                return self.wrong_table(tables, own, is_league);
            }
        }
        None
    }

    /// Returns whether the words of a line begin with these.
    fn has_line(&self, cells: &[String]) -> bool {
        self.text.lines().any(|line| {
            let words: Vec<_> = line.split_whitespace().collect();
            words.len() >= cells.len() && words.iter().zip(cells).all(|(it, cell)| it == cell)
        })
    }

    fn wrong_opponents(
        &self,
        tables: &Tables,
        own: &Division,
        divisions: Option<usize>,
    ) -> Option<String> {
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
        let division = divisions.map(|all| format!(" in division {} of {all}", own.number));
        let expected = format!("You play {} {games}{}", lines.len(), division.unwrap_or_default());
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
            None => format!("In round {round} you have no opponent."),
        };
        (!self.flat.contains(&expected)).then(|| format!("{expected:?} is missing"))
    }

    fn wrong_table(&self, tables: &Tables, own: &Division, is_league: bool) -> Option<String> {
        let table = own.table();
        if !own.has_even_board() {
            return None;
        }
        let cells = |row: &Row| {
            let place = row.place.map(|place| place.to_string());
            let name = name_of(tables, row.player).unwrap_or_default().to_owned();
            let numbers = [row.games.to_string(), shown_points(row.points), shown_brightwell(row)];
            let all = place.into_iter().chain([name]).chain(numbers);
            all.chain([row.discs.to_string()]).collect::<Vec<_>>()
        };
        let lines: Vec<_> = table.iter().map(cells).collect();
        if let Some(line) = lines.iter().find(|line| !self.has_line(line)) {
            return Some(format!("{line:?} is missing"));
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
