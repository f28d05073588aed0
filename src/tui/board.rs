//! The board on the screen: two scales, and a view of it that follows the cursor.

use std::ops::Range;

use outflank_rules::{Cell, Cells, Color, Frame, Lattice, Position};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::look::{BOLD, DIM, Ink, Look, Square};
use outflank_model::render::LastMove;

/// How large squares are. All show three characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// With grid lines around them.
    Boxed,
    /// Side by side; on the hex lattice with a gap, and each row half a cell to the right.
    Small,
}

/// A board to be drawn.
pub(super) struct Board<'a> {
    pub position: &'a Position,
    /// The move that led to the position.
    pub last: Option<LastMove<'a>>,
    /// The squares where the reader can place a disc.
    pub legal: &'a Cells,
    /// The discs that one under the cursor would flip.
    pub flips: &'a Cells,
    /// The values of the legal moves from a hint, if there is one.
    pub values: &'a [(Cell, i32)],
    pub cursor: Cell,
    pub look: Look,
}

/// The columns of a square.
const SQUARE: i32 = 3;

/// The places of the squares of a scale. Columns and lines are counted from cell A0, so that a board that
/// grows stands still.
#[derive(Debug, Clone, Copy)]
struct Grid {
    frame: Frame,
    /// The columns from one cell to the next, and the lines from one row to the next.
    pitch: (i32, i32),
    /// The columns by which each row is right of the row above it.
    shift: i32,
}

impl Grid {
    fn new(position: &Position, scale: Scale) -> Self {
        let (pitch, shift) = match (scale, position.rules().lattice) {
            (_, Lattice::Hex) => ((4, 1), 2),
            (Scale::Boxed, Lattice::Rectangle(_)) => ((4, 2), 0),
            (Scale::Small, Lattice::Rectangle(_)) => ((SQUARE, 1), 0),
        };
        Self { frame: position.frame(), pitch, shift }
    }

    const fn is_boxed(&self) -> bool {
        self.pitch.1 > 1
    }

    const fn x(&self, cell: Cell) -> i32 {
        cell.column * self.pitch.0 + cell.row * self.shift
    }

    const fn y(&self, row: i32) -> i32 {
        row * self.pitch.1
    }

    /// Returns the columns and the lines that the cells take. Boxed ones have a grid line before them.
    fn extent(&self) -> (Range<i32>, Range<i32>) {
        let Frame { first, .. } = self.frame;
        let last = Cell::new(self.frame.column_range().end, self.frame.row_range().end - 1);
        let line = i32::from(self.is_boxed());
        (self.x(first) - line..self.x(last), self.y(first.row) - line..self.y(last.row + 1))
    }

    /// Returns the columns and lines of the labels before the cells, and of those behind them.
    fn margins(&self) -> [(i32, i32); 2] {
        let rows = self.frame.row_range();
        let label = width(&rows.start.to_string()).max(width(&(rows.end - 1).to_string())) + 1;
        [if self.shift == 0 { (0, 0) } else { (label, 1) }, (label, 1)]
    }
}

fn width(text: &str) -> i32 {
    i32::try_from(text.len()).unwrap_or(0)
}

fn narrow(number: i32) -> u16 {
    u16::try_from(number.max(0)).unwrap_or(u16::MAX)
}

fn length(range: &Range<i32>) -> i32 {
    range.end - range.start
}

/// Returns the size of a whole board.
pub(super) fn size(position: &Position, scale: Scale) -> Size {
    let grid = Grid::new(position, scale);
    let (columns, lines) = grid.extent();
    let [before, behind] = grid.margins();
    Size {
        width: narrow(length(&columns) + before.0 + behind.0),
        height: narrow(length(&lines) + before.1 + behind.1),
    }
}

/// The part of a board that is on the screen.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    /// The first column and line; `None` before the board was drawn.
    from: Option<(i32, i32)>,
    /// The columns and lines that fit on the screen.
    visible: (i32, i32),
    /// The squares that are on the screen.
    squares: Vec<(Rect, Cell)>,
}

