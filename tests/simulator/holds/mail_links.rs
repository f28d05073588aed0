//! The links in the HTML part of mails that open a new mail: docs/mail.md, docs/receiving.md.

use std::collections::BTreeSet;

use super::mail_texts::Letter;
use super::rows::of_new_mails;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::mailer;
use crate::simulator::naive::Status;
use crate::simulator::pages;
use crate::simulator::replay::place;
use crate::simulator::shown;

/// The links of a mail that open a new mail: its address, and its text.
fn links(html: &str) -> Vec<[String; 2]> {
    let links = pages::hrefs(html).into_iter().filter_map(|link| {
        let (address, fields) = link.strip_prefix("mailto:")?.split_once('?')?;
        let mut fields = fields.split('&').filter_map(|it| it.split_once('='));
        let (_, body) = fields.find(|(name, _)| *name == "body")?;
        Some([decoded(address), decoded(body).trim().to_owned()])
    });
    links.collect()
}

/// Returns a text of a link without its escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = escape.get(..2).and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        rest = if byte.is_some() { &escape[2..] } else { escape };
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Kinds of mail with links for several games, each of which has an address of its own.
const OF_SEVERAL_GAMES: [&str; 2] = ["digest", "reminder"];

/// Each link that opens a new mail writes to the address to which replies to its mail go.
pub fn links_write_to_the_reply_address(change: &Change) -> Result<(), Violation> {
    for (mail, row) in of_new_mails(change) {
        if OF_SEVERAL_GAMES.contains(&&*row.kind) {
            continue;
        }
        let reply_to = mail.field("Reply-To").unwrap_or_default().to_lowercase();
        let [_, html] = mailer::parts(mail);
        let is_other = |link: &&[String; 2]| !reply_to.contains(&link[0].to_lowercase());
        if let Some(link) = links(&html).iter().find(is_other) {
            let found = format!("{} ({}): {link:?}, not {reply_to:?}", mail.id, row.kind);
            return violated("links_write_to_the_reply_address", found);
        }
    }
    Ok(())
}

/// So many moves have a link below the board.
const MOST: usize = 20;

impl Letter<'_> {
    /// The links with moves are those that its reader can make.
    pub fn links_to_legal_moves(&self) -> Result<(), String> {
        let [_, html] = mailer::parts(self.mail);
        let links = links(&html);
        let linked = links.iter().map(|[_, body]| body.as_str()).filter(|it| shown::is_move(it));
        let linked: BTreeSet<_> = linked.collect();
        let is_right = match self.replayed.status() {
            _ if !self.is_own_turn() || self.replayed.result().is_some() => linked.is_empty(),
            Status::Place(legal) => {
                // A board can be too large for a link on each square.
                let has_other = links.iter().any(|[_, body]| body.is_empty());
                let cells: BTreeSet<_> = linked.iter().filter_map(|it| place(it)).collect();
                let is_part = (has_other || cells.len() >= MOST) && cells.is_subset(legal);
                is_part || &cells == legal && cells.len() == linked.len()
            }
            Status::Pass => linked.into_iter().eq(["pass"]),
            Status::Over(..) => linked.is_empty(),
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("links to {links:?} in {:?}", self.replayed.status())),
        }
    }
}
