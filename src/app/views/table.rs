use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use chrono::{DateTime, Local, Utc};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width, presets};
use textwrap::WordSplitter;
use textwrap::core::display_width;

use crate::app::one_line;
use crate::command::{Name, names_bot};
use outflank_model::Player;
use outflank_model::log::GameId;
use outflank_model::time_control::TimeZone;
use outflank_rules::Color;

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
    /// The number of a game or a challenge.
    Game(GameId),
    /// The name of a player who is a person.
    Player(String),
    /// The name of a tournament.
    Tournament(String),
    /// The result of a game.
    Result(String, GameId),
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

    /// Returns the entry of a player, who may be a computer player.
    pub(crate) fn player(name: &str) -> Self {
        match names_bot(name) {
            true => Self::Text(name.to_owned()),
            false => Self::Player(name.to_owned()),
        }
    }

    /// Returns the entry of a result in a game, which may not have begun.
    pub(crate) fn result(text: String, game: Option<GameId>) -> Self {
        match game {
            Some(game) if !text.is_empty() => Self::Result(text, game),
            _ => Self::Text(text),
        }
    }

    /// Returns the number of the game or challenge that it names.
    pub fn game(&self) -> Option<GameId> {
        if let Self::Game(id) = self { Some(*id) } else { None }
    }

    /// Returns it as text, with times in this zone.
    pub(crate) fn text(&self, zone: Zone) -> String {
        match self {
            Self::Text(text)
            | Self::Urgent(text)
            | Self::Player(text)
            | Self::Tournament(text)
            | Self::Result(text, _) => one_line(text),
            Self::Time(time) => zone.shown(*time),
            Self::Game(id) => id.to_string(),
        }
    }

    /// Returns the entry of a value; the empty one without a value.
    pub(crate) fn of(value: Option<impl Into<Self>>) -> Self {
        value.map_or(Self::NONE, Into::into)
    }
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

/// The offset of UTC.
const NO_OFFSET: &str = "+00:00";

/// The time zone of the times in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The zone of this machine, or of `TZ`.
    Local,
    /// UTC.
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
    /// Returns a time in this zone, to the minute, with the offset from UTC: `2026-11-21 11:00+01:00`,
    /// or `2026-11-21 10:00Z`.
    pub(crate) fn shown(self, time: DateTime<Utc>) -> String {
        const FORMAT: &str = "%Y-%m-%d %H:%M";
        let (local, offset) = match self {
            Self::Local => {
                let local = time.with_timezone(&Local);
                (local.format(FORMAT).to_string(), local.format("%:z").to_string())
            }
            Self::Utc => (time.format(FORMAT).to_string(), NO_OFFSET.to_owned()),
            Self::Of(zone) => (zone.local(time).format(FORMAT).to_string(), zone.offset(time)),
        };
        local + if offset == NO_OFFSET { "Z" } else { &offset }
    }
}

/// A column with its entry for an item.
pub(crate) type ColumnOf<'a, T> = (Column, &'a dyn Fn(&T) -> Entry);

impl Table {
    /// Returns a table with these columns and a row for each item.
    pub(crate) fn of<T>(items: impl IntoIterator<Item = T>, columns: &[ColumnOf<T>]) -> Self {
        let row = |item: T| columns.iter().map(|(_, entry)| entry(&item)).collect();
        Self {
            columns: columns.iter().map(|(column, _)| *column).collect(),
            rows: items.into_iter().map(row).collect(),
        }
    }

    /// Draws the table: columns two apart, numbers flush right, empty columns left out. It fits
    /// into `width` characters. Titles are never broken: if the columns do not fit, each row becomes
    /// a paragraph of titles and entries. `emphasize` can change how text looks.
    pub fn drawn(
        &self,
        width: Option<usize>,
        zone: Zone,
        emphasize: impl Fn(Emphasis, &str) -> String,
    ) -> String {
        self.drawn_part(&mut Vec::new(), width, zone, emphasize)
    }

