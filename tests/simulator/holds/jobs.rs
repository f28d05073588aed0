//! What holds of the jobs of computer players, and of hints and analyses.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::Tables;

/// How many hints and analyses of a player can be queued.
const MAX_ASKED: usize = 2;

type Job<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// A game in which a computer player must move or answer an offer of a draw has one job for it, which names the
/// position and the person; other games have none.
pub fn computer_players_have_their_jobs(change: &Change) -> Result<(), Violation> {
    const OF: &str = "computer_players_have_their_jobs";
    let tables = change.after;
    if tables.is_same(change.before, "job") && tables.is_same(change.before, "game") {
        return Ok(());
    }
    let mut stored: BTreeMap<&str, Job> = BTreeMap::new();
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for [kind, game, event, player] in tables.columns("job", ["kind", "game", "event", "player"]) {
        let (kind, game) = (kind.unwrap_or_default(), game.unwrap_or_default());
        if matches!(kind, "hint" | "analysis") {
            *asked.entry(player.unwrap_or_default()).or_default() += 1;
        } else if stored.insert(game, (kind, event, player)).is_some() {
            return violated(OF, format!("game {game} has two jobs"));
        }
    }
    let expected = expected(tables);
    if stored != expected {
        let differs = stored.iter().find(|(game, job)| expected.get(*game) != Some(*job));
        let missing = expected.iter().find(|(game, job)| stored.get(*game) != Some(*job));
        return violated(OF, format!("there is {differs:?}, and should be {missing:?}"));
    }
    match asked.iter().find(|(_, count)| **count > MAX_ASKED) {
        Some(found) => violated(OF, format!("a player has asked for so many things: {found:?}")),
        None => Ok(()),
    }
}

/// Returns the jobs that computer players must have, by game.
fn expected(tables: &Tables) -> BTreeMap<&str, Job<'_>> {
    let names = ["id", "black", "white", "turn", "offer_event", "position_event"];
    let job = |[id, black, white, turn, offer_event, position_event]: [Option<_>; 6]| {
        let (id, turn, person) = (id?, turn?, black.or(white));
        if black.is_some() && white.is_some() {
            return None;
        }
        let offer = offer_event.and_then(|it: &str| it.parse::<usize>().ok());
        let offer = offer.and_then(|event| {
            let mut log = tables.columns_of("event", id.parse().ok()?, ["author", "action"]);
            log.nth(event - 1)
        });
        let is_bot = |color| if color == "black" { black.is_none() } else { white.is_none() };
        let kind = match offer {
            Some([author, Some("offer draw")])
                if is_bot(if author == Some("b") { "white" } else { "black" }) =>
            {
                "answer"
            }
            _ if is_bot(turn) => "move",
            _ => return None,
        };
        Some((id, (kind, position_event, person)))
    };
    tables.columns("game", names).filter_map(job).collect()
}

/// After `send`, no job is left that was due and that no other process has claimed.
pub fn send_does_all_jobs(tables: &Tables, now: DateTime<Utc>) -> Result<(), Violation> {
    let names = ["kind", "game", "due_at", "lease_until", "last_error"];
    let left = tables.columns("job", names).find(|[_, _, due_at, lease_until, _]| {
        let is_past = |at: &Option<&str>| {
            at.and_then(|at| at.parse().ok()).is_some_and(|at: i64| at <= now.timestamp())
        };
        is_past(due_at) && is_past(lease_until)
    });
    left.map_or(Ok(()), |left| violated("send_does_all_jobs", format!("{left:?} was left")))
}

/// When some days have passed, no job is left.
pub fn no_job_waits_for_ever(tables: &Tables) -> Result<(), Violation> {
    let left = tables.columns("job", ["kind", "game", "failures", "last_error"]).next();
    left.map_or(Ok(()), |left| violated("no_job_waits_for_ever", format!("{left:?} is left")))
}
