//! Two things that seldom meet by chance: an answer to an old mail and a newer offer, a digest and a grace, two
//! annulled games and one `send`, a mail about a turn and `unmute`, a no to a question about verified mail and a later
//! mail, a takeback and a watcher or an answer to an older mail, quiet hours and an offer or a flag.

use super::scripts::{fixed, later};
use super::{Action, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::{deadline, number};

impl Planner<'_> {
    /// One of these encounters.
    pub(super) fn meets_something(&mut self) -> Option<Action> {
        match self.rng.u8(..14) {
            0 => self.answers_an_old_list(),
            1 => self.waits_for_digest_and_grace(),
            2 => self.loses_two_games(),
            3 => self.unmutes_what_was_told(),
            4 => self.says_no_to_a_question(),
            5 => self.resigns_after_takeback(),
            6 | 7 => self.is_watched_in_grace(),
            8 => self.offers_in_quiet_hours(),
            9 => self.says_in_many_games(),
            10 | 11 => self.signs_below_words(),
            12 => self.resigns_after_takeback(),
            _ => self.flag_falls_in_quiet_hours(),
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

    /// Moves are taken back, often just to the position that a mail has shown, and somebody answers that mail.
    fn resigns_after_takeback(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let id = game.id;
        let (asks, answers) =
            if self.rng.u8(..3) > 0 { (&waiting, &mover) } else { (&mover, &waiting) };
        let (asks, answers) = (asks.clone(), answers.clone());
        let resigns = if self.rng.u8(..3) > 0 { asks.clone() } else { answers.clone() };
        let kind = self.one(&[".turn.", ".turn.", "."]);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&waiting, "set quiet off")),
            fixed(by(&waiting, "set mail each")),
            fixed(by(&mover, "set grace off")),
            later(move |it| it.moves_on(id)),
            fixed(host("send")),
            later(move |it| it.moves_on(id)),
            fixed(by(&asks, &format!("takeback {id}"))),
            fixed(by(&answers, &format!("accept {id}"))),
            later(move |it| {
                let ids = it.recent_mails(id, &resigns).into_iter();
                let ids: Vec<_> = ids.filter(|it| it.contains(kind)).collect();
                Some(Action::Reply { to: it.rng.choice(ids)?, text: "resign".to_owned() })
            }),
        ])
    }

    /// Somebody watches a game in which a move is made and taken back within a grace, or no longer may watch it when
    /// the mail or the digest comes.
    fn is_watched_in_grace(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let watcher = self.player();
        if [&mover, &waiting].contains(&&watcher) {
            return None;
        }
        let id = game.id;
        let grace = self.one(&["2h", "30m", "24h"]);
        let soon = self.world.now() + chrono::TimeDelta::hours(3);
        let digest = format!("set mail digest {}", soon.format("%H:%M"));
        let mode = if self.rng.bool() { digest } else { "set mail each".to_owned() };
        let changes = match self.rng.u8(..6) {
            0 => by(&mover, "set watchers none"),
            1 => by(&watcher, &format!("unwatch {id}")),
            2 => by(&waiting, &format!("block {watcher}")),
            _ => by(&mover, &format!("takeback {id}")),
        };
        let mut steps: Vec<_> =
            [&mover, &waiting].map(|it| fixed(by(it, "set watchers all"))).into_iter().collect();
        let watch = format!("watch {id}");
        steps.extend(["set timezone UTC", &mode, &watch].map(|it| fixed(by(&watcher, it))));
        steps.push(fixed(by(&mover, &format!("set grace {grace}"))));
        steps.push(later(move |it| it.moves_on(id)));
        steps.extend([changes, Action::Serve { seconds: 4 * 3_600 }].map(fixed));
        self.scene(steps)
    }

    /// Somebody offers something in the opponent's quiet hours and then moves, within a grace that is longer, or says
    /// something.
    fn offers_in_quiet_hours(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let id = game.id;
        let hour = self.world.now().timestamp() / 3_600 % 24;
        let quiet = format!("set quiet {hour:02}:00-{:02}:00", (hour + 3) % 24);
        let grace = self.one(&["24h", "8h", "4h"]);
        let offer = self.one(&["draw", "draw", "takeback"]);
        self.writer.clone_from(&mover);
        let says = by(&mover, &format!("say {id} {}", self.value("TEXT")));
        let has_words = self.rng.bool();
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&reader, "set timezone UTC")),
            fixed(by(&reader, &quiet)),
            fixed(by(&mover, &format!("set grace {grace}"))),
            fixed(by(&mover, &format!("{offer} {id}"))),
            later(move |it| it.moves_on(id)),
            later(move |_| has_words.then(|| says.clone())),
            fixed(Action::Serve { seconds: 3 * 3_600 }),
        ])
    }

    /// Opponents of somebody who gets digests say something in many games.
    fn says_in_many_games(&mut self) -> Option<Action> {
        let reader = self.busy_player().cloned().unwrap_or_else(|| self.player());
        let own = self.games.iter().filter(|game| game.mover() == Some(&reader));
        let own: Vec<_> = own.filter_map(|it| Some((it.id, it.waiting()?.clone()))).collect();
        let soon = self.world.now() + chrono::TimeDelta::hours(2);
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(&reader, "set timezone UTC"),
            by(&reader, &format!("set mail digest {}", soon.format("%H:%M"))),
        ];
        for (id, author) in self.rng.choose_multiple(own, 5) {
            self.writer.clone_from(&author);
            actions.push(by(&author, &format!("say {id} {}", self.value("TEXT"))));
        }
        let elsewhere = self.games.iter().filter(|it| it.waiting() == Some(&reader));
        let elsewhere: Vec<_> = elsewhere.map(|it| it.id).collect();
        let id = self.rng.choice(elsewhere)?;
        let mut steps: Vec<_> = actions.into_iter().map(fixed).collect();
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(Action::Serve { seconds: 3 * 3_600 }));
        self.scene(steps)
    }

    /// Somebody moves and says something in a reply, above what only looks like a signature.
    fn signs_below_words(&mut self) -> Option<Action> {
        let (game, mover, _) = self.pair()?;
        let ids = self.recent_mails(game.id, &mover);
        let to = ids.into_iter().find(|it| it.contains(".turn.") || it.contains(".started."))?;
        let mv = self.rng.choice(self.legal(game.id))?;
        self.writer.clone_from(&mover);
        let words = self.value("TEXT");
        Some(Action::Reply { to, text: format!("{mv}\nsay {words}\n\nKind regards\nAnn Example") })
    }

    /// A flag falls in somebody's quiet hours, and before they end the game ends or pauses, or somebody speaks.
    fn flag_falls_in_quiet_hours(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let left = |row: [Option<&str>; 4]| deadline(row[2]).map_or(0, |at| at - now);
        let games =
            self.games_where(|_, row| row[1] == Some("claim") && (1..3 * DAY).contains(&left(row)));
        let game = self.rng.choice(games)?;
        let (id, late, other) = (game.id, game.mover()?.clone(), game.waiting()?.clone());
        let row = self.world.tables().columns_of("game", id, ["deadline"]).next();
        let at = row.and_then(|[at]| deadline(at))?;
        let hour = at / 3_600 % 24;
        let quiet = format!("set quiet {hour:02}:00-{:02}:00", (hour + 5) % 24);
        let (reader, author) = if self.rng.bool() { (&late, &other) } else { (&other, &late) };
        self.writer.clone_from(author);
        let says = by(author, &format!("say {id} {}", self.value("TEXT")));
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(reader, "set timezone UTC"),
            by(reader, &quiet),
            Action::Serve { seconds: at - now + 60 },
        ];
        actions.extend(match self.rng.u8(..4) {
            0 => vec![by(&other, &format!("claim {id}"))],
            1 => vec![by(&late, &format!("resign {id}"))],
            2 => vec![by(&late, &format!("pause {id}")), by(&other, &format!("accept {id}"))],
            _ => vec![says],
        });
        actions.push(Action::Serve { seconds: 6 * 3_600 });
        self.one_by_one(actions)
    }
}