impl View {
    /// Returns the cell of the square at this place of the screen.
    pub(super) fn cell_at(&self, at: ratatui::layout::Position) -> Option<Cell> {
        self.squares.iter().find(|(square, _)| square.contains(at)).map(|&(_, cell)| cell)
    }

    /// Returns the place of a cell's square on the screen.
    pub(super) fn square(&self, cell: Cell) -> Option<Rect> {
        self.squares.iter().find(|&&(_, other)| other == cell).map(|&(square, _)| square)
    }

    /// Forgets the squares.
    pub(super) fn clear(&mut self) {
        self.squares.clear();
    }
}

/// Returns the start of a view of this length, near its old start, so that it shows `at` and as little as
/// possible beside the board.
fn follow(from: Option<i32>, length_of_view: i32, extent: &Range<i32>, at: &Range<i32>) -> i32 {
    let spare = length_of_view - length(extent);
    if spare >= 0 {
        let from = from.unwrap_or(extent.start - spare / 2);
        return from.clamp(extent.start - spare, extent.start);
    }
    let from = from.unwrap_or(at.start - length_of_view / 2);
    let from = from.max(at.end - length_of_view).min(at.start);
    from.clamp(extent.start, extent.end - length_of_view)
}

impl Board<'_> {
    /// Draws as much of the board as fits into the area.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer, scale: Scale, view: &mut View) {
        view.clear();
        let grid = Grid::new(self.position, scale);
        let [before, behind] = grid.margins();
        let width = i32::from(area.width) - before.0 - behind.0;
        let height = i32::from(area.height) - before.1 - behind.1;
        // Squares at the edges are whole.
        let step = if grid.shift == 0 && !grid.is_boxed() { grid.pitch.0 } else { 1 };
        let visible = (width - width.rem_euclid(step), height);
        if visible.0 < SQUARE || visible.1 < 1 {
            return;
        }
        let from = self.origin(&grid, visible, view);
        (view.from, view.visible) = (Some(from), visible);
        let cells = Rect {
            x: area.x + narrow(before.0),
            y: area.y + narrow(before.1),
            width: narrow(visible.0),
            height: narrow(visible.1),
        };
        let mut sheet = Sheet { buffer, area: cells, from, labels: area };
        if grid.is_boxed() {
            self.draw_lines(&mut sheet, &grid);
        }
        for row in grid.frame.row_range() {
            self.draw_row(&mut sheet, &grid, row, view);
        }
        self.draw_column_labels(&mut sheet, &grid);
    }

    /// Returns the first column and line of a view of this size that follows the cursor.
    fn origin(&self, grid: &Grid, visible: (i32, i32), view: &View) -> (i32, i32) {
        // At another size the board is moved to the middle again.
        let (x, y) = view.from.filter(|_| view.visible == visible).unzip();
        let (columns, lines) = grid.extent();
        let origin = |from, visible, extent, cursor, pitch| {
            // The neighbours of the cursor are to be seen, too.
            let beside = if visible >= 3 * pitch { pitch } else { 0 };
            follow(from, visible, extent, &(cursor - beside..cursor + pitch + beside))
        };
        let (cursor, pitch) = (self.cursor, grid.pitch);
        (
            origin(x, visible.0, &columns, grid.x(cursor), pitch.0),
            origin(y, visible.1, &lines, grid.y(cursor.row), pitch.1),
        )
    }

    fn draw_lines(&self, sheet: &mut Sheet, grid: &Grid) {
        let [top, side, middle, bottom] = match self.look.ascii {
            true => ["+-++", "| ||", "+-++", "+-++"],
            false => ["┌─┬┐", "│ ││", "├─┼┤", "└─┴┘"],
        };
        let (columns, lines) = grid.extent();
        let style = self.look.on_square(Ink::Grid, Square::Plain);
        for y in lines.clone() {
            let characters = match y - lines.start {
                0 => top,
                place if place % 2 == 1 => side,
                _ if y == lines.end - 1 => bottom,
                _ => middle,
            };
            sheet.put(columns.start, y, &grid_line(characters, grid.frame.columns), style);
        }
    }

    fn draw_row(&self, sheet: &mut Sheet, grid: &Grid, row: i32, view: &mut View) {
        let y = grid.y(row);
        let mut seen: Option<Range<i32>> = None;
        for column in grid.frame.column_range() {
            let cell = Cell::new(column, row);
            let x = grid.x(cell);
            let Some(place) = sheet.place(x, y) else { continue };
            let hit = Rect { width: narrow(grid.pitch.0), height: narrow(grid.pitch.1), ..place };
            view.squares.push((hit, cell));
            for (at, (c, style)) in (x..).zip(self.square(cell, grid)) {
                sheet.put(at, y, c.encode_utf8(&mut [0; 4]), style);
            }
            if seen.is_some() && grid.shift != 0 {
                sheet.put(x - 1, y, " ", self.look.on_square(Ink::Grid, Square::Plain));
            }
            seen = Some(seen.map_or(x, |seen| seen.start)..x + grid.pitch.0);
        }
        let Some(seen) = seen else { return };
        let label = row.to_string();
        let style = if row == self.cursor.row { BOLD } else { DIM };
        if grid.shift != 0 {
            sheet.put_label(seen.start - 1 - width(&label), y, &label, style);
        }
        let gap = i32::from(grid.pitch.0 == SQUARE || grid.is_boxed());
        sheet.put_label(seen.end + gap, y, &label, style);
    }

    /// Draws the labels of columns below the board, and on the hex lattice above it, too, where they
    /// continue the diagonals of the columns.
    fn draw_column_labels(&self, sheet: &mut Sheet, grid: &Grid) {
        let lattice = self.position.rules().lattice;
        let rows = grid.frame.row_range().filter(|&row| sheet.has_line(grid.y(row)));
        let (Some(first), Some(last)) = (rows.clone().min(), rows.max()) else { return };
        let above = (grid.shift != 0).then_some((first - 1, grid.y(first) - 1));
        for (row, y) in above.into_iter().chain([(last + 1, grid.y(last) + grid.pitch.1)]) {
            let mut end = i32::MIN;
            for column in grid.frame.column_range() {
                let cell = Cell::new(column, row);
                let label = lattice.column_label(cell);
                let x = grid.x(cell) + 1 - (width(&label) - 1) / 2;
                // A long label stands for its neighbours, too.
                if x > end && sheet.has_columns(x, width(&label)) {
                    let style = if column == self.cursor.column { BOLD } else { DIM };
                    sheet.put_label(x, y, &label, style);
                    end = x + width(&label);
                }
            }
        }
    }

    /// Returns the three characters of a square.
    fn square(&self, cell: Cell, grid: &Grid) -> [(char, Style); 3] {
        let lattice = self.position.rules().lattice;
        let disc = self.position.disc(cell);
        let is_legal = self.legal.contains(cell);
        let placed = self.last.as_ref().is_some_and(|last| last.placed == cell);
        let flipped = self.last.as_ref().is_some_and(|last| last.flipped.contains(cell));
        let square = match () {
            () if cell == self.cursor => Square::Cursor,
            () if placed => Square::Last,
            () => Square::Plain,
        };
        let style = |ink| self.look.on_square(ink, square);
        let value = self.values.iter().find(|(of, _)| *of == cell);
        if let Some((_, value)) = value.filter(|_| square != Square::Cursor) {
            let text = format!("{:^3}", signed(*value));
            let mut text = text.chars();
            return [(); 3].map(|()| (text.next().unwrap_or(' '), style(Ink::Mark)));
        }
        let middle = match disc {
            Some(color) => (self.look.disc(color, lattice), style(Ink::Disc(color))),
            None if is_legal => (self.look.dot(), style(Ink::Legal)),
            None if grid.is_boxed() => (' ', style(Ink::Grid)),
            None => ('-', style(Ink::Grid)),
        };
        let [before, after] = match () {
            () if cell == self.cursor => ['>', '<'],
            () if self.flips.contains(cell) => ['*', '*'],
            () if placed => ['[', ']'],
            () if flipped => ['(', ')'],
            () => [' ', ' '],
        };
        [(before, style(Ink::Mark)), middle, (after, style(Ink::Mark))]
    }
}

