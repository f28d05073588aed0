use std::fmt;

use super::bitboard::Bitboard;
use super::board::Board;
use super::{
    Cell, Cells, Color, Frame, Lattice, Move, Outcome, Placement, Reason, Rules, Size, Stuck,
};

/// One moment of a game: the rules, the discs, and whose turn it is.
///
/// ```
/// # use outflank_rules::{Color, Position, State, Variant};
/// let rules = Variant::named("mini")?.rules(&Default::default())?;
/// let mut position = Position::start(rules);
/// assert_eq!(position.to_string(), "(b ---- -wb- -bw- ----)");
/// position.play("b1".parse()?)?;
/// assert_eq!((position.turn(), position.state()), (Color::White, State::Placing));
/// assert_eq!(position.to_string(), "(w -b-- -bb- -bw- ----)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    rules: Rules,
    turn: Color,
    board: Board,
}

/// What the player to move must do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The player to move places a disc.
    Placing,
    /// The player to move can only pass.
    Passing,
    /// The game is over.
    Over(Outcome),
}

/// Why a move is illegal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// The cell is outside the board.
    #[error(
        "{} is not on the board, which runs from a1 to {}",
        Lattice::Rectangle(*.size).label(*.cell),
        Lattice::Rectangle(*.size).label(.size.last_cell())
    )]
    OffTheBoard {
        /// The cell.
        cell: Cell,
        /// The size of the board.
        size: Size,
    },
    /// The cell already has a disc.
    #[error("{} is occupied by a {color} disc", .lattice.label(*.cell))]
    Occupied {
        /// The cell.
        cell: Cell,
        /// The lattice, which names the cell.
        lattice: Lattice,
        /// The colour of its disc.
        color: Color,
    },
    /// The player's disc on this cell would not flip another.
    #[error("{} is illegal: a {color} disc there flips nothing", .lattice.label(*.cell))]
    FlipsNothing {
        /// The cell.
        cell: Cell,
        /// The lattice, which names the cell.
        lattice: Lattice,
        /// The player.
        color: Color,
    },
    /// A pass, although the player can place a disc.
    #[error("pass is illegal: {0} can place a disc")]
    CanPlace(Color),
    /// A placement, although the player can only pass.
    #[error("{0} cannot place a disc and must pass")]
    MustPass(Color),
    /// The game has ended.
    #[error("the game is over")]
    Over,
}

impl Position {
    /// Returns the start position: two discs of each colour, Black to move. On a rectangle, they
    /// surround the centre; on the hex lattice, they are on B2 C2 (black) and B3 C3 (white).
    pub fn start(rules: Rules) -> Self {
        use Color::{Black, White};
        let (upper_left, discs) = match rules.lattice {
            Lattice::Rectangle(size) => (
                Cell::new(i32::from(size.columns() / 2) - 1, i32::from(size.rows() / 2)),
                [White, Black, Black, White],
            ),
            Lattice::Hex => (Cell::new(1, 2), [Black, Black, White, White]),
        };
        let cells = [(0, 0), (1, 0), (0, 1), (1, 1)]
            .map(|(columns, rows)| Cell::new(upper_left.column + columns, upper_left.row + rows));
        Self { rules, turn: Black, board: Board::new(rules.lattice) }
            .with_discs(cells.into_iter().zip(discs))
    }

    /// Returns a position with this player to move. Every disc must be inside the lattice.
    pub(super) fn from_discs(rules: Rules, turn: Color, discs: Vec<(Cell, Color)>) -> Self {
        Self { rules, turn, board: Board::new(rules.lattice) }.with_discs(discs)
    }

    fn with_discs(mut self, discs: impl IntoIterator<Item = (Cell, Color)>) -> Self {
        for (cell, color) in discs {
            self.board.put(cell, color, &Cells::NONE);
        }
        self
    }

    /// Returns the same position on the general board. It plays the same, only more slowly.
    pub fn on_general_board(&self) -> Self {
        let discs = self.cells().filter_map(|cell| Some((cell, self.disc(cell)?)));
        Self { board: Board::general(self.rules.lattice), ..*self }.with_discs(discs)
    }

    /// Returns the same position under another rule for a player who cannot place a disc.
    #[must_use]
    pub fn with_stuck(self, stuck: Stuck) -> Self {
        Self { rules: Rules { stuck, ..self.rules }, ..self }
    }

    /// Returns the rules.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the player to move, or who would be if the game were not over.
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the colour of the disc on a cell; `None` if the cell is empty or off the board.
    pub fn disc(&self, cell: Cell) -> Option<Color> {
        self.board.disc(cell)
    }

    /// Returns the number of discs of this colour.
    pub fn count(&self, color: Color) -> u32 {
        self.board.count(color)
    }

    /// Returns the cells that a figure shows.
    pub fn frame(&self) -> Frame {
        self.board.frame()
    }

