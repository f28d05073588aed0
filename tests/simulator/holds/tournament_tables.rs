//! All that `tournament` says to people: docs/tournaments.md. What is played, how far it is, who has joined, and of
//! each division the table with remarks, the crosstable and the games.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeZone as _};

use super::mail_sentences::clock_line;
use super::remarks::counted;
use super::rows::{name_of, title_with_opening};
use super::scores::{Division, Fixture, Row, Verdict, row_cells};
use super::shown::in_words_of;
use super::tournaments::MIN_PLAYERS;
use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::replay::counts;
use crate::simulator::tables::{Tables, number};

/// The most columns of a crosstable.
const MAX_COLUMNS: usize = 16;
/// The most champions of a league that are listed.
const MAX_CHAMPIONS: usize = 20;

/// A tournament as its row has it, with the divisions of the season that began last.
pub struct Cup<'a> {
    pub tables: &'a Tables,
    pub id: i64,
    pub name: &'a str,
    pub format: &'a str,
    pub state: &'a str,
    pub season: i64,
    pub starts_at: Option<i64>,
    rounds: Option<i64>,
    pub divisions: Vec<Division>,
}

/// Returns a time as sentences show it, in this zone; in an hour that comes twice, with the offset.
pub fn shown(zone: chrono_tz::Tz, at: i64) -> String {
    let local = DateTime::from_timestamp(at, 0).unwrap_or_default().with_timezone(&zone);
    let is_twice = zone.from_local_datetime(&local.naive_local()).single().is_none();
    let offset = if is_twice { local.format(", UTC%:z").to_string() } else { String::new() };
    format!("{} ({zone}{offset})", in_words_of(zone, at).unwrap_or_default())
}

impl<'a> Cup<'a> {
    pub fn of(tables: &'a Tables, id: i64) -> Option<Self> {
        let names = ["name", "format", "state", "season", "starts_at", "rounds"];
        let [name, format, state, season, starts_at, rounds] =
            tables.columns_of("tournament", id, names).next()?;
        let season = number(season)?;
        Some(Self {
            tables,
            id,
            name: name?,
            format: format?,
            state: state?,
            season,
            starts_at: number(starts_at),
            rounds: number(rounds),
            divisions: Division::all(tables, id, season),
        })
    }

    pub fn is_league(&self) -> bool {
        self.format == "league"
    }

