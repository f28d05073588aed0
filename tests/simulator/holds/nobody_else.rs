//! A mail goes only to those whom docs/mail.md names for its kind, and only if there was something to tell.

use super::HOST;
use super::replies::is_chosen;
use super::rows::{Game, Mail, has_blocked, of_player, watchers};
use super::told::{Told, opponents};
use crate::simulator::replay::Replayed;
use crate::simulator::shown::is_move;
use crate::simulator::tables::number;

/// Kinds of mail that answer their reader, also about games that `play` has begun.
const ANSWERS: [&str; 3] = ["answer", "mismatch", "confirm"];

/// Kinds of mail that only the players of a game get.
const OF_PLAYERS: [&str; 7] = ["started", "turn", "over", "receipt", "flagged", "notice", "paused"];

impl Told<'_> {
    /// Returns whether this new mail goes to somebody who is to be told of something in this step.
    pub fn is_due(&self, mail: &Mail) -> bool {
        let (before, after) = (self.change.before, self.change.after);
        let is_same = |it: &Mail| {
            let about = (&it.kind, it.player, it.game, it.challenge);
            about == (&mail.kind, mail.player, mail.game, mail.challenge)
        };
        let replaces = self.replaced.iter().any(is_same);
        let differs = |player: i64, column| {
            of_player(before, player, column) != of_player(after, player, column)
        };
        let Some(player) = mail.player else {
            let is_of_send = self.change.words[0] == "send";
            return match &*mail.kind {
                "host" => is_of_send,
                kind => matches!(kind, "answer" | "confirm" | "address" | "moved" | "farewell"),
            };
        };
        let has_left = of_player(before, player, "left_at").is_some();
        if has_left {
            return false;
        }
        if let Some(game) = mail.game.and_then(|game| Game::of(after, game)) {
            if game.is_local && !ANSWERS.contains(&&*mail.kind) {
                return false;
            }
            if OF_PLAYERS.contains(&&*mail.kind) && game.color_of(player).is_none() {
                return false;
            }
            // A player who is mailed again hears what is open.
            let is_back = differs(player, "address") || differs(player, "paused_at");
            return is_back || replaces || self.is_due_in(mail, player, &game);
        }
        match &*mail.kind {
            "farewell" => differs(player, "left_at"),
            "moved" => differs(player, "address"),
            "own-page" => self.change.incoming.is_some() || self.says("page"),
            "answer" | "mismatch" => self.change.incoming.is_some() || self.is_job_done(),
            "confirm" | "address" => {
                self.change.incoming.is_some() || self.says("address") || self.says("leave")
            }
            "notice" => {
                let is_of = |by| {
                    let is_known = opponents(before, by).contains(&player);
                    after.changed(before, "absence").contains(&by) && is_known
                };
                mail.absent().is_none_or(is_of)
            }
            "challenge" => self.is_due_of_challenge(mail, player, replaces),
            "host" | "probe" => false,
            _ => true,
        }
    }

    /// Returns whether a hint or an analysis is ready.
    fn is_job_done(&self) -> bool {
        !self.change.after.changed(self.change.before, "job").is_empty()
    }

    fn is_due_in(&self, mail: &Mail, player: i64, game: &Game) -> bool {
        let (before, after) = (self.change.before, self.change.after);
        let old = Game::of(before, game.id);
        let color = game.color_of(player).unwrap_or_default();
        let mut events = self.events(game.id);
        let has_ended = game.reason != old.as_ref().and_then(|it| it.reason.clone());
        let is_watching = || {
            game.color_of(player).is_none()
                && (watchers(after, game).contains(&player)
                    || watchers(before, game).contains(&player))
        };
        let reads_none =
            || [before, after].iter().all(|it| of_player(it, player, "mail_mode") == Some("none"));
        match &*mail.kind {
            "started" => old.is_none(),
            "over" => has_ended,
            "flagged" => events.any(|(_, action)| action.starts_with("flag ")),
            "receipt" => self.is_due_receipt(mail, color),
            "paused" => {
                let other = game.opponent(color);
                other.is_some_and(|it| of_player(after, it, "paused_at").is_some())
            }
            "notice" => {
                let by_other = |words: &[&str]| {
                    self.events(game.id).any(|(author, action)| {
                        let word = action.split(' ').next().unwrap_or_default();
                        author != color && author != "h" && words.contains(&word)
                    })
                };
                let is_read = || {
                    let author = game.opponent(color);
                    !author.is_some_and(|author| has_blocked(before, player, author))
                };
                match mail.occasion.split(' ').next().unwrap_or_default() {
                    "offer" => by_other(&["offer"]),
                    "answer" => by_other(&["accept", "decline", "unpause"]),
                    "comment" => {
                        by_other(&["say"])
                            && is_read()
                            && (self.says("--now") || self.says_at_once() || game.reason.is_some())
                    }
                    "claim" => game.to_move != Some(player) && game.to_move.is_some(),
                    _ => self.games.contains(&game.id),
                }
            }
            "watched" => is_watching() && !reads_none() && self.has_moved_on(mail, game),
            "watched-over" => is_watching() && has_ended,
            "watched-analysis" => {
                is_watching() && after.changed(before, "analysis").contains(&game.id)
            }
            "answer" => {
                let asks = self.says("hint") || self.says("analyze");
                self.change.incoming.is_some() || self.is_job_done() || asks
            }
            "mismatch" => self.change.incoming.is_some(),
            _ => true,
        }
    }

    /// Returns whether somebody has moved, and a person is to move in the position of a mail: a computer player
    /// answers first.
    fn has_moved_on(&self, mail: &Mail, game: &Game) -> bool {
        let replayed = Replayed::of(self.change.after, game.id, mail.events);
        let turn = replayed.ok().and_then(|it| it.turn());
        let is_of_person = turn.is_none_or(|turn| game.person(&turn.to_string()).is_some());
        is_of_person && self.events(game.id).any(|(_, it)| is_move(it))
    }

    /// Returns whether a receipt goes to the player who has moved, not by a plan, and whom no turn mail tells the same.
    fn is_due_receipt(&self, mail: &Mail, color: &str) -> bool {
        let mut made = self.events(mail.game.unwrap_or_default()).filter(|(_, it)| is_chosen(it));
        // The host can move for a player.
        if self.change.actor == HOST && self.change.incoming.is_none() {
            return made.any(|(author, _)| author == color);
        }
        let is_told = self.new.iter().any(|it| {
            it.kind == "turn"
                && (it.player, it.game, it.events) == (mail.player, mail.game, mail.events)
        });
        made.next().is_some_and(|(author, _)| author == color) && !is_told
    }

    fn is_due_of_challenge(&self, mail: &Mail, player: i64, replaces: bool) -> bool {
        let (before, after) = (self.change.before, self.change.after);
        let Some(id) = mail.challenge else { return true };
        let columns = ["challenger", "opponent"];
        let people = after.columns_of("challenge", id, columns).next().unwrap_or_default();
        let is_of = people.into_iter().any(|it| it == Some(&*player.to_string()));
        let is_back = ["address", "paused_at"]
            .iter()
            .any(|it| of_player(before, player, it) != of_player(after, player, it));
        let is_new = after.changed(before, "challenge").contains(&id);
        let ends_unheard = || self.ends_unheard(mail, player, id);
        is_of && (is_new || replaces || is_back || self.says("say")) && !ends_unheard()
    }

    /// Returns whether this mail says only that a challenge is over of which its reader was never told.
    fn ends_unheard(&self, mail: &Mail, player: i64, id: i64) -> bool {
        let end = self.change.after.columns_of("challenge", id, ["challenger", "state"]).next();
        let Some([challenger, Some("withdrawn" | "expired")]) = end else { return false };
        let mut replaced = self.replaced.iter().filter(|it| it.challenge == Some(id));
        let is_untold = replaced
            .next()
            .is_some_and(|asked| asked.occasion == "challenge" && asked.first_try_at.is_none());
        let is_asked = mail.occasion == "challenge" || number(challenger) == Some(player);
        !is_asked && is_untold && replaced.next().is_none() && !self.says("say")
    }
}
