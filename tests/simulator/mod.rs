//! A made-up world in which the real program runs, from a seed: people, hosts, a mail server and the time, with
//! the faults that a world can have. What must hold is checked after each step.
//!
//! | file | contents |
//! |---|---|
//! | `step` | what happens in a step, as text |
//! | `plan` | chooses the next step: commands of the registry with arguments by their value names |
//! | `world` | files and time: carries out a step |
//! | `process` | processes of the program |
//! | `server` | the mail server |
//! | `pages` | requests of browsers, and what is read from pages |
//! | `mailer` | mail that comes in: replies, machines, forgers, reports |
//! | `program` | the forms in which people's mail programs write |
//! | `shown` | what a mail has shown to its reader |
//! | `cut` | kills and power cuts, made afterwards from copies of the files |
//! | `tables` | reads the database by SQL |
//! | `holds` | what must hold, a function each |
//! | `replay` | a game, replayed from its log by slow second rules |
//! | `glicko` | ratings, as the paper says |
//! | `log` | what a process logs |
//! | `twins` | two worlds that differ only in a plan |
//! | `sentence` | sentences that people should never read |
//! | `shrink` | the shortest trail that still shows a violation |
//!
//! A seed gives the same trail, tables and mails each time, unless the built program runs some of the processes.

mod cut;
mod glicko;
mod holds;
mod log;
mod mailer;
#[expect(dead_code, reason = "the tests of the rules use more of it")]
#[path = "../../crates/rules/tests/rules/naive.rs"]
mod naive;
mod pages;
mod plan;
mod process;
mod program;
mod replay;
mod sentence;
mod server;
mod shown;
mod shrink;
mod step;
mod tables;
#[cfg(test)]
mod tests;
mod twins;
mod world;

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fmt, io};

use step::Step;
use world::World;

pub use shrink::shortest;
pub use twins::plans_are_hidden;

/// The seconds of a day.
const DAY: i64 = 86_400;

/// What a run of the world has shown.
pub struct Outcome {
    /// The steps that were carried out.
    pub trail: Vec<Step>,
    /// The first violation, which ended the run.
    pub violation: Option<Violation>,
    /// A hash of the trail, the tables and the mails at the end.
    pub hash: u64,
    /// What happened, and how often.
    pub tally: Tally,
    world: World,
}

impl Outcome {
    /// Copies the files and the mails of the world to a folder.
    ///
    /// # Errors
    /// A file cannot be copied or written.
    pub fn keep(&self, folder: &Path) -> io::Result<()> {
        self.world.keep(folder)
    }
}

/// Something that must hold, and does not.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The name of what must hold.
    pub of: &'static str,
    /// What was found.
    pub found: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.of, self.found)
    }
}

/// How often something happened in a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub steps: usize,
    pub games: usize,
    pub mails: usize,
    pub kills: usize,
    pub power_cuts: usize,
    pub restores: usize,
    /// Mails that the server deferred, refused or accepted without saying so.
    pub mail_faults: usize,
    pub days: i64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.games += other.games;
        self.mails += other.mails;
        self.kills += other.kills;
        self.power_cuts += other.power_cuts;
        self.restores += other.restores;
        self.mail_faults += other.mail_faults;
        self.days += other.days;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} steps, {} games, {} mails, {} kills, {} power cuts, {} restores, {} faults of the mail \
             server, {:.1} years",
            self.steps,
            self.games,
            self.mails,
            self.kills,
            self.power_cuts,
            self.restores,
            self.mail_faults,
            self.days as f64 / 365.25
        )
    }
}

/// Lets a world from this seed run for this many steps, or until the time is over. The built program runs some of
/// its processes.
pub fn simulate(
    seed: u64,
    steps: usize,
    limit: Option<Duration>,
    program: Option<&Path>,
) -> Outcome {
    let begun = Instant::now();
    let is_over = || limit.is_some_and(|limit| begun.elapsed() > limit);
    let mut plan = plan::Plan::new(seed);
    let world = World::new(program);
    let mut done = 0;
    run(world, |world| {
        if done == steps || is_over() {
            return None;
        }
        done += 1;
        Some(plan.next(world))
    })
}

/// Repeats a trail in a new world. Steps that refer to something that is not there are left out.
pub fn repeat(trail: &[Step], program: Option<&Path>) -> Outcome {
    let mut steps = trail.iter().cloned();
    run(World::new(program), |_| steps.next())
}

/// Carries out steps and checks what must hold, until there are no more or something does not hold.
fn run(mut world: World, mut next: impl FnMut(&mut World) -> Option<Step>) -> Outcome {
    let (mut trail, mut violation) = (Vec::new(), None);
    while violation.is_none()
        && let Some(step) = next(&mut world)
    {
        violation = world.carry_out(&step).err();
        trail.push(step);
    }
    if violation.is_none() {
        violation = world.end().err();
    }
    let (hash, tally) = (world.hash(&trail), world.tally());
    Outcome { trail, violation, hash, tally, world }
}
