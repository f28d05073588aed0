//! Which commands are done and which are refused.

use chrono::DateTime;

use super::settings::may_set;
use super::{Game, Given, Member};
use crate::simulator::holds::clocks;
use crate::simulator::holds::{Change, violated};
use crate::simulator::holds::{challenges, plans, replies, tournament_options, tournaments};
use crate::simulator::naive::Status;
use crate::simulator::replay::{counts, opponent, place};
use crate::simulator::shown;
use crate::simulator::tables::number;
use crate::simulator::{DAY, Violation};

const MAX_WATCHERS: usize = 50;
const MAX_COMMENTS: usize = 20;
const MAX_COMMENTS_AT_ONCE: usize = 5;
/// How many characters a comment and a note can have.
pub const MAX_COMMENT: usize = 4_000;
pub const MAX_NOTE: usize = 1_000;
/// Days without a move after which a game without a clock can be claimed.
const IDLE_DAYS: i64 = 60;

/// A command that the docs allow is not refused, and one that they do not allow is not done.
pub fn commands_are_done_or_refused(change: &Change) -> Result<(), Violation> {
    let Some(given) = Given::of(change).filter(|_| change.status < 2) else { return Ok(()) };
    let is_done = change.status == 0;
    // A board that refuses a move ends well.
    if given.word == "move" && is_done && change.before.is_same(change.after, "event") {
        return Ok(());
    }
    match allowed(&given) {
        Some(is_allowed) if is_allowed != is_done => violated(
            "commands_are_done_or_refused",
            format!(
                "{} gave {:?} at {}, which is {}",
                change.actor,
                change.words.join(" "),
                DateTime::from_timestamp(given.now, 0).unwrap_or_default(),
                if is_done { "not allowed, but done" } else { "allowed, but refused" }
            ),
        ),
        _ => Ok(()),
    }
}

/// Returns whether the docs allow a command; `None` if this model does not know.
pub fn allowed(given: &Given) -> Option<bool> {
    // Who has left is nobody, unless the name is given again.
    given.actor.is_none_or(|actor| !actor.has_left).then_some(())?;
    match given.word {
        "challenge" => return challenges::may_challenge(given),
        "new" => return challenges::may_begin(given),
        "tournament" if given.rest.first().is_some_and(|it| it == "new") => {
            return tournament_options::may_make(given);
        }
        "join" | "withdraw" | "tournament" => return tournaments::may(given),
        "signup" => return may_sign_up(given),
        "address" => return may_give_address(given),
        "set" => return may_set(given),
        "mail" => return may_try_again(given),
        "block" | "unblock" => {
            let ([name], actor) = (&given.plain()?[..], given.actor?) else { return None };
            return match Member::named(given.tables, name) {
                Some(it) if it.has_left => None,
                it => Some(it.is_some_and(|it| it.id != actor.id)),
            };
        }
        "rotate" | "remove" => {
            let [name] = given.plain()?[..] else { return None };
            let named = Member::named(given.tables, name);
            // One who has left has no tokens.
            let is_open = given.word == "rotate" && named.is_some_and(|it| it.has_left);
            return (!is_open && !name.contains('@')).then(|| named.is_some_and(|it| !it.has_left));
        }
        _ => {}
    }
    const ABOUT_GAMES: [&str; 22] = [
        "move", "pass", "resign", "draw", "takeback", "pause", "rematch", "unpause", "accept",
        "decline", "abort", "claim", "say", "watch", "unwatch", "mute", "unmute", "note", "hint",
        "annul", "plan", "extend",
    ];
    if !ABOUT_GAMES.contains(&given.word) && given.word != "forfeit" {
        return None;
    }
    let of_hint = || number(Some(given.rest.first()?.split_once('#')?.0));
    let id = given.id().or_else(|| of_hint().filter(|_| given.word == "hint"))?;
    if matches!(given.word, "accept" | "decline" | "say")
        && let Some(answer) = challenges::may_answer(given, id)
    {
        return answer;
    }
    match Game::of(given.tables, id) {
        Some(game) => in_game(given, &game),
        None => Some(false),
    }
}

