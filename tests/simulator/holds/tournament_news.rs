//! Who is mailed about tournaments: docs/tournaments.md and docs/mail.md.

use std::collections::BTreeSet;

use super::rows::{Mail, of_player};
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// What decides who is told of a tournament.
struct Cup<'a> {
    state: &'a str,
    season: Option<i64>,
    starts_at: Option<i64>,
    /// Whether the next start was put off before.
    is_put_off: bool,
    /// The last round of the season that was paired.
    round: Option<i64>,
    /// The players of the season, each with whether the player has withdrawn.
    playing: Vec<(i64, bool)>,
    /// Those who play in the next season.
    joined: Vec<i64>,
}

impl<'a> Cup<'a> {
    fn of(tables: &'a Tables, id: i64) -> Option<Self> {
        let names = ["state", "season", "starts_at", "postponed"];
        let [state, season, starts_at, postponed] =
            tables.columns_of("tournament", id, names).next()?;
        let season = number(season);
        let rows = tables.columns_of("entrant", id, ["season", "player", "withdrawn"]);
        let entrants: Vec<_> = rows
            .filter_map(|[at, player, out]| Some((number(at)?, number(player)?, out.is_some())))
            .collect();
        let of = |season: Option<i64>| {
            let own = entrants.iter().filter(move |it| Some(it.0) == season);
            own.map(|(_, player, is_out)| (*player, *is_out)).collect::<Vec<_>>()
        };
        let rounds = tables.columns_of("pairing", id, ["season", "round"]);
        let own = rows_of_season(rounds, season);
        let joined = of(season.map(|it| it + 1)).into_iter().map(|(player, _)| player).collect();
        Some(Self {
            state: state?,
            season,
            starts_at: number(starts_at),
            is_put_off: number(postponed) > Some(0),
            round: own.into_iter().max(),
            playing: of(season),
            joined,
        })
    }
}

fn rows_of_season<'a>(
    rows: impl Iterator<Item = [Option<&'a str>; 2]>,
    season: Option<i64>,
) -> Vec<i64> {
    rows.filter(|[at, _]| number(*at) == season).filter_map(|[_, round]| number(round)).collect()
}

/// The players are mailed when a tournament, a season or a round begins, when it is put off or cancelled, and when it
/// is over; so is one who is withdrawn after losses on time. Nobody else gets such a mail.
pub fn tournaments_are_told(change: &Change) -> Result<(), Violation> {
    const OF: &str = "tournaments_are_told";
    let Change { before, after, words, .. } = *change;
    let are_same = ["tournament", "entrant", "pairing", "outbox"];
    if words.is_empty() || are_same.iter().all(|it| after.is_same(before, it)) {
        return Ok(());
    }
    let mut told = BTreeSet::new();
    let ids = ["tournament", "entrant", "pairing"].into_iter();
    let ids: BTreeSet<_> = ids.flat_map(|it| after.changed(before, it)).collect();
    for id in ids {
        let (Some(old), Some(new)) = (Cup::of(before, id), Cup::of(after, id)) else { continue };
        told.extend(readers(&old, &new, words[0] == "send"));
    }
    let is_reachable = |player: &i64| {
        [before, after].iter().all(|tables| {
            of_player(tables, *player, "address").is_some()
                && of_player(tables, *player, "left_at").is_none()
        })
    };
    let ids = after.new_rows("outbox", before).into_iter();
    let ids = ids.filter(|id| Mail::of(before, *id).is_none());
    let mails = ids.filter_map(|id| Mail::of(after, id)).filter(|it| it.kind == "tournament");
    let found: BTreeSet<_> = mails.filter_map(|it| it.player).collect();
    let missing = told.iter().find(|it| is_reachable(it) && !found.contains(it));
    let other = found.iter().find(|it| !told.contains(it));
    match missing.or(other) {
        Some(player) => {
            violated(OF, format!("player {player} of {told:?} and {found:?}: {words:?}"))
        }
        None => Ok(()),
    }
}

/// Returns who must be told of a change of a tournament.
fn readers(old: &Cup, new: &Cup, is_send: bool) -> Vec<i64> {
    let playing = |it: &Cup| it.playing.iter().map(|(player, _)| *player).collect::<Vec<_>>();
    let mut readers = Vec::new();
    if new.season > old.season {
        readers.extend(playing(new));
    } else if new.round > old.round {
        let active = new.playing.iter().filter(|(_, is_out)| !is_out);
        readers.extend(active.map(|(player, _)| *player));
    }
    match (old.state, new.state) {
        ("running", "open" | "finished") => readers.extend(playing(new)),
        ("open", "cancelled" | "finished") => readers.extend(&old.joined),
        // A league that rests says so once.
        ("open", "open") if old.starts_at < new.starts_at => {
            let is_new = old.season == Some(0) || !old.is_put_off;
            readers.extend(old.joined.iter().filter(|_| is_new));
        }
        _ => {}
    }
    let is_same_season = is_send && new.season == old.season;
    let is_out = |player: i64| {
        new.playing.contains(&(player, true)) && old.playing.contains(&(player, false))
            || old.joined.contains(&player) && !new.joined.contains(&player)
    };
    let out = playing(old).into_iter().filter(|player| is_same_season && is_out(*player));
    readers.extend(out);
    readers
}
