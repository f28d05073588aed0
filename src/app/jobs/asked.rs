//! The requests of players: a hint, or the analysis of a game. The result is mailed.

use std::time::Duration;

use crate::app::effects::due::Hold;
use crate::app::effects::outbox::Outbox;
use crate::app::jobs::study::{self, Effort};
use crate::app::jobs::thinking::{NoResult, Thinking};
use crate::app::jobs::{analysis, hint};
use crate::app::views::text::mail_text;
use crate::app::{Env, Error, find, views};
use crate::clock::Deadline;
use crate::store::{Db, Job, JobKind, MailId, Tx};
use outflank_engine::{Evaluated, Judgement};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::{Moment, StoredGame};

/// The time after which an analysis hurries: it goes on with less depth.
const MAX_THINKING: Duration = Duration::from_secs(45);

/// The result of a request.
pub(crate) enum Found {
    Hint(Vec<Evaluated>),
    Analysis(Vec<Judgement>),
}

/// Computes the result of a request. `known` is the analysis of the game if there is one already.
pub(crate) fn decide(
    env: &Env,
    stored: &StoredGame,
    known: Option<Vec<Judgement>>,
    job: &Job,
    thinking: &Thinking,
) -> Result<Found, NoResult> {
    if let (Some(known), JobKind::Analysis) = (known, job.kind) {
        return Ok(Found::Analysis(known));
    }
    let deadline = Deadline::after(MAX_THINKING);
    let hurry = || deadline.has_passed();
    let id = stored.id;
    let engine = &mut study::engine(env);
    let searched = study::searched(engine);
    let found = if job.kind == JobKind::Hint {
        let _shown = (thinking.progress)(&format!("evaluating game {id}"), None, &searched);
        let stop = || (thinking.stop)() || hurry();
        Some(Found::Hint(hint::think(engine, stored, job.event, &stop)))
    } else {
        let _shown = (thinking.progress)(&format!("analyzing game {id}"), None, &searched);
        analysis::think(engine, stored, Effort::default(), thinking.stop, &hurry, |_| {})
            .map(Found::Analysis)
    };
    found.filter(|_| !(thinking.stop)()).ok_or(NoResult::Stopped)
}

/// Returns the analysis that a job asks for, if it was stored already.
pub(crate) fn known(
    db: &Db,
    stored: &StoredGame,
    job: &Job,
) -> Result<Option<Vec<Judgement>>, Error> {
    if job.kind == JobKind::Analysis { analysis::judged(db, stored) } else { Ok(None) }
}

/// Stores the result with its mail. Returns the mail; `None` if the claim is lost.
pub(crate) fn carry_out(
    env: &Env,
    tx: &Tx,
    job: &Job,
    found: &Found,
) -> Result<Option<Vec<MailId>>, Error> {
    if !tx.finish_job(job)? {
        return Ok(None);
    }
    let stored = find::game(tx, job.game)?;
    let mut outbox = Outbox::new(env, tx);
    let (head, reply) = match found {
        Found::Hint(ranked) => {
            let Some(at) = stored.game.after(job.event) else { return Ok(None) };
            let head = "The hint that you asked for:\n\n".to_owned();
            (head, views::hint::reply(&stored, &at, ranked))
        }
        Found::Analysis(judged) => {
            analysis::save(&mut outbox, &stored, judged, job.player)?;
            let head = format!("The analysis of game {}:\n", stored.id);
            (head, views::analysis::reply(&stored, judged, false))
        }
    };
    if let Some(player) = job.player.map(|player| tx.player(player)).transpose()? {
        let text = head + &mail_text(&reply, &player);
        // Only players of a game get mails about it.
        let game = stored.color_of(player.id).map(|_| Moment::of(stored.id, &stored.game));
        let content = MailContent::of_text(MessageKind::Answer, game, text);
        // The player has asked for it, so nothing holds it back.
        outbox.mail_held(&player, content, Hold::Immediate)?;
    }
    Ok(Some(outbox.queued))
}
