//! A format of games, and the peculiarities of games that it can hold.

use super::reading::Reader;
use crate::app::views::comments::Comment;
use crate::portable::PublicKey;
use outflank_model::{StoredGame, words};
use outflank_rules::{Goal, Lattice, Placement, Size, Stuck};

/// A format of games.
#[derive(Debug)]
pub(crate) struct Format {
    /// Its word on the command line.
    pub word: &'static str,
    /// What it is, for the help.
    pub about: &'static str,
    /// Its media type (RFC 2046) in mails.
    pub media_type: &'static str,
    /// The peculiarities of games that it can hold.
    pub holds: &'static [Peculiarity],
    /// How `export` writes it; `None` if games are only read.
    pub writer: Option<Writer>,
    /// How `import` reads it; `None` if games are only written.
    pub reader: Option<Reader>,
}

/// How a format is written.
#[derive(Debug)]
pub(crate) struct Writer {
    /// Returns what stands before the first game of a club with this name and public key.
    pub head: fn(&str, Option<PublicKey>) -> String,
    /// Returns a game, with the end of its last line.
    pub write: fn(&Exported) -> String,
}

/// A game to be written.
pub(crate) struct Exported<'a> {
    pub stored: &'a StoredGame,
    /// The comments that the reader may see.
    pub comments: &'a [Comment<'a>],
}

words! {
    /// How a game differs from Othello on 8x8. Its word says so behind "the game".
    Peculiarity {
        /// It has no edges.
        Hex = "is played on the hex lattice",
        /// Its board has not as many rows as columns.
        Oblong = "is played on an oblong board",
        /// Its board has another size.
        Size = "is not played on 8x8",
        /// Fewer discs win.
        Misere = "is won by fewer discs",
        /// A disc need not flip any.
        Anywhere = "allows discs on any empty cell",
        /// A pass is a move of the player.
        ExplicitPass = "has explicit passes",
        /// It does not begin from the start of its rules.
        Start = "begins from a position of its own",
    }
}

impl Peculiarity {
    /// Returns whether a game has it.
    pub fn is_in(self, stored: &StoredGame) -> bool {
        let rules = stored.game.start().rules();
        let size = match rules.lattice {
            Lattice::Rectangle(size) => Some(size),
            Lattice::Hex => None,
        };
        match self {
            Self::Hex => size.is_none(),
            Self::Oblong => size.is_some_and(|size| size.rows() != size.columns()),
            Self::Size => size.is_some_and(|size| size != Size::EIGHT),
            Self::Misere => rules.goal == Goal::Fewer,
            Self::Anywhere => rules.placement == Placement::Anywhere,
            Self::ExplicitPass => rules.stuck == Stuck::MustPass,
            Self::Start => stored.agreement.custom_start,
        }
    }
}
