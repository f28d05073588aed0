//! Why a move cost discs, by rules that are certain.

mod lines;
mod shape;
#[cfg(test)]
mod tests;

use super::analysis::Judgement;
use super::glance::corners;
use super::solve::played;
use lines::{Line, Lines};
use outflank_rules::{Cell, Color, Goal, Move, Position};

pub use lines::MAX_COMPARED;

/// A consequence that the better move avoids, proved by the rules alone.
///
/// The first four show in the position after the move or the reply. The others compare two lines: the move
/// and the best play after it, and the better move and the best play after that, for the same number of plies,
/// [`MAX_COMPARED`] at most. They are not given in misère. A `ply` counts from the move: 1 is the reply.
/// Numbers come in pairs: after the move, and after the better one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The opponent could take this corner.
    GaveUpCorner(Cell),
    /// The player could have taken this corner.
    MissedCorner(Cell),
    /// After the opponent's reply, the player had no other move than this.
    OnlyMove(Cell),
    /// After the opponent's reply, the player had no move.
    NoMove,
    /// The opponent takes this corner; after the better move, that is impossible.
    LosesCornerLater {
        /// The corner.
        corner: Cell,
        /// When.
        ply: usize,
    },
    /// After the better move, the player takes this corner; after the move, that is impossible.
    MissesCornerLater {
        /// The corner.
        corner: Cell,
        /// When.
        ply: usize,
    },
    /// The player must pass only after the move.
    MustPass {
        /// When.
        ply: usize,
    },
    /// The opponent must pass only after the better move.
    ForcesNoPass {
        /// When.
        ply: usize,
    },
    /// The opponent gets discs on an edge that can never be flipped.
    LosesEdge {
        /// The first and the last cell of the edge.
        edge: [Cell; 2],
        /// How many such discs are there in the end, at least.
        discs: usize,
        /// The move that brings the last of them.
        mv: Move,
        /// When.
        ply: usize,
    },
    /// The move was in a region with an even number of empty cells, the better one is in an odd one.
    EvenRegion {
        /// How many empty cells the regions had before.
        cells: [usize; 2],
    },
    /// The opponent has more moves, or the player fewer.
    Mobility {
        /// How many moves the opponent has.
        opponent: [usize; 2],
        /// How many moves the player has after the reply.
        player: [usize; 2],
    },
    /// The opponent makes the better move in reply.
    LeavesMove(Move),
}

/// The rules that compare lines. The first that gives a reason counts.
const RULES: [fn(&Lines) -> Option<Reason>; 8] = [
    corner_lost,
    corner_missed,
    pass_suffered,
    pass_missed,
    edge_lost,
    even_region,
    mobility,
    move_left,
];

/// How many more stable discs on an edge are worth a reason.
const MIN_EDGE: usize = 3;
/// The most empty cells of a region whose parity is worth a reason.
const MAX_REGION: usize = 8;
/// How many moves more for the opponent and fewer for the player are worth a reason, together.
const MIN_MOBILITY: usize = 3;

/// Returns the reason why the first of these moves cost discs, if a rule finds one. `before` is the position
/// before it, and the other moves are those that follow in the game.
pub fn reason(before: &Position, judged: &[Judgement]) -> Option<Reason> {
    let it = judged.first()?;
    // In misère, a corner is nothing to gain, and few moves are nothing to fear.
    let is_usual = before.rules().goal == Goal::More;
    let at_once = at_once(before, it, judged.get(1).map(|reply| reply.mv), is_usual);
    at_once.or_else(|| {
        let lines = Lines::of(before, judged).filter(|_| is_usual)?;
        RULES.iter().find_map(|rule| rule(&lines))
    })
}

/// Returns a reason that the move itself shows, or the reply in the game.
fn at_once(
    before: &Position,
    judged: &Judgement,
    reply: Option<Move>,
    is_usual: bool,
) -> Option<Reason> {
    let &[better, ref rest @ ..] = &judged.line[..] else { return None };
    let [after, after_better] = [judged.mv, better].map(|mv| played(before, mv));
    let corners = corners(before).filter(|_| is_usual);
    let corners = corners.as_ref().map_or(&[][..], |corners| corners);
    let can_take = |position: &Position, corner| position.placements().contains(corner);
    let given = |corner: &&Cell| can_take(&after, **corner) && !can_take(&after_better, **corner);
    if let Some(&corner) = corners.iter().find(given) {
        // If the better move took it, the player did not give it up but left it there.
        let is_missed = better == Move::Place(corner);
        return Some(if is_missed {
            Reason::MissedCorner(corner)
        } else {
            Reason::GaveUpCorner(corner)
        });
    }
    if let Some(&corner) = corners.iter().find(|&&corner| better == Move::Place(corner)) {
        return Some(Reason::MissedCorner(corner));
    }
    let left = played(&after, reply?).placements();
    let is_choice_better = played(&after_better, *rest.first()?).placements().len() > 1;
    let mut left = left.iter();
    match (left.next(), left.next()) {
        _ if !is_choice_better => None,
        (None, _) => Some(Reason::NoMove),
        (Some(cell), None) => Some(Reason::OnlyMove(cell)),
        _ => None,
    }
}

