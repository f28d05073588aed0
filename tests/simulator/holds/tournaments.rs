//! What holds of tournaments: who joins, and that their games begin and end.

use std::collections::{BTreeMap, BTreeSet};

use super::commands::Given;
use super::results::list_of;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

pub const MIN_PLAYERS: usize = 3;
/// The rating that counts for a player without one.
const NEW_RATING: i64 = 1500;
/// The most games of a player in a tournament at once.
pub const MAX_AT_ONCE: usize = 4;

/// Returns the rating of a player that counts for a tournament.
pub fn rating(tables: &Tables, id: i64, player: i64) -> Option<i64> {
    let names = ["board_rows", "board_columns", "misere", "anywhere", "stuck", "supply"];
    let list = list_of(tables.columns_of("tournament", id, names).next()?);
    let rows = tables.columns("rating", ["list", "player", "ended_at", "game", "rating"]);
    let own = rows.filter(|[of, it, ..]| *of == Some(&*list) && number(*it) == Some(player));
    let last = own.max_by_key(|[_, _, at, game, _]| (number(*at), number(*game)));
    match last {
        Some([.., rating]) => rating?.parse::<f64>().ok().map(|it| it.round() as i64),
        None => Some(NEW_RATING),
    }
}

/// Returns whether a game belongs to a tournament.
pub fn has(tables: &Tables, game: i64) -> bool {
    tables.columns("pairing", ["game"]).any(|[it]| number(it) == Some(game))
}

/// A tournament as its row has it.
struct Tournament<'a> {
    id: i64,
    state: &'a str,
    format: &'a str,
    /// The last season that has begun, or 0.
    season: i64,
    rounds: i64,
    places: usize,
    due_at: Option<i64>,
    /// The lowest and the highest rating of those who may join.
    limits: Option<[i64; 2]>,
}

/// A game of the season.
struct Pairing<'a> {
    players: [&'a str; 2],
    round: i64,
    game: Option<i64>,
}

impl<'a> Tournament<'a> {
    fn all(tables: &'a Tables) -> impl Iterator<Item = (&'a str, Self)> {
        let columns = [
            "id", "name", "state", "format", "season", "rounds", "places", "due_at", "lowest",
            "highest",
        ];
        tables.columns("tournament", columns).filter_map(
            |[id, name, state, format, season, rounds, places, due_at, lowest, highest]| {
                let places = usize::try_from(number(places)?).ok()?;
                let due_at = number(due_at);
                let limits = number(lowest).zip(number(highest)).map(<[_; 2]>::from);
                let (id, state, format, season) = (number(id)?, state?, format?, number(season)?);
                let rounds = number(rounds).unwrap_or(0);
                Some((name?, Self { id, state, format, season, rounds, places, due_at, limits }))
            },
        )
    }

    /// Returns whether the rating of a player is one of those that may join.
    fn admits(&self, tables: &Tables, player: &str) -> bool {
        let rating = number(Some(player)).and_then(|player| rating(tables, self.id, player));
        let is_within = |[low, high]: [i64; 2]| rating.is_some_and(|it| (low..=high).contains(&it));
        self.limits.is_none_or(is_within)
    }

