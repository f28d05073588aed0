//! Tournaments, their players and their games.

use chrono::{DateTime, Utc};
use rusqlite::Row;

use super::agreement::{self, COLUMNS};
use super::column::color;
use super::{Db, Error, Result, Tx, get, only, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::log::{GameId, Outcome, Reason};
use outflank_model::tournament::{
    Divisions, Entrant, Format, InTournament, Pairing, Plan, State, Tournament, TournamentId,
    TournamentState,
};

impl Tx<'_> {
    /// Stores a tournament that players can join from now on.
    pub fn add_tournament(
        &self,
        plan: &Plan,
        mark: &str,
        now: DateTime<Utc>,
    ) -> Result<TournamentId> {
        let count = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let sql = format!(
            "INSERT INTO tournament (name, format, doubled, rounds, division_size, moved, places, lowest,
                highest, {COLUMNS}, mark, created_at, starts_at, due_at)
             VALUES (:name, :format, :doubled, :rounds, :division_size, :moved, :places, :lowest,
                :highest, {}, :mark, :now, :starts_at, :starts_at)",
            agreement::values()
        );
        let others = [
            (":name", plan.name.clone().into()),
            (":format", plan.format.word().to_owned().into()),
            (":doubled", plan.is_double.into()),
            (":rounds", plan.rounds.map(count).into()),
            (":division_size", count(plan.divisions.size).into()),
            (":moved", count(plan.divisions.moved).into()),
            (":places", count(plan.places).into()),
            (":lowest", plan.ratings.map(|[lowest, _]| lowest).into()),
            (":highest", plan.ratings.map(|[_, highest]| highest).into()),
            (":mark", mark.to_owned().into()),
            (":now", seconds(now).into()),
            (":starts_at", plan.starts_at.map(seconds).into()),
        ];
        let params = agreement::params(&plan.agreement, &plan.start, others);
        self.insert(&sql, &*params).map(TournamentId)
    }

    /// Puts off the start of a tournament until this time.
    pub fn postpone_tournament(&self, id: TournamentId, until: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE tournament SET starts_at = ?2, due_at = ?2, postponed = postponed + 1
             WHERE id = ?1";
        self.run(sql, (id.0, seconds(until)))
    }

    /// Ends a tournament at this time, with this state.
    pub fn end_tournament(
        &self,
        id: TournamentId,
        state: TournamentState,
        at: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "UPDATE tournament SET state = ?2, ended_at = ?3, due_at = NULL WHERE id = ?1";
        self.run(sql, (id.0, state.word(), seconds(at)))
    }

    /// Sets when `send` must look at a tournament; `None`: not until something happens in it.
    pub fn set_tournament_due(&self, id: TournamentId, at: Option<DateTime<Utc>>) -> Result<()> {
        self.run("UPDATE tournament SET due_at = ?2 WHERE id = ?1", (id.0, at.map(seconds)))
    }

    /// Makes `send` look at a tournament at once, whatever the clock says.
    pub fn wake_tournament(&self, id: TournamentId) -> Result<()> {
        self.set_tournament_due(id, Some(DateTime::UNIX_EPOCH))
    }

    /// Records that a season begins now, and how many rounds it has in a Swiss tournament.
    pub fn begin_season(
        &self,
        id: TournamentId,
        season: usize,
        rounds: Option<usize>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "UPDATE tournament
             SET state = 'running', season = ?2, rounds = ?3, began_at = ?4, postponed = 0
             WHERE id = ?1";
        self.run(sql, (id.0, season, rounds, seconds(now)))
    }

    /// Records that a season of a league is over now. The next one begins at this time.
    pub fn end_season(
        &self,
        id: TournamentId,
        now: DateTime<Utc>,
        next: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "UPDATE tournament
             SET state = 'open', ended_at = ?2, starts_at = ?3, due_at = ?3 WHERE id = ?1";
        self.run(sql, (id.0, seconds(now), seconds(next)))
    }

    /// Adds a player to a season of a tournament.
    pub fn add_entrant(
        &self,
        id: TournamentId,
        season: usize,
        player: PlayerId,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql =
            "INSERT INTO entrant (tournament, season, player, joined_at) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, (id.0, season, player.0, seconds(now)))
    }

    /// Removes a player from a season that has not begun.
    pub fn remove_entrant(&self, id: TournamentId, season: usize, player: PlayerId) -> Result<()> {
        let sql = "DELETE FROM entrant WHERE tournament = ?1 AND season = ?2 AND player = ?3";
        self.run(sql, (id.0, season, player.0))
    }

    /// Puts players into a division, numbered in this order from 1.
    pub fn number_entrants(
        &self,
        id: TournamentId,
        [season, division]: [usize; 2],
        players: &[PlayerId],
    ) -> Result<()> {
        let sql = "UPDATE entrant SET division = ?4, number = ?5
             WHERE tournament = ?1 AND season = ?2 AND player = ?3";
        (1_i64..).zip(players).try_for_each(|(number, player)| {
            self.run(sql, (id.0, season, player.0, division, number))
        })
    }

    /// Records that a player withdraws from a season that has begun, when so many of the player's games are
    /// over.
    pub fn withdraw_entrant(
        &self,
        id: TournamentId,
        season: usize,
        player: PlayerId,
        ended: usize,
    ) -> Result<()> {
        let sql = "UPDATE entrant SET withdrawn = ?4
             WHERE tournament = ?1 AND season = ?2 AND player = ?3";
        self.run(sql, (id.0, season, player.0, ended))
    }

    /// Records that a player has no opponent in a round of a Swiss tournament.
    pub fn set_bye(&self, id: TournamentId, player: PlayerId, round: usize) -> Result<()> {
        let sql = "UPDATE entrant SET bye = ?3 WHERE tournament = ?1 AND player = ?2";
        self.run(sql, (id.0, player.0, round))
    }

    /// Adds a game to the schedule of a division: its number, its round and its players, black first.
    pub fn add_pairing(
        &self,
        id: TournamentId,
        [season, division]: [usize; 2],
        number: usize,
        round: usize,
        [black, white]: [PlayerId; 2],
    ) -> Result<()> {
        let sql = "INSERT INTO pairing (tournament, season, division, number, round, black, white)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.run(sql, (id.0, season, division, number, round, black.0, white.0))
    }

    /// Records which game a game of the schedule is.
    pub fn set_pairing_game(
        &self,
        id: TournamentId,
        [season, division]: [usize; 2],
        number: usize,
        game: GameId,
    ) -> Result<()> {
        let sql = "UPDATE pairing SET game = ?5
             WHERE tournament = ?1 AND season = ?2 AND division = ?3 AND number = ?4";
        self.run(sql, (id.0, season, division, number, game.0))
    }
}

