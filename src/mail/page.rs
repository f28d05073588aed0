use serde::Serialize;

use super::Notice;
use super::facts::Facts;
use crate::render::{self, LastMove, Style};

/// What a template of HTML can name.
#[derive(Debug, Serialize)]
pub(super) struct Page<'a> {
    #[serde(flatten)]
    facts: &'a Facts,
    /// The board, as HTML; none where that would be too long, and in a mail about no game.
    board: Option<String>,
    /// Whether there is room for the moves that may be made, and for a link to each.
    roomy: bool,
}

/// How much of a mail is shown in HTML, from all down to what always fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    All,
    /// The board in plain letters.
    Plain,
    /// No link to each move either.
    Unlinked,
    /// No board.
    Boardless,
}

impl Detail {
    pub(super) const ALL: [Self; 4] = [Self::All, Self::Plain, Self::Unlinked, Self::Boardless];
}

/// A board of more cells is too long for a mail however plainly it is drawn, and the frame of a
/// hex lattice may have millions.
const MOST_CELLS: usize = 9_000;

impl<'a> Page<'a> {
    pub(super) fn of(notice: &Notice, facts: &'a Facts, detail: Detail) -> Self {
        let roomy = matches!(detail, Detail::All | Detail::Plain);
        let style = if detail == Detail::All { Style::Full } else { Style::Plain };
        let link = |cell| facts.link_to(cell).filter(|_| roomy).map(str::to_owned);
        let game = notice.scene.map(|scene| scene.game).filter(|game| {
            let frame = game.position().frame();
            detail != Detail::Boardless && frame.rows * frame.columns <= MOST_CELLS
        });
        let board = game
            .map(|game| render::html(game.position(), LastMove::of(game).as_ref(), style, link));
        Self { facts, board, roomy }
    }
}
