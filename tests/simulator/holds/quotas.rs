//! What holds of the mails that somebody else causes, and of the records that are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, violated};
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How far a clock is set back: times within it say nothing about an order.
const SET_BACK: i64 = 2 * 3_600;

/// The most mails to a mailbox in a day that unverified mail causes.
const MAX_UNVERIFIED: usize = 3;
/// The most mails to a player in a day that another one causes.
const MAX_BETWEEN_PLAYERS: usize = 5;

/// The ends of the Message-IDs of mails that nobody has verified.
pub(super) const UNVERIFIED: [&str; 2] = [".letter@programs.example", ".forged@programs.example"];

/// Returns a mailbox without what is behind a `+`.
pub fn mailbox(address: &str) -> String {
    let address = address.to_lowercase();
    match address.split_once('@') {
        Some((local, domain)) => {
            let local = local.split('+').next().unwrap_or_default();
            format!("{local}@{domain}")
        }
        None => address,
    }
}

/// Unverified mail causes three mails a day to a mailbox at most: answers, questions and warnings.
pub fn forged_mail_causes_few_mails(change: &Change) -> Result<(), Violation> {
    if change.incoming.is_none() || change.before.0.get("outbox") == change.after.0.get("outbox") {
        return Ok(());
    }
    // Records of the day before may be gone when the clock is set back.
    let since = change.now.timestamp() - DAY + SET_BACK;
    let mut counts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // Mails that were queued for an earlier address count there.
    let mut mailboxes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for [player, to] in change.after.columns("outbox", ["player", "sent_to"]) {
        if let (Some(player), Some(to)) = (player, to) {
            mailboxes.entry(player).or_default().insert(mailbox(to));
        }
    }
    let has_moved = |player| mailboxes.get(player).is_some_and(|mailboxes| mailboxes.len() > 1);
    let has_verified = |player: Option<&str>| {
        let mut held = change.after.columns("held", ["player", "is_verified", "created_at"]);
        held.any(|[it, is_verified, at]| {
            it.is_some() && it == player && is_verified == Some("1") && number(at) > Some(since)
        })
    };
    let columns = ["kind", "sent_to", "in_reply_to", "created_at", "player"];
    for [kind, to, in_reply_to, created_at, player] in change.after.columns("outbox", columns) {
        if player.is_some_and(has_moved) {
            continue;
        }
        let is_recent =
            number(created_at).is_some_and(|at| at > since && at <= change.now.timestamp());
        // A question about verified mail can be asked again with that of the unverified mail.
        let is_verified = kind == Some("confirm") && has_verified(player);
        let is_caused = kind == Some("mismatch")
            || in_reply_to.is_some_and(|id| UNVERIFIED.iter().any(|end| id.ends_with(end)));
        if let (true, true, false, Some(to)) = (is_recent, is_caused, is_verified, to) {
            let what = format!("{kind:?} {in_reply_to:?} {created_at:?}");
            counts.entry(mailbox(to)).or_default().push(what);
        }
    }
    match counts.into_iter().find(|(_, kinds)| kinds.len() > MAX_UNVERIFIED) {
        Some((to, kinds)) => violated("forged_mail_causes_few_mails", format!("{kinds:?} to {to}")),
        None => Ok(()),
    }
}