impl Db<'_> {
    /// Returns a tournament.
    pub fn tournament(&self, id: TournamentId) -> Result<Tournament> {
        self.one("SELECT * FROM tournament WHERE id = ?1", [id.0], tournament)
    }

    /// Returns the tournament with this name, in either case; `None` if there is none.
    pub fn tournament_named(&self, name: &str) -> Result<Option<Tournament>> {
        self.first("SELECT * FROM tournament WHERE name = ?1", [name], tournament)
    }

    /// Returns the first `limit` tournaments in this state, the latest first: by their ends, or by when they
    /// were made.
    pub fn tournaments(
        &self,
        state: TournamentState,
        limit: Option<u32>,
    ) -> Result<Vec<TournamentId>> {
        let sql = "SELECT id FROM tournament WHERE state = ?1
             ORDER BY ended_at DESC, id DESC LIMIT ?2";
        self.all(sql, (state.word(), limit.map_or(-1, i64::from)), tournament_id)
    }

    /// Returns the tournament that `send` must look at first at this time; `None` if there is none.
    pub fn due_tournament(&self, now: DateTime<Utc>) -> Result<Option<TournamentId>> {
        let sql = "SELECT id FROM tournament WHERE due_at <= ?1 ORDER BY due_at, id LIMIT 1";
        self.first(sql, [seconds(now)], tournament_id)
    }

    /// Returns the tournaments that a player has joined and that are open or running.
    pub fn tournaments_of(&self, player: PlayerId) -> Result<Vec<TournamentId>> {
        let sql = "SELECT DISTINCT tournament
             FROM entrant JOIN tournament ON tournament.id = entrant.tournament
             WHERE player = ?1 AND withdrawn IS NULL AND state IN ('open', 'running')
             ORDER BY tournament";
        self.all(sql, [player.0], tournament_id)
    }

    /// Returns the last `limit` seasons of a player, those that run first: each with its division, if it has begun.
    /// Cancelled tournaments and later seasons of leagues are left out.
    pub fn seasons_of(
        &self,
        player: PlayerId,
        limit: u32,
    ) -> Result<Vec<(TournamentId, usize, Option<usize>)>> {
        let sql = "SELECT tournament, entrant.season, division
             FROM entrant JOIN tournament ON tournament.id = entrant.tournament
             WHERE player = ?1 AND state <> 'cancelled'
                AND (division IS NOT NULL OR tournament.season = 0)
             ORDER BY state = 'running' AND entrant.season = tournament.season DESC, joined_at DESC,
                tournament DESC, entrant.season DESC LIMIT ?2";
        self.all(sql, (player.0, limit), |row| Ok((tournament_id(row)?, row.get(1)?, row.get(2)?)))
    }

    /// Returns the players of a season, or of one of its divisions: by their divisions and numbers, or as they
    /// joined.
    pub fn entrants(
        &self,
        id: TournamentId,
        season: usize,
        division: Option<usize>,
    ) -> Result<Vec<Entrant>> {
        let sql = "SELECT player, joined_at, division, number, bye, withdrawn FROM entrant
             WHERE tournament = ?1 AND season = ?2 AND (?3 IS NULL OR division = ?3)
             ORDER BY division, number, joined_at, player";
        self.all(sql, (id.0, season, division), |row| {
            Ok(Entrant {
                player: self.player(get(row, "player")?)?,
                joined_at: get(row, "joined_at")?,
                division: row.get("division")?,
                number: row.get("number")?,
                bye: row.get("bye")?,
                withdrawn: row.get("withdrawn")?,
            })
        })
    }

    /// Returns whether somebody is a player of a season.
    pub fn is_entrant(&self, id: TournamentId, season: usize, player: PlayerId) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM entrant
             WHERE tournament = ?1 AND season = ?2 AND player = ?3)";
        self.one(sql, (id.0, season, player.0), only)
    }

    /// Counts the players of a season.
    pub fn count_entrants(&self, id: TournamentId, season: usize) -> Result<usize> {
        let sql = "SELECT count(*) FROM entrant WHERE tournament = ?1 AND season = ?2";
        self.one(sql, (id.0, season), only)
    }

    /// Counts the divisions of a season that has begun.
    pub fn count_divisions(&self, id: TournamentId, season: usize) -> Result<usize> {
        let sql = "SELECT coalesce(max(division), 0) FROM entrant
             WHERE tournament = ?1 AND season = ?2";
        self.one(sql, (id.0, season), only)
    }

    /// Returns the games of a division in a season by their numbers.
    pub fn pairings(
        &self,
        id: TournamentId,
        [season, division]: [usize; 2],
    ) -> Result<Vec<Pairing>> {
        let sql = "SELECT number, round, pairing.black, pairing.white, game, turn, winner, reason,
                black_discs, white_discs
             FROM pairing LEFT JOIN game ON game.id = pairing.game
             WHERE tournament = ?1 AND season = ?2 AND division = ?3 ORDER BY number";
        self.all(sql, (id.0, season, division), pairing)
    }

    /// Returns the tournament of a game; `None` if it has none.
    pub fn tournament_of(&self, game: GameId) -> Result<Option<TournamentId>> {
        self.first("SELECT tournament FROM pairing WHERE game = ?1", [game.0], tournament_id)
    }

    /// Returns the place of a game in its tournament; `None` if it has none.
    pub(super) fn in_tournament(&self, game: GameId) -> Result<Option<InTournament>> {
        let sql = "SELECT name, format, pairing.season, division, round
             FROM pairing JOIN tournament ON tournament.id = tournament WHERE game = ?1";
        self.first(sql, [game.0], |row| {
            let is_league = parsed::<Format>(row, "format")? == Format::League;
            let league = [row.get("season")?, row.get("division")?];
            let (name, round) = (row.get("name")?, row.get("round")?);
            Ok(InTournament { name, league: is_league.then_some(league), round })
        })
    }

    /// Counts the open games of a player that belong to tournaments.
    pub fn count_tournament_games(&self, player: PlayerId) -> Result<u32> {
        let sql = "SELECT (SELECT count(*) FROM game JOIN pairing ON pairing.game = game.id
                WHERE turn IS NOT NULL AND to_move = ?1)
             + (SELECT count(*) FROM game JOIN pairing ON pairing.game = game.id
                WHERE turn IS NOT NULL AND to_wait = ?1)";
        self.one(sql, [player.0], only)
    }
}