/// The part of the screen on which the board is drawn, addressed by the columns and lines of the board.
struct Sheet<'a> {
    buffer: &'a mut Buffer,
    /// The place of the cells.
    area: Rect,
    /// The column and line of the board in the upper left corner.
    from: (i32, i32),
    /// The place of the cells and their labels.
    labels: Rect,
}

impl Sheet<'_> {
    /// Returns the place of a square that is whole on the screen.
    fn place(&self, x: i32, y: i32) -> Option<Rect> {
        if !self.has_line(y) || !self.has_columns(x, SQUARE) {
            return None;
        }
        let (column, line) = (narrow(x - self.from.0), narrow(y - self.from.1));
        let Rect { x, y, .. } = self.area;
        Some(Rect { x: x + column, y: y + line, width: narrow(SQUARE), height: 1 })
    }

    fn has_line(&self, y: i32) -> bool {
        (0..i32::from(self.area.height)).contains(&(y - self.from.1))
    }

    fn has_columns(&self, x: i32, width: i32) -> bool {
        let column = x - self.from.0;
        column >= 0 && column + width <= i32::from(self.area.width)
    }

    fn put(&mut self, x: i32, y: i32, text: &str, style: Style) {
        self.put_in(self.area, x, y, text, style);
    }

    fn put_label(&mut self, x: i32, y: i32, text: &str, style: Style) {
        self.put_in(self.labels, x, y, text, style);
    }

    fn put_in(&mut self, area: Rect, x: i32, y: i32, text: &str, style: Style) {
        let column = i32::from(self.area.x) + x - self.from.0;
        let line = i32::from(self.area.y) + y - self.from.1;
        let (Ok(column), Ok(line)) = (u16::try_from(column), u16::try_from(line)) else { return };
        if column >= area.x && column < area.right() && line >= area.y && line < area.bottom() {
            self.buffer.set_stringn(column, line, text, (area.right() - column).into(), style);
        }
    }
}

