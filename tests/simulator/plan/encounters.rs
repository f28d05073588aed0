//! Two things that seldom meet by chance: an answer to an old mail and a newer offer, a digest and a grace, two
//! annulled games and one `send`, a mail about a turn and `unmute`, a no to a question about verified mail and a later
//! mail, a takeback and a watcher or an answer to an older mail, quiet hours and an offer or a flag, a watcher and an
//! absence, a flag and a pause, two absences in one year, a plan and another branch on the
//! board, a deadline and more time for all.

use std::slice;

use chrono::Datelike;

use super::scripts::{fixed, later, letter, reply, verified};
use super::{Action, Active, Planner, by, host, open};
use crate::simulator::DAY;
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::{deadline, number};

impl Planner<'_> {
    /// A turn mail bounces, is sent again a day later and bounces again, while its reader has the turn.
    pub(super) fn bounces_twice(&mut self) -> Option<Action> {
        let (game, _, reader) = self.pair()?;
        let id = game.id;
        let bounces = move |it: &mut Planner| {
            let about = it.recent_mails(id, &reader).into_iter().next()?;
            Some(Action::Mail { kind: MailKind::Bounce, about, text: "failed 5.1.1".to_owned() })
        };
        let pauses = [DAY, DAY + self.rng.i64(0..2 * DAY), DAY, DAY];
        let mut steps = vec![fixed(Action::Server(Mood::Good)), later(move |it| it.moves_on(id))];
        for seconds in pauses {
            steps.push(fixed(host("send")));
            steps.push(later(bounces.clone()));
            steps.push(fixed(Action::Wait { seconds }));
        }
        self.scene(steps)
    }

    /// Somebody answers a list of games after an offer was made in one of them, or was made again.
    pub(super) fn answers_an_old_list(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (asks, other) = if self.rng.bool() { (mover, waiting) } else { (waiting, mover) };
        let (id, address) = (game.id, self.address_of(&other));
        let offer = by(&asks, &format!("{} {id}", self.one(&["draw", "pause", "draw"])));
        let mut actions = vec![Action::Server(Mood::Good)];
        let is_open = self.rng.u8(..3) == 0;
        actions.extend(is_open.then(|| offer.clone()));
        let text = self.one(&["games", "challenges", "help"]).to_owned();
        actions.push(verified(&address, text));
        let withdraws = is_open && self.rng.bool();
        actions.extend(withdraws.then(|| by(&asks, &format!("decline {id}"))));
        actions.push(Action::Wait { seconds: self.rng.i64(60..3_600) });
        actions.push(offer);
        let answer = self.one(&["accept", "decline"]);
        actions.push(reply("answer", &address, &format!("{answer} {id}")));
        self.one_by_one(actions)
    }

    /// Somebody who gets digests is to move in two games when one is made, and the move in one of them can still be
    /// taken back.
    pub(super) fn waits_for_digest_and_grace(&mut self) -> Option<Action> {
        let (_, mover, reader) = self.pair()?;
        let soon = self.world.now() + chrono::TimeDelta::hours(2);
        let grace = self.one(&["24h", "8h", "4h"]);
        let begins =
            |black: &str, white: &str| host(&format!("new mini {black} {white} --clock 5d"));
        self.scene(vec![
            fixed(by(&reader, "set quiet off")),
            fixed(by(&reader, "set timezone UTC")),
            fixed(by(&reader, &format!("set mail digest {}", soon.format("%H:%M")))),
            fixed(begins(&reader, &mover)),
            fixed(by(&mover, &format!("set grace {grace}"))),
            fixed(begins(&mover, &reader)),
            later(|it| it.moves_in_newest()),
            fixed(Action::Serve { seconds: 3 * 3_600 }),
            fixed(Action::Serve { seconds: DAY }),
        ])
    }

    /// The host annuls two finished games that counted before the ratings are calculated again, and others end.
    pub(super) fn loses_two_games(&mut self) -> Option<Action> {
        let names = ["id", "turn", "rated", "reason", "board_rows", "board_columns", "misere"];
        let rows = self.world.tables().columns("game", names);
        let rated = rows.filter(|[_, turn, rated, reason, ..]| {
            turn.is_none() && *rated == Some("1") && *reason != Some("annulled")
        });
        let rated: Vec<_> = rated.collect();
        // Mostly of one list.
        let list = self.rng.choice(&rated).filter(|_| self.rng.u8(..4) > 0).map(|it| &it[4..]);
        let rated = rated.iter().filter(|it| list.is_none_or(|list| &it[4..] == list));
        let rated: Vec<_> = rated.filter_map(|[id, ..]| number(*id)).collect();
        let mut annulled = self.rng.choose_multiple(rated, 2);
        if self.rng.u8(..3) > 0 {
            annulled.sort_unstable();
        }
        let mut actions: Vec<_> = annulled.iter().map(|id| host(&format!("annul {id}"))).collect();
        if let Some((game, mover, _)) = self.pair().filter(|_| self.rng.bool()) {
            actions.push(by(&mover, &format!("resign {}", game.id)));
        }
        actions.extend([host("send"), host("standings"), host("verify")]);
        self.one_by_one(actions)
    }

    /// Somebody mutes a game after the mail about a turn, and no longer does before the turn is over.
    pub(super) fn unmutes_what_was_told(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let id = game.id;
        let mv = self.rng.choice(self.legal(id))?;
        let mut actions = vec![Action::Server(Mood::Good)];
        let is_digest = self.rng.bool();
        if is_digest {
            actions.extend(self.reads_a_digest(&reader, 1));
        }
        actions.push(by(&mover, &format!("move {id} {mv}")));
        let seconds = if is_digest { 2 * 3_600 } else { self.rng.i64(3_600..DAY) };
        actions.push(Action::Serve { seconds });
        actions.push(by(&reader, &format!("mute {id}")));
        let seconds = self.rng.i64(60..DAY);
        actions.extend(self.rng.bool().then_some(Action::Serve { seconds }));
        actions.push(by(&reader, &format!("unmute {id}")));
        self.one_by_one(actions)
    }

    /// Somebody who has a plan makes another branch of it on the board of the page, and keeps it.
    pub(super) fn plans_on_the_board(&mut self) -> Option<Action> {
        let (game, _, waiting) = self.pair()?;
        let id = game.id;
        let replayed = Replayed::of(self.world.tables(), id, usize::MAX).ok()?;
        let mv = self.rng.choice(replayed.legal())?;
        let after = replayed.after(slice::from_ref(&mv));
        let answer = self.rng.choice(after.legal()).filter(|_| after.turn() != replayed.turn())?;
        let plan = self.plan_in(&game);
        let (reader, sender) = (waiting.clone(), waiting);
        self.scene(vec![
            fixed(plan),
            later(move |it| {
                let Action::Page(page) = it.opens_page(id, &reader)? else { return None };
                let path = page.path.split('?').next()?;
                Some(open(format!("{path}?plan={mv}+{answer}")))
            }),
            later(move |it| it.presses(&sender, "plan")),
        ])
    }

    /// The host gives everybody time right after a deadline at which a game is lost.
    pub(super) fn gets_time_too_late(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let left = |row: [Option<&str>; 4]| deadline(row[2]).map(|at| at - now);
        let close = self.games_where(|_, row| {
            row[1] == Some("hard") && left(row).is_some_and(|left| (0..9 * DAY).contains(&left))
        });
        let id = self.rng.choice(close)?.id;
        let row = self.world.tables().columns_of("game", id, ["deadline"]).next()?;
        let seconds = deadline(row[0])? - now + self.rng.i64(0..3_600);
        let all = self.one(&["all", "all", "all", ""]);
        let game = if all.is_empty() { id.to_string() } else { all.to_owned() };
        self.one_by_one(vec![
            Action::Server(Mood::Good),
            host("send"),
            Action::Wait { seconds },
            host(&format!("extend {game} 2d")),
            host("send"),
        ])
    }

    /// Somebody says no to a question about verified mail, and writes unverified mail later.
    pub(super) fn says_no_to_a_question(&mut self) -> Option<Action> {
        let player = self.player();
        let address = self.address_of(&player);
        let text = self.one(&["leave", "set address new@people.example"]).to_owned();
        let command = self.one(&["set quiet off", "set letter on", "set subject on"]).to_owned();
        self.one_by_one(vec![
            Action::Server(Mood::Good),
            verified(&address, text),
            reply("confirm", &address, "no"),
            letter(&address, command),
        ])
    }

    /// Moves are taken back, often just to the position that a mail has shown, and somebody answers that mail.
    pub(super) fn resigns_after_takeback(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let id = game.id;
        let (asks, answers) =
            if self.rng.u8(..3) > 0 { (&waiting, &mover) } else { (&mover, &waiting) };
        let (asks, answers) = (asks.clone(), answers.clone());
        let resigns = if self.rng.u8(..3) > 0 { asks.clone() } else { answers.clone() };
        let kind = self.one(&[".turn.", ".turn.", "."]);
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&waiting, "set quiet off")),
            fixed(by(&waiting, "set mail each")),
            fixed(by(&mover, "set grace off")),
            later(move |it| it.moves_on(id)),
            fixed(host("send")),
            later(move |it| it.moves_on(id)),
            fixed(by(&asks, &format!("takeback {id}"))),
            fixed(by(&answers, &format!("accept {id}"))),
            later(move |it| {
                let ids = it.recent_mails(id, &resigns).into_iter();
                let ids: Vec<_> = ids.filter(|it| it.contains(kind)).collect();
                Some(Action::Reply { to: it.rng.choice(ids)?, text: "resign".to_owned() })
            }),
        ])
    }

    /// Somebody watches a game in which a move is made and taken back within a grace, or no longer may watch it when
    /// the mail or the digest comes.
    pub(super) fn is_watched_in_grace(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let watcher = self.player();
        if [&mover, &waiting].contains(&&watcher) {
            return None;
        }
        let id = game.id;
        let grace = self.one(&["2h", "30m", "24h"]);
        let soon = self.world.now() + chrono::TimeDelta::hours(3);
        let digest = format!("set mail digest {}", soon.format("%H:%M"));
        let mode = if self.rng.bool() { digest } else { "set mail each".to_owned() };
        let changes = match self.rng.u8(..6) {
            0 => by(&mover, "set watchers none"),
            1 => by(&watcher, &format!("unwatch {id}")),
            2 => by(&waiting, &format!("block {watcher}")),
            _ => by(&mover, &format!("takeback {id}")),
        };
        let mut steps: Vec<_> =
            [&mover, &waiting].map(|it| fixed(by(it, "set watchers all"))).into_iter().collect();
        let watch = format!("watch {id}");
        steps.extend(["set timezone UTC", &mode, &watch].map(|it| fixed(by(&watcher, it))));
        steps.push(fixed(by(&mover, &format!("set grace {grace}"))));
        steps.push(later(move |it| it.moves_on(id)));
        steps.extend([changes, Action::Serve { seconds: 4 * 3_600 }].map(fixed));
        self.scene(steps)
    }

    /// Somebody offers something in the opponent's quiet hours and then moves, within a grace that is longer, or says
    /// something.
    pub(super) fn offers_in_quiet_hours(&mut self) -> Option<Action> {
        let (game, mover, reader) = self.pair()?;
        let id = game.id;
        let quiet = self.quiet_for(3);
        let grace = self.one(&["24h", "8h", "4h"]);
        let offer = self.one(&["draw", "draw", "takeback"]);
        self.writer.clone_from(&mover);
        let says = by(&mover, &format!("say {id} {}", self.value("TEXT")));
        let has_words = self.rng.bool();
        self.scene(vec![
            fixed(Action::Server(Mood::Good)),
            fixed(by(&reader, "set timezone UTC")),
            fixed(by(&reader, &quiet)),
            fixed(by(&mover, &format!("set grace {grace}"))),
            fixed(by(&mover, &format!("{offer} {id}"))),
            later(move |it| it.moves_on(id)),
            later(move |_| has_words.then(|| says.clone())),
            fixed(Action::Serve { seconds: 3 * 3_600 }),
        ])
    }

    /// Opponents of somebody who gets digests say something in many games.
    pub(super) fn says_in_many_games(&mut self) -> Option<Action> {
        let reader = self.busy_player().cloned().unwrap_or_else(|| self.player());
        let own = self.games.iter().filter(|game| game.mover() == Some(&reader));
        let own: Vec<_> = own.filter_map(|it| Some((it.id, it.waiting()?.clone()))).collect();
        let soon = self.world.now() + chrono::TimeDelta::hours(2);
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(&reader, "set timezone UTC"),
            by(&reader, &format!("set mail digest {}", soon.format("%H:%M"))),
        ];
        for (id, author) in self.rng.choose_multiple(own, 5) {
            self.writer.clone_from(&author);
            actions.push(by(&author, &format!("say {id} {}", self.value("TEXT"))));
        }
        let elsewhere = self.games.iter().filter(|it| it.waiting() == Some(&reader));
        let elsewhere: Vec<_> = elsewhere.map(|it| it.id).collect();
        let id = self.rng.choice(elsewhere)?;
        let mut steps: Vec<_> = actions.into_iter().map(fixed).collect();
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(Action::Serve { seconds: 3 * 3_600 }));
        self.scene(steps)
    }

    /// Somebody moves and says something in a reply, above what only looks like a signature.
    pub(super) fn signs_below_words(&mut self) -> Option<Action> {
        let (game, mover, _) = self.pair()?;
        let ids = self.recent_mails(game.id, &mover);
        let to = ids.into_iter().find(|it| it.contains(".turn.") || it.contains(".started."))?;
        let mv = self.rng.choice(self.legal(game.id))?;
        self.writer.clone_from(&mover);
        let words = self.value("TEXT");
        Some(Action::Reply { to, text: format!("{mv}\nsay {words}\n\nKind regards\nAnn Example") })
    }

    /// A flag falls in somebody's quiet hours, and before they end the game ends or pauses, or somebody speaks.
    pub(super) fn flag_falls_in_quiet_hours(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let left = |row: [Option<&str>; 4]| deadline(row[2]).map_or(0, |at| at - now);
        let games =
            self.games_where(|_, row| row[1] == Some("claim") && (1..3 * DAY).contains(&left(row)));
        let game = self.rng.choice(games)?;
        let (id, late, other) = (game.id, game.mover()?.clone(), game.waiting()?.clone());
        let row = self.world.tables().columns_of("game", id, ["deadline"]).next();
        let at = row.and_then(|[at]| deadline(at))?;
        let hour = at / 3_600 % 24;
        let quiet = format!("set quiet {hour:02}:00-{:02}:00", (hour + 5) % 24);
        let (reader, author) = if self.rng.bool() { (&late, &other) } else { (&other, &late) };
        self.writer.clone_from(author);
        let says = by(author, &format!("say {id} {}", self.value("TEXT")));
        let mut actions = vec![
            Action::Server(Mood::Good),
            by(reader, "set timezone UTC"),
            by(reader, &quiet),
            Action::Serve { seconds: at - now + 60 },
        ];
        actions.extend(match self.rng.u8(..4) {
            0 => vec![by(&other, &format!("claim {id}"))],
            1 => vec![by(&late, &format!("resign {id}"))],
            2 => vec![by(&late, &format!("pause {id}")), by(&other, &format!("accept {id}"))],
            _ => vec![says],
        });
        actions.push(Action::Serve { seconds: 6 * 3_600 });
        self.one_by_one(actions)
    }

    /// Returns what a player sets who reads a digest in so many hours, and in no quiet hours.
    pub(super) fn reads_a_digest(&self, player: &str, hours: i64) -> [Action; 3] {
        let time = (self.world.now() + chrono::TimeDelta::hours(hours)).format("%H:%M");
        let digest = format!("set mail digest {time}");
        ["set quiet off", "set timezone UTC", &digest].map(|words| by(player, words))
    }

    /// Returns a game of two people, one of whom moves, and somebody else.
    pub(super) fn with_another(&mut self) -> Option<(i64, [String; 3])> {
        let (game, mover, waiting) = self.pair()?;
        let others = self.players.iter().filter(|it| ![&mover, &waiting].contains(it));
        let others: Vec<_> = others.cloned().collect();
        Some((game.id, [mover, waiting, self.rng.choice(others)?]))
    }

    /// Somebody watches a game and is away, is blocked for a while, or a move is taken back within its grace.
    pub(super) fn is_watched(&mut self) -> Option<Action> {
        let (old, [mover, waiting, watcher]) = self.with_another()?;
        let is_new = self.rng.u8(..3) > 0;
        let begins = host(&format!("new mini {mover} {waiting} --clock 5d --no-away"));
        let id = if is_new { self.newest + 1 } else { old };
        let day = self.world.now().date_naive();
        let players = [&mover, &waiting].map(|it| by(it, "set watchers all"));
        let mut steps: Vec<_> = players.into_iter().map(fixed).collect();
        steps.extend(is_new.then(|| fixed(begins)));
        steps.push(fixed(Action::Server(Mood::Good)));
        let own = ["set quiet off".to_owned(), "set mail each".to_owned(), format!("watch {id}")];
        steps.extend(own.map(|words| fixed(by(&watcher, &words))));
        let between = match self.rng.u8(..3) {
            0 => by(&watcher, &format!("away {day} {}", day + chrono::TimeDelta::days(1))),
            1 => by(if self.rng.bool() { &mover } else { &waiting }, &format!("block {watcher}")),
            _ => by(&mover, &format!("set grace {}", self.one(&["2h", "8h", "24h"]))),
        };
        steps.push(fixed(between));
        steps.push(later(move |it| it.moves_on(id)));
        let takes_back = by(&mover, &format!("takeback {id}"));
        steps.extend(self.rng.bool().then(|| fixed(takes_back)));
        steps.push(fixed(Action::Serve { seconds: self.rng.i64(3_600..DAY) }));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(Action::Serve { seconds: self.rng.i64(3_600..DAY) }));
        steps.extend([&mover, &waiting].map(|it| fixed(by(it, &format!("unblock {watcher}")))));
        self.scene(steps)
    }

    /// The digest of somebody who watches a game cannot be sent, and a move in it is within its grace when the next one
    /// is made.
    pub(super) fn watches_by_digest(&mut self) -> Option<Action> {
        let (id, [mover, waiting, watcher]) = self.with_another()?;
        let players = [&mover, &waiting].map(|it| by(it, "set watchers all"));
        let mut steps: Vec<_> = players.into_iter().map(fixed).collect();
        steps.extend(self.reads_a_digest(&watcher, 2).map(fixed));
        steps.push(fixed(by(&watcher, &format!("watch {id}"))));
        steps.push(fixed(by(&mover, "set grace off")));
        steps.push(later(move |it| it.moves_on(id)));
        let mood = self.one(&[Mood::Down, Mood::Down, Mood::Good]);
        steps.push(fixed(Action::Server(mood)));
        steps.push(fixed(Action::Serve { seconds: 3 * 3_600 }));
        steps.push(fixed(Action::Wait { seconds: 21 * 3_600 }));
        steps.push(fixed(by(&waiting, &format!("set grace {}", self.one(&["8h", "24h"])))));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(Action::Wait { seconds: 2 * 3_600 }));
        steps.extend([Action::Server(Mood::Good), host("send"), host("send")].map(fixed));
        self.scene(steps)
    }

    /// Something is offered in a new game, which is ended before its first move.
    pub(super) fn ends_before_its_first_move(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let id = self.newest + 1;
        let offers = if self.rng.bool() { &one } else { &other };
        let ends = if self.rng.u8(..3) > 0 { &other } else { &one };
        let offer = self.one(&["draw", "pause", "draw"]);
        let mut steps = vec![
            fixed(host(&format!("new mini {one} {other} --clock 3d"))),
            fixed(by(offers, &format!("{offer} {id}"))),
        ];
        steps.extend(self.rng.bool().then(|| later(move |it| it.moves_on(id))));
        steps.push(fixed(by(ends, &format!("abort {id}"))));
        steps.push(fixed(by(ends, &format!("show {id}"))));
        self.scene(steps)
    }

    /// Somebody will be away for nearly as long as may be in a year, and wants to be away at its begin or end, too.
    pub(super) fn fills_two_years(&mut self) -> Option<Action> {
        let player = self.player();
        let year = self.world.now().date_naive().year();
        let filled = year + i32::from(self.rng.u8(..4) > 0);
        let (first, days) = (self.rng.u8(1..=2), self.rng.u8(26..=30));
        let fills = format!("away {filled}-1{first}-01 {filled}-1{first}-{days}");
        let (begin, end) = (self.rng.u8(24..=31), self.rng.u8(1..=9));
        let of = if self.rng.u8(..4) > 0 { filled - 1 } else { filled };
        let crosses = format!("away {of}-12-{begin} {}-01-0{end}", of + 1);
        let words = if self.rng.u8(..4) > 0 { [fills, crosses] } else { [crosses, fills] };
        self.one_by_one(words.map(|words| by(&player, &words)).to_vec())
    }

    /// The flag of a player falls, and the two pause the game, take a move back or get more time.
    pub(super) fn goes_on_after_flag(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let id = self.newest + 1;
        let clock = self.one(&["8h+2h", "1d", "12h+3h", "2d", "total=1d"]);
        let begins = format!("new othello --size 4x6 {one} {other} --clock {clock} --no-away");
        let mut steps = vec![fixed(host(&begins)), fixed(Action::Server(Mood::Good))];
        steps.extend((0..self.rng.usize(..4)).map(|_| later(move |it| it.moves_on(id))));
        steps.push(later(move |it| {
            let row = it.world.tables().columns_of("game", id, ["deadline"]).next()?;
            let seconds = deadline(row[0])? - it.world.now().timestamp() + 60;
            (seconds > 0).then_some(Action::Serve { seconds })
        }));
        let asks = if self.rng.bool() { (one, other) } else { (other, one) };
        match self.rng.u8(..5) {
            kind @ 0..4 => {
                let offer = if kind < 2 { "pause" } else { "takeback" };
                steps.push(fixed(by(&asks.0, &format!("{offer} {id}"))));
                steps.push(fixed(by(&asks.1, &format!("accept {id}"))));
                steps.extend([&asks.0, &asks.1].map(|it| fixed(by(it, "games"))));
                steps.push(fixed(by(&asks.0, &format!("show {id}"))));
                let unpauses = by(&asks.1, &format!("unpause {id}"));
                steps.extend((kind < 2).then(|| fixed(unpauses)));
            }
            _ => {
                let span = self.one(&["1h", "4h", "12h", "1d"]);
                steps.push(fixed(host(&format!("extend {id} {span}"))));
                steps.push(fixed(host("send")));
            }
        }
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// Somebody is away while it becomes the player's turn in two games.
    pub(super) fn comes_back_to_games(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let day = self.world.now().date_naive();
        let last = day + chrono::TimeDelta::days(self.rng.i64(0..2));
        let first = self.newest + 1;
        let begins = host(&format!("new mini {one} {other} --clock 5d"));
        let mut steps = vec![fixed(begins.clone()), fixed(begins), fixed(host("send"))];
        let sets = ["set quiet off", "set timezone UTC", self.one(&["set mail each", "games"])];
        steps.extend(sets.map(|words| fixed(by(&other, words))));
        steps.push(fixed(by(&one, "set grace off")));
        steps.push(fixed(by(&other, &format!("away {day} {last}"))));
        steps.extend([first, first + 1].map(|id| later(move |it| it.moves_on(id))));
        steps.push(fixed(Action::Server(Mood::Good)));
        let ends = self.rng.u8(..3) == 0;
        steps.extend(ends.then(|| fixed(by(&other, "away off"))));
        steps.push(fixed(Action::Serve { seconds: 2 * DAY }));
        self.scene(steps)
    }

    /// Somebody plans for a game in which somebody must pass on the way.
    pub(super) fn plans_over_a_pass(&mut self) -> Option<Action> {
        // More moves take long to look through.
        const MAX_MOVES: usize = 6;
        let mut found = Vec::new();
        for game in self.rng.choose_multiple(self.games.clone(), 3) {
            let (Some(mover), Some(waiting)) = (game.mover(), game.waiting()) else { continue };
            let Ok(it) = Replayed::of(self.world.tables(), game.id, usize::MAX) else { continue };
            let (own, other, moves) = (it.turn().map(opponent), it.turn(), it.legal());
            for first in moves.iter().filter(|_| moves.len() <= MAX_MOVES) {
                let after = it.after(slice::from_ref(first));
                // The one who plans passes, or the opponent after the reply.
                let is_other = after.turn() == other;
                for second in after.legal().into_iter().take(MAX_MOVES) {
                    let then = after.after(slice::from_ref(&second));
                    let last = then.legal().into_iter().next();
                    let Some(last) = last.filter(|_| then.turn() == own) else { continue };
                    let plan = format!("plan {} {first} {second} {last}", game.id);
                    let moves = [first, &second].map(|it| format!("move {} {it}", game.id));
                    found.push((plan, moves, is_other, mover.clone(), waiting.clone()));
                }
            }
        }
        let (plan, [first, second], is_other, mover, waiting) = self.rng.choice(found)?;
        let mut actions = vec![by(&waiting, &plan), by(&mover, &first)];
        actions.extend(is_other.then(|| by(&mover, &second)));
        self.one_by_one(actions)
    }

    /// Somebody sets when the own clock stands still while a game is paused, and the opponent moves then.
    pub(super) fn sets_something_in_a_pause(&mut self) -> Option<Action> {
        let games = self.games_where(|_, row| row[0] != Some("none") && row[3] == Some("0"));
        let game = self.rng.choice(games)?;
        let (id, mover, waiting) = (game.id, game.mover()?.clone(), game.waiting()?.clone());
        let setting = self.one(&["timezone Asia/Kathmandu", "weekend sun", "quiet 20:15-08:15"]);
        let mut steps = vec![fixed(by(&mover, &format!("pause {id}")))];
        steps.push(fixed(by(&waiting, &format!("accept {id}"))));
        steps.push(fixed(by(&waiting, &format!("set {setting}"))));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(by(&mover, &format!("unpause {id}"))));
        self.scene(steps)
    }

    /// Somebody is allowed to take a move back in the own quiet hours.
    pub(super) fn takes_back_in_quiet_hours(&mut self) -> Option<Action> {
        let (game, mover, waiting) = self.pair()?;
        let (id, quiet) = (game.id, self.quiet_for(9));
        let mut steps = vec![fixed(Action::Server(Mood::Good))];
        steps.extend(["set timezone UTC", &quiet, "set grace off"].map(|it| fixed(by(&mover, it))));
        steps.push(fixed(by(&waiting, "set quiet off")));
        steps.push(later(move |it| it.moves_on(id)));
        steps.push(fixed(host("send")));
        steps.extend(self.rng.bool().then(|| later(move |it| it.moves_on(id))));
        steps.push(fixed(by(&mover, &format!("takeback {id}"))));
        steps.push(fixed(by(&waiting, &format!("accept {id}"))));
        self.scene(steps)
    }

    /// Somebody resigns a rated game with an opening after few moves.
    pub(super) fn resigns_after_an_opening(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let begins = format!("new othello --opening balanced {one} {other} --rated");
        let mut steps = vec![fixed(host(&begins))];
        let moves = self.rng.usize(..5);
        steps.extend(
            (0..moves).map(|_| later(|it| it.newest_game().and_then(|id| it.moves_on(id)))),
        );
        let loser = if self.rng.bool() { one } else { other };
        steps.push(later(move |it| Some(by(&loser, &format!("resign {}", it.newest_game()?)))));
        steps.push(fixed(host("send")));
        self.scene(steps)
    }

    /// A reminder of two games waits for the mail server, and its reader moves in one of them.
    pub(super) fn is_reminded_of_two_games(&mut self) -> Option<Action> {
        let (_, one, other) = self.pair()?;
        let id = self.newest + 1;
        let begins = host(&format!("new mini {one} {other} --clock 2d"));
        let sets = ["set quiet off", "set reminders on", "set mail each", "set grace off"];
        let mut steps =
            vec![fixed(Action::Server(Mood::Good)), fixed(begins.clone()), fixed(begins)];
        steps.extend(sets.map(|words| fixed(by(&one, words))));
        steps.push(fixed(host("send")));
        steps.push(fixed(Action::Server(Mood::Down)));
        steps.push(fixed(Action::Wait { seconds: DAY + 14 * 3_600 + self.rng.i64(1_500..6_000) }));
        steps.extend([fixed(host("send")), later(move |it| it.moves_on(id))]);
        steps.push(fixed(Action::Server(Mood::Good)));
        steps.push(fixed(Action::Serve { seconds: 2 * 3_600 }));
        self.scene(steps)
    }

    /// A league begins with as many players as two divisions need, or with one more or less.
    pub(super) fn begins_a_league(&mut self) -> Option<Action> {
        let count = self.rng.usize(9..=11);
        let name = format!("league{}", self.world.tables().columns("tournament", ["id"]).count());
        let missing = count.saturating_sub(self.players.len());
        let mut steps: Vec<_> = (0..missing).map(|_| later(|it| Some(it.sign_up()))).collect();
        let plan = "mini --format league --divisions-of 6 --clock 1d";
        steps.push(fixed(host(&format!("tournament new {name} {plan}"))));
        let joins = format!("join {name}");
        steps.extend((0..count).map(|at| {
            let joins = joins.clone();
            later(move |it| Some(by(it.players.get(at)?, &joins)))
        }));
        steps.push(fixed(host(&format!("tournament start {name}"))));
        self.scene(steps)
    }

    /// Somebody withdraws from a round robin when half of the own games are over, or one more or less.
    pub(super) fn withdraws_halfway(&mut self) -> Option<Action> {
        let count = self.one(&[3, 3, 5]);
        let people = self.rng.choose_multiple(self.players.clone(), count);
        let player = people.first().filter(|_| people.len() == count)?.clone();
        let (name, mut steps) = self.cup("mini --clock 3d", &people);
        let half = count / 2;
        let ended = self.one(&[half, half, half, half + 1, half - 1]);
        steps.extend((0..ended).map(|_| {
            let player = player.clone();
            later(move |it| it.ends_tournament_game(&player))
        }));
        steps.push(fixed(by(&player, &format!("withdraw {name}"))));
        steps.push(fixed(host(&format!("tournament {name}"))));
        self.scene(steps)
    }

    /// The last game of a player that belongs to a tournament is over.
    fn ends_tournament_game(&mut self, player: &String) -> Option<Action> {
        let tables = self.world.tables();
        let games: Vec<_> =
            tables.columns("pairing", ["game"]).filter_map(|[it]| number(it)).collect();
        let is_own = |it: &&Active| [it.mover(), it.waiting()].contains(&Some(player));
        let mut own = self.games.iter().filter(is_own).filter(|it| games.contains(&it.id));
        let game = own.next_back()?.clone();
        Some(by(&self.either(&game)?, &format!("resign {}", game.id)))
    }
}
