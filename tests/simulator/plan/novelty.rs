//! Which of several actions has met the situation least often. A situation is the rows that an action is about, such
//! as those of its game, its players and their mails, each value of a column reduced to a few kinds. New columns
//! take part by themselves.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::simulator::DAY;
use crate::simulator::step::Action;
use crate::simulator::tables::number;
use crate::simulator::world::World;

/// How many actions are chosen from.
pub const CANDIDATES: usize = 4;

/// How many numbers count pairs of features; which one a pair has follows from its hash.
const COUNTERS: usize = 1 << 18;

/// What a pair of features that was met so many times adds to the novelty of an action.
const SCORES: [u32; 4] = [8, 3, 1, 0];

/// Tables about a game, with the column that has its number, and whether only the last row counts.
const OF_GAMES: [(&str, &str, bool); 11] = [
    ("game", "id", false),
    ("challenge", "id", false),
    ("event", "game", true),
    ("outbox", "game", false),
    ("unsubscribed", "game", false),
    ("watcher", "game", false),
    ("plan", "game", false),
    ("comment", "game", true),
    ("pairing", "game", false),
    ("analysis", "game", false),
    ("job", "game", false),
];

/// Tables about a player, with the columns that have the player's number.
const OF_PLAYERS: [(&str, &str); 9] = [
    ("player", "id"),
    ("absence", "player"),
    ("blocked", "player"),
    ("blocked", "author"),
    ("challenge", "challenger"),
    ("challenge", "opponent"),
    ("entrant", "player"),
    ("address_request", "player"),
    ("failure", "player"),
];

/// Times are between these seconds.
const TIMES: std::ops::Range<i64> = 1_700_000_000..2_100_000_000;

/// How often which pairs of features were met.
pub struct Novelty {
    counts: Vec<u8>,
}

impl Default for Novelty {
    fn default() -> Self {
        Self { counts: vec![0; COUNTERS] }
    }
}

/// What an action is about.
struct Subject {
    word: String,
    actor: Option<i64>,
    others: BTreeSet<i64>,
    game: Option<i64>,
}

impl Novelty {
    /// Returns the place of the action that meets the most pairs of features which were met seldom, and records it.
    pub fn choose(&mut self, actions: &[Action], world: &World) -> usize {
        let pairs: Vec<_> = actions.iter().map(|action| pairs(&features(action, world))).collect();
        let scores = pairs.iter().map(|pairs| self.score(pairs));
        let best = scores.enumerate().max_by_key(|(at, score)| (*score, Reverse(*at)));
        let best = best.map_or(0, |(at, _)| at);
        for pair in pairs.get(best).into_iter().flatten() {
            self.counts[*pair] = self.counts[*pair].saturating_add(1);
        }
        best
    }

    fn score(&self, pairs: &[usize]) -> u32 {
        pairs.iter().map(|pair| SCORES[usize::from(self.counts[*pair]).min(SCORES.len() - 1)]).sum()
    }
}

/// Returns the counters of all pairs of features. The first feature is a part of each.
fn pairs(features: &[u64]) -> Vec<usize> {
    let Some((word, rest)) = features.split_first() else { return Vec::new() };
    let mut pairs = Vec::with_capacity(rest.len() * rest.len() / 2);
    for (at, one) in rest.iter().enumerate() {
        for other in &rest[at..] {
            let hash = one.wrapping_mul(31).wrapping_add(*other).wrapping_mul(31) ^ word;
            let hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            pairs.push((hash >> 46) as usize);
        }
    }
    pairs
}

/// Returns the hashes of what is so when an action is done: first that of its word.
fn features(action: &Action, world: &World) -> Vec<u64> {
    let subject = Subject::of(action, world);
    let (tables, now) = (world.tables(), world.now().timestamp());
    let mut features = BTreeSet::new();
    if let Some(game) = subject.game {
        for (table, column, is_last) in OF_GAMES {
            let rows = tables.rows_with(table, column, &game.to_string());
            let from = if is_last { rows.len().saturating_sub(1) } else { 0 };
            for row in &rows[from..] {
                add(&mut features, table, column, row, &subject, now);
            }
        }
    }
    for player in subject.others.iter().chain(&subject.actor) {
        let role = subject.role(*player);
        for (table, column) in OF_PLAYERS {
            for row in tables.rows_with(table, column, &player.to_string()) {
                add(&mut features, table, &format!("{column} of {role}"), &row, &subject, now);
            }
        }
    }
    let hash = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    [hash(&subject.word)].into_iter().chain(features.iter().map(|it| hash(it))).collect()
}

