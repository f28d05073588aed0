//! The seasons of a player in tournaments.

use crate::app::{Error, find};
use crate::store::{Db, Error as StoreError};
use outflank_model::PlayerId;
use outflank_model::tournament::{Format, Group, Participation, Row, Tournament, TournamentState};

/// A player's season in a tournament.
pub(crate) struct Season {
    pub tournament: Tournament,
    /// Its number, from 1.
    pub number: usize,
    /// The group of the player; `None` until it begins.
    pub group: Option<Group>,
}

impl Season {
    /// Returns the last `limit` seasons of a player, the latest first, except those of cancelled tournaments.
    pub(crate) fn all_of(db: &Db, player: PlayerId, limit: u32) -> Result<Vec<Self>, Error> {
        let season = |(id, number, division)| -> Result<Self, StoreError> {
            let tournament = db.tournament(id)?;
            let of_division = |division| group(db, &tournament, [number, division]);
            let group = Option::map(division, of_division).transpose()?;
            Ok(Self { tournament, number, group })
        };
        let seasons = db.seasons_of(player, limit)?.into_iter().map(season);
        seasons.filter_map(|it| find::intact(it).transpose()).collect()
    }

    /// Returns the number and the division for a league.
    pub(crate) fn in_league(&self) -> Option<[usize; 2]> {
        let is_league = self.tournament.plan.format == Format::League;
        Some([self.number, self.group.as_ref()?.division]).filter(|_| is_league)
    }

    /// Returns how far it is.
    pub(crate) fn state(&self) -> TournamentState {
        let Tournament { state, season, .. } = self.tournament;
        match self.group {
            Some(_) if state == TournamentState::Open || self.number < season => {
                TournamentState::Finished
            }
            _ => state,
        }
    }

    /// Returns whether a player has won it: a league's season in its first division.
    pub(crate) fn is_won_by(&self, player: PlayerId) -> bool {
        let is_over = self.state() == TournamentState::Finished;
        let group = self.group.as_ref().filter(|it| is_over && it.division == 1);
        group.is_some_and(|it| it.winners().any(|number| Some(number) == it.number_of(player)))
    }

    /// Returns how a player stands or has finished in a few words: `won`, `2 of 8`, `withdrawn`.
    pub(crate) fn finish_of(&self, player: PlayerId) -> String {
        let Some(group) = &self.group else { return String::new() };
        let finish = match group.row_of(player) {
            Some(row) if row.participation != Participation::Active => "withdrawn".to_owned(),
            Some(_) if self.is_won_by(player) => "won".to_owned(),
            Some(Row { place: Some(place), .. }) => format!("{place} of {}", group.rows.len()),
            Some(_) | None => String::new(),
        };
        match self.in_league() {
            Some([season, division]) => {
                format!("{finish}, season {season}, division {division}")
            }
            None => finish,
        }
    }
}

/// Returns a division of a season.
pub(crate) fn group(
    db: &Db,
    tournament: &Tournament,
    [season, division]: [usize; 2],
) -> Result<Group, StoreError> {
    let entrants = db.entrants(tournament.id, season, Some(division))?;
    let pairings = db.pairings(tournament.id, [season, division])?;
    Ok(Group::new(&tournament.plan, division, entrants, pairings))
}
