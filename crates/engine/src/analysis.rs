use super::eight;
use super::ending::Scoring;
use super::engine::Engine;
use super::evaluated::{Evaluated, Proof};
use super::general::discs_left;
use super::limits::Limits;
use super::solve::{ended, played};
use outflank_rules::{Color, Move, Position};

/// A move of a game, compared with the best one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The player who made it.
    pub by: Color,
    /// The move.
    pub mv: Move,
    /// The best move; the same one if none is better.
    pub best: Move,
    /// Among how many moves the player could choose.
    pub choices: usize,
    /// By how many discs the player can expect to win after it.
    pub value: i32,
    /// By how many discs the player could expect to win before it.
    pub best_value: i32,
    /// How many plies deep the search looked.
    pub depth: u32,
    /// What is proved about both values.
    pub proof: Proof,
    /// The best move and the best replies to it, as far as they are known; nothing if none is better
    /// than the move that was made.
    pub line: Vec<Move>,
}

impl Judgement {
    /// Returns how many discs the move cost.
    pub fn loss(&self) -> i32 {
        (self.best_value - self.value).max(0)
    }

    /// Returns whether both values themselves are proved.
    pub fn is_exact(&self) -> bool {
        self.proof == Proof::Score
    }

    /// Returns by how many discs Black can expect to win after it.
    pub fn expected(&self) -> i32 {
        if self.by == Color::Black { self.value } else { -self.value }
    }
}

/// Limits on each search of an analysis.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// The most nodes for a position of the middle game.
    pub middle: u64,
    /// The most nodes for a position near the end, to solve it, where a special search does that.
    pub ending: u64,
    /// The same where it does not.
    pub ending_elsewhere: u64,
    /// The greatest depth in plies.
    pub depth: u32,
    /// Polled often: must the analysis stop without a result?
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Polled often: must it come to an end, with less depth?
    pub hurry: &'a (dyn Fn() -> bool + Sync),
}

/// Positions with this many empty cells or fewer are solved: of Othello on 8×8, of other games with a
/// special search of endings, and of all others.
const MAX_SOLVED: [u32; 3] = [20, 18, 10];

/// Compares each move of a game with the best one, the last move first, so that proofs about the end help
/// with earlier positions. The game is its start position and its moves, passes included. The first `given`
/// moves were nobody's choice, so they cost nothing. `show` gets the number of moves that are done. Returns
/// `None` if it was stopped or a move is illegal.
///
/// ```
/// # use outflank_engine::{Effort, Engine, analyze};
/// # let rules = outflank_rules::Variant::named("mini")?.rules(&Default::default())?;
/// # let start = outflank_rules::Position::start(rules);
/// let moves: outflank_rules::Transcript = "b1 a1 c4".parse()?;
/// let effort = Effort {
///     middle: 10_000,
///     ending: 10_000,
///     ending_elsewhere: 10_000,
///     depth: 8,
///     stop: &|| false,
///     hurry: &|| false,
/// };
/// let mut engine = Engine::new(1 << 20, 1);
/// let judged = analyze(&mut engine, &start, &moves.0, 0, &effort, |_| {}).expect("legal moves");
/// assert_eq!(judged.len(), 3);
/// assert!(judged.iter().any(|judged| judged.loss() > 0), "one of them cost discs");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn analyze(
    engine: &mut Engine,
    start: &Position,
    moves: &[Move],
    given: usize,
    effort: &Effort,
    mut show: impl FnMut(usize),
) -> Option<Vec<Judgement>> {
    let mut positions = vec![start.clone()];
    for &mv in moves {
        let mut next = positions[positions.len() - 1].clone();
        next.play(mv).ok()?;
        positions.push(next);
    }
    let mut judged = Vec::new();
    let mut after = match moves {
        [] => return Some(judged),
        _ => value_of(engine, &positions[positions.len() - 1], effort)?,
    };
    for (index, (&mv, position)) in moves.iter().zip(&positions).enumerate().rev() {
        if (effort.stop)() {
            return None;
        }
        let judgement = judge(engine, position, mv, index < given, &after, effort)?;
        let Judgement { best_value: value, depth, proof, .. } = judgement;
        after = Evaluated { line: Vec::new(), value, depth, proof };
        judged.push(judgement);
        show(judged.len());
    }
    if (effort.stop)() {
        return None;
    }
    judged.reverse();
    Some(judged)
}

/// Returns the value of a position for the player to move, with the best line.
fn value_of(engine: &mut Engine, position: &Position, effort: &Effort) -> Option<Evaluated> {
    if let Some(value) = ended(position) {
        return Some(Evaluated { line: Vec::new(), value, depth: 0, proof: Proof::Score });
    }
    engine.best(position, &effort.limits(position, &|| effort.must_end()))
}

