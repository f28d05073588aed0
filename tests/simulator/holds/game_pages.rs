//! What the page of a game says to its player or to one who watches it: docs/web.md.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::commands::Member;
use super::list_rows::zone_of;
use super::pages::game_of;
use super::privacy::marks;
use super::remarks::{plural, span};
use super::shown::in_words_of;
use super::views::Asked;
use super::{Opened, rows, violated};
use crate::simulator::Violation;
use crate::simulator::pages;
use crate::simulator::replay::{Replayed, label, place};
use crate::simulator::tables::{self, Tables};

/// A page of a game for somebody.
struct Page<'a> {
    asked: Asked<'a>,
    it: Replayed,
    path: &'a str,
    body: &'a str,
    texts: Vec<String>,
    /// The names of the players, black first.
    names: [String; 2],
    /// The colour of the reader; `None` for one who watches.
    own: Option<usize>,
}

/// The page of a game says whose turn it is or how the game has ended, which move and which game it is, and the
/// deadline in the reader's time zone. To its player it has the offer, the notes, the comments in their order and the
/// next game that waits; to one who watches, none of these.
pub fn game_pages_say_what_stands(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, reader, answer, tables, now } = opened;
    const OF: &str = "game_pages_say_what_stands";
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let is_of_player = path.starts_with("/play/") || path.starts_with("/me/");
    if !is_of_player && !path.starts_with("/watch/") || query.contains("plan=") {
        return Ok(());
    }
    let (Some(game), Some(member)) = (game_of(&answer.body), Member::named(tables, reader)) else {
        return Ok(());
    };
    let reader = [member.id, member.name];
    let Some(page) = Page::of(path, &answer.body, &game, reader, tables, now) else {
        return Ok(());
    };
    if page.asked.may_be_over() {
        return Ok(());
    }
    let wrong = page
        .wrong_head()
        .or_else(|| page.wrong_deadline())
        .or_else(|| page.wrong_words())
        .or_else(|| page.wrong_offer())
        .or_else(|| page.wrong_next())
        .or_else(|| page.wrong_choice(query));
    match wrong {
        None => Ok(()),
        Some(wrong) => violated(OF, format!("{path} of game {game} for {}: {wrong}", reader[1])),
    }
}

