//! The files that the pages of a game offer: docs/web.md.

use serde_json::Value;

use super::views::{Asked, difference};
use super::{Opened, violated};
use crate::simulator::Violation;
use crate::simulator::tables::number;

/// The JSON of a game on a page has the moves of `history`, and neither words nor hints; the transcript has the
/// moves without automatic passes.
pub fn downloads_have_the_moves(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, answer, tables, now, .. } = opened;
    const OF: &str = "downloads_have_the_moves";
    let segments: Vec<_> = request.path.trim_start_matches('/').split('/').collect();
    let (game, file) = match segments[..] {
        ["game", game, file] | ["me", _, game, file] => (number(Some(game)), file),
        // The file itself names the game.
        ["play" | "watch", _, file] => (None, file),
        _ => return Ok(()),
    };
    let shown: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let Some(game) = game.or(shown["game"].as_i64()) else { return Ok(()) };
    let asked = Asked { reader: None, game, ..Asked::by(tables, now, ["", ""]) };
    let wrong = match file {
        "game.json" => asked.history().and_then(|mut expected| {
            (expected["said"], expected["hints"]) = (Value::Null, Value::Null);
            difference(&expected, &shown, String::new())
        }),
        "game.txt" => {
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            let expected = asked.replayed().and_then(|it| asked.transcript(&it));
            expected
                .filter(|it| squeezed(it) != squeezed(&answer.body))
                .map(|it| format!("{:?}, not {it:?}", answer.body))
        }
        _ => None,
    };
    match wrong {
        None => Ok(()),
        Some(wrong) => violated(OF, format!("{} of game {game}: {wrong}", request.path)),
    }
}
