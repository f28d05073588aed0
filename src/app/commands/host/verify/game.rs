//! One game: the columns that follow from its log, and the rows that refer to it.

use chrono::{DateTime, TimeDelta, Utc};

use super::fault::{Fault, difference};
use crate::app::effects::changed::GamePlayers;
use crate::app::effects::{clocks, jobs};
use crate::app::views::json::json_time;
use crate::app::{Env, Error};
use crate::log::{Action, Game};
use crate::store::{
    CommentRow, Db, Difference, JobKind, JobRank, Moment, Queued, StoredGame, StoredPlan,
};
use crate::time_control::Clocks;

/// How much later or earlier than from the settings of today housekeeping may look at a game without a
/// clock: the player may have changed them, and then it looks and decides again.
const TOLERANCE: TimeDelta = TimeDelta::days(1);

/// Returns what is wrong with a game. `digests` are the moments of it that digests show.
pub(super) fn check(
    db: &Db,
    env: &Env,
    stored: &StoredGame,
    digests: &[(i64, Moment)],
) -> Result<Vec<Fault>, Error> {
    let clocks = stored.clocks();
    let mut faults = Vec::new();
    let mut add = |differences: Vec<Difference>| {
        let what = format!("game {}", stored.id);
        let faulty = |difference| Fault::of_value(Some(stored.id), &what, difference);
        faults.extend(differences.into_iter().map(faulty));
    };
    let queued = db.queued_of(stored.id)?;
    let mut differences = db.differences(stored, clocks::deadline(&clocks))?;
    // After an upgrade, the next `send` stores the deadline again.
    let is_upgraded = queued.alarm_at == Some(DateTime::UNIX_EPOCH);
    differences.retain(|it| !(is_upgraded && it.column == "game.deadline"));
    add(differences);
    add(alarm(db, env, stored, &clocks, &queued)?.into_iter().collect());
    add(turns(&clocks, &queued));
    add(job(db, stored)?);
    faults.extend(references(db, stored, digests)?);
    faults.extend(comments(db, stored)?);
    Ok(faults)
}

/// Compares when housekeeping must look at the game.
fn alarm(
    db: &Db,
    env: &Env,
    stored: &StoredGame,
    clocks: &Clocks,
    queued: &Queued,
) -> Result<Option<Difference>, Error> {
    let of = GamePlayers::of(stored);
    let at = |time| clocks::alarm(db, &of, stored.local, clocks, time);
    let now = env.now();
    // It was decided at the last event, or by housekeeping since then.
    let decided = [at(stored.times.last().copied().unwrap_or(stored.started))?, at(now)?];
    // What a clock that was ahead has put off, the next `send` decides again.
    let was_ahead = db.deadlines_checked_at()?.is_some_and(|checked| checked > now);
    let is_mail_down = db.mail_outage()?.is_some();
    let is_right = match queued.alarm_at {
        alarm if decided.contains(&alarm) => true,
        None => false,
        Some(_) if was_ahead || is_mail_down => true,
        // Housekeeping tries again later.
        Some(_) if queued.has_failed => true,
        // An active game is looked at by the next `send`, which then decides again.
        Some(alarm) if alarm <= now && clocks.running().is_some() && !stored.local => true,
        Some(alarm) => {
            let latest = decided.into_iter().flatten().max();
            clocks.idle_end().is_some() && latest.is_none_or(|latest| alarm <= latest + TOLERANCE)
        }
    };
    let show = |at: Option<DateTime<Utc>>| at.map(json_time);
    let expected = if is_right { queued.alarm_at } else { decided[0] };
    Ok(difference("game.alarm_at", show(queued.alarm_at), show(expected)))
}

/// Compares what belongs to the present turn: reminders, and whether the game can be claimed.
fn turns(clocks: &Clocks, queued: &Queued) -> Vec<Difference> {
    let reminded = clocks.running().map(|_| clocks.turn_event());
    let claimable = clocks.idle_end().map(|_| clocks.turn_event());
    let reminders =
        queued.reminders.iter().map(|&event| difference("reminder.event", Some(event), reminded));
    let claim =
        queued.claim_event.map(|event| difference("game.claim_event", Some(event), claimable));
    reminders.chain(claim).flatten().collect()
}

