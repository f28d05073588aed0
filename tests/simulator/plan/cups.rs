//! Seasons and tournaments in which things meet: somebody loses the last game on time, comes back after a withdrawal,
//! leaves as the first of the table, or reads of a round when it is over.

use super::scripts::{WEEK, fixed, later};
use super::{Action, Later, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::step::Mood;
use crate::simulator::tables::number;

impl Planner<'_> {
    /// Somebody who plays in a tournament wants few challenges, and is challenged.
    pub(super) fn plays_beside_a_cup(&mut self) -> Option<Action> {
        let people = self.rng.choose_multiple(self.players.clone(), 4);
        let [first, .., last] = &people[..] else { return None };
        let own = |it: &&super::Active| [&it.black, &it.white].contains(&&Some(first.clone()));
        let own = self.games.iter().filter(own).count();
        let most = own + self.rng.usize(1..4);
        let (_, mut steps) = self.short_cup("", &people);
        let challenge = by(last, &format!("challenge {first} mini"));
        let wants = by(first, &format!("set challenges {most}"));
        steps.extend([wants, challenge.clone(), challenge].map(fixed));
        steps.push(fixed(by(first, "set challenges 20")));
        self.scene(steps)
    }

    /// Returns a name for a tournament, and the steps in which it is made, these people join it and it starts.
    pub(super) fn cup(&self, options: &str, people: &[String]) -> (String, Vec<Later>) {
        let name = format!("cup{}", self.world.tables().columns("tournament", ["id"]).count());
        let mut actions = vec![host(&format!("tournament new {name} {options}"))];
        actions.extend(people.iter().map(|player| by(player, &format!("join {name}"))));
        actions.push(host(&format!("tournament start {name}")));
        (name, actions.into_iter().map(fixed).collect())
    }

    /// Returns the same for a tournament on a small board with short turns, whose first games begin.
    pub(super) fn short_cup(&self, format: &str, people: &[String]) -> (String, Vec<Later>) {
        let options = format!("mini {format} --clock 1d --places 6");
        let (name, mut steps) = self.cup(&options, people);
        steps.insert(0, fixed(Action::Server(Mood::Good)));
        steps.push(fixed(host("send")));
        (name, steps)
    }

    /// Returns the games of a tournament that are under way.
    fn games_of(&self, name: &str) -> Vec<i64> {
        let tables = self.world.tables();
        let mut rows = tables.columns("tournament", ["id", "name"]);
        let id = rows.find(|[_, it]| *it == Some(name)).and_then(|[id, _]| number(id));
        let games = tables.columns_of("pairing", id.unwrap_or_default(), ["game"]);
        let games = games.filter_map(|[game]| number(game));
        games.filter(|game| self.active_game(*game).is_some()).collect()
    }

    /// Somebody gives up a game of a tournament, if there are more than so many: not this player, if there is one.
    pub(super) fn gives_up(
        &mut self,
        name: &str,
        left: usize,
        winner: Option<&str>,
    ) -> Option<Action> {
        let games = self.games_of(name);
        if games.len() <= left {
            return None;
        }
        let people = games.iter().filter_map(|game| {
            let game = self.active_game(*game)?;
            let people = [game.mover()?.clone(), game.waiting()?.clone()];
            let is_of = |it: &&str| people.iter().any(|name| name == it);
            winner.is_none_or(|it| is_of(&it)).then_some((game.id, people))
        });
        let people: Vec<_> = people.collect();
        let (id, people) = self.rng.choice(people)?;
        let mut losers = people.into_iter().filter(|it| Some(&**it) != winner).collect::<Vec<_>>();
        self.rng.shuffle(&mut losers);
        Some(by(losers.first()?, &format!("resign {id}")))
    }

    /// A season of a league ends with a game that is lost on time, or in which somebody withdraws and joins again, or
    /// somebody whose games are over withdraws from the next one, which then begins.
    pub(super) fn ends_a_season(&mut self) -> Option<Action> {
        let people = self.rng.choose_multiple(self.players.clone(), 4);
        let (name, mut steps) = self.short_cup("--format league", &people);
        let (comes_back, late) = (self.rng.bool(), self.rng.u8(..3) > 0);
        let back = people.first()?;
        let of = |player: &str, word: &str| by(player, &format!("{word} {name}"));
        if comes_back {
            // The results stay if half of the games are over.
            for _ in 0..2 {
                let (name, winner) = (name.clone(), back.clone());
                steps.push(later(move |it| it.gives_up(&name, 0, Some(&winner))));
            }
            steps.extend([of(back, "withdraw"), of(back, "join")].map(fixed));
        }
        let left = usize::from(late);
        for _ in 0..6 {
            let name = name.clone();
            steps.push(later(move |it| it.gives_up(&name, left.max(1), None)));
        }
        let (own, last) = (name.clone(), people.clone());
        if self.rng.u8(..3) > 0 {
            steps.push(later(move |it| it.is_done(&own, &last)));
        }
        let own = name.clone();
        steps.push(match late {
            true => fixed(Action::Serve { seconds: 3 * DAY }),
            false => later(move |it| it.gives_up(&own, 0, None)),
        });
        let show = host(&format!("tournament {name}"));
        steps.extend([host("send"), show.clone(), Action::Wait { seconds: WEEK }].map(fixed));
        steps.extend([host("send"), show].map(fixed));
        self.scene(steps)
    }

    /// Somebody of these whose games in a tournament are over withdraws from it.
    fn is_done(&mut self, name: &str, people: &[String]) -> Option<Action> {
        let games = self.games_of(name);
        let busy: Vec<_> = games
            .iter()
            .filter_map(|game| self.active_game(*game))
            .flat_map(|game| [game.black, game.white])
            .flatten()
            .collect();
        let done: Vec<_> = people.iter().filter(|it| !busy.contains(it)).collect();
        Some(by(self.rng.choice(done)?, &format!("withdraw {name}")))
    }

    /// The first of a tournament withdraws before its last game, or leaves the club; then it ends.
    pub(super) fn leads_and_leaves(&mut self) -> Option<Action> {
        let people = self.rng.choose_multiple(self.players.clone(), 4);
        let format = self.one(&["", "", "--double", "--format league"]);
        let (name, mut steps) = self.short_cup(format, &people);
        let first = people.first()?.clone();
        for _ in 0..if format == "--double" { 4 } else { 2 } {
            let (name, first) = (name.clone(), first.clone());
            steps.push(later(move |it| it.gives_up(&name, 0, Some(&first))));
        }
        steps.push(fixed(host("send")));
        let leaves = self.rng.u8(..8) == 0;
        let withdraws = format!("withdraw {name}");
        steps.push(fixed(by(&first, if leaves { "leave --yes" } else { &withdraws })));
        steps.push(fixed(host("send")));
        for _ in 0..3 {
            let name = name.clone();
            steps.push(later(move |it| it.gives_up(&name, 0, None)));
        }
        let shows = host(&format!("tournament {name}"));
        let asks = by(people.last()?, &format!("player {first}"));
        steps.extend([host("send"), shows, asks, host("send")].map(fixed));
        self.scene(steps)
    }

    /// The mail about a round waits until the next one has begun.
    pub(super) fn reads_of_rounds_late(&mut self) -> Option<Action> {
        let people = self.rng.choose_multiple(self.players.clone(), 4);
        let (name, mut steps) = self.short_cup("--format swiss --rounds 3", &people);
        let quiet = self.quiet_for(9);
        for reader in &people[..2.min(people.len())] {
            steps.extend([by(reader, "set timezone UTC"), by(reader, &quiet)].map(fixed));
        }
        for _ in 0..2 {
            for _ in 0..2 {
                let name = name.clone();
                steps.push(later(move |it| it.gives_up(&name, 0, None)));
            }
            steps.push(fixed(host("send")));
        }
        steps.push(fixed(Action::Serve { seconds: DAY }));
        self.scene(steps)
    }
}
