//! Combinations: several things hold for the players of a game and for somebody else, then something happens in it, time
//! passes, and people react. Of several combinations, the one is played whose pairs were met least often.

use std::collections::BTreeSet;

use super::scripts::{fixed, later, reply, verified};
use super::{Action, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::step::Mood;
use crate::simulator::tables::deadline;

/// How many combinations are compared.
const COMPARED: usize = 12;

/// A game, which is the newest one if it has no number yet, and the people: the player to move, the other one, and
/// somebody who does not play.
#[derive(Clone)]
struct Cast {
    game: Option<i64>,
    people: [String; 3],
}

/// Something that one of the people does, or that happens to them; `None` if it cannot be now.
type Part = fn(&mut Planner, &Cast, usize) -> Option<Action>;

impl Cast {
    fn id(&self, it: &Planner) -> Option<i64> {
        self.game.or_else(|| it.newest_game())
    }

    /// Returns a command of one of the people about the game, with these words behind its number.
    fn about(&self, it: &Planner, who: usize, word: &str, rest: &str) -> Option<Action> {
        Some(by(&self.people[who], format!("{word} {} {rest}", self.id(it)?).trim_end()))
    }

    fn sets(&self, who: usize, words: &str) -> Option<Action> {
        Some(by(&self.people[who], words))
    }

    /// Returns a reply to one of the last mails to one of the people about the game, or to the last digest.
    fn replies(&self, it: &mut Planner, who: usize, text: &str) -> Option<Action> {
        let (id, player) = (self.id(it)?, &self.people[who]);
        match it.rng.u8(..4) {
            0 => Some(reply("digest", &it.address_of(player), &format!("{text} {id}"))),
            _ => it.reply_to_recent(id, player, text.to_owned()),
        }
    }

    /// The player who was asked answers the offer that is open, or somebody else tries to.
    fn answers(&self, it: &mut Planner, who: usize, word: &str) -> Option<Action> {
        let id = self.id(it)?;
        let asked = it.asked_in(id)?;
        let player = if it.rng.u8(..5) > 0 { asked } else { self.people[who].clone() };
        Some(by(&player, &format!("{word} {id}")))
    }
}

/// On which terms a new game is played.
const TERMS: [&str; 7] = [
    "",
    "--clock 3d",
    "--clock 3d --no-away",
    "--clock 1d --flag hard",
    "--clock 2d+12h,max=3d --free-weekends",
    "--rated --clock 2d",
    "--clock 5d --pass explicit",
];

/// What holds before something happens.
const CONDITIONS: &[Part] = &[
    |it, cast, who| {
        let today = it.world.now().date_naive();
        cast.sets(who, &format!("away {today} {}", today + chrono::Days::new(2)))
    },
    |it, cast, who| {
        let soon = it.world.now().date_naive() + chrono::Days::new(1);
        cast.sets(who, &format!("away {soon} {}", soon + chrono::Days::new(1)))
    },
    |it, cast, who| cast.sets(who, &it.quiet_for(8)),
    |it, cast, who| {
        let soon = it.world.now() + chrono::TimeDelta::hours(2);
        cast.sets(who, &format!("set mail digest {}", soon.format("%H:%M")))
    },
    |_, cast, who| cast.sets(who, "set mail each"),
    |_, cast, who| cast.sets(who, "set mail none"),
    |it, cast, who| cast.about(it, who, "mute", ""),
    |_, cast, who| cast.sets(who, "set grace 1h"),
    |_, cast, who| cast.sets(who, "set grace off"),
    |_, cast, who| cast.sets(who, &format!("block {}", cast.people[(who + 1) % 3])),
    |_, cast, who| cast.sets(who, &format!("block {}", cast.people[(who + 2) % 3])),
    |_, cast, who| cast.sets(who, "set watchers none"),
    |_, cast, who| cast.sets(who, "set watchers all"),
    |_, cast, who| cast.sets(who, "set receipt on"),
    |_, cast, who| cast.sets(who, "set timezone Pacific/Chatham"),
    |_, cast, who| cast.sets(who, "set named off"),
    |_, cast, who| cast.sets(who, "set letter on"),
    |it, cast, who| {
        it.writer.clone_from(&cast.people[who]);
        let words = it.value("TEXT");
        cast.about(it, who, "say", &words)
    },
    |it, cast, _| {
        let game = it.active_game(cast.id(it)?)?;
        Some(it.plan_in(&game))
    },
    |it, cast, who| cast.about(it, who, "draw", ""),
    |it, cast, who| cast.about(it, who, "takeback", ""),
    |it, cast, who| cast.about(it, who, "pause", ""),
    |it, cast, _| cast.about(it, 2, "watch", ""),
    |_, _, _| Some(Action::Server(Mood::Down)),
    |it, cast, who| it.opens_page(cast.id(it)?, &cast.people[who]),
    |it, cast, who| {
        let id = cast.id(it)?;
        Some(host(&format!("extend {id} 1d {}", cast.people[who % 2])))
    },
    |it, cast, who| {
        let number = it.rng.u16(..);
        let name = &cast.people[who];
        Some(host(&format!("address {name} {name}{number}@people.example")))
    },
    |it, cast, _| it.moves_on(cast.id(it)?),
];

/// What happens then.
const EVENTS: &[Part] = &[
    |it, cast, _| it.moves_on(cast.id(it)?),
    |it, cast, _| it.moves_on(cast.id(it)?),
    |it, cast, who| cast.answers(it, who, "accept"),
    |it, cast, who| cast.answers(it, who, "decline"),
    |it, cast, who| cast.about(it, who, "takeback", ""),
    |it, cast, who| cast.about(it, who, "draw", ""),
    |it, cast, who| cast.about(it, who, "unpause", ""),
    |it, cast, who| cast.about(it, who, "resign", ""),
    |it, cast, _| Some(host(&format!("annul {}", cast.id(it)?))),
    |it, cast, _| it.until_flag(cast.id(it)?),
    |it, cast, who| cast.about(it, who, "say", "--now well played so far"),
    |it, cast, _| cast.about(it, 2, "watch", ""),
    |it, cast, _| cast.about(it, 2, "unwatch", ""),
    |it, cast, who| cast.about(it, who, "mute", ""),
    |it, cast, who| cast.about(it, who, "unmute", ""),
    |_, cast, who| cast.sets(who, "away off"),
    |_, cast, who| cast.sets(who, "set quiet off"),
    |_, cast, who| cast.sets(who, &format!("block {}", cast.people[(who + 1) % 3])),
    |_, cast, who| cast.sets(who, &format!("unblock {}", cast.people[(who + 1) % 3])),
    |it, cast, who| Some(verified(&it.address_of(&cast.people[who]), "games")),
    |it, cast, who| cast.about(it, who, "rematch", ""),
    |it, cast, who| {
        let id = cast.id(it)?;
        Some(host(&format!("forfeit {id} {}", cast.people[who % 2])))
    },
    |_, cast, who| (who == 2).then(|| by(&cast.people[who], "leave --yes")),
    |_, _, _| Some(Action::Backup),
];

/// How time passes.
const PASSES: &[Part] = &[
    |_, _, _| Some(host("send")),
    |_, _, _| Some(host("send --after-outage")),
    |it, _, _| Some(Action::Serve { seconds: it.rng.i64(60..4_000) }),
    |_, _, _| Some(Action::Serve { seconds: 3 * 3_600 }),
    |it, _, _| Some(Action::Serve { seconds: it.rng.i64(10 * 3_600..DAY) }),
    |it, _, _| Some(Action::Wait { seconds: it.rng.i64(DAY..3 * DAY) }),
];

/// What somebody does who has read of it, or not.
const REACTIONS: &[Part] = &[
    |it, cast, who| {
        let legal = it.legal(cast.id(it)?);
        let mv = it.rng.choice(legal)?;
        cast.replies(it, who, &mv)
    },
    |it, cast, who| cast.replies(it, who, "accept"),
    |it, cast, who| cast.replies(it, who, "resign"),
    |it, cast, who| cast.replies(it, who, "yes"),
    |it, cast, who| cast.replies(it, who, "no"),
    |it, cast, who| cast.replies(it, who, "unwatch"),
    |it, cast, who| cast.replies(it, who, "takeback"),
    |it, cast, who| cast.replies(it, who, "say thank you for that"),
    |it, cast, who| it.presses(&cast.people[who], "draw"),
    |it, cast, who| it.presses(&cast.people[who], "accept"),
    |it, cast, who| it.presses(&cast.people[who], "resign"),
    |it, cast, who| it.presses(&cast.people[who], "takeback"),
    |it, cast, who| it.opens_page(cast.id(it)?, &cast.people[who]),
    |it, cast, who| cast.about(it, who, "show", ""),
    |it, cast, who| cast.about(it, who, "claim", ""),
    |it, cast, _| it.moves_on(cast.id(it)?),
];

/// The lists of parts.
const LISTS: [&[Part]; 4] = [CONDITIONS, EVENTS, PASSES, REACTIONS];

/// The place of time that passes among them.
const TIME: usize = 2;

/// From which of the lists the parts of a combination are.
const ORDER: [usize; 11] = [0, 0, 0, 0, 1, TIME, 1, TIME, 3, 3, 3];

/// Which two parts, each with its person, were in one combination.
#[derive(Default)]
pub struct Met(BTreeSet<[usize; 2]>);

/// A combination: its parts in their order, each with the number of its person, and what tells them apart.
struct Combination {
    parts: Vec<(Part, usize)>,
    labels: Vec<usize>,
}

impl Combination {
    fn at_random(rng: &mut fastrand::Rng) -> Self {
        let (mut parts, mut labels) = (Vec::new(), Vec::new());
        for (kind, list) in ORDER.iter().map(|kind| (*kind, LISTS[*kind])) {
            let (at, who) = (rng.usize(..list.len()), rng.usize(..3));
            parts.push((list[at], who));
            labels.push((kind * 100 + at) * 3 + who);
        }
        Self { parts, labels }
    }

    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let labels = self.labels.iter().enumerate();
        labels.flat_map(|(at, one)| self.labels[at + 1..].iter().map(move |other| [*one, *other]))
    }
}

