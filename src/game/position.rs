use super::board::Board;
use super::{Cell, Cells, Color, Frame, Lattice, Move, Outcome, Placement, Reason, Rules, Stuck};

/// One moment of a game: the discs, whose turn it is, and the rules by which it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    turn: Color,
    board: Board,
}

/// What the player on turn is in for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The player on turn places a disc.
    Placing,
    /// The player on turn can only pass.
    Passing,
    /// Nobody has a turn: the game is over.
    Over(Outcome),
}

/// Why a move may not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The rectangle has no such cell.
    #[error("{cell} is not on the board, which runs from {first} to {last}")]
    OffTheBoard {
        /// The cell, as a label.
        cell: String,
        /// The board's first cell.
        first: String,
        /// The board's last cell.
        last: String,
    },
    /// A disc lies there.
    #[error("{cell} is occupied by a {color} disc")]
    Occupied {
        /// The cell, as a label.
        cell: String,
        /// Whose disc.
        color: Color,
    },
    /// A disc there would flip none.
    #[error("{cell} is illegal: a {color} disc there flips nothing")]
    FlipsNothing {
        /// The cell, as a label.
        cell: String,
        /// The player on turn.
        color: Color,
    },
    /// A pass, though a disc can be placed.
    #[error("pass is illegal: {0} can place a disc")]
    CanPlace(Color),
    /// A disc, though only a pass is allowed.
    #[error("{0} cannot place a disc and must pass")]
    MustPass(Color),
    /// An event of the player who is not on turn.
    #[error("it is not {0}'s turn")]
    NotOnTurn(Color),
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

impl Position {
    /// The start of these rules: two discs of each colour, Black to move. On a rectangle they
    /// stand around its centre, on the hex lattice at B2 C2 (black) and B3 C3 (white).
    #[must_use]
    pub fn start(rules: Rules) -> Self {
        Self::start_on(rules, Board::new(rules.lattice))
    }

    fn start_on(rules: Rules, mut board: Board) -> Self {
        use Color::{Black, White};
        let (upper_left, discs) = match rules.lattice {
            Lattice::Rectangle(size) => (
                Cell::new(i32::from(size.columns() / 2) - 1, i32::from(size.rows() / 2)),
                [White, Black, Black, White],
            ),
            Lattice::Hex => (Cell::new(1, 2), [Black, Black, White, White]),
        };
        for ((columns, rows), color) in [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().zip(discs) {
            let cell = Cell::new(upper_left.column + columns, upper_left.row + rows);
            board.put(cell, color, &Cells::NONE);
        }
        Self { rules, turn: Black, board }
    }

    /// These discs with this player to move. Discs outside a rectangle are left out: whoever
    /// takes positions from outside checks them first, as [`Setup::position`] does.
    ///
    /// [`Setup::position`]: super::Setup::position
    pub(super) fn with_discs(
        rules: Rules,
        turn: Color,
        discs: impl IntoIterator<Item = (Cell, Color)>,
    ) -> Self {
        let mut board = Board::new(rules.lattice);
        for (cell, color) in discs {
            if rules.lattice.contains(cell) {
                board.put(cell, color, &Cells::NONE);
            }
        }
        Self { rules, turn, board }
    }

    /// The same position on the general board, whatever its size. It plays in the same way;
    /// only its speed differs.
    #[must_use]
    pub fn on_general_board(&self) -> Self {
        let mut board = Board::general(self.rules.lattice);
        for cell in self.cells() {
            if let Some(color) = self.disc(cell) {
                board.put(cell, color, &Cells::NONE);
            }
        }
        Self { board, ..*self }
    }

    /// The rules by which it goes on.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Who is to move, or would be were the game not over.
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The colour of the disc on a cell; `None` for an empty cell or none of the board.
    #[must_use]
    pub fn disc(&self, cell: Cell) -> Option<Color> {
        self.board.disc(cell)
    }

    /// How many discs of this colour lie on the board.
    #[must_use]
    pub fn count(&self, color: Color) -> u32 {
        self.board.count(color)
    }

    /// The cells that a figure of it shows.
    #[must_use]
    pub fn frame(&self) -> Frame {
        self.board.frame(self.rules.lattice)
    }

    /// The cells of [`Position::frame`], row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let frame = self.frame();
        frame
            .row_range()
            .flat_map(move |row| frame.column_range().map(move |column| Cell::new(column, row)))
    }

    /// The 8×8 board as bits; `None` on any other.
    pub(super) const fn bits(&self) -> Option<&super::Bitboard> {
        match &self.board {
            Board::Bits(bits) => Some(bits),
            Board::Grid(_) => None,
        }
    }

