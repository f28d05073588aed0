use clap::Args;

use crate::app::run::session::Writing;
use crate::app::views::tournament::summary_to_json;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::Db;
use outflank_model::rating::{List, Rating};
use outflank_model::tournament::{Format, Plan, Tournament, TournamentState};
use outflank_model::{Player, PlayerId};

/// Join a tournament that has not started, or the next season of a league
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: join spring")]
pub struct Join {
    /// Its name
    #[arg(value_name = "TOURNAMENT")]
    name: String,
}

impl UseCase for Join {
    const TRAITS: Traits =
        Traits { on_own_page: true, ..Traits::new("join", Heading::Tournaments).by("who joins") };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        session.write(|writing| {
            let player = find::acting(writing.tx, writing.actor)?;
            let tournament = find::tournament(writing.tx, &self.name)?;
            check(writing.tx, &tournament, &player)?;
            let Writing { tx, env, .. } = *writing;
            let season = tournament.season + 1;
            tx.add_entrant(tournament.id, season, player.id, env.now())?;
            let (name, places) = (&tournament.plan.name, tournament.plan.places);
            let joined = tx.count_entrants(tournament.id, season)?;
            let zone = player.preferences.clock.zone;
            let when = if tournament.state == TournamentState::Running {
                format!("You play in season {season}, which starts a week after this one ends.")
            } else if joined == places && tournament.season == 0 {
                tx.wake_tournament(tournament.id)?;
                "It is full now and starts at once.".to_owned()
            } else if let Some(at) = tournament.plan.starts_at {
                format!("It starts on {}.", zone.shown(at))
            } else {
                format!("It starts when {places} players have joined, or earlier by the host.")
            };
            let text = format!("You joined {name}, as number {joined}. {when}");
            Ok(Reply::new(&summary_to_json(&tournament)).text(text))
        })
    }
}

/// Refuses a player who cannot join.
pub(crate) fn check(db: &Db, tournament: &Tournament, player: &Player) -> Result<(), Error> {
    let name = &tournament.plan.name;
    let see = format!("see `outflank tournament {name}`");
    let is_open = match tournament.state {
        TournamentState::Open => true,
        TournamentState::Running => tournament.plan.format == Format::League,
        TournamentState::Finished | TournamentState::Cancelled => false,
    };
    if !is_open {
        let error = Error::refused(format!("{name} is {}; nobody can join it", tournament.state));
        return Err(error.with_hint("see `outflank tournaments`"));
    }
    find::refuse_without_address(player, "the host can give one with `outflank address`")?;
    let season = tournament.season + 1;
    if db.is_entrant(tournament.id, season, player.id)? {
        return Err(Error::refused(format!("you have joined {name} already")).with_hint(see));
    }
    if db.count_entrants(tournament.id, season)? >= tournament.plan.places {
        return Err(Error::refused(format!("{name} is full")).with_hint(see));
    }
    let Some([lowest, highest]) = tournament.plan.ratings else { return Ok(()) };
    let rating = rating_for(db, &tournament.plan, player.id)?;
    if (i64::from(lowest)..=i64::from(highest)).contains(&rating) {
        return Ok(());
    }
    let message =
        format!("{name} is for ratings from {lowest} to {highest}, and yours is {rating}");
    Err(Error::refused(message).with_hint("see `outflank tournaments`"))
}

/// Returns a player's rating for the games of a tournament; without one, that of a new player.
pub(super) fn rating_for(db: &Db, plan: &Plan, player: PlayerId) -> Result<i64, Error> {
    let list = List::of(plan.start.rules());
    Ok(db.rating(list, player, None)?.map_or(Rating::FIRST, |it| it.rounded()).into())
}