impl Met {
    /// Returns a new combination with few pairs that were met, and records it.
    fn next(&mut self, rng: &mut fastrand::Rng) -> Combination {
        let all: Vec<_> = (0..COMPARED).map(|_| Combination::at_random(rng)).collect();
        let met = |it: &Combination| it.pairs().filter(|pair| self.0.contains(pair)).count();
        let best = all.into_iter().min_by_key(met).unwrap_or_else(|| Combination::at_random(rng));
        self.0.extend(best.pairs());
        best
    }
}

impl Planner<'_> {
    /// Returns in how many seconds the flag of the player to move has fallen.
    pub(super) fn flag_in(&self, id: i64) -> Option<i64> {
        let [at] = self.world.tables().columns_of("game", id, ["deadline"]).next()?;
        Some(deadline(at)? - self.world.now().timestamp() + 60)
    }

    /// Waits until the flag of the player to move has fallen.
    fn until_flag(&self, id: i64) -> Option<Action> {
        let seconds = self.flag_in(id)?;
        (0..6 * DAY).contains(&seconds).then_some(Action::Serve { seconds })
    }

    /// Things that hold at the same time, in a new game or in one that goes on.
    pub(super) fn combines(&mut self) -> Option<Action> {
        let mut steps = self.mended();
        let cast = match self.with_another().filter(|_| self.rng.bool()) {
            Some((id, people)) => Cast { game: Some(id), people },
            None => {
                let people: [String; 3] = self.some()?;
                let (board, terms) = (self.one(&self.taste.boards), self.one(&TERMS));
                let [black, white, _] = &people;
                steps.push(fixed(host(&format!("new {board} {black} {white} {terms}"))));
                if self.rng.bool() {
                    let watched = [black, white].map(|it| fixed(by(it, "set watchers all")));
                    steps.extend(watched);
                    let watcher = people[2].clone();
                    steps.push(later(move |it| {
                        Some(by(&watcher, &format!("watch {}", it.newest_game()?)))
                    }));
                }
                steps.extend((0..2).map(|_| later(|it| it.moves_in_newest())));
                Cast { game: None, people }
            }
        };
        let Combination { parts, .. } = self.met.next(self.rng);
        for ((part, who), kind) in parts.into_iter().zip(ORDER) {
            let cast = cast.clone();
            steps.push(later(move |it| part(it, &cast, who)));
            // What could not be sent goes when the mail server is back.
            if kind == TIME {
                steps.push(fixed(Action::Server(Mood::Good)));
            }
        }
        steps.push(fixed(host("send")));
        self.scene(steps)
    }
}
