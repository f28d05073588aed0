//! A whole club: one JSON object a line. The first has the version of the format, which is that of the schema,
//! and each other one a row by the name of its table.

use serde_json::{Map, Value, json};

use crate::app::access::signing;
use crate::app::run::progress::ProgressLine;
use crate::app::{Error, Searched, Session};
use crate::store::{Cell, Row, Store};
use outflank_model::words::counted;

/// The name of the format, in the first line.
const NAME: &str = "outflank-club";

/// The format of the command that writes a whole club.
pub(crate) const WORD: &str = super::json::FORMAT.word;

/// The word behind a value of bytes, which are written as hexadecimal digits.
const BYTES: &str = "bytes";

/// How many lines are written at once.
pub(crate) const LINES_AT_ONCE: usize = 1000;

/// Writes the club in parts, as it stands at one time.
pub(crate) fn write(
    session: &mut Session,
    mut put: impl FnMut(&mut Session, &str) -> Result<(), Error>,
) -> Result<(), Error> {
    let app = session.another_app()?;
    let line = ProgressLine::new(&session.front_end, Searched::default());
    app.store.read(|db| {
        let key = signing::own_key(db)?.map(|key| key.public().to_string());
        let head = json!({
            "format": NAME,
            "version": Store::newest_schema(),
            "club": signing::club_name(&app.env),
            "key": key,
        });
        let mut text = format!("{head}\n");
        let mut lines = 0;
        db.rows(|table, row| {
            let row: Map<_, _> =
                row.into_iter().map(|(name, cell)| (name, to_json(cell))).collect();
            text += &format!("{}\n", json!({ table: row }));
            lines += 1;
            if lines % LINES_AT_ONCE > 0 {
                return Ok(());
            }
            line.set(&counted(lines, "row"));
            put(session, &std::mem::take(&mut text))
        })?;
        // The last part may have been full.
        if text.is_empty() { Ok(()) } else { put(session, &text) }
    })
}

/// Returns the first line of a club; `None` if it is the line of something else.
pub(crate) fn head(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<Value>(line).ok().filter(|head| head["format"] == NAME)
}

fn to_json(cell: Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Integer(number) => number.into(),
        Cell::Real(number) => number.into(),
        Cell::Text(text) => text.into(),
        Cell::Blob(bytes) => json!({ BYTES: data_encoding::HEXLOWER.encode(&bytes) }),
    }
}

/// Returns the value of a column; `None` for what no column has.
fn from_json(value: Value) -> Option<Cell> {
    Some(match value {
        Value::Null => Cell::Null,
        Value::Number(number) => match number.as_i64() {
            Some(number) => Cell::Integer(number),
            None => Cell::Real(number.as_f64()?),
        },
        Value::String(text) => Cell::Text(text),
        Value::Object(mut of) if of.len() == 1 => {
            let Value::String(digits) = of.remove(BYTES)? else { return None };
            Cell::Blob(data_encoding::HEXLOWER.decode(digits.as_bytes()).ok()?)
        }
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    })
}

/// Returns the table and the columns in a line; `None` if it is no row.
pub(crate) fn row(line: &str) -> Option<(String, Row)> {
    let object: Map<String, Value> = serde_json::from_str(line).ok()?;
    let mut tables = object.into_iter();
    let (table, Value::Object(columns)) = tables.next()? else { return None };
    let cell = |(name, value)| Some((name, from_json(value)?));
    let columns = columns.into_iter().map(cell).collect::<Option<_>>()?;
    tables.next().is_none().then_some((table, columns))
}
