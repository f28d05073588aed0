//! Replies as text of a mail.

use crate::app::views::reply::{Block, Reply, fitting, wrapped};
use crate::app::views::table::Zone;
use crate::mail::LINE;
use crate::render::Figure;
use crate::store::Player;

/// Returns a reply as lines of a mail, with boards and times as the reader has set. `disarm` changes
/// lines that could be read as commands.
pub(crate) fn mail_text(reply: &Reply, reader: &Player, disarm: fn(&str) -> String) -> String {
    let (zone, style) = (Zone::of(reader), reader.preferences.style);
    let blocks = reply.blocks.iter().map(|block| match block.clone().styled(style) {
        Block::Text(text) => wrapped(&disarm(&text), LINE),
        Block::Prose(text) => textwrap::fill(&disarm(&text), LINE),
        Block::Board { figures, .. } => {
            let figure = fitting(&figures, Some(LINE), None).map(Figure::to_string);
            figure.unwrap_or_default().trim_end().to_owned()
        }
        Block::Table(table) => table.drawn(Some(LINE), zone, |_, text| text.to_owned()),
        Block::Plot { ascii, .. } => ascii,
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}
