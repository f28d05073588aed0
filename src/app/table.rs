use chrono::{DateTime, Local, Utc};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};

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
    /// Text that may be wrapped, flush left.
    Prose(&'static str),
    /// Numbers, flush right.
    Number(&'static str),
}

/// The entry of a row in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Text.
    Text(String),
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

/// The time zone in which times are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The zone of this machine, or of `TZ`.
    Local,
    /// UTC, with a `Z` after the time.
    Utc,
}

impl Entry {
    fn shown(&self, zone: Zone) -> String {
        match (self, zone) {
            (Self::Text(text), _) => text.clone(),
            (Self::Time(time), Zone::Local) => {
                time.with_timezone(&Local).format("%Y-%m-%d %H:%M").to_string()
            }
            (Self::Time(time), Zone::Utc) => time.format("%Y-%m-%d %H:%MZ").to_string(),
        }
    }
}

impl Table {
    /// Draws the table: columns two apart, numbers flush right, empty columns left out. It fits
    /// into `width` characters if it can.
    pub fn drawn(&self, width: Option<usize>, zone: Zone) -> String {
        self.drawn_part(&mut Vec::new(), width, zone)
    }

    /// Draws a part of a long table. `widths` carries the least widths of the columns from part to
    /// part, so that they are aligned in a pipe; the first part, with the titles, has none.
    pub fn drawn_part(&self, widths: &mut Vec<u16>, width: Option<usize>, zone: Zone) -> String {
        let is_first = widths.is_empty();
        let filled = |column: &usize| self.rows.iter().any(|row| row[*column] != Entry::NONE);
        let columns: Vec<_> = (0..self.columns.len()).filter(filled).collect();
        let mut drawn = comfy_table::Table::new();
        drawn.load_style(presets::NOTHING);
        if is_first {
            drawn.set_header(columns.iter().map(|&column| self.columns[column].title()));
        }
        for row in &self.rows {
            drawn.add_row(columns.iter().map(|&column| row[column].shown(zone)));
        }
        for (drawn, &column) in drawn.column_iter_mut().zip(&columns) {
            drawn.set_padding((0, GAP));
            if let Column::Number(_) = self.columns[column] {
                drawn.set_cell_alignment(CellAlignment::Right);
            }
        }
        if let Some(width) = width {
            drawn.set_content_arrangement(ContentArrangement::Dynamic);
            drawn.set_width(u16::try_from(width).unwrap_or(u16::MAX));
            let least: Vec<_> =
                columns.iter().map(|&column| Least::of(self, column, zone)).collect();
            if let Some(longest) = longest_word_that_fits(&least, width) {
                for (drawn, least) in drawn.column_iter_mut().zip(&least) {
                    let least = u16::try_from(least.within(longest)).unwrap_or(u16::MAX) + GAP;
                    drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
                }
            }
        } else {
            for (drawn, &least) in drawn.column_iter_mut().zip(&*widths) {
                let least = Width::Fixed(least.saturating_add(GAP));
                drawn.set_constraint(ColumnConstraint::LowerBoundary(least));
            }
        }
        let own = drawn.column_max_content_widths();
        widths.resize(own.len(), 0);
        widths.iter_mut().zip(own).for_each(|(least, own)| *least = own.max(*least));
        drawn.trim_fmt()
    }
}

/// The gap between two columns.
const GAP: u16 = 2;

/// The least width of a column.
enum Least {
    /// This width.
    Fixed(usize),
    /// The width of its longest word, which may be broken.
    Word(usize),
}

impl Least {
    fn of(table: &Table, column: usize, zone: Zone) -> Self {
        let texts = table.rows.iter().map(|row| row[column].shown(zone));
        let texts = texts.chain([table.columns[column].title().to_owned()]);
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
        let word = |text: String| {
            text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0)
        };
        match table.columns[column] {
            Column::Prose(_) => Self::Word(widest(&mut texts.map(word))),
            Column::Text(_) | Column::Number(_) => {
                Self::Fixed(widest(&mut texts.map(|text| text.chars().count())))
            }
        }
    }

    fn within(&self, longest: usize) -> usize {
        match self {
            Self::Fixed(width) => *width,
            Self::Word(width) => (*width).min(longest),
        }
    }
}

/// Returns the length of the longest words that need not be broken for a table to fit; `None` when
/// even words of six letters must be.
fn longest_word_that_fits(least: &[Least], width: usize) -> Option<usize> {
    (6..=width).rev().find(|&longest| {
        let columns = least.iter().map(|least| least.within(longest) + usize::from(GAP));
        columns.sum::<usize>() <= width
    })
}