/// A player with whom no game is under way causes five mails a day at most to another one: about challenges, and
/// offers and words after the end of a game.
pub fn players_cause_few_mails(change: &Change) -> Result<(), Violation> {
    if change.accepted.len() == change.accepted_before {
        return Ok(());
    }
    let since = change.now.timestamp() - DAY;
    let games: Vec<_> =
        change.after.columns("game", ["black", "white", "turn", "created_at", "since"]).collect();
    let played_together = |pair: [&str; 2], at: Option<i64>| {
        games.iter().any(|[black, white, turn, begun, ended]| {
            let is_theirs = [*black, *white].iter().flatten().all(|it| pair.contains(it));
            is_theirs
                && black.is_some()
                && white.is_some()
                && number(*begun).zip(at).is_some_and(|(begun, at)| begun <= at + SET_BACK)
                && (turn.is_some()
                    || number(*ended).zip(at).is_some_and(|(ended, at)| at <= ended + SET_BACK))
        })
    };
    let challenges: BTreeMap<_, _> = change
        .after
        .columns("challenge", ["id", "challenger", "opponent", "state", "closed_at", "created_at"])
        .map(|[id, challenger, opponent, state, closed_at, created_at]| {
            // That one has expired is nobody's doing.
            let closed_at = closed_at.filter(|_| state != Some("expired"));
            (id, ([challenger, opponent], [created_at, closed_at]))
        })
        .collect();
    let mut counts: BTreeMap<[&str; 2], Vec<String>> = BTreeMap::new();
    let (mut asked, mut asked_again) = (BTreeSet::new(), BTreeSet::new());
    let columns =
        ["kind", "player", "challenge", "caused_by", "first_try_at", "created_at", "text"];
    for [kind, player, challenge, caused_by, tried_at, created_at, text] in
        change.after.columns("outbox", columns)
    {
        let is_recent =
            number(tried_at).is_some_and(|at| at > since && at <= change.now.timestamp());
        // The other person of a challenge, whom the mail is about.
        let other = challenges.get(&challenge).and_then(|(pair, times)| {
            // Those that wait are all mailed again to a new address, or after a pause.
            let is_question = text.is_some_and(|text| text.contains(" challenges you "));
            let is_again = is_question
                && (!asked.insert(challenge) || asked_again.contains(&(player, created_at)));
            if is_again {
                asked_again.insert((player, created_at));
            }
            let [begun, closed] = *times;
            let news_at = if is_question { begun } else { closed };
            let is_news = kind == Some("challenge") && created_at == news_at && !is_again;
            pair.iter().copied().find(|it| *it != player).flatten().filter(|_| is_news)
        });
        let by = caused_by.or(other);
        if let (true, Some(player), Some(by)) = (is_recent, player, by)
            && !played_together([player, by], number(created_at))
        {
            let what = format!("{kind:?} {challenge:?} {caused_by:?} {tried_at:?} {text:?}");
            counts.entry([player, by]).or_default().push(what);
        }
    }
    match counts.into_iter().find(|(_, mails)| mails.len() > MAX_BETWEEN_PLAYERS) {
        Some((pair, mails)) => {
            violated("players_cause_few_mails", format!("{mails:?} to and by {pair:?}"))
        }
        None => Ok(()),
    }
}

/// The most mails to a player in a day about offers in a game, and about the absences of another player; that of the
/// next day is one of them.
const MAX_NOTICES: [(&str, usize); 2] = [("offers", 5), ("absences", 3)];

/// A player gets a few mails a day about offers in one game, and about the absences of one player.
pub fn notices_are_few(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    if change.accepted.len() == change.accepted_before || change.words.is_empty() {
        return Ok(());
    }
    let mut counts: BTreeMap<[Option<&str>; 2], [usize; 2]> = BTreeMap::new();
    let names = ["occasion", "player", "game", "kind", "first_try_at", "state", "events"];
    for [occasion, player, game, kind, tried_at, state, event] in
        change.after.columns("outbox", names)
    {
        let is_recent = number(tried_at).is_some_and(|at| at > now - DAY && at <= now);
        if kind != Some("notice") || state != Some("sent") || !is_recent {
            continue;
        }
        let is_answer = occasion == Some("answer");
        // Whose offer is accepted, or whose pause ends, is told of it in any case. After the end of a game, the limit
        // for all that an opponent causes holds.
        if is_answer && !is_decline(change.after, number(game), number(event))
            || is_after_end(change.after, number(game), number(event))
        {
            continue;
        }
        if let Some((what, of)) = limited([occasion, player, game]) {
            counts.entry(of).or_default()[what] += 1;
        }
    }
    for (key, found) in counts {
        for (at, (what, most)) in MAX_NOTICES.iter().enumerate() {
            if found[at] > *most {
                let found = format!("{} mails about {what} in a day: {key:?}", found[at]);
                return violated("notices_are_few", found);
            }
        }
    }
    Ok(())
}

