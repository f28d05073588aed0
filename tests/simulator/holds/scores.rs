//! The table of a tournament, calculated again from its games as `docs/tournaments.md` says.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rows::name_of;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::replay::counts;
use crate::simulator::tables::{Tables, number};

/// The squares that count on the hex lattice.
const HEX_SQUARES: i64 = 64;
/// How many parts of a disc are counted: half of an odd board and all steps of a Brightwell quotient are whole.
const PARTS: i64 = 128;
/// The most champions that a league lists.
const MAX_CHAMPIONS: usize = 20;

/// What a player has of a game: half points and discs.
type Share = (i64, i64);

/// What a game means for the table: the half points and the discs of black and white.
#[derive(Debug, Clone, Copy)]
pub enum Verdict {
    Open,
    Counts([i64; 2], [i64; 2]),
    /// It counts for nobody.
    Void,
}

/// A game of a division.
pub struct Fixture {
    pub round: i64,
    pub players: [i64; 2],
    pub game: Option<i64>,
    pub verdict: Verdict,
}

/// A player of a division.
pub struct Entrant {
    pub player: i64,
    pub bye: Option<i64>,
    /// How many games were over when the player withdrew.
    pub withdrawn: Option<i64>,
}

/// A division of a season.
pub struct Division {
    pub number: i64,
    pub entrants: Vec<Entrant>,
    pub fixtures: Vec<Fixture>,
    pub is_swiss: bool,
    is_league: bool,
    squares: i64,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub struct Row {
    pub player: i64,
    pub place: Option<i64>,
    pub games: usize,
    /// In half points.
    pub points: i64,
    /// In parts of a disc.
    pub brightwell: i64,
    /// In discs.
    pub discs: i64,
    pub withdrawn: bool,
}

impl Row {
    fn merit(&self, is_removed: bool) -> (bool, i64, i64, i64) {
        (!is_removed, self.points, self.brightwell, self.discs)
    }
}

impl Division {
    /// Returns the divisions of a season of a tournament; one outside of leagues.
    pub fn all(tables: &Tables, tournament: i64, season: i64) -> Vec<Self> {
        let names = ["format", "board_rows", "board_columns", "misere"];
        let Some([format, rows, columns, misere]) =
            tables.columns_of("tournament", tournament, names).next()
        else {
            return Vec::new();
        };
        let squares = number(rows).zip(number(columns)).map_or(HEX_SQUARES, |it| it.0 * it.1);
        let names = ["season", "division", "number", "player", "bye", "withdrawn"];
        let mut entrants: BTreeMap<i64, BTreeMap<i64, Entrant>> = BTreeMap::new();
        for [of, division, at, player, bye, withdrawn] in
            tables.columns_of("entrant", tournament, names)
        {
            let place = number(division).zip(number(at)).filter(|_| number(of) == Some(season));
            let Some(((division, at), player)) = place.zip(number(player)) else { continue };
            let entrant = Entrant { player, bye: number(bye), withdrawn: number(withdrawn) };
            entrants.entry(division).or_default().insert(at, entrant);
        }
        let divisions = entrants.into_iter().map(|(number, entrants)| {
            let entrants: Vec<_> = entrants.into_values().collect();
            let place = [tournament, season, number];
            Self {
                number,
                fixtures: fixtures(tables, place, &entrants, (squares, misere == Some("1"))),
                entrants,
                is_swiss: format == Some("swiss"),
                is_league: format == Some("league"),
                squares,
            }
        });
        divisions.collect()
    }

    /// Returns whether half of the squares are a number of discs.
    pub const fn has_even_board(&self) -> bool {
        self.squares % 2 == 0
    }

    fn of(&self, player: i64) -> impl Iterator<Item = &Fixture> {
        self.fixtures.iter().filter(move |it| it.players.contains(&player))
    }

    /// Returns whether a player withdrew so early that the results have left the table.
    pub fn is_removed(&self, player: i64) -> bool {
        let entrant = self.entrants.iter().find(|it| it.player == player);
        let scheduled = i64::try_from(self.of(player).count()).unwrap_or_default();
        let is_early = |ended: i64| 2 * ended < scheduled;
        !self.is_swiss && entrant.and_then(|it| it.withdrawn).is_some_and(is_early)
    }

