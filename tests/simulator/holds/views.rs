//! What lists and views show: their JSON is compared with what follows from the tables.

use std::collections::BTreeSet;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::cups;
use super::game_json::{self, or_null, shown_move};
use super::games::{misdrawn, word};
use super::list_rows::{shown_in, zone_of};
use super::rows::{Game, OPEN_FOR, name_of, watchers};
use super::{can_be_claimed, has_flag_fallen, shown_clock, violated};
use crate::simulator::Violation;
use crate::simulator::naive::Event;
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{self, Tables};

/// How many days of a year a player can be away.
const AWAY_DAYS: usize = 30;

/// Who asks for a view, of which game.
pub struct Asked<'a> {
    pub tables: &'a Tables,
    pub now: DateTime<Utc>,
    /// The number and the name of the player who asks; `None`: the host.
    pub reader: Option<[&'a str; 2]>,
    pub game: i64,
    /// The number and the name of a player who is asked about.
    pub about: [&'a str; 2],
    /// Some moves that the game can go on with.
    pub line: Vec<String>,
    /// The numbers of two of its moves, the earlier one first.
    pub plies: [usize; 2],
}

/// What a view must show, as far as it is judged; `None` if it is not judged.
type Expected = fn(&Asked) -> Option<Value>;

/// Views with what they must show. `GAME` and `NAME` stand for the game and the player who are asked about, and
/// `LINE`, `FROM` and `TO` for its moves.
pub const VIEWS: [(&str, Expected); 46] = [
    ("games", |it| Some(json!({ "games": it.active() }))),
    ("games --next", |it| Some(json!({ "games": it.most_urgent() }))),
    ("games --finished", |it| Some(json!({ "games": it.finished() }))),
    ("games --all", |it| Some(json!({ "games": it.all() }))),
    ("games NAME", |it| Some(it.of_other(|it| it.active()))),
    ("games --finished NAME", |it| Some(it.of_other(|it| it.finished()))),
    ("games --all NAME", |it| Some(it.of_other(|it| it.all()))),
    ("tournaments", |it| cups::listed(it.tables)),
    ("next", |it| it.next()),
    ("players", |it| Some(json!({ "players": it.members(false) }))),
    ("players --addresses", |it| Some(json!({ "players": it.members(true) }))),
    ("player NAME", |it| it.player()),
    ("player NAME", |it| it.player()),
    ("standings mini --all --count all", |it| it.standings("4x4", true)),
    ("standings --size 6x6 --all", |it| it.standings("6x6", true)),
    ("standings mini", |it| it.standings("4x4", false)),
    ("standings --all", |it| it.standings("8x8", true)),
    ("challenges", |it| it.challenges()),
    ("history GAME", |it| it.history()),
    ("replay GAME", |it| it.replay()),
    ("show GAME --compact", |it| it.show()),
    ("show GAME", |it| it.show()),
    ("show GAME#FROM", |it| it.earlier()),
    ("preview GAME LINE", |it| it.preview()),
    ("replay GAME --from FROM --to TO", |it| it.part_of_replay()),
    ("next --compact", |it| it.next()),
    ("note GAME", |it| it.notes()),
    ("plan GAME", |it| it.plan()),
    ("log GAME", |it| it.log()),
    ("mail GAME", |it| it.mail()),
    ("mail", |it| it.outbox()),
    ("inbox", |it| Some(it.intake())),
    ("inbox --last 9", |it| Some(it.inbox(None, 9))),
    ("inbox --player NAME", |it| Some(it.inbox(Some(it.about[0]), 20))),
    ("inbox --disposition done", |it| Some(it.inbox_of("done"))),
    ("inbox --disposition held", |it| Some(it.inbox_of("held"))),
    ("inbox --disposition ignored", |it| Some(it.inbox_of("ignored"))),
    ("set", |it| it.settings()),
    ("away", |it| it.absences()),
    ("bots", |it| it.queue()),
    ("games --all bot:novice", |it| it.of_bot("bot:novice")),
    ("rules GAME", |it| it.rulebook()),
    ("games --imported", |_| Some(json!({ "games": [] }))),
    (ANALYZE, |it| Some(json!({ "game": it.game }))),
    (ANALYZE, |it| Some(json!({ "game": it.game }))),
    (HINT, |it| Some(json!({ "game": it.game, "ply": it.plies[0] }))),
];

/// What prints an analysis that is stored.
pub const ANALYZE: &str = "analyze GAME";
/// What says what the moves of a game that is over were worth.
pub const HINT: &str = "hint GAME#FROM --depth 2";

/// A view shows what follows from the tables.
pub fn views_show_what_stands(
    asked: &Asked,
    (words, expected): (&str, Expected),
    shown: &str,
) -> Result<(), Violation> {
    const OF: &str = "views_show_what_stands";
    let Some(expected) = expected(asked) else { return Ok(()) };
    let shown: Value = serde_json::from_str(shown).unwrap_or_default();
    let Some(wrong) = difference(&expected, &shown, String::new()) else { return Ok(()) };
    let reader = asked.reader.map_or("the host", |[_, name]| name);
    violated(OF, format!("{words} of game {} for {reader}: {wrong}", asked.game))
}

/// The lists in the JSON of views, with the values that stand on a line for each of their elements.
const LINES: [(&str, &[&str]); 7] = [
    ("games", &["game", "black", "white", "ply"]),
    ("players", &["player", "address", "mail"]),
    ("players", &["player", "active", "won", "lost", "drawn"]),
    ("players", &["player", "rating", "deviation", "games"]),
    ("moves", &["ply", "move", "black", "white", "at"]),
    ("challenges", &["challenge", "by", "to", "until"]),
    ("mails", &["id", "about", "tries"]),
];

/// What people read says the same as the JSON: each element of a list has its line, with times in the zone of the
/// reader, and the board is drawn.
pub fn texts_say_what_the_json_says(
    asked: &Asked,
    words: &str,
    ran: &Ran,
) -> Result<(), Violation> {
    const OF: &str = "texts_say_what_the_json_says";
    let shown = ran.shown();
    let text = ran.drawn.join("\n");
    let zone = asked.zone();
    for element in LINES.iter().flat_map(|(list, _)| shown[list].as_array()).flatten() {
        // Somebody without an address has another line there.
        if words.ends_with("--addresses") && element["address"].is_null() {
            continue;
        }
        let has = |keys: &&[&str]| keys.iter().all(|key| !element[*key].is_null());
        if let Some(keys) = LINES.iter().map(|(_, keys)| *keys).find(has) {
            let cells = keys.iter().flat_map(|key| match &element[*key] {
                Value::String(text) if matches!(*key, "at" | "until") => {
                    let at = DateTime::parse_from_rfc3339(text).ok();
                    let shown = at.and_then(|at| shown_in(zone, at.timestamp()));
                    shown.unwrap_or_default().split(' ').map(str::to_owned).collect()
                }
                Value::String(text) => vec![text.clone()],
                value => vec![value.to_string()],
            });
            let cells: Vec<_> = cells.collect();
            if !text.lines().any(|line| has_in_order(line, &cells)) {
                return violated(OF, format!("{words}: no line has {cells:?}: {text}"));
            }
        }
    }
    match misdrawn(&text, shown["position"].as_str().unwrap_or_default()) {
        Some(wrong) => violated(OF, format!("{words}: {wrong}")),
        None => Ok(()),
    }
}

/// Returns whether a line has these words in this order.
pub(super) fn has_in_order(line: &str, words: &[String]) -> bool {
    let mut found = line.split_whitespace();
    words.iter().all(|word| found.any(|it| it == word))
}

/// Returns where values differ. Keys that are not expected do not count.
pub(super) fn difference(expected: &Value, shown: &Value, path: String) -> Option<String> {
    match (expected, shown) {
        (Value::Object(keys), Value::Object(_)) => keys
            .iter()
            .find_map(|(key, value)| difference(value, &shown[key], format!("{path}/{key}"))),
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(at, (one, other))| difference(one, other, format!("{path}/{at}")))
        }
        _ if expected == shown => None,
        _ => Some(format!("{path} is {shown}, not {expected}")),
    }
}