/// Returns which limit of [`MAX_NOTICES`] a notice of an occasion, to a player in a game, counts for, and with whom
/// else: with those to the player about the same game, or about the same opponent.
fn limited([occasion, player, game]: [Option<&str>; 3]) -> Option<(usize, [Option<&str>; 2])> {
    let words = occasion?;
    let (word, about) = words.split_once(' ').unwrap_or((words, ""));
    match word {
        "offer" | "answer" => Some((0, [player, game])),
        "away" | "absence" | "absences" => Some((1, [player, Some(about)])),
        _ => None,
    }
}

/// A notice about an offer or an absence waits for the next day only if its reader has had as many as there may be in a
/// day, or if they wait.
pub fn notices_wait_if_there_were_many(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    let names = ["occasion", "player", "game", "first_try_at", "state"];
    for id in change.after.added("outbox", change.before) {
        let all = ["occasion", "player", "game", "not_before", "events", "kind"];
        let row = change.after.columns_of("outbox", id, all).next();
        let Some([occasion, player, game, not_before, _, Some("notice")]) = row else {
            continue;
        };
        let Some(limit) = limited([occasion, player, game]) else { continue };
        // After its end, a game has the limit for all that an opponent causes.
        let is_active = |game| {
            let turn = change.after.columns_of("game", game, ["turn"]).next();
            turn.is_some_and(|[turn]| turn.is_some())
        };
        let is_held = number(not_before) > Some(now);
        if !is_held || number(game).is_some_and(|game| !is_active(game)) {
            continue;
        }
        // That an offer is accepted, or a pause ends, comes in any case; that an offer ends comes at once or never.
        if occasion == Some("answer") {
            let found = format!("mail {id} about an answer waits until {not_before:?}");
            return violated("notices_wait_if_there_were_many", found);
        }
        let before = change.before.columns("outbox", names);
        let others = before.filter(|&[occasion, player, game, tried_at, state]| {
            limited([occasion, player, game]) == Some(limit)
                && match number(tried_at) {
                    Some(at) => at > now - DAY,
                    None => matches!(state, Some("queued" | "paused")),
                }
        });
        let (what, most) = MAX_NOTICES[limit.0];
        let others = others.count();
        if others < most {
            let found = format!("mail {id} about {what} waits until {not_before:?} after {others}");
            return violated("notices_wait_if_there_were_many", found);
        }
    }
    Ok(())
}

/// News that a mail of another day gathers are by somebody with whom its reader plays no game.
pub fn news_of_opponents_are_not_gathered(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    if change.words.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    let play_together = |tables: &Tables, pair: [Option<&str>; 2]| {
        let mut games = tables.columns("game", ["turn", "to_move", "to_wait"]);
        games.any(|[turn, one, other]| {
            turn.is_some() && ([one, other] == pair || [other, one] == pair)
        })
    };
    for id in change.after.new_rows("outbox", change.before) {
        let columns = ["player", "occasion", "text", "first_try_at", "not_before"];
        let [was, is] =
            [change.before, change.after].map(|it| it.columns_of("outbox", id, columns).next());
        let Some([player, Some(occasion), text, None, not_before]) = is else { continue };
        let Some(by) = occasion.strip_prefix("gathered ") else { continue };
        let has_more = was.is_none_or(|was| {
            was[2].map_or(0, str::len) < text.map_or(0, str::len) && was[0] == player
        });
        let waits = number(not_before).is_none_or(|at| at > now);
        let plays = |tables| play_together(tables, [player, Some(by)]);
        if has_more && waits && plays(change.before) && plays(change.after) {
            let found = format!("{text:?} for player {player:?} by {by}, {:?}", change.words);
            return violated("news_of_opponents_are_not_gathered", found);
        }
    }
    Ok(())
}

