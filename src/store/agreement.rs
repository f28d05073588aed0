//! The agreement of the players of a game before it begins. `game` and `challenge` have the same columns
//! for it.

use rusqlite::Row;
use rusqlite::types::Value;

use super::{Error, Result};
use outflank_model::Agreement;
use outflank_model::log::GameId;
use outflank_model::time_control::Terms;
use outflank_rules::{Cell, Goal, Lattice, Placement, Position, Rules, Setup, Size, Stuck};

/// The columns of an agreement.
pub(super) const COLUMNS: &str = "variant, board_rows, board_columns, misere, anywhere, stuck, supply, \
    start, frame, opening, clock, free_weekends, flag, absences, rated";

/// Returns the names of the parameters for these columns.
pub(super) fn values() -> String {
    COLUMNS.split(", ").map(|column| format!(":{column}")).collect::<Vec<_>>().join(", ")
}

/// Returns the stored word for the rule for a player who cannot place a disc.
fn stuck_word(stuck: Stuck) -> &'static str {
    stuck.pass_word().unwrap_or("loses")
}

/// Returns the parameters of [`values`] for an agreement on a game with this start, and these others.
pub(super) fn params<const N: usize>(
    agreement: &Agreement,
    start: &Position,
    others: [(&'static str, Value); N],
) -> Vec<(&'static str, Value)> {
    let &Agreement { ref variant, custom_start, opening, terms, rated } = agreement;
    let rules = start.rules();
    let size = match rules.lattice {
        Lattice::Rectangle(size) => Some(size),
        Lattice::Hex => None,
    };
    // The start of the rules is not stored; of another one, the label of the first cell is, too.
    let frame = custom_start.then(|| rules.lattice.label(start.frame().first));
    let own = [
        (":variant", variant.clone().into()),
        (":board_rows", size.map(|size| size.rows()).into()),
        (":board_columns", size.map(|size| size.columns()).into()),
        (":misere", (rules.goal == Goal::Fewer).into()),
        (":anywhere", (rules.placement == Placement::Anywhere).into()),
        (":stuck", stuck_word(rules.stuck).to_owned().into()),
        (":supply", rules.supply.into()),
        (":start", custom_start.then(|| start.to_string()).into()),
        (":frame", frame.into()),
        (":opening", opening.map(|opening| opening.word().to_owned()).into()),
        (":clock", terms.control.to_string().into()),
        (":free_weekends", terms.free_weekends.into()),
        (":flag", terms.flag.word().to_owned().into()),
        (":absences", terms.absences.into()),
        (":rated", rated.into()),
    ];
    own.into_iter().chain(others).collect()
}

/// Returns the agreement in a row of this game or challenge, and the start of the game.
pub(super) fn read(row: &Row, id: GameId) -> Result<(Agreement, Position)> {
    let (rules, start) = (rules(row, id)?, row.get::<_, Option<String>>("start")?);
    let (frame, clock): (Option<String>, String) = (row.get("frame")?, row.get("clock")?);
    let flag: String = row.get("flag")?;
    let custom_start = start.is_some();
    let start = match start {
        None => Position::start(rules),
        Some(start) => {
            let first = frame.as_deref().unwrap_or("a1").parse();
            let first: Cell = first.map_err(Error::inconsistent(id))?;
            let setup: Setup = start.parse().map_err(Error::inconsistent(id))?;
            setup.position(&rules, first).map_err(Error::inconsistent(id))?
        }
    };
    let terms = Terms {
        control: clock.parse().map_err(Error::inconsistent(id))?,
        free_weekends: row.get("free_weekends")?,
        flag: flag.parse().map_err(Error::inconsistent(id))?,
        absences: row.get("absences")?,
    };
    let opening: Option<String> = row.get("opening")?;
    let opening = opening.map(|word| word.parse()).transpose().map_err(Error::inconsistent(id))?;
    let (variant, rated) = (row.get("variant")?, row.get("rated")?);
    Ok((Agreement { variant, custom_start, opening, terms, rated }, start))
}

/// Returns the rules in a row of this game or challenge.
pub(super) fn rules(row: &Row, id: GameId) -> Result<Rules> {
    let (rows, columns): (Option<usize>, Option<usize>) =
        (row.get("board_rows")?, row.get("board_columns")?);
    let word: String = row.get("stuck")?;
    let (anywhere, misere) = (row.get("anywhere")?, row.get("misere")?);
    let stuck = [Stuck::AutoPass, Stuck::MustPass, Stuck::Loses]
        .into_iter()
        .find(|&stuck| stuck_word(stuck) == word)
        .ok_or_else(|| Error::inconsistent(id)(format!("unknown rule \"{word}\"")))?;
    let size = rows.zip(columns).map(|(rows, columns)| Size::new(rows, columns)).transpose();
    Ok(Rules {
        lattice: size.map_err(Error::inconsistent(id))?.map_or(Lattice::Hex, Lattice::Rectangle),
        placement: if anywhere { Placement::Anywhere } else { Placement::Outflanking },
        stuck,
        goal: if misere { Goal::Fewer } else { Goal::More },
        supply: row.get("supply")?,
    })
}
