//! What a command prints for scripts when it is done: docs/json.md. It is what was stored.

use serde_json::{Value, json};

use super::commands::{Given, Member, seconds};
use super::cups::cup;
use super::games::LOOKS;
use super::replies::new_events;
use super::views::{Asked, difference};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::number;

/// The reply to a command says what was stored: the game or the challenge as it stands now, or whose setting, words,
/// absence, membership or place in a tournament is now what.
pub fn replies_say_what_was_done(change: &Change) -> Result<(), Violation> {
    const OF: &str = "replies_say_what_was_done";
    let (Some(given), 0) = (Given::of(change), change.status) else { return Ok(()) };
    let shown = change.ran.map(|ran| ran.shown()).unwrap_or_default();
    let Value::Object(keys) = &shown else { return Ok(()) };
    let is_game = keys.contains_key("position") && keys.contains_key("ply");
    let reply = Reply { change, given };
    let expected = if is_game { reply.game(&shown) } else { reply.expected() };
    let Some(wrong) = expected.and_then(|it| difference(&it, &shown, String::new())) else {
        return Ok(());
    };
    violated(OF, format!("{} gave {:?}: {wrong}", change.actor, change.words.join(" ")))
}

/// A command that was done.
struct Reply<'a> {
    change: &'a Change<'a>,
    given: Given<'a>,
}

