use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::app::{Error, Heading, Reply, Session, Traits, UseCase};
use crate::config::display_path;
use crate::store::Store;

/// Let a club that was handed over go on from its copy
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
If the copy got lost before anybody took it over, --back with the folder of
the old database lets the club go on where it was.

Example: outflank takeover club")]
pub struct Takeover {
    /// The folder with the database
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Go on with the database that was handed over, not with the copy
    #[arg(long)]
    back: bool,
}

impl UseCase for Takeover {
    const TRAITS: Traits = Traits::new("takeover", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let surroundings = session.front_end.surroundings()?;
        let file = self.folder.join(surroundings.database.file_name().unwrap_or_default());
        let store = Store::open(&file, false)?;
        store.must_exist()?;
        let shown = display_path(&file);
        match store.take_over(self.back)? {
            None => Err(Error::refused(format!("{shown} was not handed over; nothing is to be done"))),
            Some(handover) if handover.is_copy == self.back => Err(match self.back {
                true => Error::refused(format!("{shown} is the copy for {}", handover.to))
                    .with_hint("leave out --back"),
                false => Error::refused(format!("{shown} has moved to {}", handover.to)).with_hint(
                    "take the copy over there; if it got lost, type `outflank takeover --back` with this folder",
                ),
            }),
            Some(_) => Ok(Reply::new(&json!({ "takeover": shown }))
                .text(format!("The club goes on here, with {shown}."))),
        }
    }
}
