use chrono::{DateTime, Utc};

use super::{Db, Error, PlayerId, Time, Tx, seconds};

/// A time in which a player is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// When it begins.
    pub from: DateTime<Utc>,
    /// The first second after it.
    pub until: DateTime<Utc>,
}

impl Db<'_> {
    /// Returns the absences of a player that end after this time, the earliest first.
    pub fn absences(&self, player: PlayerId, after: DateTime<Utc>) -> Result<Vec<Absence>, Error> {
        let mut select = self.prepare(
            "SELECT from_at, until_at FROM absence WHERE player = ?1 AND until_at > ?2
             ORDER BY from_at",
        )?;
        let absences = select.query_map((player, seconds(after)), |row| {
            let time = |column| row.get::<_, Time>(column).map(|time| time.0);
            Ok(Absence { from: time("from_at")?, until: time("until_at")? })
        })?;
        Ok(absences.collect::<Result<_, _>>()?)
    }
}

impl Tx<'_> {
    /// Adds an absence of a player, which overlaps no other.
    pub fn add_absence(&self, player: PlayerId, absence: Absence) -> Result<(), Error> {
        self.execute(
            "INSERT INTO absence (player, from_at, until_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET until_at = excluded.until_at",
            (player, seconds(absence.from), seconds(absence.until)),
        )
        .map(drop)
    }

    /// Ends the absence of a player at this time, and deletes later ones.
    pub fn end_absences(&self, player: PlayerId, now: DateTime<Utc>) -> Result<(), Error> {
        let parameters = (player, seconds(now));
        self.execute("DELETE FROM absence WHERE player = ?1 AND from_at >= ?2", parameters)?;
        self.execute(
            "UPDATE absence SET until_at = ?2 WHERE player = ?1 AND until_at > ?2",
            parameters,
        )
        .map(drop)
    }
}
