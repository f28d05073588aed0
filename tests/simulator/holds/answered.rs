//! The sentence that answers a command: docs/playing.md, docs/club.md. It says what was done, and of whom.

use serde_json::Value;

use super::commands::{Given, Member};
use super::list_rows::zone_of;
use super::mail_sentences::clock_line;
use super::mail_texts::plain;
use super::replies::{New, new_events};
use super::rows::{OPEN_FOR, title_with_opening, with_message_id};
use super::tournament_tables::{Cup, shown};
use super::views::Asked;
use super::{Change, tournaments, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::server::Accepted;
use crate::simulator::tables::number;

/// The answer to an offer, a challenge, an answer to these, words, a block, or a command about members and tournaments
/// says what was done, about whom and in which game.
pub fn answers_say_what_was_done(change: &Change) -> Result<(), Violation> {
    let (Some(given), Some(ran), 0) = (Given::of(change), change.ran, change.status) else {
        return Ok(());
    };
    if !ran.has_sentences() {
        return Ok(());
    }
    let done = Done { change, given, new: new_events(change) };
    let expected = done.in_game().or_else(|| done.of_challenge()).or_else(|| done.of_people());
    let said = ran.sentences.join("\n");
    done.farewell_is_true()?;
    match expected.filter(|it| !said.contains(&**it)) {
        None => Ok(()),
        Some(expected) => violated(
            "answers_say_what_was_done",
            format!(
                "{} gave {:?}: {said:?}, not {expected:?}",
                change.actor,
                change.words.join(" ")
            ),
        ),
    }
}

/// Says when a player who gets mail reads what was said in a game.
pub(super) fn is_read(name: &str, game: i64, is_now: bool, is_active: bool) -> String {
    match (is_now, is_active) {
        (true, _) => format!("{name} is mailed what you said in game {game}."),
        (false, false) => format!("Game {game} is over, so {name} is mailed what you said."),
        (false, true) => format!("{name} reads it with the next mail of game {game}."),
    }
}

/// A command that was done.
struct Done<'a> {
    change: &'a Change<'a>,
    given: Given<'a>,
    new: Vec<New<'a>>,
}

