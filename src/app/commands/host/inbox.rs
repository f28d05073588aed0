use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};
use serde_json::{Value, json};

use crate::app::receive::inbound::Disposition;
use crate::app::receive::quarantine::kept_of;
use crate::app::views::json::{array, json_time};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{App, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::PlayerRef;
use crate::config;
use crate::store::{Db, MAX_RECEIVED, Quarantined, Received, ReceivedFilter};

/// Show what happened to incoming mail
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
What happened to each mail is kept for 30 days, for 10,000 mails at most.

Example: outflank inbox --last 20")]
pub struct Inbox {
    /// List the last mails instead, the latest first
    #[arg(long, value_name = "COUNT", value_parser = value_parser!(u32).range(1..=MAX_RECEIVED))]
    last: Option<u32>,
    /// Only mails of this player
    #[arg(long, value_name = "NAME")]
    player: Option<PlayerRef>,
    /// Only mails with this disposition
    #[arg(long, value_parser = PossibleValuesParser::new(Disposition::WORDS))]
    disposition: Option<String>,
}

/// How many mails are listed if only a player or a disposition is given.
const DEFAULT_LAST: u32 = 20;

impl UseCase for Inbox {
    const TRAITS: Traits = Traits::new("inbox", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        app.check_database()?;
        if self.last.is_some() || self.player.is_some() || self.disposition.is_some() {
            return self.last(app);
        }
        let counts = app.store.read(|db| db.intake())?;
        let quarantined = app.quarantined()?;
        let players = app.store.read(|db| {
            let players = quarantined.iter().map(|mail| name_at(db, mail.sender.as_deref()));
            players.collect::<Result<Vec<_>, Error>>()
        })?;
        let dispositions = Table::of(
            &counts,
            &[
                (Column::Text("Disposition"), &|row| (&row.disposition).into()),
                (Column::Number("Mails"), &|row| row.mails.into()),
                (Column::Prose("Last one"), &|row| Entry::Time(row.last_at)),
            ],
        );
        let folder = app.quarantine_folder();
        let text =
            format!("Mail that cannot be processed is kept in {}", config::display_path(&folder));
        let mails = counts.iter().map(|row| {
            let last = json_time(row.last_at);
            json!({ "disposition": row.disposition, "mails": row.mails, "last": last })
        });
        let json = json!({
            "mails": array(mails),
            "quarantine": folder.display().to_string(),
            "quarantined": array(quarantined.iter().zip(&players).map(to_json)),
        });
        let reply = Reply::new(&json).table(dispositions, "No mail has come in.");
        Ok(reply.text(text).table(list(&quarantined, &players), ""))
    }
}

impl Inbox {
    /// Lists the last mails with their dispositions.
    fn last(&self, app: &App) -> Result<Reply, Error> {
        let now = app.env.now();
        let mails = app.store.read(|db| {
            let player = self.player.as_ref().map(|name| find::player(db, name)).transpose()?;
            let player = player.map(|player| player.id);
            let filter = ReceivedFilter { player, disposition: self.disposition.as_deref() };
            let received = db.received(filter, self.last.unwrap_or(DEFAULT_LAST), now)?;
            let with_player = |mail: Received| {
                let player = mail.player.map(|id| db.player(id)).transpose()?;
                let sender = name_at(db, mail.sender.as_deref())?;
                Ok(Listed { player: player.map(|player| player.name), sender, mail })
            };
            received.into_iter().map(with_player).collect::<Result<Vec<_>, Error>>()
        })?;
        let table = Table::of(
            &mails,
            &[
                (Column::Prose("Came"), &|it| Entry::Time(it.mail.at)),
                (Column::Prose("From"), &|it| it.from().unwrap_or("nobody").into()),
                (Column::Prose("Understood"), &|it| it.mail.understood.join(", ").into()),
                (Column::Prose("Disposition"), &|it| (&it.mail.disposition).into()),
                (Column::Prose("Why"), &|it| (&it.mail.why).into()),
            ],
        );
        let json = mails.iter().map(|Listed { player, sender, mail }| {
            json!({
                "at": json_time(mail.at),
                "player": player,
                "from": sender.as_ref().or(mail.sender.as_ref()),
                "understood": mail.understood,
                "disposition": mail.disposition,
                "why": Some(&mail.why).filter(|why| !why.is_empty()),
            })
        });
        Ok(Reply::list("mails", json).table(table, "No such mail is recorded."))
    }
}

/// Returns the name of the player with this address, if there is one.
fn name_at(db: &Db, address: Option<&str>) -> Result<Option<String>, Error> {
    let player = address.map(|address| db.player_at(address)).transpose()?.flatten();
    Ok(player.map(|player| player.name))
}

/// An incoming mail with the names of players.
struct Listed {
    /// The owner of the mail or reply token, or the recipient of the mail that bounced.
    player: Option<String>,
    /// The player with the sender's address, if that is another one.
    sender: Option<String>,
    mail: Received,
}

impl Listed {
    /// Returns who sent it: a player, or an address.
    fn from(&self) -> Option<&str> {
        let sender = self.sender.as_deref().or(self.mail.sender.as_deref());
        let is_own = self.mail.disposition != Disposition::Bounce.base_word();
        sender.or(self.player.as_deref().filter(|_| is_own))
    }
}

/// Lists the mails in the quarantine. `players` are their senders, where these are known.
fn list(quarantined: &[Quarantined], players: &[Option<String>]) -> Table {
    Table::of(
        quarantined.iter().zip(players),
        &[
            (Column::Prose("Came"), &|(mail, _)| Entry::Time(mail.came_at)),
            (Column::Prose("From"), &|(mail, player)| {
                player.as_ref().or(mail.sender.as_ref()).map_or("nobody", String::as_str).into()
            }),
            (Column::Prose("Subject"), &|(mail, _)| {
                Entry::of(mail.subject.as_ref().or(mail.message_id.as_ref()))
            }),
            (Column::Prose("Why"), &|(mail, _)| (&mail.reason).into()),
            (Column::Number("Bytes"), &|(mail, _)| mail.bytes.into()),
            (Column::Text("File"), &|(mail, _)| (&mail.file).into()),
        ],
    )
}

fn to_json((mail, player): (&Quarantined, &Option<String>)) -> Value {
    json!({
        "file": mail.file,
        "reason": mail.reason,
        "player": player,
        "from": mail.sender,
        "subject": mail.subject,
        "message_id": mail.message_id,
        "date": mail.date,
        "bytes": mail.bytes,
        "kept": kept_of(mail.bytes),
        "came": json_time(mail.came_at),
    })
}
