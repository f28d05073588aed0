//! Mails of every kind, composed without a database.

use std::path::PathBuf;

use mail_parser::MessageParser;
use outflank::config::SubjectStyle;
use outflank::mail::{
    Composer, Disarm, Error, GameContext, MessageContext, ReplyAddress, TimeContext, Waiting,
};
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::preferences::BoardStyle;
use outflank_model::render::comment;
use outflank_model::render::words::Names;
use outflank_rules::{Cell, Color, Overrides, Position, Setup, Variant};

pub const ADDRESS: &str = "outflank+aeamydabc234567abcdefghij@club.example";
pub const TOKEN: &str = "aeamydabc234567abcdefghij";
/// The link to the page of the game.
pub const PAGE_LINK: &str = "https://club.example/othello/play/aefqgdabc234567abcdefghij";
/// The link for unsubscribing by one click.
/// A game as a signed block of text.
const BLOCK: &str = include_str!("../portable/first-version.txt");
const ONE_CLICK: &str = "https://club.example/othello/unsubscribe/aebagdabc234567abcdefghij";

/// The content of a mail, and its recipient.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    pub event: &'a str,
    pub variant: &'a str,
    /// The name of the player with the black discs.
    pub black: &'a str,
    pub size: Option<&'a str>,
    pub misere: bool,
    pub anywhere: bool,
    pub position: Option<&'a str>,
    /// Column and row of the position's first cell.
    pub frame: (i32, i32),
    pub moves: &'a str,
    /// The player who resigns at the end.
    pub resigned: Option<Color>,
    pub to: Color,
    pub text: Option<&'a str>,
    pub answerable: bool,
    pub token: Option<&'a str>,
    /// Whether the mail is about the game.
    pub of_a_game: bool,
    pub subject: SubjectStyle,
    pub style: BoardStyle,
    /// The opponent's comment.
    pub said: &'a str,
    /// Whether the players' time is limited.
    pub timed: bool,
    /// Whether there are web pages.
    pub has_pages: bool,
}

impl Default for Sample<'_> {
    fn default() -> Self {
        Self {
            event: "turn",
            variant: "othello",
            black: "alice",
            size: None,
            misere: false,
            anywhere: false,
            position: None,
            frame: (0, 1),
            moves: "",
            resigned: None,
            to: Color::Black,
            text: None,
            answerable: true,
            token: None,
            of_a_game: true,
            subject: SubjectStyle::Constant,
            style: BoardStyle::Figure,
            said: "",
            timed: false,
            has_pages: false,
        }
    }
}

/// A turn in the middle of a game.
pub const MIDDLE: Sample = Sample {
    event: "turn",
    variant: "othello",
    black: "alice",
    size: None,
    misere: false,
    anywhere: false,
    position: None,
    frame: (0, 1),
    moves: "f5d6c3d3c4f4f6f3e6e7d7c5b6",
    resigned: None,
    to: Color::White,
    text: None,
    answerable: true,
    token: None,
    of_a_game: true,
    subject: SubjectStyle::Constant,
    style: BoardStyle::Figure,
    said: "",
    timed: false,
    has_pages: false,
};

/// The parts of a composed mail.
pub struct Written {
    pub raw: String,
    pub headers: String,
    pub text: String,
    pub html: String,
}

