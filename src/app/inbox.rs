use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::table::{Column, Entry, Table};
use super::{Error, Reply, Session, UseCase};
use crate::config;

/// Tell what became of the mail that came in
#[derive(Debug, Clone, Args)]
pub struct Inbox {}

#[derive(Serialize)]
struct Json {
    mails: Vec<FateJson>,
    quarantine: String,
}

#[derive(Serialize)]
struct FateJson {
    fate: String,
    mails: u32,
    last: String,
}

impl UseCase for Inbox {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app;
        let counted = app.store.read(|db| db.intake())?;
        let columns =
            vec![Column::Text("Fate"), Column::Number("Mails"), Column::Prose("Last one")];
        let rows = counted
            .iter()
            .map(|row| vec![row.fate.as_str().into(), row.mails.into(), Entry::Time(row.last_at)])
            .collect();
        let folder = app.quarantine_folder();
        let said = format!("What cannot be processed is kept in {}", config::display_path(&folder));
        let quarantine = folder.display().to_string();
        let mails = counted.into_iter().map(|row| FateJson {
            fate: row.fate,
            mails: row.mails,
            last: json_time(row.last_at),
        });
        let json = Json { mails: mails.collect(), quarantine };
        Ok(Reply::new(&json).table(Table { columns, rows }, "No mail has come in.").text(said))
    }
}
