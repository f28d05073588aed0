//! What holds of the buttons on the page of a game.

use std::slice;

use super::commands::{Given, Member, allowed};
use super::pages::game_of;
use super::{Opened, violated};
use crate::simulator::pages;
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// What a player can do in a game besides moving.
const COMMANDS: [&str; 10] = [
    "takeback", "rematch", "draw", "pause", "unpause", "resign", "abort", "claim", "accept",
    "decline",
];

/// For how many seconds after its end something can be done on the page of a game.
const CHANGEABLE_FOR: i64 = 30 * DAY;

/// Commands that an open offer replaces: it is accepted or withdrawn.
const OFFERS: [&str; 4] = ["takeback", "rematch", "draw", "pause"];

/// The page of a game has a button for a command if its player can give it now, and none if not (`docs/web.md`).
/// Its mails can be stopped if they come, and started again if they do not.
pub fn buttons_are_for_what_is_possible(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, now } = opened;
    const OF: &str = "buttons_are_for_what_is_possible";
    let is_of_player = ["/play/", "/me/"].iter().any(|it| request.path.starts_with(it));
    let is_whole = is_of_player && !request.path.contains('?');
    let (Some(game), Some(actor)) =
        (game_of(&answer.body).filter(|_| is_whole), Member::named(tables, reader))
    else {
        return Ok(());
    };
    let forms = pages::forms(&answer.body);
    let has = |command: &str| {
        forms.iter().any(|form| form.is_post && form.value("command") == Some(command))
    };
    if has_ended_long_ago(tables, &game, now.timestamp()) {
        return match COMMANDS.iter().find(|word| has(word)) {
            Some(word) => {
                violated(OF, format!("{reader}, game {game} of old: {word} has a button"))
            }
            None => Ok(()),
        };
    }
    let has_offer = has("accept") || has("decline");
    for word in COMMANDS {
        let rest = slice::from_ref(&game);
        let given = Given { word, rest, actor: Some(actor), tables, now: now.timestamp() };
        let is_wrong = allowed(&given).is_some_and(|it| it != has(word));
        if is_wrong && !(has_offer && OFFERS.contains(&word)) {
            let found = format!(
                "{} of {reader}, game {game}: {word} has a button: {}",
                request.path,
                has(word)
            );
            return violated(OF, found);
        }
    }
    let muted = Some([Some(&*game), Some(actor.id)]);
    let is_muted = tables.columns("unsubscribed", ["game", "player"]).any(|it| Some(it) == muted);
    let wrong = if is_muted { "mute" } else { "unmute" };
    if has(wrong) {
        return violated(OF, format!("{reader}, game {game}: {wrong} has a button"));
    }
    Ok(())
}

/// Returns whether a game has ended so long ago that its page only shows it (`docs/receiving.md`).
pub(super) fn has_ended_long_ago(tables: &Tables, game: &str, now: i64) -> bool {
    let id = number(Some(game)).unwrap_or_default();
    let row = tables.columns_of("game", id, ["turn", "since"]).next();
    row.is_some_and(|[turn, since]| {
        turn.is_none() && number(since).is_some_and(|since| now >= since + CHANGEABLE_FOR)
    })
}
