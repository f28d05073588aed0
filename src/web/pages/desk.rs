//! The page of a player: games, challenges and settings.

use minijinja::context;

use crate::app::{Desk, Entry, OpenChallenge};
use crate::web::pages::blocks::{Part, Row, parts};
use crate::web::pages::command::{Answer, described};
use crate::web::pages::play::notice;
use crate::web::pages::templates::{render, value};
use crate::web::pages::{Message, Site};

/// Returns the page at this path for the player with this name. The page of a game is at the prefix,
/// `/play/` and the token.
pub fn desk(site: &Site, path: &str, name: &str, desk: &Desk, message: Option<&Message>) -> String {
    let prefix = &site.prefix;
    let game = |entry: &Entry| {
        let id = entry.game()?;
        let (_, token) = desk.pages.iter().find(|(game, _)| *game == id)?;
        Some(format!("{prefix}/play/{token}"))
    };
    let games = tables(parts(&desk.games, "Games", &game));
    let mut challenges = tables(parts(&desk.challenges, "Challenges", &|_| None));
    for part in &mut challenges {
        let Part::Table(table) = part else { continue };
        for row in &mut table.rows {
            if let Some(open) = desk.open.iter().find(|open| Some(open.id) == row.game) {
                add_answers(row, open);
            }
        }
    }
    let values = context! {
        path,
        title => format!("Games of {name}"),
        name,
        message => message.and_then(notice),
        games => value(games),
        challenges => value(challenges),
        settings => value(&desk.settings),
    };
    render("desk.html", site, values)
}

/// Leaves out the text around a table: it explains commands, and the page has links and buttons.
fn tables(mut parts: Vec<Part>) -> Vec<Part> {
    if parts.iter().any(|part| matches!(part, Part::Table(_))) {
        parts.retain(|part| matches!(part, Part::Table(_)));
    }
    parts
}

/// Adds the buttons to answer the challenge of a row.
fn add_answers(row: &mut Row, open: &OpenChallenge) {
    let OpenChallenge { id, history, answers, is_own } = open;
    let answers = answers.iter().filter_map(|word| Some(Answer::to(described(word)?, *is_own)));
    row.acts = answers.collect();
    row.text = id.to_string();
    row.history.clone_from(history);
}
