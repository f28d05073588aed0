//! Tournaments as commands and mails show them.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::app::Error;
use crate::app::views::challenge;
use crate::app::views::game::rules_to_json;
use crate::app::views::json::{array, json_time, merged};
use crate::app::views::reply::Reply;
use crate::app::views::season;
use crate::app::views::table::{Column, Entry, Table};
use crate::store::{Db, Error as StoreError};
use outflank_model::log::Outcome;
use outflank_model::time_control::TimeZone;
use outflank_model::tournament::{
    Entrant, Fixture, Format, Group, Pairing, Participation, Plan, Row, State, Tournament,
    TournamentState, Verdict,
};
use outflank_model::words::counted;
use outflank_model::{Opening, PlayerId};
use outflank_rules::Color;

/// The most champions of a league that are listed.
const MAX_CHAMPIONS: usize = 20;

/// A tournament with its players, games and tables.
pub(crate) struct Standing {
    pub tournament: Tournament,
    /// The number of the season.
    pub season: usize,
    /// The groups of the season: one, or the divisions of a league. None before the start.
    pub groups: Vec<Group>,
    /// The players of the next season: before the start, and in a league.
    pub joined: Vec<Entrant>,
}

impl Standing {
    /// Reads a tournament with the season that began last.
    pub(crate) fn read(db: &Db, tournament: Tournament) -> Result<Self, StoreError> {
        let season = tournament.season;
        Self::of_season(db, tournament, season)
    }

    /// Reads a tournament with this season.
    pub(crate) fn of_season(
        db: &Db,
        tournament: Tournament,
        season: usize,
    ) -> Result<Self, StoreError> {
        let id = tournament.id;
        let divisions = 1..=db.count_divisions(id, season)?;
        let groups = divisions.map(|it| season::group(db, &tournament, [season, it]));
        let groups = groups.collect::<Result<_, _>>()?;
        let joined = db.entrants(id, season + 1, None)?;
        Ok(Self { tournament, season, groups, joined })
    }

    /// Returns the group of a player, with the player's number in it; `None` for one who does not play in the
    /// season that began last.
    pub(crate) fn seat_of(&self, player: PlayerId) -> Option<(&Group, usize)> {
        self.groups.iter().find_map(|group| Some((group, group.number_of(player)?)))
    }

    /// Returns whether a player plays in the next season.
    pub(crate) fn has_joined(&self, player: PlayerId) -> bool {
        self.joined.iter().any(|entrant| entrant.player.id == player)
    }

    /// Returns whether all games so far are over.
    pub(crate) fn is_decided(&self) -> bool {
        self.groups.iter().all(Group::is_decided)
    }

    fn is_league(&self) -> bool {
        self.tournament.plan.format == Format::League
    }

    /// Returns the name of the season: `The tournament spring`, or `Season 2 of the league club`.
    pub(crate) fn title_of_season(&self) -> String {
        let Self { tournament: Tournament { plan, .. }, season, .. } = self;
        match plan.format {
            Format::League => format!("Season {season} of the league {}", plan.name),
            Format::RoundRobin | Format::Swiss => format!("The tournament {}", plan.name),
        }
    }

    /// Returns what is played in words, a line for each part.
    pub(crate) fn facts(&self) -> Vec<String> {
        let plan = &self.tournament.plan;
        let mut facts = challenge::game(&plan.agreement, plan.start.rules());
        facts.push(format!("Format: {}; {plan}", plan.format.title()));
        facts.push(challenge::clock(&plan.agreement));
        if let Some([lowest, highest]) = plan.ratings {
            facts.push(format!("For ratings from {lowest} to {highest}"));
        }
        facts
    }

    /// Says when the next season of a league starts, behind its name.
    pub(crate) fn when_next(&self, at: DateTime<Utc>, zone: TimeZone) -> String {
        let (day, min) = (zone.shown(at), Plan::MIN_PLAYERS);
        match self.joined.len() {
            joined if joined >= min => format!("starts on {day}"),
            _ => format!("starts on {day} if {min} players have joined by then"),
        }
    }

