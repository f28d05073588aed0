use clap::Args;

use super::{Error, Reply, Session, UseCase};

/// Tell more about a command
#[derive(Debug, Clone, Args)]
pub struct Help {
    /// The command
    command: Option<String>,
}

impl UseCase for Help {
    fn at_once(&self, program: fn() -> clap::Command) -> Option<Result<Reply, Error>> {
        Some(self.text(program()).map(|text| Reply::saying(&text)))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        self.text((session.door.program)()).map(|text| Reply::saying(&text))
    }
}

impl Help {
    /// The help of the command, or of all.
    fn text(&self, mut program: clap::Command) -> Result<String, Error> {
        program.build();
        let told = match &self.command {
            Some(name) => {
                let found = program.find_subcommand_mut(name);
                found.ok_or_else(|| Error::NoCommand(name.clone()))?
            }
            None => &mut program,
        };
        let long = told.get_long_about().is_some();
        let text = if long { told.render_long_help() } else { told.render_help() };
        Ok(text.to_string().trim_end().to_owned())
    }
}
