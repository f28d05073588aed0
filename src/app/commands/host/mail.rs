use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::app::run::session::Reading;
use crate::app::views::json::{array, json_time, merged, unless_empty};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::config::display_path;
use crate::store::{Db, FailedAlarm, MailId, OutboxEntry, QueuedJob};
use outflank_model::log::GameId;
use outflank_model::mail::MailState;
use outflank_model::words::joined;

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

/// A job, or housekeeping in a game, that failed and will be tried again.
struct FailedWork {
    work: &'static str,
    game: GameId,
    due_at: DateTime<Utc>,
    error: String,
}

impl UseCase for Mail {
    const TRAITS: Traits = Traits::new("mail", Heading::Host);

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
    Ok(Reply::new(&json!({ "adopted": changed })).text(text))
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
    let table = Table::of(
        entries,
        &[
            (Column::Number("Mail"), &|mail| mail.id.into()),
            (Column::Number("Game"), &|mail| Entry::of(number(mail))),
            (Column::Prose("To"), &|mail| mail.recipient().into()),
            (Column::Text("About"), &|mail| mail.content.kind.word().into()),
            (Column::Number("Move"), &|mail| Entry::of(mail.content.game.map(|it| it.ply))),
            (Column::Text("State"), &|mail| mail.state.word().into()),
            (Column::Number("Tries"), &|mail| mail.tries.into()),
            (Column::Prose("Next try"), &|mail| due(mail).map_or(Entry::NONE, Entry::Time)),
            (Column::Prose("Last error"), &|mail| Entry::of(mail.last_error.as_ref())),
        ],
    );
    let mails = entries.iter().map(|mail| {
        json!({
            "id": mail.id.0,
            "game": number(mail).map(|id| id.0),
            "to": mail.player.as_ref().map(|player| &player.name),
            "address": mail.went_to(),
            "about": mail.content.kind.word(),
            "ply": mail.content.game.map(|moment| moment.ply),
            "state": mail.state.word(),
            "tries": mail.tries,
            "due": due(mail).map(json_time),
            "error": mail.last_error,
        })
    });
    let failed_work = failed.iter().map(|FailedWork { work, game, due_at, error }| {
        json!({ "work": work, "game": game.0, "due": json_time(*due_at), "error": error })
    });
    let failed_work = unless_empty("failed_work", failed_work.collect());
    let json = merged([json!({ "mails": array(mails) }), failed_work]);
    Reply::new(&json).table(table, "The outbox is empty.").table(work_table(failed), "")
}

/// Returns the number of the game or challenge that a mail is about.
fn number(mail: &OutboxEntry) -> Option<GameId> {
    mail.content.game.map(|moment| moment.game).or(mail.content.challenge)
}

fn work_table(failed: &[FailedWork]) -> Table {
    Table::of(
        failed,
        &[
            (Column::Text("Failed work"), &|failed| failed.work.into()),
            (Column::Number("Game"), &|failed| failed.game.into()),
            (Column::Prose("Next try"), &|failed| Entry::Time(failed.due_at)),
            (Column::Prose("Last error"), &|failed| (&failed.error).into()),
        ],
    )
}

fn due(mail: &OutboxEntry) -> Option<DateTime<Utc>> {
    (mail.state == MailState::Queued).then_some(mail.due_at)
}
