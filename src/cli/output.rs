//! Replies on a terminal or in a pipe.

use std::io::{self, Write};

use anstyle::AnsiColor;

use crate::app::{Block, Emphasis, Error, Reply, Session, Zone, fitting, wrapped};
use crate::render::{Color, Figure, Role};

/// How titles of tables look.
const TITLE: anstyle::Style = anstyle::Style::new().bold();

/// How entries look that the reader must act on soon.
const URGENT: anstyle::Style = AnsiColor::Red.on_default();

/// How to print a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputStyle {
    pub json: bool,
    pub ascii: bool,
    /// Whether colours are shown; then legal cells bear a dot.
    pub is_colored: bool,
    /// The width of the terminal in columns; `None` in a pipe, where nothing is wrapped.
    pub width: Option<usize>,
    /// The zone of times.
    pub zone: Zone,
}

/// The end of the JSON of a list.
const END_OF_LIST: &str = "]}";

impl OutputStyle {
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
        let Some(mut rest) = reply.rest.take() else { return Ok(self.write_whole(out, reply)) };
        if self.json {
            let mut part = reply.json.strip_suffix(END_OF_LIST).unwrap_or(&reply.json).to_owned();
            loop {
                if let Err(error) = out.write_all(part.as_bytes()) {
                    return Ok(Err(error));
                }
                match session.next_part(&mut *rest)? {
                    Some(next) => part = format!(",{}", next.json),
                    None => return Ok(writeln!(out, "{END_OF_LIST}").and_then(|()| out.flush())),
                }
            }
        }
        let last = reply.blocks.pop();
        let mut widths = Vec::new();
        let mut written = self.write_whole(out, reply);
        if written.is_ok() && !reply.blocks.is_empty() {
            written = writeln!(out);
        }
        let mut part = match last {
            Some(Block::Table(table)) => Some(table),
            _ => None,
        };
        while let (Ok(()), Some(table)) = (&written, part) {
            written = writeln!(
                out,
                "{}",
                table.drawn_part(&mut widths, self.width, self.zone, emphasized)
            );
            part = session.next_part(&mut *rest)?.map(|part| part.table);
        }
        Ok(written.and_then(|()| out.flush()))
    }

    /// Writes a reply that has no rest.
    fn write_whole(&self, out: &mut impl Write, reply: &Reply) -> io::Result<()> {
        if self.json {
            writeln!(out, "{}", reply.json)?;
            return out.flush();
        }
        for (number, block) in reply.blocks.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            match block {
                Block::Text(text) => match self.width {
                    Some(width) => writeln!(out, "{}", wrapped(text, width))?,
                    None => writeln!(out, "{text}")?,
                },
                Block::Board { figures, .. } => {
                    let figure = fitting(figures, self.width).cloned().unwrap_or_default();
                    draw(out, self.refined(figure))?;
                }
                Block::Plot { lines, ascii } => {
                    writeln!(out, "{}", if self.ascii { ascii } else { lines })?;
                }
                Block::Table(table) => {
                    writeln!(out, "{}", table.drawn(self.width, self.zone, emphasized))?;
                }
            }
        }
        out.flush()
    }

    /// Puts dots into legal cells and replaces what is not ASCII, as this style asks.
    fn refined(&self, mut figure: Figure) -> Figure {
        let dot = if self.ascii { " . " } else { " \u{b7} " };
        let legal = figure.lines.iter_mut().flatten().filter(|span| span.role == Role::Legal);
        for span in legal.filter(|span| self.is_colored && span.text.trim().is_empty()) {
            dot.clone_into(&mut span.text);
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

/// Returns the colour of a role, readable on dark and on light terminals: discs have a background
/// of their own. Apart from the dots in legal cells, the text says the same without it.
fn style(role: Role) -> anstyle::Style {
    match role {
        Role::Grid | Role::Label => anstyle::Style::new().dimmed(),
        Role::Legal => AnsiColor::Green.on_default(),
        Role::Disc(Color::Black) => AnsiColor::BrightWhite.on(AnsiColor::Black),
        Role::Disc(Color::White) => AnsiColor::Black.on(AnsiColor::White),
        Role::Placed(color) => style(Role::Disc(color)).bold(),
        Role::Flipped(color) => style(Role::Disc(color)).underline(),
        Role::Arrow => AnsiColor::Yellow.on_default(),
    }
}
