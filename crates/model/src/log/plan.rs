use outflank_rules::{Color, Lattice, Move};

use super::{Game, IllegalEvent};

/// Replies that a player has decided in advance: lines of moves. Each begins with a move of the
/// opponent and ends with one of the player. Automatic passes are not among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    branches: Vec<Vec<Planned>>,
}

/// A move in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// Who makes it.
    pub by: Color,
    /// The move.
    pub mv: Move,
}

/// Why a plan is not valid. Branches are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlan {
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// It is the player's own turn.
    #[error("it is your own turn, but a plan begins with a move of the opponent")]
    OwnTurn,
    /// There are too many branches.
    #[error("a plan has at most {} branches", Plan::MAX_BRANCHES)]
    TooMany,
    /// A move, counted from 1, is illegal there.
    #[error("branch {branch}, move {number}: {illegal}")]
    Illegal {
        /// The branch.
        branch: usize,
        /// The number of the move in it.
        number: usize,
        /// Why it is illegal.
        illegal: IllegalEvent,
    },
    /// A branch does not end with a move of the player.
    #[error("branch {0} does not end with a move of yours")]
    NoReply(usize),
    /// Two branches reply differently to the same moves.
    #[error("branches {0} and {1} reply differently to the same moves")]
    Contradiction(usize, usize),
}

impl Plan {
    /// The most branches of a plan.
    pub const MAX_BRANCHES: usize = 50;

    /// Returns the plan of a player with these branches, checked against the rules.
    ///
    /// # Errors
    /// [`BadPlan`] for the first branch that is not valid.
    pub fn new(game: &Game, owner: Color, branches: &[Vec<Move>]) -> Result<Self, BadPlan> {
        match game.turn() {
            None => return Err(BadPlan::Over),
            Some(turn) if turn == owner => return Err(BadPlan::OwnTurn),
            Some(_) if branches.len() > Self::MAX_BRANCHES => return Err(BadPlan::TooMany),
            Some(_) => {}
        }
        let mut plan = Self { branches: Vec::new() };
        for (number, moves) in (1..).zip(branches) {
            let branch = checked(game, number, moves)?;
            if branch.last().is_none_or(|last| last.by != owner) {
                return Err(BadPlan::NoReply(number));
            }
            for (other, earlier) in (1..).zip(&plan.branches) {
                let fork = earlier.iter().zip(&branch).find(|(one, two)| one != two);
                if fork.is_some_and(|(one, _)| one.by == owner) {
                    return Err(BadPlan::Contradiction(other, number));
                }
            }
            plan.branches.push(branch);
        }
        Ok(plan)
    }

    /// Returns the branches.
    pub fn branches(&self) -> &[Vec<Planned>] {
        &self.branches
    }

    /// Returns its owner's move after these moves; `None` if it has none or it is the opponent's turn.
    pub fn reply(&self, owner: Color, made: &[Move]) -> Option<Move> {
        let mut next = self.branches.iter().filter_map(|branch| following(branch, made)?.first());
        next.find(|planned| planned.by == owner).map(|planned| planned.mv)
    }

    /// Returns the rest of the plan after these moves: the branches that are still possible. `None` if
    /// there are none.
    #[must_use]
    pub fn rest(&self, made: &[Move]) -> Option<Self> {
        let rest = self.branches.iter().filter_map(|branch| following(branch, made));
        let branches: Vec<_> = rest.filter(|rest| !rest.is_empty()).map(<[_]>::to_vec).collect();
        (!branches.is_empty()).then_some(Self { branches })
    }

    /// Returns it as text: the labels of moves, branches separated by slashes.
    pub fn label(&self, lattice: Lattice) -> String {
        let branch = |branch: &Vec<Planned>| {
            let moves: Vec<_> = branch.iter().map(|it| lattice.move_label(it.mv)).collect();
            moves.join(" ")
        };
        self.branches.iter().map(branch).collect::<Vec<_>>().join(" / ")
    }
}

/// Returns the moves of a branch, which must be legal, without automatic passes.
fn checked(game: &Game, branch: usize, moves: &[Move]) -> Result<Vec<Planned>, BadPlan> {
    let mut game = game.clone();
    let mut checked = Vec::new();
    let mut is_after_auto_pass = false;
    for (number, &mv) in (1..).zip(moves) {
        if mv == Move::Pass && is_after_auto_pass {
            is_after_auto_pass = false;
            continue;
        }
        let by = game.position().turn();
        game.play(mv).map_err(|illegal| BadPlan::Illegal { branch, number, illegal })?;
        is_after_auto_pass = game.plies().last().is_some_and(|last| last.auto);
        checked.push(Planned { by, mv });
    }
    Ok(checked)
}

/// Returns the moves that follow these in a branch; `None` if the branch does not begin with them.
fn following<'a>(branch: &'a [Planned], made: &[Move]) -> Option<&'a [Planned]> {
    let begins = branch.len() >= made.len()
        && branch.iter().zip(made).all(|(planned, &mv)| planned.mv == mv);
    begins.then(|| &branch[made.len()..])
}
