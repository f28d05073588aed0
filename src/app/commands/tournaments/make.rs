//! What the host does: makes tournaments, starts them and cancels them.

use std::str::FromStr;

use chrono::{DateTime, Local, NaiveDate, NaiveTime, TimeZone, Utc};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::app::commands::play::options::GameOptions;
use crate::app::commands::time::away::date;
use crate::app::commands::tournaments::{house, mails};
use crate::app::run::session::Writing;
use crate::app::views::tournament::{Standing, summary_to_json};
use crate::app::{Error, Reply, Session, find};
use crate::command::Name;
use outflank_model::time_control::TimeZone as Zone;
use outflank_model::tournament::{Format, Plan, Tournament, TournamentState};
use outflank_model::words::counted;

/// Make a tournament that players can join
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Without --clock, each player has 10 days and 1 more for each move. A player
whose time is over loses.

Example: outflank tournament new spring othello --starts 2027-03-20")]
pub struct NewTournament {
    /// Its name
    #[arg(value_name = "TOURNAMENT")]
    name: Name,
    /// The variant
    variant: String,
    /// Who meets whom: round-robin [default: round-robin]
    #[arg(long, value_name = "FORMAT", default_value = "round-robin", hide_default_value = true)]
    #[arg(hide_possible_values = true, value_parser = format())]
    format: Format,
    /// Let each two players meet twice, with either colour
    #[arg(long)]
    double: bool,
    /// The most players: 3 to 16 [default: 16]
    #[arg(long, value_name = "N", default_value_t = Plan::MAX_PLAYERS, hide_default_value = true)]
    places: usize,
    /// Only players with such a rating may join; a player without one counts as 1500
    #[arg(long, value_name = "LOW-HIGH")]
    rated_between: Option<Ratings>,
    /// The day on which it starts, such as 2027-03-20. Without it, it starts when its places are full or
    /// when you start it
    #[arg(long, value_name = "DATE", value_parser = date)]
    starts: Option<NaiveDate>,
    #[command(flatten)]
    options: GameOptions,
    /// Do not count the results for the players' ratings
    #[arg(long)]
    unrated: bool,
}

fn format() -> impl TypedValueParser<Value = Format> {
    let words = Format::ALL.iter().map(|format| format.word());
    PossibleValuesParser::new(words).try_map(|word| word.parse())
}

/// The lowest and the highest rating of those who may join.
#[derive(Debug, Clone, Copy)]
struct Ratings([u32; 2]);

impl FromStr for Ratings {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('-');
        let parsed = parts.and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?]));
        match parsed {
            Some([low, high]) if low <= high => Ok(Self([low, high])),
            _ => Err("--rated-between needs two ratings, the lower one first, such as 1400-1800"),
        }
    }
}

/// Words that cannot be names, since they stand in the same place.
const NO_NAMES: [&str; 3] = ["new", "start", "cancel"];

impl NewTournament {
    pub(super) fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let variant = find::variant(&self.variant)?;
        let beginning = self.options.of_tournament(session, variant)?;
        if beginning.game.turn().is_none() {
            return Err(Error::refused("these games would be over at their start")
                .with_hint("leave out the last move"));
        }
        let mut agreement = beginning.agreement;
        agreement.custom_start |= !beginning.game.plies().is_empty();
        agreement.rated = !self.unrated && !agreement.custom_start;
        let plan = Plan {
            name: self.name.to_string(),
            format: self.format,
            is_double: self.double,
            places: self.places,
            ratings: self.rated_between.map(|Ratings(ratings)| ratings),
            agreement,
            start: beginning.game.position().clone(),
            starts_at: self.starts.map(midnight).transpose()?,
        };
        session.write_or_create(|writing| {
            self.check(writing, &plan)?;
            let Writing { tx, env, .. } = *writing;
            let id = tx.add_tournament(&plan, &env.rng.mark(), env.now())?;
            let standing = Standing::read(tx, tx.tournament(id)?)?;
            let how = format!("Players join with `join {}`.", plan.name);
            Ok(standing.reply(None, Zone::default()).text(how))
        })
    }

    fn check(&self, writing: &Writing, plan: &Plan) -> Result<(), Error> {
        let name = self.name.as_str();
        if NO_NAMES.iter().any(|word| word.eq_ignore_ascii_case(name)) {
            return Err(Error::refused(format!("\"{name}\" is not a name; choose another one")));
        }
        if writing.tx.tournament_named(name)?.is_some() {
            let error = Error::refused(format!("there is a tournament {name} already"));
            return Err(error.with_hint("choose another name"));
        }
        if !(Plan::MIN_PLAYERS..=Plan::MAX_PLAYERS).contains(&plan.places) {
            let (format, min, max) = (plan.format.title(), Plan::MIN_PLAYERS, Plan::MAX_PLAYERS);
            let message = format!("a {format} has {min} to {max} players");
            return Err(Error::refused(message).with_hint("change --places"));
        }
        if plan.starts_at.is_some_and(|at| at <= writing.env.now()) {
            let error = Error::refused("the tournament would start in the past");
            return Err(error.with_hint("give a later day with --starts"));
        }
        Ok(())
    }
}

/// Returns when a day begins in the zone of this machine.
fn midnight(day: NaiveDate) -> Result<DateTime<Utc>, Error> {
    let begins = Local.from_local_datetime(&day.and_time(NaiveTime::MIN)).earliest();
    let begins = begins.or_else(|| {
        // The clocks go forward at midnight.
        let one = NaiveTime::from_hms_opt(1, 0, 0)?;
        Local.from_local_datetime(&day.and_time(one)).earliest()
    });
    begins.map(|it| it.to_utc()).ok_or_else(|| Error::refused(format!("{day} has no beginning")))
}

/// Starts a tournament.
pub(super) fn start(session: &mut Session, name: &str) -> Result<Reply, Error> {
    session.write(|writing| {
        let tournament = open(writing, name)?;
        let standing = Standing::read(writing.tx, tournament)?;
        let (players, name) = (standing.entrants.len(), &standing.tournament.plan.name);
        if players < Plan::MIN_PLAYERS {
            let (joined, min) = (counted(players, "player"), Plan::MIN_PLAYERS);
            let message = format!("{name} has {joined}; it needs {min}");
            return Err(
                Error::refused(message).with_hint(format!("players join with `join {name}`"))
            );
        }
        house::start(writing, &standing)?;
        let text = format!("{name} has started. `outflank send` begins its games.");
        let started = writing.tx.tournament(standing.tournament.id)?;
        Ok(Reply::new(&summary_to_json(&started)).text(text))
    })
}

/// Cancels a tournament that has not started.
pub(super) fn cancel(session: &mut Session, name: &str) -> Result<Reply, Error> {
    session.write(|writing| {
        let tournament = open(writing, name)?;
        let name = tournament.plan.name.clone();
        mails::cancelled(writing, &tournament, "The host has cancelled it.")?;
        house::cancel(writing, &tournament)?;
        let cancelled = writing.tx.tournament(tournament.id)?;
        Ok(Reply::new(&summary_to_json(&cancelled)).text(format!("{name} is cancelled.")))
    })
}

/// Returns a tournament that has not started.
fn open(writing: &Writing, name: &str) -> Result<Tournament, Error> {
    let tournament = find::tournament(writing.tx, name)?;
    let name = &tournament.plan.name;
    match tournament.state {
        TournamentState::Open => Ok(tournament),
        state => {
            let error = Error::refused(format!("{name} is {state} already"));
            Err(error.with_hint(format!("see `outflank tournament {name}`")))
        }
    }
}
