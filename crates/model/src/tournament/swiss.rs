use std::cmp::{Ordering, Reverse};

use mwmatching::{Edges, Matching, SENTINEL};

use super::{Fixture, MAX_SWISS_PLAYERS, MAX_SWISS_ROUNDS, Points, Round};
use outflank_rules::Color;

/// A round of a Swiss tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwissRound {
    /// The games, the players with the most points first. Each is black first.
    pub games: Round,
    /// The player who has no game, since the number of players is odd.
    pub bye: Option<usize>,
}

/// Returns the next round of a Swiss tournament; `None` if not everybody can have a new opponent.
///
/// Players are numbered by their places in the rating list, the best one first. The contenders are those who
/// have not withdrawn, in the order of their numbers. The earlier games stand in the order of their rounds,
/// annulled ones among them, since their players have met.
///
/// Nobody meets twice or has a second bye. Of the rounds without that, it is one with
/// 1. the smallest sum of squared differences in points, where a bye is an opponent without points;
/// 2. then the smallest sum of all players' differences between games with black and games with white;
/// 3. then the smallest distance from the fold. In a group of m players with equal points, each in the upper
///    half should meet the one ⌊m/2⌋ places below, and the last one should have the bye.
///
/// The player whose black games less white games are fewer is black. If they are equal, it is the player who
/// had white when their colours last differed. If they never did, the better player is black on the first
/// board, white on the second, and so on.
///
/// ```
/// # use outflank_model::tournament::{Points, swiss};
/// let contenders = [0, 1, 2, 3, 4].map(|player| (player, Points::default()));
/// let first = swiss(&contenders, &[], &[]).unwrap();
/// assert_eq!((first.games, first.bye), (vec![[0, 2], [3, 1]], Some(4)));
/// ```
///
/// # Panics
/// With more than [`MAX_SWISS_PLAYERS`], or with more points than there are before the last of
/// [`MAX_SWISS_ROUNDS`].
pub fn swiss(
    contenders: &[(usize, Points)],
    earlier: &[Fixture],
    byes: &[usize],
) -> Option<SwissRound> {
    let field: Vec<_> =
        (0..contenders.len()).map(|index| Contender::of(index, contenders, earlier)).collect();
    // The vertices are the contenders, then the bye.
    let vertices = field.len().next_multiple_of(2);
    let mut edges = Edges::new();
    for (index, one) in field.iter().enumerate() {
        for (other, it) in field.iter().enumerate().skip(index + 1) {
            if !one.opponents.contains(&it.player) {
                edges.push((index, other, weight(one.cost(it))));
            }
        }
        if vertices > field.len() && !byes.contains(&one.player) {
            edges.push((index, field.len(), weight(one.cost_of_bye())));
        }
    }
    // The weights are known to be small enough only if all can be paired.
    let alike = edges.iter().map(|&(one, other, _)| (one, other, 1)).collect();
    let mates = perfect(alike, vertices).and_then(|_| perfect(edges, vertices))?;

    let bye = mates.get(field.len()).map(|&index| field[index].player);
    let pairs = field.iter().zip(mates).filter_map(|(one, mate)| Some([one, field.get(mate)?]));
    let mut boards: Vec<_> = pairs.filter(|[one, other]| one.rank() < other.rank()).collect();
    boards.sort_by_key(|[better, _]| better.rank());
    let games: Round =
        boards.into_iter().enumerate().map(|(board, it)| colors(board, it)).collect();
    (!games.is_empty()).then_some(SwissRound { games, bye })
}

/// Returns the mate of each vertex in a matching of the greatest weight; `None` if one has no mate.
fn perfect(edges: Edges, vertices: usize) -> Option<Vec<usize>> {
    let mates = Matching::new(edges).max_cardinality().solve();
    (mates.len() == vertices && !mates.contains(&SENTINEL)).then_some(mates)
}

/// Returns the players of a board, black first. Boards are counted from 0; the better player is given first.
fn colors(board: usize, [better, other]: [&Contender; 2]) -> [usize; 2] {
    let by_balance = better.balance().cmp(&other.balance());
    let better_is_black = match by_balance.then_with(|| better.colors.cmp(&other.colors)) {
        Ordering::Less => true,
        Ordering::Equal => board.is_multiple_of(2),
        Ordering::Greater => false,
    };
    if better_is_black { [better.player, other.player] } else { [other.player, better.player] }
}

