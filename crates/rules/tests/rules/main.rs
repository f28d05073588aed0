//! Compares the rules with reference values, with the figures of the rules and with a second
//! implementation.

mod exhaustive;
mod naive;
mod perft;
mod played;
mod properties;
mod values;
mod words;
mod worked;

use outflank_rules::{Cell, Overrides, Position, Rules, Setup, Size, Variant};

fn size(rows: usize, columns: usize) -> Option<Size> {
    Some(Size::new(rows, columns).expect("a size in range"))
}

/// Returns the rules of a variant with these changes.
fn rules(variant: &str, overrides: &Overrides) -> Rules {
    Variant::named(variant).expect("a variant").rules(overrides).expect("rules")
}

/// Returns the position of a position string; on the hex lattice, its first cell is A1.
fn position(variant: &str, text: &str) -> Position {
    let setup: Setup = text.parse().expect("a position string");
    setup
        .position(&rules(variant, &Overrides::default()), Cell::new(0, 1))
        .expect("a valid position")
}
