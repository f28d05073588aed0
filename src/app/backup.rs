use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{Error, Reply, Session, UseCase};

/// Copy the living database to a new file
#[derive(Debug, Clone, Args)]
pub struct Backup {
    /// The copy, which must not exist yet
    file: PathBuf,
}

#[derive(Serialize)]
struct Json {
    backup: String,
}

impl UseCase for Backup {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.app.store.backup(&self.file)?;
        let backup = self.file.display().to_string();
        let said = format!("The database is copied to {backup}.");
        Ok(Reply::new(&Json { backup }).text(said))
    }
}