impl Effort<'_> {
    fn limits<'a>(&self, position: &Position, stop: &'a (dyn Fn() -> bool + Sync)) -> Limits<'a> {
        let nodes = match (is_ending(position), Scoring::of(position.rules())) {
            (false, _) => self.middle,
            (true, Some(_)) => self.ending,
            (true, None) => self.ending_elsewhere,
        };
        Limits { nodes, depth: self.depth, stop }
    }

    fn must_end(&self) -> bool {
        (self.stop)() || (self.hurry)()
    }
}

/// Returns whether the position is to be solved.
fn is_ending(position: &Position) -> bool {
    let [eight, special, other] = MAX_SOLVED;
    discs_left(position)
        <= match Scoring::of(position.rules()) {
            _ if eight::plays(position) => eight,
            Some(_) => special,
            None => other,
        }
}

/// Compares a move with the best one, unless it `is_given`. `after` is the known value of the position after
/// it.
fn judge(
    engine: &mut Engine,
    position: &Position,
    mv: Move,
    is_given: bool,
    after: &Evaluated,
    effort: &Effort,
) -> Option<Judgement> {
    let Evaluated { depth, proof, .. } = *after;
    let choices = if is_given { 1 } else { position.placements().len().max(1) };
    let (by, value) = (position.turn(), -after.value);
    let line = Vec::new();
    let made =
        Judgement { by, mv, best: mv, choices, value, best_value: value, depth, proof, line };
    if choices == 1 {
        // A move without a choice costs nothing, so only the position after it counts.
        return Some(made);
    }
    let found = value_of(engine, position, effort)?;
    let (best, depth) = (found.mv(), found.depth);
    let rival = if found.is_exact() || best == mv {
        found
    } else {
        after_move(engine, position, best, effort)?
    };
    let proof = proof.min(rival.proof);
    if best == mv || rival.value <= value {
        return Some(Judgement { depth, proof, ..made });
    }
    let Evaluated { value: best_value, line, .. } = rival;
    Some(Judgement { best, best_value, depth, proof, line, ..made })
}

/// Returns the value of a move, from a search of the position after it. So it can be compared with that
/// of another move.
fn after_move(
    engine: &mut Engine,
    position: &Position,
    mv: Move,
    effort: &Effort,
) -> Option<Evaluated> {
    let reply = value_of(engine, &played(position, mv), effort)?;
    let line = [mv].into_iter().chain(reply.line).collect();
    Some(Evaluated { line, value: -reply.value, ..reply })
}

/// How many discs an estimate must differ from a draw to say who is expected to win.
const MIN_CLEAR_MARGIN: i32 = 3;

/// Returns the index of the move at which a game turned: the last one that cost discs and after
/// which the player was first expected to win, draw or lose as it then came, but not before it.
/// `None` if there is no such move. An estimate near a draw counts as a draw, unless it is proved who wins.
pub fn turning_point(judged: &[Judgement]) -> Option<usize> {
    let expected = |it: &Judgement, value: i32| match it.by {
        _ if it.proof == Proof::None && value.abs() < MIN_CLEAR_MARGIN => 0,
        Color::Black => value.signum(),
        Color::White => -value.signum(),
    };
    let last = judged.last()?;
    let end = expected(last, last.value);
    judged.iter().rposition(|it| {
        it.loss() > 0 && expected(it, it.value) == end && expected(it, it.best_value) != end
    })
}

/// What is left of the accuracy of a move for each disc that it cost.
const ACCURACY_PER_DISC: f64 = 0.9;