// The cost of a pair is a number with a digit for each demand. The base of a digit is greater than its sum
// over the pairs of any round, so that the round with the smallest sum of costs is the best:
// - the square of the difference in half points, which is at most 20 after ten rounds;
// - the colours: 0, 1 or 2;
// - the distance from the fold: with 64 players at most 31 in each of 32 games; with 63 players at most 31 in
//   each of 31 games and 62 for the bye, which is 1,023 in all.
const MAX_PAIRS: usize = MAX_SWISS_PLAYERS / 2;
const MAX_GAP: usize = (2 * (MAX_SWISS_ROUNDS - 1)).pow(2);
const COLORS_BASE: usize = 2 * MAX_PAIRS + 1;
const FOLD_BASE: usize = MAX_PAIRS.pow(2);
const MAX_COST: usize = cost(MAX_GAP, 2, FOLD_BASE - 1);

// The matching adds up two dual variables in 32 bits. A player without a mate has the least one. At the last
// augmentation it is the weight of a round less that of the best pairing of all but two players, so it is at
// least `MAX_COST` less the cost of a round. The greatest exceeds `MAX_COST` by no more than that cost.
const MAX_COST_OF_ROUND: usize = cost(MAX_PAIRS * MAX_GAP, COLORS_BASE - 1, FOLD_BASE - 1);
const _: () = assert!(2 * (MAX_COST + MAX_COST_OF_ROUND) <= i32::MAX as usize);

const fn cost(gap: usize, colors: usize, fold: usize) -> usize {
    (gap * COLORS_BASE + colors) * FOLD_BASE + fold
}

const fn weight(cost: usize) -> i32 {
    (MAX_COST - cost) as i32
}

/// A player of the next round.
struct Contender {
    player: usize,
    points: Points,
    /// The place among the players with equal points, from 0.
    place: usize,
    /// How many players have these points.
    group: usize,
    /// The opponents so far, the latest first.
    opponents: Vec<usize>,
    /// The colours against them: 1 is black, −1 is white.
    colors: Vec<i32>,
}

impl Contender {
    fn of(index: usize, contenders: &[(usize, Points)], earlier: &[Fixture]) -> Self {
        let (player, points) = contenders[index];
        let equal = |field: &[(usize, Points)]| field.iter().filter(|it| it.1 == points).count();
        let (place, group) = (equal(&contenders[..index]), equal(contenders));
        let games = earlier.iter().rev().filter(|game| game.is_of(player));
        let (opponents, colors) = games
            .map(|game| match game.color_of(player) {
                Color::Black => (game.players[1], 1),
                Color::White => (game.players[0], -1),
            })
            .unzip();
        Self { player, points, place, group, opponents, colors }
    }

    fn cost(&self, other: &Self) -> usize {
        let gap = self.points.halves().abs_diff(other.points.halves()) as usize;
        let [one, two] = [self.balance(), other.balance()];
        let colors = usize::from(one.min(two) >= 0) + usize::from(one.max(two) <= 0);
        let fold = self.place.abs_diff(other.place).abs_diff(self.group / 2);
        cost(gap.pow(2), colors, if gap == 0 { fold } else { 0 })
    }

    fn cost_of_bye(&self) -> usize {
        cost((self.points.halves() as usize).pow(2), 0, self.group - 1 - self.place)
    }

    /// Returns the games as black, less those as white.
    fn balance(&self) -> i32 {
        self.colors.iter().sum()
    }

