//! Mails that bounce, pauses of mail and their ends: docs/receiving.md, Bounces.

use std::collections::BTreeSet;

use super::commands::Member;
use super::mail_answers::unanswered;
use super::quotas::mailbox;
use super::replies::{author, is_flood};
use super::rows::{Game, Mail, OPEN_FOR, has_blocked, of_player, with_message_id};
use super::{Change, HOST, Part, each_holds, violated};
use crate::simulator::mailer::Incoming;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// At so many failures, on at least so many days, mail to a player pauses.
const MAX_FAILURES: usize = 3;
const MIN_DAYS: usize = 2;

/// What begins the answer to the first mail after a pause.
const FAILED_SINCE: &str = "Mail to you had failed since ";

/// A report counts once, unless it is about the server or about a delay; three failures on two days pause the mail, and
/// who is back gets a fresh mail about each game that waits. Nobody is warned twice of the same sender.
pub fn failures_count_as_they_should(change: &Change) -> Result<(), Violation> {
    signs_of_life_end_pauses(change).or_else(|it| violated("signs_of_life_end_pauses", it))?;
    const TABLES: [&str; 3] = ["failure", "player", "outbox"];
    let is_same = || TABLES.iter().all(|it| change.after.is_same(change.before, it));
    if change.words.is_empty() || change.incoming.is_none() && is_same() {
        return Ok(());
    }
    let parts: [(_, Part); 9] = [
        ("reports_are_counted", reports_are_counted),
        ("three_failures_pause_the_mail", three_failures_pause_the_mail),
        ("who_is_back_gets_fresh_mails", who_is_back_gets_fresh_mails),
        ("who_is_back_hears_of_the_pause", who_is_back_hears_of_the_pause),
        ("mail_is_not_queued_in_a_pause", mail_is_not_queued_in_a_pause),
        ("warnings_come_once", warnings_come_once),
        ("new_addresses_get_what_waits", new_addresses_get_what_waits),
        ("new_addresses_end_the_old_ones", new_addresses_end_the_old_ones),
        ("owners_of_tokens_are_warned", owners_of_tokens_are_warned),
    ];
    each_holds(change, &parts)
}

/// Returns when mail to a player has failed.
fn failures(tables: &Tables, player: i64) -> Vec<i64> {
    let rows = tables.columns("failure", ["player", "failed_at"]);
    let own = rows.filter(|[it, _]| number(*it) == Some(player));
    own.filter_map(|[_, at]| number(at)).collect()
}

/// What a report says.
#[derive(Debug, PartialEq, Eq)]
enum Report {
    Failed,
    /// The server is refused, whoever the mail is for.
    Policy,
    Delayed,
}

impl Report {
    fn of(mail: &Incoming) -> Option<Self> {
        let text = String::from_utf8_lossy(&mail.bytes);
        let has = |it: &str| text.contains(it);
        // The last one is about a disabled account.
        let is_failed = || ["5.1.1", "5.2.2", "5.7.13"].iter().any(|it| has(&format!("550 {it} ")));
        if has("Action: delayed") {
            return Some(Self::Delayed);
        }
        let is_policy = has("550 5.7.1 ");
        match is_policy {
            true => Some(Self::Policy),
            false => is_failed().then_some(Self::Failed),
        }
    }
}

