//! The page of a player: games, challenges and settings.

use minijinja::context;
use serde::Serialize;

use crate::web::pages::DeskPage;
use crate::web::pages::blocks::{Part, Row, Title, parts};
use crate::web::pages::command::{Answer, capitalized, described};
use crate::web::pages::play::notice;
use crate::web::pages::templates::{render, value};

/// Whom an open challenge is to.
const ANYONE: &str = "anyone";

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
    let game = |title: &str, text: &str| {
        let is_page = |(game, _): &&(_, String)| title == "Game" && format!("{game}") == text;
        let (_, token) = desk.pages.iter().find(is_page)?;
        Some(format!("{prefix}/play/{token}"))
    };
    let games = tables(parts(&desk.games, "Games", &game));
    let mut challenges = tables(parts(&desk.challenges, "Challenges", &|_, _| None));
    for part in &mut challenges {
        if let Part::Table(table) = part {
            for row in &mut table.rows {
                add_answers(row, &table.columns, name);
                let is_it = |(id, _): &&(_, String)| format!("{id}") == row.text;
                let found = desk.histories.iter().find(is_it);
                row.history = found.map(|(_, history)| history.clone()).unwrap_or_default();
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

/// Adds the buttons with which this player can answer the challenge of a row.
fn add_answers(row: &mut Row, columns: &[Title], name: &str) {
    let text = |title| row.text(columns, title).unwrap_or_default().to_owned();
    let (number, by, to) = (text("Number"), text("By"), text("To"));
    let words: &[&str] = match (by == name, to == ANYONE) {
        (true, _) => &["decline"],
        (false, true) => &["accept"],
        (false, false) => &["accept", "decline"],
    };
    let is_own = by == name;
    row.acts = words.iter().filter_map(|word| Some(Answer::to(described(word)?, is_own))).collect();
    row.text = number;
}