impl Sample<'_> {
    pub fn game(&self) -> Game {
        let options = Overrides {
            size: self.size.map(|size| size.parse().unwrap()),
            misere: self.misere,
            anywhere: self.anywhere,
            ..Overrides::default()
        };
        let rules = Variant::named(self.variant).unwrap().rules(&options).unwrap();
        let start = match self.position {
            Some(position) => {
                let setup: Setup = position.parse().unwrap();
                let (column, row) = self.frame;
                setup.position(&rules, Cell::new(column, row)).unwrap()
            }
            None => Position::start(rules),
        };
        let mut game = Game::new(start);
        for played in self.moves.parse::<outflank_rules::Transcript>().unwrap().0 {
            game.play(played).unwrap();
        }
        if let Some(color) = self.resigned {
            game.apply(Event::by(color, Action::Resign)).unwrap();
        }
        game
    }

    fn is_reminder(&self) -> bool {
        self.event == "reminder"
    }

    /// Composes the mail, with the templates in this folder before the built-in ones.
    pub fn composed(&self, templates: Option<PathBuf>) -> Result<Vec<u8>, Error> {
        self.composed_with(templates, outflank::app::DISARM)
    }

    fn composed_with(&self, templates: Option<PathBuf>, disarm: Disarm) -> Result<Vec<u8>, Error> {
        let game = self.game();
        let time = TimeContext {
            control: "10 days plus 1 day for each move".to_owned(),
            own_left: "3 days".to_owned(),
            other_left: "10 days".to_owned(),
            deadline: Some("Tuesday, 24 November 2026, 18:00 (Europe/Amsterdam)".to_owned()),
        };
        let waiting = Waiting {
            left: "8 hours".to_owned(),
            until: "Tuesday, 24 November 2026, 18:00 (Europe/Amsterdam)".to_owned(),
            ends: "Your time ends on Tuesday, 24 November 2026, 18:00 (Europe/Amsterdam)."
                .to_owned(),
            then: Some("After that alice can claim the game.".to_owned()),
        };
        let author = if self.to == Color::Black { "bob" } else { self.black };
        let said = Some(self.said).filter(|said| !said.is_empty());
        let comments: Vec<_> = said.iter().map(|said| comment(author, said)).collect();
        let game_context = GameContext {
            id: GameId(12),
            variant: self.variant,
            is_rated: self.timed,
            tournament: None,
            game: &game,
            names: Names { black: self.black, white: "bob" },
            to: Some(self.to).filter(|_| !self.event.starts_with("watched")),
            bot: self.black.starts_with("bot:").then_some(Color::Black),
            thread: "game-12.abc@club.example",
            comments: &comments,
            time: self.timed.then_some(&time),
            can_accept: true,
            waiting: self.is_reminder().then_some(&waiting),
            page_link: self.has_pages.then_some(PAGE_LINK),
        };
        let address = if self.token.is_some() { "outflank@club.example" } else { ADDRESS };
        let context = MessageContext {
            challenge: None,
            challenges: &[],
            event: self.event,
            name: Some(if self.to == Color::Black { self.black } else { "bob" }),
            address: "reader@example.org",
            message_id: "12.8.turn.w.nonce.abc@club.example",
            date: "2026-11-21T10:00:00Z".parse().unwrap(),
            game: self.of_a_game.then_some(game_context),
            text: self.text,
            portable: (self.event == "over").then_some(BLOCK.trim_end()),
            attachments: &[],
            has_markup: ["answer", "watched-analysis"].contains(&self.event),
            answer: None,
            offers_page: self.has_pages && self.event == "digest",
            suggested: &[],
            sections: &[],
            in_reply_to: None,
            reply_to: self.answerable.then_some(ReplyAddress { address, token: self.token }),
            unsubscribe: self
                .answerable
                .then_some(ReplyAddress { address: "outflank+stop@club.example", token: None }),
            one_click: self.has_pages.then_some(ONE_CLICK),
            title: self.is_reminder().then_some("8 hours left in game 12 against alice"),
            subject: self.subject,
            style: self.style,
            host: "the host",
            return_path: "outflank@club.example",
        };
        let from = "Outflank <outflank@club.example>".parse().unwrap();
        let composer = Composer::new(from, templates, disarm);
        Ok(composer.compose(&context)?.bytes)
    }

    pub fn written(&self) -> Written {
        self.written_with(None)
    }

    /// Returns the mail as it is before marks are put around words that could be read as commands.
    pub fn unmarked(&self) -> Written {
        let disarm = Disarm { text: ToOwned::to_owned, html: ToOwned::to_owned };
        Written::of(self.composed_with(None, disarm).unwrap())
    }

    pub fn written_with(&self, templates: Option<PathBuf>) -> Written {
        let bytes = self.composed(templates.clone()).unwrap();
        assert_eq!(self.composed(templates).unwrap(), bytes, "the bytes are reproducible");
        Written::of(bytes)
    }
}

impl Written {
    fn of(bytes: Vec<u8>) -> Self {
        let message = MessageParser::new().parse(&bytes).unwrap();
        let piece = |text: Option<std::borrow::Cow<str>>| text.unwrap().replace("\r\n", "\n");
        let raw = String::from_utf8(bytes.clone()).unwrap();
        Self {
            headers: raw.split_once("\r\n\r\n").unwrap().0.replace("\r\n", "\n"),
            text: piece(message.body_text(0)),
            html: piece(message.body_html(0)),
            raw,
        }
    }
}
