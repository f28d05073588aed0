//! What people do in several steps, one after the other: a game goes on to its end, a flag falls and the late player
//! moves, a game is left alone until it can be claimed, a challenge is answered too late, or somebody does the same
//! thing so often that a limit is reached.

use chrono::TimeDelta;

use super::{Action, Active, Command, Later, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::holds::{MAX_COMMENT, MAX_NOTE, OPEN_FOR};
use crate::simulator::replay::Replayed;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::{deadline, number};

/// The most moves that follow each other.
const MAX_MOVES: usize = 12;
/// How long nobody does anything while a game is left alone, and how often.
const ALONE: (i64, usize) = (12 * DAY, 6);

/// A week, and the hours until everybody's clocks have gone over it.
pub(super) const WEEK: i64 = 7 * DAY + 3_600;

/// Makes a mail from this address that the club's mail server has verified.
pub(super) fn verified(about: &str, text: impl Into<String>) -> Action {
    Action::Mail { kind: MailKind::Verified, about: about.to_owned(), text: text.into() }
}

/// Makes a mail from this address without proof.
pub(super) fn letter(about: &str, text: impl Into<String>) -> Action {
    Action::Mail { kind: MailKind::Letter, about: about.to_owned(), text: text.into() }
}

/// Makes a reply to the newest mail of a kind to an address.
pub(super) fn reply(kind: &str, address: &str, text: &str) -> Action {
    Action::Reply { to: format!("newest:{kind}:{address}"), text: text.to_owned() }
}

/// Makes a later step.
pub(super) fn later(does: impl Fn(&mut Planner) -> Option<Action> + 'static) -> Later {
    Box::new(does)
}

/// Makes a later step that does not depend on anything.
pub(super) fn fixed(action: Action) -> Later {
    later(move |_| Some(action.clone()))
}

impl Planner<'_> {
    /// Returns so many players at random; `None` if there are fewer.
    pub(super) fn some<const N: usize>(&mut self) -> Option<[String; N]> {
        let people = self.rng.choose_multiple(self.players.clone(), N);
        people.try_into().ok()
    }

    /// Returns the setting of quiet hours in UTC that begin with the present hour and last so many.
    pub(super) fn quiet_for(&self, hours: i64) -> String {
        let hour = self.world.now().timestamp() / 3_600 % 24;
        format!("set quiet {hour:02}:00-{:02}:00", (hour + hours) % 24)
    }

    /// Does the first of these things now and the others in the next steps.
    pub(super) fn one_by_one(&mut self, actions: Vec<Action>) -> Option<Action> {
        self.scene(actions.into_iter().map(fixed).collect())
    }

    /// Does the first of these steps now and the others next.
    pub(super) fn scene(&mut self, steps: Vec<Later>) -> Option<Action> {
        let mut steps = steps.into_iter();
        let first = steps.next()?(self);
        self.later = steps.collect();
        first
    }

    /// Returns the active games between two people that have all of this.
    pub(super) fn games_where(
        &self,
        holds: impl Fn(&Active, [Option<&str>; 4]) -> bool,
    ) -> Vec<Active> {
        let columns = ["clock", "flag", "deadline", "paused"];
        let tables = self.world.tables();
        let is_it = |game: &&Active| {
            let mut rows = tables.columns_of("game", game.id, columns);
            game.black.is_some()
                && game.white.is_some()
                && rows.next().is_some_and(|row| holds(game, row))
        };
        self.games.iter().filter(is_it).cloned().collect()
    }

    /// Returns moves with which a game goes on, at random.
    fn moves_in(&mut self, game: &Active) -> Vec<Action> {
        let mut actions = Vec::new();
        let Ok(mut then) = Replayed::of(self.world.tables(), game.id, usize::MAX) else {
            return actions;
        };
        while actions.len() < MAX_MOVES
            && let Some(turn) = then.turn()
            && let Some(mv) = self.rng.choice(then.legal())
        {
            let Some(player) = (if turn == 'b' { &game.black } else { &game.white }) else { break };
            actions.push(by(player, &format!("move {} {mv}", game.id)));
            then = then.after(&[mv]);
        }
        actions
    }

    /// Mail to a player fails on two days, until it is paused. The opponents go on, and mostly the player comes back.
    pub(super) fn mail_fails(&mut self) -> Option<Action> {
        let player = self.player();
        let address = self.address_of(&player);
        let failed: Vec<String> = {
            let state = self.world.server.state();
            let last = state.accepted.iter().rev().take(80).filter(|mail| mail.to == address);
            last.take(4).map(|mail| mail.id.clone()).collect()
        };
        let [last, before, first, old] = <[String; 4]>::try_from(failed).ok()?;
        let bounce =
            |about| Action::Mail { kind: MailKind::Bounce, about, text: "failed 5.1.1".to_owned() };
        let mut actions = vec![
            bounce(first),
            Action::Wait { seconds: DAY },
            bounce(before),
            bounce(last.clone()),
        ];
        let with_player =
            |game: &&Active| [&game.black, &game.white].contains(&&Some(player.clone()));
        let games: Vec<_> = self.games.iter().filter(with_player).cloned().collect();
        for game in games {
            if game.mover() != Some(&player) {
                actions.extend(self.moves_in(&game).into_iter().take(1));
            }
            let is_muted = self.rng.u8(..4) == 0;
            actions.extend(is_muted.then(|| by(&player, &format!("mute {}", game.id))));
        }
        actions.push(host("send"));
        // A report about another one can come in the pause.
        actions.extend((self.rng.u8(..3) == 0).then(|| bounce(old.clone())));
        actions.push(Action::Wait { seconds: self.rng.i64(0..2 * DAY) });
        let comes_back = match self.rng.u8(..7) {
            0 => Some(by(&player, "games")),
            1 | 2 => {
                let address = host(&format!("address {player} {player}9@people.example"));
                let place = self.one(&[1, actions.len()]);
                actions.insert(place, address);
                Some(bounce(old))
            }
            3 => Some(Action::Reply { to: last, text: "help".to_owned() }),
            // Another mail carries the answer.
            4 | 5 => {
                let text = self.one(&["challenge bot:novice mini", "page"]).to_owned();
                Some(Action::Mail { kind: MailKind::Verified, about: address, text })
            }
            _ => None,
        };
        actions.extend(comes_back);
        actions.push(host("send"));
        self.one_by_one(actions)
    }

    /// The mail server defers mail at the moment at which one that waits is due.
    pub(super) fn mail_is_deferred(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let mails = self.world.tables().columns("outbox", ["state", "due_at"]);
        let waiting = mails.filter(|[state, _]| *state == Some("queued"));
        let due: Vec<_> = waiting.filter_map(|[_, due]| number(due)).collect();
        let seconds =
            self.rng.choice(due).map(|due| due - now + 1).filter(|it| (1..DAY).contains(it))?;
        let mut actions = vec![Action::Server(Mood::Flaky), Action::Wait { seconds }];
        actions.extend([(); 3].map(|()| host("send")));
        actions.push(Action::Server(Mood::Good));
        self.one_by_one(actions)
    }

    /// A game goes on, mostly to its end: often one in which a flag has fallen.
    pub(super) fn plays_on(&mut self) -> Option<Action> {
        let tables = self.world.tables();
        let has_flag = |game: &Active| {
            let mut log = tables.columns_of("event", game.id, ["action"]).flatten().flatten();
            log.any(|action| action.starts_with("flag "))
        };
        let flagged = self.games_where(|game, _| has_flag(game));
        let all = self.games_where(|_, _| true);
        let chosen = self.rng.choice(flagged).filter(|_| self.rng.u8(..4) > 0);
        let game = chosen.or_else(|| self.rng.choice(all))?;
        let moves = self.moves_in(&game);
        self.one_by_one(moves)
    }

    /// The time of a player runs out, and the player moves all the same.
    pub(super) fn moves_late(&mut self) -> Option<Action> {
        let now = self.world.now().timestamp();
        let left = |row: [Option<&str>; 4]| deadline(row[2]).map(|at| at - now);
        let late = self.games_where(|_, row| {
            row[1] == Some("claim") && left(row).is_some_and(|left| (0..3 * DAY).contains(&left))
        });
        let game = self.rng.choice(late)?;
        let row = self.world.tables().columns_of("game", game.id, ["deadline"]).next();
        let at = row.and_then(|[at]| deadline(at))?;
        let mut actions =
            vec![Action::Server(Mood::Good), Action::Serve { seconds: (at - now).max(0) + 60 }];
        actions.extend(self.moves_in(&game));
        self.one_by_one(actions)
    }

    /// Nobody moves in a game without a clock until it can be claimed, and then it is claimed.
    pub(super) fn is_left_alone(&mut self) -> Option<Action> {
        let without = self.games_where(|_, row| row[0] == Some("none"));
        let game = self.rng.choice(without)?;
        let (Some(mover), Some(waiting)) = (game.mover(), game.waiting()) else { return None };
        let (span, times) = ALONE;
        let mut actions = vec![Action::Server(Mood::Good)];
        for _ in 0..times {
            actions.extend([Action::Wait { seconds: span }, host("send")]);
        }
        actions.push(by(mover, "games"));
        let asks = self.rng.bool().then(|| by(waiting, "games"));
        actions.extend(asks);
        actions.push(by(waiting, &format!("claim {}", game.id)));
        self.one_by_one(actions)
    }

    /// A challenge gets too old, and somebody answers it or lists it before `send` runs.
    pub(super) fn answers_too_late(&mut self) -> Option<Action> {
        let columns = ["id", "challenger", "opponent", "created_at", "state"];
        let rows = self.world.tables().columns("challenge", columns);
        let open: Vec<_> = rows.filter(|row| row[4] == Some("open")).collect();
        let [id, challenger, opponent, created_at, _] = self.rng.choice(open)?;
        let challenger = self.present(challenger)?;
        let opponent = self.present(opponent).unwrap_or_else(|| self.player());
        let left = number(created_at)? + OPEN_FOR - self.world.now().timestamp();
        let mut actions = Vec::new();
        if left > 0 {
            actions.push(Action::Wait { seconds: left + self.one(&[-1, 0, 0, 1, 3_600]) });
        }
        let lists = ["games", "challenges", "games"].map(|list| by(&opponent, list));
        actions.extend(lists.into_iter().skip(self.rng.usize(..3)));
        let id = id?;
        actions.push(match self.rng.u8(..4) {
            0 => by(&challenger, &format!("decline {id}")),
            1 => by(&opponent, &format!("decline {id}")),
            _ => by(&opponent, &format!("accept {id}")),
        });
        actions.push(host("send"));
        self.one_by_one(actions)
    }

    /// Somebody blocks another player and challenges anyone, or the other way round, and that one wants to play.
    pub(super) fn challenges_others(&mut self) -> Option<Action> {
        let (one, other) = (self.player(), self.player());
        let id = self.newest + 1;
        let block = by(&one, &format!("block {other}"));
        let challenge = by(&one, "challenge anyone mini");
        let mut actions =
            if self.rng.bool() { vec![block, challenge] } else { vec![challenge, block] };
        actions.extend([by(&other, "games"), by(&other, &format!("accept {id}"))]);
        self.one_by_one(actions).filter(|_| one != other)
    }

    /// Somebody does the same thing again and again.
    pub(super) fn too_often(&mut self) -> Option<Action> {
        let player = self.player();
        let actions = match self.rng.u8(..7) {
            0 => {
                let address = |number| format!("set address {player}.{number}@people.example");
                (0..5).map(|number| by(&player, &address(number))).collect()
            }
            1 => {
                let day = self.world.now().date_naive() + TimeDelta::days(2);
                let away = || [by(&player, &format!("away {day}")), by(&player, "away off")];
                (0..4).flat_map(|_| away()).collect()
            }
            2 => {
                let opponent = |number: i32| if number % 2 == 0 { "anyone" } else { "bot:novice" };
                let words = |number| format!("challenge {} mini", opponent(number));
                let count = self.one(&[8, 26]);
                (0..count).map(|number| by(&player, &words(number))).collect()
            }
            3 => {
                let (game, author) = self.game_and_author()?;
                let (count, now) = self.one(&[(7, "--now "), (7, "--now "), (22, "")]);
                self.writer.clone_from(&author);
                let said = |it: &mut Self| format!("say {game} {now}{}", it.value("TEXT"));
                (0..count).map(|_| by(&author, &said(self))).collect()
            }
            _ => {
                let (game, author) = self.game_and_author()?;
                let offers = ["draw", "takeback", "draw", "pause"];
                let offers = offers.into_iter().cycle().take(9);
                offers.map(|offer| by(&author, &format!("{offer} {game}"))).collect()
            }
        };
        self.one_by_one(actions)
    }

    /// Somebody writes as much as a comment or a note can have, and then one letter more.
    pub(super) fn writes_much(&mut self) -> Option<Action> {
        let (game, author) = self.game_and_author()?;
        self.writer.clone_from(&author);
        let (word, now, most) = self.one(&[
            ("say", "", MAX_COMMENT),
            ("say", "", MAX_COMMENT),
            ("note", "", MAX_NOTE),
            ("say", "--now", MAX_COMMENT),
        ]);
        let [exact, over] = [most, most + 1]
            .map(|length| by(&author, &format!("{word} {game} {now} {}", self.long_words(length))));
        self.one_by_one(vec![exact, over])
    }

    /// Returns words with so many characters, some of which have several bytes.
    fn long_words(&mut self, characters: usize) -> String {
        let end = self.value("TEXT");
        let length = characters.saturating_sub(end.chars().count() + 2);
        let begin: String =
            "\u{e7}a va tr\u{e8}s bien \u{20ac} ".chars().cycle().take(length).collect();
        format!("{begin}x {end}")
    }

    /// Returns the number of a game between two people, and one of these.
    pub(super) fn game_and_author(&mut self) -> Option<(i64, String)> {
        let all = self.games_where(|_, _| true);
        let game = self.rng.choice(all)?;
        let author = self.either(&game)?;
        Some((game.id, author))
    }

    /// Somebody plans in reply to one of the last mails of a game, with moves for the position as it stands.
    pub(super) fn plans_by_mail(&mut self) -> Option<Action> {
        let Action::Command(Command { actor: Some(player), words, .. }) = self.plan() else {
            return None;
        };
        let (word, [id, branches @ ..]) = words.split_first()? else { return None };
        let (address, about) = (self.address_of(&player), format!("{id}."));
        let ids: Vec<_> = {
            let state = self.world.server.state();
            let own = state.accepted.iter().rev().take(200);
            let own = own.filter(|mail| mail.to == address && mail.id.starts_with(&about));
            own.take(4).map(|mail| mail.id.clone()).collect()
        };
        let to = self.rng.choice(ids).filter(|_| word == "plan")?;
        Some(Action::Reply { to, text: format!("plan {}", branches.join(" ")) })
    }
}
