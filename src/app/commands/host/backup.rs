use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::app::{Error, Reply, Session, UseCase};

/// Copy the database, which may be in use, to a new file
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank backup games-2026-11-21.db")]
pub struct Backup {
    /// The copy, which must not exist yet
    file: PathBuf,
}

#[derive(Serialize)]
struct BackupJson {
    backup: String,
}

impl UseCase for Backup {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.app()?.store.backup(&self.file)?;
        let backup = self.file.display().to_string();
        let text = format!("The database is copied to {backup}.");
        Ok(Reply::new(&BackupJson { backup }).text(text))
    }
}
