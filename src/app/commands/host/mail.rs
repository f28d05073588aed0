use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Reply, Session, UseCase, find};
use crate::log::GameId;
use crate::store::{MailId, MailState, OutboxEntry};

/// List the outbox: unsent mails and the last sent ones
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: outflank mail retry 7")]
pub struct Mail {
    /// Only the mails of this game
    game: Option<GameId>,
    #[command(subcommand)]
    action: Option<MailAction>,
}

#[derive(Debug, Clone, Subcommand)]
enum MailAction {
    /// Try a mail again now
    #[command(after_help = "Example: outflank mail retry 7")]
    Retry {
        /// The number of the mail
        #[arg(value_name = "ID")]
        id: MailId,
    },
}

/// The most sent and failed mails that are listed.
const MAX_SETTLED: u32 = 20;

#[derive(Serialize)]
struct OutboxJson {
    mails: Vec<MailJson>,
}

#[derive(Serialize)]
struct MailJson {
    id: i64,
    game: Option<i64>,
    to: Option<String>,
    address: String,
    about: &'static str,
    ply: Option<usize>,
    state: &'static str,
    tries: u32,
    due: Option<String>,
    error: Option<String>,
}

impl UseCase for Mail {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match (&self.action, self.game) {
            (Some(_), Some(_)) => {
                Err(Error::usage("`mail retry ID` takes no game; the mail's number is enough"))
            }
            (Some(MailAction::Retry { id }), None) => retry(session, *id),
            (None, game) => {
                let entries = session.read(|Reading { db, .. }| match game {
                    Some(id) => Ok(db.outbox_of(find::game(db, id)?.id)?),
                    None => Ok(db.recent_outbox(MAX_SETTLED)?),
                })?;
                Ok(list(&entries))
            }
        }
    }
}

fn retry(session: &mut Session, id: MailId) -> Result<Reply, Error> {
    let app = session.app()?;
    let now = app.env.now();
    app.store.write(|tx| match tx.outbox_entry(id)? {
        None => {
            Err(Error::refused(format!("there is no mail {id}")).with_hint("see `outflank mail`"))
        }
        Some(OutboxEntry { state: state @ (MailState::Sent | MailState::Superseded), .. }) => {
            Err(Error::refused(format!("mail {id} is already {}", state.word()))
                .with_hint("see `outflank mail`"))
        }
        Some(_) if tx.requeue_mail(id, now)? => Ok(()),
        Some(_) => Err(Error::refused(format!("mail {id} is being sent right now"))
            .with_hint("look again with `outflank mail` in a minute")),
    })?;
    app.deliver_one(id)?;
    let entry = app.store.read(|db| db.outbox_entry(id))?;
    Ok(list(entry.as_slice()))
}

fn list(entries: &[OutboxEntry]) -> Reply {
    let columns = vec![
        Column::Number("Mail"),
        Column::Number("Game"),
        Column::Prose("To"),
        Column::Text("About"),
        Column::Number("Move"),
        Column::Text("State"),
        Column::Number("Tries"),
        Column::Prose("Next try"),
        Column::Prose("Last error"),
    ];
    let rows = entries
        .iter()
        .map(|mail| {
            vec![
                mail.id.into(),
                mail.content.game().map_or(Entry::NONE, |moment| moment.game.into()),
                mail.recipient().into(),
                mail.content.kind().word().into(),
                mail.content.game().map_or(Entry::NONE, |moment| moment.ply.into()),
                mail.state.word().into(),
                mail.tries.into(),
                due(mail).map_or(Entry::NONE, Entry::Time),
                mail.last_error.as_deref().unwrap_or_default().into(),
            ]
        })
        .collect();
    let json = entries.iter().map(|mail| MailJson {
        id: mail.id.0,
        game: mail.content.game().map(|moment| moment.game.0),
        to: mail.player.as_ref().map(|player| player.name.clone()),
        address: mail.went_to().to_owned(),
        about: mail.content.kind().word(),
        ply: mail.content.game().map(|moment| moment.ply),
        state: mail.state.word(),
        tries: mail.tries,
        due: due(mail).map(json_time),
        error: mail.last_error.clone(),
    });
    Reply::new(&OutboxJson { mails: json.collect() })
        .table(Table { columns, rows }, "The outbox is empty.")
}

fn due(mail: &OutboxEntry) -> Option<DateTime<Utc>> {
    (mail.state == MailState::Queued).then_some(mail.due_at)
}