    /// Returns the table for a terminal of this width: with names of players cut as little as makes the
    /// columns fit. Two names are never cut to the same. If shorter names do not help, all are whole.
    #[must_use]
    pub fn fitted(&self, width: Option<usize>, zone: Zone) -> Self {
        const LEAST: usize = 8;
        let fits = |table: &Self| {
            let columns: Vec<_> = table.filled().map(|at| Cells::of(table, at, zone)).collect();
            width.is_none_or(|width| least_widths(&columns, width, usize::MAX).is_some())
        };
        let names = self.rows.iter().flatten().filter_map(|entry| match entry {
            Entry::Player(name) => Some(name.as_str()),
            // As `Names::with_color` writes it.
            Entry::Text(text) => {
                Color::BOTH.iter().find_map(|it| text.strip_suffix(&format!(" ({it})")))
            }
            Entry::Urgent(_)
            | Entry::Time(_)
            | Entry::Game(_)
            | Entry::Tournament(_)
            | Entry::Result(..) => None,
        });
        let names: BTreeSet<_> = names.collect();
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
        let mut lengths = (LEAST..=longest).rev();
        let shorter =
            lengths.find_map(|length| Some(self.with_names(&cut(&names, length)?)).filter(fits));
        shorter.unwrap_or_else(|| self.clone())
    }

    /// Returns the table with these names instead, also within texts.
    fn with_names(&self, names: &BTreeMap<&str, String>) -> Self {
        let is_end = |c: char| !Name::allows(c);
        let renamed = |text: &String| -> String {
            let parts = text.split_inclusive(is_end).map(|part| {
                let name = part.trim_end_matches(is_end);
                names.get(name).map_or_else(|| part.to_owned(), |new| part.replace(name, new))
            });
            parts.collect()
        };
        let entry = |entry: &Entry| match entry {
            Entry::Text(text) => Entry::Text(renamed(text)),
            Entry::Urgent(text) => Entry::Urgent(renamed(text)),
            Entry::Player(name) => Entry::Player(renamed(name)),
            Entry::Time(_) | Entry::Game(_) | Entry::Tournament(_) | Entry::Result(..) => {
                entry.clone()
            }
        };
        let row = |row: &Vec<Entry>| row.iter().map(entry).collect();
        Self { columns: self.columns.clone(), rows: self.rows.iter().map(row).collect() }
    }

    /// Returns the titles of the columns that are not empty, each with whether it has numbers, and the
    /// rows as text.
    pub(crate) fn cells(&self, zone: Zone) -> (Vec<(&'static str, bool)>, Vec<Vec<String>>) {
        let columns: Vec<_> = self.filled().collect();
        let title = |&at: &usize| {
            let column = self.columns[at];
            (column.title(), matches!(column, Column::Number(_)))
        };
        let cells = |row: &Vec<Entry>| {
            let text = |&at: &usize| row[at].text(zone);
            columns.iter().map(text).collect()
        };
        (columns.iter().map(title).collect(), self.rows.iter().map(cells).collect())
    }

    /// Returns the width of the table in characters if its cells are broken between words, with a gap of one
    /// character between columns.
    pub fn least_width(&self, zone: Zone) -> usize {
        let (titles, rows) = self.cells(zone);
        let longest = |text: &str| text.split(' ').map(display_width).max().unwrap_or(0);
        let width = |(column, (title, _)): (usize, &(&str, bool))| {
            let cells = rows.iter().map(|row| longest(&row[column]));
            cells.chain([longest(title)]).max().unwrap_or(0) + 1
        };
        titles.iter().enumerate().map(width).sum()
    }

    /// Returns the numbers of the columns that are not empty.
    pub fn filled(&self) -> impl Iterator<Item = usize> {
        let is_filled = |column: &usize| self.rows.iter().any(|row| row[*column] != Entry::NONE);
        (0..self.columns.len()).filter(is_filled)
    }

    /// Draws a part of a long table. `widths` passes the widths of the columns on to the next part,
    /// so that the parts are aligned in a pipe. It is empty for the first part, which has the
    /// titles.
    pub fn drawn_part(
        &self,
        widths: &mut Vec<usize>,
        width: Option<usize>,
        zone: Zone,
        emphasize: impl Fn(Emphasis, &str) -> String,
    ) -> String {
        let columns: Vec<_> = self.filled().map(|column| Cells::of(self, column, zone)).collect();
        let title = |title: &str| emphasize(Emphasis::Title, title);
        let is_first = widths.is_empty();
        let least = match width {
            Some(width) => least_widths(&columns, width, MAX_UNBROKEN),
            None => {
                let before = widths.iter().copied().chain(iter::repeat(0));
                Some(columns.iter().zip(before).map(|(own, it)| own.widest.max(it)).collect())
            }
        };
        let Some(least) = least else {
            let width = width.unwrap_or(usize::MAX);
            return with_urgent(&in_paragraphs(&columns, width, self.rows.len(), title), emphasize);
        };
        *widths = least;
        let drawn = in_columns(&columns, widths, width, self.rows.len());
        // The titles are one line.
        let drawn = match drawn.split_once('\n') {
            Some((titles, rows)) if is_first => format!("{}\n{rows}", title(titles)),
            Some((_, rows)) => rows.to_owned(),
            None => drawn,
        };
        with_urgent(&drawn, emphasize)
    }
}

/// Returns these names, and those that are longer than this cut to it in the middle or at the end; `None` if two
/// would be alike.
fn cut<'a>(names: &BTreeSet<&'a str>, length: usize) -> Option<BTreeMap<&'a str, String>> {
    let mut used: BTreeSet<String> =
        names.iter().filter(|name| name.len() <= length).map(|name| name.to_lowercase()).collect();
    let long = names.iter().filter(|name| name.len() > length);
    let cut = |name: &&'a str| {
        // Names are ASCII. Those that differ only at the end keep it.
        let mut shorter = (0..length)
            .map(|end| format!("{}{CUT}{}", &name[..length - 1 - end], &name[name.len() - end..]));
        let shorter = shorter.find(|it| used.insert(it.to_lowercase()))?;
        Some((*name, shorter))
    };
    long.map(cut).collect()
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

