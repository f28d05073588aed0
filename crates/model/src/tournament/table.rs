use std::cmp::Reverse;

use super::{Discs, Fixture, Points, Scoring, Verdict, Withdrawal};
use crate::words;
use outflank_rules::Color;

words! {
    /// Whether a player has withdrawn, and with what effect.
    Participation {
        /// The player has not withdrawn.
        Active = "active",
        /// The player has withdrawn, and the results stay in the table.
        Withdrawn = "withdrawn",
        /// The player withdrew so early that the results have left the table.
        Removed = "removed",
    }
}

/// The row of a player in the table of a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The player.
    pub player: usize,
    /// The place, from 1. Equal players share it: 1, 2, 2, 4. `None` if the results have left the table.
    pub place: Option<usize>,
    /// The games that count so far, including those won or lost by withdrawal.
    pub games: usize,
    /// The points in these games.
    pub points: Points,
    /// The Brightwell quotient, in discs.
    pub brightwell: Discs,
    /// The discs in these games.
    pub discs: Discs,
    /// Whether the player has withdrawn.
    pub participation: Participation,
}

/// Returns the table of a tournament: a row for each of the players, the first one first.
///
/// The order is by points, then by the Brightwell quotient, then by discs, then by the points in the games
/// among the players who are still equal. Players who are equal in all of this share a place, and stand in
/// the order of their numbers. Players with results that have left the table come last.
///
/// The Brightwell quotient of a player on a board with S squares is the sum of
/// - the player's discs in each game that counts, unless its opponent has withdrawn;
/// - 6·S/64 discs for each point of the opponents in these games;
/// - S/2 discs, and 6·S/64 discs for each point of the player, for each game that is left out: byes, those
///   with opponents who have withdrawn, and those that count for nobody.
///
/// `byes` are the players who have had a bye, which is a win without a game. Open games are in none of these
/// sums. Neither are games with a player whose results have left the table ([`Withdrawal::removes_results`]):
/// they count as if they had never been scheduled.
///
/// # Panics
/// If the number of a player in a fixture or in a withdrawal is not below `players`.
pub fn table(
    players: usize,
    scoring: Scoring,
    fixtures: &[Fixture],
    byes: &[usize],
    withdrawals: &[Withdrawal],
) -> Vec<Row> {
    let games = Games::of(players, scoring, fixtures, byes, withdrawals);
    let mut rows = games.rows(scoring);
    rows.sort_by_key(|row| Reverse(row.merit()));
    let mut place = 1;
    for equal in rows.chunk_by_mut(|one, two| one.merit() == two.merit()) {
        games.set_places(equal, place);
        place += equal.len();
    }
    rows
}

impl Row {
    /// Returns the numbers that the order follows before the direct games, the most important one first.
    fn merit(&self) -> (bool, Points, Discs, Discs) {
        let is_in = self.participation != Participation::Removed;
        (is_in, self.points, self.brightwell, self.discs)
    }
}

/// The games in the table that are not open, and the participation of all players.
struct Games {
    games: Vec<Game>,
    participation: Vec<Participation>,
}

struct Game {
    /// Black and white; a bye has one player.
    players: [Option<usize>; 2],
    /// The shares of black and white; `None` in a game that counts for nobody.
    shares: Option<[Share; 2]>,
}

/// A player's share in the result of a game.
#[derive(Clone, Copy)]
struct Share {
    points: Points,
    discs: Discs,
}

impl Games {
    fn of(
        players: usize,
        scoring: Scoring,
        fixtures: &[Fixture],
        byes: &[usize],
        withdrawals: &[Withdrawal],
    ) -> Self {
        let mut participation = vec![Participation::Active; players];
        for withdrawal in withdrawals {
            let is_removed = scoring.removes_results() && withdrawal.removes_results(fixtures);
            participation[withdrawal.player] =
                if is_removed { Participation::Removed } else { Participation::Withdrawn };
        }
        let is_in = |player: &usize| participation[*player] != Participation::Removed;
        let games = fixtures.iter().filter(|fixture| fixture.players.iter().all(is_in));
        let games = games.filter_map(|fixture| Game::of(fixture, scoring, withdrawals));
        let byes = byes.iter().map(|&player| {
            let shares = Share::both(Some(Color::Black), scoring.walkover(Color::Black));
            Game { players: [Some(player), None], shares: Some(shares) }
        });
        Self { games: games.chain(byes).collect(), participation }
    }

