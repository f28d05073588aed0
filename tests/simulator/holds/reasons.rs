//! What a refused command says: why, which must be true, and what to type instead, which must be possible.

use super::commands::{Game, Given, Member, allowed};
use super::replies::is_chosen;
use super::rows::called;
use super::shown::in_words;
use super::views::Asked;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::shown;

/// How many hints and analyses of a player can be queued.
const MAX_ASKED: usize = 2;

/// A refusal says what is true of its game or challenge: whose turn it is, which moves are legal, what is open, how it
/// has ended.
pub fn refusals_say_why(change: &Change) -> Result<(), Violation> {
    let (Some(given), 1) = (Given::of(change), change.status) else { return Ok(()) };
    let Some(ran) = change.ran else { return Ok(()) };
    // A flag can have been recorded first.
    let given = Given { tables: change.after, ..given };
    let said = ran.sentences.join(" ");
    let said = match serde_json::from_str::<serde_json::Value>(&said) {
        Ok(json) => format!("{}; {}", json["error"].as_str().unwrap_or_default(), json["hint"]),
        Err(_) => said,
    };
    let why = Why { given: &given, change, said };
    match why.is_true() {
        Some(false) => violated(
            "refusals_say_why",
            format!("{} gave {:?}: {:?}", change.actor, change.words.join(" "), ran.sentences),
        ),
        _ => Ok(()),
    }
}

/// A command that a reply names can be given by its reader.
pub fn suggestions_are_possible(change: &Change) -> Result<(), Violation> {
    let Some((given, ran)) = Given::of(change).zip(change.ran) else { return Ok(()) };
    // They explain commands with examples.
    if matches!(given.word, "help" | "rules" | "bots") {
        return Ok(());
    }
    // What is open in a game or a challenge is shown to all alike.
    let is_meant = |line: &&str| !line.starts_with("State: ");
    let lines = ran.sentences.iter().flat_map(|text| text.lines()).filter(is_meant);
    for named in lines.flat_map(|text| text.split('`').skip(1).step_by(2)) {
        let words = named.split_whitespace().map(str::to_owned).skip_while(|it| it == "outflank");
        let words: Vec<_> = words.collect();
        let Some((word, rest)) = words.split_first() else { continue };
        let is_pattern = |it: &String| it.contains(|letter: char| letter.is_ascii_uppercase());
        // To challenge somebody else can be too much for a day.
        if matches!(&**word, "say" | "challenge") || rest.is_empty() || rest.iter().any(is_pattern)
        {
            continue;
        }
        let suggested = Given { word, rest, tables: change.after, ..given };
        if allowed(&suggested) == Some(false) {
            let found = format!("{} gave {:?}", change.actor, change.words.join(" "));
            return violated(
                "suggestions_are_possible",
                format!("{found}, and reads of `{named}`: {:?}", ran.sentences),
            );
        }
    }
    Ok(())
}

/// Returns whether the reason for a refusal is true, as an answer by mail gives it; `None` if this model does not know.
pub(super) fn is_true_in_mail(given: &Given, change: &Change, reason: &str) -> Option<bool> {
    let said =
        reason.trim().trim_end_matches('.').replace("answer with `", "answer with `outflank ");
    Why { given, change, said }.is_true()
}

/// The reason of a refusal.
struct Why<'a> {
    given: &'a Given<'a>,
    change: &'a Change<'a>,
    said: String,
}

/// Returns the text between two others.
pub(super) fn between<'a>(text: &'a str, begin: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end)?.0)
}

