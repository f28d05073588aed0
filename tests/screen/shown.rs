//! Snapshots of the screen.

use outflank::app::{Block, Column, Entry, LiveGame, Reply, Table, Values, Zone};
use outflank::tui::look::Look;
use outflank::tui::model::Model;
use outflank::tui::request::Update;
use outflank_model::log::GameId;
use outflank_model::render::{plot, words};
use outflank_rules::Color;
use ratatui::crossterm::event::KeyCode;

use super::{ASCII, MANY, NONE, SIXTEEN, live, press, text, text_and_styles, type_in};

/// The sizes of small, usual and large terminals.
const SMALL: (u16, u16) = (40, 15);
const USUAL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (200, 60);

/// A game with Black to move.
const MIDDLE: &str = "f5 d6 c3 d3 c4 f4 c5 b3 c2 e3 d2 c6 b4 b5";

/// A game on the hex lattice that has grown on all sides.
const GROWN: &str = "A4 A3 A2 D1 E0 ZZ3 ZZ4 ZZ5 YY6 B4";

/// Returns a game against another person, who offers a draw.
fn with_offer() -> LiveGame {
    LiveGame {
        names: ["ann".to_owned(), "bob".to_owned()],
        bots: [false, false],
        time: vec!["ann has 2 days left for this move.".to_owned()],
        words: vec![
            "bob: Good luck, and thank you for the game that you won yesterday!".to_owned(),
            "ann: Good luck \u{1b}[2J\u{202e}\u{65e5}\u{672c}!".to_owned(),
        ],
        offer: Some("bob (white) offers a draw.".to_owned()),
        offered_by: Some(Color::White),
        possible: vec!["resign", "takeback", "draw", "accept", "decline", "say"],
        others_waiting: 2,
        ..live("othello", None, MIDDLE)
    }
}

/// Returns the screen with the cursor on b6, which flips in two directions.
fn middle(look: Look) -> Model {
    let mut model = Model::new(with_offer(), look, true);
    for _ in 0..16 {
        press(&mut model, KeyCode::Home);
        press(&mut model, KeyCode::Up);
    }
    press(&mut model, KeyCode::PageDown);
    for _ in 0..4 {
        press(&mut model, KeyCode::Down);
    }
    model
}

#[test]
fn the_start() {
    let mut model = Model::new(live("othello", None, ""), MANY, true);
    insta::assert_snapshot!("start", text_and_styles(&mut model, USUAL));
}

#[test]
fn the_middle_in_all_looks() {
    insta::assert_snapshot!("middle-many", text_and_styles(&mut middle(MANY), USUAL));
    insta::assert_snapshot!("middle-sixteen", text_and_styles(&mut middle(SIXTEEN), USUAL));
    insta::assert_snapshot!("middle-none", text_and_styles(&mut middle(NONE), USUAL));
    insta::assert_snapshot!("middle-ascii", text(&mut middle(ASCII), USUAL));
}

#[test]
fn the_middle_at_all_sizes() {
    insta::assert_snapshot!("middle-small", text(&mut middle(MANY), SMALL));
    insta::assert_snapshot!("middle-large", text(&mut middle(NONE), LARGE));
}

#[test]
fn the_hex_lattice() {
    let mut model = Model::new(live("oddthello", None, GROWN), NONE, true);
    insta::assert_snapshot!("hex", text(&mut model, USUAL));
    insta::assert_snapshot!("hex-small", text(&mut model, SMALL));
}

#[test]
fn a_large_board_is_scrolled_to_the_cursor() {
    let mut model = Model::new(live("othello", Some("99x26"), ""), ASCII, true);
    for _ in 0..20 {
        press(&mut model, KeyCode::PageDown);
    }
    insta::assert_snapshot!("99x26", text(&mut model, USUAL));
}

