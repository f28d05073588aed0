use super::{Cells, Color, Illegal, Move, Outcome, Position, Reason, State, Stuck};

/// One move that was made, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// Who made it.
    pub by: Color,
    /// The move.
    pub played: Move,
    /// The discs it flipped.
    pub flipped: Cells,
    /// Whether it is a pass that happened by itself.
    pub auto: bool,
    /// Black discs on the board after it.
    pub black: u32,
    /// White discs on the board after it.
    pub white: u32,
}

/// A start and the moves made from it; everything else about a game follows from these.
#[derive(Debug, Clone)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    position: Position,
    resigned: Option<Color>,
}

impl Game {
    /// A game that begins in this position. If its first player cannot place a disc and passes
    /// by itself, that has happened already.
    #[must_use]
    pub fn new(start: Position) -> Self {
        let mut game = Self::restore(start);
        game.pass_by_itself();
        game
    }

    /// A game whose moves, those that happened by themselves included, are to be replayed one
    /// by one with [`Game::replay`].
    #[must_use]
    pub fn restore(start: Position) -> Self {
        Self { position: start.clone(), start, plies: Vec::new(), resigned: None }
    }

    /// Makes again a move of a stored game. Nothing happens by itself.
    ///
    /// # Errors
    /// [`Illegal`] when the stored moves are not those of a game.
    pub fn replay(&mut self, played: Move, auto: bool) -> Result<(), Illegal> {
        let by = self.position.turn();
        let flipped = self.position.play(played)?;
        self.plies.push(Ply {
            by,
            played,
            flipped,
            auto,
            black: self.position.count(Color::Black),
            white: self.position.count(Color::White),
        });
        Ok(())
    }

    /// Makes a move for the player on turn, and the pass that follows by itself, if one does.
    ///
    /// # Errors
    /// [`Illegal`] when the move may not be made; nothing has changed then.
    pub fn play(&mut self, played: Move) -> Result<(), Illegal> {
        if self.resigned.is_some() {
            return Err(Illegal::Over);
        }
        self.replay(played, false)?;
        self.pass_by_itself();
        Ok(())
    }

    fn pass_by_itself(&mut self) {
        // After one pass the other player can place a disc: there is never a second.
        if self.position.rules().stuck == Stuck::AutoPass && self.position.state() == State::Passing
        {
            let passed = self.replay(Move::Pass, true);
            debug_assert_eq!(passed, Ok(()));
        }
    }

    /// Ends the game: this player gives up, on turn or not.
    ///
    /// # Errors
    /// [`Illegal::Over`] when it has ended already.
    pub fn resign(&mut self, color: Color) -> Result<(), Illegal> {
        if self.outcome().is_some() {
            return Err(Illegal::Over);
        }
        self.resigned = Some(color);
        Ok(())
    }

    /// The position before the first move.
    #[must_use]
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// The position after the last move.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The moves made, passes included.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Who gave up, if anybody did.
    #[must_use]
    pub const fn resigned(&self) -> Option<Color> {
        self.resigned
    }

    /// What the player on turn is in for.
    #[must_use]
    pub fn state(&self) -> State {
        match self.resigned {
            Some(color) => State::Over(Outcome {
                winner: Some(!color),
                reason: Reason::Resigned,
                black: self.position.count(Color::Black),
                white: self.position.count(Color::White),
            }),
            None => self.position.state(),
        }
    }

    /// Who has the turn; `None` when the game is over.
    #[must_use]
    pub fn turn(&self) -> Option<Color> {
        match self.state() {
            State::Over(_) => None,
            State::Placing | State::Passing => Some(self.position.turn()),
        }
    }

    /// How it ended; `None` while it goes on.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.state() {
            State::Over(outcome) => Some(outcome),
            State::Placing | State::Passing => None,
        }
    }

    /// The moves that may be made now: cells in their order, a pass alone, or none when the
    /// game is over.
    #[must_use]
    pub fn legal(&self) -> Vec<Move> {
        match self.state() {
            State::Placing => self.position.placements().iter().map(Move::Place).collect(),
            State::Passing => vec![Move::Pass],
            State::Over(_) => Vec::new(),
        }
    }

    /// The game as it was before a player gave up; as it is, when none did.
    #[must_use]
    pub fn before_resignation(self) -> Self {
        Self { resigned: None, ..self }
    }

    /// The game as it stood after so many moves: with all of them, as it stands. `None` when
    /// fewer were made.
    #[must_use]
    pub fn at(&self, ply: usize) -> Option<Self> {
        if ply == self.plies.len() {
            return Some(self.clone());
        }
        let mut earlier = Self::restore(self.start.clone());
        for made in self.plies.get(..ply)? {
            earlier.replay(made.played, made.auto).ok()?;
        }
        Some(earlier)
    }
}
