//! The same command in another front end: in a mail of its own, in a reply, or with a button of a page.

use super::scripts::later;
use super::{Action, Later, Planner};
use crate::simulator::step::{Command, MailKind};

/// Commands about a game that have no more words.
const ABOUT_GAMES: [&str; 14] = [
    "accept", "decline", "draw", "takeback", "pause", "unpause", "rematch", "resign", "claim",
    "abort", "mute", "unmute", "watch", "unwatch",
];

impl Planner<'_> {
    /// Returns a command about a game, sometimes as a mail or as a page that is opened, and what follows at once.
    pub(super) fn in_some_front_end(&mut self, action: Action) -> (Action, Option<Later>) {
        let Action::Command(Command { actor: Some(player), words, is_elsewhere: false }) = &action
        else {
            return (action, None);
        };
        let ([word, id], chosen) = (&words[..], self.rng.u8(..12)) else { return (action, None) };
        let Some(id) = id.parse().ok().filter(|_| ABOUT_GAMES.contains(&&**word)) else {
            return (action, None);
        };
        let (player, word, text) = (player.clone(), word.clone(), words.join(" "));
        let about = self.address_of(&player);
        match chosen {
            0 => (Action::Mail { kind: MailKind::Verified, about, text }, None),
            1 | 2 => {
                let text = if self.rng.bool() { word } else { text };
                (self.reply_to_recent(id, &player, text).unwrap_or(action), None)
            }
            3 | 4 => match self.opens_page(id, &player) {
                Some(opens) => (opens, Some(later(move |it| it.presses(&player, &word)))),
                None => (action, None),
            },
            _ => (action, None),
        }
    }
}
