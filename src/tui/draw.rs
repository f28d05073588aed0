//! The layout of the screen.
//!
//! At the top the game, below it the board with the panel beside it, then the line that is typed, a message
//! and the keys. If the panel does not fit beside the board, it stands below it.

use outflank_rules::{Cells, Lattice};
use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::app::one_line;
use crate::tui::board::{Board, Scale, size};
use crate::tui::keys::{Act, KEYS, Key};
use crate::tui::look::{BOLD, DIM};
use crate::tui::model::{Model, Over, Prompt};
use crate::tui::page::draw_lines;
use crate::tui::panel::Panel;
use crate::tui::text::{apart, end_of, lines};
use outflank_model::render::LastMove;

/// Smaller screens show nothing useful.
const MIN: Size = Size::new(20, 9);
/// The width of the panel beside the board.
const PANEL_WIDTH: std::ops::RangeInclusive<u16> = 24..=40;
/// The width of the usual board with its panel.
const USUAL_WIDTH: u16 = 78;
/// The least height of the panel beside the board, on a screen that is high enough.
const PANEL_HEIGHT: u16 = 18;
/// The gap between the board and its panel.
const GAP: u16 = 3;
/// The most width of a page.
const PAGE_WIDTH: u16 = 100;
/// The least size of a board that grows, without labels.
const GROWING: Size = Size::new(80, 24);
/// From this height on there are two lines of keys, and empty lines around the board.
const HIGH: u16 = 20;

/// The places of the parts of the screen.
struct Layout {
    head: Rect,
    board: Rect,
    scale: Scale,
    panel: Rect,
    is_beside: bool,
    line: Rect,
    /// The message, and the keys below it.
    foot: Rect,
}

impl Layout {
    fn new(model: &Model, area: Rect) -> Self {
        let position = model.shown().game.position();
        let lattice = position.rules().lattice;
        let foot = if area.height >= HIGH { 3 } else { 2 };
        let height_left = area.height - foot - 2;
        let needed = |scale| {
            let needed = size(position, scale);
            match lattice {
                // It stands still while it grows.
                Lattice::Hex => {
                    Size::new(needed.width.max(GROWING.width), needed.height.max(GROWING.height))
                }
                Lattice::Rectangle(_) => needed,
            }
        };
        let beside = area.width.saturating_sub(GAP + PANEL_WIDTH.start());
        let small = size(position, Scale::Small);
        let is_beside = small.width.min(*PANEL_WIDTH.start()) <= beside;
        let (width, height) =
            if is_beside { (beside, height_left) } else { (area.width, height_left - 2) };
        let boxed = needed(Scale::Boxed);
        let scale = match boxed.width <= width && boxed.height <= height {
            true => Scale::Boxed,
            false => Scale::Small,
        };
        let board = needed(scale);
        let board = Size::new(board.width.min(width), board.height.min(height));
        let panel_width = match is_beside {
            true => (area.width - board.width - GAP).min(*PANEL_WIDTH.end()),
            false => area.width,
        };
        // The whole stands in the middle. The keys are wider than a small board.
        let used_width = if is_beside { board.width + GAP + panel_width } else { area.width };
        let total_width = used_width.max(USUAL_WIDTH.min(area.width));
        // The panel of a small board is as high as that of the usual one.
        let least = height_left.min(PANEL_HEIGHT);
        let middle = if is_beside { board.height.max(least) } else { height_left };
        let empty = (height_left - middle).min(2);
        let total_height = foot + 2 + middle + empty;
        let x = area.x + (area.width - total_width) / 2;
        let y = area.y + (area.height - total_height) / 2;
        let row = |y: u16, height: u16| Rect { x, y, width: total_width, height };
        let top = y + 1 + empty.min(1);
        let board_at = Rect { x, y: top, width: board.width, height: board.height };
        let panel = match is_beside {
            true => Rect { x: x + board.width + GAP, y: top, width: panel_width, height: middle },
            false => row(top + board.height, middle - board.height),
        };
        Self {
            head: row(y, 1),
            board: board_at,
            scale,
            panel,
            is_beside,
            line: row(y + total_height - foot - 1, 1),
            foot: row(y + total_height - foot, foot),
        }
    }
}

impl Model {
    /// Draws the screen, and stores the places of the squares for the mouse.
    pub fn draw(&mut self, frame: &mut Frame) {
        let area = frame.area();
        self.view.clear();
        if area.width < MIN.width || area.height < MIN.height {
            draw_lines(frame, area, [Line::from("too small")]);
            return;
        }
        let width = area.width.min(PAGE_WIDTH);
        let page = Rect { x: area.x + (area.width - width) / 2, width, ..area };
        let look = self.look;
        match &mut self.over {
            Some(Over::Text(text)) => text.draw(frame, page, look),
            Some(Over::List(list)) => list.draw(frame, page, look),
            None => self.draw_game(frame, area),
        }
    }

    fn draw_game(&mut self, frame: &mut Frame, area: Rect) {
        let layout = Layout::new(self, area);
        frame.render_widget(self.head(layout.head.width), layout.head);
        self.draw_board(frame, &layout);
        let panel =
            Panel { live: &self.live, shown: self.shown(), values: &self.values, look: self.look };
        let Size { width, height } = layout.panel.as_size();
        let panel = match layout.is_beside {
            true => panel.beside(width, height),
            false => panel.below(width, height),
        };
        draw_lines(frame, layout.panel, panel);
        self.draw_line(frame, layout.line);
        draw_lines(frame, layout.foot, self.foot(layout.foot.as_size()));
    }

