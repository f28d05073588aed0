//! Replies as text of a mail.

use crate::app::views::reply::{Block, Reply, fitting, wrapped};
use crate::app::views::table::Zone;
use crate::mail::LINE;
use crate::preferences::BoardStyle;
use crate::render::{Figure, Scale};
use crate::store::Player;

/// Returns a reply as lines of a mail, with boards and times as the reader has set. `disarm` changes
/// lines that could be read as commands.
pub(crate) fn mail_text(reply: &Reply, reader: &Player, disarm: fn(&str) -> String) -> String {
    let (zone, style) = (Zone::of(reader), reader.preferences.style);
    let blocks = reply.blocks.iter().map(|block| match block {
        Block::Text(text) => wrapped(&disarm(text), LINE),
        Block::Board { spoken, .. } if style == BoardStyle::Words => spoken.clone(),
        Block::Board { figures, .. } => {
            let is_small = style == BoardStyle::Compact && figures.len() == Scale::ALL.len();
            let figures = &figures[usize::from(is_small)..];
            let figure = fitting(figures, Some(LINE)).map(Figure::to_string);
            figure.unwrap_or_default().trim_end().to_owned()
        }
        Block::Table(table) => table.drawn(Some(LINE), zone, |_, text| text.to_owned()),
        Block::Plot { ascii, .. } => ascii.clone(),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}
