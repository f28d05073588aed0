//! The page of a player: games, challenges and settings.

use minijinja::context;
use serde::Serialize;

use crate::app::{Entry, OpenChallenge};
use crate::web::pages::DeskPage;
use crate::web::pages::blocks::{Part, Row, parts};
use crate::web::pages::command::{Answer, capitalized, described};
use crate::web::pages::play::notice;
use crate::web::pages::templates::{render, value};

/// A setting with its value.
#[derive(Debug, Serialize)]
struct Setting<'a> {
    word: &'a str,
    name: String,
    value: &'a str,
    meaning: &'a str,
    example: &'a str,
}

/// Returns the page of a player.
pub fn desk(page: &DeskPage) -> String {
    let DeskPage { site, path, name, desk, message } = *page;
    let prefix = &site.prefix;
    let game = |entry: &Entry| {
        let Entry::Game(id) = entry else { return None };
        let (_, token) = desk.pages.iter().find(|(game, _)| game == id)?;
        Some(format!("{prefix}/play/{token}"))
    };
    let games = tables(parts(&desk.games, "Games", &game));
    let mut challenges = tables(parts(&desk.challenges, "Challenges", &|_| None));
    for part in &mut challenges {
        if let Part::Table(table) = part {
            for row in &mut table.rows {
                let open = desk.open.iter().find(|open| Some(open.id) == row.game);
                open.into_iter().for_each(|open| add_answers(row, open));
            }
        }
    }
    let settings = desk.settings.iter().map(|it| Setting {
        word: it.word,
        name: capitalized(it.word),
        value: &it.value,
        meaning: it.meaning,
        example: it.example,
    });
    let values = context! {
        site => value(site),
        path,
        menu => (),
        preview => (),
        title => format!("Games of {name}"),
        name,
        message => message.and_then(notice),
        games => value(games),
        challenges => value(challenges),
        settings => value(settings.collect::<Vec<_>>()),
    };
    render("desk.html", values)
}

/// Leaves out the text around a table: the links and buttons of the page say what it explains.
fn tables(mut parts: Vec<Part>) -> Vec<Part> {
    if parts.iter().any(|part| matches!(part, Part::Table(_))) {
        parts.retain(|part| matches!(part, Part::Table(_)));
    }
    parts
}

/// Adds the buttons with which the player can answer the challenge of a row.
fn add_answers(row: &mut Row, open: &OpenChallenge) {
    let OpenChallenge { id, history, answers, is_own } = open;
    let answers = answers.iter().filter_map(|word| Some(Answer::to(described(word)?, *is_own)));
    row.acts = answers.collect();
    row.text = id.to_string();
    row.history.clone_from(history);
}
