use std::{fmt, mem};

use serde_json::Value;

use crate::app::run::claimed::{ClaimMails, ClaimedMails};
use crate::app::views::table::{Entry, Table};
use crate::app::{Env, Error};
use crate::mail::markup;
use crate::store::{Db, MailId, Tx};
use outflank_model::log::{Game, GameId};
use outflank_model::mail::Attachment;
use outflank_model::preferences::BoardStyle;
use outflank_model::render::{self, Figure, LastMove, Scale, spoken};
use outflank_rules::{Cell, Move, Position};

/// The result of a command, for any front end.
#[derive(Debug, Default)]
pub struct Reply {
    /// The result for scripts.
    pub json: Json,
    /// Sentences about the result, for people.
    pub said: Vec<Block>,
    /// The game as it stands then, if it is shown below that.
    pub game: Vec<Block>,
    /// The rest of the result for people.
    pub blocks: Vec<Block>,
    /// What the moves of a position are worth.
    pub values: Option<Values>,
    /// Whether boards are drawn small, even where there is room.
    pub is_compact: bool,
    /// The mails that the command queued.
    pub mails: Vec<MailId>,
    /// Those of them that were claimed with the change, to be delivered by this process.
    pub claimed: Option<ClaimedMails>,
    /// The games where a computer player must act after the command.
    pub bots: Vec<GameId>,
    /// The game that the command has begun.
    pub begun: Option<GameId>,
    /// The rest of a long list; its first part is in the JSON and the last block.
    pub rest: Option<Box<dyn Rest>>,
    /// The fault that the command has found, reported after the reply.
    pub fault: Option<Error>,
    /// A document that is printed unchanged, in place of everything else.
    pub document: Option<Vec<u8>>,
    /// The file that a mail with the reply brings.
    pub attachment: Option<Attachment>,
    /// The exit status of the shell.
    pub status: u8,
}

/// A result for scripts.
#[derive(Debug)]
pub enum Json {
    /// A JSON value.
    Value(String),
    /// An object with an array of these elements as its only key.
    List(&'static str, String),
}

impl Default for Json {
    fn default() -> Self {
        Self::Value(String::new())
    }
}

/// What the moves of a position are worth.
#[derive(Debug)]
pub struct Values {
    /// The game.
    pub game: GameId,
    /// How many moves it had.
    pub ply: usize,
    /// The moves that place a disc, the best first, each with the discs by which it can be expected to win.
    pub moves: Vec<(Cell, i32)>,
}

/// The rest of a long list, which is read part by part while it is printed.
pub trait Rest: fmt::Debug + Send {
    /// Reads the next part; `None` at the end.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn next(&mut self, db: &Db) -> Result<Option<Part>, Error>;
}

/// A part of a long list.
#[derive(Debug)]
pub struct Part {
    /// The elements of a JSON array, without its brackets.
    pub json: String,
    /// The rows.
    pub table: Table,
}

/// How a command draws the board.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Drawing {
    /// Draw the board small
    #[arg(long)]
    compact: bool,
}

/// A part of a reply.
#[derive(Debug, Clone)]
pub enum Block {
    /// Lines of text, wrapped as in a list.
    Text(String),
    /// A paragraph, wrapped flush left.
    Prose(String),
    /// A board as the same figure at several scales, the largest first, and in words.
    Board {
        /// The figures.
        figures: Vec<Figure>,
        /// The words.
        spoken: String,
        /// What a mail in HTML draws it from; `None` if it shows the figure.
        data: Option<String>,
    },
    /// A table.
    Table(Table),
    /// Lines that are neither wrapped nor changed.
    Plot {
        /// The lines.
        lines: String,
        /// The same in ASCII.
        ascii: String,
        /// The numbers.
        values: Vec<i32>,
    },
}

impl Reply {
    /// Returns a reply with this JSON and nothing else yet.
    pub(crate) fn new(json: &Value) -> Self {
        Self { json: Json::Value(json.to_string()), ..Self::default() }
    }

    /// Returns a reply with a list of these elements as JSON, and nothing else yet.
    pub(crate) fn list(key: &'static str, elements: impl IntoIterator<Item = Value>) -> Self {
        Self { json: Json::List(key, json_elements(elements)), ..Self::default() }
    }

    /// Adds these mails to those that the command queued.
    pub(crate) fn with_mails(mut self, mails: Vec<MailId>) -> Self {
        self.mails.extend(mails);
        self
    }

    /// Claims the mails in the transaction that queued them.
    pub(crate) fn claim(&mut self, claims: ClaimMails, env: &Env, tx: &Tx) -> Result<(), Error> {
        // What a computer player does next may supersede the mails.
        if self.bots.is_empty() {
            self.claimed = claims.of(env, tx, &self.mails)?;
        }
        Ok(())
    }

    /// Adds games where a computer player must act.
    pub(crate) fn with_bots(mut self, bots: Vec<GameId>) -> Self {
        self.bots.extend(bots);
        self
    }

    /// Leaves out the largest figures, if asked to.
    pub(crate) fn drawn(mut self, Drawing { compact }: Drawing) -> Self {
        if compact {
            self.style(BoardStyle::Compact);
        }
        Self { is_compact: compact, ..self }
    }

