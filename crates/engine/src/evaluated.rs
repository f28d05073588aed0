use outflank_rules::Move;

/// What a search to the end of the game has proved about a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proof {
    /// Nothing: the value is an estimate.
    None,
    /// Who wins: the sign of the value. The number of discs is an estimate.
    Winner,
    /// The value itself.
    Score,
}

/// A move as a search has evaluated it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The principal variation: this move, then the best replies as far as they are known.
    pub line: Vec<Move>,
    /// By how many discs the player to move wins if both play well; negative for a loss. In misère,
    /// by how many fewer discs. Where a player without a move loses at once, that counts as 64.
    pub value: i32,
    /// How many plies deep the search looked.
    pub depth: u32,
    /// What is proved about the value.
    pub proof: Proof,
}

impl Evaluated {
    /// Returns whether the value itself is proved.
    pub fn is_exact(&self) -> bool {
        self.proof == Proof::Score
    }

    /// Returns the move.
    pub fn mv(&self) -> Move {
        self.line.first().copied().unwrap_or(Move::Pass)
    }
}