/// Stands for the part of a name that is cut.
pub const CUT: char = '\u{2026}';

/// The gap between two columns.
const GAP: usize = 2;
/// Words longer than this may be broken if the columns do not fit otherwise.
const MAX_UNBROKEN: usize = 8;

/// A column as text.
struct Cells {
    column: Column,
    texts: Vec<String>,
    /// The width of its widest text, which is its title or an entry.
    widest: usize,
    /// The width of its longest word, if it may be wrapped.
    longest_word: Option<usize>,
}

impl Cells {
    fn of(table: &Table, column: usize, zone: Zone) -> Self {
        let shown = |row: &Vec<Entry>| match &row[column] {
            entry @ Entry::Urgent(_) => format!("{URGENT}{}{URGENT}", entry.text(zone)),
            entry => entry.text(zone),
        };
        let texts: Vec<_> = table.rows.iter().map(shown).collect();
        let is_time = table.rows.iter().any(|row| matches!(row[column], Entry::Time(_)));
        let is_prose = matches!(table.columns[column], Column::Prose(_)) && !is_time;
        let title = display_width(table.columns[column].title());
        let widths = texts.iter().map(|text| display_width(text));
        let words = texts.iter().flat_map(|text| text.split_whitespace()).map(display_width);
        Self {
            column: table.columns[column],
            widest: widths.max().unwrap_or(0).max(title),
            longest_word: is_prose.then(|| words.max().unwrap_or(0)),
            texts,
        }
    }

    /// Returns the least width when words longer than this may be broken.
    fn least(&self, max_unbroken: usize) -> usize {
        let title = display_width(self.column.title());
        self.longest_word.map_or(self.widest, |longest| longest.min(max_unbroken).max(title))
    }
}

/// Returns the least width of each column; `None` when the columns do not fit. The widest columns are
/// wrapped first, as few as needed, and words longer than this are broken only if nothing else helps.
fn least_widths(columns: &[Cells], width: usize, max_unbroken: usize) -> Option<Vec<usize>> {
    let room = (width + GAP).checked_sub(GAP * columns.len())?;
    let mut least: Vec<_> = columns.iter().map(|cells| cells.widest).collect();
    let mut widest_first: Vec<_> = (0..columns.len()).collect();
    widest_first.sort_by_key(|&at| Reverse(columns[at].widest));
    for max_unbroken in [usize::MAX, max_unbroken] {
        for &at in &widest_first {
            if least.iter().sum::<usize>() <= room {
                return Some(least);
            }
            least[at] = columns[at].least(max_unbroken);
        }
    }
    (least.iter().sum::<usize>() <= room).then_some(least)
}

/// Draws a table with at least these widths of columns and its titles on the first line.
fn in_columns(columns: &[Cells], least: &[usize], width: Option<usize>, rows: usize) -> String {
    let narrow = |width: usize| u16::try_from(width).unwrap_or(u16::MAX);
    let mut drawn = comfy_table::Table::new();
    drawn.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = width {
        drawn.set_width(narrow(width + GAP));
    }
    drawn.set_header(columns.iter().map(|cells| cells.column.title()));
    drawn.add_rows((0..rows).map(|row| columns.iter().map(move |cells| &cells.texts[row])));
    for ((drawn, cells), least) in drawn.column_iter_mut().zip(columns).zip(least) {
        drawn.set_padding((0, narrow(GAP)));
        drawn.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(narrow(least + GAP))));
        if let Column::Number(_) = cells.column {
            drawn.set_cell_alignment(CellAlignment::Right);
        }
    }
    drawn.trim_fmt()
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
