//! Two things that seldom meet by chance: an answer to an old mail and a newer offer, a digest and a grace, two
//! annulled games and one `send`, a mail about a turn and `unmute`, a no to a question about verified mail and a later
//! mail.

use super::scripts::{fixed, later};
use super::{Action, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::number;

impl Planner<'_> {
    /// One of these encounters.
    pub(super) fn meets_something(&mut self) -> Option<Action> {
        match self.rng.u8(..5) {
            0 => self.answers_an_old_list(),
            1 => self.waits_for_digest_and_grace(),
            2 => self.loses_two_games(),
            3 => self.unmutes_what_was_told(),
            _ => self.says_no_to_a_question(),
        }
    }

    /// Somebody answers a list of games after an offer was made in one of them, or was made again.
    fn answers_an_old_list(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (asks, other) = if self.rng.bool() { (mover, waiting) } else { (waiting, mover) };
        let (id, address) = (game.id, self.address_of(&other));
        let offer = by(&asks, &format!("{} {id}", self.one(&["draw", "pause", "draw"])));
        let mut actions = vec![Action::Server(Mood::Good)];
        let is_open = self.rng.u8(..3) == 0;
        actions.extend(is_open.then(|| offer.clone()));
        let text = self.one(&["games", "challenges", "help"]).to_owned();
        actions.push(Action::Mail { kind: MailKind::Verified, about: address.clone(), text });
        let withdraws = is_open && self.rng.bool();
        actions.extend(withdraws.then(|| by(&asks, &format!("decline {id}"))));
        actions.push(Action::Wait { seconds: self.rng.i64(60..3_600) });
        actions.push(offer);
        let answer = self.one(&["accept", "decline"]);
        let to = format!("newest:answer:{address}");
        actions.push(Action::Reply { to, text: format!("{answer} {id}") });
        self.one_by_one(actions)
    }

    /// Somebody who gets digests is to move in two games when one is made, and the move in one of them can still be
    /// taken back.
    fn waits_for_digest_and_grace(&mut self) -> Option<Action> {
        let (_, mover, reader) = self.pair()?;
        let soon = self.world.now() + chrono::TimeDelta::hours(2);
        let grace = self.one(&["24h", "8h", "4h"]);
        let begins =
            |black: &str, white: &str| host(&format!("new mini {black} {white} --clock 5d"));
        self.scene(vec![
            fixed(by(&reader, "set quiet off")),
            fixed(by(&reader, "set timezone UTC")),
            fixed(by(&reader, &format!("set mail digest {}", soon.format("%H:%M")))),
            fixed(begins(&reader, &mover)),
            fixed(by(&mover, &format!("set grace {grace}"))),
            fixed(begins(&mover, &reader)),
            later(|it| {
                let id = it.newest_game()?;
                let mover = it.active_game(id)?.mover()?.clone();
                let legal = it.legal(id);
                Some(by(&mover, &format!("move {id} {}", it.rng.choice(legal)?)))
            }),
            fixed(Action::Serve { seconds: 3 * 3_600 }),
            fixed(Action::Serve { seconds: DAY }),
        ])
    }

    /// The host annuls two finished games that counted before the ratings are calculated again, and others end.
    fn loses_two_games(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["id", "turn", "rated", "reason"]);
        let rated = rows.filter(|[_, turn, rated, reason]| {
            turn.is_none() && *rated == Some("1") && *reason != Some("annulled")
        });
        let rated: Vec<_> = rated.filter_map(|[id, ..]| number(id)).collect();
        let mut annulled = self.rng.choose_multiple(rated, 2);
        if self.rng.u8(..3) > 0 {
            annulled.sort_unstable();
        }
        let mut actions: Vec<_> = annulled.iter().map(|id| host(&format!("annul {id}"))).collect();
        if let Some((game, mover, _)) = self.pair().filter(|_| self.rng.bool()) {
            actions.push(by(&mover, &format!("resign {}", game.id)));
        }
        actions.extend([host("send"), host("standings"), host("verify")]);
        self.one_by_one(actions)
    }

    /// Somebody mutes a game after the mail about a turn, and no longer does before the turn is over.
    fn unmutes_what_was_told(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let id = game.id;
        let mv = self.rng.choice(self.legal(id))?;
        let mut actions = vec![Action::Server(Mood::Good), by(&mover, &format!("move {id} {mv}"))];
        actions.push(Action::Serve { seconds: self.rng.i64(3_600..DAY) });
        actions.push(by(&reader, &format!("mute {id}")));
        let seconds = self.rng.i64(60..DAY);
        actions.extend(self.rng.bool().then_some(Action::Serve { seconds }));
        actions.push(by(&reader, &format!("unmute {id}")));
        self.one_by_one(actions)
    }

    /// Somebody says no to a question about verified mail, and writes unverified mail later.
    fn says_no_to_a_question(&mut self) -> Option<Action> {
        let player = self.player();
        let address = self.address_of(&player);
        let text = self.one(&["leave", "set address new@people.example"]).to_owned();
        let command = self.one(&["set quiet off", "set letter on", "set subject on"]).to_owned();
        self.one_by_one(vec![
            Action::Server(Mood::Good),
            Action::Mail { kind: MailKind::Verified, about: address.clone(), text },
            Action::Reply { to: format!("newest:confirm:{address}"), text: "no".to_owned() },
            Action::Mail { kind: MailKind::Letter, about: address, text: command },
        ])
    }
}
