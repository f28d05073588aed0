use std::sync::atomic::Ordering;

use clap::Args;

use crate::app::effects::change::Asked;
use crate::app::jobs::analysis::{judged, save, think};
use crate::app::jobs::study;
use crate::app::jobs::study::Effort;
use crate::app::run::progress::ProgressLine;
use crate::app::run::session::{Reading, Writing};
use crate::app::views::analysis::reply;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase, find};
use crate::store::JobKind;
use outflank_engine::Judgement;
use outflank_model::StoredGame;
use outflank_model::log::GameId;

/// Compare the moves of a finished game with the best ones
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Shows what each move cost in discs, the expected score after it, how
accurately both played, which moves cost most, and the board at which the
game turned. By mail and in a command over ssh the result is mailed.

Example: analyze 12")]
pub struct Analyze {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    effort: Effort,
}

impl UseCase for Analyze {
    const TRAITS: Traits = Traits {
        aliases: &["analyse"],
        on_board: true,
        done: Some(
            "The game is being analyzed. The analysis will be mailed to you, and the replay shows it.",
        ),
        takes_long: true,
        for_watchers: true,
        ..Traits::new("analyze", Heading::Look).button(
            Place::Buttons,
            "Analyze the game",
            "The computer compares every move with the best one.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn check(&self, asked: &Asked) -> Result<(), Error> {
        refuse_active(asked.stored)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (stored, known) = self.prepare(session)?;
        let id = stored.id;
        // A terminal shows the end of a reply, all others its beginning.
        let is_terminal = session.front_end.is_shell();
        if let Some(known) = known.filter(|_| !self.effort.is_special()) {
            return Ok(reply(&stored, &known, is_terminal));
        }
        if !session.front_end.waits_for_engine() {
            let event = stored.game.position_event();
            return session.write(|writing| study::queue(writing, JobKind::Analysis, id, event));
        }
        let stop = session.front_end.stop_flag()?;
        let is_stopped = || stop.load(Ordering::Relaxed);
        let deadline = self.effort.deadline();
        let hurry = || deadline.is_some_and(|deadline| deadline.has_passed());
        let engine = &mut study::engine(&session.app()?.env);
        let line = ProgressLine::new(&session.front_end, study::searched(engine));
        let plies = stored.game.plies().len();
        let things = format!("moves of game {id} analyzed");
        let show = |done: usize| line.count(done, plies, &things);
        show(0);
        let judged = think(engine, &stored, self.effort, &is_stopped, &hurry, show);
        drop(line);
        let Some(judged) = judged else {
            return Err(Error::refused("the analysis was stopped").with_hint("nothing was stored"));
        };
        let saved = session.write(|Writing { tx, actor, outbox, .. }| {
            let asked_by = find::actor(tx, actor)?;
            save(outbox, &stored, &judged, asked_by.map(|player| player.id))?;
            Ok(Reply::default())
        })?;
        Ok(reply(&stored, &judged, is_terminal).with_mails(saved.mails))
    }
}

impl Analyze {
    /// Returns the game with its analysis, if there is one already, or refuses to analyze it.
    fn prepare(
        &self,
        session: &mut Session,
    ) -> Result<(StoredGame, Option<Vec<Judgement>>), Error> {
        self.effort.check(session.front_end.is_shell())?;
        session.read(|Reading { db, .. }| {
            let stored = find::game(db, self.game)?;
            refuse_active(&stored)?;
            let known = judged(db, &stored)?;
            Ok((stored, known))
        })
    }
}

/// Refuses to analyze a game that is not over.
fn refuse_active(stored: &StoredGame) -> Result<(), Error> {
    if stored.game.turn().is_none() {
        return Ok(());
    }
    let error = Error::refused(format!("game {} is not over", stored.id));
    Err(error.with_hint("a game can be analyzed after its end"))
}