/// A no to a question about unverified mail is remembered for 30 days, and until then no new address is asked there.
pub fn refusals_count_for_a_month(change: &Change) -> Result<(), Violation> {
    const OF: &str = "refusals_count_for_a_month";
    let since = change.now.timestamp() - 30 * DAY;
    if change.words.is_empty() {
        return Ok(());
    }
    let refused: Vec<_> = change
        .before
        .columns("refusal", ["mailbox", "refused_at"])
        .filter_map(|[it, at]| Some((it?, number(at).filter(|at| *at > since)?)))
        .collect();
    // Who leaves or is removed is forgotten, when the farewell was sent.
    let left = |tables: &Tables| tables.columns("player", ["left_at"]).flatten().flatten().count();
    let farewells = |tables: &Tables| {
        tables.columns("outbox", ["kind"]).filter(|[kind]| *kind == Some("farewell")).count()
    };
    let is_forgotten = left(change.before) != left(change.after)
        || farewells(change.before) > farewells(change.after);
    let is_kept = |(mailbox, _): &&(&str, i64)| {
        change.after.columns("refusal", ["mailbox"]).any(|[it]| it == Some(mailbox))
    };
    let is_same = change.after.is_same(change.before, "refusal");
    if !is_same && let Some(lost) = refused.iter().find(|it| !is_forgotten && !is_kept(it)) {
        return violated(OF, format!("{lost:?} is forgotten, {:?}", change.words));
    }
    if refused.is_empty() || change.after.is_same(change.before, "outbox") {
        return Ok(());
    }
    for id in change.after.added("outbox", change.before) {
        let row = change.after.columns_of("outbox", id, ["kind", "address"]).next();
        let Some([Some("address"), Some(address)]) = row else { continue };
        let asked = mailbox(address);
        if refused.iter().any(|(it, _)| it.eq_ignore_ascii_case(&asked)) {
            return violated(OF, format!("{address} is asked after a no, {:?}", change.words));
        }
    }
    Ok(())
}

/// Returns whether an event of a game came after its end.
fn is_after_end(tables: &Tables, game: Option<i64>, event: Option<i64>) -> bool {
    let game = game.unwrap_or_default();
    let is_over = tables.columns_of("game", game, ["turn"]).next() == Some([None]);
    let end = Replayed::of(tables, game, usize::MAX).ok().filter(|_| is_over);
    let event = event.and_then(|event| usize::try_from(event).ok());
    end.is_some_and(|end| event > Some(end.since_event()))
}

/// Returns whether an event of a game declines or withdraws an offer.
fn is_decline(tables: &Tables, game: Option<i64>, event: Option<i64>) -> bool {
    let mut log =
        tables.columns_of("event", game.unwrap_or_default(), ["action"]).flatten().flatten();
    let at = event.and_then(|event| usize::try_from(event - 1).ok());
    at.and_then(|at| log.nth(at)) == Some("decline")
}

/// Records with a limited life.
struct Kept {
    table: &'static str,
    /// The column with the time of a row.
    time: &'static str,
    /// The states of the rows, if only some are deleted.
    states: &'static [&'static str],
    days: i64,
}

const fn kept(
    table: &'static str,
    time: &'static str,
    states: &'static [&'static str],
    days: i64,
) -> Kept {
    Kept { table, time, states, days }
}

const KEPT: [Kept; 8] = [
    kept("seen", "seen_at", &[], 90),
    kept("idle", "last_at", &[], 90),
    kept("held", "created_at", &[], 90),
    kept("reply", "replied_at", &[], 1),
    kept("refusal", "refused_at", &[], 30),
    kept("received", "received_at", &[], 30),
    kept("outbox", "due_at", &["sent", "superseded"], 10),
    kept("outbox", "due_at", &["failed"], 30),
];

/// After `send`, records are deleted that the docs say are kept for some days.
pub fn records_are_deleted(change: &Change) -> Result<(), Violation> {
    if change.words.first().map(String::as_str) != Some("send") || change.status != 0 {
        return Ok(());
    }
    for Kept { table, time, states, days } in KEPT {
        // A clock that was set back leaves records in an order in which they are deleted somewhat later.
        let oldest = change.now.timestamp() - (days + 1) * DAY;
        for [at, state] in change.after.columns(table, [time, "state"]) {
            let counts = states.is_empty() || state.is_some_and(|it| states.contains(&it));
            if counts && number(at).is_some_and(|at| at < oldest) {
                let found = format!("{table} has a row of {at:?}, more than {days} days old");
                return violated("records_are_deleted", found);
            }
        }
    }
    Ok(())
}