/// Compares what the computer players of a game must do, and checks what else is to be done.
fn job(db: &Db, stored: &StoredGame) -> Result<Vec<Difference>, Error> {
    let of = GamePlayers::of(stored);
    let is_with_bot = stored.sides().into_iter().any(|side| side.bot().is_some());
    let expected = if is_with_bot { jobs::next(&of) } else { None };
    let (of_bots, asked): (Vec<_>, Vec<_>) = db
        .jobs_of(stored.id)?
        .into_iter()
        .partition(|job| !matches!(job.kind, Some(JobKind::Hint | JobKind::Analysis)));
    let word = |kind: Option<JobKind>| kind.map(JobKind::word);
    let expected_rank = expected.map(|job| job.rank.number());
    let expected = expected.map(|job| job.kind);
    let kind = of_bots.first().and_then(|job| job.kind);
    let mut found: Vec<_> =
        difference("job.kind", word(kind), word(expected)).into_iter().collect();
    let event = of_bots.first().map(|job| job.event);
    let right = expected.map(|_| stored.game.position_event());
    found.extend(difference("job.event", event, right).filter(|_| event.is_some()));
    let rank = of_bots.first().map(|job| job.rank);
    found.extend(difference("job.rank", rank, expected_rank).filter(|_| rank.is_some()));
    let asked_rank = Some(JobRank::Asked.number());
    let ranks = asked.iter().map(|job| Some(job.rank));
    found.extend(ranks.filter_map(|rank| difference("job.rank", rank, asked_rank)));
    let last = stored.game.events().len();
    let beyond = asked.iter().filter(|job| job.event > last);
    found.extend(beyond.filter_map(|job| difference("job.event", Some(job.event), Some(last))));
    Ok(found)
}

/// Checks the rows that refer to a moment of the game.
fn references(
    db: &Db,
    stored: &StoredGame,
    digests: &[(i64, Moment)],
) -> Result<Vec<Fault>, Error> {
    let game = &stored.game;
    let mut faults = Vec::new();
    let mails = db.mailed_moments(stored.id)?;
    let mails = mails.iter().map(|moment| ("outbox", moment));
    for (table, (mail, at)) in mails.chain(digests.iter().map(|moment| ("digest_game", moment))) {
        let what = format!("mail {mail} about game {}", stored.id);
        let wrong = match plies(game, at.events) {
            Some(plies) => difference(&format!("{table}.ply"), Some(at.ply), Some(plies)),
            None => {
                let last = Some(game.events().len());
                difference(&format!("{table}.events"), Some(at.events), last)
            }
        };
        faults.extend(wrong.map(|wrong| Fault::of_value(Some(stored.id), &what, wrong)));
    }
    match db.plans(stored.id) {
        Ok(plans) => {
            for StoredPlan { event, .. } in plans {
                if event > game.events().len() {
                    let problem = format!("a plan is for event {event}, which has not happened");
                    faults.push(Fault::of_game(stored.id, "plan.event", problem));
                }
            }
        }
        Err(error) => faults.push(Fault::of_game(stored.id, "plan", error.to_string())),
    }
    if let Err(error) = db.analysis(stored.id) {
        faults.push(Fault::of_game(stored.id, "analysis_ply", error.to_string()));
    } else if let Some(analyzed) = db.analyzed_choices(stored.id)? {
        let what = format!("the analysis of game {}", stored.id);
        let expected = game.plies().len();
        let wrong = difference("analysis_ply.ply", Some(analyzed.len()), Some(expected));
        faults.extend(wrong.map(|wrong| Fault::of_value(Some(stored.id), &what, wrong)));
        for (number, &(ply, choices)) in (1..).zip(&analyzed) {
            let wrong = difference("analysis_ply.ply", Some(ply), Some(number));
            let wrong = wrong.or_else(|| {
                let before = game.at(number - 1)?;
                let legal = before.position().placements().len().max(1);
                difference("analysis_ply.choices", Some(choices), Some(legal))
            });
            faults.extend(wrong.map(|wrong| Fault::of_value(Some(stored.id), &what, wrong)));
        }
    }
    Ok(faults)
}

/// Returns how many moves the game had after so many events; `None` if it has fewer events.
fn plies(game: &Game, events: usize) -> Option<usize> {
    if events > game.events().len() {
        return None;
    }
    if game.taken_back().is_empty() {
        return Some(game.plies().partition_point(|ply| ply.event <= events));
    }
    game.after(events).map(|earlier| earlier.plies().len())
}

/// Compares the comments with what was said.
fn comments(db: &Db, stored: &StoredGame) -> Result<Vec<Fault>, Error> {
    let mut faults = Vec::new();
    for CommentRow { event, reader, said_at } in db.comments_in(stored.id)? {
        let said = event
            .checked_sub(1)
            .and_then(|event| Some((stored.game.events().get(event)?, *stored.times.get(event)?)));
        let what = format!("comment {event} of game {}", stored.id);
        let Some((said, at)) = said.filter(|(it, _)| matches!(it.action, Action::Say(_))) else {
            let problem = format!("event {event} is not a comment");
            faults.push(Fault::of_game(stored.id, "comment.event", problem));
            continue;
        };
        let expected = said.by.and_then(|by| stored.player(!by)).map(|player| player.id.0);
        let wrong = difference("comment.reader", Some(reader.0), expected).or_else(|| {
            difference("comment.said_at", Some(json_time(said_at)), Some(json_time(at)))
        });
        faults.extend(wrong.map(|wrong| Fault::of_value(Some(stored.id), &what, wrong)));
    }
    Ok(faults)
}