/// Adds the values of a row. Mails that are gone say nothing.
fn add(
    features: &mut BTreeSet<String>,
    table: &str,
    role: &str,
    row: &[(&str, Option<&str>)],
    subject: &Subject,
    now: i64,
) {
    if table == "outbox" && !row.contains(&("state", Some("queued"))) {
        return;
    }
    for (column, value) in row {
        let is_player = matches!(
            *column,
            "player"
                | "author"
                | "black"
                | "white"
                | "to_move"
                | "to_wait"
                | "challenger"
                | "opponent"
        );
        let kind = match number(*value).filter(|_| is_player) {
            Some(player) => Some(subject.role(player)),
            None => kind(*value, now),
        };
        features.extend(kind.map(|kind| format!("{table} {role} {column} {kind}")));
    }
}

/// Returns which of a few kinds a value is of; `None` if it says nothing.
fn kind(value: Option<&str>, now: i64) -> Option<&str> {
    let Some(text) = value else { return Some("null") };
    Some(match text.parse::<i64>() {
        Ok(at) if TIMES.contains(&at) => match at - now {
            ..0 if at < now - 7 * DAY => "long ago",
            ..0 if at < now - DAY => "days ago",
            ..0 => "just now",
            0..DAY => "soon",
            _ => "later",
        },
        Ok(0 | 1) => text,
        Ok(2..=5) => "some",
        Ok(_) => "many",
        Err(_) if text.len() > 14 => return None,
        Err(_) => text.split([' ', ':']).next()?,
    })
}

impl Subject {
    fn of(action: &Action, world: &World) -> Self {
        let tables = world.tables();
        let (actor, words) = match action {
            Action::Command(command) => (command.actor.clone(), command.words.clone()),
            Action::Reply { to, text } | Action::Mail { about: to, text, .. } => {
                let state = world.server.state();
                let mail = state.accepted.iter().rfind(|mail| mail.id == *to);
                let address = mail.map_or(to, |mail| &mail.to).clone();
                drop(state);
                let kind = match action {
                    Action::Mail { kind, .. } => kind.word(),
                    _ => "reply",
                };
                let about = to.split('.').take(3).chain(text.split_whitespace());
                let words = [kind].into_iter().chain(about).map(str::to_owned).collect();
                (Some(world.name_at(&address)), words)
            }
            Action::Page(request) => {
                let form = request.form.as_deref().unwrap_or_default();
                let fields = form.split('&').filter(|it| !it.starts_with("history="));
                let words = request.path.split('/').take(2).chain(fields);
                let words = words.filter(|it| it.len() < 20).map(str::to_owned);
                (Some(world.reader_of(&request.path)), words.collect())
            }
            _ => (None, Vec::new()),
        };
        let player = |name: &str| {
            let mut players = tables.columns("player", ["id", "name"]);
            let is_it = |it: Option<&str>| it.is_some_and(|it| it.eq_ignore_ascii_case(name));
            players.find(|[_, it]| is_it(*it)).and_then(|[id, _]| number(id))
        };
        let actor = actor.and_then(|name| player(&name));
        let has = |id: &i64| {
            ["game", "challenge"]
                .iter()
                .any(|it| tables.columns_of(it, *id, ["id"]).next().is_some())
        };
        let game = words.iter().find_map(|word| word.parse().ok().filter(has));
        let people =
            ["game", "challenge"].into_iter().zip([["black", "white"], ["challenger", "opponent"]]);
        let people = people.flat_map(|(table, columns)| {
            let rows = tables.columns_of(table, game.unwrap_or_default(), columns);
            rows.flatten().filter_map(number).collect::<Vec<_>>()
        });
        let named = words.iter().skip(1).filter_map(|word| player(word));
        let others = people.chain(named).filter(|it| Some(*it) != actor).collect();
        let is_word = |word: &&String| word.parse::<i64>().is_err() && player(word).is_none();
        let word = words.iter().filter(is_word).take(3).cloned().collect::<Vec<_>>().join(" ");
        Self { word, actor, others, game }
    }

    /// Returns what a player is in it.
    fn role(&self, player: i64) -> &'static str {
        match player {
            _ if Some(player) == self.actor => "actor",
            _ if self.others.contains(&player) => "other",
            _ => "stranger",
        }
    }
}
