//! Figures of boards in text, drawn again from the replay: docs/commands.md, docs/settings.md, docs/mail.md.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::games::word;
use crate::simulator::naive::{Naive, Place, Shape};
use crate::simulator::replay::{Replayed, label};

/// The figures of the printed rules that explain how discs flip: the placed disc, then the flipped ones, each with
/// its arrow.
const PRINTED: [[&str; 8]; 2] = [
    [
        "--------",
        "--------",
        "--w---w-",
        "--b--b--",
        "--b-b---",
        "--bb----",
        "-⇨wbw---",
        "--------",
    ],
    [
        "--------",
        "--------",
        "--w---w-",
        "-⇨w--w⇦-",
        "-⇨w-w⇦--",
        "-⇨ww⇦---",
        "--www---",
        "---⇧----",
    ],
];

/// The size of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// In a box, as in the rules.
    Full,
    /// Two columns of text.
    Compact,
    /// One column of text.
    Tiny,
}

impl Scale {
    /// All of them, the largest first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Compact, Self::Tiny];
}

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Disc(char),
    Placed(char),
    Flipped(char),
    Arrow(char),
}

/// A board that can be drawn.
#[derive(Debug, Clone)]
pub struct Figure {
    board: Naive,
    cells: BTreeMap<Place, Mark>,
    columns: RangeInclusive<i32>,
    rows: RangeInclusive<i32>,
}

impl Figure {
    /// Returns the board of a game after so many moves, with the marks of the last disc that was placed; `None` if
    /// it has fewer moves.
    pub fn after(replayed: &Replayed, ply: usize) -> Option<Self> {
        let made = replayed.plies.get(..ply)?;
        let mut board = replayed.start.clone();
        for made in made {
            let turned = made.flipped.iter().chain(&made.mv);
            board.discs.extend(turned.map(|place| (*place, made.by)));
        }
        let last = made.iter().rfind(|made| made.mv.is_some());
        let mark = |(place, disc): (&Place, &char)| {
            let mark = match last {
                Some(last) if last.mv == Some(*place) => Mark::Placed(*disc),
                Some(last) if last.flipped.contains(place) => Mark::Flipped(*disc),
                _ => Mark::Disc(*disc),
            };
            (*place, mark)
        };
        let cells = board.discs.iter().map(mark).collect();
        Some(Self::of(board, cells))
    }

    /// Returns the board at the start of a game.
    pub fn at_start(replayed: &Replayed) -> Self {
        let board = replayed.start.clone();
        let cells = board.discs.iter().map(|(place, disc)| (*place, Mark::Disc(*disc))).collect();
        Self::of(board, cells)
    }

    /// Returns the figures with arrows of the printed rules for rectangles, with the options of this board.
    pub fn printed(start: &Naive) -> [Self; 2] {
        PRINTED.map(|rows| {
            let mut board = start.clone();
            board.options.shape = Shape::Rectangle { rows: 8, columns: 8 };
            let cells = (1..).zip(rows).flat_map(|(row, cells)| {
                let cells = (0..).zip(cells.chars()).filter(|(_, it)| *it != '-');
                cells.map(move |(column, it)| match it {
                    'b' | 'w' => ((column, row), Mark::Disc(it)),
                    arrow => ((column, row), Mark::Arrow(arrow)),
                })
            });
            Self::of(board, cells.collect())
        })
    }

    fn of(board: Naive, cells: BTreeMap<Place, Mark>) -> Self {
        let around = |all: &mut dyn Iterator<Item = i32>| {
            let all: Vec<_> = all.collect();
            let (least, most) = (all.iter().min(), all.iter().max());
            least.copied().unwrap_or_default() - 1..=most.copied().unwrap_or_default() + 1
        };
        let (columns, rows) = match board.options.shape {
            Shape::Rectangle { rows, columns } => (0..=columns - 1, 1..=rows),
            Shape::Hex => (
                around(&mut cells.keys().map(|place| place.0)),
                around(&mut cells.keys().map(|place| place.1)),
            ),
        };
        Self { board, cells, columns, rows }
    }

    /// Returns whether these are the discs of a position string.
    pub fn is_at(&self, position: &str) -> bool {
        let own = self.board.position_string();
        let discs = |position: &str| position.split_once(' ').map(|(_, discs)| discs.to_owned());
        discs(&own) == discs(position)
    }

    pub fn is_hex(&self) -> bool {
        self.board.options.shape == Shape::Hex
    }

    fn mark(&self, column: i32, row: i32) -> Option<Mark> {
        self.cells.get(&(column, row)).copied()
    }

