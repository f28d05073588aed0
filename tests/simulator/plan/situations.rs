//! Situations that are written as text, a line each: see `situations.txt`.

use std::rc::Rc;
use std::sync::LazyLock;

use chrono::{Datelike as _, Days, NaiveDateTime, NaiveTime, TimeDelta, Weekday};
use chrono_tz::Tz;

use super::scripts::{fixed, later, letter, reply, verified};
use super::{Action, Later, Planner, by, host};
use crate::simulator::DAY;
use crate::simulator::holds::HOST;
use crate::simulator::pages::Request;
use crate::simulator::server::Accepted;
use crate::simulator::step::{MailKind, Mood};
use crate::simulator::tables::number;

/// The lines of the file that are no comments.
pub static SITUATIONS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("situations.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// For so long `send` runs regularly at the end of a longer time.
const SERVED: i64 = DAY;

/// Who takes part in a situation.
struct Cast {
    /// `A`, `B` and so on.
    people: [String; 4],
    /// The name of the tournament.
    tournament: String,
}

/// How long a step takes.
#[derive(Clone, Copy)]
enum Time {
    Seconds(i64),
    /// Until the next time of this day of the week, or of any.
    Until(Option<Weekday>, NaiveTime),
    /// Until the flag of the player to move falls.
    Flag,
}

impl Cast {
    /// Returns the player whom a letter stands for.
    fn who(&self, letter: &str) -> Option<&String> {
        let [first] = *letter.as_bytes() else { return None };
        self.people.get(usize::from(first.checked_sub(b'A')?))
    }

    /// Returns the newest game or challenge of the first two.
    fn game(&self, it: &Planner) -> Option<i64> {
        let tables = it.world.tables();
        let id = |name: &String| {
            let mut rows = tables.columns("player", ["id", "name"]);
            rows.find(|[_, other]| *other == Some(name)).and_then(|[id, _]| id)
        };
        let sides = [Some(id(&self.people[0])?), Some(id(&self.people[1])?)];
        let games = tables.columns("game", ["id", "black", "white"]);
        let challenges = tables.columns("challenge", ["id", "challenger", "opponent"]);
        let theirs = games
            .chain(challenges)
            .filter(|[_, one, other]| [*one, *other] == sides || [*other, *one] == sides);
        theirs.filter_map(|[id, ..]| number(id)).max()
    }

    /// Returns the words with everything in them that stands for something else.
    fn filled(&self, it: &mut Planner, words: &str) -> Option<String> {
        let mut filled = String::new();
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let mut rest = words;
        while let Some(first) = rest.chars().next() {
            let is_word = is_part(first);
            let end = rest.find(|it| is_part(it) != is_word).unwrap_or(rest.len());
            let (part, after) = rest.split_at(end);
            rest = after;
            match part {
                "G" => filled += &self.game(it)?.to_string(),
                "T" => filled += &self.tournament,
                "MOVE" => {
                    let legal = it.legal(self.game(it)?);
                    filled += &it.rng.choice(legal)?;
                }
                "TEXT" => filled += it.value("TEXT").trim(),
                "NOW" => filled += &it.hour_in(0),
                "IN2" => filled += &it.hour_in(2),
                "IN8" => filled += &it.hour_in(8),
                "TODAY" => filled += &it.day_in(0),
                "TOMORROW" => filled += &it.day_in(1),
                "DAY2" => filled += &it.day_in(2),
                "DAY3" => filled += &it.day_in(3),
                _ => filled += self.who(part).map_or(part, |name| name),
            }
        }
        Some(filled)
    }

    /// Returns what a step does; `None` if that cannot be now.
    fn action(&self, it: &mut Planner, step: &str) -> Option<Action> {
        match step {
            "send" => return Some(host("send")),
            "down" => return Some(Action::Server(Mood::Down)),
            "good" => return Some(Action::Server(Mood::Good)),
            "flaky" => return Some(Action::Server(Mood::Flaky)),
            "backup" => return Some(Action::Backup),
            "restore" => return Some(Action::Restore),
            "moves" => {
                let game = it.active_game(self.game(it)?)?;
                return it.move_in(&game);
            }
            _ => {}
        }
        let (subject, words) = step.split_once(": ").unwrap_or((step, ""));
        let subject =
            if subject.contains('@') { self.filled(it, subject)? } else { subject.to_owned() };
        let mut subject = subject.split(' ');
        let who = subject.next()?;
        let game = self.game(it).and_then(|id| it.active_game(id));
        let player = match who {
            "host" => HOST.to_owned(),
            "mover" => game.as_ref()?.mover()?.clone(),
            "other" => game.as_ref()?.waiting()?.clone(),
            address if address.contains('@') => it.world.name_at(address),
            _ => self.who(who)?.clone(),
        };
        it.writer.clone_from(&player);
        let words = self.filled(it, words)?;
        let text = words.replace(" / ", "\n");
        let address = if who.contains('@') { who.to_owned() } else { it.address_of(&player) };
        match (subject.next(), subject.next()) {
            (None, _) if player == HOST => Some(host(&words)),
            (None, _) => Some(by(&player, &words)),
            (Some("mails"), _) => Some(verified(&address, text)),
            (Some("writes"), _) => Some(letter(&address, text)),
            (Some("replies"), Some("any")) => it.reply_to_recent(self.game(it)?, &player, text),
            (Some("replies"), Some("old")) => {
                let to = it.recent_mails(self.game(it)?, &player).into_iter().nth(1)?;
                Some(Action::Reply { to, text })
            }
            (Some("replies"), Some(kind)) => Some(reply(kind, &address, &text)),
            (Some("unsubscribes"), Some(kind)) => it.unsubscribes(kind, &address),
            (Some(verb), Some(mail)) if let Some(kind) = kind(verb) => {
                let about = format!("newest:{mail}:{address}");
                Some(Action::Mail { kind, about, text })
            }
            (Some("opens"), _) => it.opens_page(self.game(it)?, &player),
            (Some("presses"), Some(word)) => it.presses(&player, word),
            (Some("moves"), _) => {
                let game = game.filter(|game| game.mover() == Some(&player))?;
                it.move_in(&game)
            }
            _ => None,
        }
    }

    /// Returns how many seconds are left of a time; `None` if it is over, or far away.
    fn seconds(&self, it: &Planner, time: Time) -> Option<i64> {
        let now = it.world.now();
        let seconds = match time {
            Time::Seconds(seconds) => seconds,
            Time::Until(day, at) => {
                let days =
                    (0..8).filter_map(|days| now.date_naive().checked_add_days(Days::new(days)));
                let mut days = days.filter(|it| day.is_none_or(|day| it.weekday() == day));
                let then = days.find(|it| it.and_time(at) > now.naive_utc())?.and_time(at);
                (then - now.naive_utc()).num_seconds()
            }
            Time::Flag => it.flag_in(self.game(it)?)?,
        };
        (0..30 * DAY).contains(&seconds).then_some(seconds)
    }
}

/// Returns the kind of the mails that are about another one.
fn kind(verb: &str) -> Option<MailKind> {
    match verb {
        "bounces" => Some(MailKind::Bounce),
        "forges" => Some(MailKind::Forged),
        "rests" => Some(MailKind::Vacation),
        _ => None,
    }
}

/// Reads a span such as `90m`, `2d` or `1w`, in seconds.
fn span(text: &str) -> Option<i64> {
    let (count, unit) = text.split_at(text.len().checked_sub(1)?);
    let unit = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    Some(count.parse::<i64>().ok()? * unit)
}

/// Reads a step in which time passes.
fn time(step: &str) -> Option<Time> {
    let mut words = step.split(' ');
    match (words.next()?, words.next(), words.next()) {
        ("flag", None, None) => Some(Time::Flag),
        ("serve", Some(length), None) => span(length).map(Time::Seconds),
        ("until", Some(at), None) => Some(Time::Until(None, at.parse().ok()?)),
        ("until", Some(day), Some(at)) => {
            Some(Time::Until(Some(day.parse().ok()?), at.parse().ok()?))
        }
        _ => None,
    }
}

/// Chooses one of the texts of each `{one|other}`.
fn chosen(line: &str, rng: &mut fastrand::Rng) -> String {
    let mut rest = line;
    let mut chosen = String::new();
    while let Some((before, after)) = rest.split_once('{')
        && let Some((texts, after)) = after.split_once('}')
    {
        let text = rng.choice(texts.split('|').collect::<Vec<_>>()).unwrap_or_default();
        chosen.extend([before, text]);
        rest = after;
    }
    chosen + rest
}

impl Planner<'_> {
    /// Returns the time so many hours from now, where the writer is.
    fn local(&self, hours: i64) -> NaiveDateTime {
        let then = self.world.now() + TimeDelta::hours(hours);
        let mut players = self.world.tables().columns("player", ["name", "clock"]);
        let player = players.find(|[name, _]| *name == Some(&self.writer));
        let zone = player.and_then(|[_, clock]| clock?.split(' ').next()?.parse::<Tz>().ok());
        zone.map_or(then.naive_utc(), |zone| then.with_timezone(&zone).naive_local())
    }

    /// Returns the hour so many hours from now.
    fn hour_in(&self, hours: i64) -> String {
        self.local(hours).format("%H:00").to_string()
    }

    /// Returns the day so many days from now.
    fn day_in(&self, days: i64) -> String {
        self.local(24 * days).format("%Y-%m-%d").to_string()
    }

    /// Returns the steps in which a player changes settings that change when mails come.
    fn settles(&self, name: &str) -> Vec<Later> {
        let tables = self.world.tables();
        let columns = ["name", "id", "mail_mode", "clock", "grace"];
        let player = tables.columns("player", columns).find(|it| it[0] == Some(name));
        let Some([_, Some(id), mode, clock, grace]) = player else { return Vec::new() };
        let now = self.world.now().timestamp();
        let is_away = number(Some(id)).is_some_and(|id| {
            let mut absences = tables.columns_of("absence", id, ["until_at"]);
            absences.any(|[until]| number(until) > Some(now))
        });
        let settings = [
            (mode != Some("each"), "set mail each"),
            (clock.is_some_and(|it| !it.ends_with(" none")), "set quiet off"),
            (grace != Some("off"), "set grace off"),
            (is_away, "away off"),
        ];
        let others = settings.iter().filter(|(is_other, _)| *is_other);
        others.map(|(_, words)| fixed(by(name, words))).collect()
    }

    /// Presses the "unsubscribe" button of a mail program for the newest mail of a kind to an address.
    fn unsubscribes(&self, kind: &str, address: &str) -> Option<Action> {
        let state = self.world.server.state();
        let is_it = |it: &&Accepted| {
            it.to == address && it.shown.as_ref().is_some_and(|shown| shown.kind == kind)
        };
        let path = state.accepted.iter().rev().find(is_it)?.unsubscribes_at()?;
        let form = Some("List-Unsubscribe=One-Click".to_owned());
        Some(Action::Page(Request { path, form, is_foreign: true }))
    }

    /// Returns the step in which the mail server works again, if it does not.
    pub(super) fn mended(&self) -> Vec<Later> {
        let is_good = self.world.server.state().mood == Mood::Good;
        (!is_good).then(|| fixed(Action::Server(Mood::Good))).into_iter().collect()
    }

    /// Plays a situation.
    pub(super) fn plays(&mut self, line: &str) -> Option<Action> {
        let people: [String; 4] = self.some()?;
        let tournaments = self.world.tables().columns("tournament", ["id"]).count();
        let cast = Rc::new(Cast { people, tournament: format!("open{tournaments}") });
        let line = chosen(line, self.rng);
        let mut steps = self.mended();
        if self.rng.u8(..3) > 0 {
            let settle = cast.people[..3].iter().flat_map(|name| self.settles(name));
            steps.extend(settle);
        }
        for step in line.split(';').map(str::trim) {
            let (cast, step) = (Rc::clone(&cast), step.to_owned());
            if let Some(time) = time(&step) {
                let before = Rc::clone(&cast);
                steps.push(later(move |it| {
                    let seconds = before.seconds(it, time)? - SERVED;
                    (seconds > 0).then_some(Action::Wait { seconds })
                }));
                steps.push(later(move |it| {
                    let seconds = match time {
                        Time::Seconds(seconds) => seconds.min(SERVED),
                        _ => cast.seconds(it, time)?,
                    };
                    Some(Action::Serve { seconds })
                }));
            } else if let Some(seconds) = step.strip_prefix("wait ").and_then(span) {
                steps.push(later(move |_| Some(Action::Wait { seconds })));
            } else if let Some(count) = step.strip_prefix("moves ").and_then(|it| it.parse().ok()) {
                let steps_of = |_| {
                    let cast = Rc::clone(&cast);
                    later(move |it| cast.action(it, "moves"))
                };
                steps.extend((0..count).map(steps_of));
            } else {
                steps.push(later(move |it| cast.action(it, &step)));
            }
        }
        self.scene(steps)
    }
}