/// Returns the accuracy of a player in percent: the mean over the moves with a choice of 100 for a
/// move that cost nothing, 90 for one that cost a disc, 81 for two, and so on. `None` without such
/// moves.
pub fn accuracy(judged: &[Judgement], player: Color) -> Option<f64> {
    let own = judged.iter().filter(|it| it.by == player && it.choices > 1);
    let scores: Vec<f64> = own.map(|it| 100.0 * ACCURACY_PER_DISC.powi(it.loss())).collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::{Overrides, State, Transcript, Variant};

    /// Returns the start, the moves with automatic passes, and the judgement of each move.
    fn analyzed(variant: &str, moves: &str) -> (Position, Vec<Move>, Vec<Judgement>) {
        analyzed_after(0, variant, moves)
    }

    /// The same with this many given moves.
    fn analyzed_after(
        given: usize,
        variant: &str,
        moves: &str,
    ) -> (Position, Vec<Move>, Vec<Judgement>) {
        let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
        let start = Position::start(rules);
        let (mut position, mut made) = (start.clone(), Vec::new());
        for mv in moves.parse::<Transcript>().unwrap().0 {
            if position.passes_automatically() {
                position.play(Move::Pass).unwrap();
                made.push(Move::Pass);
            }
            position.play(mv).unwrap();
            made.push(mv);
        }
        let mut engine = Engine::new(1 << 20, 1);
        let (middle, ending, never) = (5_000, u64::MAX, || false);
        let effort = Effort {
            middle,
            ending,
            ending_elsewhere: ending,
            depth: u32::MAX,
            stop: &never,
            hurry: &never,
        };
        let mut shown = 0;
        let judged =
            analyze(&mut engine, &start, &made, given, &effort, |done| shown = done).unwrap();
        assert_eq!((judged.len(), shown), (made.len(), judged.len()));
        (start, made, judged)
    }

    /// Returns the value for the player to move by a plain search of all moves.
    fn solved(position: &Position) -> i32 {
        if let State::Over(outcome) = position.state() {
            return position.rules().margin(&outcome, position.turn());
        }
        let moves = match position.state() {
            State::Passing => vec![Move::Pass],
            _ => position.placements().iter().map(Move::Place).collect(),
        };
        let values = moves.into_iter().map(|mv| {
            let mut next = position.clone();
            next.play(mv).unwrap();
            -solved(&next)
        });
        values.max().unwrap_or_default()
    }

    #[test]
    fn given_moves_cost_nothing() {
        let moves = "b1a1c4d4d3b4a4c1d1d2a3a2";
        let (_, _, all) = analyzed("mini", moves);
        let (_, _, some) = analyzed_after(3, "mini", moves);
        assert!(all[..3].iter().any(|it| it.loss() > 0));
        assert!(some[..3].iter().all(|it| it.loss() == 0 && it.choices == 1));
        assert_eq!(some[2].value, all[2].value);
        assert_eq!(some[3..], all[3..]);
    }

    #[test]
    fn values_near_the_end_are_proved() {
        let (mut position, _, judged) = analyzed("mini", "b1a1c4d4d3b4a4c1d1d2a3a2");
        for (number, it) in judged.iter().enumerate() {
            let before = position.clone();
            position.play(it.mv).unwrap();
            assert!(it.is_exact(), "{number}: {it:?}");
            let values = (solved(&before), -solved(&position));
            assert_eq!((it.best_value, it.value), values, "{number}");
        }
        assert_eq!(judged.last().unwrap().expected(), -8);
    }

    #[test]
    fn a_forced_move_costs_nothing() {
        let (mut position, moves, judged) = analyzed("mini", "b1a1c4d4d3b4a4c1d1d2a3a2");
        for (&mv, it) in moves.iter().zip(&judged) {
            assert!(it.choices > 1 || it.loss() == 0, "{it:?}");
            assert_eq!((position.turn(), mv), (it.by, it.mv));
            position.play(mv).unwrap();
        }
    }

    #[test]
    fn every_variant_is_analyzed() {
        for (variant, moves) in [
            ("othello", "f5d6c3d3c4f4"),
            ("twente", "f5d6"),
            ("oddthello", ""),
            ("oddthello", "A4"),
        ] {
            let (.., judged) = analyzed(variant, moves);
            assert!(
                judged.windows(2).all(|pair| pair[0].value == -pair[1].best_value),
                "{judged:?}"
            );
        }
    }

    fn judged(values: &[(Color, i32, i32)]) -> Vec<Judgement> {
        let mv = Move::Pass;
        let all = values.iter().map(|&(by, best_value, value)| Judgement {
            by,
            mv,
            best: mv,
            choices: 2,
            value,
            best_value,
            depth: 1,
            proof: Proof::Score,
            line: Vec::new(),
        });
        all.collect()
    }

    #[test]
    fn the_turning_point_is_the_last_mistake_that_changed_the_winner() {
        use Color::{Black, White};
        let won = judged(&[(Black, 0, 0), (White, 0, -4), (Black, 4, 2), (White, -2, -6)]);
        assert_eq!(turning_point(&won), Some(1));
        let turned = judged(&[(Black, 2, -2), (White, 2, -4), (Black, 4, -6), (White, 6, 6)]);
        assert_eq!(turning_point(&turned), Some(2));
        let drawn = judged(&[(Black, 4, 0), (White, 0, 0)]);
        assert_eq!(turning_point(&drawn), Some(0));
        assert_eq!(turning_point(&judged(&[(Black, 3, 3), (White, -3, -3)])), None);
        let mut estimated = judged(&[(Black, 1, -1), (White, 1, 1), (Black, -2, -20)]);
        estimated.iter_mut().for_each(|it| it.proof = Proof::None);
        assert_eq!(turning_point(&estimated), Some(2), "an estimate of 1 may be wrong");
        assert_eq!(turning_point(&[]), None);
    }

    #[test]
    fn accuracy_falls_by_a_tenth_for_each_disc() {
        use Color::{Black, White};
        let all = judged(&[(Black, 0, 0), (White, 0, -2), (Black, 2, 1), (White, -1, -1)]);
        let [black, white] = [Black, White].map(|color| accuracy(&all, color).unwrap().round());
        assert_eq!((black, white), (95.0, 91.0));
        assert_eq!(accuracy(&[], Black), None);
    }
}
