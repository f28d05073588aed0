//! What happens how often. Each world has a taste of its own: some things happen often in it and others hardly
//! ever, so that rare things meet.

use std::mem;

use super::novelty::CANDIDATES;
use super::repertoire::Scene;
use super::time::{CLOCKS, SETTINGS};
use super::{Action, Planner, host, open};
use crate::simulator::DAY;
use crate::simulator::holds::HOST;
use crate::simulator::pages;
use crate::simulator::step::Mood;

/// Something that somebody does; `None` if it cannot be done now.
pub(super) type Deed = fn(&mut Planner) -> Option<Action>;

/// What happens, and how often: the first ones in each world.
const DEEDS: &[(u32, Deed)] = &[
    (300, |it| Some(it.make_move())),
    (60, |it| Some(it.wait())),
    (30, |it| Some(it.serve())),
    (80, |_| Some(host("send"))),
    (30, |it| (it.games.len() < it.taste.most_games).then(|| it.begin())),
    (14, |it| Some(it.sign_up())),
    (8, |_| Some(host("send --after-outage"))),
    (20, |it| Some(Action::Server(it.one(&[Mood::Good, Mood::Good, Mood::Flaky, Mood::Down])))),
    (12, |_| Some(Action::Backup)),
    (4, |_| Some(Action::Restore)),
    (15, |it| it.of_lost_time()),
    (45, |it| Some(it.reply())),
    (50, |it| it.answer()),
    (24, |it| it.answer_confirmation()),
    (10, |it| Some(it.forged())),
    (15, |it| it.machine()),
    (10, |it| it.again()),
    (8, |it| it.taunt()),
    (14, |it| it.answer_by_mail()),
    (18, |it| it.asks_by_mail()),
    (10, |it| it.answer_digest()),
    (14, |it| Some(it.letter())),
    (20, |it| it.by_mail()),
    (8, |it| Some(it.new_address())),
    (16, |it| Some(it.unproved())),
    (35, |it| Some(it.talk())),
    (100, |it| Some(it.page())),
    (60, |it| Some(it.offer())),
    (13, |it| Some(it.plan())),
    (3, |it| Some(host(&format!("annul {}", it.rng.i64(1..=it.newest))))),
    (3, |it| Some(it.leave())),
    (35, |it| Some(it.settle())),
    (60, |it| Some(it.of_time())),
    (40, |it| Some(it.company())),
    (60, |it| Some(it.any())),
    (35, |it| it.answer_offer()),
    (20, |it| Some(it.answer_challenge())),
    (35, |it| it.after_end()),
    (18, |it| it.after_flag()),
    (18, |it| it.in_pause()),
    (18, |it| it.in_absence()),
    (18, |it| it.in_muted_game()),
    (20, |it| it.planned_move()),
    (20, |it| it.watch()),
    (20, |it| it.release()),
    (20, |it| it.takes_back()),
    (12, |it| it.of_other_games()),
    (40, |it| Some(it.of_tournaments())),
    (30, |it| it.against_computer()),
    (12, |it| it.asks_again()),
    (12, |it| it.bounces_again()),
    (8, |it| it.unproved_again()),
    (10, |it| Some(it.newcomer())),
    (25, |it| Some(it.own_page())),
    (9, |it| it.unsubscribe()),
    (14, |it| Some(it.of_banned())),
    (40, |it| it.undoes()),
    (30, |it| it.while_mail_waits()),
    (15, |it| it.begin_elsewhere()),
    (30, |it| Some(it.of_league())),
    (10, |it| Some(it.of_letters())),
    (10, |it| Some(open(pages::public_path(it.world.tables(), it.rng)))),
    (8, |it| it.plans_by_mail()),
    (10, |it| it.gathers()),
    (8, |it| it.mail_fails()),
    (6, |it| it.mail_is_deferred()),
    (14, |it| Some(it.without_address())),
    (14, |it| it.asks_with_words()),
    (10, |it| it.is_disturbed()),
    (3, |it| Some(it.writes_idly())),
    (6, |it| it.answers_as_watcher()),
    (8, |it| Some(it.writes_among_others())),
    (5, |it| Some(it.exports_by_mail())),
    (12, |it| it.writes_briefly()),
    (8, |it| it.tries_again()),
    (16, |it| it.refused_with_words()),
    (12, |it| it.changes_what_waits()),
    (10, |it| it.offers_in_its_turn()),
];

/// How often a scene begins instead, or a combination.
const SCENES_IN_HUNDRED: u8 = 40;
const COMBINATIONS_IN_HUNDRED: u8 = 12;

/// So many of them happen in each world.
const COMMON: usize = 6;

/// How much more often than usual something can happen.
const FACTORS: [u32; 6] = [0, 1, 1, 1, 3, 5];

/// So many games at once are enough. In some worlds, one player has more than a mail shows.
const MANY_GAMES: [usize; 5] = [9, 9, 9, 9, 24];

/// What is played: mostly on small boards, so that games end.
const BOARDS: [&str; 14] = [
    "othello --opening balanced",
    "othello --size 4x4",
    "othello --size 4x4",
    "othello --size 4x4 --misere",
    "othello --size 4x5 --misere",
    "othello --size 4x6",
    "othello --size 6x4 --pass explicit",
    "mini",
    "othello",
    "twente",
    "twente --size 4x4",
    "othello --size 4x4 --anywhere",
    "othello --size 3x6 --pass explicit",
    "oddthello",
];