/// The host can try each mail again that is not sent, and none that is superseded.
fn may_try_again(given: &Given) -> Option<bool> {
    let [retry, id] = given.plain()?[..] else { return None };
    let id = number(Some(id)).filter(|_| retry == "retry" && given.actor.is_none())?;
    let row = given.tables.columns_of("outbox", id, ["state"]).next();
    Some(matches!(row, Some([Some("queued" | "failed" | "paused")])))
}

fn may_sign_up(given: &Given) -> Option<bool> {
    let [name, address] = given.plain()?[..] else { return None };
    if !address.ends_with("@people.example") || !name.starts_with(char::is_alphabetic) {
        return None;
    }
    let at = |it: &Member| it.address.is_some_and(|it| it.eq_ignore_ascii_case(address));
    let members: Vec<_> = Member::all(given.tables).collect();
    if members.iter().any(|it| it.has_left && at(it)) {
        return None;
    }
    Some(!members.iter().any(|it| it.name.eq_ignore_ascii_case(name) || at(it)))
}

/// The host gives a member any address that nobody else has.
fn may_give_address(given: &Given) -> Option<bool> {
    let [name, address] = given.plain()?[..] else { return None };
    if !address.ends_with("@people.example") || given.actor.is_some() || name.contains('@') {
        return None;
    }
    let at = |it: &Member| it.address.is_some_and(|it| it.eq_ignore_ascii_case(address));
    let named = Member::named(given.tables, name);
    let owner = Member::all(given.tables).find(at);
    Some(
        named
            .is_some_and(|named| !named.has_left && owner.is_none_or(|owner| owner.id == named.id)),
    )
}

fn in_game(given: &Given, game: &Game) -> Option<bool> {
    let it = &game.replayed;
    let is_active = it.turn().is_some();
    // A clock that has run out may end the game first, or not in an outage.
    let is_late = is_active && game.deadline <= given.now;
    if is_late && game.is_hard {
        return None;
    }
    let own = given.actor.and_then(|actor| game.color_of(actor.id));
    let words = given.plain();
    match given.word {
        "annul" => return Some(it.result().is_none_or(|(_, reason)| counts(&reason))),
        "forfeit" => {
            let [_, name] = words?[..] else { return None };
            let named = Member::named(given.tables, name);
            return Some(is_active && named.is_some_and(|it| game.color_of(it.id).is_some()));
        }
        "move" => {
            let [_, label] = words?[..] else { return None };
            return may_move(given, game, own, label);
        }
        "pass" => {
            let [number] = words?[..] else { return None };
            number.parse::<i64>().ok()?;
            return may_move(given, game, own, "pass");
        }
        "extend" => return may_extend(given, game),
        "watch" => return may_watch(given, game, own),
        "unwatch" => return given.actor.map(|_| own.is_none()),
        "hint" => return may_hint(given, game, own),
        _ => {}
    }
    // All others are for the players of the game.
    given.actor?;
    let Some(own) = own else { return Some(false) };
    let other = game.person(opponent(own)).and_then(|id| Member::with_id(given.tables, id));
    if other.is_some_and(|it| it.has_left) && !matches!(given.word, "mute" | "unmute" | "note") {
        return None;
    }
    let is_blocked = match (other, given.actor) {
        (Some(other), Some(actor)) => given.is_blocked(other.id, actor.id),
        _ => false,
    };
    let offer = it.offer();
    let is_mine = offer.map(|offer| offer.by == own);
    match given.word {
        "mute" | "unmute" => Some(true),
        "note" => may_note(given),
        "plan" => {
            let branches = plans::branches(given.rest.get(1..).filter(|it| !it.is_empty())?)?;
            plans::may_plan(it, own, &branches)
        }
        "resign" => Some(is_active),
        "say" => match other {
            None => Some(false),
            Some(_) if is_blocked => Some(false),
            Some(_) => may_say(given, game, own),
        },
        "unpause" => Some(is_active && it.paused),
        "accept" | "decline" => match (offer, is_mine?) {
            (None, _) => Some(false),
            (_, true) => Some(given.word == "decline"),
            // Time may be missing for it, or somebody was blocked since.
            (Some(offer), false) if given.word == "accept" && offer.kind == "takeback" => {
                if is_late { None } else { leaves_time(given, game, offer.by, true) }
            }
            (Some(offer), false) if offer.kind == "rematch" && is_blocked => None,
            (Some(_), false) => Some(true),
        },
        "draw" | "takeback" | "pause" | "rematch" => {
            if !is_active && given.word != "rematch" {
                return Some(false);
            }
            match (offer, is_mine) {
                // Within the grace, a move is taken back at once.
                (Some(_), Some(false)) if given.word == "takeback" => return None,
                (Some(offer), Some(false)) => return Some(offer.kind == given.word),
                (Some(offer), Some(true)) if offer.kind == given.word => return None,
                _ => {}
            }
            match given.word {
                "pause" | "rematch" if tournaments::has(given.tables, game.id) => Some(false),
                "pause" => Some(game.has_clock && !it.paused),
                "rematch" if is_active || is_blocked => Some(false),
                "rematch" if given.actor.is_some_and(|actor| actor.has_left) => None,
                "rematch" => {
                    // It may have begun already.
                    let end = it.since_event();
                    let log = shown::log(given.tables, &game.id.to_string());
                    let has_begun = log[end..].iter().any(|event| event.action == "accept");
                    it.result().filter(|(_, it)| counts(it)).map(|_| !has_begun)
                }
                "takeback" if it.own(own).next().is_none() => Some(false),
                // Somebody who must ask needs no time.
                "takeback" if is_late || tournaments::has(given.tables, game.id) => None,
                "takeback" => leaves_time(given, game, own, false).filter(|it| *it),
                _ => Some(true),
            }
        }
        "abort" if !is_active || tournaments::has(given.tables, game.id) => Some(false),
        "abort" => Some(!has_moved(given, game, own)),
        "claim" => may_claim(given, game, own, is_late),
        _ => None,
    }
}