    /// What the player on turn is in for.
    #[must_use]
    pub fn state(&self) -> State {
        let all_placed = match self.rules.supply {
            Some(each) => self.count(Color::Black) + self.count(Color::White) >= 2 * each,
            None => self.board.is_full(),
        };
        if all_placed {
            return self.over_by_discs();
        }
        if self.can_place(self.turn) {
            return State::Placing;
        }
        match self.rules.stuck {
            Stuck::Loses => State::Over(Outcome {
                winner: Some(!self.turn),
                reason: Reason::Stuck,
                black: self.count(Color::Black),
                white: self.count(Color::White),
            }),
            Stuck::PassesByItself | Stuck::MustPass if self.can_place(!self.turn) => State::Passing,
            Stuck::PassesByItself | Stuck::MustPass => self.over_by_discs(),
        }
    }

    fn over_by_discs(&self) -> State {
        let (black, white) = (self.count(Color::Black), self.count(Color::White));
        State::Over(self.rules.outcome_by_discs(black, white))
    }

    fn can_place(&self, color: Color) -> bool {
        match self.rules.placement {
            Placement::Outflanking => self.board.can_outflank(color),
            Placement::Anywhere => !self.board.is_full(),
        }
    }

    /// The cells on which the player on turn may place a disc; none when the game is over.
    #[must_use]
    pub fn placements(&self) -> Cells {
        if self.state() != State::Placing {
            return Cells::NONE;
        }
        match self.rules.placement {
            Placement::Outflanking => self.board.placements(self.turn),
            Placement::Anywhere => self.board.empty(),
        }
    }

    /// The discs that a disc of the player on turn would flip, were it placed on this cell.
    /// None for a cell that is occupied or outside the board.
    #[must_use]
    pub fn flips(&self, cell: Cell) -> Cells {
        if !self.rules.lattice.contains(cell) || self.disc(cell).is_some() {
            return Cells::NONE;
        }
        self.board.flips(cell, self.turn)
    }

    /// The discs that the move would flip, if it may be made.
    ///
    /// # Errors
    /// [`Illegal`] with the reason for which it may not be made.
    pub fn check(&self, played: Move) -> Result<Cells, Illegal> {
        let state = self.state();
        if let State::Over(_) = state {
            return Err(Illegal::Over);
        }
        let lattice = self.rules.lattice;
        let Move::Place(cell) = played else {
            return match state {
                State::Passing => Ok(Cells::NONE),
                _ => Err(Illegal::CanPlace(self.turn)),
            };
        };
        if let (Lattice::Rectangle(size), false) = (lattice, lattice.contains(cell)) {
            let last = Cell::new(i32::from(size.columns()) - 1, size.rows().into());
            return Err(Illegal::OffTheBoard {
                cell: lattice.label(cell),
                first: lattice.label(self.frame().first),
                last: lattice.label(last),
            });
        }
        if let Some(color) = self.disc(cell) {
            return Err(Illegal::Occupied { cell: lattice.label(cell), color });
        }
        if state == State::Passing {
            return Err(Illegal::MustPass(self.turn));
        }
        let flipped = self.board.flips(cell, self.turn);
        if flipped.is_empty() && self.rules.placement == Placement::Outflanking {
            return Err(Illegal::FlipsNothing { cell: lattice.label(cell), color: self.turn });
        }
        Ok(flipped)
    }

    /// Makes the move and returns the discs it flipped. A pass that the rules bring about by
    /// itself is not made here but by [`Game::play`](super::Game::play).
    ///
    /// # Errors
    /// [`Illegal`] when the move may not be made; nothing has changed then.
    pub fn play(&mut self, played: Move) -> Result<Cells, Illegal> {
        let flipped = self.check(played)?;
        self.make(played, &flipped);
        Ok(flipped)
    }

    /// Makes a move without asking whether it is legal. `flipped` is what [`Position::flips`]
    /// gives for it; with anything else the position that follows means nothing.
    pub(super) fn make(&mut self, played: Move, flipped: &Cells) {
        if let Move::Place(cell) = played {
            self.board.put(cell, self.turn, flipped);
        }
        self.turn = !self.turn;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Overrides, Size, Variant};

    #[test]
    fn the_start_is_centred_on_every_size() {
        for (rows, columns, upper_left) in
            [(8, 8, "d4"), (4, 4, "b2"), (3, 3, "a1"), (5, 7, "c2"), (99, 26, "m49")]
        {
            let size = Size::new(rows, columns).unwrap();
            let rules = Variant::named("othello")
                .unwrap()
                .rules(&Overrides { size: Some(size), ..Overrides::default() })
                .unwrap();
            let start = Position::start(rules);
            let cell: Cell = upper_left.parse().unwrap();
            assert_eq!(start.disc(cell), Some(Color::White));
            assert_eq!(start.disc(Cell::new(cell.column + 1, cell.row)), Some(Color::Black));
            assert_eq!(start.disc(Cell::new(cell.column, cell.row + 1)), Some(Color::Black));
            assert_eq!(start.disc(Cell::new(cell.column + 1, cell.row + 1)), Some(Color::White));
            assert_eq!(start.count(Color::Black) + start.count(Color::White), 4);
        }
    }
}
