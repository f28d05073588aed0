//! Tournaments as commands and mails show them.

use serde_json::{Value, json};

use crate::app::Error;
use crate::app::views::challenge;
use crate::app::views::game::rules_to_json;
use crate::app::views::json::{array, json_time, merged};
use crate::app::views::reply::Reply;
use crate::app::views::table::{Column, Entry, Table};
use crate::store::Db;
use outflank_model::log::Outcome;
use outflank_model::time_control::TimeZone;
use outflank_model::tournament::{
    Entrant, Fixture, Pairing, Participation, Plan, Row, Scoring, State, Tournament,
    TournamentState, Verdict, Withdrawal, fixtures, table, withdrawals,
};
use outflank_model::words::counted;
use outflank_model::{Opening, PlayerId};
use outflank_rules::Color;

/// A tournament with its players, games and table.
pub(crate) struct Standing {
    pub tournament: Tournament,
    /// By their numbers.
    pub entrants: Vec<Entrant>,
    /// By their numbers.
    pub pairings: Vec<Pairing>,
    pub fixtures: Vec<Fixture>,
    pub withdrawals: Vec<Withdrawal>,
    /// The table, the first player first.
    pub rows: Vec<Row>,
}

impl Standing {
    pub(crate) fn read(db: &Db, tournament: Tournament) -> Result<Self, Error> {
        let (entrants, pairings) = (db.entrants(tournament.id)?, db.pairings(tournament.id)?);
        let (fixtures, withdrawals) = (fixtures(&entrants, &pairings), withdrawals(&entrants));
        let scoring = Scoring::of(tournament.plan.start.rules());
        let rows = table(entrants.len(), scoring, &fixtures, &withdrawals);
        Ok(Self { tournament, entrants, pairings, fixtures, withdrawals, rows })
    }

    /// Returns the number of a player, from 0; `None` for one who has not joined.
    pub(crate) fn number_of(&self, player: PlayerId) -> Option<usize> {
        self.entrants.iter().position(|entrant| entrant.player.id == player)
    }

    pub(crate) fn name(&self, number: usize) -> &str {
        &self.entrants[number].player.name
    }

    /// Returns whether all games are over.
    pub(crate) fn is_decided(&self) -> bool {
        self.fixtures.iter().all(|it| self.verdict(it) != Verdict::Open)
    }

    /// Returns whether a player has games that are not over.
    pub(crate) fn has_open_games(&self, player: usize) -> bool {
        self.games_of(player).any(|(_, fixture)| self.verdict(fixture) == Verdict::Open)
    }

    /// Returns the games of a player with what they mean for the table.
    pub(crate) fn games_of(&self, player: usize) -> impl Iterator<Item = (&Pairing, &Fixture)> {
        let games = self.pairings.iter().zip(&self.fixtures);
        games.filter(move |(_, fixture)| fixture.is_of(player))
    }

    fn verdict(&self, fixture: &Fixture) -> Verdict {
        fixture.verdict(&self.withdrawals)
    }

    /// Returns the row of a player in the table; `None` for one who has not joined.
    pub(crate) fn row_of(&self, player: PlayerId) -> Option<&Row> {
        let number = self.number_of(player)?;
        self.rows.iter().find(|row| row.player == number)
    }

    /// Returns how a player stands or has finished in a few words: `won`, `2 of 8`, `withdrawn`.
    pub(crate) fn finish_of(&self, player: PlayerId) -> String {
        let all = self.rows.len();
        match (self.tournament.state, self.row_of(player)) {
            (TournamentState::Open | TournamentState::Cancelled, _) | (_, None) => String::new(),
            (_, Some(row)) if row.participation != Participation::Active => "withdrawn".to_owned(),
            (TournamentState::Finished, Some(Row { place: Some(1), .. })) => "won".to_owned(),
            (_, Some(row)) => row.place.map_or(String::new(), |place| format!("{place} of {all}")),
        }
    }