impl Done<'_> {
    /// Returns the name of the opponent of the player who acted in a game; `None` without one.
    fn other(&self, game: i64) -> Option<String> {
        let columns = ["black", "white", "black_bot", "white_bot"];
        let row = self.change.after.columns_of("game", game, columns).next()?;
        let at = if row[0] == Some(self.given.actor?.id) { 1 } else { 0 };
        let person = row[at].and_then(|id| Member::with_id(self.change.after, id));
        person.map(|it| it.name.to_owned()).or(row[at + 2].map(str::to_owned))
    }

    /// Returns what the answer to a command about offers and words in a game says.
    fn in_game(&self) -> Option<String> {
        let (word, game, own) = (self.given.word, self.given.id()?, self.given.actor?);
        let other = self.other(game)?;
        let number_of_game = game.to_string();
        let mut own =
            self.new.iter().filter(|it| it.game == number_of_game && it.player == Some(own.id));
        let event = own.find(|it| {
            let first = it.event.action.split(' ').next().unwrap_or_default();
            matches!(first, "offer" | "accept" | "decline" | "takeback" | "unpause" | "say")
        })?;
        let columns = ["black_bot", "white_bot", "local", "turn"];
        let [black_bot, white_bot, local, turn] =
            self.change.after.columns_of("game", game, columns).next()?;
        let is_bot = black_bot.or(white_bot).is_some();
        let before = Replayed::of(self.change.after, game, event.event.number - 1).ok()?;
        let offer = before.offer();
        let is_own = offer.is_some_and(|it| it.by.to_string() == event.event.author);
        let kind = offer.map_or("", |it| &it.kind);
        let noun = match kind {
            "draw" | "rematch" => format!("offer of a {kind}"),
            _ => format!("request for a {kind}"),
        };
        match event.event.action.split_once(' ').unwrap_or((event.event.action, "")) {
            _ if local == Some("1") => None,
            ("offer", _) if is_bot => None,
            ("offer", kind @ ("draw" | "rematch")) => {
                Some(format!("You offered {other} a {kind} in game {game}."))
            }
            ("offer", "takeback") => {
                Some(format!("{other} was asked whether your last move may be taken back."))
            }
            ("offer", kind) => Some(format!("You asked {other} for a {kind} in game {game}.")),
            ("takeback", _) => Some("Your last move is taken back, and it is your turn".to_owned()),
            ("accept", _) => Some(match kind {
                "draw" => format!("You and {other} agreed on a draw in this game."),
                "pause" => "The game is paused: the clocks stand still.".to_owned(),
                "rematch" => format!("You accepted the rematch with {other}."),
                _ => format!("You let {other} take back "),
            }),
            ("decline", _) if word == "abort" => Some(format!("You ended game {game} before")),
            ("decline", _) if offer.is_none() => None,
            ("decline", _) if is_own => Some(format!("You withdrew the {noun} in game {game}.")),
            ("decline", _) => Some(format!("You declined {other}'s {noun} in game {game}.")),
            ("unpause", _) => Some("The pause is over".to_owned()),
            ("say", _) => self.read_by(game, event, &other, turn.is_some()),
            _ => None,
        }
    }

    /// Returns when the opponent reads what was said in a game, as the answer says it.
    fn read_by(&self, game: i64, event: &New, other: &str, is_active: bool) -> Option<String> {
        let color = event.event.author.chars().next()?;
        let reader = ["black", "white"][usize::from(opponent(color) == 'w')];
        let row = self.change.after.columns_of("game", game, [reader]).next()?;
        let reader = Member::with_id(self.change.after, row[0]?)?;
        let is_now = self.given.rest.iter().any(|it| it == "--now");
        Some(match reader.address {
            None => format!("{other} gets no mail, and reads it with"),
            Some(_) => is_read(other, game, is_now, is_active),
        })
    }

    /// Returns what the answer to a command about a challenge says.
    fn of_challenge(&self) -> Option<String> {
        let [own, id] =
            [Some(self.given.actor?.name.to_owned()), self.given.id().map(|it| it.to_string())];
        let asked = Asked::by(self.change.after, self.change.now, [""; 2]);
        if self.given.word == "challenge" {
            let new = self.change.after.new_rows("challenge", self.change.before);
            let it = asked.challenge(*new.first()?)?;
            let to = it["to"].as_str()?;
            return match to {
                "anyone" => self.made(*new.first()?, "anyone", "every player"),
                // The game is shown.
                to if to.starts_with("bot:") => None,
                to => self.made(*new.first()?, to, to),
            };
        }
        let id = number(id.as_deref())?;
        let it = asked.challenge(id)?;
        if self.given.word == "show" {
            return self.shown(id, &it);
        }
        // It was answered before.
        let was = self.change.before.columns_of("challenge", id, ["state"]).next()?;
        if was != [Some("open")] {
            return None;
        }
        let [by, to, state] = ["by", "to", "state"].map(|key| it[key].as_str().unwrap_or_default());
        match (self.given.word, state) {
            ("accept", "accepted") => {
                let columns = ["black", "white", "rated"];
                let [black, white, rated] =
                    self.change.after.columns_of("game", id, columns).next()?;
                let name = |id: Option<&str>| Some(Member::with_id(self.change.after, id?)?.name);
                let (black, white) = (name(black)?, name(white)?);
                let unrated = match it["rated"] == true && rated == Some("0") {
                    true => " It is not rated, because",
                    false => "",
                };
                Some(format!(
                    "You accepted the challenge by {by}. Game {id} has begun: {black} (black) - \
                     {white} (white).{unrated}"
                ))
            }
            ("decline", "declined") => Some(format!("You declined the challenge by {by}.")),
            ("decline", "withdrawn") => Some(format!("You withdrew challenge {id} to {to}.")),
            ("say", "open") => {
                let reader = if own.as_deref() == Some(by) { to } else { by };
                Some(format!("{reader} is mailed what you said about challenge {id}."))
            }
            _ => None,
        }
    }

    /// Returns the lines about a challenge that `show` prints.
    fn shown(&self, id: i64, it: &Value) -> Option<String> {
        let tables = self.change.after;
        if tables.columns_of("game", id, ["id"]).next().is_some() {
            return None;
        }
        let [by, to, state] = ["by", "to", "state"].map(|key| it[key].as_str().unwrap_or_default());
        let colors = match it["color"].as_str() {
            Some(color) => format!("{by} is {color}"),
            None => "random".to_owned(),
        };
        let [created_at] = tables.columns_of("challenge", id, ["created_at"]).next()?;
        let until = shown(zone_of(tables, self.given.actor?.id), number(created_at)? + OPEN_FOR);
        let rest = match state {
            "open" => format!(
                "Open until: {until}\nState: waits for {to}: `accept {id}` or `decline {id}`"
            ),
            state => format!("State: {state}"),
        };
        let clock = clock_line(tables, "challenge", id)?;
        Some(format!("Colours: {colors}\n{clock}\n{rest}"))
    }

    /// Returns the sentences about a new challenge: whom it challenges, to what, and until when it is open.
    fn made(&self, id: i64, to: &str, who: &str) -> Option<String> {
        let tables = self.change.after;
        let game = title_with_opening(tables, "challenge", id)?;
        let until = shown(zone_of(tables, self.given.actor?.id), self.given.now + OPEN_FOR);
        Some(format!(
            "You challenged {to} to a game of {game}.\nIt is number {id}; {who} can accept it until {until}."
        ))
    }

    /// Returns what the answer to `join` and `withdraw` says.
    fn of_tournament(&self) -> Option<String> {
        let Given { word, rest, actor, .. } = self.given;
        let (before, after) = (self.change.before, self.change.after);
        let is_it = |name: &str| name.eq_ignore_ascii_case(&rest[0]);
        let mut cups = after.columns("tournament", ["id", "name"]);
        let [id, _] = cups.find(|[_, name]| name.is_some_and(is_it))?;
        let (cup, player) = (Cup::of(after, number(id)?)?, actor?.id);
        let (name, next, joined) = (cup.name, cup.season + 1, cup.joined().len());
        if word == "withdraw" {
            let was_playing = tournaments::plays(before, name, player);
            return Some(match cup.season > 0 && !was_playing {
                true => format!("You will not play in season {next} of {name}."),
                false => format!("You have withdrawn from {name}."),
            });
        }
        let places = after.columns_of("tournament", cup.id, ["places"]).next()?[0]?;
        let when = match cup.starts_at {
            _ if cup.state == "running" => {
                format!("You play in season {next}, which starts a week after this one ends.")
            }
            _ if places == joined.to_string() && cup.season == 0 => {
                "It is full now and starts at once.".to_owned()
            }
            Some(at) => format!("It starts on {}.", shown(zone_of(after, player), at)),
            None => {
                format!("It starts when {places} players have joined, or earlier by the host.")
            }
        };
        Some(format!("You joined {name}, as number {joined}. {when}"))
    }

    /// Returns what the answer to a command about people, members and tournaments says.
    fn of_people(&self) -> Option<String> {
        let Given { word, rest, actor, .. } = self.given;
        let first = rest.first()?;
        let own = actor.map(|it| it.name);
        let named = || Member::named(self.change.after, first).map(|it| it.name);
        match word {
            "block" => Some(format!("{} has blocked {}; `unblock {}`", own?, named()?, named()?)),
            "unblock" => Some(format!("{} does not block {}.", own?, named()?)),
            "mute" | "unsubscribe" => Some(format!(
                "{} gets no turn mails for game {first} until `unmute {first}`.",
                own?
            )),
            "unmute" | "subscribe" => Some(format!("{} gets turn mails for game {first}.", own?)),
            "watch" => Some(format!("{} watches game {first} until `unwatch {first}`", own?)),
            "unwatch" => Some(format!("{} does not watch game {first}.", own?)),
            "remove" => Some(format!("{} is removed. {}", named()?, self.ended())),
            "leave" => Some(format!("{} has left. {}", own?, self.ended())),
            "join" | "withdraw" => self.of_tournament(),
            _ => None,
        }
    }

    /// The last mail to somebody who leaves says which games have ended.
    fn farewell_is_true(&self) -> Result<(), Violation> {
        let is_end = matches!(self.given.word, "leave" | "remove");
        // The last mail to another member can have waited until now.
        let is_new =
            |mail: &&Accepted| with_message_id(self.change.before, &mail.id, ["id"]).is_none();
        for mail in self.change.new_mails().iter().filter(|_| is_end).filter(is_new) {
            let text = plain(&mailer::parts(mail)[0]);
            if text.contains("This is the last mail.") && !text.contains(&self.ended()) {
                let found = format!("{:?}: {text:?}, not {:?}", self.change.words, self.ended());
                return violated("farewells_say_what_has_ended", found);
            }
        }
        Ok(())
    }

    /// Returns what is said of the games that end with a membership.
    fn ended(&self) -> String {
        let list = |title: &str, word: &str| {
            let own = self.new.iter().filter(|it| it.event.action.split(' ').next() == Some(word));
            let mut games: Vec<_> = own.filter_map(|it| number(Some(it.game))).collect();
            games.sort_unstable();
            let numbers: Vec<_> = games.iter().map(i64::to_string).collect();
            Some(match numbers.split_last()? {
                (last, []) => format!("{title}: game {last}."),
                (last, before) => format!("{title}: games {} and {last}.", before.join(", ")),
            })
        };
        let lists = [list("Resigned", "resign"), list("Annulled", "annul")];
        let lists: Vec<_> = lists.into_iter().flatten().collect();
        if lists.is_empty() { "No game was open.".to_owned() } else { lists.join(" ") }
    }
}
