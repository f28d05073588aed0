//! The computer player, held against the rules and a plain search over them.

mod exact;
mod limits;
mod plain;
mod solved;

use outflank::game::{Move, Overrides, Position, Rules, Size, State, Variant};

/// Returns the rules of a variant with these options.
fn rules(variant: &str, overrides: &Overrides) -> Rules {
    Variant::named(variant).unwrap().rules(overrides).unwrap()
}

fn size(rows: usize, columns: usize) -> Option<Size> {
    Some(Size::new(rows, columns).unwrap())
}

/// Returns the legal moves.
fn moves(position: &Position) -> Vec<Move> {
    match position.state() {
        State::Placing => position.placements().iter().map(Move::Place).collect(),
        State::Passing => vec![Move::Pass],
        State::Over(_) => Vec::new(),
    }
}

/// Parses a position string under the rules of a variant.
fn position(variant: &str, overrides: &Overrides, text: &str) -> Position {
    let first = outflank::game::Cell::new(0, 1);
    let setup: outflank::game::Setup = text.parse().unwrap();
    setup.position(&rules(variant, overrides), first).unwrap()
}
