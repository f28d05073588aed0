//! One game: the rows that follow from its log.

use chrono::{DateTime, TimeDelta, Utc};

use super::fault::Fault;
use super::rows::{self, Rows, key, number};
use crate::app::Error;
use crate::app::effects::{clocks, jobs};
use crate::store::{Cell, Checked, CheckedRow, Db, JobRank, NewJob, derived_columns};
use outflank_model::StoredGame;
use outflank_model::log::{Action, Game, GameId};
use outflank_model::time_control::Clocks;

/// How much later or earlier than from the settings of today housekeeping may look at a game without a
/// clock: the player may have changed them, and then it looks and decides again.
const TOLERANCE: TimeDelta = TimeDelta::days(1);

/// Delays of `send`, which make it look at games at other times than their clocks say.
pub(super) struct Housekeeping {
    now: DateTime<Utc>,
    /// Whether a clock that was ahead has put off everything, or mail is down.
    is_late: bool,
    /// The games where it failed and will be tried again.
    failed: Vec<GameId>,
}

impl Housekeeping {
    pub(super) fn read(db: &Db, now: DateTime<Utc>) -> Result<Self, Error> {
        let was_ahead = db.deadlines_checked_at()?.is_some_and(|checked| checked > now);
        let failed = db.failed_alarms(u32::MAX)?.into_iter().map(|it| it.game).collect();
        Ok(Self { now, is_late: was_ahead || db.mail_outage()?.is_some(), failed })
    }
}

/// Returns the faults of a game.
pub(super) fn check(
    db: &Db,
    housekeeping: &Housekeeping,
    stored: &StoredGame,
) -> Result<Vec<Fault>, Error> {
    let (id, mut faults, mut found) = (stored.id, Vec::new(), Vec::new());
    for table in Checked::OF_GAMES {
        db.checked_rows(table, Some(id), |row| found.push((table, row)))?;
    }
    if let Err(error) = db.plans(id) {
        faults.push(Fault::of_game(id, "plan", &error.to_string()));
    }
    if stored.agreement.opening.is_none() != stored.game.given().is_empty() {
        let given = stored.game.given().len();
        let problem =
            format!("its opening does not agree with its log, which has {given} given moves");
        faults.push(Fault::of_game(id, "game.opening", &problem));
    }
    let is_analyzed = match db.analysis(id) {
        Ok(analysis) => analysis.is_some(),
        Err(error) => {
            faults.push(Fault::of_game(id, "analysis_ply", &error.to_string()));
            found.retain(|(table, _)| *table != Checked::AnalysisPly);
            false
        }
    };
    let mut expected = rows_of(db, housekeeping, stored, &found)?;
    if is_analyzed {
        for (ply, before) in (1..).zip(positions(&stored.game)) {
            let is_given = ply <= stored.game.given().len();
            let choices = if is_given { 1 } else { before.position().placements().len().max(1) };
            expected.insert((Checked::AnalysisPly, key([&id, &ply, &""])), vec![number(choices)]);
        }
    }
    for (table, row) in found {
        rows::compare(&mut expected, table, row, &mut faults);
    }
    faults.extend(rows::missing(&expected));
    Ok(faults)
}

/// Returns the game before each of its moves.
fn positions(game: &Game) -> impl Iterator<Item = Game> {
    (0..game.plies().len()).filter_map(|made| game.at(made))
}

/// Returns the rows that follow from the log of a game, for those that are stored: most of these may also
/// not be there.
fn rows_of(
    db: &Db,
    housekeeping: &Housekeeping,
    stored: &StoredGame,
    found: &[(Checked, CheckedRow)],
) -> Result<Rows, Error> {
    let (game, clocks) = (&stored.game, stored.clocks());
    let last = game.events().len();
    let mut rows = Rows::new();
    let is_with_bot = stored.sides().into_iter().any(|side| side.bot().is_some());
    let bot_job = is_with_bot.then(|| jobs::next(stored)).flatten();
    if let Some(NewJob { kind, rank, .. }) = bot_job {
        let word = Cell::from(kind.word().to_owned());
        let job = vec![Some(word), number(game.position_event()), rank_cell(rank)];
        rows.insert((Checked::Job, key([&stored.id, &"bot", &""])), job);
    }
    for (table, row) in found {
        let value = |at: usize| row.values.get(at).map_or(&Cell::Null, |(_, value)| value);
        // The number of an event in the log, or else of the last one.
        let event = |cell: &Cell| match cell {
            Cell::Integer(at) => usize::try_from(*at).map_or(0, |at| at.min(last)),
            _ => last,
        };
        let values = match table {
            Checked::Game => game_row(db, housekeeping, stored, &clocks, row)?,
            Checked::Reminder => {
                vec![Some(clocks.running().and_then(|_| number(clocks.turn_event())).into())]
            }
            Checked::Job if row.key[1] == "bot" => continue,
            Checked::Job => vec![None, number(event(value(1))), rank_cell(JobRank::Asked)],
            Checked::Outbox | Checked::DigestGame => {
                let events = event(value(0));
                vec![number(events), plies(game, events).and_then(number)]
            }
            Checked::Plan => vec![number(event(value(0)))],
            Checked::Comment => match said(stored, &row.key[1]) {
                Some(values) => values.map(Some).into(),
                None => continue,
            },
            Checked::AnalysisPly | Checked::Player | Checked::Record | Checked::Rating => continue,
        };
        rows.insert((*table, row.key.clone()), values);
    }
    Ok(rows)
}

