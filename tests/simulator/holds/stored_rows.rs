//! What stays as it was stored: migrations/schema.sql.

use super::{Change, each_holds};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// What can change of a game; all else of its row is settled when it begins.
const OF_GAMES: [&str; 17] = [
    "ply",
    "events",
    "position_event",
    "turn",
    "to_move",
    "to_wait",
    "since",
    "black_discs",
    "white_discs",
    "winner",
    "reason",
    "deadline",
    "alarm_at",
    "offer_event",
    "paused",
    "claim_event",
    "alarm_error",
];

/// What stays of a mail from when it was queued.
const OF_QUEUED: [&str; 8] =
    ["kind", "player", "address", "occasion", "challenge", "caused_by", "mark", "created_at"];

/// What stays of a mail from its first try on.
const OF_TRIED: [&str; 9] =
    ["message_id", "game", "ply", "events", "text", "suggested", "says_turn", "shown", "is_reply"];

/// What stays of the record of an incoming mail.
const OF_RECEIVED: [&str; 6] =
    ["received_at", "player", "sender", "understood", "disposition", "why"];

/// What a player has joined stays, and so does what the start and a withdrawal have settled.
const OF_ENTRANTS: [&str; 4] = ["joined_at", "division", "number", "withdrawn"];

/// What was stored once and cannot change stays as it was.
pub fn rows_stay_as_they_were(change: &Change) -> Result<(), Violation> {
    if change.words.is_empty() {
        return Ok(());
    }
    each_holds(
        change,
        &[
            ("games_begin_now", games_begin_now),
            ("games_keep_their_terms", games_keep_their_terms),
            ("events_stay", events_stay),
            ("comments_stay", comments_stay),
            ("queued_mails_stay", queued_mails_stay),
            ("tried_mails_stay", tried_mails_stay),
            ("records_of_mails_stay", records_of_mails_stay),
            ("entrants_stay", entrants_stay),
            ("entrants_are_numbered", entrants_are_numbered),
            ("byes_are_of_the_new_round", byes_are_of_the_new_round),
            ("challenges_and_players_stay", challenges_and_players_stay),
        ],
    )
}

/// Returns which of these columns of a row has another value than before, with both values.
fn changed_column(change: &Change, table: &str, id: i64, columns: &[&str]) -> Option<String> {
    let value = |tables: &Tables, column: &str| {
        let row = tables.columns_of(table, id, [column]).next()?;
        Some(row[0].map(str::to_owned))
    };
    columns.iter().find_map(|column| {
        let (was, is) = (value(change.before, column)?, value(change.after, column)?);
        // An address of somebody who has left is cut out of a text.
        let is_cut = is.as_deref().is_some_and(|it| it.contains("..."));
        (was != is && !is_cut).then(|| format!("{column} of {table} {id} was {was:?}, is {is:?}"))
    })
}

/// Returns an error if there is something wrong.
fn none(wrong: Option<String>) -> Result<(), String> {
    wrong.map_or(Ok(()), Err)
}

/// A game begins now. Its mails refer to those of its challenge, which has its mark, or to the game itself. An imported
/// game began when its record says.
fn games_begin_now(change: &Change) -> Result<(), String> {
    let now = change.now.timestamp();
    for id in change.after.added("game", change.before) {
        let columns = ["thread", "mark", "created_at", "digest"];
        let row = change.after.columns_of("game", id, columns).next();
        let Some([thread, mark, at, imported]) = row else { continue };
        let challenge = change.after.columns_of("challenge", id, ["thread", "mark"]).next();
        let is_its_own = thread.is_some_and(|it| it.starts_with(&format!("game-{id}.")));
        let is_right = match challenge {
            Some([of_its_mails, its_mark]) => {
                of_its_mails == thread && (its_mark.is_none() || its_mark == mark)
            }
            None => is_its_own,
        };
        if !is_right || imported.is_none() && number(at) != Some(now) {
            return Err(format!("game {id} of {at:?} at {now}: {thread:?}, {mark:?}"));
        }
    }
    Ok(())
}

