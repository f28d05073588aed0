//! What lists and views show: their JSON is compared with what follows from the tables.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::games::{figure, spoken, word};
use super::rows::{Game, name_of, watchers};
use super::{has_flag_fallen, violated};
use crate::simulator::Violation;
use crate::simulator::glicko::Rating;
use crate::simulator::naive::Event;
use crate::simulator::process::Ran;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{self, Tables};

/// How long a challenge is open.
const CHALLENGE_DAYS: i64 = 14;

/// After how many days without a rated game a player is inactive.
const HALF_A_YEAR: f64 = 182.0;

/// Who asks for a view, of which game.
pub struct Asked<'a> {
    pub tables: &'a Tables,
    pub now: DateTime<Utc>,
    /// The number and the name of the player who asks; `None`: the host.
    pub reader: Option<[&'a str; 2]>,
    pub game: i64,
    /// The number and the name of a player who is asked about.
    pub about: [&'a str; 2],
}

/// What a view must show, as far as it is judged; `None` if it is not judged.
type Expected = fn(&Asked) -> Option<Value>;

/// Views with what they must show. `GAME` and `NAME` stand for the game and the player who are asked about.
pub const VIEWS: [(&str, Expected); 22] = [
    ("games", |it| Some(json!({ "games": it.active() }))),
    ("games --next", |it| Some(json!({ "games": it.most_urgent() }))),
    ("games --finished", |it| Some(json!({ "games": it.finished() }))),
    ("games --all", |it| Some(json!({ "games": it.all() }))),
    ("next", |it| it.next()),
    ("players", |it| Some(json!({ "players": it.members(false) }))),
    ("players --addresses", |it| Some(json!({ "players": it.members(true) }))),
    ("player NAME", |it| it.player()),
    ("standings mini --all --count all", |it| it.standings("4x4")),
    ("standings --size 6x6 --all", |it| it.standings("6x6")),
    ("challenges", |it| it.challenges()),
    ("history GAME", |it| it.history()),
    ("replay GAME", |it| it.replay()),
    ("show GAME --compact", |it| it.show()),
    ("show GAME", |it| it.show()),
    ("show GAME#3", |it| it.earlier()),
    ("note GAME", |it| it.notes()),
    ("plan GAME", |it| it.plan()),
    ("log GAME", |it| it.log()),
    ("mail GAME", |it| it.mail()),
    ("set", |it| it.settings()),
    ("away", |it| it.absences()),
];

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
    ("moves", &["ply", "move", "black", "white"]),
    ("challenges", &["challenge", "by", "to"]),
    ("mails", &["id", "about", "tries"]),
];

/// What people read says the same as the JSON: each element of a list has its line, and the board is drawn.
pub fn texts_say_what_the_json_says(words: &str, ran: &Ran) -> Result<(), Violation> {
    const OF: &str = "texts_say_what_the_json_says";
    let shown: Value =
        serde_json::from_str(ran.json.as_deref().unwrap_or_default()).unwrap_or_default();
    let text = ran.drawn.join("\n");
    for element in LINES.iter().flat_map(|(list, _)| shown[list].as_array()).flatten() {
        let has = |keys: &&[&str]| keys.iter().all(|key| !element[*key].is_null());
        if let Some(keys) = LINES.iter().map(|(_, keys)| *keys).find(has) {
            let cells = keys.iter().map(|key| match &element[*key] {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            });
            let cells: Vec<_> = cells.collect();
            if !text.lines().any(|line| has_in_order(line, &cells)) {
                return violated(OF, format!("{words}: no line has {cells:?}: {text}"));
            }
        }
    }
    let position = shown["position"].as_str().unwrap_or_default();
    let expected = position.trim_matches(['(', ')']).split_once(' ').map(|(_, rows)| rows);
    let columns = expected.and_then(|rows| rows.split(' ').next()).map_or(0, str::len);
    match (figure(&text).or_else(|| spoken(&text, columns)), expected) {
        (Some(drawn), Some(expected)) if drawn != expected => {
            violated(OF, format!("{words}: {drawn} is drawn, not {expected}"))
        }
        _ => Ok(()),
    }
}

/// Returns whether a line has these words in this order.
fn has_in_order(line: &str, words: &[String]) -> bool {
    let mut found = line.split_whitespace();
    words.iter().all(|word| found.any(|it| it == word))
}