    /// Says how far the tournament is. Times are in this zone.
    fn progress(&self, zone: TimeZone) -> String {
        let Tournament { plan, state, season, .. } = &self.tournament;
        let joined = self.joined.len();
        match (state, plan.starts_at) {
            (TournamentState::Open, Some(at)) if *season > 0 => {
                let when = self.when_next(at, zone);
                format!("Season {} {when}; it has {} so far", season + 1, counted(joined, "player"))
            }
            (TournamentState::Open, at) => {
                let players = format!("{joined} of {} players have joined", plan.places);
                match at {
                    Some(at) => format!("Open: {players}; it starts on {}", zone.shown(at)),
                    None => {
                        format!("Open: {players}; it starts when all have, or earlier by the host")
                    }
                }
            }
            (TournamentState::Running, _) => {
                let fixtures = self.groups.iter().flat_map(|it| &it.fixtures).count();
                let over = |group: &Group| {
                    group.fixtures.iter().filter(|it| group.verdict(it) != Verdict::Open).count()
                };
                let over: usize = self.groups.iter().map(over).sum();
                let of = match (plan.format, plan.rounds, &self.groups[..]) {
                    (Format::Swiss, Some(rounds), [group]) => {
                        format!(", round {} of {rounds}", group.round())
                    }
                    (Format::League, ..) => format!(", season {season}"),
                    _ => String::new(),
                };
                format!("Running{of}: {over} of {} are over", counted(fixtures, "game"))
            }
            (TournamentState::Finished, _) => match &self.groups[..] {
                [group] if group.has_more_rounds() => {
                    format!("Finished after round {}", group.round())
                }
                _ => "Finished".to_owned(),
            },
            (TournamentState::Cancelled, _) => "Cancelled".to_owned(),
        }
    }

    /// Returns the reply of `tournament` for this reader.
    pub(crate) fn reply(
        &self,
        db: &Db,
        reader: Option<PlayerId>,
        zone: TimeZone,
    ) -> Result<Reply, Error> {
        let champions = self.champions(db)?;
        let head = format!("Tournament {}", self.tournament.plan.name);
        let reply = Reply::new(&self.json(&champions)).text(head);
        Ok(self.with_tables(reply, &champions, reader, zone))
    }

    /// Returns all but the name for a page.
    pub(crate) fn on_page(&self, db: &Db) -> Result<Reply, Error> {
        let champions = self.champions(db)?;
        Ok(self.with_tables(Reply::default(), &champions, None, TimeZone::default()))
    }

    fn with_tables(
        &self,
        reply: Reply,
        champions: &[(usize, String)],
        reader: Option<PlayerId>,
        zone: TimeZone,
    ) -> Reply {
        let facts = [self.facts(), vec![self.progress(zone)]].concat();
        let mut reply = reply.text(facts.join("\n"));
        let is_waiting = match self.tournament.state {
            TournamentState::Open | TournamentState::Cancelled => true,
            TournamentState::Running | TournamentState::Finished => false,
        };
        if is_waiting {
            let is_new = |it: &&Entrant| self.seat_of(it.player.id).is_none();
            let names: Vec<_> =
                self.joined.iter().filter(is_new).map(|it| &*it.player.name).collect();
            reply = match (&names[..], &self.groups[..]) {
                ([], []) => reply.text("Nobody has joined."),
                ([], _) => reply,
                (names, []) => reply.text(format!("Players: {}", names.join(", "))),
                (names, _) => reply.text(format!("New players: {}", names.join(", "))),
            };
        }
        let own = reader.and_then(|reader| self.seat_of(reader));
        for group in &self.groups {
            let of = if self.is_league() {
                reply = reply.text(format!("Division {}:", group.division));
                format!(" of division {}", group.division)
            } else {
                String::new()
            };
            reply = reply.table(table(group), "");
            if own.is_none_or(|(it, _)| it.division == group.division) {
                reply = reply.table(crosstable(group, self.tournament.plan.format), "");
            }
            if own.is_none() {
                reply = reply.text(format!("The games{of}:")).table(schedule(group, None), "");
            }
        }
        if let Some((group, number)) = own {
            reply = reply.text("Your games:").table(schedule(group, Some(number)), "");
        }
        if !champions.is_empty() {
            let line = |(season, name): &(usize, String)| format!("Season {season}: {name}");
            let lines: Vec<_> = champions.iter().map(line).collect();
            reply = reply.text(format!("Champions:\n{}", lines.join("\n")));
        }
        reply
    }

    /// Returns the champions of the last seasons of a league, the latest first.
    fn champions(&self, db: &Db) -> Result<Vec<(usize, String)>, Error> {
        if !self.is_league() {
            return Ok(Vec::new());
        }
        let ended = self.tournament.ended_season();
        let champion = |season| {
            let group = season::group(db, &self.tournament, [season, 1])?;
            Ok(group.winners().next().map(|player| (season, group.name(player).to_owned())))
        };
        let seasons = (1..=ended).rev().take(MAX_CHAMPIONS);
        seasons.map(champion).filter_map(Result::transpose).collect()
    }

    /// Returns the tournament for scripts.
    fn json(&self, champions: &[(usize, String)]) -> Value {
        let plan = &self.tournament.plan;
        let before = (self.tournament.season == 0)
            .then(|| Group::new(plan, 1, self.joined.clone(), Vec::new()));
        let groups = || self.groups.iter().chain(&before);
        let players = array(groups().flat_map(players_to_json));
        let games = array(groups().flat_map(games_to_json));
        let champion =
            |(season, player): &(usize, String)| json!({ "season": season, "player": player });
        let league = self.is_league().then(|| {
            let next = array(self.joined.iter().map(|it| &it.player.name));
            json!({ "next": next, "champions": array(champions.iter().map(champion)) })
        });
        merged([
            summary_to_json(&self.tournament),
            json!({ "players": players, "games": games }),
            league.into(),
        ])
    }
}

