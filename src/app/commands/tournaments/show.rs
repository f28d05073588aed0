use clap::{Args, Subcommand};

use crate::app::commands::tournaments::make::{self, NewTournament};
use crate::app::run::session::Reading;
use crate::app::views::tournament::Standing;
use crate::app::{Actor, Error, Heading, Reply, Session, Traits, UseCase, find};

/// Show a tournament: its table, its games and who has joined
#[derive(Debug, Clone, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
The host makes, starts and cancels them.

Example: tournament spring"
)]
pub struct Tournament {
    /// Its name
    #[arg(value_name = "TOURNAMENT")]
    name: Option<String>,
    #[command(subcommand)]
    action: Option<Action>,
}

/// What the host does with a tournament.
#[derive(Debug, Clone, Subcommand)]
enum Action {
    #[allow(missing_docs, reason = "clap takes the help from the arguments")]
    New(Box<NewTournament>),
    /// Start a tournament, or a season of a league, before its date or before its places are full
    #[command(after_help = "Example: outflank tournament start spring")]
    Start {
        /// Its name
        #[arg(value_name = "TOURNAMENT")]
        name: String,
    },
    /// Cancel a tournament that has not started, or end a league between two seasons
    #[command(after_help = "Example: outflank tournament cancel spring")]
    Cancel {
        /// Its name
        #[arg(value_name = "TOURNAMENT")]
        name: String,
    },
}

impl UseCase for Tournament {
    const TRAITS: Traits = Traits::new("tournament", Heading::Tournaments);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.action.is_some() && matches!(session.actor, Actor::Player(_)) {
            let error = Error::refused("only the host makes, starts and cancels tournaments");
            return Err(error.with_hint("see `outflank tournaments`"));
        }
        match (&self.action, &self.name) {
            (Some(Action::New(new)), _) => new.run(session),
            (Some(Action::Start { name }), _) => make::start(session, name),
            (Some(Action::Cancel { name }), _) => make::cancel(session, name),
            (None, None) => Err(Error::usage("`tournament` needs the name of a tournament")
                .with_hint("see `outflank tournaments`")),
            (None, Some(name)) => session.read(|Reading { db, actor, .. }| {
                let reader = find::actor(db, actor)?;
                let zone = reader.as_ref().map(|player| player.preferences.clock.zone);
                let standing = Standing::read(db, find::tournament(db, name)?)?;
                standing.reply(db, reader.map(|player| player.id), zone.unwrap_or_default())
            }),
        }
    }
}
