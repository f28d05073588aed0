//! What holds of members: who they are, and what becomes of those who leave.

use super::commands::{Given, Member};
use super::tournaments;
use super::{Change, violated};
use crate::simulator::mailer::Author;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// A game of somebody who leaves is lost if each player has made so many moves, and annulled otherwise.
const MIN_MOVES: usize = 2;

/// Who has left has no open games, challenges, watched games and offers of a rematch. Each open game was resigned, or
/// annulled if a player had made fewer than two moves.
pub fn members_leave_with_all_they_had(change: &Change) -> Result<(), Violation> {
    const OF: &str = "members_leave_with_all_they_had";
    let left: Vec<_> = Member::all(change.after).filter(|it| it.has_left).collect();
    let is_of = |player: Option<&str>| left.iter().any(|it| Some(it.id) == player);
    let mut watchers = change.after.columns("watcher", ["player"]);
    if let Some([player]) = watchers.find(|[it]| is_of(*it)) {
        return violated(OF, format!("{player:?} has left and watches a game"));
    }
    let columns = ["challenger", "opponent", "state"];
    let open = change
        .after
        .columns("challenge", columns)
        .find(|[by, to, state]| *state == Some("open") && (is_of(*by) || is_of(*to)));
    if let Some(open) = open {
        return violated(OF, format!("{open:?} has left"));
    }
    let games = ["id", "black", "white", "turn", "reason", "winner", "offer_event"];
    for [id, black, white, turn, reason, winner, offer] in change.after.columns("game", games) {
        let (true, Some(id)) = (is_of(black) || is_of(white), number(id)) else { continue };
        if let Some(offer) = offer {
            return violated(
                OF,
                format!("offer {offer} of game {id} is open, and a player has left"),
            );
        }
        if turn.is_some() {
            return violated(OF, format!("game {id} is open, and a player has left"));
        }
        let before = change.before.columns_of("game", id, ["turn", "deadline"]).next();
        let Some([Some(_), deadline]) = before else { continue };
        let is_late = number(deadline).is_some_and(|at| at <= change.now.timestamp());
        let Ok(replayed) = Replayed::of(change.before, id, usize::MAX) else { continue };
        // Something else may have happened first in a step with two commands.
        if is_late || change.words.is_empty() {
            continue;
        }
        let made = |by| replayed.own(by).count();
        let has_begun =
            made('b') >= MIN_MOVES && made('w') >= MIN_MOVES || tournaments::has(change.before, id);
        let other = if is_of(black) { "white" } else { "black" };
        let expected = match has_begun {
            true => (Some("resigned"), Some(other)),
            false => (Some("annulled"), None),
        };
        if (reason, winner) != expected {
            let found = format!("game {id} is {reason:?} by {winner:?}, not {expected:?}");
            return violated(OF, found);
        }
    }
    Ok(())
}

/// What belongs to members, with the column that names them.
const BELONGINGS: [(&str, &str); 6] = [
    ("absence", "player"),
    ("address_request", "player"),
    ("job", "player"),
    ("plan", "player"),
    ("system_user", "player"),
    ("held", "player"),
];

/// Of somebody who has left, only the name, the results and what was said in games stays.
pub fn those_who_left_keep_nothing(change: &Change) -> Result<(), Violation> {
    const OF: &str = "those_who_left_keep_nothing";
    let is_same = |table: &str| change.after.is_same(change.before, table);
    if change.words.is_empty() || is_same("player") && BELONGINGS.iter().all(|it| is_same(it.0)) {
        return Ok(());
    }
    let left = Member::all(change.after).filter(|it| it.has_left).map(|it| it.id);
    let left: Vec<_> = left.collect();
    for (table, column) in BELONGINGS {
        let mut owners = change.after.columns(table, [column]).flatten().flatten();
        if let Some(owner) = owners.find(|it| left.contains(it)) {
            return violated(OF, format!("{table} has a row of player {owner}, who has left"));
        }
    }
    Ok(())
}

/// Whoever waits longer for a mail or an answer can be told that it failed.
const WAITS: i64 = 8 * DAY;

/// The address of somebody who has left can be that of a new member by now. Then nothing that waits for this one goes
/// when the address of the other one is erased.
pub fn members_keep_what_waits(change: &Change) -> Result<(), Violation> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    let is_same = ["held", "outbox"].iter().all(|it| after.is_same(before, it));
    if change.words != ["send"] || is_same {
        return Ok(());
    }
    let in_both = |[id, address, left_at]: &[Option<&str>; 3]| {
        let columns = ["address", "left_at"];
        let is_it = |it: i64| after.columns_of("player", it, columns).next();
        left_at.is_none() && number(*id).and_then(is_it) == Some([*address, None])
    };
    let members = before.columns("player", ["id", "address", "left_at"]).filter(in_both);
    let addresses: Vec<_> = members.filter_map(|[_, address, _]| address).collect();
    for (table, state, waiting) in [("held", "done_at", None), ("outbox", "state", Some("queued"))]
    {
        for [id, address, at, state, kind] in
            before.columns(table, ["id", "address", "created_at", state, "kind"])
        {
            let is_new = number(at).is_some_and(|at| (now - WAITS..=now).contains(&at));
            let is_theirs =
                address.is_some_and(|it| addresses.iter().any(|own| own.eq_ignore_ascii_case(it)));
            let is_other = matches!(kind, Some("farewell" | "probe"));
            if state != waiting || !is_new || !is_theirs || is_other {
                continue;
            }
            let id = number(id).unwrap_or_default();
            if after.columns_of(table, id, ["id"]).next().is_none() {
                let found = format!("row {id} of {table} for {address:?} is gone");
                return violated("members_keep_what_waits", found);
            }
        }
    }
    Ok(())
}

