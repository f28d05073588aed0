//! Checks a database: the file, each game against its log, and the totals of all games.

mod fault;
mod game;
mod rows;
mod totals;
mod tournament;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::json;

use crate::app::run::progress::ProgressLine;
use crate::app::{App, Error, Heading, Reply, Searched, Session, Traits, UseCase, contain, find};
use crate::config;
use crate::store::{Db, Store};
use fault::Fault;
use game::Housekeeping;
use outflank_model::log::GameId;
use outflank_model::words::counted;
use totals::Totals;

/// Check the database or a backup, and compare it with the logs of the games
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The database is only read. Without games, the file itself, ratings, records,
mails and jobs are checked, too. The exit status is 3 if anything is wrong.

Examples: outflank verify
          outflank --db backups/outflank-2026-11-21T100000Z.db verify
          outflank verify 12 13")]
pub struct Verify {
    /// The games [default: all, and everything else]
    #[arg(value_name = "GAME")]
    games: Vec<GameId>,
}

/// The most faults that are printed for people.
const MAX_LINES: usize = 1000;

impl UseCase for Verify {
    const TRAITS: Traits = Traits::new("verify", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let App { store, env, .. } = (session.front_end.shell()?.open_to_read)()?;
        let line = ProgressLine::new(&session.front_end, Searched::default());
        let checked = self.check(&store, env.now(), &line);
        drop(line);
        if store.is_overtaken() {
            let error = Error::fault("another process has begun to use the database meanwhile");
            return Err(error.with_hint("type `outflank verify` again"));
        }
        let (games, faults) = checked?;
        Ok(self.reply(&config::display_path(store.path()), games, &faults))
    }
}

/// Returns the first fault of a whole database, in a line; `None` if there is none.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn first_fault(
    store: &Store,
    now: DateTime<Utc>,
    line: &ProgressLine,
) -> Result<Option<String>, Error> {
    let (_, faults) = Verify { games: Vec::new() }.check(store, now, line)?;
    Ok(faults.into_iter().next().map(|fault| fault.line))
}

impl Verify {
    /// Checks the games and, if none are named, everything else. Returns how many games there are, and the
    /// faults.
    fn check(
        &self,
        store: &Store,
        now: DateTime<Utc>,
        line: &ProgressLine,
    ) -> Result<(usize, Vec<Fault>), Error> {
        let next = &AtomicUsize::new(0);
        let (send, receive) = mpsc::channel();
        // Both threads take games until none is left. The channel ends with the other one.
        let beside = move |db: &Db| -> Result<(), Error> {
            let checker = Checker::new(db, self.games(db)?, now, next)?;
            checker.for_each(|part| drop(send.send(part)))
        };
        store.read_beside(beside, |db| -> Result<_, Error> {
            let games = self.games(db)?;
            let mut faults = Vec::new();
            if self.games.is_empty() {
                line.set("checking the file");
                faults.extend(db.file_faults()?.iter().map(|it| Fault::new("the file", it)));
                let wrong = |part| format!("{part} is missing, changed or additional");
                let wrong = db.wrong_parts()?.into_iter().map(wrong);
                faults.extend(wrong.map(|it| Fault::new("the schema", &it)));
            }
            let count = games.len();
            line.count(0, count, "games checked");
            let mut parts = Vec::new();
            Checker::new(db, games, now, next)?.for_each(|part| {
                line.count(part.first, count, "games checked");
                parts.push(part);
            })?;
            parts.extend(receive);
            self.merge(db, parts, &mut faults, line)?;
            Ok((count, faults))
        })
    }

    /// Returns the games to check.
    fn games(&self, db: &Db) -> Result<Vec<GameId>, Error> {
        for &game in &self.games {
            if !db.has_game(game)? {
                return Err(find::no_game(game));
            }
        }
        let named: BTreeSet<_> = self.games.iter().copied().collect();
        if named.is_empty() { Ok(db.game_numbers()?) } else { Ok(named.into_iter().collect()) }
    }

