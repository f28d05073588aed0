//! Replies as text of a mail.

use crate::app::views::reply::{Block, Reply, fitting};
use crate::app::views::table::Zone;
use crate::mail::{LINE, markup};
use outflank_model::Player;
use outflank_model::render::Figure;

/// Returns a reply as text of a mail, with boards and times as the reader has set.
pub(crate) fn mail_text(reply: &Reply, reader: &Player) -> String {
    let (zone, style) = (Zone::of(reader), reader.preferences.style);
    let styled = reply.shown().cloned().map(|mut block| {
        block.style(style);
        block
    });
    let blocks = styled.map(|block| match block {
        Block::Text(text) | Block::Prose(text) => text,
        Block::Board { figures, data, .. } => {
            let figure = fitting(&figures, Some(LINE), None).map(Figure::to_string);
            markup::board(figure.unwrap_or_default().trim_end(), data.as_deref())
        }
        Block::Table(table) => {
            let drawn = table.drawn(Some(LINE), zone, |_, text| text.to_owned());
            let (columns, rows) = table.cells(zone);
            markup::table(&drawn, &columns, &rows)
        }
        Block::Plot { ascii, values, .. } => markup::plot(&ascii, &values),
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}
