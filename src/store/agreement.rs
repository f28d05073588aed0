//! What the players of a game agree on before it begins. `game` and `challenge` have the same columns for it.

use rusqlite::{Row, ToSql};

use outflank_model::Agreement;
use outflank_model::time_control::Terms;
use outflank_rules::{Cell, Goal, Lattice, Placement, Position, Rules, Setup, Size, Stuck};

/// The columns of an agreement.
pub(super) const COLUMNS: &str = "variant, board_rows, board_columns, misere, anywhere, stuck, supply, \
    start, frame, clock, free_weekends, flag, absences, rated";

/// Returns the names of the parameters for these columns.
pub(super) fn values() -> String {
    COLUMNS.split(", ").map(|column| format!(":{column}")).collect::<Vec<_>>().join(", ")
}

/// The columns of an agreement in a row.
pub(super) struct AgreementRow {
    variant: String,
    rules: RulesRow,
    /// A position string; `None` for the start of the rules.
    start: Option<String>,
    /// The label of its first cell.
    frame: Option<String>,
    clock: String,
    free_weekends: bool,
    flag: String,
    absences: bool,
    rated: bool,
}

/// The columns of the rules.
pub(super) struct RulesRow {
    rows: Option<usize>,
    columns: Option<usize>,
    misere: bool,
    anywhere: bool,
    stuck: String,
    supply: Option<u32>,
}

/// Returns the stored word for what happens to a player who cannot place a disc.
fn stuck_word(stuck: Stuck) -> &'static str {
    stuck.pass_word().unwrap_or("loses")
}

impl AgreementRow {
    pub(super) fn of(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            variant: row.get("variant")?,
            rules: RulesRow::of(row)?,
            start: row.get("start")?,
            frame: row.get("frame")?,
            clock: row.get("clock")?,
            free_weekends: row.get("free_weekends")?,
            flag: row.get("flag")?,
            absences: row.get("absences")?,
            rated: row.get("rated")?,
        })
    }

    /// Returns the columns of an agreement on a game with this start.
    pub(super) fn new(agreement: &Agreement, start: &Position) -> Self {
        let &Agreement { ref variant, custom_start, terms, rated } = agreement;
        let frame = || start.rules().lattice.label(start.frame().first);
        Self {
            variant: variant.clone(),
            rules: RulesRow::from(start.rules()),
            start: custom_start.then(|| start.to_string()),
            frame: custom_start.then(frame),
            clock: terms.control.to_string(),
            free_weekends: terms.free_weekends,
            flag: terms.flag.word().to_owned(),
            absences: terms.absences,
            rated,
        }
    }

    /// Returns the parameters of [`values`].
    pub(super) fn params(&self) -> [(&'static str, &dyn ToSql); 14] {
        let Self { variant, rules, start, frame, clock, free_weekends, flag, absences, rated } =
            self;
        let RulesRow { rows, columns, misere, anywhere, stuck, supply } = rules;
        [
            (":variant", variant),
            (":board_rows", rows),
            (":board_columns", columns),
            (":misere", misere),
            (":anywhere", anywhere),
            (":stuck", stuck),
            (":supply", supply),
            (":start", start),
            (":frame", frame),
            (":clock", clock),
            (":free_weekends", free_weekends),
            (":flag", flag),
            (":absences", absences),
            (":rated", rated),
        ]
    }

    /// Returns the agreement, and the start of its game.
    pub(super) fn read(self) -> Result<(Agreement, Position), Box<dyn std::error::Error>> {
        let Self { variant, rules, start, frame, clock, free_weekends, flag, absences, rated } =
            self;
        let (rules, custom_start) = (rules.rules()?, start.is_some());
        let start = match start {
            None => Position::start(rules),
            Some(start) => {
                let first: Cell = frame.as_deref().unwrap_or("a1").parse()?;
                start.parse::<Setup>()?.position(&rules, first)?
            }
        };
        let (control, flag) = (clock.parse()?, flag.parse()?);
        let terms = Terms { control, free_weekends, flag, absences };
        Ok((Agreement { variant, custom_start, terms, rated }, start))
    }
}

impl RulesRow {
    pub(super) fn of(row: &Row) -> rusqlite::Result<Self> {
        Ok(Self {
            rows: row.get("board_rows")?,
            columns: row.get("board_columns")?,
            misere: row.get("misere")?,
            anywhere: row.get("anywhere")?,
            stuck: row.get("stuck")?,
            supply: row.get("supply")?,
        })
    }

    pub(super) fn rules(&self) -> Result<Rules, Box<dyn std::error::Error>> {
        let stuck = [Stuck::AutoPass, Stuck::MustPass, Stuck::Loses]
            .into_iter()
            .find(|&stuck| stuck_word(stuck) == self.stuck)
            .ok_or_else(|| format!("unknown rule \"{}\"", self.stuck))?;
        Ok(Rules {
            lattice: match self.rows.zip(self.columns) {
                Some((rows, columns)) => Lattice::Rectangle(Size::new(rows, columns)?),
                None => Lattice::Hex,
            },
            placement: if self.anywhere { Placement::Anywhere } else { Placement::Outflanking },
            stuck,
            goal: if self.misere { Goal::Fewer } else { Goal::More },
            supply: self.supply,
        })
    }
}

impl From<&Rules> for RulesRow {
    fn from(rules: &Rules) -> Self {
        let (rows, columns) = match rules.lattice {
            Lattice::Rectangle(size) => (Some(size.rows().into()), Some(size.columns().into())),
            Lattice::Hex => (None, None),
        };
        Self {
            rows,
            columns,
            misere: rules.goal == Goal::Fewer,
            anywhere: rules.placement == Placement::Anywhere,
            stuck: stuck_word(rules.stuck).to_owned(),
            supply: rules.supply,
        }
    }
}