/// Returns a line of the grid. Its characters are the first, the one along a square, the one between two
/// squares and the last.
fn grid_line(characters: &str, squares: usize) -> String {
    let character = |at| characters.chars().nth(at).unwrap_or(' ').to_string();
    let [first, along, between, last] = [0, 1, 2, 3].map(character);
    format!("{first}{}{last}", vec![along.repeat(3); squares].join(&between))
}

/// Returns the cell of the frame that is nearest to this one.
pub(super) fn nearest(frame: &Frame, cell: Cell) -> Cell {
    let into = |at: i32, range: Range<i32>| at.min(range.end - 1).max(range.start);
    Cell::new(into(cell.column, frame.column_range()), into(cell.row, frame.row_range()))
}

/// Returns a number of discs with its sign.
pub(super) fn signed(discs: i32) -> String {
    if discs == 0 { "0".to_owned() } else { format!("{discs:+}") }
}

/// Returns the disc of a player as it stands beside the name.
pub(super) fn disc(look: Look, color: Color, lattice: Lattice) -> Span<'static> {
    let disc = look.disc(color, lattice);
    let style = look.on_square(Ink::Disc(color), Square::Plain);
    match look.has_colors() {
        true => Span::styled(format!(" {disc} "), style),
        false => Span::styled(disc.to_string(), style),
    }
}
