//! Mails that seldom meet by chance: words and a plain answer, a held command and what happens before the yes, an old
//! list and a newer position, several commands in one mail, a refused address that is asked again.

use super::scripts::{WEEK, fixed, later, letter, reply, verified};
use super::{Action, Command, Later, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::server::Accepted;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::number;

/// What somebody writes who watches a game and is to change nothing.
const OF_WATCHERS: [&str; 5] =
    ["set mail none", "set receipt on", "challenge bot:novice mini", "set letter on", "block ben"];

/// Zones in which a Monday begins before that of UTC.
const EASTERN: [&str; 3] = ["Asia/Kathmandu", "Pacific/Chatham", "Asia/Tokyo"];

impl Planner<'_> {
    /// Returns two people with their addresses.
    fn two(&mut self) -> Option<[(String, String); 2]> {
        Some(self.some::<2>()?.map(|it| (it.clone(), self.address_of(&it))))
    }

    /// Returns words of a player.
    fn said_by(&mut self, player: &str) -> String {
        player.clone_into(&mut self.writer);
        self.value("TEXT")
    }

    /// Returns the open challenges by a player, or to one.
    fn challenges_of(&self, player: &str, column: &str) -> Vec<i64> {
        let rows = self.world.tables().columns("challenge", ["id", column, "state"]);
        let own = rows.filter(|[_, it, state]| {
            *state == Some("open") && self.name(*it).as_deref() == Some(player)
        });
        own.filter_map(|[id, ..]| number(id)).collect()
    }

    /// Does something with the newest challenge of a player: these words, with its number at the sign.
    fn about_newest(&self, by_player: &str, challenger: &str, words: &str) -> Later {
        let (by_player, challenger) = (by_player.to_owned(), challenger.to_owned());
        let words = words.to_owned();
        later(move |it| {
            let id = it.challenges_of(&challenger, "challenger").into_iter().max()?;
            Some(by(&by_player, &words.replace('#', &id.to_string())))
        })
    }

    /// The owner of a new address says no, and is asked again a day later; or the host gives another address or revokes
    /// the tokens before a yes.
    pub(super) fn asks_a_new_address_again(&mut self) -> Option<Action> {
        let player = self.player();
        let (old, number) = (self.address_of(&player), self.rng.u16(100..999));
        let new = format!("{player}{number}@people.example");
        let asks = [verified(&old, format!("set address {new}")), reply("confirm", &old, "yes")];
        let mut actions = vec![Action::Server(Mood::Good)];
        actions.extend(asks.clone());
        match self.rng.u8(..4) {
            0 => actions.push(reply("address", &new, "yes")),
            1 => {
                let given = format!("address {player} {player}{}@people.example", number + 1);
                let rotates = format!("rotate {player}");
                actions.push(host(if self.rng.bool() { &given } else { &rotates }));
                actions.push(reply("address", &new, "yes"));
            }
            _ => {
                actions.extend([reply("address", &new, "no"), Action::Wait { seconds: DAY + 60 }]);
                actions.push(host("send"));
                actions.extend(asks);
            }
        }
        self.one_by_one(actions)
    }

    /// A move without proof is confirmed after the position was taken back and another move made.
    pub(super) fn confirms_what_was_taken_back(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let id = game.id;
        let mv = self.rng.choice(self.legal(id))?;
        let address = self.address_of(&mover);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(letter(&address, format!("move {id} {mv}"))),
            fixed(by(&waiting, &format!("takeback {id}"))),
            fixed(by(&mover, &format!("accept {id}"))),
            later(move |it| {
                let game = it.active_game(id)?;
                it.move_in(&game)
            }),
            fixed(reply("confirm", &address, "yes")),
        ])
    }

    /// An answer without proof is confirmed after something was offered.
    pub(super) fn confirms_an_answer_to_nothing(&mut self) -> Option<Action> {
        let (game, one, other) = self.pair()?;
        let (id, address) = (game.id, self.address_of(&one));
        let answer = self.one(&["accept", "accept", "decline"]);
        let offer = self.one(&["draw", "pause", "takeback"]);
        self.one_by_one(vec![
            Action::Server(Mood::Good),
            letter(&address, format!("{answer} {id}")),
            by(&other, &format!("{offer} {id}")),
            reply("confirm", &address, "yes"),
        ])
    }

    /// Somebody writes twice without proof before the first question can go.
    pub(super) fn writes_twice_while_mail_is_down(&mut self) -> Option<Action> {
        let player = self.player();
        let (address, words) = (self.address_of(&player), self.said_by(&player));
        self.one_by_one(vec![
            Action::Server(Mood::Down),
            letter(&address, format!("set receipt on\nsay {words}")),
            letter(&address, "set letter on"),
            Action::Server(Mood::Good),
            host("send"),
            reply("confirm", &address, "yes"),
        ])
    }

    /// A stranger wants names that are taken and then a new one, or answers with sentences.
    pub(super) fn stranger_tries_names(&mut self) -> Option<Action> {
        const SENTENCES: [&str; 2] = ["I would like to know more first.", "Who are you?"];
        let name = format!("new{}", self.rng.u16(1_000..));
        let address = format!("{name}@people.example");
        let [(one, _), (other, _)] = self.two()?;
        let sentence =
            format!("{}\n{}", self.one(&["Sorry", "Hello", "Well"]), self.one(&SENTENCES));
        let kind = if self.rng.u8(..4) > 0 { MailKind::Letter } else { MailKind::Verified };
        let mut actions = vec![
            Action::Server(Mood::Good),
            Action::Mail { kind, about: address.clone(), text: "help".to_owned() },
        ];
        let says = self.rng.bool();
        actions.extend(says.then(|| reply("answer", &address, &sentence)));
        actions.extend([&one, &other, &name].map(|it| reply("answer", &address, it)));
        actions.push(reply("confirm", &address, "yes"));
        self.one_by_one(actions)
    }

    /// Somebody in the east gets a letter when it is Monday there and Sunday in UTC.
    pub(super) fn gets_a_letter_in_the_east(&mut self) -> Option<Action> {
        let (game, loser, reader) = self.pair()?;
        let zone = self.one(&EASTERN);
        let name = reader.clone();
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&reader, &format!("set timezone {zone}"))),
            fixed(by(&reader, "set quiet off")),
            fixed(by(&reader, "set letter on")),
            fixed(by(&loser, &format!("resign {}", game.id))),
            later(move |it| {
                let mut rows = it.world.tables().columns("player", ["name", "letter_at"]);
                let at = rows.find(|[it, _]| *it == Some(&*name)).and_then(|[_, at]| number(at))?;
                let seconds = at - it.world.now().timestamp() + 60;
                (0..8 * DAY).contains(&seconds).then_some(Action::Wait { seconds })
            }),
            fixed(host("send")),
        ])
    }

    /// A challenge to a computer player by mail, with another command, a first move or a greeting below it.
    pub(super) fn begins_with_more_commands(&mut self) -> Option<Action> {
        let player = self.player();
        let address = self.address_of(&player);
        let other = self.player();
        let level = self.one(&["novice", "beginner", "1"]);
        let color = self.one(&[" --color white", " --color white", "", " --color black"]);
        let first = self.one(&["d3", "c4", "a2", "b1"]);
        let below = if color == " --color white" { "games" } else { first };
        let text = match self.rng.u8(..3) {
            // A mail program wraps the first line.
            0 => format!(
                "challenge {other} othello --size 6x6 --clock 10d+1d,max=15d --free-weekends --flag hard \
                 --unrated\nHi Bob"
            ),
            _ => format!("challenge bot:{level} mini{color}\n{below}"),
        };
        self.one_by_one(vec![Action::Server(Mood::Good), verified(&address, &text), host("send")])
    }

    /// Somebody says something about a challenge, before its mail has gone or after that, and the other one answers the
    /// mail with a plain yes or no.
    pub(super) fn answers_words_about_a_challenge(&mut self) -> Option<Action> {
        let [(one, _), (other, address)] = self.two()?;
        let words = self.said_by(&one);
        let says = self.about_newest(&one, &one, &format!("say # {words}"));
        let answer = self.one(&["yes", "yes", "no", "Sure!", "Ok"]);
        let (is_said, answers) = (self.rng.u8(..4) > 0, reply("challenge", &address, answer));
        let mood = self.one(&[Mood::Good, Mood::Down]);
        let mut steps = vec![
            fixed(Action::Server(mood)),
            fixed(by(&other, "set quiet off")),
            fixed(by(&one, &format!("challenge {other} mini"))),
        ];
        steps.extend(is_said.then_some(says));
        steps.push(fixed(Action::Server(Mood::Good)));
        steps.extend([fixed(host("send --after-outage")), fixed(answers)]);
        self.scene(steps)
    }

    /// Somebody says two things about a challenge before the other one can be mailed, and withdraws it.
    pub(super) fn says_much_about_a_challenge(&mut self) -> Option<Action> {
        let [(one, _), (other, _)] = self.two()?;
        let quiet = self.quiet_for(9);
        let challenges = fixed(by(&one, &format!("challenge {other} mini")));
        let mut steps = vec![fixed(Action::Server(Mood::Good))];
        let is_known = self.rng.bool();
        let mut challenges = Some(challenges);
        if is_known {
            steps.push(fixed(by(&other, "set quiet off")));
            steps.extend(challenges.take());
        }
        steps.push(match self.rng.bool() {
            true => fixed(Action::Server(Mood::Down)),
            false => fixed(by(&other, "set timezone UTC")),
        });
        steps.push(fixed(by(&other, &quiet)));
        steps.extend(challenges);
        for _ in 0..2 {
            let words = self.said_by(&one);
            steps.push(self.about_newest(&one, &one, &format!("say # {words}")));
        }
        steps.push(self.about_newest(&one, &one, "decline #"));
        steps.extend([Action::Server(Mood::Good), Action::Serve { seconds: DAY / 2 }].map(fixed));
        self.scene(steps)
    }

    /// Somebody accepts a challenge by mail, with another command below.
    pub(super) fn accepts_with_more_commands(&mut self) -> Option<Action> {
        let [(one, _), (other, address)] = self.two()?;
        let color = self.one(&["white", "white", "black"]);
        let below = self.one(&["games", "challenges", "games --finished"]);
        self.one_by_one(vec![
            Action::Server(Mood::Good),
            by(&other, "set quiet off"),
            by(&one, &format!("challenge {other} mini --color {color}")),
            host("send"),
            reply("challenge", &address, &format!("accept\n{below}")),
        ])
    }

    /// Somebody blocks the one whose words about a challenge wait.
    pub(super) fn blocks_who_has_said_something(&mut self) -> Option<Action> {
        let [(one, _), (other, _)] = self.two()?;
        let words = self.said_by(&other);
        let quiet = self.quiet_for(9);
        let steps = vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&one, "set timezone UTC")),
            fixed(by(&one, &quiet)),
            fixed(by(&one, &format!("challenge {other} mini"))),
            self.about_newest(&other, &one, &format!("say # {words}")),
            fixed(by(&one, &format!("block {other}"))),
            fixed(Action::Serve { seconds: 10 * 3_600 }),
            fixed(by(&one, &format!("unblock {other}"))),
        ];
        self.scene(steps)
    }

    /// Somebody challenges an opponent of an active game again and again.
    pub(super) fn challenges_often(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let mut steps = vec![fixed(Action::Server(Mood::Good)), fixed(by(&other, "set quiet off"))];
        for _ in 0..4 {
            steps.push(fixed(by(&one, &format!("challenge {other} mini"))));
            steps.push(self.about_newest(&one, &one, "decline #"));
        }
        self.scene(steps)
    }

    /// Somebody ends a game or a challenge by mail, and asks for the list that had it.
    pub(super) fn lists_what_is_left(&mut self) -> Option<Action> {
        let player = self.player();
        let is_own = |it: Option<&String>| it == Some(&player);
        let own = self.games.iter().filter(|it| is_own(it.mover()) || is_own(it.waiting()));
        let own: Vec<_> = own.map(|it| it.id).collect();
        let open = self.challenges_of(&player, "challenger");
        let open: Vec<_> =
            open.into_iter().chain(self.challenges_of(&player, "opponent")).collect();
        let text = match (self.rng.choice(own), self.rng.choice(open)) {
            (_, Some(id)) if self.rng.bool() => format!("decline {id}\nchallenges"),
            (Some(id), _) => format!("resign {id}\ngames"),
            _ => return None,
        };
        let about = self.address_of(&player);
        Some(verified(&about, &text))
    }

    /// Somebody sends two moves for the same turn.
    pub(super) fn moves_twice_in_a_turn(&mut self) -> Option<Action> {
        let (game, mover, _) = self.pair()?;
        let (id, about) = (game.id, self.address_of(&mover));
        let moves = self.rng.choose_multiple(self.legal(id), 2);
        let [one, other] = <[String; 2]>::try_from(moves).ok()?;
        let to = self.recent_mails(id, &mover).into_iter().next();
        Some(match to.filter(|_| self.rng.u8(..3) > 0) {
            Some(to) => Action::Reply { to, text: format!("{one}\n{other}") },
            None => verified(&about, format!("move {id} {one}\nmove {id} {other}")),
        })
    }

    /// Somebody answers a digest or a reminder of several games with a move that is legal now, or with a plan.
    pub(super) fn answers_an_old_digest(&mut self) -> Option<Action> {
        let mails: Vec<_> = {
            let state = self.world.server.state();
            let is_it = |mail: &&Accepted| {
                mail.shown.as_ref().is_some_and(|it| {
                    it.kind == "digest" || it.kind == "reminder" && it.games.len() > 1
                })
            };
            let found = state.accepted.iter().rev().filter(is_it).take(12);
            let games = |mail: &Accepted| {
                let shown = mail.shown.iter().flat_map(|it| &it.games);
                shown.filter_map(|it| number(Some(&it.game))).collect::<Vec<_>>()
            };
            found.map(|mail| (mail.id.clone(), mail.to.clone(), games(mail))).collect()
        };
        let (to, address, games) = self.rng.choice(mails)?;
        let active = games.into_iter().filter_map(|id| self.active_game(id)).collect::<Vec<_>>();
        let game = self.rng.choice(active)?;
        let (id, reader) = (game.id, self.world.name_at(&address));
        let is_reader = |it: &&String| it.eq_ignore_ascii_case(&reader);
        let text = if game.mover().filter(is_reader).is_some() {
            format!("{id} {}", self.rng.choice(self.legal(id))?)
        } else {
            game.waiting().filter(is_reader)?;
            let Action::Command(Command { words, .. }) = self.plan_in(&game) else { return None };
            Some(words.join(" ")).filter(|it| it.starts_with("plan "))?
        };
        Some(Action::Reply { to, text })
    }

    /// Somebody speaks below commands for two games, in a mail that is about none.
    pub(super) fn speaks_below_two_games(&mut self) -> Option<Action> {
        let (game, mover, _) = self.pair()?;
        let is_own = |it: Option<&String>| it == Some(&mover);
        let mut own = self.games.iter().filter(|it| is_own(it.mover()) || is_own(it.waiting()));
        let other = own.find(|it| it.id != game.id).map_or(1, |it| it.id);
        let mv = self.rng.choice(self.legal(game.id))?;
        let (about, words) = (self.address_of(&mover), self.said_by(&mover));
        let text = format!("move {} {mv}\nshow {other}\nsay {words}", game.id);
        let digest = {
            let state = self.world.server.state();
            let mut own = state.accepted.iter().rev().take(80).filter(|it| it.to == about);
            own.find(|it| it.id.starts_with("digest.")).map(|it| it.id.clone())
        };
        Some(match digest {
            Some(to) => Action::Reply { to, text },
            None => verified(&about, &text),
        })
    }

    /// Somebody who watches a game answers the mails about its moves with other commands.
    pub(super) fn changes_things_as_watcher(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let id = game.id;
        let others = self.players.iter().filter(|it| **it != mover && **it != waiting);
        let watcher = self.rng.choice(others.cloned().collect::<Vec<_>>())?;
        let address = self.address_of(&watcher);
        let own = self.games.iter().find(|it| it.mover() == Some(&watcher)).map(|it| it.id);
        let mv = own.and_then(|own| Some(format!("move {own} {}", self.legal(own).first()?)));
        let texts = [0; 2].map(|_| self.one(&OF_WATCHERS).to_owned());
        let [first, second] = texts;
        let second = mv.filter(|_| self.rng.bool()).unwrap_or(second);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&watcher, "set quiet off")),
            fixed(by(&watcher, &format!("watch {id}"))),
            later(move |it| it.moves_on(id)),
            fixed(host("send")),
            fixed(reply("watched", &address, &first)),
            fixed(reply("watched", &address, &second)),
        ])
    }

    /// Somebody answers an offer with a yes that goes on in the next line, or words of several lines with a command.
    pub(super) fn says_yes_but(&mut self) -> Option<Action> {
        let (game, asks, other) = self.pair()?;
        let (id, about, address) = (game.id, self.address_of(&asks), self.address_of(&other));
        let mut actions = vec![Action::Server(Mood::Good), by(&other, "set quiet off")];
        if self.rng.bool() {
            let said = self.one(&["I give up soon\nresign", "what a pity, now I can only\naccept"]);
            actions.push(verified(&about, format!("say {id} --now {said}")));
            actions.push(host("send"));
            actions.extend([0; 3].map(|_| reply("notice", &address, "Well, let us see.")));
        } else {
            let offer = self.one(&["draw", "draw", "pause"]);
            let answer = self.one(&[
                "Yes,\nbut not before the corner is settled",
                "Ok,\nwhen this game is over",
                "No,\nor perhaps later",
            ]);
            actions.push(by(&asks, &format!("{offer} {id}")));
            actions.push(host("send"));
            actions.push(reply("notice", &address, answer));
        }
        self.one_by_one(actions)
    }

    /// The players of a tournament that is nearly over do not want to be named in letters, and the last games end.
    pub(super) fn wins_without_a_name(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let running = tables.columns("tournament", ["id", "state"]);
        let running = running.filter(|[_, state]| *state == Some("running"));
        let ids: Vec<_> = running.filter_map(|[id, _]| number(id)).collect();
        let id = self.rng.choice(ids)?;
        let (mut people, mut games) = (Vec::new(), Vec::new());
        for [game, black, white] in tables.columns_of("pairing", id, ["game", "black", "white"]) {
            people.extend([black, white].into_iter().filter_map(|it| self.present(it)));
            games.extend(number(game).and_then(|game| self.active_game(game)));
        }
        people.sort_unstable();
        people.dedup();
        let outside = self.players.iter().find(|it| !people.contains(it))?.clone();
        let mut actions = vec![by(&outside, "set letter on"), Action::Server(Mood::Good)];
        actions.extend(people.iter().map(|it| by(it, "set named off")));
        let losers = games.iter().filter_map(|game| Some((game.id, game.mover()?)));
        actions.extend(losers.map(|(id, loser)| by(loser, &format!("resign {id}"))));
        actions.extend([host("send"), Action::Wait { seconds: WEEK }, host("send")]);
        self.one_by_one(actions).filter(|_| games.len() < 5 && people.len() < 7)
    }
}
