use std::cmp::Reverse;

use chrono::{DateTime, Local, Utc};
use comfy_table::{CellAlignment, ColumnConstraint, Width, presets};
use textwrap::WordSplitter;
use textwrap::core::display_width;

use crate::app::one_line;
use crate::store::Player;
use crate::time_control::TimeZone;

/// A table without lines.
#[derive(Debug, Clone)]
pub struct Table {
    /// The columns' titles.
    pub columns: Vec<Column>,
    /// The rows, each with one entry per column.
    pub rows: Vec<Vec<Entry>>,
}

/// A column, by its title.
#[derive(Debug, Clone, Copy)]
pub enum Column {
    /// Text that is not wrapped, flush left.
    Text(&'static str),
    /// Text that may be wrapped between words, flush left.
    Prose(&'static str),
    /// Numbers, flush right.
    Number(&'static str),
}

/// The entry of a row in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Text.
    Text(String),
    /// Text that is emphasized, since the reader must act soon.
    Urgent(String),
    /// A time, shown in the reader's time zone.
    Time(DateTime<Utc>),
}

impl Column {
    /// Returns the title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Text(title) | Self::Prose(title) | Self::Number(title) => title,
        }
    }
}

impl Entry {
    /// The empty entry.
    pub const NONE: Self = Self::Text(String::new());
}

impl<T: ToString> From<T> for Entry {
    fn from(value: T) -> Self {
        Self::Text(value.to_string())
    }
}

/// What is emphasized in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    /// A title.
    Title,
    /// An entry that the reader must act on soon.
    Urgent,
}

/// Stands before and after an urgent entry until the table is drawn; it takes no room.
const URGENT: char = '\u{2063}';

/// The time zone in which times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The zone of this machine, or of `TZ`.
    Local,
    /// UTC, with a `Z` after the time.
    Utc,
    /// That of a player.
    Of(TimeZone),
}

impl Zone {
    /// Returns the zone that a player has set; UTC for a player who has set none.
    pub(crate) fn of(player: &Player) -> Self {
        let zone = player.preferences.clock.zone;
        if zone == TimeZone::default() { Self::Utc } else { Self::Of(zone) }
    }
}

impl Zone {
    /// Returns a time in this zone, to the minute.
    pub(crate) fn shown(self, time: DateTime<Utc>) -> String {
        match self {
            Self::Local => time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string(),
            Self::Utc => time.format("%Y-%m-%d %H:%MZ").to_string(),
            Self::Of(zone) => zone.local(time).format("%Y-%m-%d %H:%M").to_string(),
        }
    }
}

impl Entry {
    fn shown(&self, zone: Zone) -> String {
        match (self, zone) {
            (Self::Text(text), _) => one_line(text),
            (Self::Urgent(text), _) => format!("{URGENT}{}{URGENT}", one_line(text)),
            (Self::Time(time), zone) => zone.shown(*time),
        }
    }
}

impl Table {
    /// Draws the table: columns two apart, numbers flush right, empty columns left out. It fits
    /// into `width` characters. Words of titles are never broken: if the columns do not fit, each
    /// row becomes a paragraph of titles and entries. `emphasize` can change how text looks.
    pub fn drawn(
        &self,
        width: Option<usize>,
        zone: Zone,
        emphasize: impl Fn(Emphasis, &str) -> String,
    ) -> String {
        self.drawn_part(&mut Vec::new(), width, zone, emphasize)
    }

    /// Draws a part of a long table. `least` passes the least widths of the columns on to the next
    /// part, so that the parts are aligned in a pipe. It is empty for the first part, which has the
    /// titles.
    pub fn drawn_part(
        &self,
        least: &mut Vec<usize>,
        width: Option<usize>,
        zone: Zone,
        emphasize: impl Fn(Emphasis, &str) -> String,
    ) -> String {
        let title = |title: &str| emphasize(Emphasis::Title, title);
        let filled = |column: &usize| self.rows.iter().any(|row| row[*column] != Entry::NONE);
        let columns: Vec<_> = (0..self.columns.len()).filter(filled).collect();
        let columns: Vec<_> =
            columns.into_iter().map(|column| Cells::of(self, column, zone)).collect();
        let Some(mut widths) = widths(&columns, width) else {
            let drawn =
                in_paragraphs(&columns, width.unwrap_or(usize::MAX), self.rows.len(), title);
            return with_urgent(&drawn, emphasize);
        };
        if width.is_none() {
            widths.iter_mut().zip(&*least).for_each(|(own, least)| *own = *least.max(own));
        }
        let title = least.is_empty().then_some(title);
        least.clone_from(&widths);
        let drawn = in_columns(&columns, &widths, self.rows.len(), title);
        with_urgent(&drawn, emphasize)
    }
}

/// Returns a drawn table with its urgent entries emphasized.
fn with_urgent(drawn: &str, emphasize: impl Fn(Emphasis, &str) -> String) -> String {
    let parts = drawn.split(URGENT).enumerate();
    let emphasized = parts.map(|(number, part)| match number % 2 {
        1 => emphasize(Emphasis::Urgent, part),
        _ => part.to_owned(),
    });
    emphasized.collect()
}

/// The gap between two columns.
const GAP: u16 = 2;
/// The least number of characters to which words may be broken; words of titles are not broken.
const SHORTEST: usize = 8;

/// A column as text.
struct Cells {
    column: Column,
    texts: Vec<String>,
    /// The width of each text.
    lengths: Vec<usize>,
    /// The width of each word, the least first.
    words: Vec<usize>,
    /// The width of its widest text.
    widest: usize,
    /// The width of the longest word of its title.
    title: usize,
    /// The width of the longest part of its texts that is not wrapped.
    part: usize,
    /// Whether such a part may be broken.
    is_breakable: bool,
}

