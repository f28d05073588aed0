//! A second, slow and simple implementation of the rules. It is written from their text and shares
//! no code with the engine: a board is a map from cells to letters, and rays go step by step.

use std::collections::{BTreeMap, BTreeSet};

/// A cell: column (`a` is 0) and row (the first is 1).
pub type Place = (i32, i32);

const BLACK: char = 'b';
const WHITE: char = 'w';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Rectangle { rows: i32, columns: i32 },
    Hex,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub shape: Shape,
    pub misere: bool,
    pub anywhere: bool,
    /// Whether a pass is an explicit move. Otherwise it is automatic.
    pub explicit_pass: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The player to move places a disc on one of these cells.
    Place(BTreeSet<Place>),
    /// The player to move can only pass.
    Pass,
    /// The game is over: the winner and the reason.
    Over(Option<char>, &'static str),
}

/// A move: a cell, or `None` for a pass.
pub type Move = Option<Place>;

/// A move that was made, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub by: char,
    pub mv: Move,
    pub flipped: BTreeSet<Place>,
    pub auto: bool,
    pub black: usize,
    pub white: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naive {
    pub options: Options,
    pub discs: BTreeMap<Place, char>,
    pub turn: char,
}

fn opponent(color: char) -> char {
    if color == BLACK { WHITE } else { BLACK }
}

impl Naive {
    pub fn start(options: Options) -> Self {
        let discs = match options.shape {
            Shape::Rectangle { rows, columns } => {
                // The upper left disc: row ⌊rows/2⌋ from 1, column ⌊columns/2⌋ - 1 from 0.
                let (row, column) = (rows / 2, columns / 2 - 1);
                [
                    ((column, row), WHITE),
                    ((column + 1, row), BLACK),
                    ((column, row + 1), BLACK),
                    ((column + 1, row + 1), WHITE),
                ]
            }
            // B2 and C2 are black, B3 and C3 white.
            Shape::Hex => [((1, 2), BLACK), ((2, 2), BLACK), ((1, 3), WHITE), ((2, 3), WHITE)],
        };
        Self { options, discs: BTreeMap::from(discs), turn: BLACK }
    }

    pub fn count(&self, color: char) -> usize {
        self.discs.values().filter(|&&disc| disc == color).count()
    }

