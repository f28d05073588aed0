//! A new database from a whole club.

use std::io::{BufRead, ErrorKind};

use serde_json::Value;

use crate::app::commands::host::verify;
use crate::app::effects::outbox::WORD_LENGTH;
use crate::app::formats::club::{LINES_AT_ONCE, row};
use crate::app::run::progress::ProgressLine;
use crate::app::{App, Error, Searched, Session};
use crate::config::display_path;
use crate::store::{Cell, Filling, Store};
use outflank_model::words::counted;

/// Makes the database, which must not exist yet, from the lines of a club behind the first, which is this.
/// Returns how many games it has.
///
/// # Errors
/// When a line is wrong, or the database that comes of them is. Then there is none.
pub(super) fn read(
    session: &mut Session,
    first: &Value,
    lines: impl BufRead,
) -> Result<usize, Error> {
    let known = Store::newest_schema();
    if first["version"] != known {
        let message = format!("this club has version {}, not {known}", first["version"]);
        let hint = "import it with the version of outflank that wrote it, and open its database with this one";
        return Err(Error::refused(message).with_hint(hint));
    }
    let App { store, env, .. } = session.app()?;
    let (path, now) = (store.path().to_owned(), env.now());
    if store.must_exist().is_ok() {
        let error = Error::refused(format!("{} exists already", display_path(&path)));
        return Err(error.with_hint("name a new database for the club with --db"));
    }
    let filling = Filling::begin(&path)?;
    let line = ProgressLine::new(&session.front_end, Searched::default());
    for (number, text) in (2..).zip(lines.lines()) {
        let text = text.map_err(|error| match error.kind() {
            ErrorKind::InvalidData => wrong(number, "this is no row"),
            _ => Error::fault(format!("line {number}: {error}")),
        })?;
        if number % LINES_AT_ONCE == 0 {
            line.set(&counted(number, "row"));
        }
        let (table, row) = row(&text).ok_or_else(|| wrong(number, "this is no row"))?;
        let App { env, .. } = session.app()?;
        let secret = |column: &str| match column {
            "token" => Ok::<_, Error>(env.rng.word(WORD_LENGTH).into()),
            _ => Ok(Cell::Blob(env.rng.secret()?.0.to_vec())),
        };
        let added = filling.add(&table, row, secret)?;
        added.map_err(|why| wrong(number, &why))?;
    }
    let mark = session.app()?.env.rng.mark();
    let draft = filling.end(&mark)?.map_err(|table| {
        Error::refused(format!("a row of {table} refers to another that is missing"))
    })?;
    let draft = Store::open_to_read(&draft)?;
    let fault = verify::first_fault(&draft, now, &line);
    if let Some(fault) = fault.unwrap_or_else(|error: Error| Some(error.to_string())) {
        return Err(Error::refused(fault).with_hint("nothing was imported"));
    }
    let games = draft.read(|db| db.game_numbers())?.len();
    drop(draft);
    filling.publish()?;
    Ok(games)
}

fn wrong(line: usize, why: &str) -> Error {
    Error::refused(format!("line {line}: {why}")).with_hint("nothing was imported")
}