    /// Draws the boards as this style asks.
    pub(crate) fn style(&mut self, style: BoardStyle) {
        let Self { said, game, blocks, .. } = self;
        said.iter_mut().chain(game).chain(blocks).for_each(|block| block.style(style));
    }

    /// Adds a later reply; its game replaces the one that is shown.
    pub(crate) fn followed_by(&mut self, later: Self) {
        let later = later.drawn(Drawing { compact: self.is_compact });
        self.mails.extend(later.mails);
        self.said.extend(later.said);
        if !later.game.is_empty() {
            self.game = later.game;
        }
        self.blocks.extend(later.blocks);
    }

    /// Adds a sentence about the result.
    pub(crate) fn said(mut self, sentence: impl Into<String>) -> Self {
        self.said.push(Block::Text(sentence.into()));
        self
    }

    /// Returns a reply that is this text, for people only.
    pub fn of_text(text: String) -> Self {
        Self::default().text(text)
    }

    /// Adds a block at the end.
    pub(crate) fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// Shows the result for people as the game as it stands.
    pub(crate) fn shown_as_game(self) -> Self {
        Self { game: self.blocks, blocks: Vec::new(), ..self }
    }

    /// Returns all that it shows people, from the top.
    pub fn shown(&self) -> impl Iterator<Item = &Block> + Clone {
        self.said.iter().chain(&self.game).chain(&self.blocks)
    }

    /// Adds a text at the end.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        self.block(Block::Text(text.into()))
    }

    /// Adds a paragraph at the end.
    pub(crate) fn prose(self, text: String) -> Self {
        self.block(Block::Prose(text))
    }

    /// Adds a figure of a position at the end, at several scales.
    pub(crate) fn figure(self, scales: impl Into<Vec<Figure>>, position: &Position) -> Self {
        let spoken = spoken::board(position).join("\n");
        self.block(Block::Board { figures: scales.into(), spoken, data: None })
    }

    /// Adds the two figures of a move with arrows at the end, each below its caption. Each step has the
    /// position that stands for its figure in words; `after` is that after the move.
    pub(crate) fn steps<'p>(
        mut self,
        after: &Position,
        last: &LastMove,
        steps: impl IntoIterator<Item = (String, &'p Position)>,
    ) -> Self {
        let figures = Scale::ALL.map(|scale| render::arrow_figures(scale, after, last));
        for (step, (caption, position)) in steps.into_iter().enumerate() {
            let of_step = figures.each_ref().map(|figures| figures[step].clone());
            self = self.text(caption).figure(of_step, position);
        }
        self
    }

    /// Adds the board of a game at the end, at several scales and with these moves marked.
    pub(crate) fn board(self, game: &Game, marked: &[Move]) -> Self {
        let (position, last) = (game.position(), LastMove::of(game));
        let draw = |scale| render::figure(scale, position, last.as_ref(), marked);
        let spoken = spoken::board(position).join("\n");
        let (figures, data) = (Scale::ALL.map(draw).into(), Some(markup::board_data(game)));
        self.block(Block::Board { figures, spoken, data })
    }

    /// Adds a plot of these numbers at the end.
    pub(crate) fn plot(self, values: Vec<i32>) -> Self {
        let (lines, ascii) = (render::plot(&values, false), render::plot(&values, true));
        self.block(Block::Plot { lines, ascii, values })
    }

    /// Adds a table at the end, or this text when the table has no rows; an empty text adds nothing.
    pub(crate) fn table(self, table: Table, when_empty: &str) -> Self {
        match table.rows.is_empty() {
            true if when_empty.is_empty() => self,
            true => self.text(when_empty),
            false => self.block(Block::Table(table)),
        }
    }

    /// Returns whether it has times or boards, which are shown as the reader has set.
    pub(crate) fn has_times_or_boards(&self) -> bool {
        let is_time = |entry: &Entry| matches!(entry, Entry::Time(_));
        self.shown().any(|block| match block {
            Block::Table(table) => table.rows.iter().flatten().any(is_time),
            Block::Board { .. } => true,
            Block::Text(_) | Block::Prose(_) | Block::Plot { .. } => false,
        })
    }
}

impl Block {
    /// Returns its text; `None` if it is none.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Prose(text) => Some(text),
            Self::Board { .. } | Self::Table(_) | Self::Plot { .. } => None,
        }
    }

    /// Draws the board as this style asks.
    pub(crate) fn style(&mut self, style: BoardStyle) {
        let Self::Board { figures, spoken, .. } = self else { return };
        match style {
            BoardStyle::Words => *self = Self::Text(mem::take(spoken)),
            BoardStyle::Compact if figures.len() == Scale::ALL.len() => drop(figures.remove(0)),
            BoardStyle::Compact | BoardStyle::Figure => {}
        }
    }
}

/// Returns the first figure that fits into this width and this number of lines, or else the last one.
/// Where all are too high, the lowest ones count as fitting.
pub fn fitting(figures: &[Figure], width: Option<usize>, height: Option<usize>) -> Option<&Figure> {
    let lowest = figures.iter().map(|figure| figure.lines.len()).min().unwrap_or(0);
    let fits = |figure: &&Figure| {
        width.is_none_or(|width| figure.width() <= width)
            && height.is_none_or(|height| figure.lines.len() <= height.max(lowest))
    };
    figures.iter().find(fits).or(figures.last())
}

/// Returns values as the elements of a JSON array, without its brackets.
pub(crate) fn json_elements(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}