fn rank_cell(rank: JobRank) -> Option<Cell> {
    Some(rank.number().into())
}

/// Returns the row of the game itself.
fn game_row(
    db: &Db,
    housekeeping: &Housekeeping,
    stored: &StoredGame,
    clocks: &Clocks,
    row: &CheckedRow,
) -> Result<Vec<Option<Cell>>, Error> {
    let value = |name: &str| {
        let found = row.values.iter().find(|(column, _)| column == name);
        found.map_or(Cell::Null, |(_, value)| value.clone())
    };
    let mut values: Vec<_> =
        derived_columns(stored, clocks::deadline(clocks)).into_iter().map(Some).collect();
    let alarm_at = value("game.alarm_at");
    if alarm_at == Cell::from(0) {
        // After an upgrade, the next `send` stores the deadline again.
        values.pop();
        values.push(None);
    }
    let alarm_at = match alarm_at {
        Cell::Integer(at) => DateTime::from_timestamp(at, 0),
        _ => None,
    };
    values.push(alarm(db, housekeeping, stored, clocks, alarm_at)?);
    let claimable = clocks.idle_end().and_then(|_| number(clocks.turn_event()));
    // The opponent may not have been mailed yet that the game can be claimed.
    let claim_event = value("game.claim_event");
    values.push((claim_event != Cell::Null).then(|| claimable.into()));
    Ok(values)
}

/// Returns when housekeeping must look at the game; `None` if the stored time is right.
fn alarm(
    db: &Db,
    housekeeping: &Housekeeping,
    stored: &StoredGame,
    clocks: &Clocks,
    alarm_at: Option<DateTime<Utc>>,
) -> Result<Option<Cell>, Error> {
    let at = |time| clocks::alarm(db, stored, clocks, time);
    let &Housekeeping { now, is_late, ref failed } = housekeeping;
    // It was decided at the last event, or by housekeeping since then.
    let decided = [at(stored.times.last().copied().unwrap_or(stored.started))?, at(now)?];
    let is_right = match alarm_at {
        alarm if decided.contains(&alarm) => true,
        None => false,
        // The next `send` decides it again.
        Some(_) if is_late || failed.contains(&stored.id) => true,
        // An active game is looked at by the next `send`, which then decides again.
        Some(alarm) if alarm <= now && clocks.running().is_some() && !stored.local => true,
        Some(alarm) => {
            let latest = decided.into_iter().flatten().max();
            clocks.idle_end().is_some() && latest.is_none_or(|latest| alarm <= latest + TOLERANCE)
        }
    };
    Ok((!is_right).then(|| decided[0].map(|at| at.timestamp()).into()))
}

/// Returns the number of moves after this number of events.
fn plies(game: &Game, events: usize) -> Option<usize> {
    if game.taken_back().is_empty() {
        return Some(game.plies().partition_point(|ply| ply.event <= events));
    }
    game.after(events).map(|earlier| earlier.plies().len())
}

/// Returns the reader and the time of a comment; `None` if the event is not a comment.
fn said(stored: &StoredGame, event: &str) -> Option<[Cell; 2]> {
    let at = event.parse::<usize>().ok()?.checked_sub(1)?;
    let said = stored.game.events().get(at)?;
    let reader = said.by.and_then(|by| stored.player(!by)).map(|player| player.id.0);
    matches!(said.action, Action::Say(_))
        .then_some([reader.into(), stored.times.get(at)?.timestamp().into()])
}
