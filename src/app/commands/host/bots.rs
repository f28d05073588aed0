use clap::Args;
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Reply, Session, UseCase, one_line};
use crate::bot::Bot;
use crate::config::ProgramSettings;
use crate::store::QueuedJob;
use outflank_engine::Level;
use outflank_engine::Score;

/// List the computer players, the configured programs, and what is queued for them
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The list is from the weakest to the strongest. Nodes are the
positions that a level searches for a move, at most. The score
is that of a match against the level above it in the list.

Example: outflank new othello alice bot:novice")]
pub struct Bots {}

#[derive(Serialize)]
struct BotsJson {
    levels: Vec<LevelJson>,
    programs: Vec<ProgramJson>,
    jobs: Vec<JobJson>,
}

#[derive(Serialize)]
struct JobJson {
    job: &'static str,
    game: i64,
    player: Option<String>,
    since: String,
    due: String,
    failures: u32,
    error: Option<String>,
}

/// The most jobs that are listed.
const MAX_JOBS: u32 = 100;

#[derive(Serialize)]
struct LevelJson {
    bot: String,
    nodes: u64,
    seconds: Option<u64>,
    /// Whether it answers in the run of the command.
    quick: bool,
    about: &'static str,
    score: Option<ScoreJson>,
}

/// A score against the next lower level.
#[derive(Serialize)]
struct ScoreJson {
    percent: f64,
    error: f64,
}

#[derive(Serialize)]
struct ProgramJson {
    bot: String,
    command: Vec<String>,
    protocol: String,
    seconds_per_move: u32,
}

impl UseCase for Bots {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let jobs = session.read(|Reading { db, .. }| Ok(db.queued_jobs(MAX_JOBS)?))?;
        let programs = &session.app()?.env.config.bots;
        let programs: Vec<_> =
            programs.iter().map(|(name, it)| program(name.as_str(), it)).collect();
        let levels = levels_table();
        let table = Table {
            columns: vec![
                Column::Text("Player"),
                Column::Text("Protocol"),
                Column::Number("Seconds"),
                Column::Prose("Command"),
            ],
            rows: programs.iter().map(program_row).collect(),
        };
        let jobs_json = jobs.iter().map(job).collect();
        let levels_json = Level::all().map(level).collect();
        let json = BotsJson { levels: levels_json, programs, jobs: jobs_json };
        let reply = Reply::new(&json)
            .table(levels, "")
            .table(table, "No programs are configured: `[bots.NAME]` adds one.");
        Ok(if jobs.is_empty() { reply } else { reply.table(jobs_table(&jobs), "") })
    }
}

fn job(job: &QueuedJob) -> JobJson {
    JobJson {
        job: job.kind.word(),
        game: job.game.0,
        player: job.player.clone(),
        since: json_time(job.queued_at),
        due: json_time(job.due_at),
        failures: job.failures,
        error: job.last_error.clone(),
    }
}

fn jobs_table(jobs: &[QueuedJob]) -> Table {
    let row = |job: &QueuedJob| {
        vec![
            job.kind.word().into(),
            job.game.into(),
            job.player.clone().map_or(Entry::NONE, Entry::Text),
            Entry::Time(job.due_at),
            job.failures.into(),
            job.last_error.as_deref().map_or(Entry::NONE, |error| one_line(error).into()),
        ]
    };
    let columns = vec![
        Column::Text("Job"),
        Column::Number("Game"),
        Column::Text("For"),
        Column::Text("Due"),
        Column::Number("Failures"),
        Column::Prose("Error"),
    ];
    Table { columns, rows: jobs.iter().map(row).collect() }
}

fn level(level: Level) -> LevelJson {
    LevelJson {
        bot: Bot::Level(level).to_string(),
        nodes: level.nodes(),
        seconds: level.time_limit().map(|limit| limit.as_secs()),
        quick: level.is_quick(),
        about: level.about(),
        score: level
            .score_against_next_lower()
            .map(|Score { percent, error }| ScoreJson { percent, error }),
    }
}

fn levels_table() -> Table {
    let row = |level: Level| {
        let score = level.score_against_next_lower();
        vec![
            Bot::Level(level).to_string().into(),
            level.nodes().into(),
            level.about().into(),
            score.map_or(Entry::NONE, |Score { percent, error }| {
                format!("{percent:.1} % +/- {error:.1}").into()
            }),
        ]
    };
    Table {
        columns: vec![
            Column::Text("Player"),
            Column::Number("Nodes"),
            Column::Prose("How it plays"),
            Column::Text("Score"),
        ],
        rows: Level::all().map(row).collect(),
    }
}

fn program(name: &str, settings: &ProgramSettings) -> ProgramJson {
    ProgramJson {
        bot: Bot::Program(name.to_owned()).to_string(),
        command: settings.command.clone(),
        protocol: settings.protocol.clone(),
        seconds_per_move: settings.seconds_per_move,
    }
}

fn program_row(program: &ProgramJson) -> Vec<Entry> {
    let ProgramJson { bot, command, protocol, seconds_per_move } = program;
    vec![bot.into(), protocol.into(), seconds_per_move.into(), command.join(" ").into()]
}
