//! What holds of the records and ratings of players.

use std::collections::BTreeMap;

use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::glicko::{NEW, Rating};
use crate::simulator::replay::{Replayed, counts};
use crate::simulator::tables::Tables;

/// By how much a stored rating or deviation can differ, after many games: constants are rounded.
const TOLERANCE: f64 = 0.01;

/// A finished game that counts.
struct Finished<'a> {
    id: i64,
    /// The rules of its list.
    list: String,
    players: [Option<&'a str>; 2],
    bots: [Option<&'a str>; 2],
    /// The place of the winner in these.
    winner: Option<usize>,
    ended_at: i64,
    has_clock: bool,
    is_rated: bool,
}

/// A player's record counts the active games.
pub fn active_games_are_counted(change: &Change) -> Result<(), Violation> {
    let tables = change.after;
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for [black, white, turn] in tables.columns("game", ["black", "white", "turn"]) {
        for player in [black, white].into_iter().flatten().filter(|_| turn.is_some()) {
            *counts.entry(player).or_default() += 1;
        }
    }
    for [id, name, active] in tables.columns("player", ["id", "name", "active"]) {
        let counted = id.and_then(|id| counts.get(id)).copied().unwrap_or_default().to_string();
        if active != Some(&counted) {
            let found = format!("{name:?} plays {counted} games, and the record says {active:?}");
            return violated("active_games_are_counted", found);
        }
    }
    Ok(())
}

/// Returns whether results or what is stored about them have changed.
fn has_changed(change: &Change) -> bool {
    let Change { before, after, .. } = *change;
    let of_players = ["id", "won", "lost", "drawn", "timed_turns", "late_turns"];
    let are_same = ["rating", "record", "recalculation"].iter().all(|it| after.is_same(before, it))
        && before.columns("player", of_players).eq(after.columns("player", of_players));
    let results = ["id", "reason", "winner"];
    !are_same || !before.columns("game", results).eq(after.columns("game", results))
}

/// Records are the sums of the finished games that count: in all, by rules and colour, and by opponent.
pub fn records_are_sums_of_games(change: &Change) -> Result<(), Violation> {
    const OF: &str = "records_are_sums_of_games";
    if !has_changed(change) {
        return Ok(());
    }
    let tables = change.after;
    let mut records: BTreeMap<[String; 3], [u32; 3]> = BTreeMap::new();
    let mut players: BTreeMap<&str, [u32; 5]> = BTreeMap::new();
    for game in finished(tables) {
        for side in [0, 1] {
            let Some(player) = game.players[side] else { continue };
            let score = game.winner.map_or(1, |winner| if winner == side { 0 } else { 2 });
            let about = game.players[1 - side].map(|it| ("player", it.to_owned()));
            let bot = || ("bot", game.bots[1 - side].unwrap_or_default().to_owned());
            let color = (["black", "white"][side], game.list.clone());
            for (kind, about) in [color, about.unwrap_or_else(bot)] {
                let key = [player.to_owned(), kind.to_owned(), about];
                records.entry(key).or_default()[score] += 1;
            }
            let sums = players.entry(player).or_default();
            sums[score] += 1;
            if game.has_clock {
                let [all, late] = turns(tables, game.id, ['b', 'w'][side]);
                (sums[3], sums[4]) = (sums[3] + all, sums[4] + late);
            }
        }
    }
    let number = |it: Option<&str>| it.and_then(|it| it.parse::<u32>().ok()).unwrap_or_default();
    let names = ["player", "kind", "about", "won", "drawn", "lost"];
    for [player, kind, about, results @ ..] in tables.columns("record", names) {
        let key = [player, kind, about].map(|it| it.unwrap_or_default().to_owned());
        let expected = records.remove(&key).unwrap_or_default();
        if results.map(number) != expected {
            let found = format!("{key:?}: {results:?} and not {expected:?}");
            return violated(OF, found);
        }
    }
    if let Some(missing) = records.first_key_value() {
        return violated(OF, format!("{missing:?} is missing"));
    }
    let names = ["id", "name", "won", "drawn", "lost", "timed_turns", "late_turns"];
    for [id, name, results @ ..] in tables.columns("player", names) {
        let expected = id.and_then(|id| players.get(id)).copied().unwrap_or_default();
        if results.map(number) != expected {
            return violated(OF, format!("{name:?}: {results:?} and not {expected:?}"));
        }
    }
    Ok(())
}

/// Ratings follow from the rated games in the order of their ends. While a list is to be calculated again, its
/// later ratings may be old.
pub fn ratings_follow_from_games(change: &Change) -> Result<(), Violation> {
    const OF: &str = "ratings_follow_from_games";
    if !has_changed(change) {
        return Ok(());
    }
    let tables = change.after;
    if change.words == ["send"]
        && change.status == 0
        && let Some([list]) = tables.columns("recalculation", ["list"]).next()
    {
        return violated(OF, format!("`send` has not calculated {list:?} again"));
    }
    let number = |it: Option<&str>| it.and_then(|it| it.parse::<i64>().ok()).unwrap_or_default();
    let pending = tables.columns("recalculation", ["list", "ended_at", "game"]);
    let pending: BTreeMap<_, _> =
        pending.map(|[list, at, game]| (list, (number(at), number(game)))).collect();
    let mut expected = ratings(tables);
    let names = [
        "list",
        "player",
        "game",
        "ended_at",
        "opponent",
        "score",
        "games",
        "rating",
        "deviation",
        "volatility",
    ];
    for [list, player, game, ended_at, opponent, score, games, figures @ ..] in
        tables.columns("rating", names)
    {
        let key = (number(game), player.unwrap_or_default().to_owned());
        let Some(rated) = expected.remove(&key) else {
            return violated(OF, format!("game {key:?} does not count for {list:?}"));
        };
        let facts = [list, ended_at, opponent, score];
        if facts != rated.facts.each_ref().map(|it| Some(&**it)) {
            return violated(OF, format!("game {key:?}: {facts:?}, not {:?}", rated.facts));
        }
        if pending.get(&list).is_some_and(|from| (number(ended_at), key.0) >= *from) {
            continue;
        }
        let figures = figures.map(|it| it.and_then(|it| it.parse().ok()).unwrap_or(f64::INFINITY));
        let Rating { rating, deviation, volatility } = rated.rating;
        let pairs = figures.into_iter().zip([rating, deviation, volatility]);
        let is_near = pairs.into_iter().all(|(one, two)| (one - two).abs() < TOLERANCE);
        if !is_near || number(games) != rated.games {
            return violated(OF, format!("game {key:?}: {figures:?} {games:?}, not {rated:?}"));
        }
    }
    expected
        .first_key_value()
        .map_or(Ok(()), |missing| violated(OF, format!("{missing:?} is missing")))
}

/// The rating of a player after a game.
#[derive(Debug, Clone)]
struct Rated {
    /// The list, when the game ended, the opponent and the score.
    facts: [String; 4],
    rating: Rating,
    games: i64,
    ended_at: i64,
}

/// Returns the ratings after each game, by its number and the player.
fn ratings(tables: &Tables) -> BTreeMap<(i64, String), Rated> {
    let mut games: Vec<_> = finished(tables).filter(|game| is_rated(tables, game)).collect();
    games.sort_by_key(|game| (game.ended_at, game.id));
    let mut last: BTreeMap<(String, &str), Rated> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for game in games {
        let [Some(black), Some(white)] = game.players else { continue };
        let before = [black, white].map(|player| {
            let last = last.get(&(game.list.clone(), player))?;
            let days = (game.ended_at - last.ended_at) as f64 / 86_400.0;
            Some((last.rating.after_days(days), last.games))
        });
        let ratings = before.map(|before| before.map_or(NEW, |(rating, _)| rating));
        for (side, player, opponent) in [(0, black, white), (1, white, black)] {
            let (score, word) = match game.winner {
                None => (0.5, "drawn"),
                Some(winner) if winner == side => (1.0, "won"),
                Some(_) => (0.0, "lost"),
            };
            let list = game.list.clone();
            let facts = [&*list, &game.ended_at.to_string(), opponent, word].map(str::to_owned);
            let rating = ratings[side].after_game(ratings[1 - side], score);
            let games = before[side].map_or(0, |(_, games)| games) + 1;
            let rated = Rated { facts, rating, games, ended_at: game.ended_at };
            all.insert((game.id, player.to_owned()), rated.clone());
            last.insert((list, player), rated);
        }
    }
    all
}

/// Returns whether a finished game of two people counts for ratings: it was begun as a rated one, and each has
/// made at least two moves.
fn is_rated(tables: &Tables, game: &Finished) -> bool {
    let Some(replayed) = Some(game.id)
        .filter(|_| game.is_rated)
        .and_then(|id| Replayed::of(tables, id, usize::MAX).ok())
    else {
        return false;
    };
    let made = |color| replayed.own(color).count();
    game.players.iter().all(Option::is_some) && made('b') >= 2 && made('w') >= 2
}

/// Returns the finished games that count.
fn finished(tables: &Tables) -> impl Iterator<Item = Finished<'_>> {
    let names = [
        "id",
        "black",
        "white",
        "black_bot",
        "white_bot",
        "winner",
        "reason",
        "since",
        "clock",
        "rated",
    ];
    let lists = tables
        .columns("game", ["board_rows", "board_columns", "misere", "anywhere", "stuck", "supply"]);
    tables.columns("game", names).zip(lists).filter_map(|(row, rules)| {
        let [id, black, white, black_bot, white_bot, winner, reason, since, clock, rated] = row;
        reason.filter(|reason| counts(reason))?;
        Some(Finished {
            id: id?.parse().ok()?,
            list: list_of(rules),
            players: [black, white],
            bots: [black_bot, white_bot],
            winner: winner.map(|winner| usize::from(winner == "white")),
            ended_at: since?.parse().ok()?,
            has_clock: clock != Some("none"),
            is_rated: rated == Some("1"),
        })
    })
}

