//! The markup of answers. Most of an answer is plain paragraphs, with backticks around commands. A
//! table, a board or a plot is a part of its own: its lines as plain text, and the data from which the
//! HTML draws it. The outbox stores all of it as one text.

use outflank_rules::{
    Cell, Cells, Color, Lattice, Overrides, Position, Rules, Setup, Size, Variant,
};

use super::templates::{LINE, wrap};
use outflank_model::log::Game;
use outflank_model::render::{LastMove, wrapped};

/// The beginning of a part, the end of its plain text, and its end.
const BEGIN: char = '\u{2}';
const DATA: char = '\u{1e}';
const END: char = '\u{3}';

/// A column of a table: its title, and whether it has numbers.
pub type Column<'a> = (&'a str, bool);

/// Returns a table with its plain text.
pub fn table(drawn: &str, columns: &[Column], rows: &[Vec<String>]) -> String {
    let kinds: String =
        columns.iter().map(|(_, is_number)| if *is_number { '>' } else { '<' }).collect();
    let titles = columns.iter().map(|(title, _)| *title).collect::<Vec<_>>().join("\t");
    let rows = rows.iter().map(|row| row.join("\t"));
    let lines: Vec<_> = [kinds, titles].into_iter().chain(rows).collect();
    part(drawn, &format!("table\n{}", lines.join("\n")))
}

/// Returns a board with its plain text and its [data](board_data); without data, HTML shows the plain
/// text.
pub fn board(drawn: &str, data: Option<&str>) -> String {
    part(drawn, &data.map_or_else(String::new, |data| format!("board\n{data}")))
}

/// Returns the data of the board of a game, which [`board`] takes.
pub fn board_data(game: &Game) -> String {
    let position = game.position();
    let lattice = match position.rules().lattice {
        Lattice::Rectangle(_) => "rectangle",
        Lattice::Hex => "hex",
    };
    let cell = |cell: Cell| format!("{} {}", cell.column, cell.row);
    let first = cell(position.frame().first);
    let last = LastMove::of(game).map_or_else(String::new, |last| {
        let flipped: Vec<_> = last.flipped.iter().map(cell).collect();
        format!("{}\n{}\n{}", last.by, cell(last.placed), flipped.join("\n"))
    });
    format!("{lattice}\n{first}\n{position}\n{last}")
}

/// Returns a plot of these numbers with its plain text.
pub fn plot(drawn: &str, values: &[i32]) -> String {
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    part(drawn, &format!("plot\n{}", values.join(" ")))
}

fn part(drawn: &str, data: &str) -> String {
    format!("{BEGIN}{drawn}{DATA}{data}{END}")
}

/// Cuts a text to this many bytes. A part that does not fit becomes plain text.
pub fn cut(text: &mut String, bytes: usize) {
    if text.len() <= bytes {
        return;
    }
    text.truncate(text.floor_char_boundary(bytes));
    let Some(begin) = text.rfind(BEGIN).filter(|&begin| !text[begin..].contains(END)) else {
        return;
    };
    if let Some(data) = text[begin..].find(DATA) {
        text.truncate(begin + data);
    }
    text.push(END);
}

/// A piece of an answer.
#[derive(Debug)]
pub(super) enum Piece {
    /// A paragraph.
    Text(String),
    /// What plain text and HTML show in different ways.
    Part {
        /// Its plain text.
        drawn: String,
        /// What HTML shows; `None` if it shows the plain text, too.
        data: Option<Data>,
    },
}

/// What HTML shows in place of plain text.
#[derive(Debug)]
pub(super) enum Data {
    /// A table.
    Table {
        /// Whether each column has numbers.
        is_number: Vec<bool>,
        titles: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    Board(Box<Board>),
    /// The numbers of a plot.
    Plot(Vec<i32>),
}

/// A board with its last move.
#[derive(Debug)]
pub(super) struct Board {
    pub position: Position,
    last: Option<(Color, Cell, Cells)>,
}

impl Board {
    /// Returns the last move; `None` before the first one.
    pub(super) fn last(&self) -> Option<LastMove<'_>> {
        let (by, placed, flipped) = self.last.as_ref()?;
        Some(LastMove { by: *by, placed: *placed, flipped })
    }
}