/// The opponent takes a corner after the move.
fn corner_lost(lines: &Lines) -> Option<Reason> {
    let (corner, ply) = corner_taken(lines, [&lines.made, &lines.better], !lines.player())?;
    Some(Reason::LosesCornerLater { corner, ply })
}

/// The player takes a corner after the better move.
fn corner_missed(lines: &Lines) -> Option<Reason> {
    let (corner, ply) = corner_taken(lines, [&lines.better, &lines.made], lines.player())?;
    Some(Reason::MissesCornerLater { corner, ply })
}

/// Returns the first corner that this player takes in the first line but never can in the other, and when. In
/// the end the first line must have won more corners for the player, less those of the other player.
fn corner_taken(lines: &Lines, pair: [&Line; 2], by: Color) -> Option<(Cell, usize)> {
    let corners = corners(lines.before)?;
    let lead = |line: &Line| {
        let end = line.positions.last();
        let owner = |corner: &Cell| end.and_then(|end| end.disc(*corner));
        let value = |owner| if owner == by { 1 } else { -1 };
        corners.iter().filter_map(owner).map(value).sum::<i32>()
    };
    let [taking, other] = pair;
    let is_kept = |corner: &Cell| {
        let mut turns = lines.before_each(other).filter(|it| it.turn() == by);
        !turns.any(|it| it.placements().contains(*corner))
    };
    let kept = corners.into_iter().filter(is_kept);
    let taken = kept.filter_map(|it| Some((it, lines.ply(taking, by, Move::Place(it))?)));
    taken.min_by_key(|&(_, ply)| ply).filter(|_| lead(taking) > lead(other))
}

/// The player must pass after the move.
fn pass_suffered(lines: &Lines) -> Option<Reason> {
    let passes = [&lines.made, &lines.better].map(|it| lines.ply(it, lines.player(), Move::Pass));
    let [Some(ply), None] = passes else { return None };
    Some(Reason::MustPass { ply })
}

/// The opponent must pass after the better move.
fn pass_missed(lines: &Lines) -> Option<Reason> {
    let passes = [&lines.made, &lines.better].map(|it| lines.ply(it, !lines.player(), Move::Pass));
    let [None, Some(ply)] = passes else { return None };
    Some(Reason::ForcesNoPass { ply })
}

/// The opponent gets stable discs on an edge after the move.
fn edge_lost(lines: &Lines) -> Option<Reason> {
    let ends = [lines.made.positions.last()?, lines.better.positions.last()?];
    let lost = shape::edges(lines.before).into_iter().filter_map(|edge| {
        let stable = |color| ends.map(|end| shape::stable_discs(end, &edge, color));
        let [opponent, player] = [stable(!lines.player()), stable(lines.player())];
        let lead = (opponent[0] + player[1]).checked_sub(opponent[1] + player[0])?;
        let lost = lead.min(opponent[0].checked_sub(opponent[1])?);
        (lost >= MIN_EDGE).then_some((lost, edge, opponent[0]))
    });
    let (_, edge, discs) = lost.max_by_key(|&(lost, ..)| lost)?;
    let has_all = |it: &Position| shape::stable_discs(it, &edge, !lines.player()) == discs;
    let ply = lines.made.positions.iter().position(has_all)?;
    let ends = [*edge.first()?, *edge.last()?];
    Some(Reason::LosesEdge { edge: ends, discs, mv: *lines.made.moves.get(ply)?, ply })
}

/// The move leaves an odd number of empty cells to the opponent, the better one an even number.
fn even_region(lines: &Lines) -> Option<Reason> {
    corners(lines.before)?;
    let size = |line: &Line| match line.moves.first() {
        Some(&Move::Place(cell)) => Some(shape::region(lines.before, cell).len()),
        _ => None,
    };
    let cells = [size(&lines.made)?, size(&lines.better)?];
    let is_wrong = cells[0].is_multiple_of(2) && !cells[1].is_multiple_of(2);
    (is_wrong && cells.iter().all(|&size| size <= MAX_REGION))
        .then_some(Reason::EvenRegion { cells })
}

/// The opponent has more moves after the move, or the player fewer.
fn mobility(lines: &Lines) -> Option<Reason> {
    let moves = |ply: usize, by: Color| {
        let of = |line: &Line| {
            let position = line.positions.get(ply).filter(|it| it.turn() == by)?;
            Some(position.placements().len())
        };
        Some([of(&lines.made)?, of(&lines.better)?])
    };
    let [opponent, player] = [moves(0, !lines.player())?, moves(1, lines.player())?];
    let lost = (opponent[0] + player[1]).checked_sub(opponent[1] + player[0])?;
    (lost >= MIN_MOBILITY).then_some(Reason::Mobility { opponent, player })
}

/// The opponent makes the better move.
fn move_left(lines: &Lines) -> Option<Reason> {
    let [better, reply] = [*lines.better.moves.first()?, *lines.made.moves.get(1)?];
    (better == reply && better != Move::Pass).then_some(Reason::LeavesMove(better))
}