fn games_keep_their_terms(change: &Change) -> Result<(), String> {
    for id in change.after.changed(change.before, "game") {
        let row = |tables: &Tables| {
            let rows = tables.rows_with("game", "id", &id.to_string());
            let row = rows.into_iter().next().unwrap_or_default();
            let row = row.into_iter().filter(|(name, _)| !OF_GAMES.contains(name));
            row.map(|(name, value)| format!("{name}: {value:?}")).collect::<Vec<_>>()
        };
        let (was, is) = (row(change.before), row(change.after));
        if was.is_empty() {
            continue;
        }
        if is.is_empty() {
            return Err(format!("game {id} is gone"));
        }
        if let Some((was, is)) = was.iter().zip(&is).find(|(was, is)| was != is) {
            return Err(format!("{was} of game {id} is {is}"));
        }
    }
    Ok(())
}

/// The events of a log stay, but for the words of the notes of one who leaves.
fn events_stay(change: &Change) -> Result<(), String> {
    let columns = ["number", "at", "author", "turn_starts_at", "action"];
    for id in change.after.changed(change.before, "event") {
        let before = change.before.columns_of("event", id, columns);
        let mut after = change.after.columns_of("event", id, columns);
        for was in before {
            let is = after.next();
            let is_same = is.is_some_and(|is| {
                is[..4] == was[..4] && (is[4] == was[4] || is[4] == Some("note (erased)"))
            });
            if !is_same {
                return Err(format!("{was:?} of game {id} is {is:?}"));
            }
        }
    }
    Ok(())
}

/// Who reads a comment, and when it was said, stays.
fn comments_stay(change: &Change) -> Result<(), String> {
    let columns = ["event", "reader", "said_at", "at_once"];
    for id in change.after.changed(change.before, "comment") {
        let after: Vec<_> = change.after.columns_of("comment", id, columns).collect();
        let mut before = change.before.columns_of("comment", id, columns);
        if let Some(was) = before.find(|was| !after.contains(was)) {
            return Err(format!("{was:?} of game {id} is gone: {after:?}"));
        }
    }
    Ok(())
}

/// What a mail is for, who has caused it and when it was queued stays. A time that a clock has set that was ahead is
/// corrected.
fn queued_mails_stay(change: &Change) -> Result<(), String> {
    let now = change.now.timestamp();
    let wrong = change.after.changed(change.before, "outbox").into_iter().find_map(|id| {
        let [at] = change.before.columns_of("outbox", id, ["created_at"]).next()?;
        let is_ahead = number(at).is_none_or(|at| at > now);
        let columns = &OF_QUEUED[..OF_QUEUED.len() - usize::from(is_ahead)];
        changed_column(change, "outbox", id, columns)
    });
    none(wrong)
}

/// The first try of a mail fixes what it says.
fn tried_mails_stay(change: &Change) -> Result<(), String> {
    let tried_at = |tables: &Tables, id| {
        let row = tables.columns_of("outbox", id, ["first_try_at"]).next();
        row.and_then(|[at]| number(at))
    };
    let wrong = change.after.changed(change.before, "outbox").into_iter().find_map(|id| {
        let (was, is) = (tried_at(change.before, id)?, tried_at(change.after, id)?);
        // A try that was given back is no first try any more.
        let is_same = was == is && is < change.now.timestamp();
        is_same.then(|| changed_column(change, "outbox", id, &OF_TRIED))?
    });
    none(wrong)
}

/// The record of an incoming mail stays. The number of one that is deleted can come again in the same second.
fn records_of_mails_stay(change: &Change) -> Result<(), String> {
    let now = change.now.timestamp();
    let wrong = change.after.changed(change.before, "received").into_iter().find_map(|id| {
        let at = |tables: &Tables| {
            let row = tables.columns_of("received", id, ["received_at"]).next()?;
            number(row[0])
        };
        let is_old = at(change.before)? < now && at(change.after)? < now;
        is_old.then(|| changed_column(change, "received", id, &OF_RECEIVED))?
    });
    none(wrong)
}