    /// Returns the table of the players.
    pub(crate) fn table(&self) -> Table {
        let withdrawn = |row: &Row| match row.participation {
            Participation::Active => "",
            Participation::Withdrawn => "withdrawn",
            Participation::Removed => "withdrawn, without results",
        };
        Table::of(
            &self.rows,
            &[
                (Column::Number("#"), &|row| Entry::of(row.place)),
                (Column::Text("Player"), &|row| Entry::player(self.name(row.player))),
                (Column::Number("Games"), &|row| row.games.into()),
                (Column::Number("Points"), &|row| row.points.into()),
                (Column::Number("BQ"), &|row| row.brightwell.into()),
                (Column::Number("Discs"), &|row| row.discs.into()),
                (Column::Prose("Remark"), &|row| withdrawn(row).into()),
            ],
        )
    }

    /// Returns who has scored how much against whom, in the order of the table.
    fn crosstable(&self) -> Table {
        /// The columns of the opponents.
        const TITLES: [&str; Plan::MAX_PLAYERS] =
            ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"];
        let order: Vec<_> = self.rows.iter().map(|row| row.player).collect();
        let row = |(place, &player): (usize, &usize)| {
            let opponents = order.iter().map(|&opponent| self.score(player, opponent).into());
            let first = [(place + 1).into(), Entry::player(self.name(player))];
            first.into_iter().chain(opponents).collect()
        };
        let titles = TITLES.iter().take(order.len()).map(|title| Column::Text(title));
        Table {
            columns: [Column::Number("#"), Column::Text("Player")]
                .into_iter()
                .chain(titles)
                .collect(),
            rows: order.iter().enumerate().map(row).collect(),
        }
    }

    /// Returns what a player has scored against another one, a sign for each game: `1`, `½`, `0`, and `-` for
    /// a game that counts for nobody. Games that are not decided have none.
    fn score(&self, player: usize, opponent: usize) -> String {
        let games = self.games_of(player).filter(|(_, it)| it.is_of(opponent));
        let sign = |(_, fixture): (&Pairing, &Fixture)| {
            let of = |winner: Option<Color>| match winner {
                None => "½",
                Some(winner) if winner == fixture.color_of(player) => "1",
                Some(_) => "0",
            };
            match self.verdict(fixture) {
                Verdict::Open => None,
                Verdict::Decided(Outcome { winner, .. }) => Some(of(winner)),
                Verdict::Walkover(winner) => Some(of(Some(winner))),
                Verdict::Uncounted => Some("-"),
            }
        };
        if player == opponent { "·".to_owned() } else { games.filter_map(sign).collect() }
    }

    /// Returns the games by rounds: those of a player, or all.
    pub(crate) fn schedule(&self, of: Option<usize>) -> Table {
        let games = self.pairings.iter().zip(&self.fixtures);
        let games = games.filter(|(_, fixture)| of.is_none_or(|player| fixture.is_of(player)));
        let name = |fixture: &Fixture, at: usize| Entry::player(self.name(fixture.players[at]));
        Table::of(
            games,
            &[
                (Column::Number("Round"), &|(pairing, _)| pairing.round.into()),
                (Column::Number("Game"), &|(pairing, _)| {
                    pairing.game.map_or(Entry::NONE, Entry::Game)
                }),
                (Column::Text("Black"), &|(_, fixture)| name(fixture, 0)),
                (Column::Text("White"), &|(_, fixture)| name(fixture, 1)),
                (Column::Prose("Result"), &|(_, fixture)| self.result(fixture).into()),
            ],
        )
    }

