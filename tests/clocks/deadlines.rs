//! Compares the deadlines that commands show with the model, and checks which commands may change them.

use chrono::{DateTime, TimeDelta, Utc};
use outflank::store::Store;
use outflank_model::StoredGame;
use outflank_model::log::GameId;
use outflank_rules::Color;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::model::{self, Settings};
use crate::harness::Club;

/// A Sunday in winter; summer time begins on the last Sunday of March.
const BEGIN: &str = "2028-03-05T08:00:00Z";
const QUARTER: TimeDelta = TimeDelta::minutes(15);
/// The most quarters between two runs of `send`: two hours are a gap.
const SEND_INTERVAL: i64 = 7;

/// A command in game 1: its author and its words, where `MOVE` stands for a legal move and `PLAN` for a plan.
/// After `agree`, the opponent accepts.
#[derive(Debug, Clone)]
struct Step {
    /// The number of quarters after the step before, or before the deadline.
    wait: i64,
    is_near_deadline: bool,
    by: By,
    words: String,
}

#[derive(Debug, Clone, Copy)]
enum By {
    ToMove,
    ToWait,
    Host,
}

/// The first words of the commands that may change the shown deadline. An accepted `draw` changes it; `plan`
/// never does, but its moves do.
const CHANGING: [&str; 11] = [
    "agree", "move", "takeback", "accept", "unpause", "away", "extend", "pause", "claim", "resign",
    "draw",
];

fn step() -> impl Strategy<Value = Step> {
    use By::{Host, ToMove, ToWait};
    let words = |by, words: &'static [&'static str]| {
        prop::sample::select(words).prop_map(move |words| (by, words.to_owned()))
    };
    let settings: &[&str] = &[
        "set quiet 22:00-07:00",
        "set quiet 12:00-00:00",
        "set quiet off",
        "set weekend none",
        "set weekend fri,sat",
        "set timezone America/New_York",
        "set timezone Pacific/Chatham",
        "set timezone Europe/Amsterdam",
        "set grace 45m",
        "set grace 24h",
        "set grace off",
        "set mail none",
        "set mail digest 18:00",
    ];
    let settings: &'static [&'static str] = settings.to_vec().leak();
    let idle: &'static [&'static str] = &[
        "note 1 a word",
        "say 1 a word",
        "show 1",
        "history 1",
        "games",
        "next",
        "mute 1",
        "draw 1",
        "decline 1",
        "away",
    ];
    let away = (0..3_i64, 0..4_i64);
    let command = prop_oneof![
        10 => Just((ToMove, "move 1 MOVE".to_owned())),
        2 => Just((Host, "move 1 MOVE".to_owned())),
        3 => Just((ToWait, "plan 1 PLAN".to_owned())),
        5 => words(ToWait, &["takeback 1", "takeback 1", "pause 1"]),
        3 => words(ToMove, &["takeback 1", "pause 1", "accept 1", "accept 1"]),
        3 => words(ToWait, &["accept 1", "unpause 1", "unpause 1"]),
        3 => words(ToWait, &["agree pause 1", "agree takeback 1"]),
        2 => words(ToMove, &["agree pause 1", "agree takeback 1"]),
        5 => words(ToMove, settings),
        5 => words(ToWait, settings),
        3 => words(ToMove, idle),
        3 => words(ToWait, idle),
        2 => words(Host, &["extend 1 1d", "extend 1 90m", "send", "send"]),
        2 => away.prop_map(|(from, days)| (ToMove, format!("away +{from} +{}", from + days))),
        1 => away_of_waiting(),
        1 => words(ToMove, &["away off"]),
    ];
    let is_near_deadline = prop::bool::weighted(0.3);
    (1..40_i64, is_near_deadline, command).prop_map(|(wait, is_near_deadline, (by, words))| Step {
        wait,
        is_near_deadline,
        by,
        words,
    })
}

fn away_of_waiting() -> impl Strategy<Value = (By, String)> {
    (0..3_i64, 0..4_i64)
        .prop_map(|(from, days)| (By::ToWait, format!("away +{from} +{}", from + days)))
}

fn terms() -> impl Strategy<Value = String> {
    let control =
        prop::sample::select(vec!["6h", "1d", "3d", "2d+12h", "2d+1d,max=2d", "total=5d"]);
    let flag = prop::sample::select(vec!["claim", "claim", "hard"]);
    let options = prop::sample::select(vec!["", "--free-weekends", "--free-weekends --no-away"]);
    (control, flag, options)
        .prop_map(|(control, flag, options)| format!("--clock {control} --flag {flag} {options}"))
}

/// A game between alice and bob, with their settings over time.
struct World {
    club: Club,
    store: Store,
    settings: [Vec<(DateTime<Utc>, Settings)>; 2],
}

impl World {
    fn new(terms: &str) -> Self {
        let mut club = Club::new(7, BEGIN);
        club.ok("signup alice alice@example.org");
        club.ok("signup bob bob@example.org");
        let first = vec![(club.now(), Settings::default())];
        let mut world = Self { store: club.store(), club, settings: [first.clone(), first] };
        world.set(Color::Black, "set quiet 07:00-10:00");
        world.club.ok(&format!("new othello alice bob --size 6x6 {terms}"));
        world
    }

    fn game(&self) -> StoredGame {
        self.club.game(&self.store, 1)
    }