    /// Returns the games of a player: the opponent, if it has one, and the player's share in each.
    fn of_player(&self, player: usize) -> impl Iterator<Item = (Option<usize>, Option<Share>)> {
        self.games.iter().filter_map(move |game| {
            let [black, white] = game.players;
            if Some(player) == black {
                Some((white, game.shares.map(|[share, _]| share)))
            } else if Some(player) == white {
                Some((black, game.shares.map(|[_, share]| share)))
            } else {
                None
            }
        })
    }

    fn points(&self, player: usize) -> Points {
        self.of_player(player).filter_map(|(_, share)| share).map(|share| share.points).sum()
    }

    /// Returns the rows in the order of the players, without places.
    fn rows(&self, scoring: Scoring) -> Vec<Row> {
        let points: Vec<_> = (0..self.participation.len()).map(|it| self.points(it)).collect();
        let row = |(player, &participation)| {
            let counted = || self.of_player(player).filter_map(|(_, share)| share);
            Row {
                player,
                place: None,
                games: counted().count(),
                points: points[player],
                brightwell: self.brightwell(player, scoring, &points),
                discs: counted().map(|share| share.discs).sum(),
                participation,
            }
        };
        self.participation.iter().enumerate().map(row).collect()
    }

    /// Returns the Brightwell quotient of a player, given the points of all players.
    fn brightwell(&self, player: usize, scoring: Scoring, points: &[Points]) -> Discs {
        let left_out = scoring.half() + scoring.weight(points[player]);
        let of_game = |(opponent, share): (Option<usize>, Option<Share>)| match (opponent, share) {
            (Some(opponent), Some(share))
                if self.participation[opponent] == Participation::Active =>
            {
                share.discs + scoring.weight(points[opponent])
            }
            _ => left_out,
        };
        self.of_player(player).map(of_game).sum()
    }

    /// Sorts players of equal merit by their direct games, and sets their places from this one on.
    fn set_places(&self, rows: &mut [Row], mut place: usize) {
        let players: Vec<_> = rows.iter().map(|row| row.player).collect();
        let direct = |row: &Row| -> Points {
            let is_direct = |other: Option<usize>| other.is_some_and(|it| players.contains(&it));
            let games = self.of_player(row.player).filter(|(other, _)| is_direct(*other));
            games.filter_map(|(_, share)| share).map(|share| share.points).sum()
        };
        rows.sort_by_key(|row| Reverse(direct(row)));
        for equal in rows.chunk_by_mut(|one, two| direct(one) == direct(two)) {
            if equal.len() < players.len() {
                self.set_places(equal, place);
            } else {
                for row in &mut *equal {
                    let is_in = row.participation != Participation::Removed;
                    row.place = is_in.then_some(place);
                }
            }
            place += equal.len();
        }
    }
}

impl Game {
    /// Returns `None` for an open game.
    fn of(fixture: &Fixture, scoring: Scoring, withdrawals: &[Withdrawal]) -> Option<Self> {
        let shares = match fixture.verdict(withdrawals) {
            Verdict::Open => return None,
            Verdict::Uncounted => None,
            Verdict::Decided(outcome) => Some((outcome.winner, scoring.discs(&outcome))),
            Verdict::Walkover(winner) => Some((Some(winner), scoring.walkover(winner))),
        };
        let shares = shares.map(|(winner, discs)| Share::both(winner, discs));
        Some(Self { players: fixture.players.map(Some), shares })
    }
}

