//! Compares the tables of random tournaments with a second calculation: with fractions, player by player.

use std::cmp::Ordering;

use super::{
    Fixture, Format, Participation, Scoring, State, Withdrawal, berger, double_berger, table,
};
use crate::log::{Outcome, Reason};
use outflank_rules::{Color, Goal, Overrides, Rules, Size, Variant};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from((self.0 >> 20) % u64::from(bound)).unwrap()
    }

    fn index(&mut self, bound: usize) -> usize {
        usize::try_from(self.below(u32::try_from(bound).unwrap())).unwrap()
    }

    fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }
}

/// A tournament for the second calculation.
struct Sample {
    players: usize,
    rules: Rules,
    squares: u32,
    fixtures: Vec<Fixture>,
    /// In a Swiss tournament, some players have had a bye.
    byes: Vec<usize>,
    withdrawals: Vec<Withdrawal>,
    format: Format,
}

/// A game of a player: the opponent, if any, and the points and discs, if it counts.
type Played = (Option<usize>, Option<(f64, f64)>);

/// The row of a player by the second calculation.
#[derive(Debug, PartialEq)]
struct Recounted {
    place: Option<usize>,
    games: usize,
    points: f64,
    brightwell: f64,
    discs: f64,
}

impl Sample {
    fn new(random: &mut Random) -> Self {
        let players = 2 + random.index(9);
        let rounds = if random.one_in(3) { double_berger(players) } else { berger(players) };
        let (rules, squares) = rules(random);
        let mut fixtures = Fixture::of_rounds(&rounds);
        let is_complete = random.one_in(2);
        // Equal margins make equal points a tie that only direct games can decide.
        let has_equal_margins = !random.one_in(3);
        for fixture in &mut fixtures {
            fixture.state = match random.below(12) {
                0 | 1 if !is_complete => State::Scheduled,
                2 if !is_complete => State::UnderWay,
                _ if has_equal_margins => State::Finished(equal_margin(&rules, squares, random)),
                _ => State::Finished(outcome(&rules, squares, random)),
            };
        }
        let count = if random.one_in(2) { 0 } else { random.index(3) };
        let mut withdrawals: Vec<Withdrawal> = Vec::new();
        for _ in 0..count {
            let player = random.index(players);
            if withdrawals.iter().all(|withdrawal| withdrawal.player != player) {
                let ended = random.index(rounds.len() + 1);
                withdrawals.push(Withdrawal { player, ended });
            }
        }
        let format = Format::ALL[random.index(Format::ALL.len())];
        let mut byes = Vec::new();
        if format == Format::Swiss {
            byes.extend((0..players).filter(|_| random.one_in(4)));
        }
        Self { players, rules, squares, fixtures, byes, withdrawals, format }
    }

    fn has_withdrawn(&self, player: usize) -> bool {
        self.withdrawals.iter().any(|withdrawal| withdrawal.player == player)
    }

    fn is_gone(&self, player: usize) -> bool {
        let all =
            self.fixtures.iter().filter(|it| it.players[0] == player || it.players[1] == player);
        let half = all.count() as f64 / 2.0;
        let is_early = |it: &Withdrawal| it.player == player && (it.ended as f64) < half;
        self.format != Format::Swiss && self.withdrawals.iter().any(is_early)
    }

    /// Returns the points and discs of a player in a game: `None` for an open game, `Some(None)` for one that
    /// counts for nobody.
    fn result(&self, fixture: &Fixture, player: usize) -> Option<Option<(f64, f64)>> {
        let is_black = fixture.players[0] == player;
        let opponent = if is_black { fixture.players[1] } else { fixture.players[0] };
        let squares = f64::from(self.squares);
        match fixture.state {
            State::UnderWay => None,
            State::Scheduled => match (self.has_withdrawn(player), self.has_withdrawn(opponent)) {
                (false, false) => None,
                (true, true) => Some(None),
                (false, true) => Some(Some((1.0, squares / 2.0 + 2.0))),
                (true, false) => Some(Some((0.0, squares / 2.0 - 2.0))),
            },
            State::Finished(Outcome { reason: Reason::Annulled | Reason::Declined, .. }) => {
                Some(None)
            }
            State::Finished(Outcome { winner: None, .. }) => Some(Some((0.5, squares / 2.0))),
            State::Finished(Outcome { winner: Some(winner), reason, black, white }) => {
                let empty = squares - f64::from(black) - f64::from(white);
                let is_misere = self.rules.goal == Goal::Fewer;
                let of_winner = if (winner == Color::Black) == is_misere { white } else { black };
                let mut won_with = f64::from(of_winner) + empty;
                if reason != Reason::Discs && won_with < squares / 2.0 + 2.0 {
                    won_with = squares / 2.0 + 2.0;
                }
                let has_won = (winner == Color::Black) == is_black;
                Some(Some(if has_won { (1.0, won_with) } else { (0.0, squares - won_with) }))
            }
        }
    }

