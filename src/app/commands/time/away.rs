use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, Months, NaiveDate, Utc};
use clap::Args;
use serde_json::json;

use crate::app::effects::absences;
use crate::app::run::session::{Reading, Writing};
use crate::app::views::json::array;
use crate::app::views::time;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::{Absence, Db};
use outflank_model::Player;
use outflank_model::log::Action;
use outflank_model::mail::Occasion;
use outflank_model::time_control::TimeZone;
use outflank_model::words::counted;
use outflank_rules::quoted;

/// How far ahead the last day of an absence may be.
const MAX_MONTHS_AHEAD: u32 = 24;

/// Show when you are away, or begin or end an absence
///
/// While you are away, your clocks stand still, your turn mails wait and you are not reminded. Your
/// opponents are notified. `off` ends the present absence, or else cancels the next one.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: away 2026-12-24 2026-12-31")]
pub struct Away {
    /// The first and the last day, such as 2026-12-24, or off [default: show when you are away]
    #[arg(value_name = "FROM TO", num_args = 0..=2)]
    days: Vec<String>,
}

impl Away {
    /// Returns whether it ends or cancels an absence.
    pub(crate) fn is_end(&self) -> bool {
        self.days == ["off"]
    }

    /// Returns the absence that `off` ends or cancels now, as a form carries it; `None` without one.
    pub(crate) fn ended(
        db: &Db,
        player: &Player,
        now: DateTime<Utc>,
    ) -> Result<Option<String>, Error> {
        let next = db.absences(player.id, now)?.into_iter().next();
        Ok(next.map(|it| format!("{}-{}", it.from.timestamp(), it.until.timestamp())))
    }
}

impl UseCase for Away {
    const TRAITS: Traits = Traits {
        on_own_page: true,
        done: Some("Your absence was changed."),
        ..Traits::new("away", Heading::Time).by("who is away")
    };

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let words: Vec<_> = self.days.iter().map(String::as_str).collect();
        if words.is_empty() {
            return session.read(|Reading { db, env, actor, .. }| {
                let player = find::acting(db, actor)?;
                shown(db, &player, env.now(), env.config.games.away_days_per_year)
            });
        }
        session.write(|writing| {
            let player = find::acting(writing.tx, writing.actor)?;
            match words[..] {
                _ if self.is_end() => writing.end_absence(&player)?,
                [day] => writing.begin_absence(&player, date(day)?, date(day)?)?,
                [from, to] => writing.begin_absence(&player, date(from)?, date(to)?)?,
                _ => return Err(Error::usage("give two days")),
            }
            let env = writing.env;
            shown(writing.tx, &player, env.now(), env.config.games.away_days_per_year)
        })
    }
}

/// Reads a day, such as `2026-12-24`.
pub(crate) fn date(word: &str) -> Result<NaiveDate, Error> {
    word.parse().map_err(|_| {
        Error::refused(format!("{} is not a day; use one such as 2026-12-24", quoted(word)))
    })
}

/// Returns the number of days in each year that these absences take.
fn count(absences: &[Absence], zone: TimeZone) -> BTreeMap<i32, u32> {
    let mut counts = BTreeMap::new();
    for absence in absences {
        let (first, last) = time::absent_days(absence, zone);
        for day in first.iter_days().take_while(|&day| day <= last) {
            *counts.entry(day.year()).or_default() += 1;
        }
    }
    counts
}

/// Returns the present and coming absences of a player, and the days left this year.
fn shown(db: &Db, player: &Player, now: DateTime<Utc>, most: u32) -> Result<Reply, Error> {
    let zone = player.preferences.clock.zone;
    let absences = db.absences(player.id, DateTime::UNIX_EPOCH)?;
    let year = zone.local(now).year();
    let taken = count(&absences, zone).get(&year).copied().unwrap_or(0);
    let days_left = most.saturating_sub(taken);
    let coming: Vec<_> = absences.iter().filter(|absence| absence.until > now).collect();
    let name = &player.name;
    let mut lines: Vec<_> =
        coming.iter().map(|it| format!("{name} is away {}.", time::absence(it, zone))).collect();
    if lines.is_empty() {
        lines.push(format!("{name} is not away."));
    }
    lines.push(format!("You can be away {} in {year}.", counted(days_left, "more day")));
    let json = |absence: &Absence| time::absence_to_json(absence, zone);
    let absences = array(coming.into_iter().map(json));
    let json = json!({ "player": name, "absences": absences, "days_left": days_left });
    Ok(Reply::new(&json).text(lines.join("\n")))
}