    fn named(tables: &'a Tables, name: &str) -> Option<Self> {
        Self::all(tables).find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, it)| it)
    }

    /// Returns the players of a season, each with the division and whether the player has withdrawn.
    fn players(&self, tables: &'a Tables, season: i64) -> BTreeMap<&'a str, (Option<i64>, bool)> {
        let columns = ["tournament", "season", "player", "division", "withdrawn"];
        let entrants = tables.columns("entrant", columns);
        let own = entrants
            .filter(|[it, at, ..]| number(*it) == Some(self.id) && number(*at) == Some(season));
        own.filter_map(|[.., player, division, withdrawn]| {
            Some((player?, (number(division), withdrawn.is_some())))
        })
        .collect()
    }

    /// Returns the games of the last season that has begun.
    fn pairings(&self, tables: &'a Tables) -> Vec<Pairing<'a>> {
        let columns = ["tournament", "season", "black", "white", "round", "game"];
        let pairings = tables.columns("pairing", columns).filter(|[it, season, ..]| {
            number(*it) == Some(self.id) && number(*season) == Some(self.season)
        });
        pairings
            .filter_map(|[.., black, white, round, game]| {
                Some(Pairing {
                    players: [black?, white?],
                    round: number(round)?,
                    game: number(game),
                })
            })
            .collect()
    }

    fn has_more_rounds(&self, pairings: &[Pairing]) -> bool {
        pairings.iter().map(|it| it.round).max().unwrap_or(0) < self.rounds
    }
}

/// Returns whether a game is under way.
fn is_open(tables: &Tables, game: Option<i64>) -> bool {
    let row = game.and_then(|id| tables.columns_of("game", id, ["turn"]).next());
    row.is_some_and(|[turn]| turn.is_some())
}

/// Returns whether the docs allow a command about a tournament; `None` if this model does not know.
pub fn may(given: &Given) -> Option<bool> {
    let words = given.plain()?;
    let (name, action) = match (given.word, &words[..]) {
        ("tournament", ["new", ..]) => return None,
        ("tournament", [action @ ("start" | "cancel"), name]) => (*name, Some(*action)),
        (_, [name]) => (*name, None),
        _ => return None,
    };
    if given.actor.is_some_and(|actor| actor.has_left) {
        return None;
    }
    let Some(tournament) = Tournament::named(given.tables, name) else { return Some(false) };
    let next = tournament.players(given.tables, tournament.season + 1);
    let is_waiting = tournament.state == "open";
    let is_running = tournament.state == "running";
    let can_join = is_waiting || is_running && tournament.format == "league";
    match (given.word, action, given.actor) {
        ("tournament", Some(_), Some(_)) => Some(false),
        ("tournament", Some("start"), None) => Some(is_waiting && next.len() >= MIN_PLAYERS),
        ("tournament", Some(_), None) => Some(is_waiting),
        ("tournament", None, _) => Some(true),
        ("join", _, Some(actor)) => Some(
            can_join
                && tournament.admits(given.tables, actor.id)
                && actor.address.is_some()
                && !next.contains_key(actor.id)
                && next.len() < tournament.places,
        ),
        ("withdraw", _, Some(actor)) => Some(
            can_join && next.contains_key(actor.id)
                || is_running && is_playing(given.tables, &tournament, actor.id),
        ),
        _ => None,
    }
}

/// Returns the names of the tournaments that a player can join, without those for some ratings only.
pub fn joinable(tables: &Tables, player: &str) -> Vec<String> {
    let address = |id| tables.columns_of("player", id, ["address"]).next().and_then(|[it]| it);
    let has_address = number(Some(player)).and_then(address).is_some();
    let can_join = |it: &(&str, Tournament)| {
        let tournament = &it.1;
        let next = tournament.players(tables, tournament.season + 1);
        let is_running = tournament.state == "running" && tournament.format == "league";
        (tournament.state == "open" || is_running)
            && tournament.admits(tables, player)
            && !next.contains_key(player)
            && next.len() < tournament.places
    };
    let all = Tournament::all(tables).filter(|_| has_address).filter(can_join);
    all.map(|(name, _)| name.to_owned()).collect()
}

/// Returns the tournaments whose tables a step can have changed: they, their players or their games are others,
/// or a game has another result.
pub fn touched(before: &Tables, after: &Tables) -> BTreeSet<i64> {
    let of_tables = ["tournament", "entrant", "pairing"].into_iter();
    let mut touched: BTreeSet<_> = of_tables.flat_map(|it| after.changed(before, it)).collect();
    let result = |tables: &Tables, id| {
        tables.columns_of("game", id, ["reason"]).next().map(|it| it[0].map(str::to_owned))
    };
    let ended: BTreeSet<_> = after
        .changed(before, "game")
        .into_iter()
        .filter(|id| result(before, *id) != result(after, *id))
        .collect();
    if !ended.is_empty() {
        let rows = after.columns("pairing", ["tournament", "game"]);
        let own = rows.filter(|[_, game]| number(*game).is_some_and(|it| ended.contains(&it)));
        touched.extend(own.filter_map(|[id, _]| number(id)));
    }
    touched
}

/// Returns whether a player plays in the running tournament with this name.
pub fn plays(tables: &Tables, name: &str, player: &str) -> bool {
    let tournament = Tournament::named(tables, name).filter(|it| it.state == "running");
    tournament.is_some_and(|it| is_playing(tables, &it, player))
}

/// Returns whether a player of a running tournament has not withdrawn, and has games that are not over or more
/// rounds.
fn is_playing(tables: &Tables, tournament: &Tournament, player: &str) -> bool {
    let players = tournament.players(tables, tournament.season);
    let is_in = |player: &str| players.get(player).is_some_and(|(_, is_out)| !is_out);
    let pairings = tournament.pairings(tables);
    let mut own = pairings.iter().filter(|it| it.players.contains(&player));
    let has_open = own.any(|it| match it.game {
        Some(_) => is_open(tables, it.game),
        None => it.players.into_iter().all(is_in),
    });
    is_in(player) && (has_open || tournament.has_more_rounds(&pairings))
}

/// A player has at most four games of a tournament at once; each two meet as often as the format says; and after
/// `send` nothing is left to be done.
pub fn tournaments_go_on(change: &Change) -> Result<(), Violation> {
    const OF: &str = "tournaments_go_on";
    let tables = change.after;
    if ["tournament", "pairing", "game"].iter().all(|it| tables.is_same(change.before, it)) {
        return Ok(());
    }
    // By a clock that seems to be far ahead, nothing begins.
    let is_doubted = tables.columns("clock_doubt", ["id"]).next().is_some();
    let is_sent = change.words == ["send"] && change.status == 0 && !is_doubted;
    for (name, tournament) in Tournament::all(tables) {
        let players = tournament.players(tables, tournament.season);
        let own = tournament.pairings(tables);
        let open = |player: &str| {
            let of_player = own.iter().filter(|it| it.players.contains(&player));
            of_player.filter(|it| is_open(tables, it.game)).count()
        };
        if let Some(player) = players.keys().find(|player| open(player) > MAX_AT_ONCE) {
            return violated(OF, format!("player {player} has {} games in {name}", open(player)));
        }
        let mut divisions = BTreeMap::<_, usize>::new();
        for (division, _) in players.values() {
            *divisions.entry(division).or_default() += 1;
        }
        let pairs: usize = divisions.values().map(|size| size * (size - 1) / 2).sum();
        let met: BTreeSet<_> = own.iter().map(|it| BTreeSet::from(it.players)).collect();
        let is_right = match tournament.format {
            "swiss" => met.len() == own.len() && own.iter().all(|it| it.round <= tournament.rounds),
            "league" => own.len() == pairs && met.len() == pairs,
            _ => [pairs, 2 * pairs].contains(&own.len()) && met.len() == pairs,
        };
        if !is_right {
            return violated(OF, format!("{name} has {} games", own.len()));
        }
        let is_over = tournament.state != "running";
        if is_over && own.iter().any(|it| is_open(tables, it.game)) {
            return violated(OF, format!("{name} has ended, but not all its games"));
        }
        let is_due = tournament.due_at.is_some_and(|at| at <= change.now.timestamp());
        if is_sent && is_due {
            return violated(OF, format!("`send` has left something to do in {name}"));
        }
        if !is_sent || is_over {
            continue;
        }
        let has_left = |player: &str| players.get(player).is_none_or(|(_, is_out)| *is_out);
        let is_waiting = |it: &&Pairing| {
            let can_begin = |player: &str| open(player) < MAX_AT_ONCE && !has_left(player);
            it.game.is_none() && it.players.into_iter().all(can_begin)
        };
        if let Some(waits) = own.iter().find(is_waiting) {
            return violated(OF, format!("{:?} of {name} has not begun", waits.players));
        }
        let goes_on = |it: &Pairing| match it.game {
            Some(_) => is_open(tables, it.game),
            None => !it.players.into_iter().any(has_left),
        };
        if !own.iter().any(goes_on) {
            return violated(OF, format!("{name} runs, but none of its games does"));
        }
    }
    Ok(())
}
