//! The list of the player's games, from which one can be chosen.

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;

use crate::app::{Block, Entry, Reply, Table, Zone};
use crate::tui::look::Look;
use crate::tui::page::{draw_frame, draw_lines, moved, table_lines};
use crate::tui::text::lines;
use outflank_model::log::GameId;

/// A list of games.
#[derive(Debug)]
pub(super) struct List {
    /// The text above the list.
    heads: Vec<String>,
    table: Table,
    zone: Zone,
    selected: usize,
    /// The number of the first row on the screen.
    first: usize,
    /// The place of the rows on the screen.
    body: Rect,
}

/// The columns that are left out on a narrow screen, the least important first.
const SPARE: [&str; 6] = ["Age", "Moves", "Variant", "Tournament", "Black", "White"];

impl List {
    /// Takes the list from the reply of `games`; `None` if it has none. The game with this number is
    /// selected.
    pub(super) fn new(reply: &mut Reply, zone: Zone, current: GameId) -> Option<Self> {
        let is_table = |block: &mut Block| matches!(block, Block::Table(_));
        let Some(Block::Table(table)) = reply.blocks.pop_if(is_table) else { return None };
        let heads = reply.shown().filter_map(Block::text).map(str::to_owned);
        let mut list = Self {
            heads: heads.collect(),
            table,
            zone,
            selected: 0,
            first: 0,
            body: Rect::default(),
        };
        let is_current = |row: &usize| list.number(*row) == Some(current);
        list.selected = (0..list.table.rows.len()).find(is_current).unwrap_or(0);
        Some(list)
    }

    /// Returns the number of the game in a row.
    fn number(&self, row: usize) -> Option<GameId> {
        self.table.rows.get(row)?.iter().find_map(Entry::game)
    }

    /// Returns the number of the selected game.
    pub(super) fn selected(&self) -> Option<GameId> {
        self.number(self.selected)
    }

    /// Selects another game if this key does.
    pub(super) fn select(&mut self, key: KeyCode) {
        let last = self.table.rows.len().saturating_sub(1);
        self.selected = moved(self.selected, self.body.height.into(), key).min(last);
    }

    /// Selects the game at this place of the screen. Returns whether it was selected already.
    pub(super) fn click(&mut self, at: Position) -> bool {
        let row = self.first + usize::from(at.y.saturating_sub(self.body.y));
        if !self.body.contains(at) || row >= self.table.rows.len() {
            return false;
        }
        std::mem::replace(&mut self.selected, row) == row
    }

    /// Draws the list.
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: Look) {
        let body = draw_frame(frame, area, "Games", "Enter opens, Esc closes");
        let mut rows = self.rows(area.width, look);
        let titles = rows.remove(0);
        let mut above = Vec::new();
        for head in &self.heads {
            above.extend(lines(head, area.width).into_iter().map(Line::from));
            above.push(Line::default());
        }
        above.push(titles);
        // The rows are more important than the text above them.
        above.drain(..above.len().saturating_sub(usize::from(body.height / 2)));
        let height = u16::try_from(above.len()).unwrap_or(body.height).min(body.height);
        draw_lines(frame, body, above);
        self.body = Rect { y: body.y + height, height: body.height - height, ..body };
        let visible = usize::from(self.body.height);
        self.first = self.first.max((self.selected + 1).saturating_sub(visible)).min(self.selected);
        let line = u16::try_from(self.selected - self.first).unwrap_or(0);
        frame.set_cursor_position((self.body.x, self.body.y + line));
        if let Some(row) = rows.get_mut(self.selected) {
            let gap = usize::from(area.width).saturating_sub(row.width());
            row.push_span(" ".repeat(gap));
            row.style = row.style.add_modifier(Modifier::REVERSED);
        }
        draw_lines(frame, self.body, rows.into_iter().skip(self.first));
    }

    /// Returns the titles and a line for each row, without the columns that do not fit.
    fn rows(&self, width: u16, look: Look) -> Vec<Line<'static>> {
        let mut spare = SPARE.iter();
        let mut table = self.table.fitted(Some(width.into()), self.zone);
        loop {
            let drawn = table_lines(&table, None, self.zone, look);
            let is_fitting = drawn.iter().all(|line| line.width() <= width.into());
            let Some(title) = spare.next().filter(|_| !is_fitting) else { return drawn };
            let left_out = table.columns.iter().position(|column| column.title() == *title);
            if let Some(column) = left_out {
                table.columns.remove(column);
                table.rows.iter_mut().for_each(|row| drop(row.remove(column)));
            }
        }
    }
}