    /// Returns a column of its row.
    fn value(&self, column: &str) -> Option<&'a str> {
        self.tables.columns_of("tournament", self.id, [column]).next()?[0]
    }

    /// Returns those who play in the next season.
    pub fn joined(&self) -> Vec<i64> {
        let rows = self.tables.columns_of("entrant", self.id, ["season", "player"]);
        let next = rows.filter(|[at, _]| number(*at) == Some(self.season + 1));
        next.filter_map(|[_, player]| number(player)).collect()
    }

    fn name_of(&self, player: i64) -> &'a str {
        name_of(self.tables, player).unwrap_or_default()
    }

    /// Returns the division of a player.
    pub fn of_player(&self, player: i64) -> Option<&Division> {
        self.divisions.iter().find(|it| it.entrants.iter().any(|it| it.player == player))
    }

    /// Returns what is played, a line for each part. What is special about the rules is left out.
    pub fn facts(&self) -> Option<Vec<String>> {
        let game = title_with_opening(self.tables, "tournament", self.id)?;
        let format = match (self.format, self.rounds) {
            ("swiss", None) => {
                "Swiss tournament; the number of rounds depends on the number of players".to_owned()
            }
            ("swiss", Some(rounds)) => {
                format!("Swiss tournament; {}", counted(rounds, "round"))
            }
            ("league", _) => {
                let [size, moved] = ["division_size", "moved"].map(|it| self.value(it));
                let (size, moved) = (size?, moved?);
                format!(
                    "league; divisions of {size}; after each season {moved} move up and {moved} down"
                )
            }
            _ if self.value("doubled") == Some("1") => {
                "round robin; each two players meet twice, with either colour".to_owned()
            }
            _ => "round robin; each two players meet once".to_owned(),
        };
        let mut facts = vec![
            format!("Game: {game}"),
            format!("Format: {format}"),
            clock_line(self.tables, "tournament", self.id)?,
        ];
        if let [Some(low), Some(high)] = ["lowest", "highest"].map(|it| self.value(it)) {
            facts.push(format!("For ratings from {low} to {high}"));
        }
        Some(facts)
    }

    /// Says when the next season of a league starts, behind its name.
    pub fn when_next(&self, zone: chrono_tz::Tz) -> Option<String> {
        let begins = format!("starts on {}", shown(zone, self.starts_at?));
        Some(match self.joined().len() >= MIN_PLAYERS {
            true => begins,
            false => format!("{begins} if {MIN_PLAYERS} players have joined by then"),
        })
    }

    /// Says how far it is.
    fn progress(&self, zone: chrono_tz::Tz) -> Option<String> {
        let joined = self.joined().len();
        let all = || self.divisions.iter().flat_map(|it| &it.fixtures);
        let over = all().filter(|it| !matches!(it.verdict, Verdict::Open)).count();
        let round = all().map(|it| it.round).max().unwrap_or(0);
        Some(match self.state {
            "open" if self.season > 0 => {
                let (next, when) = (self.season + 1, self.when_next(zone)?);
                format!("Season {next} {when}; it has {} so far", counted(joined as i64, "player"))
            }
            "open" => {
                let players =
                    format!("Open: {joined} of {} players have joined", self.value("places")?);
                match self.starts_at {
                    Some(at) => format!("{players}; it starts on {}", shown(zone, at)),
                    None => format!("{players}; it starts when all have, or earlier by the host"),
                }
            }
            "running" => {
                let of = match (self.format, self.rounds) {
                    ("swiss", Some(rounds)) => format!(", round {round} of {rounds}"),
                    ("league", _) => format!(", season {}", self.season),
                    _ => String::new(),
                };
                format!("Running{of}: {over} of {} are over", counted(all().count() as i64, "game"))
            }
            "finished" if self.rounds.is_some_and(|rounds| round < rounds) => {
                format!("Finished after round {round}")
            }
            "finished" => "Finished".to_owned(),
            _ => "Cancelled".to_owned(),
        })
    }

    /// Returns the sentences between the tables, for this reader.
    fn sentences(&self, reader: Option<i64>, zone: chrono_tz::Tz) -> Option<Vec<String>> {
        let mut facts = self.facts()?;
        facts.push(self.progress(zone)?);
        let mut sentences = vec![format!("Tournament {}", self.name), facts.join("\n")];
        let mut new = self.joined();
        new.retain(|it| self.of_player(*it).is_none());
        let mut new: Vec<_> = new.into_iter().map(|it| self.name_of(it)).collect();
        new.sort_unstable();
        if matches!(self.state, "open" | "cancelled") {
            sentences.extend(match (new.is_empty(), self.divisions.is_empty()) {
                (true, true) => Some("Nobody has joined.".to_owned()),
                (true, false) => None,
                (false, true) => Some(format!("Players: {}", new.join(", "))),
                (false, false) => Some(format!("New players: {}", new.join(", "))),
            });
        }
        let is_playing = reader.is_some_and(|it| self.of_player(it).is_some());
        for Division { number, .. } in &self.divisions {
            let of =
                if self.is_league() { format!(" of division {number}") } else { String::new() };
            sentences.extend(self.is_league().then(|| format!("Division {number}:")));
            sentences.extend((!is_playing).then(|| format!("The games{of}:")));
        }
        sentences.extend(is_playing.then(|| "Your games:".to_owned()));
        let champions = self.champions();
        if !champions.is_empty() {
            sentences.push(format!("Champions:\n{}", champions.join("\n")));
        }
        Some(sentences)
    }

    /// Returns the lines about the champions of a league, the latest first.
    fn champions(&self) -> Vec<String> {
        if !self.is_league() {
            return Vec::new();
        }
        let ended = if self.state == "running" { self.season - 1 } else { self.season };
        let champion = |season: i64| {
            let first = Division::all(self.tables, self.id, season).into_iter().next()?;
            let name = self.name_of(*first.winners().first()?);
            Some(format!("Season {season}: {name}"))
        };
        (1..=ended).rev().take(MAX_CHAMPIONS).filter_map(champion).collect()
    }

    /// Returns the tables, each with its rows, for this reader.
    fn drawn(&self, reader: Option<i64>) -> Vec<Vec<String>> {
        let own = reader.and_then(|it| self.of_player(it));
        let mut drawn = Vec::new();
        for division in &self.divisions {
            drawn.push(self.table(division));
            if own.is_none_or(|own| own.number == division.number) {
                drawn.push(self.crosstable(division));
            }
            if own.is_none() {
                drawn.push(self.schedule(division, None));
            }
        }
        drawn.extend(own.map(|own| self.schedule(own, reader)));
        drawn.retain(|rows| !rows.is_empty());
        drawn
    }

    /// Returns the rows of the table of a division.
    pub fn table(&self, division: &Division) -> Vec<String> {
        let remark = |row: &Row| match (row.withdrawn, division.is_removed(row.player)) {
            (_, true) => " withdrawn, without results",
            (true, false) => " withdrawn",
            (false, false) => "",
        };
        let row = |row: &Row| row_cells(self.tables, row).join(" ") + remark(row);
        division.table().iter().map(row).collect()
    }

    /// Returns the rows of the crosstable of a division.
    fn crosstable(&self, division: &Division) -> Vec<String> {
        let order: Vec<_> = division.table().iter().map(|row| row.player).collect();
        let round = division.fixtures.iter().map(|it| it.round).max().unwrap_or(0);
        let rounds = usize::try_from(round).unwrap_or_default();
        let columns = if division.is_swiss { rounds } else { order.len() };
        let cell = |player: i64, column: usize| match division.is_swiss {
            true => in_round(division, player, column + 1, &order),
            false if order[column] == player => "·".to_owned(),
            false => {
                let both = |it: &&Fixture| {
                    it.players.contains(&player) && it.players.contains(&order[column])
                };
                division.fixtures.iter().filter(both).map(|it| sign(it, player)).collect()
            }
        };
        let row = |(place, player): (usize, &i64)| {
            let cells = (0..columns.min(MAX_COLUMNS)).map(|column| cell(*player, column));
            let first = [place.to_string(), self.name_of(*player).to_owned()];
            let cells = first.into_iter().chain(cells).filter(|it| !it.is_empty());
            cells.collect::<Vec<_>>().join(" ")
        };
        (1..).zip(&order).map(row).collect()
    }

    /// Returns the rows of the games by rounds, those of a player or all, and of the byes.
    fn schedule(&self, division: &Division, of: Option<i64>) -> Vec<String> {
        let is_shown = |player: &i64| of.is_none_or(|of| of == *player);
        let games = division.fixtures.iter().filter(|it| it.players.iter().any(is_shown));
        let mut rows: Vec<_> = games.map(|it| (it.round, self.game(it))).collect();
        let byes = division.entrants.iter().filter(|it| is_shown(&it.player));
        let byes = byes.filter_map(|it| Some((it.bye?, it.player)));
        rows.extend(byes.map(|(round, it)| (round, format!("{round} {} bye", self.name_of(it)))));
        rows.sort_by_key(|(round, _)| *round);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    /// Returns the row of a game.
    fn game(&self, fixture: &Fixture) -> String {
        let [black, white] = fixture.players.map(|it| self.name_of(it));
        let names = ["turn", "reason", "winner", "black_discs", "white_discs"];
        let row = fixture.game.and_then(|it| self.tables.columns_of("game", it, names).next());
        let result = match (row, fixture.verdict) {
            (_, Verdict::Void) => "counts for nobody".to_owned(),
            (None, Verdict::Open) => String::new(),
            (None, Verdict::Counts([2, _], _)) => format!("{black} wins without a game"),
            (None, Verdict::Counts(..)) => format!("{white} wins without a game"),
            (Some([Some(_), ..]), _) => "under way".to_owned(),
            (Some([None, reason, winner, discs @ ..]), _) => {
                let [black_discs, white_discs] = discs.map(Option::unwrap_or_default);
                let how = match winner {
                    _ if !reason.is_some_and(counts) => return String::new(),
                    Some("black") => format!("{black} wins"),
                    Some(_) => format!("{white} wins"),
                    None => "draw".to_owned(),
                };
                format!("{how}, {black_discs}-{white_discs}")
            }
        };
        let game = fixture.game.map(|it| it.to_string());
        let cells =
            [Some(fixture.round.to_string()), game, Some(format!("{black} {white} {result}"))];
        squeezed(&cells.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

/// Returns what a player has scored in a game that is decided; empty in another one.
fn sign(fixture: &Fixture, player: i64) -> &'static str {
    let own = usize::from(fixture.players[1] == player);
    match fixture.verdict {
        Verdict::Open => "",
        Verdict::Void => "-",
        Verdict::Counts(points, _) => ["0", "½", "1"][usize::try_from(points[own]).unwrap_or(0)],
    }
}

/// Returns a player's game in a round: the row of the opponent, the own colour and the score.
fn in_round(division: &Division, player: i64, round: usize, order: &[i64]) -> String {
    let round = i64::try_from(round).unwrap_or_default();
    let mut byes = division.entrants.iter().filter(|it| it.bye == Some(round));
    if byes.any(|it| it.player == player) {
        return "bye".to_owned();
    }
    let mut games = division.fixtures.iter().filter(|it| it.round == round);
    let Some(game) = games.find(|it| it.players.contains(&player)) else { return String::new() };
    let own = usize::from(game.players[1] == player);
    let row = order.iter().position(|it| *it == game.players[1 - own]).map_or(0, |at| at + 1);
    format!("{row}{}{}", ["b", "w"][own], sign(game, player))
}

/// Returns a line with one space between its words.
fn squeezed(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What `tournament` prints for people is all that follows from the tables, and nothing else.
pub fn tournament_is_shown_as_it_stands(
    asked: &Asked,
    id: i64,
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "tournament_is_shown_as_it_stands";
    let Some(cup) = Cup::of(asked.tables, id).filter(|_| ran.status == 0) else { return Ok(()) };
    if !cup.divisions.iter().all(Division::has_even_board) {
        return Ok(());
    }
    let reader = asked.reader.and_then(|[id, _]| number(Some(id)));
    let is_known = |line: &&str| !line.starts_with("Rules: ");
    let known = |text: &String| match text.split_once("layers: ") {
        // Names can have any order.
        Some((begin, names)) => {
            let mut names: Vec<_> = names.split(", ").collect();
            names.sort_unstable();
            format!("{begin}layers: {}", names.join(", "))
        }
        None => text.lines().filter(is_known).collect::<Vec<_>>().join("\n"),
    };
    let found: Vec<_> = ran.sentences.iter().map(known).collect();
    let expected = cup.sentences(reader, asked.zone());
    if let Some(expected) = expected.filter(|it| *it != found) {
        return violated(OF, format!("{found:?}, not {expected:?}"));
    }
    // The first line has the titles.
    let rows = |drawn: &String| drawn.lines().skip(1).map(squeezed).collect::<Vec<_>>();
    let found: Vec<_> = ran.drawn.iter().map(rows).collect();
    let expected = cup.drawn(reader);
    match found == expected {
        true => Ok(()),
        false => {
            let [found_rows, rows] =
                [&found, &expected].map(|it| it.iter().flatten().collect::<BTreeSet<_>>());
            let (more, less) = (found_rows.difference(&rows), rows.difference(&found_rows));
            let (more, less): (Vec<_>, Vec<_>) = (more.collect(), less.collect());
            violated(OF, format!("{}: has {more:?}, and not {less:?}: {found:?}", cup.name))
        }
    }
}
