//! The start position that options describe.

use crate::app::Error;
use crate::command::RuleOptions;
use outflank_rules::{Cell, Lattice, Overrides, Position, Rules, Setup, Variant};

/// Returns this position under the rules of a variant with these options, or else its start.
pub(crate) fn position(
    variant: &Variant,
    options: &RuleOptions,
    setup: Option<&Setup>,
    frame: Option<Cell>,
) -> Result<Position, Error> {
    let rules = variant.rules(&Overrides::from(options))?;
    let Some(setup) = setup else { return Ok(Position::start(rules)) };
    if frame.is_some() && rules.lattice != Lattice::Hex {
        let message = "--frame is for the hex lattice; on a rectangle the first cell is a1";
        return Err(Error::refused(message));
    }
    let position = of_setup(setup, &rules, frame)?;
    match (options.size, position.rules().lattice) {
        (Some(asked), Lattice::Rectangle(found)) if asked != found => {
            let message = format!("--size {asked} contradicts the {found} position");
            Err(Error::refused(message).with_hint("leave out --size"))
        }
        _ => Ok(position),
    }
}

/// Returns the position of this setup under these rules; `frame` is its first cell on the hex lattice.
pub(crate) fn of_setup(
    setup: &Setup,
    rules: &Rules,
    frame: Option<Cell>,
) -> Result<Position, Error> {
    let position = setup.position(rules, frame.unwrap_or(Cell::new(0, 1)));
    position.map_err(|faults| Error::refused(format!("invalid position: {faults}")))
}