/// Returns the pieces of an answer, from the top.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        add_paragraphs(&mut pieces, before);
        let (part, after) = after.split_once(END).unwrap_or((after, ""));
        let (drawn, data) = part.split_once(DATA).unwrap_or((part, ""));
        pieces.push(Piece::Part { drawn: drawn.to_owned(), data: Data::parse(data) });
        rest = after;
    }
    add_paragraphs(&mut pieces, rest);
    pieces
}

fn add_paragraphs(pieces: &mut Vec<Piece>, text: &str) {
    let paragraphs = text.split("\n\n").map(|it| it.trim_matches('\n')).filter(|it| !it.is_empty());
    pieces.extend(paragraphs.map(|paragraph| Piece::Text(paragraph.to_owned())));
}

/// Returns the plain text of an answer, wrapped at [`LINE`] columns except for its parts and commands.
pub(super) fn plain(pieces: &[Piece]) -> String {
    let plain = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => {
            let lines = text.lines().map(|line| {
                let line = unbroken(line);
                match line.starts_with([' ', '-']) {
                    true => wrapped(&line, LINE).replace('\u{a0}', " "),
                    false => wrap(&line),
                }
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Piece::Part { drawn, .. } => drawn.clone(),
    });
    plain.collect::<Vec<_>>().join("\n\n")
}

/// The longest command that stays on one line.
const MAX_UNBROKEN: usize = 40;

/// Returns a line with no-break spaces in its commands, so that each stays on one line.
fn unbroken(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    let part = |(number, part): (usize, &&str)| {
        let is_command = number % 2 == 1 && number + 1 < parts.len();
        match is_command && part.len() <= MAX_UNBROKEN {
            true => part.replace(' ', "\u{a0}"),
            false => (*part).to_owned(),
        }
    };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join("`")
}

impl Data {
    fn parse(data: &str) -> Option<Self> {
        let (kind, data) = data.split_once('\n')?;
        let mut lines = data.split('\n');
        match kind {
            "table" => {
                let is_number = lines.next()?.chars().map(|kind| kind == '>').collect();
                let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
                let titles = cells(lines.next()?);
                Some(Self::Table { is_number, titles, rows: lines.map(cells).collect() })
            }
            "board" => Board::parse(lines).map(|board| Self::Board(Box::new(board))),
            "plot" => {
                let values: Result<_, _> = data.split(' ').map(str::parse).collect();
                values.ok().map(Self::Plot)
            }
            _ => None,
        }
    }
}

impl Board {
    fn parse<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let cell = |line: &str| {
            let (column, row) = line.split_once(' ')?;
            Some(Cell::new(column.parse().ok()?, row.parse().ok()?))
        };
        let lattice = lines.next()?;
        let first = cell(lines.next()?)?;
        let position = lines.next()?;
        let rules = rules(lattice, position)?;
        let position = position.parse::<Setup>().ok()?.position(&rules, first).ok()?;
        let by = match lines.next() {
            Some("black") => Some(Color::Black),
            Some("white") => Some(Color::White),
            _ => None,
        };
        let last = by.and_then(|by| {
            let placed = cell(lines.next()?)?;
            Some((by, placed, lines.filter_map(cell).collect()))
        });
        Some(Self { position, last })
    }
}

/// Returns rules under which this position can be drawn.
fn rules(lattice: &str, position: &str) -> Option<Rules> {
    if lattice == "hex" {
        return Variant::named("oddthello").ok()?.rules(&Overrides::default()).ok();
    }
    let rows: Vec<_> = position.trim_matches(['(', ')']).split(' ').skip(1).collect();
    let size = Size::new(rows.len(), rows.first()?.len()).ok()?;
    let overrides = Overrides { size: Some(size), ..Overrides::default() };
    Variant::named("othello").ok()?.rules(&overrides).ok()
}