    /// Returns the label of a column; `None` if it is far away from the first ones.
    fn letters(&self, column: i32) -> Option<String> {
        let label = label((column, 1), &self.board)?;
        label.strip_suffix('1').map(str::to_owned)
    }

    /// Returns the lines of a rectangle; nothing on the hex lattice.
    fn lines(&self, scale: Scale) -> Vec<String> {
        match scale {
            _ if self.is_hex() => Vec::new(),
            Scale::Full => self.boxed(),
            Scale::Compact => self.small(2),
            Scale::Tiny => self.small(1),
        }
    }

    /// Draws boxed cells, with the numbers of rows at the right and the letters below.
    fn boxed(&self) -> Vec<String> {
        let border = self.columns.clone().map(|_| "+---").collect::<String>() + "+";
        let mut lines = vec![border.clone()];
        for row in self.rows.clone() {
            let cells = self.columns.clone().map(|column| match self.mark(column, row) {
                None => "|   ".to_owned(),
                Some(Mark::Disc(it)) => format!("| {} ", it.to_ascii_uppercase()),
                Some(Mark::Placed(it)) => format!("|[{}]", it.to_ascii_uppercase()),
                Some(Mark::Flipped(it)) => format!("|({})", it.to_ascii_uppercase()),
                Some(Mark::Arrow(it)) => format!("| {it} "),
            });
            lines.push(format!("{}| {row}", cells.collect::<String>()));
            lines.push(border.clone());
        }
        let letters = self.columns.clone().filter_map(|it| self.letters(it));
        lines.push(format!("  {}", letters.collect::<Vec<_>>().join("   ")));
        lines
    }

    /// Draws cells of one or two columns of text, with labels on all sides and the discs of the last move in upper
    /// case.
    fn small(&self, pitch: usize) -> Vec<String> {
        let widest = self.rows.end().to_string().len();
        let letters = self.columns.clone().filter_map(|it| self.letters(it));
        let letters = letters.collect::<Vec<_>>().join(&" ".repeat(pitch - 1));
        let letters = format!("{}{letters}", " ".repeat(widest + pitch));
        let mut lines = vec![letters.clone()];
        for row in self.rows.clone() {
            let (mut cells, mut is_placed) = (String::new(), false);
            for column in self.columns.clone() {
                let mark = self.mark(column, row);
                let gap = match mark {
                    Some(Mark::Placed(_)) => '[',
                    _ if is_placed => ']',
                    _ => ' ',
                };
                cells.extend(Some(gap).filter(|_| pitch > 1));
                is_placed = matches!(mark, Some(Mark::Placed(_)));
                cells.push(match mark {
                    None => '.',
                    Some(Mark::Disc(it) | Mark::Arrow(it)) => it,
                    Some(Mark::Placed(it) | Mark::Flipped(it)) => it.to_ascii_uppercase(),
                });
            }
            let end = if is_placed { ']' } else { ' ' };
            cells.extend(Some(end).filter(|_| pitch > 1));
            lines.push(format!("{row:>widest$} {cells} {row}"));
        }
        lines.push(letters);
        lines
    }

    /// Returns the rows of the hex lattice with their numbers, without the spaces that shift them.
    fn sheared(&self, pitch: usize) -> Vec<String> {
        let row = |row: i32| {
            let cells = self.columns.clone().map(|column| {
                let letter = |it| if it == 'b' { 'o' } else { 'x' };
                match (self.mark(column, row), pitch) {
                    (Some(Mark::Flipped(it)), 2) => format!("{}'", letter(it)),
                    (mark, _) => {
                        let text = match mark {
                            None => '.',
                            Some(Mark::Disc(it)) => letter(it),
                            Some(Mark::Placed(it) | Mark::Flipped(it)) => {
                                letter(it).to_ascii_uppercase()
                            }
                            Some(Mark::Arrow(it)) => it,
                        };
                        format!("{text:<pitch$}")
                    }
                }
            });
            let gap = " ".repeat(2 - pitch);
            format!("{row}  {}{gap}{row}", cells.collect::<String>())
        };
        self.rows.clone().map(row).collect()
    }

    /// Returns whether a text has this board at this scale, on lines of its own.
    pub fn is_in(&self, text: &str, scale: Scale) -> bool {
        if self.is_hex() {
            return self.is_sheared_in(text, if scale == Scale::Tiny { 1 } else { 2 });
        }
        let lines = self.lines(scale).join("\n");
        format!("\n{text}\n").contains(&format!("\n{lines}\n"))
    }

    /// Returns whether a text is just this board at this scale.
    pub fn is_drawn(&self, text: &str, scale: Scale) -> bool {
        match self.is_hex() {
            true => self.is_in(text, scale),
            false => text.trim_end() == self.lines(scale).join("\n"),
        }
    }

