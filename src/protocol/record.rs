use outflank_rules::{Color, Illegal, Move, Overrides, Position, Rules, State, Stuck, Variant};

/// A game as protocols write it: every pass is a move, even an automatic one. A pass that the other
/// side leaves out is filled in.
#[derive(Debug, Clone)]
pub struct Record {
    start: Position,
    /// The moves, and whether each was filled in.
    moves: Vec<(Move, bool)>,
    position: Position,
    stuck: Stuck,
}

impl Record {
    /// Returns a game of Othello on 8x8 before the first move.
    #[expect(clippy::expect_used, reason = "the variant is a constant")]
    pub(super) fn othello() -> Self {
        let rules =
            Variant::named("othello").ok().and_then(|it| it.rules(&Overrides::default()).ok());
        Self::new(&Position::start(rules.expect("the rules of Othello")))
    }

    /// Begins a record in this position.
    pub fn new(start: &Position) -> Self {
        let stuck = start.rules().stuck;
        let explicit = if stuck == Stuck::AutoPass { Stuck::MustPass } else { stuck };
        let start = start.clone().with_stuck(explicit);
        Self { position: start.clone(), start, moves: Vec::new(), stuck }
    }

    /// Returns the record of a game with these moves, which are legal.
    pub fn of(start: &Position, moves: impl IntoIterator<Item = Move>) -> Self {
        let mut record = Self::new(start);
        for mv in moves {
            let _ = record.play(mv);
        }
        record
    }

    /// Returns the rules of the game. Its passes may be automatic.
    pub fn rules(&self) -> Rules {
        Rules { stuck: self.stuck, ..*self.start.rules() }
    }

    /// Returns the position before the first move.
    pub const fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the position after the last move. A player who cannot place a disc must pass.
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the position for a search, under the rules of the game.
    pub fn for_search(&self) -> Position {
        self.position.clone().with_stuck(self.stuck)
    }

    /// Returns the number of moves, passes included.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// Iterates over the moves with their players.
    pub fn moves(&self) -> impl Iterator<Item = (Color, Move)> {
        let first = self.start.turn();
        let by = move |number| if number % 2 == 0 { first } else { !first };
        self.moves.iter().enumerate().map(move |(number, (mv, _))| (by(number), *mv))
    }

    /// Returns the records after 0, 1, 2, … moves.
    pub fn stages(&self) -> impl DoubleEndedIterator<Item = Self> {
        (0..=self.len()).map(|count| self.first(count))
    }

    /// Returns the record after its first `count` moves.
    fn first(&self, count: usize) -> Self {
        let moves = self.moves[..count].to_vec();
        let mut position = self.start.clone();
        for &(mv, _) in &moves {
            let _ = position.play(mv);
        }
        Self { start: self.start.clone(), moves, position, stuck: self.stuck }
    }

    /// Makes a move of the player to move. If that player must pass and the move is not a pass, the
    /// pass is filled in.
    ///
    /// # Errors
    /// [`Illegal`]; nothing has changed then.
    pub fn play(&mut self, mv: Move) -> Result<(), Illegal> {
        if self.position.state() == State::Passing && mv != Move::Pass {
            let mut next = self.position.clone();
            next.play(Move::Pass)?;
            next.play(mv)?;
            self.position = next;
            self.moves.extend([(Move::Pass, true), (mv, false)]);
        } else {
            self.position.play(mv)?;
            self.moves.push((mv, false));
        }
        Ok(())
    }

    /// Makes it this player's turn if the other one must pass.
    ///
    /// # Errors
    /// [`Illegal::CanPlace`] if the other player can place a disc.
    pub fn pass_to(&mut self, player: Color) -> Result<(), Illegal> {
        if self.position.turn() == player {
            return Ok(());
        }
        match self.position.state() {
            State::Passing => {
                self.position.play(Move::Pass)?;
                self.moves.push((Move::Pass, true));
                Ok(())
            }
            State::Placing => Err(Illegal::CanPlace(!player)),
            State::Over(_) => Err(Illegal::Over),
        }
    }

    /// Takes back the last move and the passes filled in before it. Returns `false` if there is no
    /// move.
    pub fn undo(&mut self) -> bool {
        let made =
            |moves: &[(Move, bool)]| moves.iter().rposition(|&(_, is_filled_in)| !is_filled_in);
        let last = made(&self.moves);
        let rest = made(&self.moves[..last.unwrap_or(0)]).map_or(0, |before| before + 1);
        *self = self.first(rest);
        last.is_some()
    }
}
