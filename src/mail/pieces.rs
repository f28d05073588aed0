//! The pieces of an answer as values for HTML templates, with as much detail as there is room for.

use minijinja::{Value, context};

use super::markup::{Board, Data, Piece};
use outflank_model::preferences::BoardStyle;
use outflank_model::render::{self, Bars, Style};

/// The detail of the HTML part, from the most to the one that always fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    All,
    /// The board in plain letters.
    Plain,
    /// The board in plain letters, without links to moves.
    Unlinked,
    /// No board.
    Boardless,
}

impl Detail {
    pub(super) const ALL: [Self; 4] = [Self::All, Self::Plain, Self::Unlinked, Self::Boardless];
}

/// Returns a piece: a list, a table, a board or a plot; otherwise its text, which may be a drawing.
pub(super) fn piece_value(piece: &Piece, style: BoardStyle, detail: Detail) -> Value {
    let (drawn, data) = match piece {
        Piece::Text(text) => return text_value(text),
        Piece::Part { drawn, data } => (drawn, data),
    };
    let fits = matches!(detail, Detail::All | Detail::Plain);
    match data {
        Some(Data::Table { is_number, titles, rows }) if fits => {
            let is_wide = is_wide(titles, rows);
            context! { kind => "table", is_number, titles, rows, is_wide }
        }
        Some(Data::Board(board)) if detail == Detail::All => board_value(board, style),
        Some(Data::Plot(values)) if fits => {
            let Bars { step, greatest, bars } = render::bars(values);
            context! { kind => "plot", step, greatest, bars }
        }
        _ => context! { kind => "drawing", text => drawn },
    }
}

fn text_value(text: &str) -> Value {
    let item = |line: &str| line.strip_prefix("- ").map(str::to_owned);
    match text.lines().map(item).collect::<Option<Vec<_>>>() {
        Some(items) => context! { kind => "list", items },
        None if text.contains("+-") || text.contains("`- ") => {
            context! { kind => "drawing", text }
        }
        None => context! { kind => "text", text },
    }
}

fn board_value(board: &Board, style: BoardStyle) -> Value {
    let style = if style == BoardStyle::Figure { Style::Full } else { Style::Plain };
    let drawn = render::html(&board.position, board.last().as_ref(), style, |_| None);
    let (board, least_width) = (Value::from_safe_string(drawn.html), drawn.least_width);
    context! { kind => "board", board, least_width }
}

/// Returns whether a table does not fit on a phone. Its cells are broken between words.
fn is_wide(titles: &[String], rows: &[Vec<String>]) -> bool {
    // The most characters in a row that fit on a phone, in Verdana at 14 pixels.
    const MAX_CHARACTERS: usize = 40;
    let longest = |cell: &String| cell.split(' ').map(|word| word.chars().count()).max();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        titles.get(column).into_iter().chain(cells).filter_map(longest).max().unwrap_or(0)
    };
    (0..titles.len()).map(|column| width(column) + 1).sum::<usize>() > MAX_CHARACTERS
}
