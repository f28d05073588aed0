//! What comes near a limit or a deadline at a bad moment: time that the host gives to the wrong player, a second
//! withdrawal, a year of absences, many words, offers and answers on a day.

use chrono::TimeDelta;

use super::scripts::{fixed, later, verified};
use super::{Action, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::step::Mood;
use crate::simulator::tables::deadline;

impl Planner<'_> {
    /// The host gives time to the player who is not to move, whose opponent's flag has fallen.
    pub(super) fn extends_the_other(&mut self) -> Option<Action> {
        let games = self.games_where(|_, row| row[1] == Some("claim") && row[3] == Some("0"));
        let with_deadline = games.into_iter().filter_map(|game| {
            let rows = self.world.tables().columns_of("game", game.id, ["deadline"]).next();
            Some((deadline(rows?[0])?, game))
        });
        let with_deadline: Vec<_> = with_deadline.collect();
        let (deadline, game) = self.rng.choice(with_deadline)?;
        let (id, mover, waiting) = (game.id, game.mover()?.clone(), game.waiting()?.clone());
        let left = deadline - self.world.now().timestamp();
        let mut actions = vec![Action::Server(Mood::Good)];
        actions.extend((left >= 0).then_some(Action::Wait { seconds: left + 60 }));
        actions.push(host("send"));
        actions.push(host(&format!("extend {id} 2d {waiting}")));
        if self.rng.bool() {
            actions.extend([
                by(&waiting, &format!("pause {id}")),
                by(&mover, &format!("accept {id}")),
            ]);
            actions.push(by(&mover, &format!("unpause {id}")));
        }
        actions.extend([host("send"), by(&waiting, &format!("claim {id}"))]);
        self.one_by_one(actions)
    }

    /// Two players of a tournament with more games than anybody has at once withdraw.
    pub(super) fn two_withdraw(&mut self) -> Option<Action> {
        let places = self.players.len().min(6);
        let format = match places {
            0..4 => return None,
            4 => "--double",
            _ => "",
        };
        let entrants = self.rng.choose_multiple(self.players.clone(), places);
        let (first, second) = (entrants[0].clone(), entrants[1].clone());
        let options = format!("othello --size 4x4 --places {places} --clock 3d {format}");
        let (cup, mut steps) = self.cup(&options, &entrants);
        steps.extend(self.rng.bool().then(|| fixed(host("send"))));
        let withdraws = |player: &str| fixed(by(player, &format!("withdraw {cup}")));
        steps.extend([withdraws(&first), fixed(host("send"))]);
        steps.extend((0..self.rng.usize(..3)).map(|_| {
            let player = second.clone();
            later(move |it| {
                let own = it.games.iter().rev().find(|game| game.mover() == Some(&player))?.id;
                Some(by(&player, &format!("resign {own}")))
            })
        }));
        steps.extend([withdraws(&second), fixed(host("send"))]);
        steps.push(fixed(host(&format!("tournament {cup}"))));
        self.scene(steps)
    }

    /// Both players of a game say much on a day, each less than is allowed.
    pub(super) fn both_say_much(&mut self) -> Option<Action> {
        let (game, one, other) = self.pair()?;
        let now = self.one(&["--now ", "--now ", ""]);
        let count = if now.is_empty() { 12 } else { 4 };
        let mut actions = Vec::new();
        for _ in 0..count {
            for player in [&one, &other] {
                self.writer.clone_from(player);
                let words = self.value("TEXT");
                actions.push(by(player, &format!("say {} {now}{words}", game.id)));
            }
        }
        self.one_by_one(actions)
    }

    /// Offers are made and declined again and again, and the last one is accepted.
    pub(super) fn answers_many_offers(&mut self) -> Option<Action> {
        let (game, one, other) = self.pair()?;
        let id = game.id;
        let decliner = if self.rng.bool() { &one } else { &other };
        let mut actions = vec![Action::Server(Mood::Good)];
        actions.extend([&one, &other].map(|it| by(it, "set quiet off")));
        let sends = self.rng.bool();
        for offer in ["draw", "pause", "draw", "takeback", "draw", "pause"] {
            actions.push(by(&one, &format!("{offer} {id}")));
            actions.extend(sends.then(|| host("send")));
            actions.push(by(decliner, &format!("decline {id}")));
        }
        let (asks, answers) = if self.rng.bool() { (&one, &other) } else { (&other, &one) };
        actions.push(by(asks, &format!("{} {id}", self.one(&["pause", "takeback", "draw"]))));
        actions.push(by(answers, &format!("accept {id}")));
        actions.push(by(answers, &format!("unpause {id}")));
        self.one_by_one(actions)
    }

    /// The host moves where a computer player is to move.
    pub(super) fn host_moves_for_computer(&mut self) -> Option<Action> {
        let player = self.player();
        let about = self.address_of(&player);
        let moves_by_mail = later(move |it| {
            let id = it.newest_game()?;
            let legal = it.legal(id);
            let text = format!("move {id} {}", it.rng.choice(legal)?);
            Some(verified(&about, text))
        });
        self.scene(vec![
            fixed(by(&player, "challenge bot:novice othello --size 4x4 --color black")),
            moves_by_mail,
            later(|it| {
                let id = it.newest_game()?;
                let legal = it.legal(id);
                Some(host(&format!("move {id} {}", it.rng.choice(legal)?)))
            }),
            fixed(host("send")),
        ])
    }

    /// Somebody is away so often that the days of a year are used up, some of which are over.
    pub(super) fn is_away_often(&mut self) -> Option<Action> {
        let player = self.player();
        let days = self.rng.i64(10..20);
        let away = |from: i64, until: i64| {
            let player = player.clone();
            later(move |it: &mut Planner| {
                let today = it.world.now().date_naive();
                let [from, until] = [from, until].map(|days| today + TimeDelta::days(days));
                Some(by(&player, &format!("away {from} {until}")))
            })
        };
        self.scene(vec![
            away(0, days - 1),
            fixed(Action::Serve { seconds: (days + 1) * DAY }),
            away(0, 30 - days),
            away(0, 29 - days),
            fixed(by(&player, "away")),
        ])
    }

    /// Somebody watches a game against a computer player, whose answer `send` makes.
    pub(super) fn watches_computer(&mut self) -> Option<Action> {
        let [player, watcher]: [String; 2] = self.some()?;
        let about = self.address_of(&player);
        let id = self.newest + 1;
        let moves_by_mail = later(move |it| {
            let legal = it.legal(id);
            let text = format!("move {id} {}", it.rng.choice(legal)?);
            Some(verified(&about, text))
        });
        self.scene(vec![
            fixed(by(&player, "set watchers all")),
            fixed(by(&player, "challenge bot:novice othello --size 4x5 --color black")),
            fixed(by(&watcher, &format!("watch {id}"))),
            moves_by_mail,
            fixed(host("send")),
        ])
    }

    /// One of the two people of a challenge blocks the other, and one says something about it.
    pub(super) fn says_to_one_who_blocks(&mut self) -> Option<Action> {
        let [one, other]: [String; 2] = self.some()?;
        let id = self.newest + 1;
        let (blocker, blocked) = if self.rng.bool() { (&one, &other) } else { (&other, &one) };
        self.writer.clone_from(blocked);
        let said = format!("say {id} {}", self.value("TEXT"));
        self.writer.clone_from(blocker);
        let answer = format!("say {id} {}", self.value("TEXT"));
        self.one_by_one(vec![
            by(&one, &format!("challenge {other} mini")),
            by(blocker, &format!("block {blocked}")),
            by(blocked, &said),
            by(blocker, &answer),
            by(blocker, &format!("unblock {blocked}")),
            host("send"),
        ])
    }

    /// Somebody who plays with another one also causes many mails that are about no game.
    pub(super) fn mails_an_opponent_much(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let (one, other) = if self.rng.bool() { (one, other) } else { (other, one) };
        let id = self.newest + 1;
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(&other, "set quiet off"),
            by(&one, &format!("challenge {other} mini")),
        ];
        for _ in 0..6 {
            self.writer.clone_from(&one);
            actions.push(by(&one, &format!("say {id} {}", self.value("TEXT"))));
        }
        actions.push(by(&one, &format!("decline {id}")));
        self.one_by_one(actions)
    }
}
