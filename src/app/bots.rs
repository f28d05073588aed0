use clap::Args;
use serde::Serialize;

use super::table::{Column, Entry, Table};
use super::{Error, Reply, Session, UseCase};
use crate::ai::Score;
use crate::config::ProgramSettings;
use crate::game::{Bot, Level};

/// List the computer players: the levels, and the configured programs
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Nodes are the positions that a level looks at for a move, at most. The last column is the measured
score against the level above it in the list.

Example: outflank new othello alice bot:5")]
pub struct Bots {}

#[derive(Serialize)]
struct BotsJson {
    levels: Vec<LevelJson>,
    programs: Vec<ProgramJson>,
}

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
        let json = BotsJson { levels: Level::all().map(level).collect(), programs };
        let reply = Reply::new(&json).table(levels, "");
        Ok(reply.table(table, "No programs are configured: `[bots.NAME]` adds one."))
    }
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
        protocol: settings.protocol.name.to_owned(),
        seconds_per_move: settings.seconds_per_move,
    }
}

fn program_row(program: &ProgramJson) -> Vec<Entry> {
    let ProgramJson { bot, command, protocol, seconds_per_move } = program;
    vec![bot.into(), protocol.into(), seconds_per_move.into(), command.join(" ").into()]
}