/// What people say: mostly plain words, and sometimes signs that mean something in mails, on pages or in templates,
/// or more than a line of a mail has.
pub(super) const SAID: [&str; 9] = [
    "good luck",
    "good luck",
    "good luck",
    "if 1 < 2 & 3>2, a <b>bold</b> &amp; R&D move;",
    "\"so\" 'it' `is`, #1 {{ name }} {% x %} 100% = $5",
    "caf\u{e9} \u{dc}nique \u{f1}and\u{fa} \u{bf}no? stra\u{df}e",
    "*what* a _great_ move (really)! so? ~ ^ me\\you",
    "a surprise, I thought for quite a while that you would take the corner beside the edge, which I had left open \
     on purpose, since every other disc there is mine anyway",
    "https and mailto are no links, nor is www",
];

/// How many days after the first one a world can begin: in the weeks in which summer time begins, for half of them.
const DAYS: [i64; 4] = [0, 0, 138, 152];

/// What people of a world like.
pub struct Taste {
    /// How often each of the deeds is chosen.
    weights: Vec<u32>,
    pub clocks: Vec<&'static str>,
    pub boards: Vec<&'static str>,
    pub settings: Vec<&'static str>,
    /// How many games at once are enough.
    pub most_games: usize,
    /// How many seconds pass before anything happens.
    pub begins_after: i64,
    /// Whether there are days with many forgers, and days on which somebody pesters another.
    pub has_trouble: bool,
}

impl Taste {
    pub fn new(rng: &mut fastrand::Rng) -> Self {
        let is_usual = rng.u8(..4) == 0;
        let factor = |rng: &mut fastrand::Rng, at| match (is_usual, at < COMMON) {
            (true, _) => 1,
            (_, true) => 1 + rng.u32(..2),
            _ => FACTORS[rng.usize(..FACTORS.len())],
        };
        let weights = DEEDS.iter().enumerate().map(|(at, (weight, _))| weight * factor(rng, at));
        Self {
            weights: weights.collect(),
            clocks: rng.choose_multiple(CLOCKS, 4),
            boards: rng.choose_multiple(BOARDS, 5),
            settings: rng.choose_multiple(SETTINGS, 9),
            most_games: MANY_GAMES[rng.usize(..MANY_GAMES.len())],
            begins_after: DAYS[rng.usize(..DAYS.len())] * DAY,
            has_trouble: rng.u8(..3) == 0,
        }
    }
}

impl Planner<'_> {
    /// Returns the player who has many games in a world with many.
    pub(super) fn busy_player(&self) -> Option<&String> {
        self.players.first().filter(|_| self.taste.most_games > MANY_GAMES[0])
    }

    /// Returns what happens next: mostly one of the usual deeds, and often the scene that is due.
    pub(super) fn deed(&mut self) -> Action {
        for _ in 0..8 {
            let chosen = self.rng.u8(..100);
            let action = if chosen < SCENES_IN_HUNDRED {
                let Some(scene) = self.repertoire.next() else { continue };
                let action = match scene {
                    Scene::Found(deed) => self.newest_of(deed),
                    Scene::Written(line) => {
                        self.later.clear();
                        self.plays(line)
                    }
                };
                self.repertoire.put_back(scene, action.is_some(), self.rng);
                action
            } else if chosen < SCENES_IN_HUNDRED + COMBINATIONS_IN_HUNDRED {
                self.later.clear();
                HOST.clone_into(&mut self.writer);
                self.combines()
            } else {
                let deed = self.usual_deed();
                self.newest_of(deed)
            };
            if let Some(action) = action {
                return action;
            }
        }
        self.later.clear();
        self.make_move()
    }

    /// Returns one of the usual deeds, as often as the world likes it.
    fn usual_deed(&mut self) -> Deed {
        let mut left = self.rng.u32(..self.taste.weights.iter().sum::<u32>());
        let is_it = |(weight, _): &(&u32, &(u32, Deed))| {
            let is_it = left < **weight;
            left = left.saturating_sub(**weight);
            is_it
        };
        let chosen = self.taste.weights.iter().zip(DEEDS).find(is_it);
        chosen.map_or(DEEDS[0].1, |(_, (_, deed))| *deed)
    }

    /// Returns one of several actions of this kind: the one whose situation was met least often.
    fn newest_of(&mut self, deed: Deed) -> Option<Action> {
        let (mut actions, mut writers, mut later) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..CANDIDATES {
            HOST.clone_into(&mut self.writer);
            self.later.clear();
            if let Some(action) = deed(self).filter(|it| !actions.contains(it)) {
                actions.push(action);
                writers.push(self.writer.clone());
                later.push(mem::take(&mut self.later));
            }
        }
        if actions.is_empty() {
            return None;
        }
        let best = self.novelty.choose(&actions, self.world);
        self.writer = writers.swap_remove(best);
        self.later = later.swap_remove(best);
        Some(actions.swap_remove(best))
    }
}
