use super::{
    Entrant, Fixture, Format, Pairing, Participation, Plan, Row, Scoring, Verdict, Withdrawal,
    table,
};
use crate::PlayerId;

/// Players with a table of their own: those of a tournament, or of a division in a season of a league.
#[derive(Debug, Clone)]
pub struct Group {
    /// The number of the division, from 1; always 1 outside of leagues.
    pub division: usize,
    /// By their numbers. Elsewhere here, players are numbered from 0.
    pub entrants: Vec<Entrant>,
    /// By their numbers.
    pub pairings: Vec<Pairing>,
    /// What `pairings` mean for the table, in the same order.
    pub fixtures: Vec<Fixture>,
    /// The players who have withdrawn.
    pub withdrawals: Vec<Withdrawal>,
    /// The table, the first player first.
    pub rows: Vec<Row>,
    /// The rounds of a Swiss tournament, which are paired one by one.
    rounds: Option<usize>,
}

impl Group {
    /// Returns the group of these players, who have these games.
    pub fn new(
        plan: &Plan,
        division: usize,
        entrants: Vec<Entrant>,
        pairings: Vec<Pairing>,
    ) -> Self {
        let fixtures = fixtures(&entrants, &pairings);
        let withdrawals = withdrawals(&entrants);
        let round = last_round(&fixtures);
        let is_over = are_over(&fixtures, &withdrawals);
        // A bye counts when the others have played.
        let has_bye =
            |player: &usize| entrants[*player].bye.is_some_and(|bye| bye < round || is_over);
        let byes: Vec<_> = (0..entrants.len()).filter(has_bye).collect();
        let scoring = Scoring::of(plan.start.rules(), plan.format);
        let mut rows = table(entrants.len(), scoring, &fixtures, &byes, &withdrawals);
        if plan.format == Format::League {
            // The order of the season before, which has numbered the players, decides shared places.
            for (at, row) in rows.iter_mut().enumerate() {
                row.place = row.place.map(|_| at + 1);
            }
        }
        Self { division, entrants, pairings, fixtures, withdrawals, rows, rounds: plan.rounds }
    }

    /// Returns the number of a player; `None` for one who is not in it.
    pub fn number_of(&self, player: PlayerId) -> Option<usize> {
        self.entrants.iter().position(|entrant| entrant.player.id == player)
    }

    /// Returns the name of a player.
    pub fn name(&self, number: usize) -> &str {
        &self.entrants[number].player.name
    }

    /// Returns the last round that has been paired, from 1; 0 before the first.
    pub fn round(&self) -> usize {
        last_round(&self.fixtures)
    }

    /// Returns whether all games so far are over.
    pub fn is_decided(&self) -> bool {
        are_over(&self.fixtures, &self.withdrawals)
    }

    /// Returns whether a player has games that are not over, or has not withdrawn from a tournament with more
    /// rounds.
    pub fn is_playing(&self, player: usize) -> bool {
        self.games_of(player).any(|(_, fixture)| self.verdict(fixture) == Verdict::Open)
            || self.has_more_rounds() && self.entrants[player].withdrawn.is_none()
    }

    /// Returns whether more rounds are to be paired after those so far.
    pub fn has_more_rounds(&self) -> bool {
        self.rounds.is_some_and(|all| self.round() < all)
    }

    /// Returns the games of a player with what they mean for the table.
    pub fn games_of(&self, player: usize) -> impl Iterator<Item = (&Pairing, &Fixture)> {
        let games = self.pairings.iter().zip(&self.fixtures);
        games.filter(move |(_, fixture)| fixture.is_of(player))
    }

    /// Returns what a game means for the table.
    pub fn verdict(&self, fixture: &Fixture) -> Verdict {
        fixture.verdict(&self.withdrawals)
    }

    /// Returns who would win if this were the last table: the first players who have not withdrawn.
    pub fn winners(&self) -> impl Iterator<Item = usize> {
        let active = || self.rows.iter().filter(|row| row.participation == Participation::Active);
        let first = active().find_map(|row| row.place);
        active().filter(move |row| row.place == first).map(|row| row.player)
    }

    /// Returns the row of the player with this number.
    pub fn row(&self, number: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.player == number)
    }

    /// Returns the row of a player in the table; `None` for one who is not in it.
    pub fn row_of(&self, player: PlayerId) -> Option<&Row> {
        self.row(self.number_of(player)?)
    }
}

/// Returns the last round of these games, from 1, or 0.
fn last_round(fixtures: &[Fixture]) -> usize {
    fixtures.iter().map(|it| it.round).max().unwrap_or(0)
}

/// Returns whether these games are all over.
fn are_over(fixtures: &[Fixture], withdrawals: &[Withdrawal]) -> bool {
    fixtures.iter().all(|it| it.verdict(withdrawals) != Verdict::Open)
}

/// Returns the games as the table counts them, by the places of these players.
fn fixtures(entrants: &[Entrant], pairings: &[Pairing]) -> Vec<Fixture> {
    let number =
        |player| entrants.iter().position(|entrant| entrant.player.id == player).unwrap_or(0);
    let fixture = |&Pairing { round, players, state, .. }: &Pairing| Fixture {
        round,
        players: players.map(number),
        state,
    };
    pairings.iter().map(fixture).collect()
}

/// Returns which of these players have withdrawn.
fn withdrawals(entrants: &[Entrant]) -> Vec<Withdrawal> {
    let withdrawal = |(player, entrant): (usize, &Entrant)| {
        Some(Withdrawal { player, ended: entrant.withdrawn? })
    };
    entrants.iter().enumerate().filter_map(withdrawal).collect()
}