    fn head(&self, width: u16) -> Line<'static> {
        let title = format!("Game {}: {}", self.live.id, one_line(&self.live.title));
        let waiting = match self.live.others_waiting {
            0 => String::new(),
            1 => "1 other game waits".to_owned(),
            many => format!("{many} other games wait"),
        };
        apart(Span::styled(title, BOLD).into(), waiting.into(), width)
    }

    fn draw_board(&mut self, frame: &mut Frame, layout: &Layout) {
        let legal = self.legal();
        let shown = self.earlier.as_deref().unwrap_or(&self.live);
        let position = shown.game.position();
        let flips = match legal.contains(self.cursor) {
            true => position.flips(self.cursor),
            false => Cells::NONE,
        };
        let board = Board {
            position,
            last: LastMove::of(&shown.game),
            legal: &legal,
            flips: &flips,
            values: if self.earlier.is_none() { &self.values } else { &[] },
            cursor: self.cursor,
            look: self.look,
        };
        board.draw(layout.board, frame.buffer_mut(), layout.scale, &mut self.view);
        if let Some(square) = self.view.square(self.cursor) {
            frame.set_cursor_position((square.x + 1, square.y));
        }
    }

    /// Draws the line that is typed, or the question.
    fn draw_line(&self, frame: &mut Frame, area: Rect) {
        let (before, typed) = match &self.prompt {
            Some(Prompt::Say(text)) => ("Say: ".to_owned(), text.as_str()),
            Some(Prompt::Confirm(question, ..)) => (format!("{question} y or n: "), ""),
            None if self.typed.is_empty() => {
                frame.render_widget(self.empty_line(), area);
                return;
            }
            None => ("> ".to_owned(), self.typed.as_str()),
        };
        let typed = one_line(typed);
        let before = Span::styled(before, BOLD);
        let before_width = u16::try_from(before.width()).unwrap_or(u16::MAX);
        let width_left = area.width.saturating_sub(before_width + 1);
        let typed = Span::raw(end_of(&typed, width_left));
        let end = before_width.saturating_add(u16::try_from(typed.width()).unwrap_or(u16::MAX));
        frame.set_cursor_position((area.x + end.min(area.width - 1), area.y));
        frame.render_widget(Line::from(vec![before, typed]), area);
    }

    /// Returns the line while nothing is typed: the effect of Enter.
    fn empty_line(&self) -> Line<'static> {
        let label = self.live.game.lattice().label(self.cursor);
        let text = match &self.earlier {
            Some(_) => "Enter returns to the present.".to_owned(),
            None if self.legal().contains(self.cursor) => format!("Enter plays {label}."),
            None => label,
        };
        Line::from(vec![Span::styled("> ", BOLD), Span::styled(text, DIM)])
    }

    /// Returns the message and as many keys as fit below it.
    fn foot(&self, size: Size) -> Vec<Line<'static>> {
        let (text, style) = match (&self.message, self.working) {
            (Some(message), _) if message.is_refusal => (message.text.clone(), self.look.urgent()),
            (Some(message), _) => (message.text.clone(), Style::new()),
            (None, Some(_)) if !self.progress.is_empty() => {
                (format!("{}; Esc stops it.", self.progress), DIM)
            }
            (None, Some(word)) => (format!("{word}: please wait; Esc stops it."), DIM),
            (None, None) => (String::new(), Style::new()),
        };
        let height = usize::from(size.height);
        let text = lines(&text, size.width).into_iter().take(height);
        let mut foot: Vec<_> = text.map(|line| Line::styled(line, style)).collect();
        if foot.is_empty() {
            foot.push(Line::default());
        }
        let left = height - foot.len();
        foot.extend(self.keys(size.width, height - 1).into_iter().take(left));
        foot
    }

    /// Returns lines with the keys. Those that can do nothing now are grey. Without colours, or if not all
    /// fit, they are left out; then the first ones are, too.
    fn keys(&self, width: u16, height: usize) -> Vec<Line<'static>> {
        // Two lines have room for all keys but one.
        let is_named = |key: &&Key| {
            !key.label.is_empty() && (key.act != Act::Stronger || key.is_possible(&self.live))
        };
        let named = KEYS.iter().filter(is_named);
        let mut keys: Vec<_> = named.map(|key| (key.label, key.is_possible(&self.live))).collect();
        if !self.look.has_colors() {
            keys.retain(|(_, is_possible)| *is_possible);
        }
        let drawn = in_lines(&keys, width);
        if drawn.len() <= height {
            return drawn;
        }
        keys.retain(|(_, is_possible)| *is_possible);
        while keys.len() > 1 && in_lines(&keys, width).len() > height {
            keys.remove(keys.len().saturating_sub(3));
        }
        in_lines(&keys, width)
    }
}

/// Returns lines with the labels of keys, each with whether it is possible.
fn in_lines(keys: &[(&'static str, bool)], width: u16) -> Vec<Line<'static>> {
    const GAP: &str = "  ";
    let mut all: Vec<Line> = Vec::new();
    for &(label, is_possible) in keys {
        let spans = match label.split_once(' ') {
            Some((key, what)) if is_possible => {
                vec![Span::styled(key, BOLD), Span::raw(format!(" {what}"))]
            }
            _ => vec![Span::styled(label, DIM)],
        };
        match all.last_mut().filter(|line| line.width() + GAP.len() + label.len() <= width.into()) {
            Some(line) => {
                line.push_span(GAP);
                line.extend(spans);
            }
            None => all.push(Line::from(spans)),
        }
    }
    all
}
