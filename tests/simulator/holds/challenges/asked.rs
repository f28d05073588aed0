//! The terms that a command asks for.

use crate::simulator::tables::Tables;

/// What the options of `new` and `challenge` ask for, as the columns have it.
pub struct Asked {
    values: Vec<(&'static str, Option<String>)>,
    pub clock: String,
    /// Whether there are options that mean nothing without a clock.
    pub needs_clock: bool,
    /// Whether an opening is to be drawn in a game that has none.
    pub has_no_opening: bool,
    pub is_rated: Option<bool>,
    pub color: Option<String>,
}

impl Asked {
    /// Parses a variant and options; `None` if there are others than this model knows.
    pub fn parse(words: &[String]) -> Option<Self> {
        let (variant, options) = match words.split_first() {
            Some((word, rest)) if !word.starts_with('-') => (&**word, rest),
            _ => ("othello", words),
        };
        let some = |text: &str| Some(text.to_owned());
        let mut rows = match variant {
            "othello" | "twente" => [some("8"), some("8")],
            "mini" => [some("4"), some("4")],
            "oddthello" if options.iter().all(|it| !OF_RECTANGLES.contains(&&**it)) => [None, None],
            _ => return None,
        };
        let stuck = match variant {
            "twente" => "explicit",
            "oddthello" => "loses",
            _ => "auto",
        };
        let supply = if variant == "oddthello" { some("32") } else { None };
        let mut values = vec![("variant", some(variant)), ("supply", supply)];
        let mut it = Self {
            values: Vec::new(),
            clock: "none".to_owned(),
            needs_clock: false,
            has_no_opening: false,
            is_rated: None,
            color: None,
        };
        let [mut misere, mut anywhere, mut weekends, mut absences] = ["0", "0", "0", "1"];
        let (mut stuck, mut flag, mut opening) = (stuck, "claim", None);
        let mut options = options.iter().map(String::as_str);
        while let Some(option) = options.next() {
            match option {
                "--size" => {
                    let (height, width) = options.next()?.split_once('x')?;
                    rows = [some(height), some(width)];
                }
                "--misere" => misere = "1",
                "--anywhere" => anywhere = "1",
                "--pass" => stuck = options.next()?,
                "--clock" => options.next()?.clone_into(&mut it.clock),
                "--free-weekends" => (weekends, it.needs_clock) = ("1", true),
                "--flag" => {
                    flag = options.next()?;
                    it.needs_clock |= flag == "hard";
                }
                "--no-away" => absences = "0",
                "--opening" => opening = some(options.next()?),
                "--rated" => it.is_rated = Some(true),
                "--unrated" => it.is_rated = Some(false),
                "--color" => it.color = some(options.next()?),
                _ => return None,
            }
        }
        // Whoever places discs anywhere never has to pass.
        if anywhere == "1" && stuck != "auto" {
            return None;
        }
        let is_othello =
            rows == [some("8"), some("8")] && [misere, anywhere, stuck] == ["0", "0", "auto"];
        it.has_no_opening = opening.is_some() && !is_othello;
        let [height, width] = rows;
        values.extend([("board_rows", height), ("board_columns", width), ("stuck", some(stuck))]);
        values.extend([("misere", some(misere)), ("anywhere", some(anywhere))]);
        values.extend([("clock", some(&it.clock)), ("free_weekends", some(weekends))]);
        values.extend([("flag", some(flag)), ("absences", some(absences))]);
        values.extend([("start", None), ("frame", None), ("opening", opening)]);
        it.values = values;
        Some(it)
    }

    /// Returns the first column of a row that is not what was asked for.
    pub fn differs(&self, tables: &Tables, table: &str, id: i64) -> Option<String> {
        let differs = |(column, expected): &&(&str, Option<String>)| {
            let mut rows = tables.columns_of(table, id, [*column]);
            rows.next().is_none_or(|[it]| it != expected.as_deref())
        };
        let (column, expected) = self.values.iter().find(differs)?;
        let found = tables.columns_of(table, id, [*column]).next();
        Some(format!("{column} of {table} {id} is {found:?}, not {expected:?}"))
    }
}

/// Options that are not for the hex lattice.
const OF_RECTANGLES: [&str; 4] = ["--size", "--misere", "--anywhere", "--pass"];