    /// Returns the player's games in the table that are not open.
    fn games(&self, player: usize) -> Vec<Played> {
        let mut games = Vec::new();
        if self.byes.contains(&player) {
            games.push((None, Some((1.0, f64::from(self.squares) / 2.0 + 2.0))));
        }
        for fixture in &self.fixtures {
            let opponent = match fixture.players {
                [black, white] if black == player => white,
                [black, white] if white == player => black,
                _ => continue,
            };
            if self.is_gone(player) || self.is_gone(opponent) {
                continue;
            }
            games.extend(self.result(fixture, player).map(|it| (Some(opponent), it)));
        }
        games
    }

    fn points(&self, player: usize) -> f64 {
        self.games(player).iter().filter_map(|(_, result)| *result).map(|(points, _)| points).sum()
    }

    fn discs(&self, player: usize) -> f64 {
        self.games(player).iter().filter_map(|(_, result)| *result).map(|(_, discs)| discs).sum()
    }

    fn brightwell(&self, player: usize) -> f64 {
        let squares = f64::from(self.squares);
        let (mut discs, mut opponents, mut left_out) = (0.0, 0.0, 0.0);
        for (opponent, result) in self.games(player) {
            match (opponent, result) {
                (Some(opponent), Some((_, own))) if !self.has_withdrawn(opponent) => {
                    discs += own;
                    opponents += self.points(opponent);
                }
                _ => left_out += 1.0,
            }
        }
        let per_point = 6.0 * squares / 64.0;
        discs + per_point * opponents + left_out * (squares / 2.0 + per_point * self.points(player))
    }

    /// Returns the place of a player: one more than the number of better players. Also returns how often
    /// direct games have decided something.
    fn place(&self, player: usize, merits: &[[f64; 3]]) -> (usize, u32) {
        let in_table = (0..self.players).filter(|&other| !self.is_gone(other));
        let mut better = 0;
        let mut rivals = Vec::new();
        for other in in_table {
            match merits[other].partial_cmp(&merits[player]).unwrap() {
                Ordering::Greater => better += 1,
                Ordering::Equal => rivals.push(other),
                Ordering::Less => {}
            }
        }
        let mut decisions = 0;
        loop {
            let direct = |one: usize| -> f64 {
                let games = self.games(one);
                let is_direct =
                    |other: &Option<usize>| other.is_some_and(|it| rivals.contains(&it));
                let direct = games.iter().filter(|(other, _)| is_direct(other));
                direct.filter_map(|(_, result)| *result).map(|(points, _)| points).sum()
            };
            let own = direct(player);
            better += rivals.iter().filter(|&&rival| direct(rival) > own).count();
            let still: Vec<_> = rivals.iter().copied().filter(|&it| direct(it) == own).collect();
            if still.len() == rivals.len() {
                return (better + 1, decisions);
            }
            decisions += 1;
            rivals = still;
        }
    }

    fn recount(&self) -> (Vec<Recounted>, u32) {
        let merit = |player| [self.points(player), self.brightwell(player), self.discs(player)];
        let merits: Vec<_> = (0..self.players).map(merit).collect();
        let mut decisions = 0;
        let mut rows = Vec::new();
        for player in 0..self.players {
            let (place, own_decisions) = self.place(player, &merits);
            decisions = decisions.max(own_decisions);
            let [points, brightwell, discs] = merits[player];
            let games = self.games(player).iter().filter(|(_, result)| result.is_some()).count();
            let place = (!self.is_gone(player)).then_some(place);
            rows.push(Recounted { place, games, points, brightwell, discs });
        }
        (rows, decisions)
    }
}

