use clap::Args;
use serde::Serialize;

use super::{Error, Reply, Session, UseCase};

/// Explain a command
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: help move")]
pub struct Help {
    /// The command, such as move
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Serialize)]
struct HelpJson<'a> {
    help: &'a str,
}

impl UseCase for Help {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let mut program = (session.front_end.program)();
        program.build();
        let mut command = &mut program;
        for word in &self.command {
            command = command.find_subcommand_mut(word).ok_or_else(|| {
                let message = format!("there is no command \"{}\"", self.command.join(" "));
                Error::usage(message).with_hint("`outflank help` lists the commands")
            })?;
        }
        let long = command.get_long_about().is_some();
        let help = if long { command.render_long_help() } else { command.render_help() };
        let help = help.to_string();
        let help = help.trim_end();
        Ok(Reply::new(&HelpJson { help }).text(help))
    }
}