    /// Returns the opponents of a player in the games of the table, with the half points and the discs in them.
    fn results(&self, player: i64) -> Vec<(Option<i64>, Option<Share>)> {
        let round = self.fixtures.iter().map(|it| it.round).max();
        let is_over = self.fixtures.iter().all(|it| !matches!(it.verdict, Verdict::Open));
        let in_table = |it: &&Fixture| !it.players.into_iter().any(|it| self.is_removed(it));
        let games = self.of(player).filter(in_table).filter_map(|it| {
            let own = usize::from(it.players[1] == player);
            let shares = match it.verdict {
                Verdict::Open => return None,
                Verdict::Void => None,
                Verdict::Counts(points, discs) => Some((points[own], discs[own])),
            };
            Some((Some(it.players[1 - own]), shares))
        });
        let mut results: Vec<_> = games.collect();
        let entrant = self.entrants.iter().find(|it| it.player == player);
        // A bye counts when the others have played.
        if entrant.and_then(|it| it.bye).is_some_and(|bye| Some(bye) < round || is_over) {
            results.push((None, Some((2, self.squares / 2 + 2))));
        }
        results
    }

    pub fn points(&self, player: i64) -> i64 {
        self.results(player).into_iter().filter_map(|(_, it)| it).map(|(points, _)| points).sum()
    }

    fn row(&self, entrant: &Entrant) -> Row {
        let results = self.results(entrant.player);
        let counted = || results.iter().filter_map(|(_, share)| *share);
        let points = counted().map(|(points, _)| points).sum();
        let has_withdrawn = |player: i64| {
            self.entrants.iter().any(|it| it.player == player && it.withdrawn.is_some())
        };
        // 6·S/64 discs for each point.
        let weight = |half_points: i64| half_points * 3 * self.squares * PARTS / 64;
        let brightwell = results.iter().map(|(opponent, share)| match (opponent, share) {
            (Some(opponent), Some((_, discs))) if !has_withdrawn(*opponent) => {
                discs * PARTS + weight(self.points(*opponent))
            }
            _ => self.squares * PARTS / 2 + weight(points),
        });
        Row {
            player: entrant.player,
            place: None,
            games: counted().count(),
            points,
            brightwell: brightwell.sum(),
            discs: counted().map(|(_, discs)| discs).sum(),
            withdrawn: entrant.withdrawn.is_some(),
        }
    }

    /// Returns the table, the first player first.
    pub fn table(&self) -> Vec<Row> {
        let mut rows: Vec<_> = self.entrants.iter().map(|it| self.row(it)).collect();
        let merit = |row: &Row| row.merit(self.is_removed(row.player));
        rows.sort_by_key(|row| Reverse(merit(row)));
        let mut place = 1;
        for equal in rows.chunk_by_mut(|one, other| merit(one) == merit(other)) {
            self.set_places(equal, place);
            place += i64::try_from(equal.len()).unwrap_or_default();
        }
        if self.is_league {
            // The order at the start of the season decides.
            (1..).zip(&mut rows).for_each(|(at, row)| row.place = row.place.map(|_| at));
        }
        rows
    }

    /// Puts players who are equal in the order of their games against each other.
    fn set_places(&self, rows: &mut [Row], mut place: i64) {
        let equal: BTreeSet<_> = rows.iter().map(|row| row.player).collect();
        let direct = |row: &Row| -> i64 {
            let own = self.results(row.player).into_iter();
            let among = own.filter(|(other, _)| other.is_some_and(|it| equal.contains(&it)));
            among.filter_map(|(_, share)| share).map(|(points, _)| points).sum()
        };
        rows.sort_by_key(|row| Reverse(direct(row)));
        for same in rows.chunk_by_mut(|one, other| direct(one) == direct(other)) {
            if same.len() < equal.len() {
                self.set_places(same, place);
            } else {
                let removed: Vec<_> = same.iter().map(|row| self.is_removed(row.player)).collect();
                for (row, is_removed) in same.iter_mut().zip(removed) {
                    row.place = (!is_removed).then_some(place);
                }
            }
            place += i64::try_from(same.len()).unwrap_or_default();
        }
    }

