//! The moves of a finished game that cost most, in sentences.

use outflank_engine::{self as engine, Judgement, MAX_COMPARED, Reason};
use outflank_model::log::Game;
use outflank_model::render::words::Names;
use outflank_model::words::counted;
use outflank_rules::{Lattice, Move};

/// The most moves that are named.
const MAX_NAMED: usize = 3;

/// Returns two lines for each of the moves that cost most, and for the one that turned the game; nothing if
/// no move cost anything.
pub(crate) fn costliest(
    game: &Game,
    names: Names,
    judged: &[Judgement],
    turned: Option<usize>,
) -> Vec<String> {
    let mut costly: Vec<_> = (0..judged.len()).filter(|&index| judged[index].loss() > 0).collect();
    costly.sort_by_key(|&index| -judged[index].loss());
    let mut named: Vec<_> = costly.into_iter().take(MAX_NAMED).collect();
    named.extend(turned.filter(|index| !named.contains(index)));
    named.into_iter().map(|index| sentence(game, names, judged, index)).collect()
}

fn sentence(game: &Game, names: Names, judged: &[Judgement], index: usize) -> String {
    let lattice = game.lattice();
    let it = &judged[index];
    let about = if it.is_exact() { "" } else { "about " };
    let (mv, by) = (lattice.move_label(it.mv), names.with_color(it.by));
    let reason =
        reason(game, judged, index).map_or(String::new(), |reason| format!("{reason} and "));
    let (number, loss) = (index + 1, counted(it.loss(), "disc"));
    let line = it.line.iter().enumerate().skip(1).take(MAX_COMPARED - 1);
    let line: Vec<_> = line.map(|(at, &mv)| numbered(lattice, number + at, mv)).collect();
    let then = if line.is_empty() { String::new() } else { format!(", then {}", line.join(" ")) };
    let best = numbered(lattice, number, it.best);
    format!("{number}. {mv} by {by} {reason}cost {about}{loss}.\nBetter was {best}{then}.")
}

/// Returns why a move was worse than the better one, where that is certain, as words that follow the move.
pub(crate) fn reason(game: &Game, judged: &[Judgement], index: usize) -> Option<String> {
    let before = game.at(index)?;
    let reason = engine::reason(before.position(), judged.get(index..)?)?;
    Some(in_words(game.lattice(), index + 1, &reason))
}

/// Describes a reason: the effect of the move with this number.
fn in_words(lattice: Lattice, number: usize, reason: &Reason) -> String {
    let later = |ply, cell| numbered(lattice, number + ply, Move::Place(cell));
    match *reason {
        Reason::GaveUpCorner(corner) => format!("gave up the corner {}", lattice.label(corner)),
        Reason::MissedCorner(corner) => {
            format!("did not take the corner {}", lattice.label(corner))
        }
        Reason::OnlyMove(cell) => format!("left no move but {}", lattice.label(cell)),
        Reason::NoMove => "left no move".to_owned(),
        Reason::LosesCornerLater { corner, ply } => {
            format!("allowed the corner {}", later(ply, corner))
        }
        Reason::MissesCornerLater { corner, ply } => {
            format!("did not prepare the corner {}", later(ply, corner))
        }
        Reason::MustPass { ply } => format!("led to {}.pass", number + ply),
        Reason::ForcesNoPass { ply } => format!("did not force {}.pass", number + ply),
        Reason::LosesEdge { edge, discs, mv, ply } => {
            let [first, last] = edge.map(|cell| lattice.label(cell));
            let (discs, mv) = (counted(discs, "stable disc"), numbered(lattice, number + ply, mv));
            format!("gave the opponent {discs} on the edge {first}-{last} by {mv}")
        }
        Reason::EvenRegion { cells: [cells, better] } => format!(
            "was in an even region ({cells} empty squares) instead of an odd one ({better})"
        ),
        Reason::Mobility { opponent, player } => format!(
            "left {} against {} of the opponent instead of {} against {}",
            counted(player[0], "own move"),
            opponent[0],
            player[1],
            opponent[1]
        ),
        Reason::LeavesMove(mv) => {
            format!("left {} to the opponent", numbered(lattice, number + 1, mv))
        }
    }
}

/// Returns a move behind its number. At the end of a line of a mail, a cell would be a command. Behind its number,
/// without a space, it is none, wherever the line is wrapped.
fn numbered(lattice: Lattice, number: usize, mv: Move) -> String {
    format!("{number}.{}", lattice.move_label(mv))
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::Variant;

    #[test]
    fn each_reason_is_a_sentence_with_squares_and_numbers() {
        let rules = Variant::named("othello").unwrap().rules(&Default::default()).unwrap();
        let [a1, h1, h8] = ["a1", "h1", "h8"].map(|label| label.parse().unwrap());
        let (corner, edge) = (h8, [a1, h1]);
        for (reason, words) in [
            (Reason::GaveUpCorner(h8), "gave up the corner h8"),
            (Reason::MissedCorner(h8), "did not take the corner h8"),
            (Reason::OnlyMove(a1), "left no move but a1"),
            (Reason::NoMove, "left no move"),
            (Reason::LosesCornerLater { corner, ply: 3 }, "allowed the corner 36.h8"),
            (Reason::MissesCornerLater { corner, ply: 4 }, "did not prepare the corner 37.h8"),
            (Reason::MustPass { ply: 4 }, "led to 37.pass"),
            (Reason::ForcesNoPass { ply: 3 }, "did not force 36.pass"),
            (
                Reason::LosesEdge { edge, discs: 6, mv: Move::Place(a1), ply: 7 },
                "gave the opponent 6 stable discs on the edge a1-h1 by 40.a1",
            ),
            (
                Reason::EvenRegion { cells: [4, 3] },
                "was in an even region (4 empty squares) instead of an odd one (3)",
            ),
            (
                Reason::Mobility { opponent: [13, 12], player: [1, 8] },
                "left 1 own move against 13 of the opponent instead of 8 against 12",
            ),
            (Reason::LeavesMove(Move::Place(a1)), "left 34.a1 to the opponent"),
        ] {
            assert_eq!(in_words(rules.lattice, 33, &reason), words);
        }
    }
}
