//! Replies on a terminal or in a pipe.

use std::io::{self, Write};

use anstream::ColorChoice;
use anstyle::{Ansi256Color, AnsiColor};

use super::args::OutputOptions;
use super::streams::{self, stdout_color};
use crate::app::{Block, Emphasis, Error, Json, Part, Reply, Session, Table, Zone, fitting};
use outflank_model::render::{Color, Figure, Mark, Role, palette, wrapped};

/// How titles of tables look.
const TITLE: anstyle::Style = anstyle::Style::new().bold();

/// How entries look that the reader must act on soon.
const URGENT: anstyle::Style = AnsiColor::Red.on_default();

/// The colours of squares and of discs.
const FELT: Ansi256Color = Ansi256Color(palette::FELT);
const LAST_SQUARE: Ansi256Color = Ansi256Color(palette::LAST_SQUARE);
const BLACK: Ansi256Color = Ansi256Color(palette::BLACK);
const WHITE: Ansi256Color = Ansi256Color(palette::WHITE);

/// The phrases in texts that name the discs of a player, with letters and with discs.
const LEGENDS: [(&str, &str); 3] = [
    ("(black, B)", "(black, \u{25cf})"),
    ("(white, W)", "(white, \u{25cb})"),
    ("B is black and W is white", "\u{25cf} is black and \u{25cb} is white"),
];

/// How to print a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputStyle {
    json: bool,
    ascii: bool,
    /// Whether colours are shown; then rectangles have discs instead of letters, and legal cells a dot.
    is_colored: bool,
    /// The width of the terminal in columns; `None` in a pipe, where nothing is wrapped.
    width: Option<usize>,
    /// The height of the terminal in lines; `None` in a pipe.
    height: Option<usize>,
    /// The zone of times.
    zone: Zone,
}

impl OutputStyle {
    /// Returns the style of standard output with these options, and times in this zone.
    pub(super) fn new(options: OutputOptions, zone: Zone) -> Self {
        let OutputOptions { json, ascii, color } = options;
        let is_colored = stdout_color(color) != ColorChoice::Never;
        let (width, height) = (streams::width(), streams::height());
        Self { json, ascii, is_colored, width, height, zone }
    }

    /// Writes a reply and a line feed. The rest of a long list is read in this session.
    ///
    /// # Errors
    /// When the rest cannot be read.
    pub(super) fn write(
        &self,
        out: &mut impl Write,
        reply: &mut Reply,
        session: &mut Session,
    ) -> Result<io::Result<()>, Error> {
        let mut widths = Vec::new();
        let mut written = self.write_first(out, reply, &mut widths);
        while let (Ok(()), Some(rest)) = (&written, &mut reply.rest) {
            let Some(Part { json, table }) = session.next_part(&mut **rest)? else { break };
            written = match self.json {
                true => write!(out, ",{json}"),
                false => self.write_table(out, &table, &mut widths),
            };
        }
        Ok(written.and_then(|()| self.finish(out, reply)))
    }

    /// Writes a reply without the rest of a long list.
    pub(super) fn write_whole(&self, out: &mut impl Write, reply: &Reply) -> io::Result<()> {
        self.write_first(out, reply, &mut Vec::new())?;
        self.finish(out, reply)
    }

    /// Ends a reply.
    fn finish(&self, out: &mut impl Write, reply: &Reply) -> io::Result<()> {
        match &reply.json {
            Json::List(..) if self.json => writeln!(out, "]}}")?,
            Json::Value(_) if self.json => writeln!(out)?,
            Json::List(..) | Json::Value(_) => {}
        }
        out.flush()
    }

    fn write_table(
        &self,
        out: &mut impl Write,
        table: &Table,
        widths: &mut Vec<usize>,
    ) -> io::Result<()> {
        writeln!(out, "{}", table.drawn_part(widths, self.width, self.zone, emphasized))
    }

