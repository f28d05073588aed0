/// The games of a round: the players of each, black first.
pub type Round = Vec<[usize; 2]>;

/// Returns the rounds of a round robin by the Berger tables of the FIDE Handbook (C.05, annex 1): each two
/// players meet once. The player named first there has the first move, and so is black here.
///
/// With an odd number of players, one has no game in each round. Fewer than two players have no rounds.
///
/// ```
/// # use outflank_model::tournament::berger;
/// assert_eq!(berger(4), [[[0, 3], [1, 2]], [[3, 2], [0, 1]], [[1, 3], [2, 0]]]);
/// assert_eq!(berger(3), [[[1, 2]], [[0, 1]], [[2, 0]]]);
/// ```
pub fn berger(players: usize) -> Vec<Round> {
    if players < 2 {
        return Vec::new();
    }
    let last = players.next_multiple_of(2) - 1;
    (0..last).map(|round| pairs(round, last, players)).collect()
}

/// Returns the rounds of a double round robin: those of [`berger`], then the same with the colours swapped.
pub fn double_berger(players: usize) -> Vec<Round> {
    let first = berger(players);
    let swap = |round: &Round| round.iter().map(|&[black, white]| [white, black]).collect();
    let second: Vec<Round> = first.iter().map(swap).collect();
    [first, second].concat()
}

/// Returns the pairs of a round, counted from 0. All players but the `last` stand in a circle. One of them
/// meets the last; each pair of the others has the same distance from that one.
fn pairs(round: usize, last: usize, players: usize) -> Round {
    let half = last.div_ceil(2);
    let fixed = round * half % last;
    let first = if round.is_multiple_of(2) { [fixed, last] } else { [last, fixed] };
    let others =
        (1..half).map(|distance| [(fixed + distance) % last, (fixed + last - distance) % last]);
    let is_game = |pair: &[usize; 2]| pair.iter().all(|&player| player < players);
    std::iter::once(first).chain(others).filter(is_game).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The printed tables, with players counted from 1.
    const PRINTED: [(usize, &str); 3] = [
        (4, "1-4,2-3 / 4-3,1-2 / 2-4,3-1"),
        (6, "1-6,2-5,3-4 / 6-4,5-3,1-2 / 2-6,3-1,4-5 / 6-5,1-4,2-3 / 3-6,4-2,5-1"),
        (
            8,
            "1-8,2-7,3-6,4-5 / 8-5,6-4,7-3,1-2 / 2-8,3-1,4-7,5-6 / 8-6,7-5,1-4,2-3 / \
             3-8,4-2,5-1,6-7 / 8-7,1-6,2-5,3-4 / 4-8,5-3,6-2,7-1",
        ),
    ];

    fn printed(rounds: &[Round]) -> String {
        let pair = |[black, white]: &[usize; 2]| format!("{}-{}", black + 1, white + 1);
        let round = |round: &Round| round.iter().map(pair).collect::<Vec<_>>().join(",");
        rounds.iter().map(round).collect::<Vec<_>>().join(" / ")
    }

    #[test]
    fn the_rounds_are_those_of_the_printed_tables() {
        for (players, table) in PRINTED {
            assert_eq!(printed(&berger(players)), table);
        }
    }

    #[test]
    fn with_an_odd_number_the_opponent_of_the_missing_player_has_no_game() {
        for (players, table) in PRINTED {
            let missing = players.to_string();
            let rounds = table.split(" / ").map(|round| {
                let games = round.split(',').filter(|pair| !pair.contains(&missing));
                games.collect::<Vec<_>>().join(",")
            });
            let table = rounds.collect::<Vec<_>>().join(" / ");
            assert_eq!(printed(&berger(players - 1)), table);
        }
    }

    #[test]
    fn each_two_players_meet_once() {
        for players in 2..=40 {
            let rounds = berger(players);
            assert_eq!(rounds.len(), if players % 2 == 0 { players - 1 } else { players });
            let mut met = vec![vec![0; players]; players];
            let mut blacks = vec![0_i32; players];
            for round in &rounds {
                assert_eq!(round.len(), players / 2);
                let mut busy: Vec<_> = round.as_flattened().to_vec();
                busy.sort_unstable();
                busy.dedup();
                assert_eq!(busy.len(), 2 * round.len(), "one game a round: {round:?}");
                for &[black, white] in round {
                    met[black][white] += 1;
                    met[white][black] += 1;
                    blacks[black] += 1;
                    blacks[white] -= 1;
                }
            }
            for (one, games) in met.iter().enumerate() {
                let mut others = games.iter().enumerate();
                assert!(others.all(|(other, &games)| games == i32::from(one != other)));
            }
            assert!(blacks.iter().all(|more| more.abs() <= 1), "{players}: {blacks:?}");
        }
    }

    #[test]
    fn in_a_double_round_robin_they_meet_with_either_colour() {
        for players in 2..=16 {
            let rounds = double_berger(players);
            let (first, second) = rounds.split_at(rounds.len() / 2);
            assert_eq!(first, berger(players));
            let mut games = rounds.concat();
            games.sort_unstable();
            let all = (0..players).flat_map(|black| (0..players).map(move |white| [black, white]));
            let expected: Vec<_> = all.filter(|[black, white]| black != white).collect();
            assert_eq!(games, expected);
            for (first, second) in first.iter().zip(second) {
                assert!(first.iter().zip(second).all(|(one, two)| *one == [two[1], two[0]]));
            }
        }
    }

    #[test]
    fn fewer_than_two_players_have_no_games() {
        assert!([0, 1].map(double_berger).iter().all(Vec::is_empty));
        assert_eq!(berger(2), [[[0, 1]]]);
    }
}