/// Returns whether a takeback leaves its player time; one that leaves none is refused.
fn leaves_time(given: &Given, game: &Game, by: char, agrees: bool) -> Option<bool> {
    clocks::takeback_leaves_time(given.tables, game.id, usize::from(by == 'w'), agrees, given.now)
}

/// The host can give time to a person in a game with a clock: the player to move, or the one who is named.
fn may_extend(given: &Given, game: &Game) -> Option<bool> {
    let words = given.plain()?;
    let [_, span, name @ ..] = &words[..] else { return None };
    if given.actor.is_some() || !span.ends_with(['h', 'd', 'm']) {
        return None;
    }
    let turn = game.replayed.turn();
    let color = match name {
        [] => turn,
        [name] => Member::named(given.tables, name).and_then(|it| game.color_of(it.id)),
        _ => return None,
    };
    let is_person = color.is_some_and(|color| game.person(color).is_some());
    Some(turn.is_some() && game.has_clock && is_person)
}

fn may_move(given: &Given, game: &Game, own: Option<char>, label: &str) -> Option<bool> {
    let it = &game.replayed;
    let Some(turn) = it.turn() else { return Some(false) };
    if given.actor.is_some() && own != Some(turn) {
        return Some(false);
    }
    // Nobody can act for a computer player.
    if game.person(turn).is_none() {
        return Some(false);
    }
    Some(match (it.status(), label.eq_ignore_ascii_case("pass")) {
        (Status::Pass, is_pass) => is_pass,
        (Status::Place(cells), false) => {
            place(&label.to_lowercase()).is_some_and(|it| cells.contains(&it))
        }
        _ => false,
    })
}

/// Returns whether a player has made a move, even if it was taken back.
fn has_moved(given: &Given, game: &Game, own: char) -> bool {
    let log = shown::log(given.tables, &game.id.to_string());
    log.iter().any(|event| event.author == own.to_string() && replies::is_chosen(event.action))
}

