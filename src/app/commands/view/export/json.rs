//! One JSON object a line. The first has the version of the format.

use serde_json::json;

use super::format::{Exported, Format, Peculiarity};
use crate::app::commands::view::history;
use crate::app::views::game::{View, rules_to_json, tournament_to_json};
use crate::app::views::json::{json_time, merged};
use outflank_rules::Color;

pub(super) const FORMAT: Format = Format {
    word: "json",
    about: "JSON for scripts, a game a line",
    holds: Peculiarity::ALL,
    head: || format!("{}\n", json!({ "format": "outflank-games", "version": 1 })),
    write,
};

fn write(Exported { stored, comments }: &Exported) -> String {
    let (agreement, start) = (&stored.agreement, stored.game.start());
    let own_start = agreement.custom_start.then(|| {
        let frame = start.rules().lattice.label(start.frame().first);
        json!({ "start": start.to_string(), "frame": frame })
    });
    let game = json!({
        "game": stored.id.0,
        "variant": agreement.variant,
        "rules": rules_to_json(start.rules()),
        "black": stored.name(Color::Black),
        "white": stored.name(Color::White),
        "began": json_time(stored.started),
        "since": json_time(stored.since()),
        "clock": agreement.terms.control.to_string(),
        "rated": agreement.rated,
        "result": View::new(stored, &stored.game).result_to_json(),
    });
    let tournament = stored.tournament.as_ref().map(tournament_to_json);
    let moves = history::moves_to_json(stored, comments);
    format!("{}\n", merged([game, own_start.into(), tournament.into(), moves]))
}
