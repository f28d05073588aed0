use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Value, json};

use crate::app::run::session::Reading;
use crate::app::views::json::{array, json_time};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Actor, Env, Error, Heading, Reply, Session, Traits, UseCase};
use crate::config::{ProgramName, ProgramSettings};
use crate::store::QueuedJob;
use outflank_engine::{Level, Score};
use outflank_model::bot::{Bot, FIRST};

/// List the computer players, and for the host what is queued for them
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The list is from the weakest to the strongest.

Example: bots")]
pub struct Bots {}

/// The most jobs that are listed.
const MAX_JOBS: u32 = 100;

impl UseCase for Bots {
    const TRAITS: Traits = Traits::new("bots", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_host = matches!(session.actor, Actor::Host);
        let about = format!(
            "The score of a level is what it wins in Othello against the one above it in this table. Nodes are \
             the positions that it searches for a move, at most, in Othello on 8x8 and elsewhere. \
             `{}challenge {FIRST}` begins a game.",
            session.front_end.program()
        );
        session.read(|Reading { db, env, .. }| {
            let programs = &env.config.bots;
            // What runs on the machine is the host's own affair.
            let jobs = if is_host { db.queued_jobs(MAX_JOBS)? } else { Vec::new() };
            let json = json!({
                "levels": array(Level::all().map(level)),
                "programs": array(programs.iter().map(|it| program(it, is_host))),
                "jobs": array(jobs.iter().map(job)),
            });
            let none = "No programs are configured: `[bots.NAME]` adds one.";
            let reply = Reply::new(&json).table(levels_table(), "").prose(about.clone());
            let reply =
                reply.table(programs_table(programs, is_host), if is_host { none } else { "" });
            Ok(reply.table(jobs_table(&jobs), ""))
        })
    }
}

/// Returns the names of the computer players, the weakest first, each with how it plays.
pub(crate) fn known(env: &Env) -> Vec<(String, &'static str)> {
    let levels = Level::all().map(|level| (Bot::Level(level).to_string(), level.about()));
    let programs = env.config.bots.keys();
    levels.chain(programs.map(|name| (program_bot(name).to_string(), ""))).collect()
}

fn job(job: &QueuedJob) -> Value {
    json!({
        "job": job.kind.word(),
        "game": job.game.0,
        "player": job.player,
        "since": json_time(job.queued_at),
        "due": json_time(job.due_at),
        "failures": job.failures,
        "error": job.last_error,
    })
}

fn jobs_table(jobs: &[QueuedJob]) -> Table {
    Table::of(
        jobs,
        &[
            (Column::Text("Job"), &|job| job.kind.word().into()),
            (Column::Number("Game"), &|job| job.game.into()),
            (Column::Text("For"), &|job| Entry::of(job.player.as_ref())),
            (Column::Text("Due"), &|job| Entry::Time(job.due_at)),
            (Column::Number("Failures"), &|job| job.failures.into()),
            (Column::Prose("Error"), &|job| Entry::of(job.last_error.as_ref())),
        ],
    )
}

fn level(level: Level) -> Value {
    let score = level.score_against_next_lower();
    json!({
        "bot": Bot::Level(level).to_string(),
        "nodes": level.nodes(),
        "nodes_elsewhere": level.nodes_elsewhere(),
        "seconds": level.time_limit().map(|limit| limit.as_secs()),
        // Whether it answers in the run of the command.
        "quick": level.is_quick(),
        "about": level.about(),
        "score": score.map(|Score { percent, error }| json!({ "percent": percent, "error": error })),
    })
}

fn levels_table() -> Table {
    let score = |Score { percent, error }| format!("{percent:.1} % +/- {error:.1}");
    Table::of(
        Level::all(),
        &[
            (Column::Text("Name"), &|level| Bot::Level(*level).into()),
            (Column::Number("Nodes"), &|level| level.nodes().into()),
            (Column::Number("Elsewhere"), &|level| level.nodes_elsewhere().into()),
            (Column::Prose("How it plays"), &|level| level.about().into()),
            (Column::Text("Score"), &|level| {
                Entry::of(level.score_against_next_lower().map(score))
            }),
        ],
    )
}

/// Returns a program for scripts; its command is for the host only.
fn program((name, settings): (&ProgramName, &ProgramSettings), is_host: bool) -> Value {
    let ProgramSettings { command, protocol, seconds_per_move, .. } = settings;
    json!({
        "bot": program_bot(name).to_string(),
        "command": is_host.then_some(command),
        "protocol": protocol,
        "seconds_per_move": seconds_per_move,
    })
}

fn programs_table(programs: &BTreeMap<ProgramName, ProgramSettings>, is_host: bool) -> Table {
    if !is_host {
        return Table::of(
            programs,
            &[(Column::Text("Name"), &|(name, _)| program_bot(name).into())],
        );
    }
    Table::of(
        programs,
        &[
            (Column::Text("Name"), &|(name, _)| program_bot(name).into()),
            (Column::Text("Protocol"), &|(_, it)| it.protocol.get_ref().into()),
            (Column::Number("Seconds"), &|(_, it)| it.seconds_per_move.into()),
            (Column::Prose("Command"), &|(_, it)| it.command.join(" ").into()),
        ],
    )
}

fn program_bot(name: &ProgramName) -> Bot {
    Bot::Program(name.as_str().to_owned())
}