    /// Returns whether a text has the rows of the lattice one below the other, each shifted by one column, between the
    /// labels of all columns on their diagonals.
    fn is_sheared_in(&self, text: &str, pitch: usize) -> bool {
        let lines: Vec<_> = text.lines().collect();
        let rows = self.sheared(pitch);
        // The columns of text where the first cells are.
        let first_cells = |lines: &[&str]| -> Vec<usize> {
            let pairs = lines.iter().zip(self.rows.clone());
            let first = |(line, row): (&&str, i32)| {
                line.len() - line.trim_start().len() + row.to_string().len() + 2
            };
            pairs.map(first).collect()
        };
        (0..lines.len().saturating_sub(rows.len() - 1)).any(|at| {
            let found = &lines[at..at + rows.len()];
            let cells = first_cells(found);
            found.iter().zip(&rows).all(|(line, row)| line.trim() == row)
                && cells.windows(2).all(|pair| pair[0] + 1 == pair[1])
                && self.has_labels(&lines, at, cells[0], pitch)
        })
    }

    /// Returns whether the labels of all columns are above and below the rows that begin at this line.
    fn has_labels(&self, lines: &[&str], at: usize, first: usize, pitch: usize) -> bool {
        // At the smallest scale, there is no space between labels.
        if pitch == 1 {
            return true;
        }
        let expected: Option<Vec<_>> = self.columns.clone().map(|it| self.letters(it)).collect();
        // Far away from the first column, labels are not known here.
        let Some(expected) = expected else { return true };
        let count = self.rows.clone().count();
        let is_label = |line: &&&str| !line.trim().is_empty();
        let above = lines[..at].iter().rev().take_while(is_label);
        let below = lines[at + count..].iter().take_while(is_label);
        let labels = |line: &str| -> Vec<(usize, usize, String)> {
            let found = line.split(' ').scan(0, |from, word| {
                let start = *from;
                *from += word.len() + 1;
                Some((start, word))
            });
            let found = found.filter(|(_, word)| !word.is_empty());
            found.map(|(from, word)| (from, from + word.len() - 1, word.to_owned())).collect()
        };
        // The diagonal goes through the last character of a label above, and the first one of a label below.
        let above = (1..).zip(above).flat_map(|(step, line)| {
            labels(line).into_iter().map(move |(_, last, word)| (last + step, word))
        });
        let below = (count..).zip(below).flat_map(|(step, line)| {
            labels(line).into_iter().map(move |(from, _, word)| (from.saturating_sub(step), word))
        });
        let expected: Vec<_> =
            expected.into_iter().enumerate().map(|(at, it)| (first + pitch * at, it)).collect();
        let sorted = |mut found: Vec<(usize, String)>| {
            found.sort();
            found
        };
        let above = sorted(above.collect());
        above == expected && sorted(below.collect()) == expected
    }

    /// Returns the rows in words, on one line; `None` on the hex lattice.
    pub fn spoken(&self) -> Option<String> {
        let (mut lines, mut empty) = (Vec::new(), Vec::new());
        for row in self.rows.clone() {
            let mut runs: Vec<(char, Vec<i32>)> = Vec::new();
            for column in self.columns.clone() {
                let Some(disc) = self.board.discs.get(&(column, row)) else { continue };
                match runs.last_mut().filter(|(color, _)| color == disc) {
                    Some((_, run)) => run.push(column),
                    None => runs.push((*disc, vec![column])),
                }
            }
            if runs.is_empty() {
                empty.push(row);
                continue;
            }
            lines.extend(empty_rows(&std::mem::take(&mut empty)));
            let run =
                |(color, run): &(char, Vec<i32>)| format!("{} {}", word(*color), self.span(run));
            lines.push(format!(
                "Row {row}: {}.",
                runs.iter().map(run).collect::<Vec<_>>().join("; ")
            ));
        }
        lines.extend(empty_rows(&empty));
        (!self.is_hex()).then(|| lines.join(" "))
    }

    /// Returns columns in words: `c, d, f`, or `c to f` for more than three without a gap.
    fn span(&self, run: &[i32]) -> String {
        let letters: Vec<_> = run.iter().filter_map(|it| self.letters(*it)).collect();
        let is_whole = run.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        match &letters[..] {
            [first, .., last] if run.len() > 3 && is_whole => format!("{first} to {last}"),
            letters => letters.join(", "),
        }
    }
}

fn empty_rows(rows: &[i32]) -> Option<String> {
    match rows {
        [] => None,
        [row] => Some(format!("Row {row}: empty.")),
        [first, .., last] => Some(format!("Rows {first} to {last}: empty.")),
    }
}