/// Members keep their names for ever and their addresses and secrets until a command changes these, and end their
/// membership once.
pub fn members_change_as_they_may(change: &Change) -> Result<(), Violation> {
    const OF: &str = "members_change_as_they_may";
    if change.after.is_same(change.before, "player") {
        return Ok(());
    }
    let given = Given::of(change);
    let word = change.words.first().map(String::as_str);
    let is_mail = change.incoming.is_some() || word == Some("receive") || word.is_none();
    let named = given.and_then(|it| Member::named(change.before, it.rest.first()?));
    let answered = change.incoming.map(|mail| {
        let answered = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
        answered.map(|shown| &*shown.kind)
    });
    let columns = ["name", "created_at", "address", "secret", "left_at"];
    let ids = change.after.changed(change.before, "player");
    for id in ids {
        let of = |tables| Tables::columns_of(tables, "player", id, columns).next();
        let text = id.to_string();
        let found = |what: &str| {
            let found = format!("{what} of {:?}: {} gave {:?}", of(change.after), change.actor, {
                change.words
            });
            violated(OF, found)
        };
        let Some(new) = of(change.after) else { return found("there is nothing") };
        let Some(old) = of(change.before) else {
            let is_right = match (given, word) {
                (Some(given), _) if given.word == "signup" => {
                    let address = given.rest.get(1).map(String::as_str);
                    given.rest.first().map(String::as_str) == new[0]
                        && new[2] == address.filter(|it| *it != "--no-mail")
                        && new[4].is_none()
                }
                (_, Some(word)) => matches!(word, "new" | "receive"),
                (_, None) => true,
            };
            // By mail, everybody signs up for the address from which the mail came.
            let is_senders = change.incoming.is_none_or(|mail| match &mail.author {
                Author::Owner(from) | Author::Anybody(from) => {
                    new[2].is_some_and(|it| it.eq_ignore_ascii_case(from))
                }
                Author::Machine => false,
            });
            match is_right && is_senders {
                true => continue,
                false => return found("a new player"),
            }
        };
        let [has_address, has_secret, leaves] = [2, 3, 4].map(|at| old[at] != new[at]);
        let is_named = |words: &[&str]| {
            is_mail
                || given.is_some_and(|given| {
                    words.contains(&given.word)
                        && match given.word {
                            "leave" => given.actor.is_some_and(|it| it.id == text),
                            _ => named.is_some_and(|it| it.id == text),
                        }
                })
        };
        if old[..2] != new[..2] {
            return found("the name");
        }
        if leaves && (old[4].is_some() || !is_named(&["leave", "remove"])) {
            return found("the membership");
        }
        // The address of one who has left is erased when the last mail was sent or has failed.
        let is_erased = new[2].is_none() && new[4].is_some();
        if has_address && !is_erased && !is_named(&["address"]) {
            return found("the address");
        }
        // After `set address`, replies to all mails from before are refused.
        if has_address && !is_erased && change.incoming.is_some() && !has_secret {
            return found("the new address, but not the secret,");
        }
        // By mail, both are asked first.
        if leaves && answered.is_some_and(|kind| kind != Some("confirm")) {
            return found("the membership, without a question,");
        }
        if has_address && !is_erased && answered.is_some_and(|kind| kind != Some("address")) {
            return found("the address, without a question,");
        }
        if has_secret && !is_named(&["rotate", "address", "leave", "remove"]) {
            return found("the secret");
        }
    }
    wrong_member(change, given, named).map_or(Ok(()), |what| {
        violated(OF, format!("{what} of {named:?}: {} gave {:?}", change.actor, change.words))
    })
}

/// Returns what a command about a member has not done that it says.
fn wrong_member(
    change: &Change,
    given: Option<Given>,
    named: Option<Member>,
) -> Option<&'static str> {
    let given = given.filter(|_| change.status == 0)?;
    let member = if given.word == "leave" { given.actor? } else { named? };
    let of = |tables| {
        Tables::columns_of(tables, "player", member.id.parse().ok()?, ["address", "secret"]).next()
    };
    let ([_, old_secret], [address, secret]) = (of(change.before)?, of(change.after)?);
    let has_left = Member::with_id(change.after, member.id)?.has_left;
    match given.word {
        "rotate" if secret == old_secret => Some("the tokens stay"),
        "address" if address != given.rest.get(1).map(String::as_str) => Some("the address stays"),
        "leave" | "remove" if !has_left => Some("the membership stays"),
        "leave" | "remove" if secret == old_secret => Some("the tokens stay"),
        _ => None,
    }
}
