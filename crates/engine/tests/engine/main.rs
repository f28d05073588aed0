//! Compares the engine with the rules and with a plain search.

mod endings;
mod evaluation;
mod exact;
#[path = "../../../rules/tests/rules/exhaustive.rs"]
mod exhaustive;
mod limits;
mod plain;
mod solved;

use exhaustive::moves;
use outflank_rules::{Overrides, Position, Rules, Size, Variant};

/// Returns the rules of a variant with these options.
fn rules(variant: &str, overrides: &Overrides) -> Rules {
    Variant::named(variant).unwrap().rules(overrides).unwrap()
}

fn size(rows: usize, columns: usize) -> Option<Size> {
    Some(Size::new(rows, columns).unwrap())
}

/// Parses a position string under the rules of a variant.
fn position(variant: &str, overrides: &Overrides, text: &str) -> Position {
    let first = outflank_rules::Cell::new(0, 1);
    let setup: outflank_rules::Setup = text.parse().unwrap();
    setup.position(&rules(variant, overrides), first).unwrap()
}
