//! The board that fills the terminal, drawn and handled without a terminal.

mod handled;
mod random;
mod shown;

use std::collections::BTreeMap;

use outflank::app::LiveGame;
use outflank::tui::look::{Colors, Look};
use outflank::tui::model::Model;
use outflank::tui::request::Request;
use outflank_model::Moment;
use outflank_model::log::{Game, GameId};
use outflank_model::render::words;
use outflank_rules::{Overrides, Position, Variant};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::style::{Color, Style};

const MANY: Look = Look { colors: Colors::Many, ascii: false };
const SIXTEEN: Look = Look { colors: Colors::Sixteen, ascii: false };
const NONE: Look = Look { colors: Colors::None, ascii: false };
const ASCII: Look = Look { colors: Colors::None, ascii: true };

/// Returns game 12 between ann (black), who reads, and a computer player, after these moves.
fn live(variant: &str, size: Option<&str>, moves: &str) -> LiveGame {
    let size = size.map(|size| size.parse().unwrap());
    let overrides = Overrides { size, ..Overrides::default() };
    let rules = Variant::named(variant).unwrap().rules(&overrides).unwrap();
    let mut game = Game::new(Position::start(rules));
    for mv in moves.split_whitespace() {
        game.play(mv.parse().unwrap()).unwrap();
    }
    let id = GameId(12);
    LiveGame {
        id,
        title: words::title(variant, &rules),
        names: ["ann".to_owned(), "bot:6".to_owned()],
        own: [true, false],
        bots: [false, true],
        is_signed: true,
        time: Vec::new(),
        deadline: None,
        words: Vec::new(),
        offer: None,
        offered_by: None,
        result: None,
        possible: vec!["resign", "hint"],
        bot_is_due: false,
        others_waiting: 0,
        history: String::new(),
        moment: Moment::of(id, &game),
        game,
    }
}

fn press(model: &mut Model, code: KeyCode) -> Option<Request> {
    model.handle(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

/// Presses the keys of these characters, and returns the request of the last one.
fn type_in(model: &mut Model, text: &str) -> Option<Request> {
    text.chars().map(|c| press(model, KeyCode::Char(c))).last().flatten()
}

fn click(model: &mut Model, (column, row): (u16, u16)) -> Option<Request> {
    let kind = MouseEventKind::Down(MouseButton::Left);
    model.handle(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }))
}

/// Draws the screen at a size.
fn drawn(model: &mut Model, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| model.draw(frame)).unwrap();
    terminal
}

/// Returns the screen as lines, without the spaces at their ends.
fn text(model: &mut Model, size: (u16, u16)) -> String {
    lines(drawn(model, size).backend().buffer(), |buffer, at| buffer[at].symbol().to_owned())
}

/// Returns the screen as lines, below them a letter for the style of each place, and a legend.
fn text_and_styles(model: &mut Model, size: (u16, u16)) -> String {
    let mut letters: BTreeMap<String, char> = BTreeMap::new();
    let text = text(model, size);
    let styles = lines(drawn(model, size).backend().buffer(), |buffer, at| {
        let style = named(buffer[at].style());
        if style == "default on default" {
            return " ".to_owned();
        }
        let next = ('a'..).nth(letters.len()).unwrap();
        letters.entry(style).or_insert(next).to_string()
    });
    let mut legend: Vec<_> = letters.iter().map(|(style, c)| format!("{c}: {style}")).collect();
    legend.sort();
    format!("{text}\n{styles}\n{}\n", legend.join("\n"))
}

fn lines(buffer: &Buffer, of: impl FnMut(&Buffer, (u16, u16)) -> String) -> String {
    let mut of = of;
    let area = *buffer.area();
    let line = |y: u16| (0..area.width).map(|x| of(buffer, (x, y))).collect::<String>();
    let lines = (0..area.height).map(line);
    lines.map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Returns a style in words, such as `16 on 28 bold`.
fn named(style: Style) -> String {
    let color = |color: Option<Color>| match color.unwrap_or_default() {
        Color::Indexed(number) => number.to_string(),
        Color::Reset => "default".to_owned(),
        other => other.to_string().to_lowercase(),
    };
    let modifiers = style.add_modifier.iter_names().map(|(name, _)| format!(" {name}"));
    let modifiers = modifiers.collect::<String>().to_lowercase();
    format!("{} on {}{modifiers}", color(style.fg), color(style.bg))
}