#[test]
fn a_hint_stands_in_the_squares() {
    let mut model = Model::new(live("othello", None, MIDDLE), NONE, true);
    let values = [("a2", -2), ("b6", 12), ("f6", 4), ("g4", 0)];
    let moves = values.map(|(cell, value)| (cell.parse().unwrap(), value)).into();
    let values = Some(Values { game: GameId(12), ply: 14, moves });
    let hint = Reply { values, ..Reply::default() };
    model.update(Update::Reply("hint", hint, Zone::Utc));
    insta::assert_snapshot!("hint", text(&mut model, USUAL));
}

#[test]
fn a_finished_game_and_an_earlier_position() {
    let mut over = live("mini", None, "b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2");
    over.result = words::result(&over.game, over.names());
    over.possible = vec!["rematch", "analyze"];
    let mut model = Model::new(over, NONE, true);
    insta::assert_snapshot!("over", text(&mut model, USUAL));
    type_in(&mut model, "[[[[");
    insta::assert_snapshot!("earlier", text(&mut model, USUAL));
}

#[test]
fn the_list_of_games() {
    let row = |number: i64, state: &str, left: &str| -> Vec<Entry> {
        let left = Entry::Urgent(left.to_owned());
        let score = format!("{}-20", number + 3);
        vec![
            Entry::Game(GameId(number)),
            "Othello 10x10".into(),
            "ann".into(),
            "bob".into(),
            (number + 30).into(),
            score.into(),
            state.into(),
            "3 days".into(),
            left,
        ]
    };
    let columns = vec![
        Column::Number("Game"),
        Column::Prose("Variant"),
        Column::Prose("Black"),
        Column::Prose("White"),
        Column::Number("Moves"),
        Column::Text("Score"),
        Column::Prose("State"),
        Column::Text("Age"),
        Column::Text("Left"),
    ];
    let rows = (1..=30).map(|number| row(number, "ann's turn", "5 h")).collect();
    let blocks = vec![
        Block::Text("2 games wait for you.".to_owned()),
        Block::Table(Table { columns, rows }),
    ];
    let mut model = Model::new(live("othello", None, MIDDLE), SIXTEEN, true);
    model.update(Update::List(Reply { blocks, ..Reply::default() }, Zone::Utc));
    insta::assert_snapshot!("list", text_and_styles(&mut model, USUAL));
    insta::assert_snapshot!("list-small", text(&mut model, SMALL));
}

#[test]
fn pages() {
    let live = live("othello", None, MIDDLE);
    let figure = outflank_model::render::figure(
        outflank_model::render::Scale::Full,
        live.game.position(),
        None,
        &[],
    );
    let mut model = Model::new(live, SIXTEEN, true);
    press(&mut model, KeyCode::Char('?'));
    insta::assert_snapshot!("keys", text(&mut model, USUAL));
    let values: Vec<_> = (0..60).map(|number| (number * 7) % 23 - 11).collect();
    let blocks = vec![
        Block::Text("By how many discs ann (black) can expect to win:".to_owned()),
        Block::Plot { lines: plot(&values, false), ascii: plot(&values, true), values },
        Block::Prose("A paragraph that is longer than a line of the screen. ".repeat(3)),
        Block::Board { figures: vec![figure], spoken: String::new(), data: None },
    ];
    let reply = Reply { blocks, ..Reply::default() };
    model.update(Update::Reply("analyze", reply, Zone::Utc));
    insta::assert_snapshot!("analysis", text(&mut model, USUAL));
    press(&mut model, KeyCode::End);
    insta::assert_snapshot!("analysis-end", text_and_styles(&mut model, USUAL));
}

#[test]
fn every_size_can_be_drawn() {
    let games = [("othello", None), ("othello", Some("99x26")), ("oddthello", None)];
    for (variant, size) in games {
        let mut model = Model::new(live(variant, size, ""), MANY, true);
        for width in (0..64).chain([100, 500]) {
            for height in (0..32).chain([100, 500]) {
                text(&mut model, (width, height));
            }
        }
    }
}
