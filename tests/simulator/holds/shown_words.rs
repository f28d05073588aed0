//! What `show` says in words, which must be what its JSON says: docs/playing.md, docs/json.md.

use chrono::{DateTime, NaiveDate};
use serde_json::Value;

use super::clocks;
use super::list_rows::zone_of;
use super::mail_texts::flat;
use super::shown::{in_words, in_words_of};
use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;

/// How long a day is written.
const DAY: &str = "%A, %-d %B %Y";

/// What the line that begins with these words has; `None` if there must be no such line.
type Line = (&'static str, Option<Vec<String>>);

/// The lines of `show` below and above the board say what its JSON says: the last move, the score, whose turn it is,
/// the result, the deadline, an offer, a pause, who is away and who watches.
pub fn show_says_what_its_json_says(
    asked: &Asked,
    words: &str,
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "show_says_what_its_json_says";
    let shown = ran.shown();
    let is_game = shown["position"].is_string() && shown["game"].is_i64();
    if !words.starts_with("show GAME") || !is_game {
        return Ok(());
    }
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    let is_whole = words != "show GAME#FROM" && !shown["turn"].is_null();
    let game = Game { shown: &shown };
    let mut expected = game.lines();
    if is_whole {
        expected.extend(game.time(asked));
    }
    for (begin, parts) in expected {
        let found = lines.iter().find(|line| line.starts_with(begin));
        let is_right = match (&parts, found) {
            (None, found) => found.is_none(),
            (Some(parts), Some(line)) => parts.iter().all(|part| line.contains(&**part)),
            (Some(_), None) => false,
        };
        if !is_right {
            return violated(OF, format!("{words}: {found:?}, not {begin:?} {parts:?}: {shown}"));
        }
    }
    if words != "show GAME#FROM" {
        let said = lines.iter().filter_map(|it| it.strip_prefix('|'));
        let said = flat(&said.collect::<Vec<_>>().join(" "));
        let expected = game.said(asked);
        if expected.as_ref().is_some_and(|it| *it != said) {
            return violated(OF, format!("{words}: {said:?}, not {expected:?}"));
        }
    }
    let away: Vec<_> = lines.into_iter().filter(|line| line.starts_with("Away: ")).collect();
    let expected = if is_whole { game.absent() } else { Vec::new() };
    match away == expected {
        true => Ok(()),
        false => violated(OF, format!("{words}: {away:?}, not {expected:?}")),
    }
}

/// A game as JSON shows it.
struct Game<'a> {
    shown: &'a Value,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Game<'_> {
    fn name(&self, color: &Value) -> String {
        text(&self.shown[text(color)]["player"])
    }

    fn with_color(&self, color: &Value) -> String {
        format!("{} ({})", self.name(color), text(color))
    }

    fn has(&self, key: &str) -> bool {
        !matches!(self.shown[key], Value::Null | Value::Bool(false))
    }

    /// Returns the lines of a game as it stands or stood.
    fn lines(&self) -> Vec<Line> {
        let shown = self.shown;
        let discs = |color: &str| format!("{color} {}", shown[color]["discs"]);
        let move_number = shown["ply"].as_i64().unwrap_or_default() + 1;
        let turn = vec![self.with_color(&shown["turn"]), format!("(move {move_number})")];
        let watchers = shown["watchers"].as_array().into_iter().flatten().map(text);
        let tournament = &shown["tournament"];
        let tournament = vec![text(&tournament["name"]), format!("round {}", tournament["round"])];
        let when = |key: &str, parts: Vec<String>| self.has(key).then_some(parts);
        vec![
            ("Last move: ", when("last", vec![self.last_move()])),
            ("Score: ", Some(vec![[discs("black"), discs("white")].join(", ")])),
            ("Turn: ", when("turn", turn)),
            ("Result: ", when("result", vec![self.result()])),
            ("Offer: ", when("offer", vec![self.offer()])),
            ("Paused: ", when("paused", Vec::new())),
            ("Watched by: ", when("watchers", vec![watchers.collect::<Vec<_>>().join(", ")])),
            ("Rated.", when("rated", Vec::new())),
            ("Tournament: ", when("tournament", tournament)),
        ]
    }

    fn last_move(&self) -> String {
        let last = &self.shown["last"];
        let made = match (&last["auto"], last["move"].as_str()) {
            (Value::Bool(true), _) => "could not place a disc and passed".to_owned(),
            (_, Some("pass")) => "passed".to_owned(),
            (_, mv) => format!("{} (", mv.unwrap_or_default()),
        };
        format!("{}. {} {made}", last["ply"], self.with_color(&last["by"]))
    }

    fn result(&self) -> String {
        let result = &self.shown["result"];
        match (result["reason"].as_str(), result["winner"].as_str()) {
            (Some("annulled"), _) => "Annulled".to_owned(),
            (Some("declined"), _) => "declined the game".to_owned(),
            (Some("forfeited"), _) => "The host decided the game for".to_owned(),
            (_, None) => "A draw".to_owned(),
            (_, Some(_)) => format!("{} wins", self.with_color(&result["winner"])),
        }
    }

    fn offer(&self) -> String {
        let offer = &self.shown["offer"];
        let offers = match offer["offer"].as_str() {
            Some("draw") => "offers a draw",
            Some("takeback") => "asks to take back",
            Some("pause") => "asks for a pause",
            _ => "offers a rematch",
        };
        format!("{} {offers}", self.name(&offer["by"]))
    }

    /// Returns the lines about the clocks of an active game.
    fn time(&self, asked: &Asked) -> Vec<Line> {
        let time = ("Time: ", self.has("clock").then(Vec::new));
        let flagged = &self.shown["clock"]["flagged"];
        let parts = match flagged.as_str() {
            Some(color) => {
                let other = if color == "black" { "white" } else { "black" };
                let other = text(&self.shown[other]["player"]);
                let mut parts = vec![format!("the time of {} is over", self.name(flagged))];
                // A computer player claims nothing.
                parts.extend((!other.starts_with("bot:")).then(|| format!("{other} can claim")));
                Some(parts)
            }
            None => self.deadline(asked),
        };
        let deadline = parts.map(|parts| ("Deadline: ", Some(parts)));
        [time].into_iter().chain(deadline).chain(self.start(asked)).collect()
    }

    /// Returns the line about when the clock of the player to move starts, until it has.
    fn start(&self, asked: &Asked) -> Option<Line> {
        let (game, now) = (self.shown["game"].as_i64()?, asked.now.timestamp());
        let running = &self.shown["clock"]["running"];
        let time = clocks::time_left(asked.tables, game, now).filter(|it| it.deadline.is_some())?;
        let [black, white] = asked.tables.columns_of("game", game, ["black", "white"]).next()?;
        let player = if running.as_str()? == "white" { white } else { black }?;
        let start = in_words(asked.tables, player.parse().ok()?, time.start)?;
        let parts = vec![format!("Clock: {}'s starts on {start}", self.name(running))];
        Some(("Clock: ", (time.start > now).then_some(parts)))
    }

    /// Returns the deadline of the player to move, in the zone of that player.
    fn deadline(&self, asked: &Asked) -> Option<Vec<String>> {
        let running = self.shown["clock"]["running"].as_str()?;
        let names = ["black", "white"];
        let game = self.shown["game"].as_i64()?;
        let players = asked.tables.columns_of("game", game, names).next()?;
        let player = players[usize::from(running == "white")]?;
        let at = DateTime::parse_from_rfc3339(self.shown["deadline"].as_str()?).ok()?;
        let zone = zone_of(asked.tables, player);
        let local = in_words_of(zone, at.timestamp())?;
        let name = asked.name(Some(player))?;
        Some(vec![format!("{name} until {local}"), format!("({zone}")])
    }

    /// Returns what its players have said since the last move but one.
    fn said(&self, asked: &Asked) -> Option<String> {
        let replayed = Replayed::of(asked.tables, asked.game, usize::MAX).ok()?;
        let last_but_one = replayed.made_at.len().checked_sub(2);
        let since = last_but_one.map_or(0, |at| replayed.made_at[at]);
        let recent = asked.said(&replayed).into_iter().filter(|(event, ..)| *event > since);
        let said = recent.map(|(_, by, words)| {
            let name = text(&self.shown[if by == 'b' { "black" } else { "white" }]["player"]);
            format!("{name}: {words}")
        });
        Some(flat(&said.collect::<Vec<_>>().join(" ")))
    }

    /// Returns the lines about those who are away.
    fn absent(&self) -> Vec<String> {
        let line = |color: &str| {
            let day: NaiveDate = self.shown["away"][color].as_str()?.parse().ok()?;
            let name = self.shown[color]["player"].as_str()?;
            Some(format!("Away: {name} until {}", day.format(DAY)))
        };
        ["black", "white"].into_iter().filter_map(line).collect()
    }
}