/// Returns the table of a group.
pub(crate) fn table(group: &Group) -> Table {
    let withdrawn = |row: &Row| match row.participation {
        Participation::Active => "",
        Participation::Withdrawn => "withdrawn",
        Participation::Removed => "withdrawn, without results",
    };
    Table::of(
        &group.rows,
        &[
            (Column::Number("#"), &|row| Entry::of(row.place)),
            // In a mail, no title may be a command.
            (Column::Text("Name"), &|row| Entry::player(group.name(row.player))),
            (Column::Number("Played"), &|row| row.games.into()),
            (Column::Number("Points"), &|row| row.points.into()),
            (Column::Number("BQ"), &|row| row.brightwell.into()),
            (Column::Number("Discs"), &|row| row.discs.into()),
            (Column::Prose("Remark"), &|row| withdrawn(row).into()),
        ],
    )
}

/// Returns who has scored how much, in the order of the table: against whom, or in a Swiss tournament in which
/// round.
fn crosstable(group: &Group, format: Format) -> Table {
    /// The columns of the opponents, or of the rounds.
    const TITLES: [&str; 16] =
        ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
    let order: Vec<_> = group.rows.iter().map(|row| row.player).collect();
    let columns = match format {
        Format::RoundRobin | Format::League => order.len(),
        Format::Swiss => group.round(),
    };
    let cell = |player: usize, column: usize| match format {
        Format::RoundRobin | Format::League => score(group, player, order[column]),
        Format::Swiss => in_round(group, player, column + 1, &order),
    };
    let row = |(place, &player): (usize, &usize)| {
        let first = [(place + 1).into(), Entry::player(group.name(player))];
        first.into_iter().chain((0..columns).map(|column| cell(player, column))).collect()
    };
    let titles = TITLES.iter().take(columns).map(|title| Column::Text(title));
    Table {
        columns: [Column::Number("#"), Column::Text("Name")].into_iter().chain(titles).collect(),
        rows: order.iter().enumerate().map(row).collect(),
    }
}

/// Returns what a player has scored in a game: `1`, `½`, `0`, or `-` if it counts for nobody; `None` if it is
/// not decided.
fn sign(group: &Group, fixture: &Fixture, player: usize) -> Option<&'static str> {
    let of = |winner: Option<Color>| match winner {
        None => "½",
        Some(winner) if winner == fixture.color_of(player) => "1",
        Some(_) => "0",
    };
    match group.verdict(fixture) {
        Verdict::Open => None,
        Verdict::Decided(Outcome { winner, .. }) => Some(of(winner)),
        Verdict::Walkover(winner) => Some(of(Some(winner))),
        Verdict::Uncounted => Some("-"),
    }
}

/// Returns what a player has scored against another one, a sign for each game that is decided.
fn score(group: &Group, player: usize, opponent: usize) -> Entry {
    if player == opponent {
        return "·".into();
    }
    let games = || group.games_of(player).filter(|(_, it)| it.is_of(opponent));
    let signs: String = games().filter_map(|(_, it)| sign(group, it, player)).collect();
    let game = games().filter_map(|(pairing, _)| pairing.game).max();
    Entry::result(signs, game)
}

/// Returns a player's game in a round: the opponent's row in this order, the own colour and the score, such as
/// `12b1`.
fn in_round(group: &Group, player: usize, round: usize, order: &[usize]) -> Entry {
    if group.entrants[player].bye == Some(round) {
        return "bye".into();
    }
    let game = group.games_of(player).find(|(pairing, _)| pairing.round == round);
    let Some((pairing, fixture)) = game else { return Entry::NONE };
    let own = fixture.color_of(player);
    let opponent = (!own).pick(fixture.players);
    let row = order.iter().position(|&it| it == opponent).map_or(0, |at| at + 1);
    let color = own.pick(["b", "w"]);
    let sign = sign(group, fixture, player).unwrap_or_default();
    Entry::result(format!("{row}{color}{sign}"), pairing.game)
}

