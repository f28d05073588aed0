use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Reply, Session, UseCase, find, one_line};
use crate::config::display_path;
use crate::log::GameId;
use crate::store::{Db, FailedAlarm, MailId, MailState, OutboxEntry, QueuedJob};
use crate::words::joined;

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
    /// Let this configuration be the club's from now on
    #[command(after_help = "\
The first `send` with a configuration records it as the club's. Later, a process
with another one leaves the mail alone. Processes that run keep the one that they
have read: start them again.

Example: outflank --config /etc/outflank.toml mail adopt")]
    Adopt,
}

/// The most sent and failed mails that are listed.
const MAX_SETTLED: u32 = 20;
/// The most jobs, and the most games, that are searched for failures.
const MAX_WORK: u32 = 100;

#[derive(Serialize)]
struct OutboxJson {
    mails: Vec<MailJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed_work: Vec<WorkJson>,
}

#[derive(Serialize)]
struct AdoptedJson {
    adopted: Vec<&'static str>,
}

#[derive(Serialize)]
struct WorkJson {
    work: &'static str,
    game: i64,
    due: String,
    error: String,
}

/// A job, or housekeeping in a game, that failed and will be tried again.
struct FailedWork {
    work: &'static str,
    game: GameId,
    due_at: DateTime<Utc>,
    error: String,
}

#[derive(Serialize)]
struct MailJson {
    id: i64,
    game: Option<i64>,
    to: Option<String>,
    address: Option<String>,
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
            (Some(MailAction::Retry { .. }), Some(_)) => {
                Err(Error::usage("`mail retry ID` takes no game; the mail's number is enough"))
            }
            (Some(MailAction::Adopt), Some(_)) => Err(Error::usage("`mail adopt` takes no game")),
            (Some(MailAction::Retry { id }), None) => retry(session, *id),
            (Some(MailAction::Adopt), None) => adopt(session),
            (None, game) => session.read(|Reading { db, .. }| {
                let entries = match game {
                    Some(id) if db.challenge(id)?.is_none() => {
                        db.outbox_of(find::game(db, id)?.id)?
                    }
                    Some(id) => db.outbox_of(id)?,
                    None => db.recent_outbox(MAX_SETTLED)?,
                };
                Ok(list(&entries, &failed_work(db, game)?))
            }),
        }
    }
}

fn adopt(session: &mut Session) -> Result<Reply, Error> {
    let app = session.app()?;
    let changed = app.adopt_club()?;
    let file = app.env.config.file.as_deref().map(display_path).unwrap_or_default();
    let text = match &changed[..] {
        [] => format!("{file} is the configuration of the club already."),
        changed => format!(
            "{file} is the configuration of the club from now on, with its own {}. Start services that \
             run again.",
            joined(changed, "and")
        ),
    };
    Ok(Reply::new(&AdoptedJson { adopted: changed }).text(text))
}

fn retry(session: &mut Session, id: MailId) -> Result<Reply, Error> {
    let app = session.app()?;
    app.check_club()?;
    let request = app.env.request("", None);
    app.store.write(|tx| match tx.outbox_entry(id)? {
        None => {
            Err(Error::refused(format!("there is no mail {id}")).with_hint("see `outflank mail`"))
        }
        Some(OutboxEntry { state: state @ (MailState::Sent | MailState::Superseded), .. }) => {
            Err(Error::refused(format!("mail {id} is already {}", state.word()))
                .with_hint("see `outflank mail`"))
        }
        Some(_) if tx.requeue_mail(&request, id)? => Ok(()),
        Some(_) => Err(Error::refused(format!("mail {id} is being sent right now"))
            .with_hint("look again with `outflank mail` in a minute")),
    })?;
    app.deliver_one(id, None)?;
    let entry = app.store.read(|db| db.outbox_entry(id))?;
    Ok(list(entry.as_slice(), &[]))
}

/// Returns the jobs and the housekeeping that failed: of a game or of all.
fn failed_work(db: &Db, game: Option<GameId>) -> Result<Vec<FailedWork>, Error> {
    let jobs = db.queued_jobs(MAX_WORK)?.into_iter().filter_map(|job| {
        let QueuedJob { kind, game, due_at, last_error, .. } = job;
        Some(FailedWork { work: kind.word(), game, due_at, error: last_error? })
    });
    let alarms = db.failed_alarms(MAX_WORK)?.into_iter().map(|alarm| {
        let FailedAlarm { game, due_at, error } = alarm;
        FailedWork { work: "deadline", game, due_at, error }
    });
    let is_asked = |work: &FailedWork| game.is_none_or(|game| work.game == game);
    Ok(jobs.chain(alarms).filter(is_asked).collect())
}

fn list(entries: &[OutboxEntry], failed: &[FailedWork]) -> Reply {
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
                number(mail).map_or(Entry::NONE, Entry::from),
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
        game: number(mail).map(|id| id.0),
        to: mail.player.as_ref().map(|player| player.name.clone()),
        address: mail.went_to().map(str::to_owned),
        about: mail.content.kind().word(),
        ply: mail.content.game().map(|moment| moment.ply),
        state: mail.state.word(),
        tries: mail.tries,
        due: due(mail).map(json_time),
        error: mail.last_error.clone(),
    });
    let failed_work = failed.iter().map(|failed| WorkJson {
        work: failed.work,
        game: failed.game.0,
        due: json_time(failed.due_at),
        error: failed.error.clone(),
    });
    let json = OutboxJson { mails: json.collect(), failed_work: failed_work.collect() };
    let reply = Reply::new(&json).table(Table { columns, rows }, "The outbox is empty.");
    if failed.is_empty() { reply } else { reply.table(work_table(failed), "") }
}

/// Returns the number of the game or challenge that a mail is about.
fn number(mail: &OutboxEntry) -> Option<GameId> {
    mail.content.game().map(|moment| moment.game).or(mail.content.challenge())
}

fn work_table(failed: &[FailedWork]) -> Table {
    let columns = vec![
        Column::Text("Failed work"),
        Column::Number("Game"),
        Column::Prose("Next try"),
        Column::Prose("Last error"),
    ];
    let row = |failed: &FailedWork| {
        let error = one_line(&failed.error);
        vec![failed.work.into(), failed.game.into(), Entry::Time(failed.due_at), error.into()]
    };
    Table { columns, rows: failed.iter().map(row).collect() }
}

fn due(mail: &OutboxEntry) -> Option<DateTime<Utc>> {
    (mail.state == MailState::Queued).then_some(mail.due_at)
}
