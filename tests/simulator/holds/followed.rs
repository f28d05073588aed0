//! What the public page of a game tells those who follow it: docs/web.md.

use std::collections::BTreeMap;

use super::violated;
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer};
use crate::simulator::tables::{Tables, number};

/// Words and offers, of which the page of a public game does not learn.
const PRIVATE: [&str; 6] = ["note", "say", "offer", "decline", "settings", "hint"];

/// The public pages of games as they were opened last.
#[derive(Debug, Default)]
pub struct Followed(BTreeMap<i64, (Vec<String>, String)>);

impl Followed {
    /// The page of a public game changes with moves and with the end, and neither with words nor with offers.
    pub fn learns_of_moves_only(
        &mut self,
        game: i64,
        answer: &Answer,
        tables: &Tables,
        now: i64,
    ) -> Result<(), Violation> {
        let Some(shown) = pages::of_main(&answer.body, "data-shown") else { return Ok(()) };
        let names = ["mark", "created_at", "deadline"];
        let Some([mark, created_at, deadline]) = tables.columns_of("game", game, names).next()
        else {
            return Ok(());
        };
        // A flag that has fallen ends the game on its page.
        if number(deadline).is_some_and(|at| at <= now) {
            return Ok(());
        }
        let log = tables.columns_of("event", game, ["author", "action"]);
        let events = log.filter_map(|[author, action]| {
            let word = action?.split(' ').next()?;
            (!PRIVATE.contains(&word)).then(|| format!("{author:?} {word}"))
        });
        let events: Vec<_> = events.chain([format!("{mark:?} {created_at:?}")]).collect();
        let old = self.0.insert(game, (events.clone(), shown.clone()));
        match old {
            Some((known, before)) if (known == events) != (before == shown) => violated(
                "public_pages_learn_of_moves_only",
                format!(
                    "game {game} showed {before} after {known:?}, and {shown} after {events:?}"
                ),
            ),
            _ => Ok(()),
        }
    }
}