impl<'a> Reply<'a> {
    /// Returns what the one who gave the command would ask then.
    fn asked(&self, game: i64) -> Asked<'a> {
        let &Change { after, now, .. } = self.change;
        let reader = self.given.actor.map(|it| [it.id, it.name]);
        Asked { reader, game, ..Asked::by(after, now, reader.unwrap_or([""; 2])) }
    }

    /// Returns the only row that is new in a table.
    fn only_new(&self, table: &str) -> Option<i64> {
        match self.change.after.added(table, self.change.before)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the game that a command must print, as `show` does. Computer players reply later.
    fn game(&self, shown: &Value) -> Option<Value> {
        let is_begun = ["new", "challenge", "accept", "rematch"].contains(&self.given.word);
        let begun = self.only_new("game").filter(|_| is_begun);
        let game = begun.or_else(|| self.given.id())?;
        let bots = self.change.after.columns_of("game", game, ["black_bot", "white_bot"]).next()?;
        let is_look = LOOKS.contains(&self.given.word) || self.given.word == "analyze";
        if bots != [None, None] || is_look {
            return Some(json!({ "game": shown["game"] }));
        }
        let mut expected = self.asked(game).show()?;
        expected["watchers"] = Value::Null;
        Some(expected)
    }

    /// Returns what a command must print that prints no game.
    fn expected(&self) -> Option<Value> {
        let Given { word, rest, actor, .. } = self.given;
        let game = self.given.id().unwrap_or_default();
        let asked = self.asked(game);
        let own = || actor.map(|it| it.name);
        let first = rest.first().map(String::as_str);
        let is_challenge = || {
            let mut games = self.change.after.columns_of("game", game, ["id"]);
            games.next().is_none() && asked.challenge(game).is_some()
        };
        match word {
            "show" | "decline" if is_challenge() => asked.challenge(game),
            "challenge" => asked.challenge(self.only_new("challenge")?),
            "say" => self.said(game, is_challenge()),
            "note" => asked.notes(),
            "plan" => asked.plan(),
            "block" | "unblock" => {
                let author = Member::named(self.change.after, first?)?.name;
                Some(json!({ "player": own()?, "author": author, "blocked": word == "block" }))
            }
            "mute" | "unmute" | "subscribe" | "unsubscribe" => {
                let is_on = matches!(word, "unmute" | "subscribe");
                Some(json!({ "game": game, "player": own()?, "subscribed": is_on }))
            }
            "watch" | "unwatch" => {
                Some(json!({ "game": game, "player": own()?, "watching": word == "watch" }))
            }
            "receipt" => Some(json!({ "player": own()?, "receipt": first? == "on" })),
            "set" => asked.settings(),
            "away" => asked.absences(),
            "page" => {
                let new = self.change.after.new_rows("outbox", self.change.before).into_iter();
                let mut kinds =
                    new.flat_map(|id| self.change.after.columns_of("outbox", id, ["kind"]));
                let is_mailed = kinds.any(|[kind]| kind == Some("own-page"));
                Some(json!({ "player": own()?, "mailed": is_mailed }))
            }
            "join" | "withdraw" | "tournament" => self.tournament(),
            _ => self.of_members(),
        }
    }

    /// Returns what `say` must print: the words as they were kept.
    fn said(&self, game: i64, is_challenge: bool) -> Option<Value> {
        let (name, is_now) =
            (self.given.actor?.name, self.given.rest.iter().any(|it| it == "--now"));
        if is_challenge {
            return Some(json!({ "challenge": game, "player": name, "at_once": true }));
        }
        let new = new_events(self.change);
        let said = new.iter().find_map(|it| it.event.action.strip_prefix("say "))?;
        // A hard flag that has fallen ends the game first.
        let turn = self.change.after.columns_of("game", game, ["turn"]).next()?;
        let is_now = is_now || turn == [None];
        Some(json!({ "game": game, "player": name, "said": said, "at_once": is_now }))
    }

    /// Returns what a command about a tournament must print: how it stands, and what was resigned.
    fn tournament(&self) -> Option<Value> {
        let (Given { word, rest, .. }, after) = (self.given, self.change.after);
        let name = match (word, rest) {
            ("tournament", [word, name, ..]) if matches!(&**word, "new" | "start" | "cancel") => {
                name
            }
            ("join" | "withdraw", [name]) => name,
            _ => return None,
        };
        let mut cups = after.columns("tournament", ["id", "name"]);
        let is_named = |it: Option<&str>| it.is_some_and(|it| it.eq_ignore_ascii_case(name));
        let id = cups.find(|[_, name]| is_named(*name)).and_then(|[id, _]| number(id))?;
        let mut expected = cup(after, id)?;
        expected.as_object_mut()?.remove("players");
        if word == "withdraw" {
            expected["resigned"] = self.games_with("resign");
        }
        Some(expected)
    }

    /// Returns the numbers of the games in which the step has brought about an event that begins so.
    fn games_with(&self, word: &str) -> Value {
        let new = new_events(self.change).into_iter();
        let own = new.filter(|it| it.event.action.split(' ').next() == Some(word));
        let mut games: Vec<_> = own.filter_map(|it| number(Some(it.game))).collect();
        games.sort_unstable();
        games.into()
    }

    /// Returns what a command about members or about time must print.
    fn of_members(&self) -> Option<Value> {
        let Given { word, rest, actor, .. } = self.given;
        let is_banned = rest.iter().any(|it| it == "--ban");
        let names = rest.iter().filter(|it| !it.starts_with("--"));
        let names: Vec<_> = names.map(String::as_str).collect();
        let named = || Member::named(self.change.after, names.first()?);
        let ended = |name: &str| {
            let [resigned, annulled] = ["resign", "annul"].map(|it| self.games_with(it));
            json!({ "player": name, "resigned": resigned, "annulled": annulled })
        };
        match word {
            "signup" | "address" => {
                named().map(|it| json!({ "player": it.name, "address": it.address }))
            }
            "rotate" => named().map(|it| json!({ "player": it.name })),
            "leave" => actor.map(|it| ended(it.name)),
            "remove" => named().map(|it| {
                let mut expected = ended(it.name);
                expected["banned"] = is_banned.into();
                expected
            }),
            "extend" => {
                let span = seconds(names.get(1)?)?;
                Some(json!({ "games": self.games_with("extend"), "seconds": span }))
            }
            _ => None,
        }
    }
}
