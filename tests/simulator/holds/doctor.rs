//! What `doctor` finds, compared with what stands in the tables.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::violated;
use crate::simulator::process::Ran;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

const HOUR: i64 = 3_600;

/// What a check finds: its outcome, and words that it must say.
struct Expected {
    check: &'static str,
    outcome: &'static str,
    words: Vec<String>,
}

/// `doctor` says how long mail has waited, which mail failed, who gets none, which work failed, whether mail comes in,
/// and when `send` last ran, with the bounds of docs/operating.md. Its exit status is that of the worst line.
pub fn doctor_says_what_stands(
    tables: &Tables,
    now: DateTime<Utc>,
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "doctor_says_what_stands";
    let shown = ran.shown();
    let checks = shown["checks"].as_array().map_or(&[][..], Vec::as_slice);
    let expected = [
        Some(outbox(tables, now.timestamp())),
        Some(failed(tables, now.timestamp())),
        Some(paused(tables)),
        Some(work(tables)),
        Some(arrivals(tables, now.timestamp())),
        send(tables, now.timestamp()),
    ];
    for Expected { check, outcome, words } in expected.into_iter().flatten() {
        let found = checks.iter().find(|it| it["check"] == check);
        let text = found.and_then(|it| it["found"].as_str()).unwrap_or_default();
        let has_advice = outcome == "ok" || found.is_some_and(|it| it["do"].is_string());
        let is_right = found.is_some_and(|it| it["outcome"] == outcome) && has_advice;
        if !is_right || !words.iter().all(|word| text.contains(&**word)) {
            let found = format!("{check}: {found:?}, and not {outcome} with {words:?}");
            return violated(OF, found);
        }
    }
    let rank = |outcome: &Value| match outcome.as_str() {
        Some("ok") => 0,
        Some("warning") => 1,
        _ => 3,
    };
    let worst = checks.iter().map(|it| rank(&it["outcome"])).max().unwrap_or(3);
    if rank(&shown["outcome"]) != worst || ran.status != worst {
        return violated(OF, format!("the status is {}, and should be {worst}", ran.status));
    }
    Ok(())
}

fn judged(value: i64, good: i64, warning: i64) -> &'static str {
    match value {
        _ if value > warning => "wrong",
        _ if value > good => "warning",
        _ => "ok",
    }
}

/// How long the oldest mail has waited that should have been sent.
fn outbox(tables: &Tables, now: i64) -> Expected {
    let columns = ["state", "bounced_at", "tries", "first_try_at", "created_at", "due_at", "id"];
    let waiting = tables.columns("outbox", columns).filter_map(
        |[state, bounced_at, tries, first_try_at, created_at, due_at, id]| {
            if state != Some("queued") || bounced_at.is_some() {
                return None;
            }
            let since = match number(tries) {
                Some(1..) => number(first_try_at).or(number(created_at)),
                _ => number(due_at).filter(|at| *at <= now),
            };
            Some((since?, number(id)?))
        },
    );
    match waiting.min() {
        None => Expected { check: "outbox", outcome: "ok", words: Vec::new() },
        Some((since, id)) => Expected {
            check: "outbox",
            outcome: judged(now - since, HOUR, DAY),
            words: vec![format!("oldest mail, {id},")],
        },
    }
}

/// Mails first tried within two weeks that failed.
fn failed(tables: &Tables, now: i64) -> Expected {
    let rows = tables.columns("outbox", ["state", "first_try_at", "created_at", "id"]);
    let failed = rows.filter_map(|[state, first_try_at, created_at, id]| {
        let at = number(first_try_at).or(number(created_at))?;
        (state == Some("failed") && at >= now - 14 * DAY).then(|| number(id)).flatten()
    });
    let failed: Vec<_> = failed.collect();
    let mut words = Vec::new();
    if let Some(last) = failed.iter().max() {
        let mails = if failed.len() == 1 { "mail" } else { "mails" };
        words = vec![format!("{} {mails} of", failed.len()), format!("the last one, {last}:")];
    }
    Expected { check: "failed mail", outcome: warns(!failed.is_empty()), words }
}

/// The players whose mail is held back.
fn paused(tables: &Tables) -> Expected {
    let rows = tables.columns("player", ["name", "paused_at", "left_at"]);
    let paused = rows.filter(|[_, paused_at, left_at]| paused_at.is_some() && left_at.is_none());
    let words: Vec<_> = paused.filter_map(|[name, ..]| name.map(str::to_owned)).collect();
    Expected { check: "paused mail", outcome: warns(!words.is_empty()), words }
}

/// Jobs and deadlines that failed.
fn work(tables: &Tables) -> Expected {
    let jobs = tables.columns("job", ["last_error"]);
    let failed = jobs.chain(tables.columns("game", ["alarm_error"]));
    let count = failed.filter(|[error]| error.is_some()).count();
    let words = if count > 0 { vec![format!("{count} job")] } else { Vec::new() };
    Expected { check: "jobs", outcome: warns(count > 0), words }
}

/// Whether no mail has come in for a week.
fn arrivals(tables: &Tables, now: i64) -> Expected {
    let rows = tables.columns("intake", ["disposition", "last_at"]);
    let came = rows.filter(|[disposition, _]| *disposition != Some("unanswered"));
    let last = came.filter_map(|[_, at]| number(at)).max();
    let installed = tables.columns("installation", ["created_at"]).next();
    let since = last.or(installed.and_then(|[at]| number(at))).unwrap_or(now);
    Expected { check: "receive", outcome: warns(now - since > 7 * DAY), words: Vec::new() }
}

/// When `send` last ran, if something waits for it; `None` if that is not sure.
fn send(tables: &Tables, now: i64) -> Option<Expected> {
    let last = tables.columns("installation", ["deadlines_checked_at"]).next();
    let outcome = judged(now - last.and_then(|[at]| number(at))?, 2 * HOUR, DAY);
    let mut mails = tables.columns("outbox", ["state"]);
    let mut games = tables.columns("game", ["turn", "clock"]);
    let is_needed = mails.any(|[state]| state == Some("queued"))
        || tables.columns("job", ["id"]).next().is_some()
        || games.any(|[turn, clock]| turn.is_some() && clock != Some("none"));
    let words = if outcome == "ok" { "" } else { "something waits for it" };
    (is_needed || outcome == "ok").then(|| Expected {
        check: "send",
        outcome,
        words: vec![words.to_owned()],
    })
}

const fn warns(is_wrong: bool) -> &'static str {
    if is_wrong { "warning" } else { "ok" }
}
