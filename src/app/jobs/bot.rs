//! What a computer player does: it moves, or answers the offer of a draw.

use crate::app::effects::change::{Author, change_in};
use crate::app::effects::flags;
use crate::app::effects::outbox::Outbox;
use crate::app::jobs::study;
use crate::app::jobs::thinking::{NoResult, Thinking};
use crate::app::session::Writing;
use crate::app::{Actor, Env, Error, find};
use crate::clock::Deadline;
use crate::program::{self, ProgramError};
use crate::protocol::Record;
use crate::store::{Job, JobKind, MailId, Tx};
use outflank_engine::Level;
use outflank_engine::{Engine, Evaluated, Limits};
use outflank_model::StoredGame;
use outflank_model::bot::Bot;
use outflank_model::log::{Action, Event};
use outflank_rules::{Color, Move};

/// What a computer player has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Move(Move),
    /// Whether it accepts a draw.
    Answer(bool),
}

/// The level whose search evaluates a position for players that do not search.
const EVALUATING: u8 = 3;

/// Returns the colour of the computer player that must still do the job.
pub(crate) fn color(stored: &StoredGame, job: &Job) -> Option<Color> {
    let color = match job.kind {
        JobKind::Answer => stored.game.offer().map(|(by, _)| !by),
        _ => stored.game.turn(),
    };
    color.filter(|&color| stored.side(color).bot().is_some())
}

/// Returns what a computer player does in this position.
pub(crate) fn decide(
    env: &Env,
    stored: &StoredGame,
    job: &Job,
    thinking: &Thinking,
    deadline: Deadline,
) -> Result<Decision, NoResult> {
    let failed = |why: &str| NoResult::Failed(why.to_owned());
    let color = color(stored, job).ok_or_else(|| failed("it is not its turn"))?;
    let side = stored.side(color);
    let bot = side.bot().ok_or_else(|| failed("it is not a computer player"))?;
    // Each search has an engine of its own: so a move depends only on the position, and a repeated
    // search has the same result.
    let engine = &mut study::engine(env);
    let shown = format!("{} thinks about game {}", side.name(), stored.id);
    let _shown = (thinking.progress)(&shown, None, &study::searched(engine));
    if job.kind == JobKind::Answer {
        return answer(engine, stored, color, bot, thinking, deadline).map(Decision::Answer);
    }
    let mv = match bot {
        Bot::Level(level) => search(engine, stored, *level, thinking, deadline)?,
        Bot::Program(name) => ask_program(env, stored, name, thinking)?,
    };
    Ok(Decision::Move(mv))
}

/// Returns the move of a level.
fn search(
    engine: &mut Engine,
    stored: &StoredGame,
    level: Level,
    thinking: &Thinking,
    deadline: Deadline,
) -> Result<Move, NoResult> {
    let (id, game) = (stored.id.0, &stored.game);
    // It differs between games and between the moves of a game.
    let seed = outflank_engine::mix(id.cast_unsigned(), game.plies().len() as u64);
    let found = think(engine, level, thinking, deadline, |engine, stop| {
        engine.play(game.position(), level, seed, stop)
    })?;
    Ok(found.mv())
}

/// Returns whether a computer player accepts a draw: if it evaluates the position as even or worse.
fn answer(
    engine: &mut Engine,
    stored: &StoredGame,
    color: Color,
    bot: &Bot,
    thinking: &Thinking,
    deadline: Deadline,
) -> Result<bool, NoResult> {
    let level = match bot {
        Bot::Level(level) if level.nodes() > 0 => *level,
        _ => Level::new(EVALUATING).unwrap_or(Level::STRONGEST),
    };
    let position = stored.game.position();
    let found = think(engine, level, thinking, deadline, |engine, stop| {
        engine.best(position, &Limits { nodes: level.nodes(), ..Limits::until(stop) })
    })?;
    Ok(if position.turn() == color { found.value <= 0 } else { found.value >= 0 })
}

/// Returns the result of one search of a level, unless the job must stop.
fn think(
    engine: &mut Engine,
    level: Level,
    thinking: &Thinking,
    deadline: Deadline,
    search: impl FnOnce(&mut Engine, &(dyn Fn() -> bool + Sync)) -> Option<Evaluated>,
) -> Result<Evaluated, NoResult> {
    let limit = level.time_limit().map_or(deadline, |limit| deadline.min(Deadline::after(limit)));
    let found = search(engine, &|| (thinking.stop)() || limit.has_passed());
    match found {
        _ if (thinking.stop)() => Err(NoResult::Stopped),
        Some(found) => Ok(found),
        None => Err(NoResult::Failed("it found no move".to_owned())),
    }
}

/// Returns the move of an external program.
fn ask_program(
    env: &Env,
    stored: &StoredGame,
    name: &str,
    thinking: &Thinking,
) -> Result<Move, NoResult> {
    let missing = || NoResult::Failed(format!("the configuration has no [bots.{name}]"));
    let settings = env.config.bots.get(name).ok_or_else(missing)?;
    let record = Record::of(stored.game.start(), stored.game.moves());
    program::choose(settings, &record, thinking.stop).map_err(|error| match error {
        ProgramError::Stopped(_) => NoResult::Stopped,
        error => NoResult::Failed(error.to_string()),
    })
}

/// Stores what a computer player has decided, with its mails. Returns the mails; `None` if the claim
/// is lost, because the position has changed or another process has done the job.
pub(crate) fn carry_out(
    env: &Env,
    tx: &Tx,
    job: &Job,
    decision: Decision,
) -> Result<Option<Vec<MailId>>, Error> {
    let actor = Actor::Host;
    let mut writing = Writing { tx, env, actor: &actor, outbox: Outbox::new(env, tx), mail: None };
    if !tx.holds_job(job)? {
        return Ok(None);
    }
    // The time of the opponent may be over, so that there is nothing left to do.
    let stored = flags::record(&mut writing.outbox, find::game(tx, job.game)?)?;
    let color = color(&stored, job).filter(|_| stored.game.position_event() == job.event);
    let Some(color) = color.filter(|_| stored.game.turn().is_some()) else {
        tx.finish_job(job)?;
        return Ok(None);
    };
    change_in(&mut writing, job.game, Author::Side(color), |change| {
        let mut game = change.stored.game.clone();
        let done = match decision {
            Decision::Move(mv) => game.play(mv),
            Decision::Answer(true) => game.apply(Event::by(color, Action::Accept)),
            Decision::Answer(false) => game.apply(Event::by(color, Action::Decline)),
        };
        done.map(|()| game.into()).map_err(Error::refused)
    })?;
    Ok(Some(writing.outbox.queued))
}