    /// Merges the findings of the threads and, after a check of all games, checks the totals.
    fn merge(
        &self,
        db: &Db,
        mut parts: Vec<Part>,
        faults: &mut Vec<Fault>,
        line: &ProgressLine,
    ) -> Result<(), Error> {
        let (mut totals, mut unread) = (Totals::default(), 0);
        parts.sort_by_key(|part| part.first);
        for part in parts {
            faults.extend(part.faults);
            totals.merge(part.totals);
            unread += part.unread;
        }
        if !self.games.is_empty() {
            return Ok(());
        }
        line.set("checking players, ratings, mails and jobs");
        totals::check_rest(db, faults)?;
        tournament::check_all(db, faults)?;
        if unread == 0 {
            return totals.check(db, faults);
        }
        // The counts would be wrong only because of these games.
        let problem =
            "results and ratings were not compared, because not every game can be replayed";
        faults.push(Fault::new("the players", problem));
        Ok(())
    }

    fn reply(&self, database: &str, games: usize, faults: &[Fault]) -> Reply {
        let json = json!({ "database": database, "games": games, "faults": faults });
        let reply = Reply::new(&json);
        let checked = match self.games.len() {
            0 => format!("{database} with {}", counted(games, "game")),
            _ => format!("{} of {database}", counted(games, "game")),
        };
        if faults.is_empty() {
            return reply.text(format!("Nothing is wrong: {checked}."));
        }
        let mut lines: Vec<_> =
            faults.iter().take(MAX_LINES).map(|fault| fault.line.clone()).collect();
        if let Some(more @ 1..) = faults.len().checked_sub(MAX_LINES) {
            lines.push(format!("and {} more; see them all with --json", counted(more, "fault")));
        }
        let fault = Error::fault(format!("{} found in {checked}", counted(faults.len(), "fault")));
        let hint = "restore a backup in which `outflank --db BACKUP verify` finds none";
        Reply { fault: Some(fault.with_hint(hint)), ..reply.text(lines.join("\n")) }
    }
}

/// How many games a thread takes at once.
const GAMES_AT_ONCE: usize = 64;

/// Checks games in one of the threads.
struct Checker<'a> {
    db: &'a Db<'a>,
    games: Vec<GameId>,
    housekeeping: Housekeeping,
    /// The place of the next game that no thread has taken yet.
    next: &'a AtomicUsize,
}

/// What was found in some games.
#[derive(Default)]
struct Part {
    /// The place of the first of them.
    first: usize,
    faults: Vec<Fault>,
    totals: Totals,
    /// How many games could not be replayed.
    unread: usize,
}

impl<'a> Checker<'a> {
    fn new(
        db: &'a Db<'a>,
        games: Vec<GameId>,
        now: DateTime<Utc>,
        next: &'a AtomicUsize,
    ) -> Result<Self, Error> {
        Ok(Self { db, games, housekeeping: Housekeeping::read(db, now)?, next })
    }

    /// Checks the games that no other thread takes, some at once.
    fn for_each(&self, mut done: impl FnMut(Part)) -> Result<(), Error> {
        loop {
            let first = self.next.fetch_add(GAMES_AT_ONCE, Ordering::Relaxed);
            let Some(rest) = self.games.get(first..).filter(|rest| !rest.is_empty()) else {
                return Ok(());
            };
            let mut part = Part { first, ..Part::default() };
            rest.iter().take(GAMES_AT_ONCE).for_each(|&id| self.check(id, &mut part));
            done(part);
        }
    }

    fn check(&self, id: GameId, part: &mut Part) {
        let checked = contain(|| {
            let stored = find::game(self.db, id)?;
            let found = game::check(self.db, &self.housekeeping, &stored)?;
            Ok((stored, found))
        });
        match checked {
            Ok((stored, found)) => {
                part.faults.extend(found);
                part.totals.add(&stored);
            }
            Err(error) => {
                part.unread += 1;
                part.faults.push(Fault::of_game(id, "event", &error.to_string()));
            }
        }
    }
}