/// Returns where values differ. Keys that are not expected do not count.
fn difference(expected: &Value, shown: &Value, path: String) -> Option<String> {
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

fn time(seconds: i64) -> Value {
    let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true).into()
}

fn number(value: Option<&str>) -> i64 {
    tables::number(value).unwrap_or_default()
}

fn label(ply: &Event) -> Option<Value> {
    let Some((column, row)) = ply.mv else { return Some("pass".into()) };
    // Labels of the hex lattice are not judged.
    let column = char::from(b'a' + u8::try_from(column).ok()?);
    Some(format!("{column}{row}").into())
}

/// Returns a move as lists show it.
fn shown_move(at: usize, ply: &Event) -> Option<Value> {
    Some(json!({ "ply": at + 1, "by": word(ply.by), "move": label(ply)? }))
}

impl Asked<'_> {
    fn replayed(&self) -> Option<Replayed> {
        Replayed::of(self.tables, self.game, usize::MAX).ok()
    }

    fn is_hex(&self) -> bool {
        let rows = self.tables.columns_of("game", self.game, ["board_rows"]).next();
        rows.is_none_or(|[rows]| rows.is_none())
    }

    fn name(&self, player: Option<&str>) -> Option<String> {
        name_of(self.tables, tables::number(player)?).map(str::to_owned)
    }

    /// Returns whether the reader plays the game.
    fn is_own(&self) -> bool {
        let players = self.tables.columns_of("game", self.game, ["black", "white"]).next();
        let reader = self.reader.map(|[id, _]| id);
        reader.is_some() && players.is_some_and(|players| players.contains(&reader))
    }

    /// Returns the absences of a player that have not ended.
    fn absences_of(&self, player: &str) -> Vec<(i64, i64)> {
        let rows = self.tables.columns("absence", ["player", "from_at", "until_at"]);
        let own = rows.filter(|[it, ..]| *it == Some(player));
        let spans = own.map(|[_, from, until]| (number(from), number(until)));
        let mut spans: Vec<_> = spans.filter(|(_, until)| *until > self.now.timestamp()).collect();
        spans.sort_unstable();
        spans
    }

    /// Returns the day on which a second is for a player.
    fn day(&self, player: &str, at: i64) -> Option<NaiveDate> {
        let row = self.tables.columns_of("player", player.parse().ok()?, ["clock"]).next()?;
        let zone: Tz = row[0]?.split(' ').next()?.parse().ok()?;
        Some(DateTime::from_timestamp(at, 0)?.with_timezone(&zone).date_naive())
    }

    /// Returns the last day of the absence that a player is in.
    fn away_until(&self, player: Option<&str>) -> Value {
        let last_day = || {
            let now = self.now.timestamp();
            let present = self.absences_of(player?).into_iter().filter(|(from, _)| *from <= now);
            let until = present.map(|(_, until)| until).max()?;
            self.day(player?, until - 1).map(|day| day.to_string())
        };
        last_day().map_or(Value::Null, Value::from)
    }

    /// Returns a game as lists show it, with its place among active and among finished ones.
    fn entry(&self, id: i64) -> Option<(Value, [i64; 4])> {
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
        let (deadline, now) = (tables::deadline(deadline), self.now.timestamp());
        match deadline {
            None if turn.is_some() => entry["deadline"] = Value::Null,
            Some(deadline) if turn.is_some() && deadline > now => {
                entry["deadline"] = time(deadline);
                entry["seconds_left"] = (deadline - now).into();
                entry["claimant"] = Value::Null;
            }
            Some(deadline) if turn.is_some() && paused == Some("0") => {
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
    fn active(&self) -> Vec<Value> {
        let mut games = self.games(true);
        games.sort_by_key(|(_, place)| *place);
        games.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Returns the finished games, the latest first.
    fn finished(&self) -> Vec<Value> {
        let mut games = self.games(false);
        games.sort_by_key(|(_, [.., since, id])| (-since, -id));
        games.into_iter().map(|(entry, _)| entry).collect()
    }

    fn player(&self) -> Option<Value> {
        let [id, name] = self.about;
        let names = ["created_at", "clock", "timed_turns", "late_turns"];
        let [since, clock, turns, late] =
            self.tables.columns_of("player", number(Some(id)), names).next()?;
        let results = |of: Option<&str>, kind_is: &str, about_is: &str| {
            let names = ["player", "kind", "about", "won", "drawn", "lost"];
            let mut records = self.tables.columns("record", names);
            let record = records.find(|[player, kind, about, ..]| {
                *player == of && *kind == Some(kind_is) && *about == Some(about_is)
            });
            let [.., won, drawn, lost] = record.unwrap_or_default();
            json!({ "won": number(won), "drawn": number(drawn), "lost": number(lost) })
        };
        let own = self.reader.filter(|[reader, _]| *reader != id);
        let games = Asked { reader: Some(self.about), ..*self }.active();
        let games: Vec<_> = games.iter().map(|it| it["game"].clone()).take(20).collect();
        let names = ["player", "kind", "about", "won", "drawn", "lost"];
        let lists = self.tables.columns("record", names);
        let lists: BTreeSet<_> = lists
            .filter(|[player, kind, _, results @ ..]| {
                let has_games = results.iter().any(|it| number(*it) > 0);
                *player == Some(id) && matches!(kind, Some("black" | "white")) && has_games
            })
            .filter_map(|[_, _, list, ..]| list)
            .collect();
        let mut shown = json!({
            "player": name, "since": time(number(since)), "timezone": clock?.split(' ').next()?,
            "turns": number(turns), "turns_in_time": number(turns) - number(late), "games": games,
            "with_you": own.map(|[reader, _]| results(Some(reader), "player", id)),
        });
        if let [list] = lists.iter().collect::<Vec<_>>()[..] {
            let of = |color| results(Some(id), color, list);
            shown["records"] = json!([{ "black": of("black"), "white": of("white") }]);
        }
        Some(shown)
    }

    /// Returns the list of ratings of these rules: those that are established, then the provisional ones, then
    /// the inactive players.
    fn standings(&self, list_is: &str) -> Option<Value> {
        let is_old =
            self.tables.columns("recalculation", ["list"]).any(|[list]| list == Some(list_is));
        let names =
            ["list", "player", "ended_at", "game", "rating", "deviation", "volatility", "games"];
        let mut last: BTreeMap<&str, ([i64; 3], Rating)> = BTreeMap::new();
        for [list, player, ended_at, game, values @ .., games] in
            self.tables.columns("rating", names)
        {
            let is_gone = self.tables.columns_of("player", number(player), ["left_at"]).next()
                != Some([None]);
            let [rating, deviation, volatility] =
                values.map(|it| it.and_then(|it| it.parse().ok()));
            let row = (
                [ended_at, game, games].map(number),
                Rating {
                    rating: rating.unwrap_or_default(),
                    deviation: deviation.unwrap_or_default(),
                    volatility: volatility.unwrap_or_default(),
                },
            );
            let known = last.get(player?);
            if list == Some(list_is) && !is_gone && known.is_none_or(|it| it.0 < row.0) {
                last.insert(player?, row);
            }
        }
        let mut players = Vec::new();
        for (player, ([ended_at, _, games], rating)) in last {
            let days = (self.now.timestamp() - ended_at) as f64 / 86_400.0;
            let today = rating.after_days(days);
            let group = match (days, today.deviation) {
                (HALF_A_YEAR.., _) => 2,
                (_, ..=110.0) => 0,
                _ => 1,
            };
            let standing = ["established", "provisional", "inactive"][group];
            let shown = json!({
                "player": self.name(Some(player)), "rating": today.rating.round() as i64,
                "deviation": today.deviation.round() as i64, "games": games, "standing": standing,
            });
            let name = shown["player"].to_string();
            players.push((group, -(today.rating * 1e6) as i64, name, shown));
        }
        players.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
        let players: Vec<_> = players.into_iter().map(|(.., shown)| shown).collect();
        (!is_old).then(|| json!({ "players": players }))
    }

    fn all(&self) -> Vec<Value> {
        [self.active(), self.finished()].concat()
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
    fn challenges(&self) -> Option<Value> {
        let names = [
            "id",
            "challenger",
            "opponent",
            "bot",
            "variant",
            "clock",
            "free_weekends",
            "flag",
            "color",
            "rated",
            "state",
            "created_at",
        ];
        let reader = self.reader?[0];
        let blocked: BTreeSet<_> = self.tables.columns("blocked", ["player", "author"]).collect();
        let challenge =
            |[id, by, to, bot, variant, clock, free, flag, color, rated, state, at]: [Option<&str>;
                 12]| {
                let until = number(at) + CHALLENGE_DAYS * 86_400;
                let is_blocked =
                    blocked.contains(&[Some(reader), by]) || blocked.contains(&[by, Some(reader)]);
                let is_for_reader = [by, to].contains(&Some(reader))
                    || (to.is_none() && bot.is_none() && !is_blocked);
                if state != Some("open") || until <= self.now.timestamp() || !is_for_reader {
                    return None;
                }
                Some(json!({
                    "challenge": number(id), "by": self.name(by)?,
                    "to": self.name(to).unwrap_or_else(|| "anyone".to_owned()), "variant": variant,
                    "color": color, "clock": clock, "free_weekends": free == Some("1"), "flag": flag,
                    "rated": rated == Some("1"), "state": "open", "since": time(number(at)), "until": time(until),
                }))
            };
        let mut open: Vec<_> =
            self.tables.columns("challenge", names).filter_map(challenge).collect();
        let name = self.reader?[1];
        open.sort_by_key(|it| {
            let group = [&it["to"], &it["by"]].iter().position(|person| **person == name);
            (group.unwrap_or(2), it["since"].to_string(), it["challenge"].as_i64())
        });
        Some(json!({ "challenges": open }))
    }

    fn history(&self) -> Option<Value> {
        let replayed = self.replayed()?;
        if self.is_hex() {
            return Some(json!({ "game": self.game }));
        }
        let moves = replayed.plies.iter().enumerate().map(|(at, ply)| {
            let mut shown = shown_move(at, ply)?;
            (shown["black"], shown["white"]) = (ply.black.into(), ply.white.into());
            shown["auto"] = ply.auto.into();
            shown["given"] = if at < replayed.given { true.into() } else { Value::Null };
            Some(shown)
        });
        let moves: Option<Vec<_>> = moves.collect();
        let mut shown = json!({ "game": self.game, "moves": moves? });
        let has_blocks = self.tables.columns("blocked", ["player"]).next().is_some();
        if self.reader.is_some() && !self.is_own() {
            shown["said"] = Value::Null;
        } else if !has_blocks {
            let log = self.tables.columns_of("event", self.game, ["author", "action"]);
            let said = log.filter(|[_, action]| action.is_some_and(|it| it.starts_with("say ")));
            let said: Vec<_> = said
                .filter_map(|[author, _]| Some(json!({ "by": word(author?.chars().next()?) })))
                .collect();
            shown["said"] = if said.is_empty() { Value::Null } else { said.into() };
        }
        Some(shown)
    }

    /// Returns the position after each move that no automatic pass follows.
    fn positions(&self) -> Option<Vec<Option<String>>> {
        let replayed = self.replayed()?;
        let mut board = replayed.begun();
        let mut positions = Vec::new();
        for (at, ply) in replayed.plies.iter().enumerate() {
            if !ply.auto {
                board.play(ply.mv);
            }
            let is_followed = replayed.plies.get(at + 1).is_some_and(|next| next.auto);
            positions.push((!is_followed).then(|| board.position_string()));
        }
        Some(positions)
    }

    fn replay(&self) -> Option<Value> {
        let plies = self.replayed()?.plies;
        let boards =
            plies.iter().enumerate().zip(self.positions()?).map(|((at, ply), position)| {
                let mut shown = json!({ "ply": at + 1, "by": word(ply.by) });
                if let Some(position) = position {
                    shown["position"] = position.into();
                }
                shown
            });
        Some(json!({ "game": self.game, "boards": boards.collect::<Vec<_>>() }))
    }

    /// Returns the names, the rules and the watchers; what follows from the moves is checked elsewhere.
    fn show(&self) -> Option<Value> {
        let names = ["board_rows", "board_columns", "misere", "anywhere", "stuck", "rated"];
        let [rows, columns, misere, anywhere, stuck, rated] =
            self.tables.columns_of("game", self.game, names).next()?;
        let (entry, _) = self.entry(self.game)?;
        let size = |text: Option<&str>| text.map_or(Value::Null, |it| number(Some(it)).into());
        let mut shown = json!({
            "game": self.game, "variant": entry["variant"], "away": entry["away"],
            "black": { "player": entry["black"] }, "white": { "player": entry["white"] },
            "rules": {
                "rows": size(rows), "columns": size(columns), "misere": misere == Some("1"),
                "anywhere": anywhere == Some("1"),
                "pass": if rows.is_some() { stuck } else { None },
            },
            "rated": if rated == Some("1") { Value::Bool(true) } else { Value::Null },
        });
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

    fn earlier(&self) -> Option<Value> {
        let position = self.positions()?.get(2)?.clone()?;
        let last = shown_move(2, self.replayed()?.plies.get(2)?);
        let mut shown = json!({ "game": self.game, "ply": 3, "position": position });
        if let Some(last) = last.filter(|_| !self.is_hex()) {
            shown["last"] = last;
        }
        Some(shown)
    }

    fn notes(&self) -> Option<Value> {
        let row = self.tables.columns_of("game", self.game, ["black", "white"]).next()?;
        let reader = self.reader?[0];
        let own = if row[0] == Some(reader) { "b" } else { "w" };
        let log = self.tables.columns_of("event", self.game, ["author", "action"]);
        let notes = log.filter(|[author, _]| *author == Some(own));
        let notes: Vec<_> = notes.filter_map(|[_, it]| it?.strip_prefix("note ")).collect();
        self.is_own().then(|| json!({ "game": self.game, "notes": notes }))
    }

    fn plan(&self) -> Option<Value> {
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
        let log = self.tables.columns_of("event", self.game, ["number", "at", "author"]);
        let event = |[number_of, at, author]: [Option<&str>; 3]| {
            let mut event = json!({ "event": number(number_of), "at": time(number(at)) });
            if let Some(color @ ("b" | "w")) = author {
                event["by"] = word(color.chars().next().unwrap_or_default()).into();
            }
            event
        };
        Some(json!({ "game": self.game, "events": log.map(event).collect::<Vec<_>>() }))
    }

    fn mail(&self) -> Option<Value> {
        let names = ["game", "challenge", "id", "kind", "state", "tries"];
        let rows = self.tables.columns("outbox", names);
        let rows = rows.filter(|[game, challenge, ..]| number(game.or(*challenge)) == self.game);
        let mail = |[_, _, id, kind, state, tries]: [Option<&str>; 6]| {
            let mut mail = json!({ "id": number(id), "about": kind, "tries": number(tries) });
            if state != Some("queued") {
                mail["state"] = state.into();
            }
            mail
        };
        Some(json!({ "mails": rows.map(mail).collect::<Vec<_>>() }))
    }

    fn settings(&self) -> Option<Value> {
        let names = [
            "address",
            "challenges",
            "clock",
            "grace",
            "letter",
            "mail_mode",
            "named",
            "receipt",
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
            style,
            subject,
            watchers,
        ] = self.tables.columns_of("player", id.parse().ok()?, names).next()?;
        let mut clock = clock?.split(' ');
        let [timezone, weekend, quiet] = [(); 3].map(|()| clock.next());
        let switch = |value: Option<&str>| if value == Some("1") { "on" } else { "off" };
        Some(json!({ "player": name, "settings": {
            "address": address, "challenges": challenges, "grace": grace, "mail": mail,
            "letter": switch(letter), "named": named,
            "receipt": switch(receipt), "style": style, "subject": subject,
            "watchers": watchers, "timezone": timezone, "weekend": weekend,
            "quiet": quiet.map(|quiet| if quiet == "none" { "off" } else { quiet }),
        }}))
    }

    fn absences(&self) -> Option<Value> {
        let [id, name] = self.reader?;
        let days = |(from, until): (i64, i64)| {
            let (from, to) =
                (self.day(id, from)?.to_string(), self.day(id, until - 1)?.to_string());
            Some(json!({ "from": from, "to": to }))
        };
        let absences: Option<Vec<_>> = self.absences_of(id).into_iter().map(days).collect();
        Some(json!({ "player": name, "absences": absences? }))
    }
}
