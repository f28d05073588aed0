//! A position on which moves are made, with the automatic passes after them.

use outflank_rules::{Cells, Color, Illegal, Move, Position};

/// A move that was made, and the discs after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    pub by: Color,
    pub mv: Move,
    pub flipped: Cells,
    pub auto: bool,
    /// The discs of Black and of White.
    pub discs: [u32; 2],
}

#[derive(Debug, Clone)]
pub struct Played {
    pub start: Position,
    pub position: Position,
    pub plies: Vec<Ply>,
}

impl Played {
    /// Begins in this position. If its first player must pass automatically, that pass is made.
    pub fn new(start: Position) -> Self {
        let mut played = Self { position: start.clone(), start, plies: Vec::new() };
        played.pass_automatically();
        played
    }

    /// Makes a move and the automatic pass that may follow. An illegal move changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        self.make(mv, false)?;
        self.pass_automatically();
        Ok(())
    }

    fn pass_automatically(&mut self) {
        if self.position.passes_automatically() {
            self.make(Move::Pass, true).expect("a legal pass");
        }
    }

    fn make(&mut self, mv: Move, auto: bool) -> Result<(), Illegal> {
        let by = self.position.turn();
        let flipped = self.position.play(mv)?;
        let discs = Color::BOTH.map(|color| self.position.count(color));
        self.plies.push(Ply { by, mv, flipped, auto, discs });
        Ok(())
    }
}
