//! Steps about other people: challenges and their answers, blocks, watching, rematches.

use std::iter;

use chrono::TimeDelta;

use super::{Action, Planner, by, host};
use crate::simulator::step::MailKind;
use crate::simulator::tables::number;

/// The names of tournaments: few, so that people meet in them.
const CUPS: [&str; 6] = ["cup", "spring", "summer", "autumn", "winter", "night"];
/// Their formats.
const FORMATS: [&str; 12] = [
    "",
    "--double",
    "--format swiss",
    "--format league",
    "--format league --divisions-of 6 --move 1",
    "--format swiss --rounds 2",
    "--rated-between 1400-1600",
    "--rated-between 1500-1600",
    "--rated-between 1400-1500",
    "--rated-between 1510-1800",
    "--format league --rated-between 1200-1490",
    "--unrated",
];
/// Options of tournaments at their bounds, and some beyond.
const BOUNDS: [&str; 20] = [
    "--places 2",
    "--places 3",
    "--places 16",
    "--places 17",
    "--format swiss --places 64 --rounds 11",
    "--format swiss --places 65",
    "--format swiss --rounds 12",
    "--format swiss --rounds 1",
    "--format swiss --rounds 0",
    "--format swiss --double",
    "--rounds 3",
    "--move 2",
    "--divisions-of 8",
    "--format league --divisions-of 5",
    "--format league --divisions-of 13",
    "--format league --divisions-of 12 --move 4",
    "--format league --divisions-of 6 --move 3",
    "--format league --move 3",
    "--format league --places 241",
    "--format league --places 240 --move 0",
];