fn reports_are_counted(change: &Change) -> Result<(), String> {
    let mail = change.incoming.filter(|it| it.id.ends_with(".bounce@programs.example"));
    let Some((mail, report)) = mail.and_then(|mail| Some((mail, Report::of(mail)?))) else {
        return Ok(());
    };
    let Some(about) = mail.answers.and_then(|at| change.accepted.get(at)) else { return Ok(()) };
    let columns = ["id", "player", "state", "tries", "bounced_try", "bounces", "sent_to"];
    let row = with_message_id(change.before, &about.id, columns);
    let Some([id, player, state, tries, bounced_try, bounces, sent_to]) = row else {
        return Ok(());
    };
    let (Some(id), Some(player)) = (number(id), number(player)) else { return Ok(()) };
    let [was, is] = [change.before, change.after].map(|it| failures(it, player));
    let now = change.now.timestamp();
    let new = |all: &[i64]| all.iter().filter(|at| **at == now).count();
    let count = new(&is).saturating_sub(new(&was));
    let after = change.after.columns_of("outbox", id, ["bounces"]).next();
    // The record of a mail that was sent long ago is deleted in the same step.
    let Some([after]) = after else { return Ok(()) };
    let is_noted = number(after) > number(bounces);
    let found = |what: &str| Err(format!("{report:?} about {}: {what}, {was:?} {is:?}", about.id));
    if report == Report::Delayed && is_noted {
        return found("a delay is no bounce");
    }
    // After a cut, one that was processed can come again.
    let records = change.after.new_rows("received", change.before).into_iter();
    let mut records = records
        .filter_map(|it| change.after.columns_of("received", it, ["disposition"]).next()?[0]);
    let is_copy = mail.is_copy || records.any(|it| it == "copy");
    if report != Report::Failed || is_copy {
        return if count > 0 { found("counts as a failure") } else { Ok(()) };
    }
    let address = of_player(change.before, player, "address");
    // A new address has not failed.
    let is_former = address.zip(sent_to).is_some_and(|(is, was)| !is.eq_ignore_ascii_case(was));
    if is_former && count > 0 && !change.has_mail_faults {
        return found(&format!("counts against {address:?}"));
    }
    let secret = about.shown.as_ref().and_then(|it| it.secret.as_deref());
    let is_of_present = address.is_some_and(|it| it.eq_ignore_ascii_case(&about.to))
        && of_player(change.before, player, "secret") == secret
        && secret.is_some()
        && state == Some("sent")
        && number(bounced_try) < number(tries);
    match is_of_present && !is_flood(change) && (count != 1 || !is_noted) {
        true => found("does not count"),
        false => Ok(()),
    }
}

/// Who gives a command in a shell, or does something on a page, gets mail again, and no earlier failure counts.
fn signs_of_life_end_pauses(change: &Change) -> Result<(), String> {
    let (Some(word), true) = (change.words.first(), change.actor != HOST) else { return Ok(()) };
    // These need no database.
    if matches!(&**word, "help" | "rules" | "bots") {
        return Ok(());
    }
    let is_form = word != "page" || change.words.get(2).is_some_and(|it| !it.is_empty());
    let answer = change.ran.and_then(|ran| ran.answer.as_ref());
    let is_done = change.status == 0 && answer.is_none_or(|it| it.status == 303);
    let actor = Member::named(change.after, change.actor).filter(|it| !it.has_left);
    let (true, true, Some(id)) = (is_form, is_done, actor.and_then(|it| number(Some(it.id))))
    else {
        return Ok(());
    };
    let paused_at = of_player(change.after, id, "paused_at");
    let was_paused = paused_at.is_some() && of_player(change.before, id, "paused_at") == paused_at;
    let old = failures(change.before, id);
    let counted = failures(change.after, id).into_iter().find(|at| old.contains(at));
    match was_paused || counted.is_some_and(|at| at != change.now.timestamp()) {
        true => Err(format!(
            "{} gave {:?}: paused {paused_at:?}, {counted:?}",
            change.actor, change.words
        )),
        false => Ok(()),
    }
}

fn three_failures_pause_the_mail(change: &Change) -> Result<(), String> {
    if change.after.is_same(change.before, "failure") {
        return Ok(());
    }
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    let players = after.columns("failure", ["player"]).flatten().filter_map(number);
    for player in players.collect::<BTreeSet<_>>() {
        let all = failures(after, player);
        if all.len() <= failures(before, player).len() || !all.contains(&now) {
            continue;
        }
        let days: BTreeSet<_> = all.iter().map(|at| at.div_euclid(DAY)).collect();
        let must_pause = all.len() >= MAX_FAILURES && days.len() >= MIN_DAYS;
        let [was, is] = [before, after].map(|it| of_player(it, player, "paused_at").is_some());
        if is != (must_pause || was) {
            return Err(format!(
                "mail to player {player} is paused: {is}, after {all:?}, now {now}"
            ));
        }
    }
    Ok(())
}

