use clap::Args;
use serde::Serialize;

use super::reply::json_time;
use super::table::{Column, Entry, Table};
use super::{Error, Reply, Session, UseCase};
use crate::config;

/// Show what happened to incoming mail
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank inbox")]
pub struct Inbox {}

#[derive(Serialize)]
struct InboxJson {
    mails: Vec<CountJson>,
    quarantine: String,
}

#[derive(Serialize)]
struct CountJson {
    disposition: String,
    mails: u32,
    last: String,
}

impl UseCase for Inbox {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        app.check_database()?;
        let counts = app.store.read(|db| db.intake())?;
        let columns =
            vec![Column::Text("Disposition"), Column::Number("Mails"), Column::Prose("Last one")];
        let rows = counts
            .iter()
            .map(|row| {
                vec![row.disposition.as_str().into(), row.mails.into(), Entry::Time(row.last_at)]
            })
            .collect();
        let folder = app.quarantine_folder();
        let text =
            format!("Mail that cannot be processed is kept in {}", config::display_path(&folder));
        let quarantine = folder.display().to_string();
        let mails = counts.into_iter().map(|row| CountJson {
            disposition: row.disposition,
            mails: row.mails,
            last: json_time(row.last_at),
        });
        let json = InboxJson { mails: mails.collect(), quarantine };
        Ok(Reply::new(&json).table(Table { columns, rows }, "No mail has come in.").text(text))
    }
}
