//! The rules of a game in plain words, from the rules themselves.

use super::{spoken, words};
use crate::log::Game;
use outflank_rules::{
    Cell, Color, Goal, Lattice, Move, Placement, Position, Rules, Setup, Stuck, VARIANTS,
};

/// A position and the move that explains flipping, as in the printed rules.
const RECTANGLE_EXAMPLE: (&str, &str) =
    ("(w -------- -------- --w---w- --b--b-- --b-b--- --bb---- ---bw--- --------)", "c7");
const HEX_EXAMPLE: (&str, &str) = ("(b ------ -b---b -w--w- -w-w-- -ww--- --wb--)", "B6");

/// Returns the names of the variants, each with its summary, a line each.
pub fn variants() -> String {
    let lines = VARIANTS.iter().map(|variant| {
        let names: Vec<_> = variant.names().collect();
        format!("{}: {}", names.join(" or "), variant.summary)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Describes the board and the discs, and says who begins in this position.
pub fn board(start: &Position) -> String {
    let rules = start.rules();
    let board = match rules.lattice {
        Lattice::Rectangle(size) => {
            format!("a board of {} rows and {} columns", size.rows(), size.columns())
        }
        Lattice::Hex => "a lattice of six-sided cells without edges".to_owned(),
    };
    let supply = rules.supply.map_or_else(String::new, |discs| {
        format!(" Each player has {discs} discs, including those on the board at the start.")
    });
    let legend = words::legend(|color| words::letter(color, rules.lattice));
    format!(
        "Black and white take turns to place a disc of their colour on {board}.{supply} In the figures, \
         {legend}. This is the start, and {} moves first:",
        start.turn()
    )
}

/// Says which cells a player may take, and which discs flip.
pub fn moves(rules: &Rules) -> String {
    let directions = spoken::directions(rules.lattice);
    let names: Vec<_> = directions.iter().map(|(_, name)| name.to_lowercase()).collect();
    let which = match rules.placement {
        Placement::Outflanking => {
            "A player may take only an empty cell where at least one disc flips."
        }
        Placement::Anywhere => "A player may take any empty cell, whether discs flip or not.",
    };
    format!(
        "A straight line of enemy discs flips if the new disc is at one end of it and another disc of \
         the same player at the other, with no gap between. Lines run in {} directions: {}. All such \
         lines flip at once. {which}",
        names.len(),
        names.join("; ")
    )
}

/// Returns a game with a last move that shows how discs flip under these rules.
pub fn example(rules: &Rules) -> Option<Game> {
    let (position, mv) = match rules.lattice {
        Lattice::Rectangle(_) => RECTANGLE_EXAMPLE,
        Lattice::Hex => HEX_EXAMPLE,
    };
    let setup: Setup = position.parse().ok()?;
    let mut game = Game::new(setup.position(rules, Cell::new(0, 1)).ok()?);
    game.play(mv.parse().ok()?).ok()?;
    Some(game)
}

/// Describes the turn of a player who cannot flip a disc, and the end of the game.
pub fn end(rules: &Rules) -> String {
    let stuck = match (rules.placement, rules.stuck) {
        (Placement::Anywhere, _) => "Nobody passes.",
        (_, Stuck::AutoPass) => "A player who cannot flip a disc passes automatically.",
        (_, Stuck::MustPass) => {
            "A player who cannot flip a disc must pass, which is a move of its own. Nobody else may \
             pass."
        }
        (_, Stuck::Loses) => "A player who cannot flip a disc loses at once.",
    };
    let end = match (rules.placement, rules.supply) {
        (_, Some(discs)) => format!("when all {} discs are on the board", 2 * discs),
        (Placement::Anywhere, None) => "when the board is full".to_owned(),
        (Placement::Outflanking, None) => "when neither player can flip a disc".to_owned(),
    };
    let goal = match rules.goal {
        Goal::More => "more",
        Goal::Fewer => "fewer",
    };
    let otherwise = if rules.stuck == Stuck::Loses { "Otherwise the" } else { "The" };
    format!(
        "{stuck} {otherwise} game ends {end}. Then the player with {goal} discs on the board wins; it is a \
         draw if both have as many."
    )
}

/// Returns how cells are named, with this one as the example.
pub fn labels(lattice: Lattice, cell: Cell) -> String {
    let (label, column) = (lattice.label(cell), lattice.column_label(cell));
    let beyond = match lattice {
        Lattice::Rectangle(_) => "",
        Lattice::Hex => {
            " Left of column A come ZZ, YY and so on, right of Z come AB, AC and so on, and above row 1 \
             come 0, -1 and so on."
        }
    };
    format!(
        "A move is the name of a cell: the letter of its column, then the number of its row. So {label} \
         is in column {column} and row {}. Upper and lower case are the same.{beyond}",
        cell.row
    )
}

/// Returns the first cell that can be taken in a position.
pub fn first_cell(position: &Position) -> Option<Cell> {
    position.legal().into_iter().find_map(|mv| match mv {
        Move::Place(cell) => Some(cell),
        Move::Pass => None,
    })
}

/// Returns the sentences above the two figures of the example: before and after flipping. `is_other` says
/// whether the rules are for another board than that of the example.
pub fn captions(
    lattice: Lattice,
    placed: Cell,
    by: Color,
    flipped: usize,
    is_other: bool,
) -> [String; 2] {
    let board = match lattice {
        Lattice::Rectangle(size) if is_other => format!("on {size} "),
        Lattice::Rectangle(_) | Lattice::Hex => String::new(),
    };
    [
        format!("For example, {board}{by} places a disc on {}:", lattice.label(placed)),
        format!("This flips {}:", spoken::discs(flipped)),
    ]
}