/// Returns the players whose mail was paused before a step and is not any more, at the same address.
fn back(change: &Change) -> Vec<i64> {
    let (before, after) = (change.before, change.after);
    let players = after.changed(before, "player").into_iter();
    let is_back = |player: &i64| {
        of_player(before, *player, "paused_at").is_some()
            && of_player(after, *player, "paused_at").is_none()
            && of_player(after, *player, "left_at").is_none()
            && of_player(before, *player, "address") == of_player(after, *player, "address")
    };
    players.filter(is_back).collect()
}

/// Returns the members who have another address than before a step.
fn moved(change: &Change) -> Vec<i64> {
    let (before, after) = (change.before, change.after);
    let has_moved = |player: &i64| {
        let [was, is] = [before, after].map(|it| of_player(it, *player, "address"));
        let is_other = was.zip(is).is_some_and(|(was, is)| !was.eq_ignore_ascii_case(is));
        is_other && of_player(after, *player, "left_at").is_none()
    };
    after.changed(before, "player").into_iter().filter(has_moved).collect()
}

/// At a new address, a player is asked about each open challenge; and who has asked for it by mail hears of it at the
/// old one.
fn new_addresses_get_what_waits(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    let columns = ["kind", "player", "challenge", "state", "due_at", "address"];
    for player in moved(change) {
        let rows: Vec<_> = after.columns("outbox", columns).collect();
        for [id, by, to, state, at] in
            after.columns("challenge", ["id", "challenger", "opponent", "state", "created_at"])
        {
            let is_open = state == Some("open")
                && number(at) > Some(now - OPEN_FOR)
                && number(to) == Some(player)
                && !number(by).is_some_and(|by| has_blocked(after, player, by));
            let is_asked = rows.iter().any(|[kind, of, about, state, at, _]| {
                let is_it =
                    *kind == Some("challenge") && number(*of) == Some(player) && *about == id;
                // The server can have refused it at once.
                let is_new = match *state {
                    Some("sent") => number(*at) == Some(now),
                    state => state != Some("superseded"),
                };
                is_it && is_new
            });
            if is_open && !is_asked {
                return Err(format!("player {player} is not asked about challenge {id:?}"));
            }
        }
        let old = of_player(before, player, "address");
        let is_told =
            rows.iter().any(|[kind, .., address]| *kind == Some("moved") && *address == old);
        if change.incoming.is_some() && !is_told {
            return Err(format!("nobody at {old:?} is told that player {player} has moved"));
        }
    }
    Ok(())
}

/// With a new address, and when the host revokes the tokens, requests for other ones end. If the player has changed it and not the host, replies to earlier
/// mails are refused, and the old address does not hear where the mail goes.
fn new_addresses_end_the_old_ones(change: &Change) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    let is_rotated = change.words[0] == "rotate";
    let has_new_tokens =
        |player: &i64| of_player(before, *player, "secret") != of_player(after, *player, "secret");
    let rotated = after.changed(before, "player").into_iter();
    let rotated = rotated.filter(|it| is_rotated && has_new_tokens(it));
    for player in moved(change).into_iter().chain(rotated) {
        let mut held = after.columns("held", ["player", "is_new_address", "done_at"]);
        let asks =
            |it: &[Option<&str>; 3]| number(it[0]) == Some(player) && it[1..] == [Some("1"), None];
        if held.any(|it| asks(&it)) {
            return Err(format!("player {player} is still asked at another address"));
        }
        // A mail with an answer is how players change theirs.
        if change.words[0] != "receive" {
            continue;
        }
        let [old, new] = [before, after].map(|it| of_player(it, player, "address"));
        if of_player(before, player, "secret") == of_player(after, player, "secret") {
            return Err(format!("player {player} has moved, and earlier replies still count"));
        }
        for mail in after.added("outbox", before) {
            let row = after.columns_of("outbox", mail, ["kind", "address", "text"]).next();
            let Some([Some("moved"), address, text]) = row else { continue };
            if address != old || text.zip(new).is_some_and(|(text, new)| text.contains(new)) {
                return Err(format!("{address:?} hears {text:?} of {old:?}"));
            }
        }
    }
    Ok(())
}

