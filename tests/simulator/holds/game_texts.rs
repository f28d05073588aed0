//! The lines above and below the board that tell a game: docs/playing.md, docs/rules.md.

use serde_json::Value;

use super::rows::{rules, variant_name};
use super::views::Asked;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::{Tables, number};

/// The commands that print the game as it stands after them.
const OF_GAMES: [&str; 7] = ["new", "move", "pass", "resign", "claim", "annul", "forfeit"];

/// How many moves are drawn by lot in an opening.
const OPENING: i64 = 8;

/// A line that begins with these words; `None` if there must be no such line.
type Line = (String, Option<String>);

/// A command that changes a game prints its title, its rules, its score, whose turn it is, and that it is rated or of a
/// tournament, each once. `new` suggests a move.
pub fn replies_tell_the_game(change: &Change) -> Result<(), Violation> {
    const OF: &str = "replies_tell_the_game";
    let word = change.words.first().map(String::as_str).unwrap_or_default();
    let ran = change.ran.filter(|ran| change.status == 0 && ran.has_sentences());
    let Some(ran) = ran.filter(|_| OF_GAMES.contains(&word)) else { return Ok(()) };
    let wrong = wrong_lines(change.after, ran, true);
    let wrong = wrong.or_else(|| wrong_suggestion(ran).filter(|_| word == "new"));
    match wrong {
        None => Ok(()),
        Some(wrong) => {
            let found = format!("{} gave {:?}: {wrong}", change.actor, change.words.join(" "));
            violated(OF, format!("{found}: {:?}", ran.sentences))
        }
    }
}

/// `show` and `next` print the same lines of a game.
pub fn views_tell_the_game(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    let is_game = words.starts_with("show GAME") || words.starts_with("next");
    if !is_game || ran.status != 0 {
        return Ok(());
    }
    match wrong_lines(asked.tables, ran, false) {
        None => Ok(()),
        Some(wrong) => {
            violated("views_tell_the_game", format!("{words}: {wrong}: {:?}", ran.sentences))
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a line that a game must have and has not, or has more than once or in vain. After a change, a computer
/// player can reply.
fn wrong_lines(tables: &Tables, ran: &Ran, is_change: bool) -> Option<String> {
    let shown = ran.shown();
    let id = shown["game"].as_i64().filter(|_| shown["position"].is_string())?;
    let [digest] = tables.columns_of("game", id, ["digest"]).next()?;
    // An imported game says that it is one.
    let is_bot = |color: &str| text(&shown[color]["player"]).starts_with("bot:");
    // A computer player replies below the same title, and then the JSON is that of the game before.
    let may_go_on = is_change && (is_bot("black") || is_bot("white")) && shown["turn"].is_string();
    let mut expected = head(tables, id, &shown)?;
    if !may_go_on {
        expected.extend(foot(&shown));
    }
    let lines: Vec<_> = ran.sentences.iter().flat_map(|text| text.lines()).collect();
    expected.into_iter().find_map(|(begin, line)| {
        let found: Vec<_> = lines.iter().filter(|it| it.starts_with(&*begin)).collect();
        let is_right = match &line {
            None => found.is_empty(),
            Some(line) => found == [&line.as_str()],
        };
        (!is_right && digest.is_none()).then(|| format!("{found:?}, not {line:?}"))
    })
}

/// Returns the lines above the board.
fn head(tables: &Tables, id: i64, shown: &Value) -> Option<Vec<Line>> {
    let letters = if shown["rules"]["rows"].is_null() { ["o", "x"] } else { ["B", "W"] };
    let [black, white] = ["black", "white"].map(|color| text(&shown[color]["player"]));
    let [variant] = tables.columns_of("game", id, ["variant"]).next()?;
    let title = variant_name(variant?);
    let title = format!(
        "Game {id}: {title}, {black} (black, {}) - {white} (white, {})",
        letters[0], letters[1]
    );
    let mut rules = rules(tables, id)?;
    let is_drawn = shown["given"].as_i64().is_some_and(|it| it > 0);
    rules.extend(is_drawn.then(|| format!("the first {OPENING} moves are drawn by lot")));
    let rules = (!rules.is_empty()).then(|| format!("Rules: {}", rules.join("; ")));
    let is_rated = shown["rated"] == true;
    Some(vec![
        (format!("Game {id}: "), Some(title)),
        ("Rules: ".to_owned(), rules),
        ("Rated.".to_owned(), is_rated.then(|| "Rated.".to_owned())),
        ("Tournament: ".to_owned(), tournament(&shown["tournament"])),
    ])
}

/// Returns the line about the tournament of a game.
fn tournament(it: &Value) -> Option<String> {
    let name = it["name"].as_str()?;
    let league = it["season"].as_i64().zip(it["division"].as_i64());
    let league = league.map(|(season, division)| format!(", season {season}, division {division}"));
    Some(format!("Tournament: {name}{}, round {}", league.unwrap_or_default(), it["round"]))
}

/// Returns the lines below the board about the score and whose turn it is.
fn foot(shown: &Value) -> Vec<Line> {
    let discs = |color: &str| format!("{color} {}", shown[color]["discs"]);
    let score = format!("Score: {}, {}", discs("black"), discs("white"));
    let turn = shown["turn"].as_str().map(|turn| {
        let must = match shown["legal"].as_array().map(Vec::as_slice) {
            Some([only]) if only == "pass" => "cannot place a disc and must pass",
            _ => "to move",
        };
        let number = shown["ply"].as_i64().unwrap_or_default() + 1;
        format!("Turn: {} ({turn}) {must} (move {number})", text(&shown[turn]["player"]))
    });
    let legal = turn.as_ref().and_then(|_| legal(shown));
    let mut lines = vec![("Score: ".to_owned(), Some(score)), ("Turn: ".to_owned(), turn)];
    lines.extend(legal.map(|legal| ("Legal: ".to_owned(), Some(legal))));
    lines
}

/// Returns the line about what can be played; `None` if there is another one.
fn legal(shown: &Value) -> Option<String> {
    if shown["rules"]["anywhere"] == true {
        return Some("Legal: any empty cell".to_owned());
    }
    // The cells of a lattice without edges have another order there.
    let is_board = shown["rules"]["rows"].is_i64();
    let cells = shown["legal"].as_array().filter(|_| is_board)?;
    let cells: Vec<_> = cells.iter().filter_map(Value::as_str).collect();
    Some(format!("Legal: {}", cells.join(" ")))
}

/// Returns what is wrong with the move that `new` suggests to the host.
fn wrong_suggestion(ran: &Ran) -> Option<String> {
    let shown = ran.shown();
    let turn = shown["turn"].as_str()?;
    let lines = ran.sentences.iter().flat_map(|text| text.lines());
    let found = lines.filter_map(|line| line.strip_prefix("To move: outflank move "));
    let found: Vec<_> = found.collect();
    let is_person = !text(&shown[turn]["player"]).starts_with("bot:");
    let is_right = match found[..] {
        [] => !is_person,
        [one] => {
            let suggested = one.split_once(' ');
            let moves = shown["legal"].as_array().map(Vec::as_slice).unwrap_or_default();
            is_person
                && suggested.is_some_and(|(game, it)| {
                    number(Some(game)) == shown["game"].as_i64() && moves.iter().any(|mv| mv == it)
                })
        }
        _ => false,
    };
    (!is_right).then(|| format!("suggests {found:?}"))
}
