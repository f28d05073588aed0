//! Replies on a terminal or in a pipe.

use std::io::{self, Write};

use anstyle::AnsiColor;

use crate::app::{Block, Error, Reply, Session, Zone, wrapped};
use crate::render::{Figure, Role};

/// How to print a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputStyle {
    pub json: bool,
    pub ascii: bool,
    /// The width of the terminal in columns; `None` in a pipe, where nothing is wrapped.
    pub width: Option<usize>,
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
                match session.next_json(&mut rest)? {
                    Some(next) => part = format!(",{next}"),
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
            written = writeln!(out, "{}", table.drawn_part(&mut widths, self.width, Zone::Local));
            part = session.next_table(&mut rest)?;
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
                Block::Figure(figure) if self.ascii => draw(out, &figure.clone().into_ascii())?,
                Block::Figure(figure) => draw(out, figure)?,
                Block::Table(table) => writeln!(out, "{}", table.drawn(self.width, Zone::Local))?,
            }
        }
        out.flush()
    }
}

fn draw(out: &mut impl Write, figure: &Figure) -> io::Result<()> {
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

/// Returns the colour of a role, readable on dark and on light. The text says the same without it.
fn style(role: Role) -> anstyle::Style {
    match role {
        Role::Grid | Role::Label => anstyle::Style::new().dimmed(),
        Role::Disc(_) => anstyle::Style::new(),
        Role::Placed(_) => AnsiColor::Green.on_default().bold(),
        Role::Flipped(_) => AnsiColor::Cyan.on_default(),
        Role::Arrow => AnsiColor::Yellow.on_default(),
    }
}
