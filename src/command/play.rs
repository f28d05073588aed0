use clap::Args;

use super::MoveAt;
use outflank_model::log::GameId;
use outflank_rules::Lattice;

/// The moves that a command makes in one game.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Play {
    /// The number of the game
    pub game: GameId,
    /// A cell such as d3, or pass; #PLY is the number that it must have
    #[arg(required = true, value_name = "MOVE[#PLY]")]
    pub moves: Vec<MoveAt>,
    /// Mail a receipt to the player who moves
    #[arg(long)]
    pub receipt: bool,
    /// The event of the position that the moves were meant for.
    #[arg(skip)]
    pub position: Option<usize>,
}

impl Play {
    /// Returns the command that makes the same moves on this lattice. The first move gets this number
    /// unless it has one.
    pub fn to_command(&self, lattice: Lattice, ply: Option<usize>) -> String {
        let receipt = if self.receipt { " --receipt" } else { "" };
        let mut moves = self.moves.clone();
        if let Some(first) = moves.first_mut() {
            first.ply = first.ply.or(ply);
        }
        let moves: Vec<_> = moves.iter().map(|mv| mv.label(lattice)).collect();
        format!("move {} {}{receipt}", self.game, moves.join(" "))
    }

    /// Returns whether another command makes a different move at the same turn.
    pub fn contradicts(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.moves.first(), other.moves.first()) else {
            return false;
        };
        let same_ply = one.ply.is_none() || two.ply.is_none() || one.ply == two.ply;
        self.game == other.game && same_ply && one.mv != two.mv
    }
}