impl<'a> Page<'a> {
    fn of(
        path: &'a str,
        body: &'a str,
        game: &str,
        reader: [&'a str; 2],
        tables: &'a Tables,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let game = game.parse().ok()?;
        let asked = Asked { game, ..Asked::by(tables, now, reader) };
        let (entry, _) = asked.entry(game)?;
        let names = ["black", "white"].map(|color| entry[color].as_str().map(str::to_owned));
        let [Some(black), Some(white)] = names else { return None };
        let names = [black, white];
        let own = names.iter().position(|name| name == reader[1]);
        let it = asked.replayed()?;
        Some(Self { it, path, body, texts: pages::texts(body), names, own, asked })
    }

    fn column(&self, name: &str) -> Option<&str> {
        self.asked.tables.columns_of("game", self.asked.game, [name]).next()?[0]
    }

    fn deadline(&self) -> Option<i64> {
        tables::deadline(self.column("deadline"))
    }

    fn turn(&self) -> Option<usize> {
        self.it.turn().map(|turn| usize::from(turn == 'w'))
    }

    fn wrong_head(&self) -> Option<String> {
        let head = self.body.split_once("</header>")?.0;
        let texts = pages::texts(&head[head.find("<h1>")?..]);
        let [black, white] = &self.names;
        let headline = match (self.own, self.turn()) {
            (None, _) => format!("{black} against {white}"),
            (Some(own), Some(turn)) if own == turn => format!("Your turn, {}", self.names[own]),
            (_, Some(turn)) => format!("It is {}'s turn", self.names[turn]),
            (Some(own), None) => self.verdict(own),
        };
        let title = rows::title(self.asked.tables, "game", self.asked.game)?;
        let (id, made) = (self.asked.game, self.it.plies.len());
        let mut about = match self.turn() {
            Some(_) => format!("Move {} of game {id}: {title}.", made + 1),
            None => {
                let s = plural(i64::try_from(made).ok()?);
                format!("Game {id}: {title}, {made} move{s}.")
            }
        };
        if let Some(own) = self.own {
            let colors = ["black", "white"];
            let (other, it) = (&self.names[1 - own], colors[1 - own]);
            about += &format!(" You are {}, {other} is {it}.", colors[own]);
        }
        let is_right = texts.first().is_some_and(|it| it.starts_with(&headline))
            && texts.get(1).is_some_and(|it| it.starts_with(&about));
        (!is_right).then(|| format!("{texts:?}, not {headline:?} and {about:?}"))
    }

    /// Returns how the page begins to say how the game has ended for a player.
    fn verdict(&self, own: usize) -> String {
        let result = self.it.result();
        let (winner, reason) = result.unwrap_or_default();
        let color = ['b', 'w'][own];
        let discs = [self.it.discs('b'), self.it.discs('w')];
        let verdict = match (winner, &*reason) {
            (_, "annulled") => "Annulled",
            (_, "declined") => "",
            (Some(winner), _) if winner == color => "You won",
            (Some(_), _) => "You lost",
            (None, "agreed") => "Draw by agreement",
            (None, _) => "Draw",
        };
        match &*reason {
            "discs" | "agreed" => format!("{verdict}, {}-{}", discs[own], discs[1 - own]),
            _ => verdict.to_owned(),
        }
    }

    /// The deadline is in the zone of the reader, with the time that is left.
    fn wrong_deadline(&self) -> Option<String> {
        let now = self.asked.now.timestamp();
        let found: Vec<_> = self.texts.iter().filter(|it| it.starts_with("Deadline: ")).collect();
        let has_clock = self.column("clock") != Some("none");
        let Some(turn) = self.turn().filter(|_| has_clock) else {
            return (!found.is_empty()).then(|| format!("{found:?} without a clock"));
        };
        let deadline = self.deadline().filter(|at| *at > now && !self.has_flag())?;
        let zone = zone_of(self.asked.tables, self.asked.reader?[0]);
        let local = in_words_of(zone, deadline)?;
        let begin = format!("Deadline: {} until {local}", self.names[turn]);
        let end = format!(", in {}", span(deadline - now));
        let place = format!("({zone}");
        let is_right =
            |it: &&String| it.starts_with(&begin) && it.contains(&place) && it.ends_with(&end);
        let is_right = found.len() == 1 && found.iter().all(is_right);
        (!is_right).then(|| format!("{found:?}, not {begin:?} {place:?} {end:?}"))
    }

    /// Returns whether a flag has fallen in this turn.
    fn has_flag(&self) -> bool {
        let log = self.asked.tables.columns_of("event", self.asked.game, ["action"]);
        let mut log = log.skip(self.it.position_event);
        log.any(|[action]| action.is_some_and(|it| it.starts_with("flag ")))
    }

    /// The notes are the reader's own, and the comments are those that the reader may read, in their order.
    fn wrong_words(&self) -> Option<String> {
        let log = self.asked.tables.columns_of("event", self.asked.game, ["author", "action"]);
        let color = self.own.map(|own| ["b", "w"][own]);
        let own = log.filter(|[author, _]| color.is_some() && *author == color);
        let notes = own.filter_map(|[_, action]| action?.strip_prefix("note "));
        let expected: Vec<_> = notes.flat_map(marks).collect();
        let found = self.body.split("Your note: ").skip(1).filter_map(|it| it.split("</p>").next());
        let found: Vec<_> = found.flat_map(marks).collect();
        if found != expected {
            return Some(format!("the notes are {found:?}, not {expected:?}"));
        }
        let said = self.asked.said(&self.it);
        let expected: Vec<_> = said.iter().flat_map(|(_, _, text)| marks(text)).collect();
        let section = self.body.split("<section aria-labelledby=\"words\">").nth(1);
        let section = section.and_then(|it| it.split("</section>").next()).unwrap_or_default();
        let found: Vec<_> = marks(section).collect();
        (found != expected).then(|| format!("{found:?} was said, not {expected:?}"))
    }

    fn wrong_offer(&self) -> Option<String> {
        let has_offer = self.body.contains("<section class=\"notice\" aria-label=\"Offer\">");
        let is_open = self.own.is_some() && self.it.offer().is_some();
        (has_offer != is_open).then(|| format!("an offer is open: {is_open}"))
    }

    /// A game that was opened on the own page leads to the most urgent other one that waits, unless it waits itself.
    fn wrong_next(&self) -> Option<String> {
        let leads = self.texts.iter().find(|it| it.starts_with("Next: game "));
        let is_own_turn = self.own.is_some() && self.own == self.turn();
        let expected = || {
            let you = self.asked.reader?[1];
            let games = self.asked.active();
            let waits = |it: &&Value| it["turn"].as_str().is_some_and(|turn| it[turn] == you);
            let next = games.iter().filter(waits).find(|it| it["game"] != self.asked.game)?;
            let other = if next["black"] == you { &next["white"] } else { &next["black"] };
            Some(format!("Next: game {} against {}", next["game"], other.as_str()?))
        };
        let is_led = self.path.starts_with("/me/") && !is_own_turn;
        let expected = if is_led { expected() } else { None };
        (leads != expected.as_ref()).then(|| format!("{leads:?}, not {expected:?}"))
    }

    /// A move that was chosen and can be made is shown with the discs that it flips.
    fn wrong_choice(&self, query: &str) -> Option<String> {
        let chosen = query.strip_prefix("choose=")?;
        let is_own_turn = self.own.is_some() && self.own == self.turn();
        let mut after = self.it.board.clone();
        let cell = place(chosen).filter(|_| is_own_turn && self.body.contains("id=\"flips\""))?;
        let made = after.play(Some(cell)).into_iter().next()?;
        let cells: Option<Vec<_>> = made.flipped.iter().map(|it| label(*it, &after)).collect();
        let cells = cells?;
        let found = self.body.split("id=\"flips\">").nth(1)?.split('<').next()?;
        let (count, labels) = found.split_once(": ").unwrap_or((found, ""));
        let mut labels: Vec<_> = labels.split(", ").filter(|it| !it.is_empty()).collect();
        labels.sort_unstable();
        let mut expected: Vec<_> = cells.iter().map(String::as_str).collect();
        expected.sort_unstable();
        let counted = match expected.len() {
            0 => "flips no discs".to_owned(),
            1 => "flips 1 disc".to_owned(),
            discs => format!("flips {discs} discs"),
        };
        (count != counted || labels != expected)
            .then(|| format!("{chosen}: {found:?}, not {counted} {expected:?}"))
    }
}
