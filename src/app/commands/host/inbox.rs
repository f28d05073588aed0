use clap::Args;
use serde::Serialize;

use crate::app::receive::quarantine::kept_of;
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Reply, Session, UseCase};
use crate::config;
use crate::store::Quarantined;

/// Show what happened to incoming mail
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank inbox")]
pub struct Inbox {}

#[derive(Serialize)]
struct InboxJson {
    mails: Vec<CountJson>,
    quarantine: String,
    quarantined: Vec<QuarantinedJson>,
}

#[derive(Serialize)]
struct CountJson {
    disposition: String,
    mails: u32,
    last: String,
}

#[derive(Serialize)]
struct QuarantinedJson {
    file: String,
    reason: String,
    player: Option<String>,
    from: Option<String>,
    subject: Option<String>,
    message_id: Option<String>,
    date: Option<String>,
    bytes: u64,
    kept: u64,
    came: String,
}

impl UseCase for Inbox {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        app.check_database()?;
        let counts = app.store.read(|db| db.intake())?;
        let quarantined = app.quarantined()?;
        let players = app.store.read(|db| {
            let player_at = |mail: &Quarantined| match &mail.sender {
                Some(address) => Ok(db.player_at(address)?.map(|player| player.name)),
                None => Ok(None),
            };
            quarantined.iter().map(player_at).collect::<Result<Vec<_>, Error>>()
        })?;
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
        let table = list(&quarantined, &players);
        let mails = counts.into_iter().map(|row| CountJson {
            disposition: row.disposition,
            mails: row.mails,
            last: json_time(row.last_at),
        });
        let json = InboxJson {
            mails: mails.collect(),
            quarantine: folder.display().to_string(),
            quarantined: quarantined.into_iter().zip(players).map(to_json).collect(),
        };
        let reply =
            Reply::new(&json).table(Table { columns, rows }, "No mail has come in.").text(text);
        Ok(if table.rows.is_empty() { reply } else { reply.table(table, "") })
    }
}

/// Lists the mails in the quarantine. `players` are their senders, where these are known.
fn list(quarantined: &[Quarantined], players: &[Option<String>]) -> Table {
    let columns = vec![
        Column::Prose("Came"),
        Column::Prose("From"),
        Column::Prose("Subject"),
        Column::Prose("Why"),
        Column::Number("Bytes"),
        Column::Text("File"),
    ];
    let rows = quarantined.iter().zip(players).map(|(mail, player)| {
        let from = player.as_ref().or(mail.sender.as_ref());
        let what = mail.subject.as_ref().or(mail.message_id.as_ref());
        vec![
            Entry::Time(mail.came_at),
            from.map_or("nobody", String::as_str).into(),
            what.map_or("", String::as_str).into(),
            mail.reason.as_str().into(),
            mail.bytes.into(),
            mail.file.as_str().into(),
        ]
    });
    Table { rows: rows.collect(), columns }
}

fn to_json((mail, player): (Quarantined, Option<String>)) -> QuarantinedJson {
    QuarantinedJson {
        kept: kept_of(mail.bytes),
        came: json_time(mail.came_at),
        file: mail.file,
        reason: mail.reason,
        player,
        from: mail.sender,
        subject: mail.subject,
        message_id: mail.message_id,
        date: mail.date,
        bytes: mail.bytes,
    }
}