impl Planner<'_> {
    /// Somebody does something in a tournament: mostly joins one that is open, or ends a game of one that runs.
    pub(super) fn of_tournaments(&mut self) -> Action {
        let (any, player) = (self.one(&CUPS).to_owned(), self.player());
        let open = self.cup_in("open");
        let running = self.cup_in("running");
        if let Some(running) = running.as_ref().filter(|_| self.rng.bool()) {
            return self.in_tournament(running);
        }
        let name = open.clone().unwrap_or_else(|| any.clone());
        match self.rng.u8(..16) {
            0..=2 if open.is_none() || self.rng.u8(..4) == 0 => {
                let any = self.new_cup(&any);
                let (size, clock) = (self.one(&self.taste.boards), self.one(&self.taste.clocks));
                let clock = if clock.contains("claim") { "" } else { clock };
                let (format, places) = (self.one(&FORMATS), self.rng.u8(3..=6));
                let format = match self.rng.u8(..6) {
                    0 => self.one(&BOUNDS).to_owned(),
                    _ => format!("{format} --places {places}"),
                };
                let days = TimeDelta::days(self.rng.i64(0..9));
                let starts = match self.rng.bool() {
                    true => format!("--starts {}", self.world.now().date_naive() + days),
                    false => String::new(),
                };
                host(&format!("tournament new {any} {size} {clock} {format} {starts}"))
            }
            3 => host(&format!("tournament start {name}")),
            4 if self.rng.u8(..8) == 0 => host(&format!("tournament cancel {name}")),
            5 => by(&player, &format!("tournament {name}")),
            6..9 => match running {
                Some(running) if self.rng.u8(..6) > 0 => self.in_tournament(&running),
                Some(running) => by(&player, &format!("join {running}")),
                None => by(&player, &format!("join {name}")),
            },
            _ => by(&player, &format!("join {name}")),
        }
    }

    /// The host makes a tournament, some people join it, and it starts, unless another one is running.
    pub(super) fn gathers(&mut self) -> Option<Action> {
        if self.cup_in("running").is_some() {
            return None;
        }
        let cup = self.one(&CUPS).to_owned();
        let cup = self.new_cup(&cup);
        let (size, format) = (self.one(&self.taste.boards), self.one(&FORMATS));
        let places = self.rng.usize(3..=6);
        let made =
            host(&format!("tournament new {cup} {size} {format} --places {places} --clock 3d"));
        let entrants = self.rng.choose_multiple(&self.players, places);
        let joins = entrants.into_iter().map(|player| by(player, &format!("join {cup}")));
        let start = ["tournament start", "tournament"].map(|words| host(&format!("{words} {cup}")));
        let actions = iter::once(made).chain(joins).chain(start);
        self.one_by_one(actions.collect())
    }

    /// Somebody joins a league that has several divisions, or ends a game of it.
    pub(super) fn of_league(&mut self) -> Action {
        const LEAGUE: &str = "league";
        const ENOUGH: usize = 10;
        let tables = self.world.tables();
        let mut rows = tables.columns("tournament", ["id", "name", "state", "season"]);
        let own = rows.find(|[_, name, ..]| *name == Some(LEAGUE));
        let [id, _, state, season] = own.unwrap_or_default();
        let (id, season) = (number(id).unwrap_or_default(), number(season));
        let entrants = tables.columns_of("entrant", id, ["season", "player"]);
        let next = entrants.filter(|[of, _]| number(*of) == season.map(|it| it + 1));
        let joined: Vec<_> = next.filter_map(|[_, player]| self.name(player)).collect();
        let outside = self.players.iter().find(|it| !joined.contains(it)).cloned();
        match (state, outside) {
            (None, _) => {
                let (board, moved) =
                    (self.one(&["othello --size 4x4", "mini"]), self.rng.u8(1..=2));
                let plan = "--format league --divisions-of 6 --places 24 --clock 3d";
                host(&format!("tournament new {LEAGUE} {board} {plan} --move {moved}"))
            }
            (Some("running"), _) => self.in_tournament(LEAGUE),
            (Some("open"), Some(outside)) if self.rng.u8(..4) > 0 => {
                by(&outside, &format!("join {LEAGUE}"))
            }
            (Some("open"), None) if joined.len() < ENOUGH => self.sign_up(),
            (Some("open"), _) if joined.len() >= ENOUGH => {
                host(&format!("tournament start {LEAGUE}"))
            }
            _ => self.of_tournaments(),
        }
    }

    /// Returns a name for a new tournament; sometimes it is taken.
    fn new_cup(&mut self, name: &str) -> String {
        let names: Vec<_> =
            self.world.tables().columns("tournament", ["name"]).flatten().flatten().collect();
        match names.contains(&name) && self.rng.u8(..6) > 0 {
            true => format!("{name}{}", names.len()),
            false => name.to_owned(),
        }
    }

    /// Returns the name of a tournament in this state.
    fn cup_in(&mut self, state: &str) -> Option<String> {
        let rows = self.world.tables().columns("tournament", ["name", "state"]);
        let names: Vec<_> = rows.filter(|[_, it]| *it == Some(state)).collect();
        self.rng.choice(names)?[0].map(str::to_owned)
    }

    /// Ends a game of a running tournament, or lets somebody withdraw from it.
    fn in_tournament(&mut self, name: &str) -> Action {
        let tables = self.world.tables();
        let mut cups = tables.columns("tournament", ["id", "name"]);
        let id = cups.find(|[_, it]| *it == Some(name)).and_then(|[id, _]| number(id));
        let rows = tables.columns_of("pairing", id.unwrap_or_default(), ["game", "black", "white"]);
        let is_active = |game: Option<&str>| {
            let turn =
                number(game).and_then(|game| tables.columns_of("game", game, ["turn"]).next());
            turn.is_some_and(|[turn]| turn.is_some())
        };
        let active: Vec<_> = rows.filter(|[game, ..]| is_active(*game)).collect();
        let Some([Some(game), black, white]) = self.rng.choice(active) else {
            return host("send");
        };
        let (game, loser) = (game.to_owned(), if self.rng.bool() { black } else { white });
        let Some(loser) = self.name(loser) else { return host("send") };
        match self.rng.u8(..12) {
            0 if self.rng.bool() => self.withdraw_by_mail(&loser, name),
            0 => by(&loser, &format!("withdraw {name}")),
            1 => host(&format!("annul {game}")),
            2 => host(&format!("forfeit {game} {loser}")),
            3 | 4 => by(&loser, &format!("draw {game}")),
            _ => by(&loser, &format!("resign {game}")),
        }
    }

    /// Somebody withdraws from a tournament in reply to an old mail, perhaps one from before it began.
    fn withdraw_by_mail(&mut self, player: &str, name: &str) -> Action {
        let address = self.address_of(player);
        let ids: Vec<_> = {
            let state = self.world.server.state();
            let own = state.accepted.iter().filter(|mail| mail.to == address);
            own.map(|mail| mail.id.clone()).collect()
        };
        let text = format!("withdraw {name}");
        match self.rng.choice(ids) {
            Some(to) => Action::Reply { to, text },
            None => Action::Mail { kind: MailKind::Verified, about: address, text },
        }
    }

    /// Returns a command of one player about another one, or about a challenge or game of theirs.
    pub fn company(&mut self) -> Action {
        // Few people, so that it is often about the same two.
        let few = self.players.len().min(4);
        let [one, other] = [0; 2].map(|_| self.players[self.rng.usize(..few)].clone());
        let finished = self.rng.i64(1..=self.newest);
        match self.rng.u8(..21) {
            20 => {
                // Mail programs wrap such a line.
                let text = format!(
                    "challenge {other} othello --size 6x8 --clock 10d+1d,max=15d --free-weekends \
                     --flag hard --no-away --color white --unrated"
                );
                let about = self.address_of(&one);
                Action::Mail { kind: MailKind::Verified, about, text }
            }
            0..4 => self.answer_challenge(),
            4..6 => by(&one, &format!("challenge {other} mini --color black --clock 3d")),
            6 => by(&one, &format!("challenge {other} othello --size 4x6 --unrated")),
            7 => by(&one, "challenge anyone twente --color white --no-away --clock 2d"),
            8 => by(&one, &format!("block {other}")),
            9 => by(&one, &format!("unblock {other}")),
            10 => by(&one, &format!("challenge {other}")),
            11..13 => by(&one, "set watchers all"),
            13 => by(&one, &format!("set challenges {}", self.one(&["2", "6", "off", "20"]))),
            14..16 => match self.active() {
                Some(game) => by(&one, &format!("watch {}", game.id)),
                None => host("send"),
            },
            16..18 => self.rematch(finished),
            18 => host(&format!("forfeit {finished} {one}")),
            _ => by(&one, &format!("abort {}", self.newest)),
        }
    }

    /// Somebody watches a game, or no longer; at first its players allow it.
    pub(super) fn watch(&mut self) -> Option<Action> {
        let game = self.active()?;
        let rows = self.world.tables().columns("player", ["name", "watchers"]);
        let mut closed = rows.filter(|[_, watchers]| *watchers == Some("none"));
        let is_of_game = |name: Option<&str>| {
            name.is_some() && [game.black.as_deref(), game.white.as_deref()].contains(&name)
        };
        if let Some([Some(player), _]) = closed.find(|[name, _]| is_of_game(*name)) {
            return Some(by(player, "set watchers all"));
        }
        let word = self.one(&["watch", "watch", "watch", "unwatch"]);
        Some(by(&self.player(), &format!("{word} {}", game.id)))
    }

    /// The host removes somebody for good, whose mailbox then writes or is named again.
    pub(super) fn of_banned(&mut self) -> Action {
        let banned = self.world.bans.of(self.world.tables());
        let banned: Vec<_> = banned.into_iter().map(str::to_owned).collect();
        let Some(mailbox) = self.rng.choice(banned).filter(|_| self.rng.u8(..8) > 0) else {
            let rows = self.world.tables().columns("player", ["name", "address", "left_at"]);
            let tagged =
                rows.filter(|it| it[1].is_some_and(|it| it.contains('+')) && it[2].is_none());
            let tagged: Vec<_> = tagged.filter_map(|[name, ..]| name).collect();
            let name = self.rng.choice(tagged).filter(|_| self.rng.bool()).map(str::to_owned);
            let name = name.unwrap_or_else(|| self.player());
            return host(&format!("remove {name} --ban"));
        };
        let about = mailbox.replace('@', self.one(&["@", "@", "+1@", "+x@"]));
        let (player, number) = (self.player(), self.rng.u8(..9));
        let text = match self.rng.u8(..8) {
            0 => return host(&format!("signup old{number} {about}")),
            1 | 2 => return by(&player, &format!("set address {about}")),
            3 | 4 => format!("signup old{number}"),
            5 => "games".to_owned(),
            _ => "help".to_owned(),
        };
        let kind = self.one(&[MailKind::Letter, MailKind::Verified]);
        Action::Mail { kind, about, text }
    }

    /// Answers an open challenge, mostly as one of its people.
    pub(super) fn answer_challenge(&mut self) -> Action {
        let columns = ["id", "challenger", "opponent", "state"];
        let tables = self.world.tables();
        let open = tables.columns("challenge", columns).filter(|it| it[3] == Some("open"));
        let open: Vec<_> = open.map(|it| it.map(|value| value.map(str::to_owned))).collect();
        let Some([id, challenger, opponent, _]) = self.rng.choice(open) else {
            return self.begin();
        };
        let id = id.unwrap_or_default();
        let names = [challenger, opponent].map(|id| self.name(id.as_deref()));
        let stranger = self.player();
        let [challenger, opponent] = names.map(|name| name.unwrap_or_else(|| stranger.clone()));
        match self.rng.u8(..11) {
            9 | 10 => {
                // Words and the answer come in one mail.
                self.writer.clone_from(&opponent);
                let (about, answer) =
                    (self.address_of(&opponent), self.one(&["accept", "decline"]));
                let text = match self.rng.bool() {
                    true => format!("say {id} {}\n{answer} {id}", self.value("TEXT")),
                    false => format!("{answer} {id}\nsay {id} {}", self.value("TEXT")),
                };
                Action::Mail { kind: MailKind::Verified, about, text }
            }
            7 if self.rng.bool() => by(&challenger, &format!("show {id}")),
            8 => {
                self.writer.clone_from(&opponent);
                let words = self.value("TEXT");
                by(&opponent, &format!("say {id} {words}"))
            }
            0..3 => by(&opponent, &format!("accept {id}")),
            3 | 4 => by(&opponent, &format!("decline {id}")),
            5 => by(&challenger, &format!("accept {id}")),
            6 => by(&challenger, &format!("decline {id}")),
            _ => by(&stranger, &format!("accept {id}")),
        }
    }

    /// Offers or accepts a rematch of a finished game.
    pub(super) fn rematch(&mut self, game: i64) -> Action {
        let columns = ["black", "white"];
        let tables = self.world.tables();
        let people = tables.columns_of("game", game, columns).next().unwrap_or_default();
        let player = people[self.rng.usize(..2)];
        match self.name(player) {
            Some(name) => by(&name, &format!("rematch {game}")),
            None => host("send"),
        }
    }
}