fn may_watch(given: &Given, game: &Game, own: Option<char>) -> Option<bool> {
    let actor = given.actor?;
    let allows = |id: &str| {
        let all = given.tables.columns("player", ["id", "watchers"]);
        let mut all = all.filter(|[it, _]| *it == Some(id));
        all.any(|[_, watchers]| watchers == Some("all")) && !given.is_blocked(id, actor.id)
    };
    let mut watchers = given.tables.columns("watcher", ["game", "player"]);
    let count = watchers.by_ref().filter(|[id, _]| number(*id) == Some(game.id)).count();
    if count >= MAX_WATCHERS {
        return None;
    }
    let is_open = game.replayed.turn().is_some() && actor.address.is_some();
    Some(own.is_none() && is_open && game.people.into_iter().flatten().all(allows))
}

/// In an active game between two people there are no hints, about no position.
fn may_hint(given: &Given, game: &Game, own: Option<char>) -> Option<bool> {
    let is_active = game.replayed.turn().is_some();
    match (is_active, game.people) {
        (true, [Some(_), Some(_)]) => Some(false),
        (true, _) if given.actor.is_some() && own.is_none() => Some(false),
        _ => None,
    }
}

/// Returns how many characters words have that stay as they are; `None` if they need not.
fn characters(words: &[&String]) -> Option<usize> {
    let is_plain =
        |it: &&String| !it.contains(|letter: char| letter == '@' || letter.is_whitespace());
    let all = words.iter().map(|it| it.chars().count() + 1).sum::<usize>();
    words.iter().all(is_plain).then(|| all.saturating_sub(1))
}

/// A note has some characters, and not too many.
fn may_note(given: &Given) -> Option<bool> {
    let text: Vec<_> = given.rest.iter().skip(1).collect();
    if text.is_empty() || text.iter().any(|it| it.is_empty() || it.starts_with('-')) {
        return None;
    }
    Some(characters(&text)? <= MAX_NOTE)
}

fn may_say(given: &Given, game: &Game, own: char) -> Option<bool> {
    let is_at_once = given.rest.iter().any(|it| it == "--now");
    let text: Vec<_> = given.rest.iter().skip(1).filter(|it| *it != "--now").collect();
    if game.replayed.turn().is_none() || text.len() < 2 || text.iter().any(|it| it.starts_with('-'))
    {
        return None;
    }
    if characters(&text)? > MAX_COMMENT {
        return Some(false);
    }
    let reader = game.person(opponent(own))?;
    let columns = ["game", "reader", "said_at", "at_once"];
    let today: Vec<_> = given
        .tables
        .columns("comment", columns)
        .filter(|[id, it, at, _]| {
            number(*id) == Some(game.id)
                && *it == Some(reader)
                && number(*at).is_some_and(|at| at > given.now - DAY)
        })
        .collect();
    let at_once = today.iter().filter(|[.., at_once]| *at_once == Some("1")).count();
    let is_full = today.len() >= MAX_COMMENTS || is_at_once && at_once >= MAX_COMMENTS_AT_ONCE;
    // A comment that waits is not made twice.
    let written = text.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" ");
    let log = shown::log(given.tables, &game.id.to_string());
    if log.iter().any(|event| event.action.strip_prefix("say ") == Some(&written)) {
        return None;
    }
    Some(!is_full)
}

fn may_claim(given: &Given, game: &Game, own: char, is_late: bool) -> Option<bool> {
    let it = &game.replayed;
    let Some(turn) = it.turn() else { return Some(false) };
    if turn == own || game.person(turn).is_none() || it.paused {
        return Some(false);
    }
    if !game.has_clock {
        return match given.now - game.since < IDLE_DAYS * DAY {
            true => Some(false),
            false => clocks::can_be_claimed(given.tables, game.id, given.now),
        };
    }
    let log = shown::log(given.tables, &game.id.to_string());
    let last = log.iter().rev().find(|event| {
        let word = event.action.split(' ').next().unwrap_or_default();
        !matches!(word, "say" | "note" | "settings" | "hint" | "offer" | "decline")
    });
    match last {
        _ if is_late => None,
        Some(event) if event.action.starts_with("flag ") => Some(true),
        _ => {
            let is_flag = |event: &&shown::Event| event.action.starts_with("flag ");
            let has_flag = log[it.position_event.min(log.len())..].iter().any(|it| is_flag(&it));
            if has_flag { None } else { Some(false) }
        }
    }
}
