//! The page of a player: games, opponents, challenges, absence and settings.

use minijinja::context;

use crate::app::{Block, Entry, OpenChallenge};
use crate::web::pages::DeskPage;
use crate::web::pages::blocks::{Part, Row, parts};
use crate::web::pages::command::{Answer, described};
use crate::web::pages::play::notice;
use crate::web::pages::templates::{render, value};
use outflank_model::Opening;
use outflank_model::bot::FIRST;
use outflank_model::render::{LastMove, svg};
use outflank_rules::{Overrides, Position, VARIANTS};

/// The clocks that a challenge can have there, each with the option.
const CLOCKS: [(&str, &str); 5] = [
    ("3 days for each move", "--clock 3d"),
    ("1 day for each move", "--clock 1d"),
    ("7 days for each move", "--clock 7d"),
    ("10 days, and 1 more for each move", "--clock 10d+1d"),
    ("as much as you like", ""),
];

const NO_GAME: &str = "You have no game under way.";

/// Returns the page of a player. The page of a game is below it.
pub fn desk(page: &DeskPage) -> String {
    let DeskPage { site, path, name, desk, is_first, message } = *page;
    let game = |entry: &Entry| Some(format!("{path}/{}", entry.game()?));
    let mut games = parts(&desk.games, "Games", desk.zone, &game);
    // The text beside the table is for a shell or a mail.
    games.retain(|part| matches!(part, Part::Table(_)));
    for part in &mut games {
        let Part::Table(table) = part else { continue };
        table.has_pictures = true;
        for row in &mut table.rows {
            let board = desk.boards.iter().find(|(game, _)| Some(*game) == row.game);
            row.picture = board.map_or_else(String::new, |(_, game)| {
                svg(game.position(), LastMove::of(game).as_ref(), "")
            });
        }
    }
    let mut challenges = tables(parts(&desk.challenges, "Challenges", desk.zone, &|_| None));
    for part in &mut challenges {
        let Part::Table(table) = part else { continue };
        for row in &mut table.rows {
            if let Some(open) = desk.open.iter().find(|open| Some(open.id) == row.game) {
                add_answers(row, open);
            }
        }
    }
    let (tournaments, joinable) = &desk.tournaments;
    let mut tournaments = tables(parts(tournaments, "Tournaments", desk.zone, &|_| None));
    for part in &mut tournaments {
        let Part::Table(table) = part else { continue };
        for row in &mut table.rows {
            let name = row.cells.first().map(|cell| cell.text.clone()).unwrap_or_default();
            if joinable.contains(&name) {
                row.acts = vec![Answer::JOIN];
                row.text = name;
            }
        }
    }
    let (finished, next) = &desk.finished;
    let variants = variants().map(|(words, title)| context! { words, title });
    let values = context! {
        path,
        title => format!("Games of {name}"),
        name,
        message => message.and_then(notice),
        // How many games wait.
        waiting => desk.games.shown().next().and_then(Block::text).filter(|_| !desk.boards.is_empty())
            .unwrap_or(NO_GAME),
        games => value(games),
        challenges => value(challenges),
        tournaments => value(tournaments),
        finished => value(parts(finished, "Finished games", desk.zone, &game)),
        is_first,
        next,
        bots => &desk.bots,
        first_bot => FIRST,
        variants => variants.collect::<Vec<_>>(),
        clocks => CLOCKS,
        players => &desk.players,
        absence => value(parts(&desk.absence, "Absence", desk.zone, &|_| None)),
        time => context! { calendar => &desk.calendar, ended => &desk.ended },
        settings => value(&desk.settings),
    };
    render("desk.html", site, values)
}

/// Returns what can be played, each as the words of a command and with its title.
fn variants() -> impl Iterator<Item = (String, String)> {
    VARIANTS.iter().flat_map(|variant| {
        let rules = variant.rules(&Overrides::default());
        let openings = Opening::ALL.iter().filter(move |opening| {
            rules.as_ref().is_ok_and(|rules| opening.suits(&Position::start(*rules)))
        });
        let drawn = openings.map(|opening| {
            (format!("{} --opening {opening}", variant.name), opening.title(variant.title))
        });
        [(variant.name.to_owned(), variant.title.to_owned())].into_iter().chain(drawn)
    })
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
