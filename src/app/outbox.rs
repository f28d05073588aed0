use clap::{Args, Subcommand};
use serde::Serialize;

use super::reply::json_time;
use super::table::{Column, Entry, Table};
use super::{Actor, Error, Reply, Session, UseCase, look_up};
use crate::game::GameId;
use crate::store::{Mail as Mailed, MailId, MailState};

/// List the outbox: what was not sent, and the last mails that were
#[derive(Debug, Clone, Args)]
pub struct Mail {
    /// Only the mails of this game, all of them
    game: Option<GameId>,
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// Try a mail again now
    Retry {
        /// The number of the mail
        #[arg(value_name = "ID")]
        id: MailId,
    },
}

/// How many of the mails that are done with are listed.
const DONE: u32 = 20;

#[derive(Serialize)]
struct Json {
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
    fn check(&self, _actor: &Actor) -> Result<(), Error> {
        match (self.game, &self.action) {
            (Some(_), Some(_)) => Err(Error::RetryInGame),
            _ => Ok(()),
        }
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match self.action {
            Some(Action::Retry { id }) => retry(session, id),
            None => {
                let mails = session.app.store.read(|db| match self.game {
                    Some(id) => Ok::<_, Error>(db.mails_of(look_up::game(db, id)?.id)?),
                    None => Ok(db.recent_mails(DONE)?),
                })?;
                Ok(list(&mails))
            }
        }
    }
}

fn retry(session: &mut Session, id: MailId) -> Result<Reply, Error> {
    let app = session.app;
    let now = app.now();
    app.store.write(|db| match db.mail(id)?.ok_or(Error::NoMail(id))? {
        Mailed { state: state @ (MailState::Sent | MailState::Superseded), .. } => {
            Err(Error::MailDone { id, state })
        }
        _ if db.requeue_mail(id, now)? => Ok(()),
        _ => Err(Error::MailInHand(id)),
    })?;
    app.deliver_one(id)?;
    let mail = app.store.read(|db| db.mail(id))?;
    Ok(list(mail.as_slice()))
}

fn list(mails: &[Mailed]) -> Reply {
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
    let rows = mails
        .iter()
        .map(|mail| {
            vec![
                mail.id.into(),
                mail.game.map_or(Entry::NONE, |(game, _)| game.into()),
                mail.recipient().into(),
                mail.event.word().into(),
                mail.game.map_or(Entry::NONE, |(_, ply)| ply.into()),
                mail.state.word().into(),
                mail.tries.into(),
                due(mail).map_or(Entry::NONE, Entry::Time),
                mail.last_error.as_deref().unwrap_or_default().into(),
            ]
        })
        .collect();
    let json = mails.iter().map(|mail| MailJson {
        id: mail.id.0,
        game: mail.game.map(|(game, _)| game.0),
        to: mail.player.as_ref().map(|player| player.name.clone()),
        address: mail.went_to().to_owned(),
        about: mail.event.word(),
        ply: mail.game.map(|(_, ply)| ply),
        state: mail.state.word(),
        tries: mail.tries,
        due: due(mail).map(json_time),
        error: mail.last_error.clone(),
    });
    Reply::new(&Json { mails: json.collect() })
        .table(Table { columns, rows }, "The outbox is empty.")
}

fn due(mail: &Mailed) -> Option<chrono::DateTime<chrono::Utc>> {
    (mail.state == MailState::Queued).then_some(mail.due_at)
}