impl Why<'_> {
    fn has(&self, words: &str) -> bool {
        self.said.contains(words)
    }

    /// Returns whether the reason is true; `None` if this model does not know it.
    fn is_true(&self) -> Option<bool> {
        if self.has("there is no player ") {
            let named = between(&self.said, "there is no player ", " ").unwrap_or("");
            let named = named.trim_matches(['"', ',', ';']);
            return Some(Member::named(self.given.tables, named).is_none_or(|it| it.has_left));
        }
        if let Some((name, _)) = self.said.split_once(" has blocked you") {
            let other = Member::named(self.given.tables, name)?;
            return Some(self.given.is_blocked(other.id, self.given.actor?.id));
        }
        if let Some((name, _)) = self.said.split_once(" is not away") {
            let own = self.given.actor.filter(|it| it.name == name)?;
            let asked = Asked::by(self.given.tables, self.change.now, [own.id, own.name]);
            return Some(asked.absences_of(own.id).is_empty());
        }
        if self.has("hints or analyses are being worked on for you") {
            return Some(self.has_asked_enough());
        }
        let id = self.given.id()?;
        let game = Game::of(self.given.tables, id);
        if self.has(&format!("there is no game {id}")) {
            let has_challenge =
                Asked::by(self.given.tables, self.change.now, [""; 2]).challenge(id);
            // The host looks for games only.
            return Some(game.is_none() && (self.given.actor.is_none() || has_challenge.is_none()));
        }
        if self.has(&format!("hallenge {id} ")) {
            return self.is_true_of_challenge(id, game.is_some());
        }
        let game = game?;
        let own = self.given.actor.and_then(|actor| game.color_of(actor.id));
        self.is_true_of_turn(&game, own)
            .or_else(|| self.is_true_of_offers(&game, own))
            .or_else(|| self.is_true_of_people(&game, own))
    }

    /// Returns whether two hints or analyses of the player can have been queued; the mail can have asked for one itself.
    fn has_asked_enough(&self) -> bool {
        let own = self.given.actor.map(|it| it.id);
        let rows = self.change.before.columns("job", ["player", "kind"]);
        let is_asked =
            |row: &[Option<&str>; 2]| row[0] == own && matches!(row[1], Some("hint" | "analysis"));
        let written = self.change.incoming.map(|it| it.written.to_lowercase());
        let written = written.unwrap_or_default();
        let asks = ["hint", "analy"].map(|it| written.matches(it).count());
        rows.filter(is_asked).count() + asks.iter().sum::<usize>().saturating_sub(1) >= MAX_ASKED
    }

    /// Returns whether a reason about a challenge is true.
    fn is_true_of_challenge(&self, id: i64, has_begun: bool) -> Option<bool> {
        let it = Asked::by(self.given.tables, self.change.now, [""; 2]).challenge(id)?;
        let [by, to, state] = ["by", "to", "state"].map(|key| it[key].as_str().unwrap_or_default());
        let is_over = it["until"].as_str()
            <= Some(&self.change.now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
        let state = if state == "open" && is_over { "expired" } else { state };
        let own = self.given.actor.map(|it| it.name);
        let says = |words: &str| self.has(&format!("challenge {id} {words}"));
        let over = [
            ("accepted", format!("game {id} has begun")),
            ("declined", format!("{to} declined it")),
            ("withdrawn", format!("{by} withdrew it")),
            ("expired", "nobody accepted it in time".to_owned()),
        ];
        if says("is over: ") {
            let expected = over.iter().find(|(it, _)| *it == state).map(|(_, words)| words);
            return Some(expected.is_some_and(|words| self.has(words)));
        }
        if says("is your own") {
            return Some(state == "open" && own == Some(by));
        }
        if says("is to anyone") {
            return Some(state == "open" && to == "anyone");
        }
        if says("is by ") {
            let is_named = self.has(&format!("by {by} to {to}"));
            return Some(state == "open" && is_named && own != Some(by) && own != Some(to));
        }
        if says("waits for ") {
            let is_named = self.has(&format!("waits for {to}"));
            // That it is too old is not known before `send` notes it.
            return Some(it["state"] == "open" && !has_begun && is_named);
        }
        None
    }

    /// Returns whether a reason about the turn or the end of a game is true.
    fn is_true_of_turn(&self, game: &Game, own: Option<char>) -> Option<bool> {
        let (it, id) = (&game.replayed, game.id);
        if self.has(&format!("'s turn in game {id}")) {
            let turn = it.turn()?;
            let is_named = self.has(&format!("{}'s turn in game {id}", self.name(game, turn)?));
            return Some(is_named && own != Some(turn));
        }
        if self.has("is illegal: ") {
            let (begin, legal) = self.said.rsplit_once("legal: ")?;
            // A plan that is refused does not list the legal moves.
            if begin.ends_with("il") {
                return None;
            }
            // The built program prints JSON.
            let legal = legal.split('"').next()?;
            if legal == "any empty cell" {
                return Some(it.start.options.anywhere);
            }
            let mut shown: Vec<_> = legal.split(' ').map(str::to_lowercase).collect();
            let mut legal: Vec<_> = it.legal().iter().map(|it| it.to_lowercase()).collect();
            legal.sort_unstable();
            shown.sort_unstable();
            let is_hex = self.given.tables.columns_of("game", id, ["supply"]).next()?[0].is_some();
            return (!is_hex && self.given.rest.len() < 3).then(|| shown == legal);
        }
        if let Some(next) = between(&self.said, "the next move is #", ",") {
            let is_one = self.given.rest.len() < 3;
            return is_one.then(|| next.parse() == Ok(it.plies.len() + 1));
        }
        if self.has(&format!("game {id} is over: ")) {
            let result = it.result();
            let (_, result_said) = self.said.split_once(" is over: ")?;
            return Some(result.is_some_and(|(winner, reason)| {
                let named = winner.and_then(|color| self.name(game, color));
                match (named, &*reason) {
                    (_, "annulled") => result_said.starts_with("annulled"),
                    (_, "declined") => result_said.contains("declined the game"),
                    (Some(name), "forfeited") => result_said.contains(&format!("game for {name}")),
                    (Some(name), _) => result_said.starts_with(&*name),
                    (None, _) => result_said.starts_with("a draw"),
                }
            }));
        }
        if self.has(&format!("game {id} is not over")) || self.has("between two people is not over")
        {
            return Some(it.turn().is_some());
        }
        if self.has("you have already moved in game") {
            let log = shown::log(self.given.tables, &id.to_string());
            let own = own?.to_string();
            return Some(log.iter().any(|it| it.author == own && is_chosen(it.action)));
        }
        match own {
            Some(own) if self.has("you have made no move in game") => {
                Some(it.own(own).next().is_none())
            }
            _ => None,
        }
    }

    /// Returns whether a reason about an offer or a pause is true.
    fn is_true_of_offers(&self, game: &Game, own: Option<char>) -> Option<bool> {
        let (it, id) = (&game.replayed, game.id);
        let offer = it.offer();
        let is_open = |is_own: bool| {
            offer.is_some_and(|offer| {
                // A takeback can be asked for in other words.
                let is_of_kind = offer.kind == "takeback" || self.has(&offer.kind);
                (Some(offer.by) == own) == is_own && is_of_kind
            })
        };
        if self.has(&format!("no offer is open in game {id}")) {
            return Some(offer.is_none());
        }
        if self.has(&format!("in game {id} is open already"))
            || self.has(&format!("in game {id} is your own"))
        {
            return Some(is_open(true));
        }
        if self.has(&format!("answer with `outflank accept {id}` or")) {
            return Some(is_open(false));
        }
        if self.has(&format!("game {id} is paused")) {
            return Some(it.paused);
        }
        if self.has(&format!("game {id} is not paused")) {
            return Some(!it.paused);
        }
        if self.has(&format!("game {id} has no clock to stop")) {
            return Some(!game.has_clock);
        }
        if self.has("it is your own turn in game") {
            return Some(it.turn().is_some() && it.turn() == own);
        }
        self.has(&format!("the rematch of game {id} has begun already")).then(|| {
            let log = shown::log(self.given.tables, &id.to_string());
            log[it.since_event()..].iter().any(|event| event.action == "accept")
        })
    }

    /// Returns whether a reason about the players of a game is true.
    fn is_true_of_people(&self, game: &Game, own: Option<char>) -> Option<bool> {
        let (tables, id) = (self.given.tables, game.id);
        let people = || game.people.into_iter().flatten();
        if let Some((name, _)) = self.said.split_once(" allows no watchers") {
            let member = Member::named(tables, name)?;
            let row = tables.columns_of("player", member.id.parse().ok()?, ["watchers"]).next()?;
            return Some(row == [Some("none")] && people().any(|it| it == member.id));
        }
        if self.has(&format!("a player of game {id} has blocked you")) {
            let actor = self.given.actor?;
            return Some(people().any(|it| self.given.is_blocked(it, actor.id)));
        }
        if self.has(&format!("you play in game {id}")) {
            return Some(own.is_some());
        }
        if let Some((name, _)) = self.said.split_once(&format!(" does not play in game {id}")) {
            let member = Member::named(tables, name)?;
            return Some(game.color_of(member.id).is_none());
        }
        if let Some((name, _)) = self.said.split_once(" has left") {
            return Some(Member::named(tables, name)?.has_left);
        }
        self.is_late(game)
    }

    /// Returns whether somebody has time until then, where the claimant lives, as a refused claim says.
    fn is_late(&self, game: &Game) -> Option<bool> {
        let (name, time) = self.said.split_once(" has time until ")?;
        let late = game.replayed.turn()?;
        let claimant = self.given.actor?.id.parse().ok()?;
        let until = in_words(self.given.tables, claimant, game.deadline)?;
        let is_late = game.deadline > self.given.now && time.starts_with(&until);
        Some(self.name(game, late)? == name && is_late)
    }

    /// Returns the name of the player of a colour, who can be a computer player.
    fn name(&self, game: &Game, color: char) -> Option<String> {
        called(self.given.tables, game.id, color).map(str::to_owned)
    }
}
