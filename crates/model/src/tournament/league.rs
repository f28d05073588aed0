use std::mem;

/// The fewest players of a league's last division, unless it is the only one.
const MIN_DIVISION: usize = 4;

/// Returns the players of a league in the order of its next season, given its divisions in the order of their
/// final tables.
///
/// The last `moved` players of a division change places with the first of the next one, in the same order. With
/// at least twice as many in each division but the last, nobody moves both up and down.
///
/// ```
/// # use outflank_model::tournament::promote;
/// let divisions = vec![vec![1, 2, 3, 4], vec![5, 6, 7, 8], vec![9, 10, 11, 12]];
/// assert_eq!(promote(divisions, 1), [1, 2, 3, 5, 4, 6, 7, 9, 8, 10, 11, 12]);
/// ```
pub fn promote<T>(mut divisions: Vec<Vec<T>>, moved: usize) -> Vec<T> {
    for lower in 1..divisions.len() {
        if let [upper, lower] = &mut divisions[lower - 1..=lower] {
            let moved = moved.min(upper.len()).min(lower.len());
            let stay = upper.len() - moved;
            upper[stay..].swap_with_slice(&mut lower[..moved]);
        }
    }
    divisions.into_iter().flatten().collect()
}

/// Cuts the order of a league into divisions of this size. If fewer than four players are left, they join the
/// last division.
///
/// ```
/// # use outflank_model::tournament::cut;
/// let sizes = |players| cut((0..players).collect(), 6).iter().map(Vec::len).collect::<Vec<_>>();
/// assert_eq!([sizes(3), sizes(15), sizes(16)], [vec![3], vec![6, 9], vec![6, 6, 4]]);
/// ```
pub fn cut<T>(mut order: Vec<T>, size: usize) -> Vec<Vec<T>> {
    let mut divisions = Vec::new();
    while order.len() >= size.max(1) + MIN_DIVISION {
        let rest = order.split_off(size.max(1));
        divisions.push(mem::replace(&mut order, rest));
    }
    if !order.is_empty() {
        divisions.push(order);
    }
    divisions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divisions of these sizes, with players numbered from 0.
    fn divisions(sizes: &[usize]) -> Vec<Vec<usize>> {
        let mut players = 0..;
        sizes.iter().map(|&size| players.by_ref().take(size).collect()).collect()
    }

    #[test]
    fn two_of_each_division_move_up_and_two_down() {
        let [top, middle, last] = [
            vec!["ann", "bob", "cleo", "dan", "eva", "finn"],
            vec!["gus", "hal", "ida", "jim", "kim", "leo"],
            vec!["mia", "ned", "ola", "pia"],
        ];
        let expected = [
            vec!["ann", "bob", "cleo", "dan", "gus", "hal"],
            vec!["eva", "finn", "ida", "jim", "mia", "ned"],
            vec!["kim", "leo", "ola", "pia"],
        ];
        assert_eq!(cut(promote(vec![top, middle, last], 2), 6), expected);
    }

    #[test]
    fn each_moves_at_most_one_division_and_nobody_is_lost() {
        for sizes in (0..6_usize.pow(4)).map(|it| [it / 216, it / 36 % 6, it / 6 % 6, it % 6]) {
            let max = sizes[..3].iter().min().map_or(0, |size| size / 2);
            for moved in 0..=max {
                let before = divisions(&sizes);
                let order = promote(before.clone(), moved);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, before.concat());

                let mut after = order.into_iter();
                for (level, size) in sizes.into_iter().enumerate() {
                    let division: Vec<_> = after.by_ref().take(size).collect();
                    let of = |level: usize| {
                        division.iter().filter(|it| before[level].contains(it)).count()
                    };
                    let up = if level > 0 { moved.min(size) } else { 0 };
                    let down = if level < 3 { moved.min(sizes[level + 1]) } else { 0 };
                    assert_eq!(of(level), size - up - down, "{sizes:?} {moved}");
                    assert!(level == 0 || of(level - 1) == up, "{sizes:?} {moved}");
                    assert!(level == 3 || of(level + 1) == down, "{sizes:?} {moved}");
                }
            }
        }
    }

    #[test]
    fn divisions_have_their_size_but_for_the_last() {
        for (players, size) in (0..60).flat_map(|players| (1..13).map(move |size| (players, size)))
        {
            let order: Vec<usize> = (0..players).collect();
            let divisions = cut(order.clone(), size);
            assert_eq!(divisions.concat(), order);
            let Some((last, others)) = divisions.split_last() else {
                assert_eq!(players, 0);
                continue;
            };
            assert!(others.iter().all(|division| division.len() == size));
            assert!(last.len() < size + 4 && (others.is_empty() || last.len() >= 4));
        }
        assert_eq!(cut(vec![1], 0), [[1]]);
    }
}