pub(super) fn time(seconds: i64) -> Value {
    let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true).into()
}

pub(super) fn number(value: Option<&str>) -> i64 {
    tables::number(value).unwrap_or_default()
}

impl<'a> Asked<'a> {
    /// Returns what a player asks about themselves.
    pub fn by(tables: &'a Tables, now: DateTime<Utc>, own: [&'a str; 2]) -> Self {
        Self {
            tables,
            now,
            reader: Some(own),
            game: 0,
            about: own,
            line: Vec::new(),
            plies: [0; 2],
        }
    }
}

impl Asked<'_> {
    /// Returns the time zone of the reader; UTC for the host.
    pub(super) fn zone(&self) -> Tz {
        self.reader.map_or(Tz::UTC, |[id, _]| zone_of(self.tables, id))
    }

    /// Returns whether the game may be lost on a page before that is recorded.
    pub(super) fn may_be_over(&self) -> bool {
        let columns = ["turn", "flag", "deadline"];
        let row = self.tables.columns_of("game", self.game, columns).next();
        let Some([Some(_), Some("hard"), deadline]) = row else { return false };
        let has_fallen = |at| has_flag_fallen(self.tables, at, self.now.timestamp()) != Some(false);
        tables::deadline(deadline).is_some_and(has_fallen)
    }

    pub(super) fn replayed(&self) -> Option<Replayed> {
        Replayed::of(self.tables, self.game, usize::MAX).ok()
    }

    pub(super) fn is_hex(&self) -> bool {
        let rows = self.tables.columns_of("game", self.game, ["board_rows"]).next();
        rows.is_none_or(|[rows]| rows.is_none())
    }

    pub(super) fn name(&self, player: Option<&str>) -> Option<String> {
        name_of(self.tables, tables::number(player)?).map(str::to_owned)
    }

    /// Returns whether the reader plays the game.
    fn is_own(&self) -> bool {
        let players = self.tables.columns_of("game", self.game, ["black", "white"]).next();
        let reader = self.reader.map(|[id, _]| id);
        reader.is_some() && players.is_some_and(|players| players.contains(&reader))
    }

    /// Returns the absences of a player that have not ended.
    pub fn absences_of(&self, player: &str) -> Vec<(i64, i64)> {
        let rows = self.tables.columns("absence", ["player", "from_at", "until_at"]);
        let own = rows.filter(|[it, ..]| *it == Some(player));
        let spans = own.map(|[_, from, until]| (number(from), number(until)));
        let mut spans: Vec<_> = spans.filter(|(_, until)| *until > self.now.timestamp()).collect();
        spans.sort_unstable();
        spans
    }

    /// Returns the day on which a second is for a player.
    pub fn day(&self, player: &str, at: i64) -> Option<NaiveDate> {
        let row = self.tables.columns_of("player", player.parse().ok()?, ["clock"]).next()?;
        let zone: Tz = row[0]?.split(' ').next()?.parse().ok()?;
        Some(DateTime::from_timestamp(at, 0)?.with_timezone(&zone).date_naive())
    }

    /// Returns the last day of the absence that a player is in.
    pub fn away_until(&self, player: Option<&str>) -> Value {
        let last_day = || {
            let now = self.now.timestamp();
            let present = self.absences_of(player?).into_iter().filter(|(from, _)| *from <= now);
            let until = present.map(|(_, until)| until).max()?;
            self.day(player?, until - 1).map(|day| day.to_string())
        };
        last_day().map_or(Value::Null, Value::from)
    }

    /// Returns a game as lists show it, with its place among active and among finished ones.
    pub(super) fn entry(&self, id: i64) -> Option<(Value, [i64; 4])> {
        let names = [
            "variant",
            "black",
            "white",
            "black_bot",
            "white_bot",
            "turn",
            "ply",
            "since",
            "deadline",
            "paused",
            "to_move",
            "flag",
            "claim_event",
        ];
        let [
            variant,
            black,
            white,
            black_bot,
            white_bot,
            turn,
            ply,
            since,
            deadline,
            paused,
            to_move,
            flag,
            claim_event,
        ] = self.tables.columns_of("game", id, names).next()?;
        let name = |player, bot: Option<&str>| self.name(player).or(bot.map(str::to_owned));
        let reader = self.reader.map(|[id, _]| id);
        let mut muted = self.tables.columns("unsubscribed", ["game", "player"]);
        let is_muted =
            muted.any(|[game, player]| reader.is_some() && number(game) == id && player == reader);
        let mut entry = json!({
            "game": id, "variant": variant, "black": name(black, black_bot),
            "white": name(white, white_bot), "turn": turn, "ply": number(ply),
            "status": if turn.is_some() { "active" } else { "finished" },
            "since": time(number(since)), "paused": turn.is_some() && paused == Some("1"), "muted": is_muted,
            "away": { "black": self.away_until(black), "white": self.away_until(white) },
        });
        let is_own = reader.is_none() || [black, white].contains(&reader);
        let event = self.tables.columns_of("game", id, ["offer_event"]).next();
        entry["offer"] = match event {
            Some([Some(_)]) if is_own => {
                let replayed = Replayed::of(self.tables, id, usize::MAX).ok()?;
                let offer = replayed.offer()?;
                json!({ "by": word(offer.by), "offer": offer.kind })
            }
            _ => Value::Null,
        };
        entry["tournament"] = self.tournament_of(id);
        let (deadline, now) = (tables::deadline(deadline), self.now.timestamp());
        match deadline {
            None if turn.is_some() => {
                entry["deadline"] = Value::Null;
                let can_claim = can_be_claimed(self.tables, id, now);
                if can_claim == Some(false) {
                    entry["claimant"] = Value::Null;
                } else if can_claim == Some(true) && claim_event.is_some() {
                    let opponent = if turn == Some("black") { "white" } else { "black" };
                    let is_between_people = black.is_some() && white.is_some();
                    entry["claimant"] = is_between_people.then_some(opponent).into();
                }
            }
            Some(deadline) if turn.is_some() && deadline > now => {
                entry["deadline"] = time(deadline);
                entry["seconds_left"] = (deadline - now).into();
                entry["claimant"] = Value::Null;
            }
            // A flag has fallen, and in a pause nobody claims.
            Some(_) if turn.is_some() && paused == Some("1") => entry["claimant"] = Value::Null,
            Some(deadline) if turn.is_some() => {
                let has_fallen = match claim_event {
                    Some(_) => Some(true),
                    None => has_flag_fallen(self.tables, deadline, now),
                };
                let opponent = if turn == Some("black") { "white" } else { "black" };
                if let Some(has_fallen) = has_fallen {
                    // A computer player claims no game.
                    let is_between_people = black.is_some() && white.is_some();
                    let can_claim = has_fallen && flag == Some("claim") && is_between_people;
                    entry["claimant"] = can_claim.then_some(opponent).into();
                }
            }
            _ => {}
        }
        let waits = i64::from(reader.is_some() && to_move != reader);
        Some((entry, [waits, deadline.unwrap_or(i64::MAX), number(since), id]))
    }

    /// Returns the place of a game in a tournament; null if it belongs to none.
    fn tournament_of(&self, game: i64) -> Value {
        let names = ["game", "tournament", "season", "division", "round"];
        let mut pairings = self.tables.columns("pairing", names);
        let of = pairings.find(|[it, ..]| it.is_some() && number(*it) == game);
        let Some([_, id, season, division, round]) = of else { return Value::Null };
        let columns = ["name", "format"];
        let row = self.tables.columns_of("tournament", number(id), columns).next();
        let [name, format] = row.unwrap_or_default();
        let is_league = format == Some("league");
        let of_league = |value| if is_league { number(value).into() } else { Value::Null };
        json!({
            "name": name, "round": number(round), "season": of_league(season),
            "division": of_league(division),
        })
    }

    /// Returns the games of the reader, or all for the host, each with its place.
    fn games(&self, is_active: bool) -> Vec<(Value, [i64; 4])> {
        let rows = self.tables.columns("game", ["id", "black", "white", "turn"]);
        let reader = self.reader.map(|[id, _]| id);
        let own = rows.filter(|[_, black, white, turn]| {
            turn.is_some() == is_active && (reader.is_none() || [*black, *white].contains(&reader))
        });
        own.filter_map(|[id, ..]| self.entry(number(id))).collect()
    }

    /// Returns the active games: those that wait for the reader first, the least time left on top.
    pub fn active(&self) -> Vec<Value> {
        let mut games = self.games(true);
        games.sort_by_key(|(_, place)| *place);
        games.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Returns the finished games, the latest first.
    pub fn finished(&self) -> Vec<Value> {
        let mut games = self.games(false);
        games.sort_by_key(|(_, [.., since, id])| (-since, -id));
        games.into_iter().map(|(entry, _)| entry).collect()
    }

    fn all(&self) -> Vec<Value> {
        [self.active(), self.finished()].concat()
    }

    /// Returns a list of the games of the player who is asked about. What is offered in them is for those who play
    /// them and for the host.
    fn of_other(&self, list: fn(&Asked) -> Vec<Value>) -> Value {
        let other = Asked { reader: Some(self.about), line: Vec::new(), ..*self };
        let mut games = list(&other);
        for entry in &mut games {
            let is_own =
                |name: &str| [&entry["black"], &entry["white"]].iter().any(|it| **it == name);
            if self.reader.is_some_and(|[_, name]| !is_own(name)) {
                entry["offer"] = Value::Null;
            }
        }
        json!({ "games": games })
    }

    /// Returns the most urgent game: for a player, of those that wait.
    fn most_urgent(&self) -> Vec<Value> {
        let games = self.games(true).into_iter().filter(|(_, [waits, ..])| *waits == 0);
        games.min_by_key(|(_, place)| *place).map(|(it, _)| it).into_iter().collect()
    }

    fn next(&self) -> Option<Value> {
        self.reader?;
        let first = self.most_urgent().into_iter().next();
        Some(first.map_or(Value::Null, |it| json!({ "game": it["game"], "ply": it["ply"] })))
    }

    /// Returns the players who are members, with these keys of the host's.
    fn members(&self, has_addresses: bool) -> Vec<Value> {
        let names = ["id", "name", "left_at", "active", "won", "lost", "drawn"];
        let rows = self.tables.columns("player", names);
        let mut rows: Vec<_> = rows.filter(|[_, _, left_at, ..]| left_at.is_none()).collect();
        rows.sort_unstable_by_key(|[_, name, ..]| name.unwrap_or_default().to_lowercase());
        let member = |[id, name, _, results @ ..]: [Option<&str>; 7]| {
            let [active, won, lost, drawn] = results.map(number);
            let mut member = json!({
                "player": name, "active": active, "won": won, "lost": lost, "drawn": drawn,
                "away_until": self.away_until(id),
            });
            if has_addresses {
                let names = ["address", "paused_at", "failures"];
                let row = self.tables.columns_of("player", number(id), names).next();
                let [address, paused_at, failures] = row.unwrap_or_default();
                member["address"] = address.into();
                let failed = self.tables.columns("failure", ["player", "failed_at"]);
                let failed = failed.filter(|[player, _]| *player == id && address.is_some());
                let first = failed.filter_map(|[_, at]| tables::number(at)).min();
                let since = tables::number(paused_at).or(first).filter(|_| address.is_some());
                member["since"] = since.map_or(Value::Null, time);
                member["mail"] = match (address, paused_at, number(failures)) {
                    (None, ..) => "none",
                    (_, Some(_), _) => "paused",
                    (_, None, 0) => "works",
                    _ => "failing",
                }
                .into();
            }
            member
        };
        rows.into_iter().map(member).collect()
    }

    /// Returns the open challenges to the reader, by the reader and to anyone.
    pub fn challenges(&self) -> Option<Value> {
        let names = ["id", "challenger", "opponent", "bot", "state", "created_at"];
        let reader = self.reader.map(|[id, _]| id);
        let blocked: BTreeSet<_> = self.tables.columns("blocked", ["player", "author"]).collect();
        let challenge = |[id, by, to, bot, state, at]: [Option<&str>; 6]| {
            let is_over = number(at) + OPEN_FOR <= self.now.timestamp();
            let is_blocked = blocked.contains(&[reader, by]) || blocked.contains(&[by, reader]);
            let is_for_reader = reader.is_none()
                || [by, to].contains(&reader)
                || (to.is_none() && bot.is_none() && !is_blocked);
            if state != Some("open") || is_over || !is_for_reader {
                return None;
            }
            self.challenge(number(id))
        };
        let mut open: Vec<_> =
            self.tables.columns("challenge", names).filter_map(challenge).collect();
        open.sort_by_key(|it| {
            let is_own = |person: &&Value| self.reader.is_some_and(|[_, name]| **person == name);
            let group = [&it["to"], &it["by"]].iter().position(is_own);
            (group.unwrap_or(2), it["since"].to_string(), it["challenge"].as_i64())
        });
        Some(json!({ "challenges": open }))
    }

    /// Returns a challenge as lists and replies show it.
    pub(super) fn challenge(&self, id: i64) -> Option<Value> {
        let names = ["challenger", "opponent", "bot", "variant", "color", "state", "created_at"];
        let [by, to, bot, variant, color, state, at] =
            self.tables.columns_of("challenge", id, names).next()?;
        let terms = ["clock", "free_weekends", "flag", "rated", "opening", "absences"];
        let [clock, free, flag, rated, opening, absences] =
            self.tables.columns_of("challenge", id, terms).next()?;
        let is = |value: Option<&str>| value == Some("1");
        let to = self.name(to).or(bot.map(str::to_owned));
        Some(json!({
            "challenge": id, "by": self.name(by)?, "to": to.unwrap_or_else(|| "anyone".to_owned()),
            "variant": variant, "color": color, "clock": clock, "free_weekends": is(free),
            "flag": flag, "rated": is(rated), "state": state, "since": time(number(at)),
            "until": time(number(at) + OPEN_FOR), "opening": opening, "absences": is(absences),
            "rules": self.rules_of("challenge", id)?,
        }))
    }

    /// Returns when an event of the game was, which is counted from 1.
    pub(super) fn time_of(&self, event: usize) -> Value {
        let mut log = self.tables.columns_of("event", self.game, ["at"]).skip(event - 1);
        log.next().map_or(Value::Null, |[at]| time(number(at)))
    }

    /// Returns moves as `history` lists them, behind so many others.
    fn moves(
        &self,
        it: &Replayed,
        before: usize,
        plies: &[Event],
        made_at: &[usize],
    ) -> Option<Value> {
        let moves = (before..).zip(plies.iter().zip(made_at)).map(|(at, (ply, event))| {
            let mut shown = shown_move(at, ply, it)?;
            (shown["black"], shown["white"]) = (ply.black.into(), ply.white.into());
            (shown["auto"], shown["at"]) = (ply.auto.into(), self.time_of(*event));
            shown["given"] = if at < it.given { true.into() } else { Value::Null };
            Some(shown)
        });
        moves.collect()
    }

    /// Returns what the reader may read of what was said: nothing in a game of others, and nothing of an opponent
    /// whom the reader has blocked.
    pub(super) fn said(&self, it: &Replayed) -> Vec<(usize, char, &str)> {
        let players = self.tables.columns_of("game", self.game, ["black", "white"]).next();
        let may_read = players.unwrap_or_default().map(|author| {
            let mut blocked = self.tables.columns("blocked", ["player", "author"]);
            self.reader.is_none_or(|[reader, _]| {
                let is_blocked = blocked.any(|row| row == [Some(reader), author]);
                self.is_own() && (author == Some(reader) || !is_blocked)
            })
        });
        let log = self.tables.columns_of("event", self.game, ["author", "action"]);
        let said = (1..=it.events).zip(log).filter_map(|(event, [author, action])| {
            Some((event, author?.chars().next()?, action?.strip_prefix("say ")?))
        });
        said.filter(|(_, author, _)| may_read[usize::from(*author == 'w')]).collect()
    }

    pub(super) fn history(&self) -> Option<Value> {
        let it = self.replayed()?;
        let mut shown = json!({
            "game": self.game, "moves": self.moves(&it, 0, &it.plies, &it.made_at)?,
        });
        let taken = it.taken.iter().map(|taken| {
            let moves = self.moves(&it, taken.before, &taken.plies, &taken.made_at)?;
            let at = self.time_of(taken.event);
            Some(json!({ "by": word(taken.by), "at": at, "moves": moves }))
        });
        shown["taken_back"] = or_null(taken.collect::<Option<_>>()?);
        let said = self.said(&it).into_iter().map(|(event, by, text)| {
            let (ply, at) = (it.moves_before(event), self.time_of(event));
            json!({ "ply": ply, "by": word(by), "text": text, "at": at })
        });
        shown["said"] = or_null(said.collect());
        let log = self.tables.columns_of("event", self.game, ["author", "action"]);
        let hints = (1..).zip(log).filter(|(_, [_, action])| *action == Some("hint"));
        let hints = hints.map(|(event, [author, _])| {
            // Moves that were taken back later count.
            let later = it.taken.iter().filter(|taken| taken.event > event);
            let gone = later.flat_map(|taken| &taken.made_at).filter(|made_at| **made_at < event);
            let ply = it.moves_before(event) + gone.count();
            let author = author.and_then(|it| it.chars().next()).filter(|it| *it != 'h');
            let by = author.map_or(Value::Null, |author| word(author).into());
            json!({ "ply": ply, "by": by, "at": self.time_of(event) })
        });
        shown["hints"] = or_null(hints.collect());
        Some(shown)
    }

    /// Returns the board after some moves that nobody has made.
    fn preview(&self) -> Option<Value> {
        let it = self.replayed().filter(|it| it.turn().is_some() && !self.line.is_empty())?;
        self.headed(game_json::stands(&it.after(&self.line))?)
    }

    /// Returns the rules of a game or a challenge.
    pub(super) fn rules_of(&self, table: &str, id: i64) -> Option<Value> {
        let names = ["board_rows", "board_columns", "misere", "anywhere", "stuck", "supply"];
        let [rows, columns, misere, anywhere, stuck, supply] =
            self.tables.columns_of(table, id, names).next()?;
        let size = |text: Option<&str>| text.map_or(Value::Null, |it| number(Some(it)).into());
        Some(json!({
            "rows": size(rows), "columns": size(columns), "misere": misere == Some("1"),
            "anywhere": anywhere == Some("1"), "discs_each": size(supply),
            "pass": if rows.is_some() { stuck } else { None },
        }))
    }

    /// Returns the rules page of a game.
    fn rulebook(&self) -> Option<Value> {
        let [variant] = self.tables.columns_of("game", self.game, ["variant"]).next()?;
        let rules = self.rules_of("game", self.game)?;
        Some(json!({ "game": self.game, "variant": variant, "rules": rules }))
    }

    /// Adds what is the same at each moment of the game: who plays it, by which rules.
    fn headed(&self, mut shown: Value) -> Option<Value> {
        let [rated] = self.tables.columns_of("game", self.game, ["rated"]).next()?;
        let (entry, _) = self.entry(self.game)?;
        for key in ["game", "variant", "tournament"] {
            shown[key] = entry[key].clone();
        }
        for color in ["black", "white"] {
            shown[color]["player"] = entry[color].clone();
        }
        shown["rules"] = self.rules_of("game", self.game)?;
        shown["rated"] = if rated == Some("1") { Value::Bool(true) } else { Value::Null };
        if !self.is_hex() {
            shown["frame"] = json!({ "first_column": "a", "first_row": 1 });
        }
        Some(shown)
    }

    /// Returns the game as it stands, with the names, the rules and the watchers.
    pub(super) fn show(&self) -> Option<Value> {
        let (entry, _) = self.entry(self.game)?;
        // A flag that has fallen is recorded first.
        let deadline = self.tables.columns_of("game", self.game, ["turn", "deadline"]).next()?;
        let is_settled = deadline[0].is_none()
            || tables::deadline(deadline[1]).is_none_or(|at| at > self.now.timestamp());
        let stands = self.replayed().filter(|_| is_settled).and_then(|it| game_json::stands(&it));
        let mut shown = stands.unwrap_or_else(|| json!({ "black": {}, "white": {} }));
        if is_settled {
            shown["offer"] = entry["offer"].clone();
        }
        shown["away"] = entry["away"].clone();
        let mut shown = self.headed(shown)?;
        if let Some(Value::Object(clock)) = shown_clock(self.tables, self.now, self.game) {
            for (key, value) in clock {
                shown[key] = value;
            }
        }
        let watchers = watchers(self.tables, &Game::of(self.tables, self.game)?);
        let watchers = watchers.into_iter().filter_map(|it| name_of(self.tables, it));
        let mut watchers: Vec<_> = watchers.map(str::to_owned).collect();
        watchers.sort_unstable();
        // One who watches only reads that.
        let reader = self.reader.filter(|_| !self.is_own()).map(|[_, name]| name);
        watchers.retain(|name| reader.is_none_or(|reader| name == reader));
        shown["watchers"] = if watchers.is_empty() { Value::Null } else { watchers.into() };
        Some(shown)
    }

    /// Returns the game as it stood after a move that was not the last one.
    fn earlier(&self) -> Option<Value> {
        let (it, [ply, _]) = (self.replayed()?, self.plies);
        let then = it.at(ply).filter(|_| ply < it.plies.len())?;
        self.headed(game_json::stands(&then)?)
    }

    pub(super) fn notes(&self) -> Option<Value> {
        let row = self.tables.columns_of("game", self.game, ["black", "white"]).next()?;
        let reader = self.reader?[0];
        let own = if row[0] == Some(reader) { "b" } else { "w" };
        let log = self.tables.columns_of("event", self.game, ["author", "action"]);
        let notes = log.filter(|[author, _]| *author == Some(own));
        let notes: Vec<_> = notes.filter_map(|[_, it]| it?.strip_prefix("note ")).collect();
        self.is_own().then(|| json!({ "game": self.game, "notes": notes }))
    }

    pub(super) fn plan(&self) -> Option<Value> {
        let (reader, mut rows) =
            (self.reader?[0], self.tables.columns("plan", ["game", "player", "branches"]));
        let own =
            rows.find(|[game, player, _]| number(*game) == self.game && *player == Some(reader));
        let branches = own.and_then(|[.., branches]| branches).unwrap_or_default().to_lowercase();
        let branches = branches.split('/').map(|it| it.split_whitespace().collect::<Vec<_>>());
        let branches: Vec<_> = branches.filter(|branch| !branch.is_empty()).collect();
        (self.is_own() && !self.is_hex())
            .then(|| json!({ "game": self.game, "branches": branches }))
    }

    fn log(&self) -> Option<Value> {
        let names = ["black", "white"];
        let players = self.tables.columns_of("game", self.game, names).next()?;
        let log = self.tables.columns_of("event", self.game, ["number", "at", "author", "action"]);
        let event = |[number_of, at, author, action]: [Option<&str>; 4]| {
            let word = action.and_then(|it| it.split(' ').next()).unwrap_or_default();
            let is_move = word == "pass" || word.contains(|it: char| it.is_ascii_digit());
            let mut event = json!({
                "event": number(number_of), "at": time(number(at)),
                "what": if is_move { "move" } else { word },
            });
            if let Some(color @ ("b" | "w")) = author {
                event["by"] = self::word(color.chars().next().unwrap_or_default()).into();
                if let Some(player) = players[usize::from(color == "w")] {
                    event["player"] = self.name(Some(player)).into();
                }
            } else {
                let is_of_clock = matches!(word, "flag" | "time-out" | "outage");
                event["by"] = if is_of_clock { "clock" } else { "host" }.into();
            }
            event
        };
        let events: Vec<_> = log.map(event).collect();
        let started = self.tables.columns_of("game", self.game, ["created_at"]).next()?;
        Some(json!({
            "game": self.game, "started": time(number(started[0])), "events": events,
            "mails": self.logged_mails(),
        }))
    }

    pub fn settings(&self) -> Option<Value> {
        let names = [
            "address",
            "challenges",
            "clock",
            "grace",
            "letter",
            "mail_mode",
            "named",
            "receipt",
            "reminders",
            "style",
            "subject",
            "watchers",
        ];
        let [id, name] = self.reader?;
        let [
            address,
            challenges,
            clock,
            grace,
            letter,
            mail,
            named,
            receipt,
            reminders,
            style,
            subject,
            watchers,
        ] = self.tables.columns_of("player", id.parse().ok()?, names).next()?;
        let mut clock = clock?.split(' ');
        let [timezone, weekend, quiet] = [(); 3].map(|()| clock.next());
        let switch = |value: Option<&str>| if value == Some("1") { "on" } else { "off" };
        Some(json!({ "player": name, "settings": {
            "address": address.unwrap_or("none"), "challenges": challenges, "grace": grace, "mail": mail,
            "letter": switch(letter), "named": named,
            "receipt": switch(receipt), "reminders": reminders, "style": style, "subject": subject,
            "watchers": watchers, "timezone": timezone, "weekend": weekend,
            "quiet": quiet.map(|quiet| if quiet == "none" { "off" } else { quiet }),
        }}))
    }

    /// Returns the first and the last day of an absence of a player.
    fn days(&self, player: &str, (from, until): (i64, i64)) -> Option<[NaiveDate; 2]> {
        let first = self.day(player, from)?;
        Some([first, self.day(player, until - 1)?.max(first)])
    }

    /// Returns the absences of a player that have not ended, each with its first and last day.
    pub(super) fn absent_days(&self, player: &str) -> Option<Vec<Value>> {
        let days = |span| {
            let [from, to] = self.days(player, span)?.map(|day| day.to_string());
            Some(json!({ "from": from, "to": to }))
        };
        self.absences_of(player).into_iter().map(days).collect()
    }

    pub(super) fn absences(&self) -> Option<Value> {
        let [id, name] = self.reader?;
        let rows = self.tables.columns("absence", ["player", "from_at", "until_at"]);
        let own = rows.filter(|[player, ..]| *player == Some(id));
        let year = self.day(id, self.now.timestamp())?.year();
        let mut taken = 0;
        for [_, from, until] in own {
            let [first, last] = self.days(id, (number(from), number(until)))?;
            let days = first.iter_days().take_while(|day| *day <= last);
            taken += days.filter(|day| day.year() == year).count();
        }
        let left = AWAY_DAYS.saturating_sub(taken);
        Some(json!({ "player": name, "absences": self.absent_days(id)?, "days_left": left }))
    }
}