/// Returns the list of ratings of some rules. Nobody passes where discs go on any cell.
pub(super) fn list_of(
    [rows, columns, misere, anywhere, stuck, supply]: [Option<&str>; 6],
) -> String {
    let lattice = match (rows, columns) {
        (Some(rows), Some(columns)) => format!("{rows}x{columns}"),
        _ => "hex".to_owned(),
    };
    let is_set = |it| it == Some("1");
    let words = [
        Some(&*lattice),
        is_set(misere).then_some("misere"),
        is_set(anywhere).then_some("anywhere"),
        stuck.filter(|it| *it != "auto" && !is_set(anywhere)),
        supply,
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Returns how many turns a player had in a game, and in how many of them the time ran out. A turn ends with a
/// move, or with the end of the game because none came in time.
fn turns(tables: &Tables, game: i64, color: char) -> [u32; 2] {
    let (mut turns, mut has_run_out) = ([0, 0], false);
    for [author, action] in tables.columns_of("event", game, ["author", "action"]) {
        let is_own = author == Some(&*color.to_string());
        let action = action.unwrap_or_default();
        let word = action.split(' ').next().unwrap_or_default();
        let is_of = action.ends_with(color);
        let is_late = match word {
            "flag" => {
                has_run_out |= is_of;
                continue;
            }
            "claim" if !is_own => true,
            "time-out" if is_of => true,
            _ if is_own && is_move(word) => has_run_out,
            _ => continue,
        };
        turns = [turns[0] + 1, turns[1] + u32::from(is_late)];
        has_run_out = false;
    }
    turns
}

/// Returns whether the first word of an action is a move: a label has a number, and all other words have none.
fn is_move(word: &str) -> bool {
    word == "pass" || word.contains(|it: char| it.is_ascii_digit())
}
