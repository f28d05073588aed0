use clap::Args;
use serde::Serialize;

use crate::app::effects::change::{ACTOR, change_in, write_after_flag};
use crate::app::jobs::study;
use crate::app::jobs::study::Effort;
use crate::app::session::Reading;
use crate::app::views::game::names;
use crate::app::views::table::Column;
use crate::app::views::table::Entry;
use crate::app::views::table::Table;
use crate::app::{Concerns, Env, Error, Reply, Session, UseCase, find};
use crate::command::GameAt;
use crate::log::{Action, Event, Game};
use crate::store::{JobKind, StoredGame};
use outflank_engine::{Evaluated, Limits};
use outflank_rules::{Lattice, Move, State};

/// Show what your moves are worth, after a game or against a computer player
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Values are in discs: +4 means that the player to move can expect to win by
four. In a game against a computer player the hint is recorded, and
`history` shows it. By mail and over ssh the result is mailed.

Example: hint 12")]
pub struct Hint {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    #[command(flatten)]
    effort: Effort,
}

/// The most nodes of a search for a hint.
const NODES: u64 = 3_000_000;
/// The most moves of a main line that are shown.
const LONGEST_LINE: usize = 8;

#[derive(Serialize)]
struct HintJson {
    game: i64,
    ply: usize,
    turn: String,
    moves: Vec<MoveJson>,
}

#[derive(Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    mv: String,
    value: i32,
    depth: u32,
    exact: bool,
    line: Vec<String>,
}

impl UseCase for Hint {
    fn concerns(&self) -> Concerns {
        Concerns::Tells(self.game.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_shell = session.front_end.is_shell();
        self.effort.check(is_shell)?;
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game.game))?;
        let at = self.moment(&stored)?;
        if stored.game.turn().is_some() {
            let recorded = self.record(session, is_shell, at.position_event())?;
            if !is_shell {
                return Ok(recorded);
            }
        } else if !is_shell {
            return session.write(|writing| {
                study::queue(writing, JobKind::Hint, stored.id, at.position_event())
            });
        }
        let _shown = (session.front_end.progress())(&format!("evaluating game {}", stored.id));
        let deadline = self.effort.deadline();
        let stop = || deadline.is_some_and(|deadline| deadline.has_passed());
        // A limit of the host takes the place of the usual one.
        let nodes = if self.effort.is_special() { u64::MAX } else { NODES };
        let depth = self.effort.depth.unwrap_or(u32::MAX);
        let env = &session.app()?.env;
        let ranked = study::engine(env).all(at.position(), &Limits { nodes, depth, stop: &stop });
        Ok(reply(&stored, &at, &ranked))
    }
}

impl Hint {
    /// Returns the game at the moment that the hint is for, if hints are allowed then.
    fn moment(&self, stored: &StoredGame) -> Result<Game, Error> {
        let id = stored.id;
        if stored.game.turn().is_some() && stored.sides().iter().all(|side| side.bot().is_none()) {
            let error = Error::refused(format!("game {id} between two people is not over"));
            return Err(error.with_hint("its moves can be evaluated after its end"));
        }
        let at = match self.game.ply {
            Some(ply) => stored.game.at(ply).ok_or_else(|| find::no_such_ply(stored, ply))?,
            None => stored.game.clone(),
        };
        match at.position().state() {
            State::Over(_) => {
                let error = Error::refused(format!("game {id} has no move to choose any more"));
                let ply = at.plies().len().saturating_sub(1);
                Err(error.with_hint(format!("for an earlier move: `outflank hint {id}#{ply}`")))
            }
            State::Placing | State::Passing => Ok(at),
        }
    }

    /// Records the hint in an active game, and queues it unless it is computed at once.
    fn record(&self, session: &mut Session, is_shell: bool, at: usize) -> Result<Reply, Error> {
        let id = self.game.game;
        write_after_flag(session, id, |writing| {
            let queued = match is_shell {
                true => Reply::default(),
                false => study::queue(writing, JobKind::Hint, id, at)?,
            };
            change_in(writing, id, ACTOR, |change, game| {
                // Without a name the host acts for the person to move.
                let person = game.turn().filter(|turn| change.stored.player(*turn).is_some());
                let by = change.own.or(person);
                game.apply(Event { by, action: Action::Hint }).map_err(Error::refused)
            })?;
            Ok(queued)
        })
    }
}

/// Computes a hint of the queue: the moves after this event, with a fixed budget.
pub(crate) fn think(
    env: &Env,
    stored: &StoredGame,
    event: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Evaluated> {
    let Some(at) = stored.game.after(event) else { return Vec::new() };
    let limits = Limits { nodes: NODES, ..Limits::until(stop) };
    study::engine(env).all(at.position(), &limits)
}

/// Returns the moves with their values, the best first.
pub(crate) fn reply(stored: &StoredGame, at: &Game, ranked: &[Evaluated]) -> Reply {
    let lattice = at.start().rules().lattice;
    let turn = at.position().turn();
    let names = names(&stored.black, &stored.white);
    let line = |found: &Evaluated| -> Vec<String> {
        let shown = found.line.iter().take(LONGEST_LINE);
        shown.map(|mv| lattice.move_label(*mv)).collect()
    };
    let json = HintJson {
        game: stored.id.0,
        ply: at.plies().len(),
        turn: turn.to_string(),
        moves: ranked
            .iter()
            .map(|found| MoveJson {
                mv: lattice.move_label(found.mv()),
                value: found.value,
                depth: found.depth,
                exact: found.exact,
                line: line(found),
            })
            .collect(),
    };
    let rows = ranked.iter().map(|found| {
        vec![
            label(lattice, found.mv()),
            signed(found.value).into(),
            depth(found.depth, found.exact).into(),
            // As in a transcript, in which no part is a command by itself.
            line(found).concat().into(),
        ]
    });
    let columns = vec![
        Column::Text("Move"),
        Column::Number("Value"),
        Column::Number("Depth"),
        Column::Prose("Main line"),
    ];
    let head = format!(
        "Game {}, move {}: the moves of {}",
        stored.id,
        at.plies().len() + 1,
        names.with_color(turn)
    );
    let table = Table { columns, rows: rows.collect() };
    Reply::new(&json).text(head).table(table, "There is no legal move.")
}

fn label(lattice: Lattice, mv: Move) -> Entry {
    lattice.move_label(mv).into()
}

/// Returns a number of discs with its sign.
pub(crate) fn signed(discs: i32) -> String {
    if discs == 0 { "0".to_owned() } else { format!("{discs:+}") }
}

/// Returns how deep a search looked.
pub(crate) fn depth(depth: u32, exact: bool) -> String {
    if exact { "exact".to_owned() } else { depth.to_string() }
}