    /// Returns those who win if this is the last table: the first ones who have not withdrawn.
    pub fn winners(&self) -> Vec<i64> {
        let table = self.table();
        let active = || table.iter().filter(|row| !row.withdrawn);
        let first = active().find_map(|row| row.place);
        active().filter(|row| row.place == first).map(|row| row.player).collect()
    }
}

/// Returns the games of a division in the order of the schedule.
fn fixtures(
    tables: &Tables,
    [tournament, season, division]: [i64; 3],
    entrants: &[Entrant],
    board: (i64, bool),
) -> Vec<Fixture> {
    let names = ["season", "division", "round", "black", "white", "game"];
    let rows = tables.columns_of("pairing", tournament, names);
    let own =
        rows.filter(|[of, at, ..]| [number(*of), number(*at)] == [Some(season), Some(division)]);
    let fixture = |[_, _, round, black, white, game]: [Option<&str>; 6]| {
        let players = [number(black)?, number(white)?];
        let has_withdrawn = players
            .map(|player| entrants.iter().any(|it| it.player == player && it.withdrawn.is_some()));
        let least = board.0 / 2 + 2;
        let walkover = |winner: usize| {
            let (points, discs) = ([2, 0], [least, board.0 - least]);
            Verdict::Counts(
                [points[winner], points[1 - winner]],
                [discs[winner], discs[1 - winner]],
            )
        };
        let verdict = match (number(game), has_withdrawn) {
            (Some(game), _) => of_game(tables, game, board)?,
            (None, [false, false]) => Verdict::Open,
            (None, [false, true]) => walkover(0),
            (None, [true, false]) => walkover(1),
            (None, [true, true]) => Verdict::Void,
        };
        Some(Fixture { round: number(round)?, players, game: number(game), verdict })
    };
    own.filter_map(fixture).collect()
}

/// Returns what a game means, on a board with so many squares, in misère or not.
fn of_game(tables: &Tables, game: i64, (squares, is_misere): (i64, bool)) -> Option<Verdict> {
    let names = ["turn", "reason", "winner", "black_discs", "white_discs"];
    let [turn, reason, winner, discs @ ..] = tables.columns_of("game", game, names).next()?;
    if turn.is_some() {
        return Some(Verdict::Open);
    }
    if !counts(reason?) {
        return Some(Verdict::Void);
    }
    let mut discs = discs.map(|it| number(it).unwrap_or_default());
    if is_misere {
        discs.swap(0, 1);
    }
    let Some(winner) = winner.map(|winner| usize::from(winner == "white")) else {
        return Some(Verdict::Counts([1, 1], [squares / 2; 2]));
    };
    let mut points = [0, 0];
    points[winner] = 2;
    // The empty squares are the winner's.
    discs[winner] += squares - discs[0] - discs[1];
    if reason != Some("discs") {
        discs[winner] = discs[winner].max(squares / 2 + 2);
    }
    discs[1 - winner] = squares - discs[winner];
    Some(Verdict::Counts(points, discs))
}

/// Returns points as people read them.
pub fn shown_points(halves: i64) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// Returns what `tournament` must print of a division.
fn players_of(tables: &Tables, division: &Division) -> Vec<Value> {
    let shown = |row: Row| {
        let bye = division.entrants.iter().find(|it| it.player == row.player).and_then(|it| it.bye);
        json!({
            "player": name_of(tables, row.player), "division": division.number, "place": row.place,
            "games": row.games, "points": row.points as f64 / 2.0,
            "brightwell": row.brightwell as f64 / PARTS as f64, "discs": row.discs as f64,
            "bye": bye, "withdrawn": row.withdrawn,
        })
    };
    division.table().into_iter().map(shown).collect()
}

/// Returns the word of the result of a game.
fn result(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Open => None,
        Verdict::Counts([2, _], _) => Some("black"),
        Verdict::Counts([0, _], _) => Some("white"),
        Verdict::Counts(..) => Some("draw"),
        Verdict::Void => Some("none"),
    }
}

