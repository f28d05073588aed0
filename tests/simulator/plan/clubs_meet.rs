//! Encounters of what belongs to a club: members who come and go, tournaments, requests that wait, and pages that are old.

use super::scripts::{WEEK, fixed, later, letter, verified};
use super::{Action, Planner, by, host, open};
use crate::simulator::DAY;
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::step::{Command, Mood};
use crate::simulator::tables::{deadline, number};

impl Planner<'_> {
    /// Returns a game of two people that is over and was not analysed, and one of these.
    fn unknown_game(&mut self) -> Option<(i64, String)> {
        let tables = self.world.tables();
        let rows = tables.columns("game", ["id", "turn", "black", "white"]);
        let games = rows.filter_map(|[id, turn, black, white]| {
            let (id, black) = (number(id)?, self.present(black)?);
            let is_new = tables.columns_of("analysis", id, ["game"]).next().is_none();
            (turn.is_none() && white.is_some() && is_new).then_some((id, black))
        });
        let games: Vec<_> = games.collect();
        self.rng.choice(games)
    }

    /// Somebody answers a challenge with a button of an old own page, after it has become a game with an offer.
    pub(super) fn answers_on_old_own_page(&mut self) -> Option<Action> {
        let [one, other] = self.some()?;
        let (address, reader) = (self.address_of(&other), other.clone());
        let offer = self.one(&["draw", "pause", "draw"]);
        let answer = self.one(&["accept", "accept", "decline"]);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&other, "page")),
            fixed(by(&one, &format!("challenge {other} mini --clock 3d"))),
            fixed(host("send")),
            later(move |it| {
                let state = it.world.server.state();
                let mails = state.accepted.iter().rev().filter(|mail| mail.to == address);
                let mut links = mails.take(20).flat_map(Accepted::links);
                links.find(|it| it.starts_with("/me/") && it.matches('/').count() == 2).map(open)
            }),
            later(move |it| Some(by(&reader, &format!("accept {}", it.newest)))),
            later(move |it| Some(by(&one, &format!("{offer} {}", it.newest_game()?)))),
            later(move |it| {
                let id = it.newest_game()?.to_string();
                let mut tabs = it.world.tabs.iter().rev();
                let tab = tabs.find(|tab| {
                    tab.path.starts_with("/me/") && it.world.reader_of(&tab.path) == other
                })?;
                let is_it = |form: &pages::Form| {
                    let has = |name, value| form.value(name) == Some(value);
                    form.is_post && has("command", answer) && has("text", &id)
                };
                let form = pages::forms(&tab.body).into_iter().find(is_it)?;
                let encoded = form.encoded(None, |_| 0);
                let path = form.path;
                Some(Action::Page(pages::Request { path, form: Some(encoded), is_foreign: false }))
            }),
        ])
    }

    /// Somebody opens the page of a game after a flag that nobody has recorded, and presses a button there.
    pub(super) fn presses_after_flag(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let left = |at: Option<&str>| deadline(at).map(|at| at - now).filter(|it| *it < 5 * DAY);
        let games = self.games_where(|_, row| row[1] == Some("claim") && left(row[2]).is_some());
        let game = self.rng.choice(games)?;
        let row = self.world.tables().columns_of("game", game.id, ["deadline"]).next()?;
        let (id, reader, seconds) = (game.id, game.waiting()?.clone(), left(row[0])?.max(0) + 60);
        let command = self.one(&["claim", "claim", "draw", "takeback"]);
        let visitor = reader.clone();
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(Action::Wait { seconds }),
            later(move |it| it.opens_page(id, &visitor)),
            later(move |it| it.presses(&reader, command)),
        ])
    }

    /// Somebody wants an analysis while two slow computer players have to move, or while two others are queued.
    pub(super) fn asks_while_bots_think(&mut self) -> Option<Action> {
        let (game, player) = self.unknown_game()?;
        let address = self.address_of(&player);
        if self.rng.u8(..3) == 0 {
            let text = format!("analyze {game}\nanalyze {}\nanalyze {game}", game - 1);
            return self.one_by_one(vec![verified(&address, text), host("send")]);
        }
        let begins = || fixed(by(&player, "challenge bot:8 othello --size 4x4 --color black"));
        let moves = || {
            let player = player.clone();
            later(move |it| {
                let is_own = |mover: Option<&String>| mover == Some(&player);
                let games = it.games.iter().rev();
                let mut own = games.filter(|it| is_own(it.mover()) && it.waiting().is_none());
                let game = own.next()?.clone();
                it.move_in(&game)
            })
        };
        let asks = fixed(verified(&address, format!("analyze {game}")));
        self.scene(vec![begins(), moves(), begins(), moves(), asks, fixed(host("send"))])
    }

    /// Somebody asks for a hint against a computer player and moves, in one mail or before the hint is there.
    pub(super) fn asks_before_moving(&mut self) -> Option<Action> {
        let player = self.player();
        let address = self.address_of(&player);
        let bot = self.one(&["bot:1", "bot:novice", "bot:2"]);
        let begins = by(&player, &format!("challenge {bot} othello --size 4x6 --color black"));
        let is_one_mail = self.rng.bool();
        let mover = player.clone();
        let mut steps = vec![fixed(Action::Server(Mood::Good)), fixed(begins)];
        steps.push(later(|it| it.newest_game().and_then(|id| it.moves_on(id))));
        steps.push(later(move |it| {
            let id = it.newest_game()?;
            let legal = it.legal(id);
            let moves = format!("\nmove {id} {}", it.rng.choice(legal)?);
            let moves = if is_one_mail { moves } else { String::new() };
            Some(verified(&address, format!("hint {id}{moves}")))
        }));
        steps.push(later(move |it| {
            let id = it.newest_game().filter(|_| !is_one_mail)?;
            let legal = it.legal(id);
            Some(by(&mover, &format!("move {id} {}", it.rng.choice(legal)?)))
        }));
        steps.extend([host("send"), host("send")].map(fixed));
        self.scene(steps)
    }

    /// Somebody asks for an analysis by mail in quiet hours.
    pub(super) fn asks_in_quiet_hours(&mut self) -> Option<Action> {
        let (game, player) = self.unknown_game()?;
        let quiet = self.quiet_for(9);
        let asks = verified(&self.address_of(&player), format!("analyze {game}"));
        let zone = by(&player, "set timezone UTC");
        let server = Action::Server(Mood::Good);
        self.one_by_one(vec![server, zone, by(&player, &quiet), asks, host("send"), host("send")])
    }

    /// Somebody leaves and is back under another name before the farewell could be sent; then mails and a question wait
    /// for the new member.
    pub(super) fn comes_back_at_once(&mut self) -> Option<Action> {
        let [player, other] = self.some()?;
        let address = self.address_of(&player);
        let name = format!("back{}", self.world.tables().columns("player", ["id"]).count());
        let text = self.one(&["games\nset receipt on", "set receipt on", "leave"]);
        self.one_by_one(vec![
            Action::Server(Mood::Down),
            by(&player, "leave --yes"),
            host(&format!("signup {name} {address}")),
            host(&format!("new mini {name} {other}")),
            letter(&address, text),
            Action::Server(Mood::Good),
            host("send"),
            host("send"),
        ])
    }

    /// Somebody new challenges computer players and people until it is too much for the first day.
    pub(super) fn challenges_on_first_day(&mut self) -> Option<Action> {
        let name = format!("ida{}", self.world.tables().columns("player", ["id"]).count());
        let mut actions = vec![host(&format!("signup {name} {name}@people.example"))];
        let others = ["bot:novice", "bot:novice", "anyone", "bot:novice", "bot:0"];
        let more = ["bot:novice", "anyone"];
        actions.extend(
            others.iter().chain(&more).map(|it| by(&name, &format!("challenge {it} mini"))),
        );
        self.one_by_one(actions)
    }

    /// A game on the usual board is aborted or annulled in the week of a letter.
    pub(super) fn aborts_before_letter(&mut self) -> Option<Action> {
        let [one, other] = self.some()?;
        let is_annulled = self.rng.u8(..3) == 0;
        let reader = one.clone();
        let legal = |it: &mut Planner| it.newest_game().and_then(|id| it.moves_on(id));
        let mut steps = vec![fixed(by(&one, "set letter on"))];
        steps.push(fixed(host(&format!("new othello {one} {other}"))));
        steps.extend(is_annulled.then(|| later(legal)));
        steps.push(later(move |it| {
            let id = it.newest_game()?;
            Some(if is_annulled {
                host(&format!("annul {id}"))
            } else {
                by(&reader, &format!("abort {id}"))
            })
        }));
        let export = host("export --all --format pgn");
        steps.extend([export, Action::Wait { seconds: WEEK }, host("send")].map(fixed));
        self.scene(steps)
    }

    /// A game is lost on time while `send` does not run, and one of its players loses another one before that is
    /// recorded.
    pub(super) fn loses_late(&mut self) -> Option<Action> {
        let [one, other, third] = self.some()?;
        let clock = "--rated --clock 8h --no-away --flag hard";
        let mut steps = vec![fixed(host(&format!("new mini {one} {other} {clock}")))];
        steps.extend((0..4).map(|_| later(|it| it.moves_in_newest())));
        steps.push(fixed(host(&format!("new mini {one} {third} --rated --clock 3d"))));
        steps.extend((0..4).map(|_| later(|it| it.moves_in_newest())));
        steps.push(fixed(Action::Wait { seconds: DAY }));
        steps.push(later(move |it| Some(by(&third, &format!("resign {}", it.newest_game()?)))));
        steps.extend(["send", "standings mini --all", "verify"].map(|it| fixed(host(it))));
        self.scene(steps)
    }

    /// Returns the active game between two people, in this order or the other one.
    fn game_between(&self, one: &String, other: &String) -> Option<i64> {
        let mut games = self.games.iter().rev();
        let is_theirs = |players: [&Option<String>; 2]| {
            players.iter().all(|it| it.as_ref() == Some(one) || it.as_ref() == Some(other))
        };
        games.find(|game| is_theirs([&game.black, &game.white])).map(|game| game.id)
    }

    /// A tournament is played from a position of its own.
    pub(super) fn plays_cup_elsewhere(&mut self) -> Option<Action> {
        let people: [String; 3] = self.some()?;
        let (name, mut steps) = self.cup("mini", &people);
        let (variant, start) = self.with_moves();
        let words = ["tournament", "new", &name, &variant, "--clock", "3d"].map(str::to_owned);
        let words = words.into_iter().chain(start).collect();
        let made = Action::Command(Command { actor: None, words, is_elsewhere: false });
        steps[0] = fixed(made);
        steps.push(fixed(host(&format!("tournament {name}"))));
        steps.push(later(|it| it.newest_game().and_then(|id| it.moves_on(id))));
        steps.extend((0..2).map(|_| {
            later(|it| {
                let id = it.newest_game()?;
                let loser = it.active_game(id)?.mover()?.clone();
                Some(by(&loser, &format!("resign {id}")))
            })
        }));
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// A season of a league ends, too few stay, and somebody else joins before it rests.
    pub(super) fn lets_league_rest(&mut self) -> Option<Action> {
        let people: [String; 4] = self.some()?;
        let (name, mut steps) = self.cup("mini --format league --clock 3d", &people[..3]);
        steps.push(fixed(host("send")));
        steps.extend([(0, 1), (1, 2), (2, 0)].map(|(loser, winner)| {
            let (loser, winner) = (people[loser].clone(), people[winner].clone());
            later(move |it| {
                let id = it.game_between(&loser, &winner)?;
                Some(by(&loser, &format!("resign {id}")))
            })
        }));
        steps.push(fixed(host("send")));
        let leaves = [0, 1].map(|at| by(&people[at], &format!("withdraw {name}")));
        steps.extend(leaves.map(fixed));
        steps.push(fixed(by(&people[3], &format!("join {name}"))));
        let waits = || [Action::Wait { seconds: WEEK }, host("send")].map(fixed);
        steps.extend(waits());
        let joins = self.rng.bool();
        steps.extend(joins.then(|| fixed(by(&people[0], &format!("join {name}")))));
        steps.extend(waits());
        self.scene(steps)
    }

    /// The first start of a league is put off, and then there are enough.
    pub(super) fn puts_league_off(&mut self) -> Option<Action> {
        let people: [String; 3] = self.some()?;
        let day = self.world.now().date_naive() + chrono::TimeDelta::days(2);
        let format = self.one(&["--format league", ""]);
        let options = format!("mini {format} --clock 3d --starts {day}");
        let (name, mut steps) = self.cup(&options, &people[..2]);
        steps.pop();
        steps.extend([Action::Wait { seconds: 3 * DAY }, host("send")].map(fixed));
        steps.push(fixed(by(&people[2], &format!("join {name}"))));
        steps.extend([Action::Wait { seconds: WEEK }, host("send")].map(fixed));
        self.scene(steps)
    }

    /// Somebody never moves in a tournament with drawn openings, and loses one game on time before the other one.
    pub(super) fn never_moves(&mut self) -> Option<Action> {
        let people: [String; 3] = self.some()?;
        let options = "othello --opening balanced --clock 1d --no-away";
        let (name, mut steps) = self.cup(options, &people);
        steps.push(fixed(host("send")));
        steps.push(fixed(Action::Wait { seconds: DAY / 2 }));
        let late = people[0].clone();
        steps.extend((1..3).map(|at| {
            let (late, other) = (late.clone(), people[at].clone());
            later(move |it| {
                let id = it.game_between(&late, &other)?;
                let game = it.active_game(id).filter(|game| game.mover() == Some(&other))?;
                it.move_in(&game)
            })
        }));
        steps.push(fixed(Action::Wait { seconds: DAY / 2 + 3_600 }));
        steps.extend([host("send"), host(&format!("tournament {name}"))].map(fixed));
        self.scene(steps)
    }
}