/// The owner of a token is warned of each other sender who uses it, unless mails that nobody has verified have used up
/// what may be answered.
fn owners_of_tokens_are_warned(change: &Change) -> Result<(), String> {
    let new = change.after.new_rows("received", change.before);
    let [new] = new.into_iter().collect::<Vec<_>>()[..] else { return Ok(()) };
    let record = change.after.columns_of("received", new, ["disposition", "player"]).next();
    let Some([Some("mismatch"), Some(owner)]) = record else { return Ok(()) };
    let owner = number(Some(owner)).unwrap_or_default();
    let about = change.incoming.and_then(|it| change.accepted.get(it.answers?));
    let is_question = about.and_then(|it| it.shown.as_ref()).is_none_or(|it| it.secret.is_none());
    let is_refused = unanswered(change.before) != unanswered(change.after);
    let address = change.after.columns_of("player", owner, ["address"]).next();
    if address.is_some_and(|[it]| it.is_none()) {
        return Ok(());
    }
    // One warning of each sender is enough, and is remembered longer than its mail.
    let sender = change.after.columns_of("received", new, ["sender"]).next().and_then(|[it]| it);
    let sender = sender.map(mailbox);
    let mut seen = change.before.columns("seen", ["sender"]).flatten().flatten();
    // The address of one who has left is erased.
    if seen.any(|it| Some(it.to_lowercase()) == sender || it == "erased") {
        return Ok(());
    }
    let mut new = change.after.added("outbox", change.before).into_iter();
    let is_warned = new.any(|id| {
        let row = change.after.columns_of("outbox", id, ["kind", "player"]).next();
        row.is_some_and(|[kind, of]| kind == Some("mismatch") && number(of) == Some(owner))
    });
    match is_warned || is_question || is_refused {
        true => Ok(()),
        false => Err(format!(
            "player {owner} is not warned of {:?}",
            change.incoming.map(|it| &it.author)
        )),
    }
}

fn who_is_back_gets_fresh_mails(change: &Change) -> Result<(), String> {
    let (before, after, now) = (change.before, change.after, change.now.timestamp());
    for player in back(change).into_iter().chain(moved(change)) {
        if of_player(after, player, "mail_mode") == Some("none") {
            continue;
        }
        let muted: BTreeSet<_> = after.columns("unsubscribed", ["game", "player"]).collect();
        for [id, to_move, event, deadline] in
            after.columns("game", ["id", "to_move", "position_event", "deadline"])
        {
            let Some(game) = number(id).and_then(|id| Game::of(after, id)) else { continue };
            let is_muted = muted.contains(&[id, Some(&*player.to_string())]);
            let was = before.columns_of("game", game.id, ["position_event"]).next();
            let is_waiting = number(to_move) == Some(player)
                && number(deadline) > Some(now)
                && was == Some([event])
                && !game.is_local;
            if is_muted {
                none_is_queued(change, player, &game)?;
                continue;
            }
            if !is_waiting {
                continue;
            }
            // One that has bounced is sent again.
            let columns = ["player", "game", "kind", "state", "due_at"];
            let is_fresh = after.columns("outbox", columns).any(|[it, about, kind, state, at]| {
                let waits = state == Some("queued");
                let is_new = waits || state == Some("sent") && number(at) == Some(now);
                let is_of_game = match kind {
                    Some("turn" | "started") => about == id,
                    kind => kind == Some("digest"),
                };
                number(it) == Some(player) && is_of_game && is_new
            });
            if !is_fresh {
                return Err(format!("nothing tells player {player} of game {}", game.id));
            }
        }
    }
    Ok(())
}

fn mail_is_not_queued_in_a_pause(change: &Change) -> Result<(), String> {
    let is_paused = |tables: &Tables, player| of_player(tables, player, "paused_at").is_some();
    for id in change.after.new_rows("outbox", change.before) {
        let Some(mail) = Mail::of(change.after, id).filter(|it| it.state == "queued") else {
            continue;
        };
        let was_queued = Mail::of(change.before, id).is_some_and(|it| it.state == "queued");
        let is_in_pause = mail
            .player
            .is_some_and(|it| is_paused(change.before, it) && is_paused(change.after, it));
        // The host can try each mail again.
        if is_in_pause && !was_queued && change.words.first().is_none_or(|it| it != "mail") {
            return Err(format!("mail {id} ({}) to {:?} is queued", mail.kind, mail.player));
        }
    }
    Ok(())
}

