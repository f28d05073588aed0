//! A page of text in place of the board: a reply that shows something, or the keys.

use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::{Block, CUT, Emphasis, Reply, Table, Zone, fitting};
use crate::tui::look::{BOLD, DIM, Look};
use crate::tui::text::{apart, lines, paragraph};
use outflank_model::render::{Figure, Mark, Role, words};

/// A page of text.
#[derive(Debug)]
pub(super) struct TextPage {
    title: String,
    blocks: Vec<Block>,
    zone: Zone,
    /// The number of the first line on the screen.
    first: usize,
    /// The lines of the screen for the page.
    height: usize,
}

impl TextPage {
    /// Returns a page with the parts of a reply.
    pub(super) fn new(title: &str, reply: &Reply, zone: Zone) -> Self {
        Self {
            title: title.to_owned(),
            blocks: reply.shown().cloned().collect(),
            zone,
            first: 0,
            height: 0,
        }
    }

    /// Scrolls if this key does.
    pub(super) fn scroll(&mut self, key: KeyCode) {
        self.first = moved(self.first, self.height, key);
    }

    /// Draws the page.
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: Look) {
        let mut all = Vec::new();
        for block in &self.blocks {
            if !all.is_empty() {
                all.push(Line::default());
            }
            all.extend(drawn(block, area.width, self.zone, look));
        }
        let body = draw_frame(frame, area, &self.title, "Arrows scroll, Esc closes");
        self.height = body.height.into();
        self.first = self.first.min(all.len().saturating_sub(self.height));
        draw_lines(frame, body, all.into_iter().skip(self.first));
    }
}

/// Returns the line that a key of movement leads to from this one, on a screen of this height. It may be
/// behind the last line.
pub(super) fn moved(from: usize, height: usize, key: KeyCode) -> usize {
    let page = height.saturating_sub(1).max(1);
    match key {
        KeyCode::Up => from.saturating_sub(1),
        KeyCode::Down => from.saturating_add(1),
        KeyCode::PageUp => from.saturating_sub(page),
        KeyCode::PageDown | KeyCode::Char(' ') => from.saturating_add(page),
        KeyCode::Home => 0,
        KeyCode::End => usize::MAX,
        _ => from,
    }
}

/// Draws the title of a page and its keys, and returns the area below them.
pub(super) fn draw_frame(frame: &mut Frame, area: Rect, title: &str, keys: &str) -> Rect {
    let (title, keys) = (Span::styled(title, BOLD), Span::styled(keys, DIM));
    let head = apart(title.into(), keys.into(), area.width);
    frame.render_widget(head, Rect { height: area.height.min(1), ..area });
    let above = area.height.min(2);
    Rect { y: area.y + above, height: area.height - above, ..area }
}

/// Draws lines from the top.
pub(super) fn draw_lines<'a>(
    frame: &mut Frame,
    area: Rect,
    lines: impl IntoIterator<Item = Line<'a>>,
) {
    for (row, line) in area.rows().zip(lines) {
        frame.render_widget(line, row);
    }
}

fn drawn(block: &Block, width: u16, zone: Zone, look: Look) -> Vec<Line<'static>> {
    let shown = |text: &str, wrapped: fn(&str, u16) -> Vec<String>| {
        let text = if look.has_discs() { words::with_discs(text) } else { text.to_owned() };
        wrapped(&text, width).into_iter().map(Line::from).collect()
    };
    match block {
        Block::Text(text) => shown(text, lines),
        Block::Prose(text) => shown(text, paragraph),
        Block::Board { figures, .. } => {
            let figure = fitting(figures, Some(width.into()), None).cloned().unwrap_or_default();
            let figure = if look.has_discs() { figure.with_discs() } else { figure };
            figure_lines(if look.ascii { figure.into_ascii() } else { figure }, look)
        }
        Block::Table(table) => table_lines(table, Some(width), zone, look),
        Block::Plot { lines, ascii, .. } => {
            let plot = if look.ascii { ascii } else { lines };
            plot.lines().map(|line| Line::from(line.to_owned())).collect()
        }
    }
}

fn figure_lines(figure: Figure, look: Look) -> Vec<Line<'static>> {
    let span = |span: outflank_model::render::Span| {
        let text = match span.role {
            Role::Cell(Mark::Legal) if span.text.trim().is_empty() => format!(" {} ", look.dot()),
            _ => span.text,
        };
        Span::styled(text, look.of_role(span.role))
    };
    let line = |line: Vec<_>| line.into_iter().map(span).collect();
    figure.lines.into_iter().map(line).collect()
}

/// Stands before and after emphasized text until a drawn table becomes lines.
const TITLE: char = '\u{1}';
const URGENT: char = '\u{2}';

/// Returns a table as lines, the titles first.
pub(super) fn table_lines(
    table: &Table,
    width: Option<u16>,
    zone: Zone,
    look: Look,
) -> Vec<Line<'static>> {
    let width = width.map(usize::from);
    let drawn = table.fitted(width, zone).drawn(width, zone, |emphasis, text| {
        let mark = match emphasis {
            Emphasis::Title => TITLE,
            Emphasis::Urgent => URGENT,
        };
        format!("{mark}{text}{mark}")
    });
    let (mut is_title, mut is_urgent) = (false, false);
    let line = |line: &str| {
        let mut spans = Line::default();
        for part in line.split_inclusive([TITLE, URGENT]) {
            let style = match (is_title, is_urgent) {
                (true, _) => BOLD,
                (_, true) => look.urgent(),
                _ => ratatui::style::Style::new(),
            };
            is_title ^= part.ends_with(TITLE);
            is_urgent ^= part.ends_with(URGENT);
            spans.push_span(Span::styled(part.trim_end_matches([TITLE, URGENT]).to_owned(), style));
        }
        spans
    };
    let drawn = if look.ascii { drawn.replace(CUT, "~") } else { drawn };
    drawn.lines().map(line).collect()
}