/// What is known of an entrant stays until the season ends, but one can leave a season that has not begun.
fn entrants_stay(change: &Change) -> Result<(), String> {
    let columns = ["season", "player", "joined_at", "division", "number", "withdrawn"];
    for id in change.after.changed(change.before, "entrant") {
        let after: Vec<_> = change.after.columns_of("entrant", id, columns).collect();
        for was in change.before.columns_of("entrant", id, columns) {
            let Some(is) = after.iter().find(|is| is[..2] == was[..2]) else { continue };
            let stays = |at: usize| was[at].is_none() || was[at] == is[at];
            // Who joins again in one step has done so now.
            let has_joined = was[3].is_none() && number(is[2]) == Some(change.now.timestamp());
            let has_changed = (2..6).find(|at| !stays(*at)).filter(|_| !has_joined);
            if let Some(at) = has_changed {
                let what = OF_ENTRANTS[at - 2];
                return Err(format!("{what} of {was:?} in tournament {id} is {:?}", is[at]));
            }
        }
    }
    Ok(())
}

/// The players of each division are numbered from 1, and so are the divisions of a season.
fn entrants_are_numbered(change: &Change) -> Result<(), String> {
    let columns = ["season", "division", "number"];
    for id in change.after.changed(change.before, "entrant") {
        let rows = change.after.columns_of("entrant", id, columns).map(|row| row.map(number));
        let mut places: Vec<_> = rows.filter(|row| row[1].is_some() || row[2].is_some()).collect();
        places.sort_unstable();
        let follows = |pair: &[[Option<i64>; 3]]| {
            let [[season, division, place], [next_season, next_division, next]] =
                [pair[0], pair[1]];
            let after = |it: Option<i64>| it.map(|it| it + 1);
            match (season == next_season, division == next_division) {
                (true, true) => next == after(place),
                (true, false) => next_division == after(division) && next == Some(1),
                (false, _) => next_division == Some(1) && next == Some(1),
            }
        };
        let begins = places.first().is_none_or(|it| it[1..] == [Some(1); 2]);
        if !begins || !places.windows(2).all(follows) {
            return Err(format!("the places in tournament {id} are {places:?}"));
        }
    }
    Ok(())
}

/// Who has no opponent in the round of a Swiss that begins plays no game of that round.
fn byes_are_of_the_new_round(change: &Change) -> Result<(), String> {
    let rounds = |tables: &Tables, id| -> Vec<_> {
        let rows = tables.columns_of("pairing", id, ["round", "black", "white"]);
        rows.map(|row| row.map(number)).collect()
    };
    for id in change.after.changed(change.before, "entrant") {
        let (before, after) = (rounds(change.before, id), rounds(change.after, id));
        let columns = ["season", "player", "bye"];
        let known: Vec<_> = change.before.columns_of("entrant", id, columns).collect();
        for row in change.after.columns_of("entrant", id, columns) {
            let [_, player, bye] = row.map(number);
            if bye.is_none() || known.contains(&row) {
                continue;
            }
            let plays = |it: &[Option<i64>; 3]| it[0] == bye && it[1..].contains(&player);
            let last = after.iter().map(|it| it[0]).max().flatten();
            let is_last = last == bye || before.len() == after.len();
            if after.iter().any(plays) || !is_last {
                return Err(format!("{row:?} in tournament {id}, whose games are {after:?}"));
            }
        }
    }
    Ok(())
}

/// When somebody has signed up or challenged somebody stays, and so does what a challenge is about.
fn challenges_and_players_stay(change: &Change) -> Result<(), String> {
    for (table, columns) in [
        ("player", &["created_at"][..]),
        ("challenge", &["created_at", "thread", "mark", "moves", "rated", "opening"]),
        ("tournament", &["created_at", "mark", "format", "doubled", "places", "opening"]),
    ] {
        let mut changed = change.after.changed(change.before, table).into_iter();
        none(changed.find_map(|id| changed_column(change, table, id, columns)))?;
    }
    Ok(())
}
