use clap::Args;
use serde_json::json;

use crate::app::commands::tournaments::house;
use crate::app::views::json::merged;
use crate::app::views::tournament::{Standing, summary_to_json};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use outflank_model::tournament::TournamentState;
use outflank_model::words::list_of_games;

/// Leave a tournament: resigns your games in it
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Before the start, nothing is lost by it. Later, your games in it are
resigned, and those that have not begun are lost.

Example: withdraw spring")]
pub struct Withdraw {
    /// Its name
    #[arg(value_name = "TOURNAMENT")]
    name: String,
}

impl UseCase for Withdraw {
    const TRAITS: Traits = Traits {
        is_suggested: false,
        ..Traits::new("withdraw", Heading::Tournaments).by("who withdraws")
    };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|writing| {
            let player = find::acting(writing.tx, writing.actor)?;
            let tournament = find::tournament(writing.tx, &self.name)?;
            let standing = Standing::read(writing.tx, tournament)?;
            let name = &standing.tournament.plan.name;
            let Some(number) = standing.number_of(player.id) else {
                let error = Error::refused(format!("you have not joined {name}"));
                return Err(error.with_hint(format!("see `outflank tournament {name}`")));
            };
            let state = standing.tournament.state;
            let is_out = standing.entrants[number].withdrawn.is_some();
            if matches!(state, TournamentState::Finished | TournamentState::Cancelled) {
                return Err(Error::refused(format!("{name} is {state} already")));
            }
            if is_out {
                return Err(Error::refused(format!("you have withdrawn from {name} already")));
            }
            if state == TournamentState::Running && !standing.has_open_games(number) {
                return Err(Error::refused(format!("all your games in {name} are over"))
                    .with_hint("there is nothing to withdraw from"));
            }
            let resigned = house::withdraw(writing, &standing, number)?;
            let resigned: Vec<_> = resigned.iter().map(|id| id.0).collect();
            let withdrawn = format!("You have withdrawn from {name}.");
            let text = [withdrawn].into_iter().chain(list_of_games("Resigned", &resigned));
            let text = text.collect::<Vec<_>>().join(" ");
            let numbers = json!({ "resigned": resigned });
            Ok(Reply::new(&merged([summary_to_json(&standing.tournament), numbers])).text(text))
        })
    }
}