impl Writing<'_> {
    fn begin_absence(
        &mut self,
        player: &Player,
        first: NaiveDate,
        last: NaiveDate,
    ) -> Result<(), Error> {
        let (now, zone) = (self.env.now(), player.preferences.clock.zone);
        if first < zone.local(now).date() {
            let error = Error::refused(format!("{first} is in the past"));
            return Err(error.with_hint(format!("today is {}", zone.local(now).date())));
        }
        if last < first {
            return Err(Error::refused(format!("{last} is before {first}")));
        }
        let most = self.env.config.games.away_days_per_year;
        let is_long = (last - first).num_days() > 366;
        let after = last.succ_opt().filter(|_| !is_long).ok_or_else(|| {
            Error::refused(format!("{first} to {last} is too long; at most {most} days a year"))
        })?;
        let latest = zone.local(now).date() + Months::new(MAX_MONTHS_AHEAD);
        if last > latest {
            let error = Error::refused(format!("{last} is more than two years ahead"));
            return Err(error.with_hint(format!("an absence ends on {latest} at the latest")));
        }
        let absence = Absence { from: zone.start_of(first).max(now), until: zone.start_of(after) };
        let mut absences = self.tx.absences(player.id, DateTime::UNIX_EPOCH)?;
        let overlaps = |it: &&Absence| it.from < absence.until && it.until > absence.from;
        if let Some(other) = absences.iter().find(overlaps) {
            let days = time::absence(other, zone);
            let error = Error::refused(format!("{} is away {days} already", player.name));
            return Err(error.with_hint("`outflank away off` ends that"));
        }
        absences.push(absence);
        // Another year can be over the limit if the time zone or the configuration has changed.
        let counts = count(&absences, zone);
        let mut years = counts.range(first.year()..=last.year());
        if let Some((year, taken)) = years.find(|(_, taken)| **taken > most) {
            let error = format!("that makes {taken} days in {year}; at most {most} are allowed");
            return Err(Error::refused(error).with_hint("see `outflank away`"));
        }
        self.tx.add_absence(player.id, absence)?;
        let (from, until) = (absence.from.timestamp(), absence.until.timestamp());
        let text = absences::announcement(&player.name, &[absence], zone);
        let actions = [Action::Away { from, until }];
        absences::log(&mut self.outbox, player, &actions, (Occasion::Absence(player.id), &text))
    }

    /// Ends the present absence, or else cancels the next one.
    fn end_absence(&mut self, player: &Player) -> Result<(), Error> {
        let (now, name) = (self.env.now(), &player.name);
        let mut absences = self.tx.absences(player.id, now)?.into_iter();
        let Some(ended) = absences.next() else {
            return Err(Error::refused(format!("{name} is not away")));
        };
        self.tx.end_absence(player.id, ended, now)?;
        self.tx.reconsider_mails(player.id, now)?;
        // In the log of a game, the player's return ends all absences.
        let later = absences.map(|Absence { from, until }| Action::Away {
            from: from.timestamp(),
            until: until.timestamp(),
        });
        let actions: Vec<_> = [Action::Back].into_iter().chain(later).collect();
        let text = if ended.from < now {
            format!("Your opponent {name} is back.\nIn your games {name}'s clock runs again.")
        } else {
            let text = format!("Your opponent {name} is not absent after all.");
            format!("{text}\nIn your games {name}'s clock runs on.")
        };
        absences::log(&mut self.outbox, player, &actions, (Occasion::Return(player.id), &text))
    }
}