    /// Returns the key that sorts better players first.
    fn rank(&self) -> (Reverse<Points>, usize) {
        (Reverse(self.points), self.player)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::State;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 20) as usize % bound
        }
    }

    fn halves(count: usize) -> Points {
        std::iter::repeat_n(Points::DRAW, count).sum()
    }

    fn fixture(players: [usize; 2]) -> Fixture {
        Fixture { round: 1, players, state: State::UnderWay }
    }

    /// What is known before a round.
    #[derive(Debug, Default)]
    struct Sample {
        contenders: Vec<(usize, Points)>,
        earlier: Vec<Fixture>,
        byes: Vec<usize>,
    }

    impl Sample {
        /// Returns up to ten players after random rounds, of whom some have withdrawn, with random points.
        fn random(random: &mut Random) -> Self {
            let players = 1 + random.below(10);
            let rounds = random.below(players.min(10));
            let mut sample = Self::default();
            for _ in 0..rounds {
                let mut waiting: Vec<_> = (0..players).collect();
                let mut bye = (players % 2 == 1).then_some(());
                while !waiting.is_empty() {
                    let player = waiting.swap_remove(random.below(waiting.len()));
                    let met = |other: &usize| {
                        let games = &mut sample.earlier.iter();
                        games.any(|game| game.is_of(player) && game.is_of(*other))
                    };
                    if let Some(index) = waiting.iter().position(|other| !met(other)) {
                        let players = [player, waiting.swap_remove(index)];
                        sample.earlier.push(fixture(players));
                    } else if !sample.byes.contains(&player) && bye.take().is_some() {
                        sample.byes.push(player);
                    }
                }
            }
            let spread = 1 + random.below(2 * rounds + 1);
            let active: Vec<_> = (0..players).filter(|_| random.below(12) > 0).collect();
            let points = active.into_iter().map(|it| (it, halves(random.below(spread))));
            sample.contenders = points.collect();
            sample
        }

        fn swiss(&self) -> Option<SwissRound> {
            swiss(&self.contenders, &self.earlier, &self.byes)
        }

        fn points(&self, player: usize) -> i32 {
            let entry = self.contenders.iter().find(|it| it.0 == player);
            i32::try_from(entry.unwrap().1.halves()).unwrap()
        }

        fn met(&self, [one, two]: [usize; 2]) -> bool {
            self.earlier.iter().any(|it| it.players == [one, two] || it.players == [two, one])
        }

        /// Returns the sums that the best round has the least of, the most important one first.
        fn sums(&self, round: &SwissRound) -> [i32; 3] {
            let [mut gap, mut fold] = [0, 0];
            for &[one, two] in &round.games {
                let [points, other] = [self.points(one), self.points(two)];
                gap += (points - other) * (points - other);
                if points == other {
                    let group = self.group(points);
                    let [one, two] = [one, two].map(|it| group.iter().position(|&at| at == it));
                    let [one, two] = [one.unwrap(), two.unwrap()];
                    fold += ((two.max(one) - two.min(one)) as i32 - group.len() as i32 / 2).abs();
                }
            }
            if let Some(player) = round.bye {
                let points = self.points(player);
                gap += points * points;
                fold += self.group(points).into_iter().rev().position(|it| it == player).unwrap()
                    as i32;
            }
            [gap, self.imbalance(&round.games), fold]
        }

        fn group(&self, points: i32) -> Vec<usize> {
            self.contenders.iter().map(|it| it.0).filter(|&it| self.points(it) == points).collect()
        }

        fn imbalance(&self, games: &[[usize; 2]]) -> i32 {
            let mut balances = [0_i32; 10];
            for [black, white] in self.earlier.iter().map(|it| it.players).chain(games.to_vec()) {
                balances[black] += 1;
                balances[white] -= 1;
            }
            self.contenders.iter().map(|it| balances[it.0].abs()).sum()
        }

        /// Returns the least sums of all rounds that go on like this one.
        fn least(&self, waiting: &[usize], round: &SwissRound) -> Option<[i32; 3]> {
            let Some((&one, others)) = waiting.split_first() else {
                return (!round.games.is_empty()).then(|| self.sums(round));
            };
            let mut all = Vec::new();
            for &two in others.iter().filter(|&&two| !self.met([one, two])) {
                let rest: Vec<_> = others.iter().copied().filter(|&it| it != two).collect();
                let with = |game| [&*round.games, &[game]].concat();
                let games = [with([one, two]), with([two, one])];
                let games = games.into_iter().min_by_key(|games| self.imbalance(games)).unwrap();
                all.extend(self.least(&rest, &SwissRound { games, bye: round.bye }));
            }
            let is_odd = self.contenders.len() % 2 == 1;
            if is_odd && round.bye.is_none() && !self.byes.contains(&one) {
                all.extend(self.least(others, &SwissRound { bye: Some(one), ..round.clone() }));
            }
            all.into_iter().min()
        }
    }

    #[test]
    fn it_is_the_best_round_of_all() {
        let mut random = Random(37);
        let [mut none, mut byes] = [0, 0];
        for case in 0..600 {
            let sample = Sample::random(&mut random);
            let players: Vec<_> = sample.contenders.iter().map(|it| it.0).collect();
            let empty = SwissRound { games: Vec::new(), bye: None };
            let least = sample.least(&players, &empty);
            let round = sample.swiss();
            assert_eq!(round, sample.swiss(), "it is always the same");
            assert_eq!(
                round.as_ref().map(|it| sample.sums(it)),
                least,
                "{case}: {sample:?} {round:?}"
            );
            let Some(SwissRound { games, bye }) = round else {
                none += 1;
                continue;
            };
            byes += usize::from(bye.is_some());
            assert!(!games.iter().any(|&pair| sample.met(pair)));
            assert!(!bye.is_some_and(|player| sample.byes.contains(&player)));
            let mut busy: Vec<_> = games.as_flattened().iter().copied().chain(bye).collect();
            busy.sort_unstable();
            assert_eq!(busy, players);
        }
        assert!(none > 60 && byes > 60, "{none} without a round, {byes} with a bye");
    }

    /// Plays a tournament with random results, and returns its rounds.
    fn play(players: usize, rounds: usize, random: &mut Random) -> Vec<SwissRound> {
        let contenders = (0..players).map(|player| (player, Points::LOSS)).collect();
        let mut sample = Sample { contenders, ..Sample::default() };
        let mut played = Vec::new();
        for round in 1..=rounds {
            let Some(next) = sample.swiss() else { break };
            let mut score = |player: usize, points: Points| {
                let total = &mut sample.contenders[player].1;
                *total = [*total, points].into_iter().sum();
            };
            for &players in &next.games {
                let winner = [Some(Color::Black), Some(Color::White), None][random.below(3)];
                let points = Points::of(winner);
                players.into_iter().zip(points).for_each(|(player, points)| score(player, points));
                sample.earlier.push(Fixture { round, players, state: State::UnderWay });
            }
            next.bye.iter().for_each(|&player| score(player, Points::WIN));
            sample.byes.extend(next.bye);
            played.push(next);
        }
        played
    }

    #[test]
    fn the_largest_tournament_meets_nobody_twice() {
        for players in [63, 64] {
            let rounds = play(players, MAX_SWISS_ROUNDS, &mut Random(players as u64));
            assert_eq!(rounds.len(), MAX_SWISS_ROUNDS);
            let games = rounds.iter().flat_map(|round| &round.games).copied();
            let mut pairs: Vec<_> = games.map(|[one, two]| [one.min(two), one.max(two)]).collect();
            let mut byes: Vec<_> = rounds.iter().filter_map(|round| round.bye).collect();
            let lists = (pairs.len(), byes.len());
            pairs.sort_unstable();
            pairs.dedup();
            byes.sort_unstable();
            byes.dedup();
            assert_eq!((pairs.len(), byes.len()), lists);
            assert_eq!(lists, (players / 2 * rounds.len(), players % 2 * rounds.len()));
        }
    }

    #[test]
    fn the_greatest_differences_fit() {
        // All have met those with equal points, which are the most and the fewest.
        let contenders: Vec<_> =
            (0..64).map(|it| (it, halves(if it < 32 { 20 } else { 0 }))).collect();
        let same_half = |&[one, two]: &[usize; 2]| (one < 32) == (two < 32);
        let games = (0..64).flat_map(|one| (one + 1..64).map(move |two| [one, two]));
        let earlier: Vec<_> = games.filter(same_half).map(fixture).collect();
        let round = swiss(&contenders, &earlier, &[]).unwrap();
        assert!(round.games.iter().all(|players| !same_half(players)));

        let earlier: Vec<_> = earlier.into_iter().filter(|it| !it.is_of(40)).collect();
        let byes: Vec<_> = (1..64).collect();
        assert_eq!(swiss(&contenders[..63], &earlier, &byes).unwrap().bye, Some(0));
        assert_eq!(swiss(&contenders[1..], &earlier, &byes), None);
    }

    #[test]
    fn a_tournament_of_few_players_ends_when_all_have_met() {
        let rounds = |players| play(players, MAX_SWISS_ROUNDS, &mut Random(7)).len();
        assert_eq!([0, 1, 2, 3, 4].map(rounds), [0, 0, 1, 3, 3]);
    }

    #[test]
    fn in_the_first_round_colours_alternate_down_the_boards() {
        let round = &play(8, 1, &mut Random(1))[0];
        assert_eq!(round.games, [[0, 4], [5, 1], [2, 6], [7, 3]]);
    }

    #[test]
    fn black_is_who_had_white_more_often_and_then_later() {
        let black = |games: &[[usize; 2]]| {
            let earlier: Vec<_> = games.iter().copied().map(fixture).collect();
            swiss(&[0, 1].map(|it| (it, Points::LOSS)), &earlier, &[]).unwrap().games[0][0]
        };
        assert_eq!(black(&[[0, 2], [2, 0], [1, 3], [3, 1], [0, 4]]), 1, "0 had one more black");
        assert_eq!(black(&[[0, 2], [0, 3], [1, 4]]), 1, "both had black, 0 more often");
        assert_eq!(black(&[[0, 2], [3, 1], [4, 0], [1, 5]]), 0, "0 had white later");
        assert_eq!(
            black(&[[2, 0], [1, 3], [0, 4], [5, 1], [0, 6], [1, 7]]),
            1,
            "the last but one differs"
        );
        assert_eq!(black(&[[0, 2], [1, 3]]), 0, "the better player on the first board");
    }

    #[test]
    fn boards_are_in_the_order_of_points() {
        let points = [0, 2, 1, 2, 0, 1].map(halves);
        let contenders: Vec<_> = points.into_iter().enumerate().collect();
        assert_eq!(swiss(&contenders, &[], &[]).unwrap().games, [[1, 3], [5, 2], [0, 4]]);
    }
}
