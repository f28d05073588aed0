//! Ratings in words.

use chrono::{DateTime, Utc};

use crate::app::Error;
use crate::rating::List;
use crate::store::{Db, PlayerId};

/// Returns a player's rating in a list as a short text: `1512 ± 80, 14 games`, or `no rated games yet`.
pub(crate) fn short(
    db: &Db,
    list: List,
    player: PlayerId,
    now: DateTime<Utc>,
) -> Result<String, Error> {
    let rating = db.rating(list, player, None)?;
    Ok(rating.map_or("no rated games yet".to_owned(), |rating| rating.words_at(now)))
}
