//! What a new address brings: what waits is mailed there, and the old one is told. docs/club.md.

use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// Who has a new address is mailed the games and challenges that wait. If the player has changed it and not the
/// host, the old address is told, but not where the mail goes, and replies to earlier mails are refused. Requests for
/// other addresses end.
pub(super) fn new_addresses_get_what_waits(change: &Change) -> Result<(), Violation> {
    const OF: &str = "new_addresses_get_what_waits";
    if change.words.is_empty() || change.after.is_same(change.before, "player") {
        return Ok(());
    }
    for id in change.after.changed(change.before, "player") {
        let of = |tables| Tables::columns_of(tables, "player", id, ["address", "secret"]).next();
        let (Some([old, old_secret]), Some([Some(new), secret])) =
            (of(change.before), of(change.after))
        else {
            continue;
        };
        if old == Some(new) {
            continue;
        }
        let missing = games_to_mail(change, id).into_iter().chain(challenges_to_mail(change, id));
        let missing: Vec<_> = missing.collect();
        if !missing.is_empty() {
            return violated(OF, format!("player {id} at {new} is not mailed {missing:?}"));
        }
        let name = id.to_string();
        let mut open =
            change.after.columns("held", ["player", "is_new_address", "done_at", "created_at"]);
        if let Some(row) = open.find(|[of, is_address, done_at, _]| {
            *of == Some(&*name) && *is_address == Some("1") && done_at.is_none()
        }) {
            return violated(OF, format!("player {id} has a new address, and {row:?} still asks"));
        }
        // A mail with an answer is how players change theirs.
        let is_own = change.words[0] == "receive";
        let Some(old) = old.filter(|_| is_own) else { continue };
        let mut mails = change.after.added("outbox", change.before).into_iter();
        let texts = ["kind", "address", "text"];
        let is_telling = |mail| {
            let row = change.after.columns_of("outbox", mail, texts).next();
            row.is_some_and(|[kind, address, text]| {
                let is_kept = text.is_some_and(|it| !it.contains(new));
                kind == Some("moved") && address == Some(old) && is_kept
            })
        };
        if !mails.any(is_telling) {
            return violated(OF, format!("{old} is not told that player {id} has moved to {new}"));
        }
        if secret == old_secret {
            return violated(OF, format!("player {id} has moved, and earlier replies still count"));
        }
    }
    Ok(())
}

/// Returns the games in which it is a player's turn and about which no mail to the player is new or waits.
fn games_to_mail(change: &Change, player: i64) -> Vec<String> {
    let name = player.to_string();
    let names = ["id", "to_move", "turn", "local"];
    let waiting = change.after.columns("game", names).filter(|[_, to_move, turn, local]| {
        *to_move == Some(&*name) && turn.is_some() && *local == Some("0")
    });
    let is_told = |game: i64| {
        let is_muted = change.after.columns_of("unsubscribed", game, ["player"]);
        let mut mails = change.after.columns("outbox", ["player", "game", "kind", "state", "id"]);
        is_muted.flatten().flatten().any(|it| it == name)
            || mails.any(|[to, about, kind, state, id]| {
                let is_new = number(id).is_some_and(|id| is_changed(change, id));
                to == Some(&*name)
                    && number(about) == Some(game)
                    && matches!(kind, Some("turn" | "started"))
                    && (is_new || state == Some("queued"))
            })
    };
    let games = waiting.filter_map(|[id, ..]| number(id)).filter(|game| !is_told(*game));
    games.map(|game| format!("game {game}")).collect()
}

/// Returns the open challenges to a player about which no mail is new or waits.
fn challenges_to_mail(change: &Change, player: i64) -> Vec<String> {
    let name = player.to_string();
    let rows = change.after.columns("challenge", ["id", "opponent", "state", "created_at"]);
    let open = rows.filter(|[_, to, state, made]| {
        let is_young =
            number(*made).is_some_and(|at| at + super::OPEN_FOR > change.now.timestamp());
        *to == Some(&*name) && *state == Some("open") && is_young
    });
    let is_told = |id: &str| {
        let mut mails =
            change.after.columns("outbox", ["player", "kind", "challenge", "state", "id"]);
        mails.any(|[to, kind, about, state, mail]| {
            let is_new = number(mail).is_some_and(|mail| is_changed(change, mail));
            to == Some(&*name)
                && kind == Some("challenge")
                && about == Some(id)
                && (is_new || state == Some("queued"))
        })
    };
    let ids = open.filter_map(|[id, ..]| id).filter(|id| !is_told(id));
    ids.map(|id| format!("challenge {id}")).collect()
}

/// Returns whether a mail is another than before the step.
fn is_changed(change: &Change, mail: i64) -> bool {
    let row =
        |tables| Tables::columns_of(tables, "outbox", mail, ["state", "due_at", "tries"]).next();
    row(change.after) != row(change.before)
}
