use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::json;

use crate::app::commands::tournaments::house;
use crate::app::views::json::merged;
use crate::app::views::tournament::{Standing, summary_to_json};
use crate::app::{Error, Heading, Known, Reply, Session, Shown, Traits, UseCase, find};
use outflank_model::tournament::{Tournament, TournamentState};
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
    /// When the mail was made that it answers, if that is known
    #[arg(skip)]
    made_at: Option<DateTime<Utc>>,
}

impl UseCase for Withdraw {
    const TRAITS: Traits = Traits {
        is_suggested: false,
        ..Traits::new("withdraw", Heading::Tournaments).by("who withdraws")
    };

    fn bind(&mut self, to: Shown) {
        if let Some(Known::Before(made_at)) = to.known() {
            self.made_at = Some(made_at);
        }
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|writing| {
            let player = find::acting(writing.tx, writing.actor)?;
            let tournament = find::tournament(writing.tx, &self.name)?;
            let standing = Standing::read(writing.tx, tournament)?;
            let Tournament { ref plan, state, season, .. } = standing.tournament;
            let name = &plan.name;
            let seat = standing.seat_of(player.id);
            let is_next = standing.has_joined(player.id);
            if seat.is_none() && !is_next {
                let error = Error::refused(format!("you have not joined {name}"));
                return Err(error.with_hint(format!("see `outflank tournament {name}`")));
            }
            if matches!(state, TournamentState::Finished | TournamentState::Cancelled) {
                return Err(Error::refused(format!("{name} is {state} already")));
            }
            let is_out = seat.is_some_and(|(it, number)| it.entrants[number].withdrawn.is_some());
            if is_out && !is_next {
                return Err(Error::refused(format!("you have withdrawn from {name} already")));
            }
            let is_playing = state == TournamentState::Running
                && seat.is_some_and(|(group, number)| !is_out && group.is_playing(number));
            if !is_playing && !is_next {
                return Err(Error::refused(format!("all your games in {name} are over"))
                    .with_hint("there is nothing to withdraw from"));
            }
            let has_begun_since =
                |made_at| standing.tournament.began_at.is_some_and(|at| at > made_at);
            if is_playing && self.made_at.is_some_and(has_begun_since) {
                let message = format!("{name} has started since the mail that you replied to");
                let hint =
                    format!("to resign your games, reply to this mail with `withdraw {name}`");
                return Err(Error::refused(message).with_hint(hint));
            }
            let resigned = house::withdraw(writing, &standing, player.id)?;
            let resigned: Vec<_> = resigned.iter().map(|id| id.0).collect();
            let withdrawn = if season > 0 && !is_playing {
                format!("You will not play in season {} of {name}.", season + 1)
            } else {
                format!("You have withdrawn from {name}.")
            };
            let text = [withdrawn].into_iter().chain(list_of_games("Resigned", &resigned));
            let text = text.collect::<Vec<_>>().join(" ");
            let numbers = json!({ "resigned": resigned });
            Ok(Reply::new(&merged([summary_to_json(&standing.tournament), numbers])).text(text))
        })
    }
}
