//! The options about time of `new` and `challenge`.

use std::fmt;

use clap::Args;

use crate::app::Error;
use outflank_model::time_control::{FlagRule, Terms, TimeControl};
use outflank_rules::quoted;

/// What the players of a new game agree on about time.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ClockOptions {
    /// How much time each player has: 3d for each move, 10d+1d or 10d+1d,max=15d (a bank and what
    /// each move adds), total=60d for all moves, or none
    #[arg(long, value_name = "SPEC")]
    clock: Option<TimeControl>,
    /// Stop the clocks on the players' free weekdays
    #[arg(long)]
    free_weekends: bool,
    /// When a player's time is over: claim (the opponent can claim the game) or hard (it is
    /// lost at once) [default: claim]
    #[arg(long, value_name = "RULE", value_parser = flag_rule)]
    flag: Option<FlagRule>,
    /// Let the clocks run during absences
    #[arg(long)]
    no_away: bool,
}

fn flag_rule(text: &str) -> Result<FlagRule, String> {
    text.parse().map_err(|words| format!("{} is not {words}", quoted(text)))
}

impl ClockOptions {
    /// Refuses options that mean nothing without a clock.
    pub(crate) fn terms(self) -> Result<Terms, Error> {
        let Self { clock, free_weekends, flag, no_away } = self;
        let (clock, flag) = (clock.unwrap_or_default(), flag.unwrap_or(FlagRule::Claim));
        if clock == TimeControl::None && (free_weekends || flag == FlagRule::Hard) {
            let option = if free_weekends { "--free-weekends" } else { "--flag hard" };
            let error = Error::usage(format!("{option} needs a clock"));
            return Err(error.with_hint("add one, such as `--clock 3d`"));
        }
        Ok(Terms { control: clock, free_weekends, flag, absences: !no_away })
    }

    /// Returns the terms of the games of a tournament. If no clock is given, they have this one, and absences
    /// may not count. A player whose time is over loses.
    pub(crate) fn of_tournament(self, usual: TimeControl, absences: bool) -> Result<Terms, Error> {
        if self.flag == Some(FlagRule::Claim) {
            let error =
                Error::refused("nobody claims games of a tournament: a player out of time loses");
            return Err(error.with_hint("leave out --flag"));
        }
        let control = self.clock.unwrap_or(usual);
        if control == TimeControl::None {
            let error = Error::refused("the games of a tournament need a clock");
            return Err(error.with_hint("give one, such as `--clock 3d`, or leave out --clock"));
        }
        let Self { free_weekends, no_away, clock, .. } = self;
        let absences = !no_away && (absences || clock.is_some());
        Ok(Terms { control, free_weekends, flag: FlagRule::Hard, absences })
    }
}

/// Writes the options as they are typed, with a space before each.
impl fmt::Display for ClockOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock, free_weekends, flag, no_away } = self;
        if let Some(clock) = clock.filter(|it| *it != TimeControl::None) {
            write!(f, " --clock {clock}")?;
        }
        f.write_str(if *free_weekends { " --free-weekends" } else { "" })?;
        f.write_str(if *flag == Some(FlagRule::Hard) { " --flag hard" } else { "" })?;
        f.write_str(if *no_away { " --no-away" } else { "" })
    }
}
