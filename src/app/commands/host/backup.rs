use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::app::{Error, Heading, Reply, Session, Traits, UseCase};
use crate::store::KeptCopies;

/// Copy the database, which may be in use, to a new file
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
With --keep, the copy gets the name of the database and the time, such as
outflank-2026-11-21T100000Z.db. Older copies with such names are removed.

Examples: outflank backup games-2026-11-21.db
          outflank backup --keep 7 /var/backups/outflank")]
pub struct Backup {
    /// The copy, which must not exist yet; with --keep, the folder for the copies
    #[arg(value_name = "FILE|DIR")]
    target: PathBuf,
    /// Make a dated copy in the folder, and keep only the newest N there
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    keep: Option<u16>,
}

impl UseCase for Backup {
    const TRAITS: Traits = Traits::new("backup", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let app = session.app()?;
        let (mark, now) = (app.env.rng.mark(), app.env.now());
        let Some(most) = self.keep else {
            app.store.backup(&self.target, &mark, now)?;
            let backup = self.target.display().to_string();
            let text = format!("The database is copied to {backup}.");
            return Ok(Reply::new(&json!({ "backup": backup })).text(text));
        };
        let kept = app.store.keep_copies(&self.target, usize::from(most), &mark, now)?;
        reply(&kept)
    }
}

fn reply(kept: &KeptCopies) -> Result<Reply, Error> {
    let display = |path: &Path| path.display().to_string();
    let backup = display(&kept.made);
    if let Some((path, reason)) = &kept.stuck {
        let old = display(path);
        let message = format!("the database is copied to {backup}, but {old} stays: {reason}");
        return Err(Error::fault(message).with_hint("remove it yourself"));
    }
    let removed: Vec<_> = kept.removed.iter().map(|path| display(path)).collect();
    let mut text = format!("The database is copied to {backup}.");
    match &removed[..] {
        [] => {}
        [one] => text += &format!(" {one} is removed."),
        many => text += &format!(" {} older copies are removed.", many.len()),
    }
    Ok(Reply::new(&json!({ "backup": backup, "removed": removed })).text(text))
}
