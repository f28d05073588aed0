use std::sync::atomic::Ordering;

use clap::Args;
use serde::Serialize;

use crate::app::commands::view::hint::depth;
use crate::app::commands::view::hint::signed;
use crate::app::jobs::study;
use crate::app::jobs::study::Effort;
use crate::app::progress::ProgressLine;
use crate::app::session::Reading;
use crate::app::session::Writing;
use crate::app::views::game::names;
use crate::app::views::table::Column;
use crate::app::views::table::Table;
use crate::app::{Concerns, Env, Error, Reply, Session, UseCase, find};
use crate::log::GameId;
use crate::render;
use crate::render::words::Names;
use crate::store::{AnalyzedPly, Db, JobKind, StoredGame, Tx};
use outflank_engine::{self as engine, Judgement};
use outflank_rules::{Color, Lattice};

/// Compare the moves of a finished game with the best ones
#[derive(Debug, Clone, Args)]
#[command(
    visible_alias = "analyse",
    after_help = "\
Shows what each move cost in discs, the move at which the game turned, how
accurately both played, and the expected score after each move. By mail and
over ssh the result is mailed.

Example: analyze 12"
)]
pub struct Analyze {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    effort: Effort,
}

/// The most nodes for a position of the middle game, and for positions near the end, with the special
/// search of endings and without it.
const MIDDLE: u64 = 400_000;
const ENDING: u64 = 60_000_000;
const ENDING_ELSEWHERE: u64 = 3_000_000;

#[derive(Serialize)]
struct AnalysisJson {
    game: i64,
    moves: Vec<MoveJson>,
    turned: Option<usize>,
    accuracy: AccuracyJson,
}

#[derive(Serialize)]
struct MoveJson {
    ply: usize,
    by: String,
    #[serde(rename = "move")]
    mv: String,
    best: String,
    loss: i32,
    value: i32,
    best_value: i32,
    depth: u32,
    exact: bool,
}

#[derive(Serialize)]
struct AccuracyJson {
    black: Option<f64>,
    white: Option<f64>,
}