    /// Returns the steps to the neighbours of a cell: right and down.
    fn steps(&self) -> &'static [(i32, i32)] {
        match self.options.shape {
            Shape::Hex => &[(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)],
            Shape::Rectangle { .. } => {
                &[(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
            }
        }
    }

    /// Returns the empty cells of a rectangle. On the hex lattice, only neighbours of discs matter:
    /// a disc on any other cell outflanks nothing.
    fn empty(&self) -> BTreeSet<Place> {
        let mut empty = BTreeSet::new();
        match self.options.shape {
            Shape::Rectangle { rows, columns } => {
                for column in 0..columns {
                    for row in 1..=rows {
                        empty.insert((column, row));
                    }
                }
            }
            Shape::Hex => {
                for (column, row) in self.discs.keys() {
                    for (right, down) in self.steps() {
                        empty.insert((column + right, row + down));
                    }
                }
            }
        }
        empty.retain(|place| !self.discs.contains_key(place));
        empty
    }

    /// Returns the discs outflanked by a disc of this colour: in each direction, the opponent's
    /// discs up to the player's next disc, without a gap or an edge in between.
    fn outflanked(&self, (column, row): Place, color: char) -> BTreeSet<Place> {
        let mut flipped = BTreeSet::new();
        for (right, down) in self.steps() {
            let mut line = Vec::new();
            let mut here = (column + right, row + down);
            while self.discs.get(&here) == Some(&opponent(color)) {
                line.push(here);
                here = (here.0 + right, here.1 + down);
            }
            if self.discs.get(&here) == Some(&color) {
                flipped.extend(line);
            }
        }
        flipped
    }

    fn has(&self, (column, row): Place) -> bool {
        match self.options.shape {
            Shape::Hex => true,
            Shape::Rectangle { rows, columns } => {
                column >= 0 && column < columns && row >= 1 && row <= rows
            }
        }
    }

    /// Returns the discs that the player to move would flip with a disc on this cell; none if the
    /// cell is occupied or outside the board.
    pub fn flips(&self, place: Place) -> BTreeSet<Place> {
        if self.has(place) && !self.discs.contains_key(&place) {
            self.outflanked(place, self.turn)
        } else {
            BTreeSet::new()
        }
    }

    fn placements(&self, color: char) -> BTreeSet<Place> {
        let mut cells = self.empty();
        if !self.options.anywhere {
            cells.retain(|&place| !self.outflanked(place, color).is_empty());
        }
        cells
    }

    fn winner_by_discs(&self) -> Option<char> {
        let (black, white) = (self.count(BLACK), self.count(WHITE));
        let more = if black > white { BLACK } else { WHITE };
        match (black == white, self.options.misere) {
            (true, _) => None,
            (false, false) => Some(more),
            (false, true) => Some(opponent(more)),
        }
    }

    pub fn status(&self) -> Status {
        let hex = self.options.shape == Shape::Hex;
        if hex && self.discs.len() >= 64 {
            return Status::Over(self.winner_by_discs(), "discs");
        }
        let own = self.placements(self.turn);
        if !own.is_empty() {
            Status::Place(own)
        } else if hex {
            Status::Over(Some(opponent(self.turn)), "stuck")
        } else if self.placements(opponent(self.turn)).is_empty() {
            Status::Over(self.winner_by_discs(), "discs")
        } else {
            Status::Pass
        }
    }

    /// Returns the discs that a legal move would flip; `None` for an illegal move.
    pub fn check(&self, mv: Move) -> Option<BTreeSet<Place>> {
        match (self.status(), mv) {
            (Status::Place(cells), Some(place)) if cells.contains(&place) => {
                Some(self.outflanked(place, self.turn))
            }
            (Status::Pass, None) => Some(BTreeSet::new()),
            _ => None,
        }
    }

    /// Makes a legal move, without automatic passes.
    fn make(&mut self, mv: Move, auto: bool) -> Option<Event> {
        let flipped = self.check(mv)?;
        let by = self.turn;
        for &place in flipped.iter().chain(&mv) {
            self.discs.insert(place, by);
        }
        self.turn = opponent(by);
        let (black, white) = (self.count(BLACK), self.count(WHITE));
        Some(Event { by, mv, flipped, auto, black, white })
    }

    /// Makes a move and the automatic pass after it. Returns nothing for an illegal move.
    pub fn play(&mut self, mv: Move) -> Vec<Event> {
        let Some(event) = self.make(mv, false) else { return Vec::new() };
        [event].into_iter().chain(self.auto_pass()).collect()
    }

    /// Makes the automatic pass if there is one.
    pub fn auto_pass(&mut self) -> Option<Event> {
        let passes = !self.options.explicit_pass && self.status() == Status::Pass;
        if passes { self.make(None, true) } else { None }
    }

    /// Returns the position string; on the hex lattice, with one empty cell around the discs.
    pub fn position_string(&self) -> String {
        let (columns, rows) = match self.options.shape {
            Shape::Rectangle { rows, columns } => ((0, columns - 1), (1, rows)),
            Shape::Hex => {
                let columns: BTreeSet<_> = self.discs.keys().map(|place| place.0).collect();
                let rows: BTreeSet<_> = self.discs.keys().map(|place| place.1).collect();
                let around =
                    |all: &BTreeSet<i32>| (all.first().unwrap() - 1, all.last().unwrap() + 1);
                (around(&columns), around(&rows))
            }
        };
        let mut text = format!("({}", self.turn);
        for row in rows.0..=rows.1 {
            text.push(' ');
            for column in columns.0..=columns.1 {
                text.push(*self.discs.get(&(column, row)).unwrap_or(&'-'));
            }
        }
        text + ")"
    }
}