fn games_of(tables: &Tables, division: &Division) -> Vec<Value> {
    let shown = |it: &Fixture| {
        let [black, white] = it.players.map(|player| name_of(tables, player));
        json!({
            "division": division.number, "round": it.round, "game": it.game, "black": black,
            "white": white, "result": result(it.verdict),
        })
    };
    division.fixtures.iter().map(shown).collect()
}

/// Returns the names of those who play in a season, sorted.
fn names_in(tables: &Tables, tournament: i64, season: i64) -> Vec<String> {
    let rows = tables.columns_of("entrant", tournament, ["season", "player"]);
    let own = rows.filter(|[of, _]| number(*of) == Some(season));
    let names = own.filter_map(|[_, player]| name_of(tables, number(player)?));
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

/// `tournament` shows the table and the games that follow from the games of the last season that has begun.
pub fn tournament_shows_what_follows(tables: &Tables, id: i64, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "tournament_shows_what_follows";
    let names = ["name", "format", "season", "state"];
    let Some([name, format, season, state]) = tables.columns_of("tournament", id, names).next()
    else {
        return Ok(());
    };
    let season = number(season).unwrap_or_default();
    let divisions = Division::all(tables, id, season);
    if !divisions.iter().all(Division::has_even_board) {
        return Ok(());
    }
    let shown = ran.shown();
    let mut expected = json!({
        "tournament": name, "state": state, "season": season,
        "games": divisions.iter().flat_map(|it| games_of(tables, it)).collect::<Vec<_>>(),
    });
    if season > 0 {
        let players = divisions.iter().flat_map(|it| players_of(tables, it));
        expected["players"] = players.collect();
    }
    match format {
        Some("league") => expected["champions"] = champions(tables, id, season, state),
        _ => ["next", "champions"].into_iter().for_each(|it| expected[it] = Value::Null),
    }
    for (key, value) in expected.as_object().into_iter().flatten() {
        if shown[key] != *value {
            let found = format!("{name:?}: {key} are {}, not {value}", shown[key]);
            return violated(OF, found);
        }
    }
    let next = names_in(tables, id, season + 1);
    let key = if season == 0 { "players" } else { "next" };
    let listed = shown[key].as_array().map(|listed| {
        let names = listed.iter().map(|it| it["player"].as_str().or(it.as_str()));
        let mut names: Vec<_> = names.flatten().map(str::to_owned).collect();
        names.sort_unstable();
        names
    });
    if (season == 0 || format == Some("league")) && listed.as_ref() != Some(&next) {
        return violated(OF, format!("{name:?}: {key} are {listed:?}, not {next:?}"));
    }
    Ok(())
}

/// Returns the champions of the seasons of a league that are over, the latest first.
fn champions(tables: &Tables, id: i64, season: i64, state: Option<&str>) -> Value {
    let ended = if state == Some("running") { season - 1 } else { season };
    let champion = |season: i64| {
        let first = Division::all(tables, id, season).into_iter().next()?.winners();
        let player = name_of(tables, *first.first()?)?;
        Some(json!({ "season": season, "player": player }))
    };
    (1..=ended).rev().take(MAX_CHAMPIONS).filter_map(champion).collect()
}

/// Returns the cells of a row of a table as people read it.
pub fn row_cells(tables: &Tables, row: &Row) -> Vec<String> {
    let name = name_of(tables, row.player).unwrap_or_default().to_owned();
    let place = row.place.map(|place| place.to_string());
    let numbers = [row.games.to_string(), shown_points(row.points), shown_brightwell(row)];
    let cells = place.into_iter().chain([name]).chain(numbers);
    cells.chain([row.discs.to_string()]).collect()
}

/// Returns a Brightwell quotient as people read it.
pub fn shown_brightwell(row: &Row) -> String {
    (row.brightwell as f64 / PARTS as f64).to_string()
}
