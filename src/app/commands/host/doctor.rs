use clap::Args;

use crate::app::{Error, Reply, Session, UseCase, doctor};

/// Check files, settings, database and mail, and say what to do
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Each line begins with ok, warning or wrong. The exit status is 0, 1 if there
are warnings, and 3 if something is wrong. Nothing is changed or sent.

Example: outflank doctor")]
pub struct Doctor {}

impl UseCase for Doctor {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let surroundings = (session.front_end.shell()?.surroundings)()?;
        Ok(doctor::reply(&doctor::examine(&surroundings)))
    }
}