impl Share {
    /// Returns the shares of black and white in a game with this winner and these discs.
    fn both(winner: Option<Color>, [black, white]: [Discs; 2]) -> [Self; 2] {
        let [own, other] = Points::of(winner);
        [Self { points: own, discs: black }, Self { points: other, discs: white }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Outcome, Reason};
    use crate::tournament::{Format, Round, State, berger, double_berger};
    use outflank_rules::{Color, Overrides, Variant};

    fn othello(size: &str) -> Scoring {
        let overrides = Overrides { size: size.parse().ok(), ..Overrides::default() };
        let rules = Variant::named("othello").unwrap().rules(&overrides).unwrap();
        Scoring::of(&rules, Format::RoundRobin)
    }

    /// A round robin on a board of squares, and the games that are over.
    struct Tournament {
        players: usize,
        scoring: Scoring,
        fixtures: Vec<Fixture>,
        withdrawals: Vec<Withdrawal>,
    }

    impl Tournament {
        fn new(players: usize, rounds: &[Round], size: &str) -> Self {
            let fixtures = Fixture::of_rounds(rounds);
            Self { players, scoring: othello(size), fixtures, withdrawals: Vec::new() }
        }

        /// Ends the first game of these players, black first.
        fn end(&mut self, players: [usize; 2], reason: Reason, discs: [u32; 2], winner: char) {
            let [black, white] = discs;
            let outcome = Outcome { winner: Color::from_letter(winner), reason, black, white };
            let mut games = self.fixtures.iter_mut();
            games.find(|it| it.players == players).unwrap().state = State::Finished(outcome);
        }

        /// Ends a game by counting the discs.
        fn count(&mut self, players: [usize; 2], [black, white]: [u32; 2]) {
            let winner = match black.cmp(&white) {
                std::cmp::Ordering::Greater => 'b',
                std::cmp::Ordering::Less => 'w',
                std::cmp::Ordering::Equal => '=',
            };
            self.end(players, Reason::Discs, [black, white], winner);
        }

        fn withdraw(&mut self, player: usize) {
            self.withdrawals.push(Withdrawal::of(player, &self.fixtures, &self.withdrawals));
        }

        /// Returns a line a row: place, player, games, points, Brightwell quotient and discs.
        fn table(&self) -> Vec<String> {
            let rows = table(self.players, self.scoring, &self.fixtures, &[], &self.withdrawals);
            let line = |row: Row| {
                let Row { player, place, games, points, brightwell, discs, participation } = row;
                let place = place.map_or("-".to_owned(), |place| place.to_string());
                let note = match participation {
                    Participation::Active => String::new(),
                    other => format!(" {other}"),
                };
                let player = ["ann", "bob", "cleo", "dan", "eva", "finn"][player];
                format!("{place} {player} {games} {points} {brightwell} {discs}{note}")
            };
            rows.into_iter().map(line).collect()
        }
    }

    const ANN: usize = 0;
    const BOB: usize = 1;
    const CLEO: usize = 2;
    const DAN: usize = 3;
    const EVA: usize = 4;

    #[test]
    fn the_brightwell_quotient_decides_between_two_players_with_the_same_points() {
        let mut club = Tournament::new(4, &berger(4), "8x8");
        club.count([ANN, DAN], [45, 19]);
        club.count([BOB, CLEO], [27, 37]);
        club.end([DAN, CLEO], Reason::Agreed, [21, 18], '=');
        club.count([ANN, BOB], [31, 33]);
        club.end([BOB, DAN], Reason::Resigned, [30, 20], 'b');
        club.count([CLEO, ANN], [8, 50]);

        let [ann, bob] = [132 + 6 * 4, 104 + 6 * 4];
        assert_eq!((ann, bob), (156, 128), "the opponents of either have 4 points together");
        let expected =
            ["1 ann 3 2 156 132", "2 bob 3 2 128 104", "3 cleo 3 1½ 104 77", "4 dan 3 ½ 104 71"];
        assert_eq!(club.table(), expected, "bob's win against ann does not matter");
    }

    #[test]
    fn discs_decide_between_equal_brightwell_quotients() {
        let mut club = Tournament::new(4, &berger(4), "8x8");
        club.count([ANN, DAN], [40, 24]);
        club.count([DAN, CLEO], [34, 30]);
        club.count([ANN, BOB], [36, 28]);
        club.end([BOB, DAN], Reason::Annulled, [20, 9], '=');
        club.count([CLEO, ANN], [24, 40]);

        let [bob, cleo] = [28 + 6 * 3 + 32, 24 + 30 + 6 * (3 + 1)];
        assert_eq!(
            (bob, cleo),
            (78, 78),
            "bob's annulled game counts 32 discs and 6 for each point"
        );
        let expected =
            ["1 ann 3 3 122 116", "2 dan 2 1 114 58", "3 cleo 2 0 78 54", "4 bob 1 0 78 28"];
        assert_eq!(club.table(), expected);
    }

    #[test]
    fn the_direct_game_decides_between_equal_discs() {
        let mut club = Tournament::new(4, &berger(4), "8x8");
        club.count([ANN, DAN], [33, 31]);
        club.count([BOB, CLEO], [42, 22]);
        club.count([DAN, CLEO], [32, 32]);
        club.count([ANN, BOB], [30, 34]);
        club.count([BOB, DAN], [20, 44]);
        club.count([CLEO, ANN], [31, 33]);
        let expected =
            ["1 bob 3 2 120 96", "2 ann 3 2 120 96", "3 dan 3 1½ 134 107", "4 cleo 3 ½ 118 85"];
        assert_eq!(club.table(), expected);
    }

    #[test]
    fn equal_players_share_a_place() {
        let mut club = Tournament::new(4, &berger(4), "8x8");
        assert_eq!(
            club.table(),
            ["1 ann 0 0 0 0", "1 bob 0 0 0 0", "1 cleo 0 0 0 0", "1 dan 0 0 0 0"]
        );

        club.count([ANN, DAN], [40, 24]);
        club.count([BOB, CLEO], [32, 32]);
        club.count([DAN, CLEO], [24, 40]);
        club.count([ANN, BOB], [40, 24]);
        club.count([BOB, DAN], [40, 24]);
        club.count([CLEO, ANN], [24, 40]);
        let expected =
            ["1 ann 3 3 138 120", "2 bob 3 1½ 123 96", "2 cleo 3 1½ 123 96", "4 dan 3 0 108 72"];
        assert_eq!(club.table(), expected);
    }

    #[test]
    fn games_with_a_player_who_withdrew_are_left_out_of_the_brightwell_quotient() {
        let mut club = Tournament::new(5, &berger(5), "6x6");
        club.count([BOB, EVA], [26, 10]);
        club.count([EVA, CLEO], [20, 16]);
        club.count([ANN, BOB], [24, 12]);
        club.withdraw(EVA);
        assert_eq!(
            club.table(),
            [
                "1 ann 2 2 52.125 44",
                "2 eva 4 1 75.5 62 withdrawn",
                "3 bob 2 1 40.125 38",
                "4 dan 1 1 21.375 20",
                "5 cleo 1 0 18 16",
            ],
            "ann and dan win without a game"
        );

        club.withdraw(DAN);
        assert_eq!(
            club.table(),
            [
                "1 ann 2 2 52.125 44",
                "2 eva 3 1 56.125 46 withdrawn",
                "3 bob 2 1 40.125 38",
                "4 cleo 1 0 18 16",
                "- dan 0 0 0 0 removed",
            ],
            "of dan's four games, only the one with eva was over"
        );
    }

    #[test]
    fn results_against_a_removed_player_count_for_nobody() {
        let mut club = Tournament::new(3, &double_berger(3), "8x8");
        club.count([BOB, CLEO], [64, 0]);
        club.withdraw(CLEO);
        club.count([ANN, BOB], [40, 24]);
        club.count([BOB, ANN], [20, 44]);
        let expected = ["1 ann 2 2 84 84", "2 bob 2 0 68 44", "- cleo 0 0 0 0 removed"];
        assert_eq!(club.table(), expected);
    }

    #[test]
    fn nobody_wins_an_unstarted_game_of_two_players_who_withdrew() {
        let mut club = Tournament::new(3, &berger(3), "8x8");
        club.count([BOB, CLEO], [40, 24]);
        club.count([ANN, BOB], [30, 34]);
        club.withdraw(CLEO);
        club.withdraw(ANN);
        let [ann, cleo] = [30 + 6 * 2 + 32, 24 + 6 * 2 + 32];
        let expected = [
            "1 bob 2 2 88 74".to_owned(),
            format!("2 ann 1 0 {ann} 30 withdrawn"),
            format!("3 cleo 1 0 {cleo} 24 withdrawn"),
        ];
        assert_eq!(club.table(), expected, "bob's quotient is 2·(32 + 6·2)");
    }
}