impl Cells {
    fn of(table: &Table, column: usize, zone: Zone) -> Self {
        let texts: Vec<_> = table.rows.iter().map(|row| row[column].shown(zone)).collect();
        let is_time = table.rows.iter().any(|row| matches!(row[column], Entry::Time(_)));
        let is_prose = matches!(table.columns[column], Column::Prose(_));
        let title = table.columns[column].title();
        let word = |text: &str| text.split_whitespace().map(display_width).max().unwrap_or(0);
        let words = texts.iter().flat_map(|text| text.split_whitespace().map(display_width));
        let mut words: Vec<_> = words.collect();
        words.sort_unstable();
        let lengths: Vec<_> = texts.iter().map(|text| display_width(text)).collect();
        let widest = lengths.iter().copied().max().unwrap_or(0);
        let part = match is_prose && !is_time {
            true => words.last().copied().unwrap_or(0),
            false => widest,
        };
        Self {
            column: table.columns[column],
            widest: widest.max(display_width(title)),
            title: word(title),
            part,
            is_breakable: is_prose && !is_time,
            lengths,
            words,
            texts,
        }
    }

    /// Returns the least width when words of this length may be broken.
    fn least(&self, longest: usize) -> usize {
        let part = if self.is_breakable { self.part.min(longest) } else { self.part };
        part.max(self.title)
    }
}

/// Returns the width of each column; `None` when they do not fit. Each is as wide as its text if
/// that fits; otherwise those shrink that break the fewest words and add the fewest lines, the
/// widest first.
fn widths(columns: &[Cells], width: Option<usize>) -> Option<Vec<usize>> {
    let Some(width) = width else {
        return Some(columns.iter().map(|column| column.widest).collect());
    };
    let room = width.checked_sub(usize::from(GAP) * columns.len().saturating_sub(1))?;
    let all_least = |longest: usize| columns.iter().map(move |column| column.least(longest));
    let longest = (SHORTEST..=room).rev().find(|&it| all_least(it).sum::<usize>() <= room)?;
    let least: Vec<_> = all_least(longest).collect();
    let mut widths: Vec<_> = columns.iter().map(|column| column.widest.min(room)).collect();
    while widths.iter().sum::<usize>() > room {
        let narrower = (0..widths.len()).filter(|&at| widths[at] > least[at]).map(|at| {
            let mut narrower = widths.clone();
            narrower[at] -= 1;
            let cost = (broken_words(columns, &narrower), lines(columns, &narrower));
            (cost, Reverse(widths[at]), narrower)
        });
        (_, _, widths) = narrower.min()?;
    }
    Some(widths)
}

/// Returns how many words are too long for their columns.
fn broken_words(columns: &[Cells], widths: &[usize]) -> usize {
    let of = |(cells, width): (&Cells, &usize)| {
        cells.words.len() - cells.words.partition_point(|word| word <= width)
    };
    columns.iter().zip(widths).map(of).sum()
}

/// Returns about how many lines the rows take.
fn lines(columns: &[Cells], widths: &[usize]) -> usize {
    let rows = columns.first().map_or(0, |column| column.lengths.len());
    let height = |row: usize| {
        let of = |(cells, width): (&Cells, &usize)| cells.lengths[row].div_ceil((*width).max(1));
        columns.iter().zip(widths).map(of).max().unwrap_or(0)
    };
    (0..rows).map(height).sum()
}

fn in_columns(
    columns: &[Cells],
    widths: &[usize],
    rows: usize,
    title: Option<impl Fn(&str) -> String>,
) -> String {
    let draw = |add: &dyn Fn(&mut comfy_table::Table)| {
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(presets::NOTHING);
        add(&mut drawn);
        for ((drawn, cells), width) in drawn.column_iter_mut().zip(columns).zip(widths) {
            let width = u16::try_from(*width).unwrap_or(u16::MAX).saturating_add(GAP);
            drawn.set_padding((0, GAP));
            drawn.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
            if let Column::Number(_) = cells.column {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        drawn.trim_fmt()
    };
    let titles = title.map(|title| {
        let titles = draw(&|table| {
            table.add_row(columns.iter().map(|cells| cells.column.title()));
        });
        titles.lines().map(title).collect::<Vec<_>>().join("\n")
    });
    let rows = draw(&|table| {
        for row in 0..rows {
            table.add_row(columns.iter().map(|cells| &cells.texts[row]));
        }
    });
    titles.into_iter().chain([rows]).collect::<Vec<_>>().join("\n")
}

fn in_paragraphs(
    columns: &[Cells],
    width: usize,
    rows: usize,
    title: impl Fn(&str) -> String,
) -> String {
    const INDENT: &str = "  ";
    const NO_BREAK: &str = "\u{a0}";
    let options = textwrap::Options::new(width).subsequent_indent(INDENT);
    let options = options.word_splitter(WordSplitter::NoHyphenation);
    let entry = |column: &Cells, text: &str| {
        let entry = format!("{}: {text}", title(column.column.title()));
        match INDENT.len() + display_width(&entry) <= width {
            true => entry.replace(' ', NO_BREAK),
            false => entry,
        }
    };
    let paragraph = |row: usize| {
        let texts = columns.iter().map(|column| (column, &*column.texts[row]));
        let entries: Vec<_> = texts
            .filter(|(_, text)| !text.is_empty())
            .map(|(column, text)| entry(column, text))
            .collect();
        textwrap::fill(&entries.join("  "), &options).replace(NO_BREAK, " ")
    };
    (0..rows).map(paragraph).collect::<Vec<_>>().join("\n")
}
