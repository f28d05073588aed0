//! What the host does: makes tournaments, starts them and cancels them.

use std::str::FromStr;

use chrono::NaiveDate;
use clap::Args;
use clap::builder::TypedValueParser;

use crate::app::commands::play::options::GameOptions;
use crate::app::commands::time::away::date;
use crate::app::commands::tournaments::days::midnight;
use crate::app::commands::tournaments::{house, mails};
use crate::app::run::session::Writing;
use crate::app::views::tournament::{Standing, summary_to_json};
use crate::app::{Error, Reply, Session, find};
use crate::command::{Name, one_of};
use outflank_model::time_control::TimeZone as Zone;
use outflank_model::tournament::{
    Divisions, Format, MAX_SWISS_ROUNDS, Plan, Tournament, TournamentState,
};
use outflank_model::words::counted;

/// Make a tournament that players can join
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Without --clock, each player has 10 days and 1 more for each move; in a Swiss
tournament 20 days for all moves, and absences do not count. A player whose
time is over loses.

Example: outflank tournament new spring othello --starts 2027-03-20")]
pub struct NewTournament {
    /// Its name
    #[arg(value_name = "TOURNAMENT")]
    name: Name,
    /// The variant
    variant: String,
    /// Who meets whom: round-robin, swiss or league [default: round-robin]
    #[arg(long, value_name = "FORMAT", default_value = "round-robin", hide_default_value = true)]
    #[arg(hide_possible_values = true, value_parser = format())]
    format: Format,
    /// Let each two players of a round robin meet twice, with either colour
    #[arg(long)]
    double: bool,
    /// The rounds of a Swiss tournament, at most 11; without it the number of players decides
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// The players of a league's division: 6 to 12 [default: 8]
    #[arg(long, value_name = "N")]
    divisions_of: Option<usize>,
    /// How many players of a division move up, and down, after a season [default: 2]
    #[arg(long = "move", value_name = "K")]
    moved: Option<usize>,
    /// The most players [default: 16 in a round robin, 64 in a Swiss tournament, 240 in a
    /// league]
    #[arg(long, value_name = "N")]
    places: Option<usize>,
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
    one_of(Format::ALL.iter().map(|format| (format.word(), *format)))
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
        let beginning = self.options.of_tournament(session, variant, self.format)?;
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
            rounds: self.rounds,
            divisions: self.divisions(),
            places: self.places.unwrap_or_else(|| self.format.max_players()),
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
            Ok(standing.reply(tx, None, Zone::default())?.text(how))
        })
    }

    fn divisions(&self) -> Divisions {
        let usual = Divisions::default();
        Divisions {
            size: self.divisions_of.unwrap_or(usual.size),
            moved: self.moved.unwrap_or(usual.moved),
        }
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
        let (format, max) = (plan.format.title(), plan.format.max_players());
        if !(Plan::MIN_PLAYERS..=max).contains(&plan.places) {
            let message = format!("a {format} has {} to {max} players", Plan::MIN_PLAYERS);
            return Err(Error::refused(message).with_hint("change --places"));
        }
        for (option, is_given, only) in [
            ("--double", self.double, Format::RoundRobin),
            ("--rounds", self.rounds.is_some(), Format::Swiss),
            ("--divisions-of", self.divisions_of.is_some(), Format::League),
            ("--move", self.moved.is_some(), Format::League),
        ] {
            if is_given && plan.format != only {
                let error = Error::refused(format!("a {format} has no {option}"));
                return Err(error.with_hint(format!("add `--format {only}`, or leave it out")));
            }
        }
        if self.rounds.is_some_and(|rounds| !(1..=MAX_SWISS_ROUNDS).contains(&rounds)) {
            let message = format!("a Swiss tournament has 1 to {} rounds", MAX_SWISS_ROUNDS);
            return Err(Error::refused(message).with_hint("change --rounds"));
        }
        let Divisions { size, moved } = plan.divisions;
        if !Divisions::SIZES.contains(&size) {
            let (least, most) = (Divisions::SIZES.start(), Divisions::SIZES.end());
            let message = format!("a division has {least} to {most} players");
            return Err(Error::refused(message).with_hint("change --divisions-of"));
        }
        if !(1..=size / 3).contains(&moved) {
            let message =
                format!("in divisions of {size}, 1 to {} players move up and down", size / 3);
            return Err(Error::refused(message).with_hint("change --move"));
        }
        if plan.starts_at.is_some_and(|at| at <= writing.env.now()) {
            let error = Error::refused("the tournament would start in the past");
            return Err(error.with_hint("give a later day with --starts"));
        }
        Ok(())
    }
}

/// Starts a tournament, or the next season of a league.
pub(super) fn start(session: &mut Session, name: &str) -> Result<Reply, Error> {
    session.write(|writing| {
        let standing = open(writing, name)?;
        let (players, name) = (standing.joined.len(), &standing.tournament.plan.name);
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

/// Cancels a tournament that has not started, or ends a league between two seasons.
pub(super) fn cancel(session: &mut Session, name: &str) -> Result<Reply, Error> {
    session.write(|writing| {
        let standing = open(writing, name)?;
        let Tournament { ref plan, season, .. } = standing.tournament;
        let [why, done] = match season {
            0 => ["The host has cancelled it.", "is cancelled"],
            _ => ["The host has ended it.", "has ended"],
        };
        mails::cancelled(writing, &standing, why)?;
        house::cancel(writing, &standing)?;
        let cancelled = writing.tx.tournament(standing.tournament.id)?;
        Ok(Reply::new(&summary_to_json(&cancelled)).text(format!("{} {done}.", plan.name)))
    })
}

/// Returns a tournament that has not started, or a league between two seasons.
fn open(writing: &Writing, name: &str) -> Result<Standing, Error> {
    let tournament = find::tournament(writing.tx, name)?;
    let name = &tournament.plan.name;
    match tournament.state {
        TournamentState::Open => Ok(Standing::read(writing.tx, tournament)?),
        state => {
            let error = Error::refused(format!("{name} is {state} already"));
            Err(error.with_hint(format!("see `outflank tournament {name}`")))
        }
    }
}
