use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::app::claimed::{ClaimMails, ClaimedMails};
use crate::app::views::table::{Entry, Table};
use crate::app::{Env, Error};
use crate::log::{Game, GameId};
use crate::mail::markup;
use crate::preferences::BoardStyle;
use crate::render::{self, Figure, LastMove, Scale, spoken};
use crate::store::{Db, MailId, Tx};
use outflank_rules::{Move, Position};

/// The result of a command, for any front end.
#[derive(Debug, Default)]
pub struct Reply {
    /// The result for scripts: one JSON value.
    pub json: String,
    /// The result for people, from the top.
    pub blocks: Vec<Block>,
    /// The mails that the command queued.
    pub mails: Vec<MailId>,
    /// Those of them that were claimed with the change, to be delivered by this process.
    pub claimed: Option<ClaimedMails>,
    /// The games in which a computer player must act after the command.
    pub bots: Vec<GameId>,
    /// The rematch that the command has begun.
    pub begun: Option<GameId>,
    /// The rest of a long list, whose first part is the JSON and the last block.
    pub rest: Option<Box<dyn Rest>>,
    /// What the command has found to be wrong, which is reported after the reply.
    pub fault: Option<Error>,
    /// A document that is printed as it is, in place of all else.
    pub document: Option<Vec<u8>>,
    /// The exit status of the shell.
    pub status: u8,
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
    /// Draw the board small, even on a wide terminal
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
    pub(crate) fn new(json: &impl Serialize) -> Self {
        // The values are plain structures with string keys, which always serialize.
        Self { json: serde_json::to_string(json).unwrap_or_default(), ..Self::default() }
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

    /// Adds these games to those in which a computer player must act.
    pub(crate) fn with_bots(mut self, bots: Vec<GameId>) -> Self {
        self.bots.extend(bots);
        self
    }

    /// Leaves out the largest figures, if asked to.
    pub(crate) fn drawn(mut self, Drawing { compact }: Drawing) -> Self {
        for block in self.blocks.iter_mut().filter(|_| compact) {
            if let Block::Board { figures, .. } = block {
                figures.remove(0);
            }
        }
        self
    }

    /// Adds what followed the command: a game that is shown after it replaces the same game before it.
    pub(crate) fn followed_by(&mut self, later: Self) {
        self.mails.extend(later.mails);
        let mut blocks = later.blocks;
        let before = self.blocks.iter().position(|block| matches!(block, Block::Board { .. }));
        let after = blocks.iter_mut().find_map(|block| match block {
            Block::Board { figures, .. } => Some(figures),
            _ => None,
        });
        let (Some(at @ 1..), Some(after)) = (before, after) else {
            return self.blocks.extend(blocks);
        };
        if let Block::Board { figures, .. } = &self.blocks[at] {
            // The command may have asked for small boards.
            after.drain(..after.len().saturating_sub(figures.len()));
        }
        // The text above the board and the one below it belong to the game.
        self.blocks.splice(at - 1..self.blocks.len().min(at + 2), blocks);
    }

    /// Adds a text at the end.
    pub(crate) fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    /// Adds a paragraph at the end.
    pub(crate) fn prose(mut self, text: String) -> Self {
        self.blocks.push(Block::Prose(text));
        self
    }

    /// Adds a figure of a position at the end, at several scales.
    pub(crate) fn figure(mut self, scales: impl Into<Vec<Figure>>, position: &Position) -> Self {
        let spoken = spoken::board(position).join("\n");
        self.blocks.push(Block::Board { figures: scales.into(), spoken, data: None });
        self
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

    /// Adds the board of a game at the end, as a figure at several scales in which these moves are
    /// marked.
    pub(crate) fn board(mut self, game: &Game, marked: &[Move]) -> Self {
        let (position, last) = (game.position(), LastMove::of(game));
        let draw = |scale| render::figure_at(scale, position, last.as_ref(), marked);
        let spoken = spoken::board(position).join("\n");
        let (figures, data) = (Scale::ALL.map(draw).into(), Some(markup::board_data(game)));
        self.blocks.push(Block::Board { figures, spoken, data });
        self
    }

    /// Adds a plot of these numbers at the end.
    pub(crate) fn plot(mut self, values: Vec<i32>) -> Self {
        let (lines, ascii) = (render::plot(&values, false), render::plot(&values, true));
        self.blocks.push(Block::Plot { lines, ascii, values });
        self
    }

    /// Adds a table at the end, or this text when the table has no rows.
    pub(crate) fn table(mut self, table: Table, when_empty: &str) -> Self {
        self.blocks.push(if table.rows.is_empty() {
            Block::Text(when_empty.to_owned())
        } else {
            Block::Table(table)
        });
        self
    }

    /// Returns whether it has times or boards, which are shown as the reader has set.
    pub(crate) fn has_times_or_boards(&self) -> bool {
        let is_time = |entry: &Entry| matches!(entry, Entry::Time(_));
        self.blocks.iter().any(|block| match block {
            Block::Table(table) => table.rows.iter().flatten().any(is_time),
            Block::Board { .. } => true,
            Block::Text(_) | Block::Prose(_) | Block::Plot { .. } => false,
        })
    }
}

impl Block {
    /// Returns it with the board as this style asks.
    pub(crate) fn styled(self, style: BoardStyle) -> Self {
        match self {
            Self::Board { spoken, .. } if style == BoardStyle::Words => Self::Text(spoken),
            Self::Board { mut figures, spoken, data }
                if style == BoardStyle::Compact && figures.len() == Scale::ALL.len() =>
            {
                figures.remove(0);
                Self::Board { figures, spoken, data }
            }
            block => block,
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

/// Formats a time for JSON: RFC 3339 in UTC, to the second.
pub(crate) fn json_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