/// Returns the games by rounds: those of a player, or all; then the byes.
pub(crate) fn schedule(group: &Group, of: Option<usize>) -> Table {
    let is_shown = |player| of.is_none_or(|it| it == player);
    let name = |player: usize| Entry::player(group.name(player));
    let games = group.pairings.iter().zip(&group.fixtures);
    let games = games.filter(|(_, it)| it.players.iter().any(|&player| is_shown(player)));
    let mut rows: Vec<_> = games
        .map(|(pairing, fixture)| {
            let [black, white] = fixture.players.map(name);
            let game = pairing.game.map_or(Entry::NONE, Entry::Game);
            (pairing.round, vec![game, black, white, result(group, fixture).into()])
        })
        .collect();
    let byes = group.entrants.iter().enumerate().filter_map(|(player, entrant)| {
        let entries = || vec![Entry::NONE, name(player), Entry::NONE, "bye".into()];
        entrant.bye.filter(|_| is_shown(player)).map(|round| (round, entries()))
    });
    rows.extend(byes);
    rows.sort_by_key(|(round, _)| *round);
    let entry = |at: usize| move |(_, entries): &(usize, Vec<Entry>)| entries[at].clone();
    Table::of(
        rows,
        &[
            (Column::Number("Round"), &|(round, _)| (*round).into()),
            (Column::Number("Game"), &entry(0)),
            (Column::Text("Black"), &entry(1)),
            (Column::Text("White"), &entry(2)),
            (Column::Prose("Result"), &entry(3)),
        ],
    )
}

/// Returns the result of a game in a few words.
fn result(group: &Group, fixture: &Fixture) -> String {
    let wins = |winner: Color| {
        let winner = winner.pick(fixture.players);
        format!("{} wins", group.name(winner))
    };
    match (group.verdict(fixture), fixture.state) {
        (Verdict::Open, State::UnderWay) => "under way".to_owned(),
        (Verdict::Open, _) => String::new(),
        (Verdict::Decided(Outcome { winner, black, white, .. }), _) => match winner {
            Some(winner) => format!("{}, {black}-{white}", wins(winner)),
            None => format!("draw, {black}-{white}"),
        },
        (Verdict::Walkover(winner), _) => format!("{} without a game", wins(winner)),
        (Verdict::Uncounted, _) => "counts for nobody".to_owned(),
    }
}

fn players_to_json(group: &Group) -> impl Iterator<Item = Value> {
    group.rows.iter().map(|row| {
        json!({
            "player": group.name(row.player),
            "division": group.division,
            "place": row.place,
            "games": row.games,
            "points": f64::from(row.points.halves()) / 2.0,
            "brightwell": in_discs(row.brightwell.units()),
            "discs": in_discs(row.discs.units()),
            "bye": group.entrants[row.player].bye,
            "withdrawn": row.participation != Participation::Active,
        })
    })
}

fn games_to_json(group: &Group) -> impl Iterator<Item = Value> {
    let games = group.pairings.iter().zip(&group.fixtures);
    games.map(|(pairing, fixture): (&Pairing, &Fixture)| {
        let [black, white] = fixture.players.map(|player| group.name(player));
        let word = |winner: Option<Color>| winner.map_or("draw".to_owned(), |it| it.to_string());
        let result = match group.verdict(fixture) {
            Verdict::Open => None,
            Verdict::Decided(Outcome { winner, .. }) => Some(word(winner)),
            Verdict::Walkover(winner) => Some(word(Some(winner))),
            Verdict::Uncounted => Some("none".to_owned()),
        };
        json!({
            "division": group.division,
            "round": pairing.round,
            "game": pairing.game.map(|game| game.0),
            "black": black,
            "white": white,
            "result": result,
        })
    })
}

/// Returns a number of 1/128 discs in discs.
fn in_discs(units: u64) -> f64 {
    units as f64 / 128.0
}

/// Returns the title of the games of a tournament, such as `Othello with a balanced opening`.
pub(crate) fn title(plan: &Plan) -> String {
    challenge::title_of(&plan.agreement, plan.start.rules())
}

/// Returns a tournament without its players for scripts.
pub(crate) fn summary_to_json(tournament: &Tournament) -> Value {
    let Tournament { plan, state, created_at, ended_at, .. } = tournament;
    let Plan { agreement, start, .. } = plan;
    let is_league = plan.format == Format::League;
    json!({
        "tournament": plan.name,
        "format": plan.format.word(),
        "double": plan.is_double,
        "rounds": plan.rounds,
        "divisions_of": is_league.then_some(plan.divisions.size),
        "move": is_league.then_some(plan.divisions.moved),
        "season": tournament.season,
        "state": state.word(),
        "variant": agreement.variant,
        "rules": rules_to_json(start.rules()),
        "position": start.to_string(),
        "opening": agreement.opening.map(Opening::word),
        "clock": agreement.terms.control.to_string(),
        "free_weekends": agreement.terms.free_weekends,
        "absences": agreement.terms.absences,
        "rated": agreement.rated,
        "places": plan.places,
        "ratings": plan.ratings,
        "since": json_time(*created_at),
        "starts": plan.starts_at.map(json_time),
        "ended": ended_at.map(json_time),
    })
}