    /// Writes a reply, perhaps without the rest of a long list, and stores the widths of its columns.
    fn write_first(
        &self,
        out: &mut impl Write,
        reply: &Reply,
        widths: &mut Vec<usize>,
    ) -> io::Result<()> {
        if self.json {
            return match &reply.json {
                Json::Value(value) => write!(out, "{value}"),
                Json::List(key, elements) => write!(out, "{{\"{key}\":[{elements}"),
            };
        }
        let height = self.height_for_board(reply);
        for (number, block) in reply.shown().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            match block {
                Block::Text(text) => writeln!(out, "{}", self.shown(text, wrapped))?,
                Block::Prose(text) => writeln!(out, "{}", self.shown(text, textwrap::fill))?,
                Block::Board { figures, .. } => {
                    let figure = fitting(figures, self.width, height).cloned().unwrap_or_default();
                    draw(out, self.refined(figure))?;
                }
                Block::Plot { lines, ascii, .. } => {
                    writeln!(out, "{}", if self.ascii { ascii } else { lines })?;
                }
                Block::Table(table) => {
                    widths.clear();
                    self.write_table(out, table, widths)?;
                }
            }
        }
        Ok(())
    }

    /// Returns a text as lines of the terminal. Where boards have discs, the letters beside the names
    /// of players are discs, too. `wrapped` breaks lines at a width.
    fn shown(&self, text: &str, wrapped: impl Fn(&str, usize) -> String) -> String {
        let mut text = text.to_owned();
        for (letters, discs) in LEGENDS.iter().filter(|_| self.has_discs()) {
            text = text.replace(letters, discs);
        }
        self.width.map_or_else(|| text.clone(), |width| wrapped(&text, width))
    }

    /// Returns the lines that are left for a board; `None` without a limit.
    fn height_for_board(&self, reply: &Reply) -> Option<usize> {
        // A prompt comes below, and the outcome of mails before it.
        let prompt = if reply.mails.is_empty() { 1 } else { 3 };
        let boards = reply.shown().filter(|block| matches!(block, Block::Board { .. }));
        let others = match boards.count() {
            1 => reply.shown().map(|block| match block {
                Block::Text(text) => self.shown(text, wrapped).lines().count() + 1,
                Block::Prose(text) => self.shown(text, textwrap::fill).lines().count() + 1,
                _ => 0,
            }),
            // They scroll, so each one is to be seen with its caption only.
            _ => return Some(self.height?.saturating_sub(prompt + 2)),
        };
        Some(self.height?.saturating_sub(prompt + others.sum::<usize>()))
    }

    /// Returns whether boards on rectangles have discs instead of letters.
    const fn has_discs(&self) -> bool {
        self.is_colored && !self.ascii
    }

    /// Puts discs and dots in place of letters and legal cells, and replaces characters that are not ASCII,
    /// as this style asks.
    fn refined(&self, mut figure: Figure) -> Figure {
        let dot = if self.ascii { " . " } else { " \u{b7} " };
        for span in figure.lines.iter_mut().flatten() {
            match span.role {
                Role::Cell(Mark::Legal) if self.is_colored && span.text.trim().is_empty() => {
                    dot.clone_into(&mut span.text);
                }
                Role::Cell(Mark::Disc(_) | Mark::Placed(_) | Mark::Flipped(_))
                    if self.has_discs() =>
                {
                    // The hex lattice keeps its letters, o and x.
                    let text = span.text.replace(['B', 'b'], "\u{25cf}");
                    span.text = text.replace(['W', 'w'], "\u{25cb}");
                }
                _ => {}
            }
        }
        if self.ascii { figure.into_ascii() } else { figure }
    }
}

/// Returns a part of a table as it looks.
fn emphasized(emphasis: Emphasis, text: &str) -> String {
    let style = match emphasis {
        Emphasis::Title => TITLE,
        Emphasis::Urgent => URGENT,
    };
    format!("{style}{text}{style:#}")
}

fn draw(out: &mut impl Write, figure: Figure) -> io::Result<()> {
    for line in &figure.lines {
        for alike in line.chunk_by(|a, b| style(a.role) == style(b.role)) {
            let style = style(alike[0].role);
            write!(out, "{style}")?;
            alike.iter().try_for_each(|span| out.write_all(span.text.as_bytes()))?;
            write!(out, "{style:#}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the colour of a role, readable on dark and on light terminals: cells have a background of
/// their own.
fn style(role: Role) -> anstyle::Style {
    let disc = |color| style(Role::Cell(Mark::Disc(color)));
    match role {
        Role::Grid | Role::Label => anstyle::Style::new().dimmed(),
        Role::OuterArrow => AnsiColor::Yellow.on_default(),
        Role::Cell(mark) => match mark {
            Mark::Empty | Mark::Disc(Color::Black) => BLACK.on(FELT),
            Mark::Legal => AnsiColor::BrightGreen.on(FELT),
            Mark::Disc(Color::White) => WHITE.on(FELT),
            Mark::Placed(color) => disc(color).bg_color(Some(LAST_SQUARE.into())).bold(),
            Mark::Flipped(color) => disc(color).underline(),
            Mark::Arrow(_) => AnsiColor::BrightYellow.on(FELT),
        },
    }
}
