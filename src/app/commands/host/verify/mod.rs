//! Checks a database: the file, each game against its log, and what is counted over all games.

mod fault;
mod game;
mod totals;

use clap::Args;
use serde_json::json;

use crate::app::progress::ProgressLine;
use crate::app::{
    App, Env, Error, Heading, Reply, Searched, Session, Traits, UseCase, contain, find,
};
use crate::config;
use crate::log::GameId;
use crate::store::Db;
use fault::Fault;
use std::collections::BTreeSet;
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
        let check = |db: &Db| -> Result<_, Error> {
            for &game in &self.games {
                if !db.has_game(game)? {
                    return Err(find::no_game(game));
                }
            }
            let named: BTreeSet<_> = self.games.iter().copied().collect();
            let is_all = named.is_empty();
            let games = if is_all { db.game_numbers()? } else { named.into_iter().collect() };
            let mut faults = Vec::new();
            if is_all {
                line.set("checking the file");
                faults.extend(db.file_faults()?.into_iter().map(|it| Fault::other("the file", it)));
                let wrong = |part| format!("{part} is missing, changed or additional");
                let wrong = db.wrong_parts()?.into_iter().map(wrong);
                faults.extend(wrong.map(|it| Fault::other("the schema", it)));
            }
            games_of(db, &env, &games, is_all, &mut faults, &line)?;
            Ok((games.len(), faults))
        };
        let checked = store.read(check);
        drop(line);
        if store.is_overtaken() {
            let error = Error::fault("another process has begun to use the database meanwhile");
            return Err(error.with_hint("type `outflank verify` again"));
        }
        let (games, faults) = checked?;
        Ok(self.reply(&config::display_path(store.path()), games, &faults))
    }
}

impl Verify {
    fn reply(&self, database: &str, games: usize, faults: &[Fault]) -> Reply {
        let json = json!({ "database": database, "games": games, "faults": faults });
        let reply = Reply::new(&json);
        let count = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let checked = match self.games.len() {
            0 => format!("{database} with {}", count(games, "game")),
            _ => format!("{} of {database}", count(games, "game")),
        };
        if faults.is_empty() {
            return reply.text(format!("Nothing is wrong: {checked}."));
        }
        let mut lines: Vec<_> =
            faults.iter().take(MAX_LINES).map(|fault| fault.line.clone()).collect();
        if let Some(more @ 1..) = faults.len().checked_sub(MAX_LINES) {
            lines.push(format!("and {} more; see them all with --json", count(more, "fault")));
        }
        let fault = Error::fault(format!("{} found in {checked}", count(faults.len(), "fault")));
        let hint = "restore a backup in which `outflank --db BACKUP verify` finds none";
        Reply { fault: Some(fault.with_hint(hint)), ..reply.text(lines.join("\n")) }
    }
}

/// Checks these games, and if they are all, what is counted over them.
fn games_of(
    db: &Db,
    env: &Env,
    games: &[GameId],
    is_all: bool,
    faults: &mut Vec<Fault>,
    line: &ProgressLine,
) -> Result<(), Error> {
    let mut totals = Totals::default();
    let mut unread = 0_usize;
    for (number, &id) in games.iter().enumerate() {
        line.count(number, games.len(), "games checked");
        let checked = contain(|| {
            let stored = find::game(db, id)?;
            let in_digests = db.moments_of_digests(id)?;
            let found = game::check(db, env, &stored, &in_digests)?;
            Ok((stored, found))
        });
        match checked {
            Ok((stored, found)) => {
                faults.extend(found);
                if is_all {
                    totals.add(&stored);
                }
            }
            Err(error) => {
                unread += 1;
                faults.push(Fault::of_game(id, "event", error.to_string()));
            }
        }
    }
    if is_all {
        line.set("checking players, ratings, mails and jobs");
        totals::check_rest(db, faults)?;
        match unread {
            // The counts would be wrong only because of these games.
            1.. => faults.push(Fault::other(
                "the players",
                "results and ratings were not compared, because not every game can be replayed"
                    .to_owned(),
            )),
            0 => totals.check(db, faults)?,
        }
    }
    Ok(())
}
