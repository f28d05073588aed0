use outflank_rules::{Cell, Lattice, Position};

/// Returns the cells of a position on a rectangle, row by row: 0 if empty, 1 for a disc of the player
/// to move, 2 for one of the opponent. Positions that are equal by a rotation, a reflection or by
/// swapping the colours give the same: of all arrangements, the least when read from the last cell.
/// Returns `None` on the hex lattice.
pub(super) fn canonical(position: &Position) -> Option<Vec<u8>> {
    let Lattice::Rectangle(size) = position.rules().lattice else { return None };
    let (rows, columns) = (i32::from(size.rows()), i32::from(size.columns()));
    let arranged = |symmetry: u8| {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let digit = |(row, column)| {
            let (mut row, mut column) =
                if symmetry & 4 == 0 { (row, column) } else { (column, row) };
            if symmetry & 1 != 0 {
                row = rows - 1 - row;
            }
            if symmetry & 2 != 0 {
                column = columns - 1 - column;
            }
            let disc = position.disc(Cell::new(column, row + 1));
            disc.map_or(0, |color| if color == position.turn() { 1 } else { 2 })
        };
        cells.map(digit).collect::<Vec<u8>>()
    };
    // Only a square is equal to itself with rows and columns swapped.
    let symmetries = if rows == columns { 0..8 } else { 0..4 };
    symmetries.map(arranged).min_by(|a, b| a.iter().rev().cmp(b.iter().rev()))
}
