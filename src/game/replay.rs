use super::{Action, Color, Event, Illegal, Move, Outcome, Ply, Position, Reason, State, Stuck};

/// A start position and the log of what has happened since. Everything else about the game
/// follows from these two.
#[derive(Debug, Clone)]
pub struct Game {
    start: Position,
    events: Vec<Event>,
    plies: Vec<Ply>,
    position: Position,
    resigned: Option<Color>,
}

impl Game {
    /// Starts a game in this position. If its first player must pass automatically, that pass is
    /// the first event.
    pub fn new(start: Position) -> Self {
        let mut game = Self::restore(start);
        game.auto_pass();
        game
    }

    /// Returns a game with an empty log, for stored events to be applied to with
    /// [`Game::apply`].
    pub fn restore(start: Position) -> Self {
        let position = start.clone();
        Self { start, events: Vec::new(), plies: Vec::new(), position, resigned: None }
    }

    /// Adds one event to the log, and nothing that would follow from it automatically.
    ///
    /// # Errors
    /// [`Illegal`] when the event cannot happen now; the game is unchanged then.
    pub fn apply(&mut self, event: Event) -> Result<(), Illegal> {
        if self.resigned.is_some() {
            return Err(Illegal::Over);
        }
        match event.action {
            Action::Move(mv) => self.make(event.by, mv, false)?,
            Action::AutoPass => self.make(event.by, Move::Pass, true)?,
            Action::Resign if self.outcome().is_some() => return Err(Illegal::Over),
            Action::Resign => self.resigned = Some(event.by),
        }
        self.events.push(event);
        Ok(())
    }

    fn make(&mut self, by: Color, mv: Move, auto: bool) -> Result<(), Illegal> {
        if by != self.position.turn() {
            return Err(Illegal::NotOnTurn(by));
        }
        let flipped = self.position.play(mv)?;
        self.plies.push(Ply {
            event: self.events.len() + 1,
            by,
            mv,
            flipped,
            auto,
            black: self.position.count(Color::Black),
            white: self.position.count(Color::White),
        });
        Ok(())
    }

    /// Makes a move for the player to move, and the automatic pass that may follow.
    ///
    /// # Errors
    /// [`Illegal`] when the move is not legal; the game is unchanged then.
    pub fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        self.apply(Event { by: self.position.turn(), action: Action::Move(mv) })?;
        self.auto_pass();
        Ok(())
    }

    fn auto_pass(&mut self) {
        // After one pass the other player can place a disc: there is never a second.
        if self.position.rules().stuck == Stuck::AutoPass && self.position.state() == State::Passing
        {
            let passed = self.apply(Event { by: self.position.turn(), action: Action::AutoPass });
            debug_assert_eq!(passed, Ok(()));
        }
    }

    /// Ends the game: this player resigns, on turn or not.
    ///
    /// # Errors
    /// [`Illegal::Over`] when it has ended already.
    pub fn resign(&mut self, by: Color) -> Result<(), Illegal> {
        self.apply(Event { by, action: Action::Resign })
    }

    /// Returns the position before the first event.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the position after the last event.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the log: all events, oldest first.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the moves made, passes included, oldest first.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Returns what the player to move must do.
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

    /// Returns the player to move; `None` when the game is over.
    pub fn turn(&self) -> Option<Color> {
        match self.state() {
            State::Over(_) => None,
            State::Placing | State::Passing => Some(self.position.turn()),
        }
    }

    /// Returns how the game ended; `None` while it is active.
    pub fn outcome(&self) -> Option<Outcome> {
        match self.state() {
            State::Over(outcome) => Some(outcome),
            State::Placing | State::Passing => None,
        }
    }

    /// Returns the legal moves: cells in their order, a pass alone, or none when the game is
    /// over.
    pub fn legal(&self) -> Vec<Move> {
        match self.state() {
            State::Placing => self.position.placements().iter().map(Move::Place).collect(),
            State::Passing => vec![Move::Pass],
            State::Over(_) => Vec::new(),
        }
    }

    /// Returns the game as it stood until move `ply + 1` was made, with all that happened before
    /// that; `None` when fewer than `ply` moves were made.
    pub fn at(&self, ply: usize) -> Option<Self> {
        match self.plies.get(ply) {
            Some(next) => self.after(next.event - 1),
            None if ply == self.plies.len() => Some(self.clone()),
            None => None,
        }
    }

    /// Returns the game as it stood right after move `ply`, before anything else happened;
    /// `None` when fewer moves were made.
    pub fn right_after(&self, ply: usize) -> Option<Self> {
        let events = match ply.checked_sub(1) {
            None => 0,
            Some(made) => self.plies.get(made)?.event,
        };
        self.after(events)
    }

    fn after(&self, events: usize) -> Option<Self> {
        let mut earlier = Self::restore(self.start.clone());
        for &event in self.events.get(..events)? {
            earlier.apply(event).ok()?;
        }
        Some(earlier)
    }
}