fn tournament_id(row: &Row) -> Result<TournamentId> {
    Ok(TournamentId(row.get(0)?))
}

fn tournament(row: &Row) -> Result<Tournament> {
    read_tournament(row).map_err(|error| {
        let reason = match error {
            Error::Inconsistent { reason, .. } => reason,
            error => error.to_string(),
        };
        let name = row.get("name").unwrap_or_default();
        Error::InconsistentTournament { name, reason }
    })
}

fn read_tournament(row: &Row) -> Result<Tournament> {
    let (agreement, start) = agreement::read(row, GameId(0))?;
    let lowest: Option<u32> = get(row, "lowest")?;
    let highest: Option<u32> = get(row, "highest")?;
    Ok(Tournament {
        id: TournamentId(row.get("id")?),
        plan: Plan {
            name: row.get("name")?,
            format: parsed(row, "format")?,
            is_double: row.get("doubled")?,
            rounds: row.get("rounds")?,
            divisions: Divisions { size: row.get("division_size")?, moved: row.get("moved")? },
            places: row.get("places")?,
            ratings: lowest.zip(highest).map(|(lowest, highest)| [lowest, highest]),
            agreement,
            start,
            starts_at: get(row, "starts_at")?,
        },
        state: parsed(row, "state")?,
        season: row.get("season")?,
        began_at: get(row, "began_at")?,
        mark: row.get("mark")?,
        created_at: get(row, "created_at")?,
        postponed: row.get("postponed")?,
        ended_at: get(row, "ended_at")?,
        due_at: get(row, "due_at")?,
    })
}

fn pairing(row: &Row) -> Result<Pairing> {
    let game: Option<GameId> = get(row, "game")?;
    let reason: Option<String> = row.get("reason")?;
    let state = match (game, reason) {
        (None, _) => State::Scheduled,
        (Some(_), None) => State::UnderWay,
        (Some(id), Some(reason)) => State::Finished(Outcome {
            winner: color(row, "winner")?,
            reason: reason.parse::<Reason>().map_err(Error::inconsistent(id))?,
            black: row.get("black_discs")?,
            white: row.get("white_discs")?,
        }),
    };
    Ok(Pairing {
        number: row.get("number")?,
        round: row.get("round")?,
        players: [get(row, "black")?, get(row, "white")?],
        game,
        state,
    })
}
