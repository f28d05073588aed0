use super::{Db, Result, Tx};

/// The club that the database belongs to: digests of the parts of its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Club {
    /// Of the sender of its mail.
    pub sender: [u8; 32],
    /// Of how its mail leaves the machine.
    pub transport: [u8; 32],
    /// Of the rules for incoming mail.
    pub receive: [u8; 32],
    /// Of the address of its pages.
    pub web: [u8; 32],
}

impl Tx<'_> {
    /// Stores that the database belongs to this club, in place of another.
    pub fn set_club(&self, club: &Club) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO club (id, sender, transport, receive, web)
             VALUES (1, ?1, ?2, ?3, ?4)";
        self.execute(sql, (club.sender, club.transport, club.receive, club.web))?;
        Ok(())
    }
}

impl Db<'_> {
    /// Returns the club; `None` if none is recorded yet.
    pub fn club(&self) -> Result<Option<Club>> {
        self.first("SELECT sender, transport, receive, web FROM club", [], |row| {
            let (sender, transport) = (row.get(0)?, row.get(1)?);
            Ok(Club { sender, transport, receive: row.get(2)?, web: row.get(3)? })
        })
    }
}