    /// Returns the result of a game in a few words.
    fn result(&self, fixture: &Fixture) -> String {
        let wins = |winner: Color| {
            let winner = winner.pick(fixture.players);
            format!("{} wins", self.name(winner))
        };
        match (self.verdict(fixture), fixture.state) {
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

    /// Returns what is played in words, a line for each part.
    pub(crate) fn facts(&self) -> Vec<String> {
        let plan = &self.tournament.plan;
        let mut facts = challenge::game(&plan.agreement, plan.start.rules());
        let twice = if plan.is_double { "twice, with either colour" } else { "once" };
        facts.push(format!("Format: {}; each two players meet {twice}", plan.format.title()));
        facts.push(challenge::clock(&plan.agreement));
        if let Some([lowest, highest]) = plan.ratings {
            facts.push(format!("For ratings from {lowest} to {highest}"));
        }
        facts
    }

    /// Says how far the tournament is. Times are in this zone.
    fn progress(&self, zone: TimeZone) -> String {
        let Tournament { plan, state, .. } = &self.tournament;
        let joined = self.entrants.len();
        match state {
            TournamentState::Open => {
                let players = format!("{joined} of {} players have joined", plan.places);
                match plan.starts_at {
                    Some(at) => format!("Open: {players}; it starts on {}", zone.shown(at)),
                    None => {
                        format!("Open: {players}; it starts when all have, or earlier by the host")
                    }
                }
            }
            TournamentState::Running => {
                let is_over = |it: &&Fixture| self.verdict(it) != Verdict::Open;
                let over = self.fixtures.iter().filter(is_over).count();
                format!("Running: {over} of {} are over", counted(self.fixtures.len(), "game"))
            }
            TournamentState::Finished => "Finished".to_owned(),
            TournamentState::Cancelled => "Cancelled".to_owned(),
        }
    }

    /// Returns the reply of `tournament` for this reader.
    pub(crate) fn reply(&self, reader: Option<PlayerId>, zone: TimeZone) -> Reply {
        let head = format!("Tournament {}", self.tournament.plan.name);
        self.shown(Reply::new(&self.json()).text(head), reader, zone)
    }

    /// Adds all but the name to a reply.
    pub(crate) fn shown(&self, reply: Reply, reader: Option<PlayerId>, zone: TimeZone) -> Reply {
        let facts = [self.facts(), vec![self.progress(zone)]].concat();
        let reply = reply.text(facts.join("\n"));
        match self.tournament.state {
            TournamentState::Open | TournamentState::Cancelled => {
                let names: Vec<_> = (0..self.entrants.len()).map(|it| self.name(it)).collect();
                match &names[..] {
                    [] => reply.text("Nobody has joined."),
                    names => reply.text(format!("Players: {}", names.join(", "))),
                }
            }
            TournamentState::Running | TournamentState::Finished => {
                let own = reader.and_then(|reader| self.number_of(reader));
                let reply = reply.table(self.table(), "").table(self.crosstable(), "");
                let heading = if own.is_some() { "Your games:" } else { "The games:" };
                reply.text(heading).table(self.schedule(own), "")
            }
        }
    }

    /// Returns the tournament for scripts.
    pub(crate) fn json(&self) -> Value {
        let player = |row: &Row| {
            json!({
                "player": self.name(row.player),
                "place": row.place,
                "games": row.games,
                "points": f64::from(row.points.halves()) / 2.0,
                "brightwell": in_discs(row.brightwell.units()),
                "discs": in_discs(row.discs.units()),
                "withdrawn": row.participation != Participation::Active,
            })
        };
        let games = self.pairings.iter().zip(&self.fixtures).map(|(pairing, fixture)| {
            let [black, white] = fixture.players.map(|player| self.name(player));
            let word =
                |winner: Option<Color>| winner.map_or("draw".to_owned(), |it| it.to_string());
            let result = match self.verdict(fixture) {
                Verdict::Open => None,
                Verdict::Decided(Outcome { winner, .. }) => Some(word(winner)),
                Verdict::Walkover(winner) => Some(word(Some(winner))),
                Verdict::Uncounted => Some("none".to_owned()),
            };
            json!({
                "round": pairing.round,
                "game": pairing.game.map(|game| game.0),
                "black": black,
                "white": white,
                "result": result,
            })
        });
        let (players, games) = (array(self.rows.iter().map(player)), array(games));
        merged([summary_to_json(&self.tournament), json!({ "players": players, "games": games })])
    }
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
    json!({
        "tournament": plan.name,
        "format": plan.format.word(),
        "double": plan.is_double,
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
