use clap::Args;
use serde_json::json;

use crate::app::effects::due::Hold;
use crate::app::effects::outbox::Cause;
use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::NewOutboxEntry;
use outflank_model::mail::{MailContent, MessageKind};

/// Get a mail with the link to your own web page: games, challenges and settings
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The link goes to your own address only, and is valid for 30 days.

Example: page")]
pub struct OwnPage {}

impl UseCase for OwnPage {
    const TRAITS: Traits = Traits::new("page", Heading::Settings).by("whose page it is");

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|Writing { tx, env, actor, outbox, mail }| {
            if env.config.web.url.is_none() {
                let error = Error::refused("this club has no web pages");
                let hint = format!("{} can set `url` in [web] of the configuration", env.host());
                return Err(error.with_hint(hint));
            }
            let player = find::acting(tx, actor)?;
            find::refuse_without_address(&player, "the link to a page comes by mail only")?;
            let entry = NewOutboxEntry {
                in_reply_to: *mail,
                ..NewOutboxEntry::to(&player, MailContent::of(MessageKind::OwnPage))
            };
            let mailed = outbox.add_held(&entry, Cause::COMMAND, Hold::Immediate)?.is_some();
            let json = json!({ "player": player.name, "mailed": mailed });
            Ok(Reply::new(&json).text(match mailed {
                true => format!("{} gets the link to a page by mail.", player.name),
                false => format!("{} has had too many mails in this hour.", player.name),
            }))
        })
    }
}
