//! The jobs of a computer player: it moves, or answers the offer of a draw.

use crate::app::effects::change::{Author, change_in};
use crate::app::effects::flags;
use crate::app::effects::outbox::Outbox;
use crate::app::jobs::study;
use crate::app::jobs::thinking::{NoResult, Thinking};
use crate::app::run::session::Writing;
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

/// The decision of a computer player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Move(Move),
    /// Whether it accepts a draw.
    Answer(bool),
}

/// The level that evaluates a position for players that do not search.
const EVALUATING: u8 = 5;

/// Returns the colour of the computer player that must still do the job.
pub(crate) fn color(stored: &StoredGame, job: &Job) -> Option<Color> {
    let color = match job.kind {
        JobKind::Answer => stored.game.offer().map(|(by, _)| !by),
        _ => stored.game.turn(),
    };
    color.filter(|&color| stored.side(color).bot().is_some())
}

/// Decides for a computer player in this position.
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
    let engine = study::engine(env);
    let shown = format!("{} thinks about game {}", side.name(), stored.id);
    let _shown = (thinking.progress)(&shown, None, &study::searched(&engine));
    let mut search = Search { engine, stored, thinking, deadline };
    if job.kind == JobKind::Answer {
        return search.accepts_draw(color, bot).map(Decision::Answer);
    }
    let mv = match bot {
        Bot::Level(level) => search.play(*level)?,
        Bot::Program(name) => ask_program(env, stored, name, thinking)?,
    };
    Ok(Decision::Move(mv))
}

/// The search for a job.
struct Search<'a> {
    engine: Engine,
    stored: &'a StoredGame,
    thinking: &'a Thinking<'a>,
    deadline: Deadline,
}

impl Search<'_> {
    /// Returns the move of a level.
    fn play(&mut self, level: Level) -> Result<Move, NoResult> {
        let (id, game) = (self.stored.id.0, &self.stored.game);
        // It differs between games and between the moves of a game.
        let seed = outflank_engine::mix(id.cast_unsigned(), game.plies().len() as u64);
        let found =
            self.run(level, |engine, stop| engine.play(game.position(), level, seed, stop))?;
        Ok(found.mv())
    }

    /// Returns whether a computer player accepts a draw: if it evaluates the position as even or worse.
    fn accepts_draw(&mut self, color: Color, bot: &Bot) -> Result<bool, NoResult> {
        let level = match bot {
            Bot::Level(level) if level.nodes() > 0 => *level,
            _ => Level::new(EVALUATING).unwrap_or(Level::STRONGEST),
        };
        let position = self.stored.game.position();
        let found = self.run(level, |engine, stop| {
            let nodes = level.nodes_for(position);
            engine.best(position, &Limits { nodes, ..Limits::until(stop) })
        })?;
        Ok(if position.turn() == color { found.value <= 0 } else { found.value >= 0 })
    }

    /// Returns the result of one search of a level, unless the job must stop.
    fn run(
        &mut self,
        level: Level,
        search: impl FnOnce(&mut Engine, &(dyn Fn() -> bool + Sync)) -> Option<Evaluated>,
    ) -> Result<Evaluated, NoResult> {
        let (stop, deadline) = (self.thinking.stop, self.deadline);
        let limit = level.time_limit().map_or(deadline, |it| deadline.min(Deadline::after(it)));
        match search(&mut self.engine, &|| stop() || limit.has_passed()) {
            _ if stop() => Err(NoResult::Stopped),
            Some(found) => Ok(found),
            None => Err(NoResult::Failed("it found no move".to_owned())),
        }
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

/// Stores the decision of a computer player with its mails. Returns the mails; `None` if the claim is lost,
/// because the position has changed or another process has done the job.
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