    fn shown(&self) -> Option<DateTime<Utc>> {
        let game = self.game();
        let stored = self.store.read(|db| db.deadline(GameId(1))).unwrap();
        let shown = game.clocks().deadline().or(game.clocks().flagged_at());
        assert_eq!(shown, stored, "{:?}", game.game.events());
        shown
    }

    fn set(&mut self, player: Color, words: &str) {
        let (name, history) = match player {
            Color::Black => ("alice", &mut self.settings[0]),
            Color::White => ("bob", &mut self.settings[1]),
        };
        self.club.run(Some(name), words).unwrap();
        let mut settings = history.last().unwrap().1.clone();
        settings.set(words.strip_prefix("set ").unwrap());
        history.push((self.club.now(), settings));
    }

    /// Runs the command of a step.
    fn give(&mut self, step: &Step) {
        let stored = self.game();
        let Some(turn) = stored.game.turn() else { return };
        let by = match step.by {
            By::ToMove => Some(turn),
            By::ToWait => Some(!turn),
            By::Host => None,
        };
        let mut words = step.words.clone();
        if let (Some(by), true) = (by, words.starts_with("set ")) {
            return self.set(by, &words);
        }
        let lattice = stored.game.start().rules().lattice;
        let legal = stored.game.legal();
        let mv = legal[step.wait as usize % legal.len()];
        words = words.replace("MOVE", &lattice.move_label(mv));
        if words.contains("PLAN") {
            let mut after = stored.game.clone();
            after.play(mv).unwrap();
            let Some(&reply) = after.legal().first() else { return };
            let plan = format!("{} {}", lattice.move_label(mv), lattice.move_label(reply));
            words = words.replace("PLAN", &plan);
        }
        if let Some((_, days)) = words.split_once(" +") {
            let days: Vec<i64> = days.split(" +").map(|days| days.parse().unwrap()).collect();
            let day = |after: i64| self.club.now().date_naive() + TimeDelta::days(after);
            words = format!("away {} {}", day(days[0]), day(days[1]));
        }
        let name = |color| stored.name(color).to_owned();
        if let (Some(by), Some(offer)) = (by, words.strip_prefix("agree ")) {
            let _ = self.club.run(Some(&name(by)), offer);
            let _ = self.club.run(Some(&name(!by)), "accept 1");
            return;
        }
        let _ = self.club.run(by.map(name).as_deref(), &words);
    }

    /// Checks the shown deadline, and the times of all flags, against the model.
    fn check(&self) {
        let settings = |color, at| {
            let history = &self.settings[usize::from(color == Color::White)];
            let set = history.iter().rev().find(|(set_at, _)| *set_at <= at);
            set.unwrap().1.clone()
        };
        let stored = self.game();
        model::check_flags(&stored, &settings);
        let shown = self.shown();
        if stored.game.outcome().is_none() {
            let expected = model::deadline(&stored, &settings);
            let (events, times) = (stored.game.events(), &stored.times);
            assert_eq!(shown, expected, "{events:?} {times:?} {:?}", self.settings);
        }
    }

    /// Lets time pass until a step.
    fn wait_for(&mut self, step: &Step, interval: i64) {
        let left = self.shown().map(|deadline| (deadline - self.club.now()).num_seconds() / 900);
        match left.filter(|_| step.is_near_deadline) {
            Some(left) => self.wait((left - step.wait).max(1), interval),
            None => self.wait(step.wait, interval),
        }
    }

    /// Lets quarters pass. `send` runs after each interval; with a short interval, commands that only read
    /// run too.
    fn wait(&mut self, quarters: i64, interval: i64) {
        for passed in 1..=quarters {
            self.club.later(QUARTER);
            if passed % interval == 0 || passed == quarters {
                self.club.ok("send");
                if interval < SEND_INTERVAL {
                    for words in ["show 1", "games", "history 1"] {
                        self.club.run(Some("alice"), words).unwrap();
                    }
                }
            }
        }
    }
}

/// This many cases, the same in each run: a case takes a second.
fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(19), ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(fixed(16))]

    #[test]
    fn the_shown_deadline_is_that_of_the_model(
        terms in terms(),
        steps in prop::collection::vec(step(), 5..30),
    ) {
        let mut world = World::new(&terms);
        for step in &steps {
            world.wait_for(step, SEND_INTERVAL);
            world.check();
            let (before, events) = (world.shown(), world.game().times.len());
            world.give(step);
            world.check();
            let word = step.words.split(' ').next().unwrap_or_default();
            let game = world.game().game;
            if !CHANGING.contains(&word) && game.outcome().is_none() {
                prop_assert_eq!(world.shown(), before, "{:?} {:?}", step, &game.events()[events..]);
            }
        }
    }
}

proptest! {
    #![proptest_config(fixed(3))]

    /// Without takebacks, because a takeback is free until `send` has sent the mail about the move.
    #[test]
    fn reading_and_more_runs_of_send_change_nothing(
        terms in terms(),
        steps in prop::collection::vec(step(), 5..16),
    ) {
        let [once, often] = [SEND_INTERVAL, 3].map(|interval| {
            let mut world = World::new(&terms);
            for step in steps.iter().filter(|step| !step.words.contains("takeback")) {
                world.wait_for(step, interval);
                world.give(step);
            }
            let deadline = world.shown();
            let game = world.game();
            (game.game.events().to_vec(), game.times, game.turn_starts, deadline)
        });
        prop_assert_eq!(once, often);
    }
}
