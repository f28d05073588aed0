//! The rules a second time, slow and plain: written from their text, sharing nothing with the
//! engine. A board is a map from cells to letters, and every ray is walked step by step.

use std::collections::{BTreeSet, HashMap};

/// Column (`a` is 0) and row (the first is 1).
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
    /// A pass is a move that the player must make; else it happens by itself.
    pub explicit_pass: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The player on turn places a disc on one of these cells.
    Place(BTreeSet<Place>),
    /// The player on turn can only pass.
    Pass,
    /// The game is over: who won, and why.
    Over(Option<char>, &'static str),
}

/// A move: a cell, or a pass.
pub type Played = Option<Place>;

/// What became of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub by: char,
    pub played: Played,
    pub flipped: BTreeSet<Place>,
    pub auto: bool,
    pub black: usize,
    pub white: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naive {
    pub options: Options,
    pub discs: HashMap<Place, char>,
    pub turn: char,
}

fn opponent(color: char) -> char {
    if color == BLACK { WHITE } else { BLACK }
}

impl Naive {
    pub fn start(options: Options) -> Self {
        let discs = match options.shape {
            Shape::Rectangle { rows, columns } => {
                // Counted from 1: row and column of the upper left disc of the four.
                let (row, column) = (rows / 2, columns / 2 - 1);
                [
                    ((column, row), WHITE),
                    ((column + 1, row), BLACK),
                    ((column, row + 1), BLACK),
                    ((column + 1, row + 1), WHITE),
                ]
            }
            // Black B2 and C2, white B3 and C3.
            Shape::Hex => [((1, 2), BLACK), ((2, 2), BLACK), ((1, 3), WHITE), ((2, 3), WHITE)],
        };
        Self { options, discs: HashMap::from(discs), turn: BLACK }
    }

    pub fn count(&self, color: char) -> usize {
        self.discs.values().filter(|&&disc| disc == color).count()
    }

    fn steps(&self) -> Vec<(i32, i32)> {
        match self.options.shape {
            Shape::Hex => vec![(-1, 0), (1, 0), (0, -1), (0, 1), (1, -1), (-1, 1)],
            Shape::Rectangle { .. } => {
                let mut steps = Vec::new();
                for right in -1..=1 {
                    for down in -1..=1 {
                        if (right, down) != (0, 0) {
                            steps.push((right, down));
                        }
                    }
                }
                steps
            }
        }
    }

    /// The empty cells in question: all of a rectangle, on the hex lattice the neighbours of
    /// discs, since no other cell can outflank anything.
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

    /// The discs outflanked by a disc of this colour on this cell: in each direction those of
    /// the opponent up to the next of the player's own, with no gap and no edge before it.
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

    /// The discs that a disc of the player on turn would flip on this cell; none for a cell
    /// that is taken or outside the board.
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

    pub fn standing(&self) -> Standing {
        let hex = self.options.shape == Shape::Hex;
        if hex && self.discs.len() >= 64 {
            return Standing::Over(self.winner_by_discs(), "discs");
        }
        let own = self.placements(self.turn);
        if !own.is_empty() {
            Standing::Place(own)
        } else if hex {
            Standing::Over(Some(opponent(self.turn)), "stuck")
        } else if self.placements(opponent(self.turn)).is_empty() {
            Standing::Over(self.winner_by_discs(), "discs")
        } else {
            Standing::Pass
        }
    }

    /// The discs a legal move would flip; nothing for a move that may not be made.
    pub fn check(&self, played: Played) -> Option<BTreeSet<Place>> {
        match (self.standing(), played) {
            (Standing::Place(cells), Some(place)) if cells.contains(&place) => {
                Some(self.outflanked(place, self.turn))
            }
            (Standing::Pass, None) => Some(BTreeSet::new()),
            _ => None,
        }
    }

    /// Makes a legal move and says what became of it. Nothing happens by itself.
    fn make(&mut self, played: Played, auto: bool) -> Option<Event> {
        let flipped = self.check(played)?;
        let by = self.turn;
        for &place in flipped.iter().chain(&played) {
            self.discs.insert(place, by);
        }
        self.turn = opponent(by);
        let (black, white) = (self.count(BLACK), self.count(WHITE));
        Some(Event { by, played, flipped, auto, black, white })
    }

    /// Makes a move and the pass that happens by itself after it; nothing for a move that may
    /// not be made.
    pub fn play(&mut self, played: Played) -> Vec<Event> {
        let Some(event) = self.make(played, false) else { return Vec::new() };
        [event].into_iter().chain(self.pass_by_itself()).collect()
    }

    /// Makes the pass that happens by itself, if one does.
    pub fn pass_by_itself(&mut self) -> Option<Event> {
        let passes = !self.options.explicit_pass && self.standing() == Standing::Pass;
        if passes { self.make(None, true) } else { None }
    }

    /// The position string; on the hex lattice with one empty cell around the discs.
    pub fn written(&self) -> String {
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
