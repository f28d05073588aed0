//! Scenes: several steps about the same game, people or tournament, in which things meet that seldom meet by chance.
//! Each step is chosen when its time comes, so that it goes on with what has come of the ones before.

use super::scripts::{WEEK, fixed, later};
use super::{Action, Active, Planner, by, host, open};
use crate::simulator::DAY;
use crate::simulator::pages;
use crate::simulator::server::Accepted;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::{deadline, number};

/// How many steps a game takes in which everything meets.
const DWELLS_FOR: usize = 12;
impl Planner<'_> {
    /// Returns the active game with this number.
    pub(super) fn active_game(&self, id: i64) -> Option<Active> {
        self.games.iter().find(|game| game.id == id).cloned()
    }

    /// Returns the number of the newest active game.
    pub(super) fn newest_game(&self) -> Option<i64> {
        self.games.last().map(|game| game.id)
    }

    /// Returns a random move in the newest game.
    pub(super) fn moves_in_newest(&mut self) -> Option<Action> {
        let game = self.active_game(self.newest_game()?)?;
        self.move_in(&game)
    }

    /// Returns a random move in a game; sometimes by mail or with a word.
    pub(super) fn moves_on(&mut self, id: i64) -> Option<Action> {
        let game = self.active_game(id)?;
        let mover = game.mover()?.clone();
        let legal = self.legal(id);
        let mv = self.rng.choice(legal)?;
        match self.rng.u8(..6) {
            0 => {
                let about = self.address_of(&mover);
                let text = format!("move {id} {mv}");
                Some(Action::Mail { kind: MailKind::Verified, about, text })
            }
            1 => self.reply_to_recent(id, &mover, mv),
            _ => Some(by(&mover, &format!("move {id} {mv}"))),
        }
    }

    /// Returns a reply of a player to one of the last mails about a game.
    pub(super) fn reply_to_recent(
        &mut self,
        id: i64,
        player: &str,
        text: String,
    ) -> Option<Action> {
        let ids = self.recent_mails(id, player);
        Some(Action::Reply { to: self.rng.choice(ids)?, text })
    }

    /// Returns the last mails to a player about a game, the newest first.
    pub(super) fn recent_mails(&self, id: i64, player: &str) -> Vec<String> {
        let (address, about) = (self.address_of(player), format!("{id}."));
        let state = self.world.server.state();
        let own = state.accepted.iter().rev().take(200);
        let own = own.filter(|mail| mail.to == address && mail.id.starts_with(&about));
        own.take(3).map(|mail| mail.id.clone()).collect()
    }

    /// Opens the page of a game from a mail to a player.
    pub(super) fn opens_page(&mut self, id: i64, player: &str) -> Option<Action> {
        let (address, about) = (self.address_of(player), format!("{id}."));
        let link = {
            let state = self.world.server.state();
            let own = state.accepted.iter().rev().take(200);
            let own = own.filter(|mail| mail.to == address && mail.id.starts_with(&about));
            let mut links = own.flat_map(Accepted::links);
            links.find(|link| link.starts_with("/play/"))
        };
        link.map(open)
    }

    /// Sends the form with this command from the last page of a game that a player has open, which can be stale.
    pub(super) fn presses(&mut self, player: &str, command: &str) -> Option<Action> {
        let tabs = self.world.tabs.iter().rev().take(6);
        let mut own = tabs.filter(|tab| self.world.reader_of(&tab.path) == player);
        let page = own.find(|tab| tab.path.starts_with("/play/"))?.body.clone();
        let is_it = |form: &pages::Form| form.value("command") == Some(command) && form.is_post;
        let form = pages::forms(&page).into_iter().find(is_it)?;
        let encoded = form.encoded(None, |_| 0);
        let request = pages::Request { path: form.path, form: Some(encoded), is_foreign: false };
        Some(Action::Page(request))
    }

    /// Returns a game of two people, each of whom has moved, and whose moves can be taken back.
    fn under_way(&mut self) -> Option<Active> {
        let tables = self.world.tables();
        let has_moves = |game: &Active| {
            let ply = tables.columns_of("game", game.id, ["ply"]).next();
            let mut pairings = tables.columns("pairing", ["game"]);
            ply.is_some_and(|[ply]| number(ply) > Some(1))
                && !pairings.any(|[it]| number(it) == Some(game.id))
        };
        let games = self.games_where(|game, row| row[3] == Some("0") && has_moves(game));
        self.rng.choice(games)
    }

    /// Somebody answers an offer as a mail or a page has shown it, after its author has moved or offered something else.
    pub(super) fn answers_old_offer(&mut self) -> Option<Action> {
        let game = self.under_way()?;
        let (mover, waiting) = (game.mover()?.clone(), game.waiting()?.clone());
        let (offerer, other) =
            if self.rng.u8(..4) > 0 { (mover, waiting) } else { (waiting, mover) };
        let offer = self.one(&["takeback", "takeback", "takeback", "draw", "pause"]);
        let second = self.one(&["takeback", "draw", "pause"]);
        let (id, changes, is_page) = (game.id, self.rng.u8(..6), self.rng.u8(..3) == 0);
        let answer = self.one(&["accept", "accept", "decline"]);
        let offers = by(&offerer, &format!("{offer} {id}"));
        let other_offer = by(&offerer, &format!("{second} {id}"));
        let (reader, author) = (other.clone(), offerer);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(offers),
            fixed(host("send")),
            later(move |it| it.opens_page(id, &reader).filter(|_| is_page)),
            later(move |it| match changes {
                0..=3 if it.active_game(id)?.mover() == Some(&author) => it.moves_on(id),
                4 => None,
                _ => Some(other_offer.clone()),
            }),
            later(move |it| match is_page {
                true => it.presses(&other, answer),
                false => {
                    // Mostly to the one about the offer.
                    let ids = it.recent_mails(id, &other);
                    let asks = ids.iter().find(|id| id.contains(".notice.")).cloned();
                    let to = asks.filter(|_| it.rng.u8(..4) > 0).or_else(|| it.rng.choice(ids))?;
                    Some(Action::Reply { to, text: answer.to_owned() })
                }
            }),
            fixed(host("send")),
        ])
    }

    /// A move is taken back while one of the players has a plan; then the planned move is made.
    pub(super) fn takes_back_with_plan(&mut self) -> Option<Action> {
        let game = self.under_way()?;
        let (id, mover, planner) = (game.id, game.mover()?.clone(), game.waiting()?.clone());
        let asks = if self.rng.u8(..3) > 0 { &mover } else { &planner };
        let answers = if *asks == mover { &planner } else { &mover };
        let plan = self.plan_in(&game);
        let steps = [
            by(asks, &format!("takeback {id}")),
            by(answers, &format!("accept {id}")),
            by(&planner, &format!("plan {id}")),
        ];
        let mut steps: Vec<_> = steps.into_iter().map(fixed).collect();
        steps.insert(0, fixed(plan));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(later(move |it| it.moves_on(id)));
        self.scene(steps)
    }

    /// A player moves early, thinks long about the answer, and then wants to take the move back: perhaps before there
    /// is an answer.
    pub(super) fn takes_back_late(&mut self) -> Option<Action> {
        let games = self.games_where(|_, row| row[3] == Some("0") && deadline(row[2]).is_some());
        let games: Vec<_> = games.into_iter().map(|game| game.id).collect();
        let id = self.rng.choice(games)?;
        let game = self.active_game(id)?;
        let (author, other) = (game.mover()?.clone(), game.waiting()?.clone());
        let thinks = |share| later(move |it| it.thinks(id, share));
        let mut steps = vec![fixed(Action::Server(Mood::Good)), thinks(40)];
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(host("send")));
        if self.rng.u8(..4) > 0 {
            steps.extend([thinks(40), later(move |it| it.moves_on(id)), thinks(12)]);
        }
        let asks = if self.rng.u8(..5) > 0 { (&author, &other) } else { (&other, &author) };
        steps.push(fixed(by(asks.0, &format!("takeback {id}"))));
        steps.push(fixed(by(asks.1, &format!("accept {id}"))));
        steps.push(fixed(by(asks.1, &format!("show {id}"))));
        steps.extend([later(move |it| it.moves_on(id)), later(move |it| it.moves_on(id))]);
        self.scene(steps)
    }

    /// Lets some of the time pass that is left in a game: at most nine parts of so many.
    fn thinks(&mut self, id: i64, parts: i64) -> Option<Action> {
        let row = self.world.tables().columns_of("game", id, ["deadline"]).next()?;
        let left = deadline(row[0])? - self.world.now().timestamp();
        let seconds = left * self.rng.i64(1..10) / parts;
        (seconds > 0).then_some(Action::Serve { seconds })
    }

    /// Somebody moves in another game of a player, who is to move then.
    fn moves_elsewhere(&mut self, id: i64, player: &String) -> Option<Action> {
        let others = self.games.iter().filter(|it| it.id != id && it.waiting() == Some(player));
        let others: Vec<_> = others.map(|it| it.id).collect();
        let other = self.rng.choice(others)?;
        self.moves_on(other)
    }

    /// A mail waits for the end of quiet hours, a digest or a grace, and meanwhile its cause changes.
    pub(super) fn changes_what_waits(&mut self) -> Option<Action> {
        let games = self.games_where(|_, _| true);
        let game = self.rng.choice(games)?;
        let (id, reader) = (game.id, self.either(&game)?);
        let other = [game.black, game.white].into_iter().flatten().find(|it| *it != reader)?;
        let hour = self.world.now().timestamp() / 3_600 % 24;
        let until = |hours| (hour + hours) % 24;
        let cause = self.rng.u8(..10);
        // Only mails about moves wait for a digest.
        let waits = match self.rng.u8(..5) {
            kind if cause < 7 || kind < 2 => {
                by(&reader, &format!("set quiet {hour:02}:00-{:02}:00", until(9)))
            }
            2..4 => by(&reader, &format!("set mail digest {:02}:00", until(5))),
            _ => by(&reader, "set mail each"),
        };
        self.writer.clone_from(&other);
        let says = by(&other, &format!("say {id} --now {}", self.value("TEXT")));
        let grace = self.one(&["off", "off", "2h", "24h"]);
        let mut steps = vec![fixed(by(&reader, "set timezone UTC")), fixed(waits)];
        steps.push(fixed(by(&other, &format!("set grace {grace}"))));
        let (author, offer) = (other.clone(), self.one(&["draw", "takeback", "pause"]));
        steps.push(later(move |it| match cause {
            0..3 => Some(by(&author, &format!("{offer} {id}"))),
            3..5 => Some(says.clone()),
            5 => Some(by(&author, &format!("resign {id}"))),
            6 => Some(host(&format!("extend {id} 2h"))),
            _ => it.moves_on(id),
        }));
        let change = match (cause, self.rng.u8(..3)) {
            (3..5, 1..) => "block",
            (5, 1..) => "annul",
            _ => self.one(&["annul", "mute", "say", "none", "none", "none"]),
        };
        steps.push(match change {
            "block" => fixed(by(&reader, &format!("block {other}"))),
            "annul" => fixed(host(&format!("annul {id}"))),
            "mute" => fixed(by(&reader, &format!("mute {id}"))),
            "say" => {
                let text = self.value("TEXT");
                fixed(by(&other, &format!("say {id} {text}")))
            }
            _ => later(move |it| it.in_one_game(id)),
        });
        let to = reader.clone();
        steps.push(later(move |it| it.moves_elsewhere(id, &to)));
        let seconds = self.rng.i64(3_600..10 * 3_600);
        steps.push(fixed(Action::Serve { seconds }));
        let ends = self.one(&["set quiet off", "set mail each", "games"]);
        steps.extend([by(&reader, ends), by(&reader, &format!("unblock {other}"))].map(fixed));
        self.scene(steps)
    }

    /// Three people play rated games by rules that few have played; one game is annulled, and a letter comes.
    pub(super) fn plays_rated(&mut self) -> Option<Action> {
        let [one, other, third]: [String; 3] = self.some()?;
        let (rows, columns) = (self.rng.u8(4..=5), self.rng.u8(4..=6));
        let rules = self.one(&["", "", "--misere"]);
        let board = format!("othello --size {rows}x{columns} {rules}");
        let reader = if self.rng.bool() { one.clone() } else { self.player() };
        let mut steps = vec![fixed(by(&reader, "set letter on"))];
        let mut pairs = vec![(&one, &other), (&other, &third), (&third, &one), (&one, &other)];
        pairs.rotate_left(self.rng.usize(..4));
        let first = self.newest + 1;
        for (black, white) in pairs {
            let begins = host(&format!("new {board} {black} {white} --rated"));
            steps.push(fixed(begins));
            steps.extend((0..4).map(|_| later(|it| it.moves_in_newest())));
            let loser = if self.rng.bool() { black.clone() } else { white.clone() };
            steps.push(later(move |it| Some(by(&loser, &format!("resign {}", it.newest_game()?)))));
            let hours = self.rng.i64(0..40);
            steps.extend((hours > 20).then(|| fixed(Action::Wait { seconds: hours * 3_600 })));
        }
        let is_annulled = self.rng.bool();
        let annulled = first + self.rng.i64(0..3);
        steps.extend(is_annulled.then(|| fixed(host(&format!("annul {annulled}")))));
        // Until `send` has calculated the ratings again, they may change.
        let standings = host(&format!("standings {board} --all"));
        steps.extend([standings.clone(), host("send"), standings].map(fixed));
        steps.push(fixed(by(&third, &format!("player {other}"))));
        if !is_annulled {
            steps.extend([Action::Wait { seconds: WEEK }, host("send")].map(fixed));
        }
        self.scene(steps)
    }

    /// Somebody challenges a player again and again, who declines, and later accepts.
    pub(super) fn challenges_again(&mut self) -> Option<Action> {
        let [one, other]: [String; 2] = self.some()?;
        let challenge = by(&one, &format!("challenge {other} mini"));
        let days = self.one(&[WEEK, WEEK, 3 * DAY, 7 * DAY, 7 * DAY - 1]);
        let answer = |player: &str, word: &'static str| {
            let player = player.to_owned();
            later(move |it| {
                let columns = ["id", "challenger", "opponent", "state"];
                let rows = it.world.tables().columns("challenge", columns);
                let is_theirs = |id| it.name(id).is_some_and(|name| name == player);
                let open = rows.filter(|row| row[3] == Some("open") && row[2].is_some());
                let own = open.filter(|row| is_theirs(row[1]) || is_theirs(row[2]));
                let [id, ..] = own.last()?;
                Some(by(&player, &format!("{word} {}", id?)))
            })
        };
        let second = self.one(&["accept", "accept", "accept", "decline"]);
        let mut steps = vec![fixed(challenge.clone()), answer(&other, "decline")];
        steps.extend((self.rng.u8(..3) == 0).then(|| fixed(challenge.clone())));
        steps.push(fixed(Action::Wait { seconds: days }));
        steps.push(fixed(challenge.clone()));
        steps.push(match self.rng.u8(..4) {
            0 => answer(&one, "decline"),
            _ => answer(&other, second),
        });
        steps.extend((self.rng.u8(..3) == 0).then(|| fixed(Action::Wait { seconds: 3 * DAY })));
        steps.push(fixed(challenge));
        steps.push(answer(&other, "accept"));
        self.scene(steps)
    }

    /// Some people play a season of a league with short clocks, and a few lose on time; then the next season begins.
    pub(super) fn plays_season(&mut self) -> Option<Action> {
        let name = format!("league{}", self.world.tables().columns("tournament", ["id"]).count());
        let count = self.rng.usize(3..=5);
        let people = self.rng.choose_multiple(self.players.clone(), count);
        let format = self.one(&["--format league", "--format league", "", "--format swiss"]);
        let made = format!("tournament new {name} mini {format} --clock 1d");
        let mut steps = vec![fixed(host(&made))];
        steps.extend(people.iter().map(|player| fixed(by(player, &format!("join {name}")))));
        steps.push(fixed(host(&format!("tournament start {name}"))));
        let (all, busy) = (self.rng.usize(2..8), self.rng.u8(1..4));
        steps.extend((0..all).map(|_| {
            let name = name.clone();
            later(move |it| it.in_season(&name, busy))
        }));
        steps.push(fixed(Action::Serve { seconds: 2 * DAY }));
        let late = people[0].clone();
        let word = self.one(&["join", "withdraw", "tournament", "join"]);
        let leaves = self.rng.u8(..6) == 0;
        steps.push(fixed(match leaves {
            true => by(&late, "leave --yes"),
            false => by(&late, &format!("{word} {name}")),
        }));
        for _ in 0..4 {
            let name = name.clone();
            steps.push(later(move |it| it.in_season(&name, 0)));
        }
        steps.push(fixed(Action::Serve { seconds: 2 * DAY }));
        steps.push(fixed(by(&people[1], &format!("{word} {name}"))));
        steps.push(fixed(Action::Wait { seconds: WEEK }));
        steps.extend([host("send"), host(&format!("tournament {name}"))].map(fixed));
        self.scene(steps)
    }

    /// Moves in a game of a tournament, or ends one.
    fn in_season(&mut self, name: &str, busy: u8) -> Option<Action> {
        let tables = self.world.tables();
        let mut rows = tables.columns("tournament", ["id", "name"]);
        let id = rows.find(|[_, it]| *it == Some(name)).and_then(|[id, _]| number(id))?;
        let games = tables.columns_of("pairing", id, ["game"]).filter_map(|[game]| number(game));
        let active: Vec<_> = games.filter_map(|game| self.active_game(game)).collect();
        let game = self.rng.choice(active)?;
        if self.rng.u8(..4) < busy {
            return self.moves_on(game.id);
        }
        let loser = self.either(&game)?;
        Some(by(&loser, &format!("{} {}", self.one(&["resign", "resign", "draw"]), game.id)))
    }

    /// A person moves by mail in a game against a computer player and offers something before it has answered.
    pub(super) fn offers_in_its_turn(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["id", "black_bot", "white_bot", "turn"]);
        let own = rows
            .filter(|[_, black, white, turn]| turn.is_some() && black.is_some() != white.is_some());
        let own: Vec<_> = own.filter_map(|[id, ..]| number(id)).collect();
        let Some(id) = self.rng.choice(own) else {
            let (player, bot) = (self.player(), self.one(&["novice", "learner", "1", "3", "8"]));
            return Some(by(&player, &format!("challenge bot:{bot} othello --size 4x4")));
        };
        let game = self.active_game(id)?;
        let person = game.mover()?.clone();
        let about = self.address_of(&person);
        let legal = self.legal(id);
        let mv = self.rng.choice(legal)?;
        let what = self.one(&["draw", "draw", "draw", "takeback", "pause", "resign"]);
        let is_shell = self.rng.u8(..3) == 0;
        let text = match is_shell {
            true => format!("move {id} {mv}"),
            false => format!("move {id} {mv}\n{what} {id}"),
        };
        let mails = Action::Mail { kind: MailKind::Verified, about, text };
        let mut steps = vec![fixed(mails)];
        steps.extend(is_shell.then(|| fixed(by(&person, &format!("{what} {id}")))));
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// A game is over and one player wants a rematch; the other answers, or something comes between.
    pub(super) fn plays_again(&mut self) -> Option<Action> {
        let rows = self.world.tables().columns("game", ["id", "turn", "black", "white", "reason"]);
        let over = rows.filter(|row| row[1].is_none() && row[2].is_some() && row[3].is_some());
        let over: Vec<_> = over.collect();
        let last = over.len().saturating_sub(5);
        let [id, _, black, white, _] = *self.rng.choice(&over[last..])?;
        let (id, black, white) = (number(id)?, self.present(black)?, self.present(white)?);
        let (one, other) = if self.rng.bool() { (black, white) } else { (white, black) };
        let between = match self.rng.u8(..10) {
            0 => by(&other, &format!("block {one}")),
            1 => by(&one, &format!("block {other}")),
            2 => host(&format!("annul {id}")),
            3 => by(&one, &format!("rematch {id}")),
            4 => by(&other, &format!("analyze {id} --depth 1")),
            5 | 6 => by(if self.rng.u8(..4) > 0 { &one } else { &other }, "leave --yes"),
            _ => host("send"),
        };
        let answer = self.one(&["accept", "accept", "rematch", "decline"]);
        let (asks, is_mail) = (by(&one, &format!("rematch {id}")), self.rng.u8(..3) == 0);
        let unblocks = by(&other, &format!("unblock {one}"));
        self.scene(vec![
            fixed(asks.clone()),
            fixed(between),
            later(move |it| match is_mail {
                true => it.reply_to_recent(id, &other, answer.to_owned()),
                false => Some(by(&other, &format!("{answer} {id}"))),
            }),
            later(|it| it.newest_game().and_then(|id| it.moves_on(id))),
            later(|it| it.newest_game().and_then(|id| it.in_one_game(id))),
            fixed(asks),
            fixed(unblocks),
        ])
    }

    /// Somebody is away, once or twice, while a game of theirs begins and goes on.
    pub(super) fn plays_while_away(&mut self) -> Option<Action> {
        let [away, other]: [String; 2] = self.some()?;
        let day = |it: &Planner, from: i64, to: i64| {
            let today = it.world.now().date_naive();
            let [from, to] = [from, to].map(|days| today + chrono::TimeDelta::days(days));
            format!("away {from} {to}")
        };
        let clock = self.one(&self.taste.clocks);
        let (black, white) = if self.rng.bool() { (&away, &other) } else { (&other, &away) };
        let begins = match self.rng.u8(..3) {
            0 => host(&format!("new othello --size 4x6 {black} {white} {clock} --rated")),
            1 => host(&format!("new othello {black} {white} --opening balanced {clock}")),
            _ => host(&format!("new mini {black} {white} {clock}")),
        };
        let last = self.rng.i64(0..2);
        let first = by(&away, &day(self, 0, last));
        let second = by(&away, &day(self, 3, 4));
        let is_twice = self.rng.bool();
        let mut steps = vec![fixed(first)];
        steps.extend(is_twice.then(|| fixed(second)));
        steps.push(fixed(begins));
        if is_twice && self.rng.bool() {
            // The second one is to come.
            steps.push(later(|it| it.newest_game().and_then(|id| it.moves_on(id))));
            steps.push(fixed(by(&away, "away off")));
        }
        for _ in 0..5 {
            let seconds = self.rng.i64(3_600..2 * DAY);
            steps.push(later(move |it| match it.rng.u8(..5) {
                0 => Some(by(&it.player(), "away off")),
                1 => Some(Action::Serve { seconds }),
                2 => it.newest_game().and_then(|id| it.in_one_game(id)),
                _ => it.newest_game().and_then(|id| it.moves_on(id)),
            }));
        }
        steps.push(fixed(by(&away, "away off")));
        self.scene(steps)
    }

    /// Two people stay with one game for some steps: all that can be done in a game meets in it.
    pub(super) fn dwells(&mut self) -> Option<Action> {
        let mut games = self.games_where(|_, row| row[0] != Some("none"));
        if games.is_empty() || self.rng.u8(..4) == 0 {
            games = self.games_where(|_, _| true);
        }
        let id = self.rng.choice(games)?.id;
        self.scene((0..DWELLS_FOR).map(|_| later(move |it| it.in_one_game(id))).collect())
    }

    /// Does something in a game that is active, or was a moment ago.
    fn in_one_game(&mut self, id: i64) -> Option<Action> {
        let Some(game) = self.active_game(id) else {
            let words = self.one(&["show", "rematch", "history", "say"]);
            let player = self.player();
            self.writer.clone_from(&player);
            let text = if words == "say" { self.value("TEXT") } else { String::new() };
            return Some(by(&player, &format!("{words} {id} {text}")));
        };
        let player = self.either(&game)?;
        let about_offer = self.one(&["accept", "accept", "decline"]);
        let own = |word: &str| Some(by(&player, &format!("{word} {id}")));
        match self.rng.u8(..32) {
            0..9 => self.moves_on(id),
            9 | 10 => own("takeback"),
            11 => own("draw"),
            12 => own("pause"),
            13 | 14 => own("unpause"),
            15..18 => own(about_offer),
            18 => self.reply_to_recent(id, &player, about_offer.to_owned()),
            19 => Some(self.plan_in(&game)),
            20 => {
                let day = self.world.now().date_naive();
                Some(by(&player, &format!("away {day} {}", day + chrono::TimeDelta::days(1))))
            }
            21 => Some(by(&player, "away off")),
            22 => Some(host(&format!("extend {id} {} {player}", self.one(&["2h", "1d", "3h"])))),
            23 => own("claim"),
            24 => self.opens_page(id, &player),
            25 => self.presses(&player, about_offer),
            26 => Some(host("send")),
            27 => own(self.one(&["abort", "resign", "mute", "unmute", "show"])),
            _ => self.until_deadline(id),
        }
    }

    /// Waits until close to the deadline of a game, or for some hours.
    fn until_deadline(&mut self, id: i64) -> Option<Action> {
        let row = self.world.tables().columns_of("game", id, ["deadline"]).next()?;
        let left = deadline(row[0]).map(|at| at - self.world.now().timestamp());
        let near = self.one(&[-3_600, -60, -1, 0, 1, 60, 4_000]);
        let left = left.map(|left| left + near).filter(|left| (1..6 * DAY).contains(left));
        let seconds = left.filter(|_| self.rng.bool()).unwrap_or(self.rng.i64(600..40_000));
        Some(if self.rng.bool() { Action::Serve { seconds } } else { Action::Wait { seconds } })
    }
}
