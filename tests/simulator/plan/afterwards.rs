//! Scenes in which what happened before counts afterwards: a takeback in a finished game, words on a mail that another
//! one replaces, a withdrawal in the next season, a pass in the time that is left.

use super::scripts::{WEEK, fixed, later, reply};
use super::{Action, Later, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::replay::Replayed;
use crate::simulator::step::Mood;

/// How many moves of a small game are made in one scene.
const MOVES_TO_A_PASS: usize = 11;

impl Planner<'_> {
    /// Returns the steps in which the newest game goes on by so many moves.
    fn goes_on(count: usize) -> impl Iterator<Item = Later> {
        (0..count).map(|_| later(|it| it.moves_in_newest()))
    }

    /// Two people play a game on a small board in which somebody has to pass, with some hours between the moves.
    pub(super) fn passes_with_a_clock(&mut self) -> Option<Action> {
        let [black, white]: [String; 2] = self.some()?;
        let clock = self.one(&["10d+1d", "5d+6h,max=6d", "3d", "2d+12h", "36h+6h,max=2d"]);
        let board = self.one(&["othello --size 4x4", "othello --size 4x4", "othello --size 4x5"]);
        let passes = self.one(&["", "", "", "--pass explicit"]);
        let mut steps = vec![fixed(host(&format!(
            "new {board} {black} {white} {passes} --clock {clock} --no-away"
        )))];
        for _ in 0..MOVES_TO_A_PASS {
            steps.push(later(|it| match it.rng.u8(..6) {
                0 => Some(by(&it.player(), &format!("show {}", it.newest_game()?))),
                _ => Some(Action::Serve { seconds: it.rng.i64(600..20_000) }),
            }));
            steps.push(later(|it| it.moves_in_newest_to_a_pass()));
        }
        self.scene(steps)
    }

    /// Returns a move in the newest game after which the opponent has to pass, if there is one, or any.
    fn moves_in_newest_to_a_pass(&mut self) -> Option<Action> {
        let game = self.active_game(self.newest_game()?)?;
        let replayed = Replayed::of(self.world.tables(), game.id, usize::MAX).ok()?;
        let legal = self.rng.choose_multiple(replayed.legal(), 8);
        let turn = replayed.turn();
        let passes = legal.iter().find(|mv| {
            let after = replayed.after(&[(*mv).clone()]);
            after.legal().is_empty() || after.turn() == turn
        });
        let mv = passes.or(legal.first())?;
        Some(by(game.mover()?, &format!("move {} {mv}", game.id)))
    }

    /// Somebody asks for hints at several positions of a finished game in which a move was taken back.
    pub(super) fn looks_back_over_a_takeback(&mut self) -> Option<Action> {
        let [black, white]: [String; 2] = self.some()?;
        let before = self.rng.usize(1..4);
        let (asks, answers) = match before % 2 {
            0 => (white.clone(), black.clone()),
            _ => (black.clone(), white.clone()),
        };
        let id = self.newest + 1;
        let mut steps = vec![fixed(host(&format!("new mini {black} {white}")))];
        steps.extend(Self::goes_on(before));
        steps.push(fixed(by(&asks, &format!("takeback {id}"))));
        steps.push(fixed(by(&answers, &format!("accept {id}"))));
        steps.extend(Self::goes_on(self.rng.usize(2..4)));
        steps.push(fixed(by(&white, &format!("resign {id}"))));
        for _ in 0..3 {
            let ply = self.rng.usize(0..=before + 1);
            let looks = match self.rng.u8(..4) {
                0 => format!("show {id}#{ply}"),
                1 => format!("replay {id}"),
                _ => format!("hint {id}#{ply} --depth 2"),
            };
            steps.push(fixed(by(if self.rng.bool() { &black } else { &white }, &looks)));
        }
        self.scene(steps)
    }

    /// Words go with a mail that a later one replaces before it was sent, or after its first try has failed.
    pub(super) fn speaks_before_a_change(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let id = game.id;
        let mood = self.one(&[Mood::Down, Mood::Down, Mood::Flaky, Mood::Good]);
        let grace = self.one(&["set grace off", "set grace off", "set grace 1h"]);
        let (says, player) = (self.value("TEXT"), self.either(&game)?);
        let changes = self.rng.u8(..5);
        let (mover_again, mover_too) = (mover.clone(), mover.clone());
        let change = move |it: &mut Planner| match changes {
            0 => it.moves_on(id),
            1 => Some(by(&mover_again, &format!("draw {id}"))),
            2 => Some(by(&waiting, &format!("pause {id}"))),
            3 => Some(by(&mover_again, &format!("resign {id}"))),
            _ => Some(by(&mover_again, &format!("takeback {id}"))),
        };
        self.writer.clone_from(&player);
        self.scene(vec![
            fixed(by(&mover, grace)),
            fixed(Action::Server(mood)),
            fixed(by(&player, &format!("say {id} {says}"))),
            later(move |it| it.moves_on(id)),
            later(change),
            later(move |it| match it.rng.bool() {
                true => it.moves_on(id),
                false => Some(by(&mover_too, &format!("say {id} --now so it is"))),
            }),
            fixed(Action::Server(Mood::Good)),
            fixed(host("send --after-outage")),
            fixed(Action::Serve { seconds: 2 * 3_600 }),
        ])
    }

    /// Somebody says something and makes an offer, and a plain answer comes to the mail with both.
    pub(super) fn answers_an_offer_with_words(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (asks, other) = if self.rng.bool() { (mover, waiting) } else { (waiting, mover) };
        let (id, address) = (game.id, self.address_of(&other));
        let offer = self.one(&["draw", "draw", "pause", "takeback"]);
        let answer = self.one(&["yes", "no", "ok", "accept", "decline", "Yes, please."]);
        self.writer.clone_from(&asks);
        let offers = format!("{offer} {id}");
        let [says, says_more] = [(); 2].map(|()| format!("say {id} {}", self.value("TEXT")));
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(&other, "set quiet off"),
            by(&other, "set mail each"),
            by(&asks, &says),
            by(&asks, &offers),
        ];
        actions.extend((self.rng.u8(..3) == 0).then(|| by(&asks, &says_more)));
        actions.extend([host("send"), reply("notice", &address, answer), host("send")]);
        self.one_by_one(actions)
    }

    /// One of two players keeps somebody from watching, who tries, or watches already.
    pub(super) fn keeps_a_watcher_away(&mut self) -> Option<Action> {
        let (id, [mover, waiting, watcher]) = self.with_another()?;
        let (blocks, other) = if self.rng.bool() { (mover, waiting) } else { (waiting, mover) };
        let watch = by(&watcher, &format!("watch {id}"));
        let away = match self.rng.u8(..4) {
            0 => by(&blocks, "set watchers none"),
            _ => by(&blocks, &format!("block {watcher}")),
        };
        let mut actions = vec![Action::Server(Mood::Good)];
        actions.extend([&blocks, &other].map(|it| by(it, "set watchers all")));
        let is_late = self.rng.bool();
        actions.extend(is_late.then(|| watch.clone()));
        actions.push(away);
        actions.extend((!is_late).then_some(watch));
        let mut steps: Vec<_> = actions.into_iter().map(fixed).collect();
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(by(&watcher, &format!("show {id}"))));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(host("send")));
        steps.push(fixed(by(&blocks, &format!("unblock {watcher}"))));
        self.scene(steps)
    }

    /// Somebody who reads digests replies to one, with a command or a move, after the game has changed.
    pub(super) fn answers_a_digest_after_a_change(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let (id, address) = (game.id, self.address_of(&reader));
        let text = self.one(&["resign", "resign", "draw", "takeback", "accept", "decline"]);
        let changes = self.one(&["takeback", "takeback", "takeback", "draw", "pause"]);
        let has_moved_on = self.rng.bool();
        let mut steps = vec![fixed(Action::Server(Mood::Good)), fixed(by(&mover, "set grace off"))];
        steps.extend(self.reads_a_digest(&reader, 2).map(fixed));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(Action::Serve { seconds: 3 * 3_600 }));
        if has_moved_on {
            steps.extend((0..2).map(|_| later(move |it| it.moves_on(id))));
        } else {
            steps.push(fixed(by(&mover, &format!("{changes} {id}"))));
            let accepts = by(&reader, &format!("accept {id}"));
            steps.extend((self.rng.u8(..4) > 0).then(|| fixed(accepts)));
        }
        steps.push(later(move |it| {
            // A move that can be made now, but perhaps not in the position that was shown.
            let mv = it.rng.choice(it.legal(id)).filter(|_| has_moved_on);
            let text = mv.map_or_else(|| format!("{text} {id}"), |mv| format!("{id} {mv}"));
            Some(reply("digest", &address, &text))
        }));
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// Somebody watches a game whose clocks run on in absences, and is away or does not want to be mailed now.
    pub(super) fn watches_while_away(&mut self) -> Option<Action> {
        let [black, white, watcher]: [String; 3] = self.some()?;
        let terms =
            self.one(&["--clock 3d --no-away", "--clock 3d --no-away", "--clock 2d+6h", ""]);
        let today = self.world.now().date_naive();
        let until = today + chrono::Days::new(self.rng.u64(1..4));
        let absent = match self.rng.u8(..4) {
            0 => self.quiet_for(8),
            1 => format!("mute {}", self.newest + 1),
            _ => format!("away {today} {until}"),
        };
        let mut steps = vec![fixed(Action::Server(Mood::Good))];
        steps.extend([&black, &white].map(|it| fixed(by(it, "set watchers all"))));
        steps.push(fixed(host(&format!("new mini {black} {white} {terms}"))));
        steps.push(later({
            let watcher = watcher.clone();
            move |it| Some(by(&watcher, &format!("watch {}", it.newest_game()?)))
        }));
        steps.push(fixed(by(&watcher, &absent)));
        for _ in 0..3 {
            steps.extend(Self::goes_on(1));
            steps.push(fixed(Action::Serve { seconds: self.rng.i64(3_600..DAY) }));
        }
        self.scene(steps)
    }

    /// Somebody withdraws from a league, or leaves the club, and the next season begins.
    pub(super) fn is_out_in_the_next_season(&mut self) -> Option<Action> {
        let people = self.rng.choose_multiple(self.players.clone(), 4);
        let (name, mut steps) = self.short_cup("--format league", &people);
        let leaver = people.first()?.clone();
        let goes = match self.rng.u8(..5) {
            0 => by(&leaver, "leave --yes"),
            1 => host(&format!("remove {leaver}")),
            _ => by(&leaver, &format!("withdraw {name}")),
        };
        let is_early = self.rng.bool();
        steps.extend(is_early.then(|| fixed(goes.clone())));
        for _ in 0..6 {
            let name = name.clone();
            steps.push(later(move |it| it.gives_up(&name, 0, None)));
        }
        steps.extend((!is_early).then(|| fixed(goes)));
        let join = by(&leaver, &format!("join {name}"));
        steps.extend((self.rng.u8(..4) == 0).then(|| fixed(join)));
        let show = host(&format!("tournament {name}"));
        steps.extend([host("send"), show.clone(), Action::Wait { seconds: WEEK }].map(fixed));
        steps.extend([host("send"), show, Action::Wait { seconds: DAY }].map(fixed));
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// Somebody asks for a rematch on the page of a game that has just ended, and the other answers there.
    pub(super) fn asks_again_on_the_page(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (one, other) =
            if self.rng.bool() { (mover.clone(), waiting) } else { (waiting, mover.clone()) };
        let id = game.id;
        let answer = self.one(&["accept", "accept", "decline", "rematch"]);
        let (asks, asks_too) = (one.clone(), one);
        let (answers, answers_too) = (other.clone(), other);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&mover, &format!("resign {id}"))),
            fixed(host("send")),
            later(move |it| it.opens_page(id, &asks)),
            later(move |it| it.presses(&asks_too, "rematch")),
            fixed(host("send")),
            later(move |it| it.opens_page(id, &answers)),
            later(move |it| it.presses(&answers_too, answer)),
            fixed(host("send")),
        ])
    }

    /// Two people play several games in which a move is taken back, and each ends in another way.
    pub(super) fn takes_back_and_ends(&mut self) -> Option<Action> {
        let [black, white]: [String; 2] = self.some()?;
        let clock = self.one(&["--clock 2d", "--clock 1d+6h", "", "--clock 3d --flag hard"]);
        let rated = self.one(&["--rated", ""]);
        let id = self.newest + 1;
        let begins = host(&format!("new othello --size 4x4 {black} {white} {clock} {rated}"));
        let mut steps = vec![fixed(Action::Server(Mood::Good)), fixed(begins)];
        for _ in 0..2 {
            steps.extend(Self::goes_on(self.rng.usize(1..4)));
            let asks = if self.rng.bool() { &black } else { &white };
            steps.push(fixed(by(asks, &format!("takeback {id}"))));
            let wait = Action::Serve { seconds: self.rng.i64(60..30_000) };
            steps.extend(self.rng.bool().then(|| fixed(wait)));
            let word = self.one(&["accept", "accept", "accept", "decline"]);
            steps.push(later(move |it| Some(by(&it.asked_in(id)?, &format!("{word} {id}")))));
        }
        steps.push(match self.rng.u8(..5) {
            0 => fixed(by(&black, &format!("resign {id}"))),
            1 => fixed(host(&format!("annul {id}"))),
            2 => fixed(Action::Serve { seconds: 4 * DAY }),
            3 => fixed(host(&format!("forfeit {id} {white}"))),
            _ => later(move |it| it.moves_on(id)),
        });
        steps.extend([host("send"), by(&white, &format!("history {id}"))].map(fixed));
        self.scene(steps)
    }

    /// Returns the player who is asked by the offer that is open in a game.
    pub(super) fn asked_in(&self, id: i64) -> Option<String> {
        let replayed = Replayed::of(self.world.tables(), id, usize::MAX).ok()?;
        let by_black = replayed.offer()?.by == 'b';
        let players = self.world.tables().columns_of("game", id, ["black", "white"]).next()?;
        self.name(players[usize::from(by_black)])
    }
}