/// Returns rules, and the number of squares.
fn rules(random: &mut Random) -> (Rules, u32) {
    if random.one_in(8) {
        let oddthello = Variant::named("oddthello").unwrap();
        return (oddthello.rules(&Overrides::default()).unwrap(), 64);
    }
    let (rows, columns) = (3 + random.below(8), 3 + random.below(8));
    let size = Size::new(usize::try_from(rows).unwrap(), usize::try_from(columns).unwrap());
    let overrides = Overrides { size: size.ok(), misere: random.one_in(3), ..Overrides::default() };
    (Variant::named("othello").unwrap().rules(&overrides).unwrap(), rows * columns)
}

/// Returns an outcome with random discs, for any reason.
fn outcome(rules: &Rules, squares: u32, random: &mut Random) -> Outcome {
    let reason = Reason::ALL[random.index(Reason::ALL.len())];
    let full = random.one_in(2);
    let black = random.below(squares + 1);
    let white = if full { squares - black } else { random.below(squares - black + 1) };
    let winner = match reason {
        Reason::Discs => {
            let leader = match black.cmp(&white) {
                Ordering::Greater => Some(Color::Black),
                Ordering::Less => Some(Color::White),
                Ordering::Equal => None,
            };
            if rules.goal == Goal::More { leader } else { leader.map(|color| !color) }
        }
        Reason::Agreed | Reason::Annulled | Reason::Declined => None,
        _ => Some(Color::BOTH[random.index(2)]),
    };
    Outcome { winner, reason, black, white }
}

/// Returns an outcome that gives every winner the same number of discs.
fn equal_margin(rules: &Rules, squares: u32, random: &mut Random) -> Outcome {
    let draw = Outcome { winner: None, reason: Reason::Agreed, black: 2, white: 2 };
    if random.one_in(4) {
        return draw;
    }
    let is_black = random.one_in(2);
    let winner = Some(if is_black { Color::Black } else { Color::White });
    let few = squares / 3;
    let [black, white] = if is_black == (rules.goal == Goal::More) {
        [squares - few, few]
    } else {
        [few, squares - few]
    };
    Outcome { winner, reason: Reason::Discs, black, white }
}

#[test]
fn random_tables_agree_with_a_second_calculation() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut removed, mut withdrawn, mut shared, mut decided, mut twice_decided) = (0, 0, 0, 0, 0);
    for number in 0..2000 {
        let sample = Sample::new(&mut random);
        let Sample { players, ref rules, ref fixtures, ref byes, ref withdrawals, .. } = sample;
        let scoring = Scoring::of(rules, sample.format);
        let rows = table(players, scoring, fixtures, byes, withdrawals);
        let (expected, decisions) = sample.recount();

        assert_eq!(rows.len(), players);
        for row in &rows {
            let found = Recounted {
                place: row.place,
                games: row.games,
                points: f64::from(row.points.halves()) / 2.0,
                brightwell: row.brightwell.units() as f64 / 128.0,
                discs: row.discs.units() as f64 / 128.0,
            };
            assert_eq!(found, expected[row.player], "tournament {number}, player {}", row.player);
            let has_withdrawn = row.participation != Participation::Active;
            assert_eq!(has_withdrawn, sample.has_withdrawn(row.player));
            assert_eq!(row.participation == Participation::Removed, sample.is_gone(row.player));
        }
        let order = |row: &super::Row| (row.place.unwrap_or(usize::MAX), row.player);
        assert!(rows.is_sorted_by_key(order), "tournament {number}");

        let count = |wanted| rows.iter().filter(|row| row.participation == wanted).count();
        removed += count(Participation::Removed);
        withdrawn += count(Participation::Withdrawn);
        shared += rows.windows(2).filter(|two| two[0].place == two[1].place).count();
        decided += usize::from(decisions > 0);
        twice_decided += usize::from(decisions > 1);
    }
    for (count, least) in
        [(removed, 200), (withdrawn, 200), (shared, 200), (decided, 200), (twice_decided, 10)]
    {
        assert!(count >= least, "{count} of {least}");
    }
}
