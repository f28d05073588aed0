//! What people seldom do by chance: they play without an address, offer something before an automatic pass, and ask for
//! the analysis of a game that they watched.

use std::slice;

use super::{Action, Planner, by, host};
use crate::simulator::replay::Replayed;
use crate::simulator::step::MailKind;
use crate::simulator::tables::number;

impl Planner<'_> {
    /// Somebody without an address is signed up, plays, challenges and is challenged, or gets an address.
    pub(super) fn without_address(&mut self) -> Action {
        let tables = self.world.tables();
        let rows = tables.columns("player", ["name", "address", "left_at"]);
        let own = rows.filter(|[_, address, left_at]| address.is_none() && left_at.is_none());
        let own: Vec<_> = own.filter_map(|[name, ..]| name).collect();
        let count = tables.columns("player", ["id"]).count();
        let Some(player) = self.rng.choice(own).filter(|_| self.rng.u8(..8) > 0) else {
            return host(&format!("signup local{count} --no-mail"));
        };
        let (player, other, clock) =
            (player.to_owned(), self.player(), self.one(&self.taste.clocks));
        let open = tables.columns("challenge", ["id", "opponent", "bot", "state"]);
        let open = open.filter(|it| it[1..] == [None, None, Some("open")]);
        let open: Vec<_> = open.filter_map(|[id, ..]| id).collect();
        match (self.rng.u8(..12), self.rng.choice(open)) {
            (0..3, Some(id)) => by(&player, &format!("accept {id}")),
            (0..4, _) => by(&other, &format!("challenge anyone mini {clock}")),
            (4, _) => by(&player, &format!("challenge {other} mini {clock}")),
            (5, _) => by(&other, &format!("challenge {player} mini {clock}")),
            (6 | 7, _) => host(&format!("new mini {player} {other} {clock}")),
            (8, _) => host(&format!("new mini {other} {player} --rated {clock}")),
            (9, _) => by(&player, &format!("challenge anyone mini {clock}")),
            (10, _) if self.rng.bool() => {
                host(&format!("address {player} {player}@people.example"))
            }
            _ => self.rematch_of(&player),
        }
    }

    /// A player offers a rematch of the last game that is over.
    fn rematch_of(&mut self, player: &str) -> Action {
        let id = self.world.tables().columns("player", ["id", "name"]);
        let id = id.filter(|[_, name]| *name == Some(player)).find_map(|[id, _]| id);
        let games = self.world.tables().columns("game", ["id", "black", "white", "turn"]);
        let own = games.filter(|[_, black, white, turn]| {
            turn.is_none() && id.is_some() && [black, white].contains(&&id)
        });
        match own.filter_map(|[game, ..]| number(game)).last() {
            Some(game) => self.rematch(game),
            None => host(&format!("signup {player}x --no-mail")),
        }
    }

    /// Somebody offers something, and then moves so that the opponent must pass, who answers.
    pub(super) fn offers_before_pass(&mut self) -> Option<Action> {
        let mut found = Vec::new();
        for game in &self.games {
            let Ok(it) = Replayed::of(self.world.tables(), game.id, usize::MAX) else { continue };
            let passes = |mv: &String| it.after(slice::from_ref(mv)).turn() == it.turn();
            let mv = it.legal().into_iter().find(passes);
            if let (Some(mv), Some(mover), Some(other)) = (mv, game.mover(), game.waiting()) {
                found.push((game.id, mv, mover.clone(), other.clone()));
            }
        }
        let (id, mv, mover, other) = self.rng.choice(found)?;
        let offer = self.one(&["draw", "draw", "takeback", "pause"]);
        let answer = self.one(&["accept", "decline", "accept"]);
        self.one_by_one(vec![
            by(&mover, &format!("{offer} {id}")),
            by(&mover, &format!("move {id} {mv}")),
            by(&other, &format!("show {id}")),
            by(&other, &format!("{answer} {id}")),
        ])
    }

    /// Somebody who watched a game to its end asks for its analysis by mail.
    pub(super) fn asks_as_watcher(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let watchers = tables.columns("watcher", ["game", "player"]).filter(|[game, _]| {
            let id = number(*game).unwrap_or_default();
            tables.columns_of("game", id, ["turn"]).next() == Some([None])
                && tables.columns_of("analysis", id, ["game"]).next().is_none()
        });
        let watchers: Vec<_> = watchers.collect();
        let [game, player] = self.rng.choice(watchers)?;
        let about = self.address_of(&self.present(player)?);
        let text = format!("analyze {}", game?);
        let asks = Action::Mail { kind: MailKind::Verified, about, text };
        // The host has it analyzed once more.
        let again = host(&format!("analyze {} --depth 2", game?));
        self.one_by_one(vec![asks, host("send"), host("send"), again, host("send")])
    }
}
