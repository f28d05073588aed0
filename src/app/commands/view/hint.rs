use std::sync::atomic::Ordering;

use clap::Args;

use crate::app::effects::change::{ACTOR, Asked, change_in, write_after_flag};
use crate::app::jobs::hint::MAX_NODES;
use crate::app::jobs::study;
use crate::app::jobs::study::Effort;
use crate::app::run::progress::ProgressLine;
use crate::app::run::session::Reading;
use crate::app::views::hint;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase, find};
use crate::command::GameAt;
use crate::store::JobKind;
use outflank_engine::Limits;
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game};
use outflank_rules::State;

/// Show what your moves are worth, after a game or against the computer
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Values are in discs: +4 means that the player to move can expect to win by
four. In a game against a computer player the hint is recorded, and
`history` shows it. By mail and in a command over ssh the result is mailed.
In the shell, Ctrl-C prints what is known by then.

Example: hint 12")]
pub struct Hint {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    #[command(flatten)]
    effort: Effort,
}

impl UseCase for Hint {
    const TRAITS: Traits = Traits {
        on_board: true,
        done: Some("The hint is being looked for, and will be mailed to you."),
        takes_long: true,
        ..Traits::new("hint", Heading::Look).button(
            Place::Buttons,
            "Get a hint",
            "The computer says what your moves are worth.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game.game)
    }

    fn check(&self, asked: &Asked) -> Result<(), Error> {
        self.moment(asked.stored).map(drop)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (stored, at) = self.prepare(session)?;
        let waits = session.front_end.waits_for_engine();
        let stopped = session.front_end.stop_flag()?;
        if stored.game.turn().is_some() {
            let recorded = self.record(session, waits, at.position_event())?;
            if !waits {
                return Ok(recorded);
            }
        } else if !waits {
            return session.write(|writing| {
                study::queue(writing, JobKind::Hint, stored.id, at.position_event())
            });
        }
        let engine = &mut study::engine(&session.app()?.env);
        let line = ProgressLine::new(&session.front_end, study::searched(engine));
        line.set(&format!("evaluating game {}", stored.id));
        let is_stopped = || stopped.load(Ordering::Relaxed);
        let deadline = self.effort.deadline();
        let stop = || is_stopped() || deadline.is_some_and(|deadline| deadline.has_passed());
        // The host's limit replaces the usual one.
        let nodes = if self.effort.is_special() { u64::MAX } else { MAX_NODES };
        let depth = self.effort.depth.unwrap_or(u32::MAX);
        let ranked = engine.all(at.position(), &Limits { nodes, depth, stop: &stop });
        drop(line);
        let reply = hint::reply(&stored, &at, &ranked);
        Ok(if is_stopped() {
            reply.text("Stopped. The values are what was known by then.")
        } else {
            reply
        })
    }
}

impl Hint {
    /// Returns the game, and the game at the move that the hint is for, or refuses the hint.
    fn prepare(&self, session: &mut Session) -> Result<(StoredGame, Game), Error> {
        self.effort.check(session.front_end.is_shell())?;
        let stored = session.read(|Reading { db, .. }| find::game(db, self.game.game))?;
        let at = self.moment(&stored)?;
        Ok((stored, at))
    }

    /// Returns the game at the move that the hint is for, or refuses the hint.
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

    /// Records the hint in an active game. If the user waits for it, it is computed at once; otherwise it
    /// is queued.
    fn record(&self, session: &mut Session, waits: bool, at: usize) -> Result<Reply, Error> {
        let id = self.game.game;
        write_after_flag(session, id, |writing| {
            let queued = match waits {
                true => Reply::default(),
                false => study::queue(writing, JobKind::Hint, id, at)?,
            };
            change_in(writing, id, ACTOR, |change| {
                let stored = change.stored;
                // Without a name the host acts for the person to move.
                let person = stored.game.turn().filter(|turn| stored.player(*turn).is_some());
                change.decide(Event { by: change.own.or(person), action: Action::Hint })
            })?;
            Ok(queued)
        })
    }
}