impl UseCase for Analyze {
    fn concerns(&self) -> Concerns {
        Concerns::Tells(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_shell = session.front_end.is_shell();
        self.effort.check(is_shell)?;
        let (stored, known) = session.read(|Reading { db, .. }| {
            let stored = find::game(db, self.game)?;
            let known = judged(db, &stored)?;
            Ok((stored, known))
        })?;
        let id = stored.id;
        if stored.game.turn().is_some() {
            let error = Error::refused(format!("game {id} is not over"));
            return Err(error.with_hint("a game can be analyzed after its end"));
        }
        if let Some(known) = known.filter(|_| !self.effort.is_special()) {
            return Ok(reply(&stored, &known));
        }
        if !is_shell {
            let event = stored.game.position_event();
            return session.write(|writing| study::queue(writing, JobKind::Analysis, id, event));
        }
        let stop = session.front_end.stop_flag()?;
        let is_stopped = || stop.load(Ordering::Relaxed);
        let deadline = self.effort.deadline();
        let hurry = || deadline.is_some_and(|deadline| deadline.has_passed());
        let (line, plies) = (ProgressLine::new(&session.front_end), stored.game.plies().len());
        let show = |done: usize| line.set(&format!("analyzing game {id}: {done} of {plies} moves"));
        show(0);
        let env = &session.app()?.env;
        let judged = think(env, &stored, self.effort, &is_stopped, &hurry, show);
        drop(line);
        let Some(judged) = judged else {
            return Err(Error::refused("the analysis was stopped").with_hint("nothing was stored"));
        };
        session.write(|Writing { tx, env, .. }| {
            save(tx, env, &stored, &judged)?;
            Ok(Reply::default())
        })?;
        Ok(reply(&stored, &judged))
    }
}

/// Analyzes a game. Returns `None` if it was stopped. `show` gets the number of moves that are done.
pub(crate) fn think(
    env: &Env,
    stored: &StoredGame,
    effort: Effort,
    stop: &(dyn Fn() -> bool + Sync),
    hurry: &(dyn Fn() -> bool + Sync),
    show: impl FnMut(usize),
) -> Option<Vec<Judgement>> {
    // A limit of the host takes the place of the usual one.
    let nodes = |usual| if effort.is_special() { u64::MAX } else { usual };
    let effort = engine::Effort {
        middle: nodes(MIDDLE),
        ending: nodes(ENDING),
        ending_elsewhere: nodes(ENDING_ELSEWHERE),
        depth: effort.depth.unwrap_or(u32::MAX),
        stop,
        hurry,
    };
    let (start, moves) = (stored.game.start(), stored.game.moves().collect::<Vec<_>>());
    engine::analyze(&mut study::engine(env), start, &moves, &effort, show)
}

/// Stores an analysis.
pub(crate) fn save(
    tx: &Tx,
    env: &Env,
    stored: &StoredGame,
    judged: &[Judgement],
) -> Result<(), Error> {
    let plies = judged.iter().map(|it| {
        let Judgement { best, choices, value, best_value, depth, exact, .. } = *it;
        AnalyzedPly { best, choices, value, best_value, depth, exact }
    });
    Ok(tx.set_analysis(stored, &plies.collect::<Vec<_>>(), env.now())?)
}

/// Returns the stored analysis of a game.
pub(crate) fn judged(db: &Db, stored: &StoredGame) -> Result<Option<Vec<Judgement>>, Error> {
    let Some(analyzed) = db.analysis(stored.id)? else { return Ok(None) };
    let judged = stored.game.plies().iter().zip(analyzed).map(|(ply, analyzed)| {
        let AnalyzedPly { best, choices, value, best_value, depth, exact } = analyzed;
        Judgement { by: ply.by, mv: ply.mv, best, choices, value, best_value, depth, exact }
    });
    Ok(Some(judged.collect()))
}

/// Returns an analysis as a table, a plot and sentences.
pub(crate) fn reply(stored: &StoredGame, judged: &[Judgement]) -> Reply {
    let lattice = stored.game.start().rules().lattice;
    let names = names(&stored.black, &stored.white);
    let turned = engine::turning_point(judged);
    let accuracy = |player| engine::accuracy(judged, player);
    let rounded = |percent: f64| (percent * 10.0).round() / 10.0;
    let json = AnalysisJson {
        game: stored.id.0,
        moves: (1..).zip(judged).map(|(ply, it)| MoveJson::of(lattice, ply, it)).collect(),
        turned: turned.map(|index| index + 1),
        accuracy: AccuracyJson {
            black: accuracy(Color::Black).map(rounded),
            white: accuracy(Color::White).map(rounded),
        },
    };
    let rows = (1..).zip(judged).map(|(number, it): (usize, _)| {
        let is_best = it.loss() == 0;
        vec![
            number.into(),
            names.with_color(it.by).into(),
            lattice.move_label(it.mv).into(),
            // Beside a number, no move of the table can be taken for a command in a mail.
            signed(it.expected()).into(),
            if is_best { String::new() } else { it.loss().to_string() }.into(),
            if is_best { String::new() } else { lattice.move_label(it.best) }.into(),
            depth(it.depth, it.exact).into(),
        ]
    });
    let columns = vec![
        Column::Number("#"),
        Column::Prose("Player"),
        Column::Text("Move"),
        Column::Number("Score"),
        Column::Number("Loss"),
        Column::Text("Better"),
        Column::Number("Depth"),
    ];
    let table = Table { columns, rows: rows.collect() };
    let reply =
        Reply::new(&json).table(table, &format!("Game {} has no moves to analyze.", stored.id));
    if judged.is_empty() {
        return reply;
    }
    // The score before the first move, then after each.
    let first = &judged[0];
    let start = if first.by == Color::Black { first.best_value } else { -first.best_value };
    let series: Vec<_> =
        [start].into_iter().chain(judged.iter().map(Judgement::expected)).collect();
    reply
        .text(format!("By how many discs {} can expect to win:", names.with_color(Color::Black)))
        .plot(render::plot(&series, false), render::plot(&series, true))
        .text(sentences(lattice, names, judged, turned))
}

/// Returns where the game turned and how accurately both played.
fn sentences(
    lattice: Lattice,
    names: Names,
    judged: &[Judgement],
    turned: Option<usize>,
) -> String {
    let turn = match turned {
        None => "No single move turned the game.".to_owned(),
        Some(index) => {
            let it = &judged[index];
            let (mv, best) = (lattice.move_label(it.mv), lattice.move_label(it.best));
            let discs = if it.loss() == 1 { "disc" } else { "discs" };
            format!(
                "The game turned with {}. {} by {}, which cost {} {discs}; {best} was better.",
                index + 1,
                mv,
                names.with_color(it.by),
                it.loss()
            )
        }
    };
    let accuracy = Color::BOTH.map(|color| match engine::accuracy(judged, color) {
        Some(percent) => format!("{} {percent:.1} %", names.with_color(color)),
        None => format!("{} had no choice", names.with_color(color)),
    });
    let first_exact = judged.iter().rposition(|it| !it.exact).map_or(0, |last| last + 1);
    let exact = match first_exact {
        0 => "All values are proved.".to_owned(),
        first if first == judged.len() => "All values are estimates.".to_owned(),
        first => format!("From move {} on, the values are proved.", first + 1),
    };
    format!("{turn}\nAccuracy: {}.\n{exact}", accuracy.join(", "))
}

impl MoveJson {
    fn of(lattice: Lattice, ply: usize, it: &Judgement) -> Self {
        Self {
            ply,
            by: it.by.to_string(),
            mv: lattice.move_label(it.mv),
            best: lattice.move_label(it.best),
            loss: it.loss(),
            value: it.value,
            best_value: it.best_value,
            depth: it.depth,
            exact: it.exact,
        }
    }
}
