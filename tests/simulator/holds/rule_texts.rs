//! The rules of a game in words: docs/rules.md.

use serde_json::Value;

use super::games::{misdrawn, word};
use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::naive::{Naive, Shape};
use crate::simulator::process::Ran;

/// `rules` shows the start of the game and says when a player passes, when the game ends and who wins.
pub fn rules_are_those_of_the_game(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "rules_are_those_of_the_game";
    if words != "rules GAME" || ran.status != 0 {
        return Ok(());
    }
    let Some(it) = asked.replayed() else { return Ok(()) };
    let shown = ran.shown();
    let text: Vec<_> =
        shown["text"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let text = text.join("\n");
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(missing) = sentences(&it.start).iter().find(|it| !flowing.contains(&**it)) {
        return violated(OF, format!("game {} lacks \"{missing}\": {flowing}", asked.game));
    }
    if it.start.options.shape == Shape::Hex {
        return Ok(());
    }
    match misdrawn(&text, &it.start.position_string()) {
        Some(wrong) => violated(OF, format!("the start of game {}: {wrong}", asked.game)),
        None => Ok(()),
    }
}

/// Returns what must be said of a game that begins like this.
fn sentences(start: &Naive) -> Vec<String> {
    let options = start.options;
    let is_hex = options.shape == Shape::Hex;
    let board = match options.shape {
        Shape::Rectangle { rows, columns } => {
            format!("a board of {rows} rows and {columns} columns.")
        }
        Shape::Hex => {
            "a lattice of six-sided cells without edges. Each player has 32 discs".to_owned()
        }
    };
    let may_take = match options.anywhere {
        true => "A player may take any empty cell, whether discs flip or not.",
        false => "A player may take only an empty cell where at least one disc flips.",
    };
    let stuck = match (options.anywhere, is_hex, options.explicit_pass) {
        (true, ..) => "Nobody passes. The game ends when the board is full.",
        (_, true, _) => {
            "A player who cannot flip a disc loses at once. Otherwise the game ends when all 64 discs are on the board."
        }
        (.., true) => {
            "A player who cannot flip a disc must pass, which is a move of its own. Nobody else may pass. The game \
             ends when neither player can flip a disc."
        }
        (.., false) => {
            "A player who cannot flip a disc passes automatically. The game ends when neither player can flip a disc."
        }
    };
    let goal = if options.misere { "fewer" } else { "more" };
    let directions = if is_hex { 6 } else { 8 };
    vec![
        board,
        format!("and {} moves first:", word(start.turn)),
        format!("Lines run in {directions} directions:"),
        may_take.to_owned(),
        stuck.to_owned(),
        format!(
            "Then the player with {goal} discs on the board wins; it is a draw if both have as many."
        ),
    ]
}
