//! Replies on a terminal or in a pipe.

use std::io::{self, Write};

use anstyle::{Ansi256Color, AnsiColor};

use super::args::OutputOptions;
use super::environment;
use super::size;
use super::streams::stdout_color;
use crate::app::{Block, CUT, Emphasis, Error, Json, Part, Reply, Session, Table, Zone, fitting};
use outflank_model::render::{Color, Colors, Figure, Mark, Role, palette, words, wrapped};

/// How titles of tables look.
const TITLE: anstyle::Style = anstyle::Style::new().bold();

/// How entries look that the reader must act on soon.
const URGENT: anstyle::Style = AnsiColor::Red.on_default();

/// How to print a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputStyle {
    json: bool,
    ascii: bool,
    /// With colours, boards have discs instead of letters, and legal cells a dot.
    colors: Colors,
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
        let colors = environment::colors(stdout_color(color));
        let ascii = ascii || environment::shows_only_ascii();
        let (width, height) = (size::width(), size::height());
        Self { json, ascii, colors, width, height, zone }
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
        let table = table.fitted(self.width, self.zone);
        let drawn = table.drawn_part(widths, self.width, self.zone, emphasized);
        writeln!(out, "{}", if self.ascii { drawn.replace(CUT, "~") } else { drawn })
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
                    self.draw(out, self.refined(figure))?;
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
        let text = if self.has_discs() { words::with_discs(text) } else { text.to_owned() };
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

    /// Returns whether boards have discs instead of letters.
    fn has_discs(&self) -> bool {
        self.has_colors() && !self.ascii
    }

    fn has_colors(&self) -> bool {
        self.colors != Colors::None
    }

    /// Puts discs and dots in place of letters and legal cells, and replaces characters that are not ASCII,
    /// as this style asks.
    fn refined(&self, figure: Figure) -> Figure {
        let mut figure = if self.has_discs() { figure.with_discs() } else { figure };
        let dot = if self.ascii { " . " } else { " \u{b7} " };
        for span in figure.lines.iter_mut().flatten().filter(|_| self.has_colors()) {
            if span.role == Role::Cell(Mark::Legal) && span.text.trim().is_empty() {
                dot.clone_into(&mut span.text);
            }
        }
        if self.ascii { figure.into_ascii() } else { figure }
    }

    fn draw(&self, out: &mut impl Write, figure: Figure) -> io::Result<()> {
        let style = |role| style(role, self.colors);
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
}

/// Returns a part of a table as it looks.
fn emphasized(emphasis: Emphasis, text: &str) -> String {
    let style = match emphasis {
        Emphasis::Title => TITLE,
        Emphasis::Urgent => URGENT,
    };
    format!("{style}{text}{style:#}")
}

/// Returns the colour of a role, readable on dark and on light terminals: cells have a background of
/// their own.
fn style(role: Role, colors: Colors) -> anstyle::Style {
    let paint = |many: u8, few: AnsiColor| match colors {
        Colors::Many => anstyle::Color::from(Ansi256Color(many)),
        Colors::None | Colors::Sixteen => few.into(),
    };
    let felt = paint(palette::FELT, AnsiColor::Green);
    let on_felt = |color| anstyle::Style::new().fg_color(Some(color)).bg_color(Some(felt));
    let black = paint(palette::BLACK, AnsiColor::Black);
    let disc = |color| match color {
        Color::Black => on_felt(black),
        Color::White => on_felt(paint(palette::WHITE, AnsiColor::White)),
    };
    match role {
        Role::Grid | Role::Label => anstyle::Style::new().dimmed(),
        Role::OuterArrow => AnsiColor::Yellow.on_default(),
        Role::Cell(mark) => match mark {
            Mark::Empty => on_felt(black),
            Mark::Legal if colors == Colors::Many => on_felt(AnsiColor::BrightGreen.into()),
            Mark::Legal => on_felt(black),
            Mark::Disc(color) => disc(color),
            Mark::Placed(color) => {
                let last = paint(palette::LAST_SQUARE, AnsiColor::Green);
                disc(color).bg_color(Some(last)).bold()
            }
            Mark::Flipped(color) => disc(color).underline(),
            Mark::Arrow(_) => on_felt(AnsiColor::BrightYellow.into()),
        },
    }
}