    /// Iterates over the cells of [`Position::frame`], row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let frame = self.frame();
        frame
            .row_range()
            .flat_map(move |row| frame.column_range().map(move |column| Cell::new(column, row)))
    }

    /// Returns the bitboard of the 8×8 board; `None` for any other board.
    const fn bits(&self) -> Option<&Bitboard> {
        match &self.board {
            Board::Bits(bits) => Some(bits),
            Board::Grid(_) => None,
        }
    }

    /// Returns the discs of the player to move and those of the other on the 8×8 board: bit
    /// `8 · column + row − 1` stands for a cell. Returns `None` for any other board.
    pub fn bitboards(&self) -> Option<(u64, u64)> {
        let bits = self.bits()?;
        Some((bits.discs(self.turn), bits.discs(!self.turn)))
    }

    /// Returns whether the player to move can only pass and the rules make that pass. Then the other
    /// player can place a disc: there are never two such passes in a row.
    ///
    /// ```
    /// # use outflank_rules::{Cell, Move, Setup, Variant};
    /// # let rules = Variant::named("othello")?.rules(&Default::default())?;
    /// let setup: Setup = "(w bw-- ---- ---- ----)".parse()?;
    /// let position = setup.position(&rules, Cell::new(0, 1))?;
    /// assert!(position.passes_automatically());
    /// assert_eq!(position.legal(), [Move::Pass]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn passes_automatically(&self) -> bool {
        self.rules.stuck == Stuck::AutoPass && self.state() == State::Passing
    }

    /// Returns the legal moves: cells in their order, a pass alone, or none when the game is over.
    ///
    /// ```
    /// # use outflank_rules::{Position, Variant};
    /// # let rules = Variant::named("othello")?.rules(&Default::default())?;
    /// let legal = Position::start(rules).legal();
    /// let labels: Vec<_> = legal.iter().map(|&mv| rules.lattice.move_label(mv)).collect();
    /// assert_eq!(labels, ["c4", "d3", "e6", "f5"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn legal(&self) -> Vec<Move> {
        match self.state() {
            State::Placing => self.placements().iter().map(Move::Place).collect(),
            State::Passing => vec![Move::Pass],
            State::Over(_) => Vec::new(),
        }
    }

    /// Returns what the player to move must do.
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
            Stuck::AutoPass | Stuck::MustPass if self.can_place(!self.turn) => State::Passing,
            Stuck::AutoPass | Stuck::MustPass => self.over_by_discs(),
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

    /// Returns the cells on which the player to move may place a disc; none if the game is over.
    pub fn placements(&self) -> Cells {
        if self.state() != State::Placing {
            return Cells::NONE;
        }
        match self.rules.placement {
            Placement::Outflanking => self.board.placements(self.turn),
            Placement::Anywhere => self.board.empty(),
        }
    }

    /// Returns the discs that the player to move would flip with a disc on this cell; none if the
    /// cell is occupied or outside the board.
    pub fn flips(&self, cell: Cell) -> Cells {
        if !self.rules.lattice.contains(cell) || self.disc(cell).is_some() {
            return Cells::NONE;
        }
        self.board.flips(cell, self.turn)
    }

    /// Returns the discs that a legal move would flip, or the reason why the move is illegal.
    ///
    /// ```
    /// # use outflank_rules::{Illegal, Position, Variant};
    /// # let rules = Variant::named("othello")?.rules(&Default::default())?;
    /// let start = Position::start(rules);
    /// assert_eq!(start.check("d3".parse()?).map(|flipped| flipped.len()), Ok(1));
    /// let illegal = start.check("d4".parse()?).unwrap_err();
    /// assert!(matches!(illegal, Illegal::Occupied { .. }));
    /// assert_eq!(illegal.to_string(), "d4 is occupied by a white disc");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, mv: Move) -> Result<Cells, Illegal> {
        let state = self.state();
        if let State::Over(_) = state {
            return Err(Illegal::Over);
        }
        let lattice = self.rules.lattice;
        let Move::Place(cell) = mv else {
            return match state {
                State::Passing => Ok(Cells::NONE),
                _ => Err(Illegal::CanPlace(self.turn)),
            };
        };
        if let (Lattice::Rectangle(size), false) = (lattice, lattice.contains(cell)) {
            return Err(Illegal::OffTheBoard { cell, size });
        }
        if let Some(color) = self.disc(cell) {
            return Err(Illegal::Occupied { cell, lattice, color });
        }
        if state == State::Passing {
            return Err(Illegal::MustPass(self.turn));
        }
        let flipped = self.board.flips(cell, self.turn);
        if flipped.is_empty() && self.rules.placement == Placement::Outflanking {
            return Err(Illegal::FlipsNothing { cell, lattice, color: self.turn });
        }
        Ok(flipped)
    }

    /// Makes a legal move and returns the flipped discs. An illegal move changes nothing.
    /// Automatic passes are moves of their own, which the caller makes where
    /// [`Position::passes_automatically`].
    ///
    /// ```
    /// # use outflank_rules::{Cell, Color, Position, Variant};
    /// # let rules = Variant::named("othello")?.rules(&Default::default())?;
    /// let mut position = Position::start(rules);
    /// let flipped = position.play("d3".parse()?)?;
    /// assert_eq!(flipped.iter().collect::<Vec<_>>(), [Cell::new(3, 4)]);
    /// assert_eq!(position.count(Color::Black), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<Cells, Illegal> {
        let flipped = self.check(mv)?;
        self.make(mv, &flipped);
        Ok(flipped)
    }

    /// Makes a move without checking that it is legal. `flipped` must be the result of
    /// [`Position::flips`] for it.
    pub(super) fn make(&mut self, mv: Move, flipped: &Cells) {
        if let Move::Place(cell) = mv {
            self.board.put(cell, self.turn, flipped);
        }
        self.turn = !self.turn;
    }
}

/// Writes the position string `(T row row …)`: the player to move (`b` or `w`), then the rows of
/// [`Position::frame`] from the top. A row is `b`, `w` or `-` for each cell from the left.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = self.frame();
        write!(f, "({}", self.turn().letter())?;
        for row in frame.row_range() {
            f.write_str(" ")?;
            for column in frame.column_range() {
                let disc = self.disc(Cell::new(column, row));
                write!(f, "{}", disc.map_or('-', Color::letter))?;
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, Variant};

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
