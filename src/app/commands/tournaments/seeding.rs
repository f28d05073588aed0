//! The order in which players begin a tournament or a season.

use std::cmp::Reverse;

use crate::app::Error;
use crate::app::commands::tournaments::join;
use crate::app::views::tournament::Standing;
use crate::store::Db;
use outflank_engine::mix;
use outflank_model::PlayerId;
use outflank_model::tournament::{Divisions, Group, Row, Tournament, cut, promote};

/// Returns a number that is drawn for a player.
pub(super) fn lot(mark: &str, player: PlayerId) -> u64 {
    mark.bytes().fold(player.0.cast_unsigned(), |lot, byte| mix(lot, byte.into()))
}

/// Returns these players by their ratings, the best first; equal ones by lot.
pub(super) fn by_rating(
    db: &Db,
    standing: &Standing,
    players: Vec<PlayerId>,
) -> Result<Vec<PlayerId>, Error> {
    let Tournament { plan, mark, .. } = &standing.tournament;
    let rated = players.into_iter().map(|player| {
        let rating = join::rating_for(db, plan, player)?;
        Ok((Reverse(rating), lot(mark, player), player))
    });
    let mut rated = rated.collect::<Result<Vec<_>, Error>>()?;
    rated.sort_by_key(|(rating, lot, _)| (*rating, *lot));
    Ok(rated.into_iter().map(|(.., player)| player).collect())
}

/// Returns the divisions of a league's next season, if it began now: the players of the last one after some have
/// moved up and down, then the new ones by rating.
pub(super) fn divisions(db: &Db, standing: &Standing) -> Result<Vec<Vec<PlayerId>>, Error> {
    let Divisions { size, moved } = standing.tournament.plan.divisions;
    let player = |group: &Group, row: &Row| group.entrants[row.player].player.id;
    let table = |group: &Group| group.rows.iter().map(|row| player(group, row)).collect();
    let mut order = promote(standing.groups.iter().map(table).collect(), moved);
    let stays = |player: PlayerId| {
        let seat = standing.seat_of(player);
        let is_active =
            seat.is_some_and(|(group, number)| group.entrants[number].withdrawn.is_none());
        is_active && standing.has_joined(player)
    };
    order.retain(|player| stays(*player));
    let new = standing.joined.iter().map(|it| it.player.id).filter(|it| !order.contains(it));
    let new = by_rating(db, standing, new.collect())?;
    order.extend(new);
    Ok(cut(order, size))
}
