//! What holds of tournaments: who joins, and that their games begin and end.

use std::collections::BTreeMap;

use super::commands::Given;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

const MIN_PLAYERS: usize = 3;
/// The most games of a player in a tournament at once.
const MAX_AT_ONCE: usize = 4;

/// Returns whether a game belongs to a tournament.
pub fn has(tables: &Tables, game: i64) -> bool {
    tables.columns("pairing", ["game"]).any(|[it]| number(it) == Some(game))
}

/// A tournament as its row has it.
struct Tournament<'a> {
    id: i64,
    state: &'a str,
    places: usize,
    due_at: Option<i64>,
    has_limits: bool,
}

impl<'a> Tournament<'a> {
    fn all(tables: &'a Tables) -> impl Iterator<Item = (&'a str, Self)> {
        let columns = ["id", "name", "state", "places", "due_at", "lowest"];
        tables.columns("tournament", columns).filter_map(
            |[id, name, state, places, due_at, lowest]| {
                let places = usize::try_from(number(places)?).ok()?;
                let (due_at, has_limits) = (number(due_at), lowest.is_some());
                Some((name?, Self { id: number(id)?, state: state?, places, due_at, has_limits }))
            },
        )
    }

    fn named(tables: &'a Tables, name: &str) -> Option<Self> {
        Self::all(tables).find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, it)| it)
    }

    /// Returns the players, each with whether the player has withdrawn.
    fn players(&self, tables: &'a Tables) -> BTreeMap<&'a str, bool> {
        let entrants = tables.columns("entrant", ["tournament", "player", "withdrawn"]);
        let own = entrants.filter(|[it, ..]| number(*it) == Some(self.id));
        own.filter_map(|[_, player, withdrawn]| Some((player?, withdrawn.is_some()))).collect()
    }
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
    let players = tournament.players(given.tables);
    let is_open = tournament.state == "open";
    match (given.word, action, given.actor) {
        ("tournament", Some(_), Some(_)) => Some(false),
        ("tournament", Some("start"), None) => Some(is_open && players.len() >= MIN_PLAYERS),
        ("tournament", Some(_), None) => Some(is_open),
        ("tournament", None, _) => Some(true),
        ("join", _, Some(actor)) if !tournament.has_limits => Some(
            is_open
                && actor.address.is_some()
                && !players.contains_key(actor.id)
                && players.len() < tournament.places,
        ),
        ("withdraw", _, Some(actor)) => Some(
            players.get(actor.id) == Some(&false)
                && (is_open
                    || tournament.state == "running"
                        && has_open_games(given.tables, &tournament, &players, actor.id)),
        ),
        _ => None,
    }
}

/// Returns whether a player of a running tournament has games that are not over.
fn has_open_games(
    tables: &Tables,
    tournament: &Tournament,
    players: &BTreeMap<&str, bool>,
    player: &str,
) -> bool {
    let pairings = tables.columns("pairing", ["tournament", "black", "white", "game"]);
    let mut own = pairings.filter(|[it, black, white, _]| {
        number(*it) == Some(tournament.id) && [*black, *white].contains(&Some(player))
    });
    own.any(|[_, black, white, game]| match number(game) {
        Some(game) => {
            tables.columns_of("game", game, ["turn"]).next().is_some_and(|[turn]| turn.is_some())
        }
        None => [black, white].iter().flatten().all(|it| players.get(it) == Some(&false)),
    })
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
        let players = tournament.players(tables);
        let columns = ["tournament", "black", "white", "game"];
        let pairings = tables.columns("pairing", columns);
        let own: Vec<_> = pairings.filter(|[it, ..]| number(*it) == Some(tournament.id)).collect();
        let is_open = |game: Option<&str>| {
            let row = number(game).and_then(|id| tables.columns_of("game", id, ["turn"]).next());
            row.is_some_and(|[turn]| turn.is_some())
        };
        let open = |player: &str| {
            let of_player =
                own.iter().filter(|[_, black, white, _]| [*black, *white].contains(&Some(player)));
            of_player.filter(|[.., game]| is_open(*game)).count()
        };
        if let Some(player) = players.keys().find(|player| open(player) > MAX_AT_ONCE) {
            return violated(OF, format!("player {player} has {} games in {name}", open(player)));
        }
        let has_started = matches!(tournament.state, "running" | "finished");
        let pairs = players.len() * players.len().saturating_sub(1) / 2;
        if has_started && own.len() != pairs && own.len() != 2 * pairs
            || !has_started && !own.is_empty()
        {
            return violated(OF, format!("{name} has {} games", own.len()));
        }
        if tournament.state == "finished" && own.iter().any(|[.., game]| is_open(*game)) {
            return violated(OF, format!("{name} has ended, but not all its games"));
        }
        let is_due = tournament.due_at.is_some_and(|at| at <= change.now.timestamp());
        if is_sent && is_due {
            return violated(OF, format!("`send` has left something to do in {name}"));
        }
        let has_left = |player: Option<&str>| player.and_then(|it| players.get(it)) != Some(&false);
        let waits = own.iter().find(|[_, black, white, game]| {
            let is_free = |player: &Option<&str>| player.is_some_and(|it| open(it) < MAX_AT_ONCE);
            let people = [black, white];
            game.is_none() && people.into_iter().all(|it| is_free(it) && !has_left(*it))
        });
        if let (true, "running", Some(waits)) = (is_sent, tournament.state, waits) {
            return violated(OF, format!("{waits:?} of {name} has not begun"));
        }
    }
    Ok(())
}