/// No mail tells of a turn in a game that was begun before and whose turn mails are not wanted.
fn none_is_queued(change: &Change, player: i64, game: &Game) -> Result<(), String> {
    let (before, after) = (change.before, change.after);
    let mut new = after.added("outbox", before).into_iter().filter_map(|id| Mail::of(after, id));
    let is_it = |it: &Mail| {
        let is_of_game = it.player == Some(player) && it.game == Some(game.id);
        is_of_game && matches!(&*it.kind, "turn" | "started")
    };
    let was_muted = before
        .columns_of("unsubscribed", game.id, ["player"])
        .any(|[it]| number(it) == Some(player));
    let is_same = was_muted && Game::of(before, game.id).is_some_and(|it| it.events == game.events);
    match new.find(is_it).filter(|_| is_same) {
        Some(mail) => Err(format!("{mail:?} is about a muted game")),
        None => Ok(()),
    }
}

fn who_is_back_hears_of_the_pause(change: &Change) -> Result<(), String> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let player = author(mail, change).and_then(|it| number(Some(it)));
    let Some(player) = player else { return Ok(()) };
    pauses_are_reported_once(change, player)?;
    if !back(change).contains(&player) {
        return Ok(());
    }
    let new = change.after.new_rows("outbox", change.before).into_iter();
    let new = new.filter(|id| Mail::of(change.before, *id).is_none());
    let answers = new.filter_map(|id| {
        let columns = ["kind", "player", "text", "in_reply_to"];
        let [kind, to, text, in_reply_to] =
            change.after.columns_of("outbox", id, columns).next()?;
        let is_it = kind == Some("answer") && number(to) == Some(player);
        text.filter(|_| is_it && in_reply_to == Some(&*mail.id))
    });
    let answers: Vec<_> = answers.collect();
    match answers.is_empty() || answers.iter().any(|text| text.contains(FAILED_SINCE)) {
        true => Ok(()),
        false => Err(format!("{answers:?} to player {player} say nothing of the pause")),
    }
}

/// What a mail to the player says of the last pause is forgotten then, whichever mail that is.
fn pauses_are_reported_once(change: &Change, player: i64) -> Result<(), String> {
    let says = |tables: &Tables, id| {
        let row = tables.columns_of("outbox", id, ["player", "text", "state"]).next();
        row.is_some_and(|[of, text, state]| {
            let is_there = number(of) == Some(player) && state != Some("superseded");
            is_there && text.is_some_and(|it| it.contains(FAILED_SINCE))
        })
    };
    let mut new = change.after.new_rows("outbox", change.before).into_iter();
    let told = new.find(|id| says(change.after, *id) && !says(change.before, *id));
    let is_kept = of_player(change.after, player, "failed_from").is_some();
    match told.filter(|_| is_kept && change.incoming.is_some_and(|it| !it.is_copy)) {
        Some(mail) => Err(format!("mail {mail} tells player {player}, and the next one will")),
        None => Ok(()),
    }
}

fn warnings_come_once(change: &Change) -> Result<(), String> {
    let columns = ["id", "kind", "player", "text"];
    for id in change.after.new_rows("outbox", change.before) {
        let row = change.after.columns_of("outbox", id, columns).next();
        let Some([_, Some("mismatch"), player, Some(sender)]) = row else { continue };
        // Other players stand there without their addresses.
        if Mail::of(change.before, id).is_some() || !sender.contains('@') {
            continue;
        }
        let is_other = |it: &[Option<&str>; 4]| {
            let is_same = it[3].is_some_and(|it| it.eq_ignore_ascii_case(sender));
            number(it[0]) != Some(id) && it[1] == Some("mismatch") && it[2] == player && is_same
        };
        if let Some(other) = change.after.columns("outbox", columns).find(is_other) {
            return Err(format!("{other:?} has warned player {player:?} of {sender} before"));
        }
    }
    Ok(())
}
