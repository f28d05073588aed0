//! Computer players that need less than a second move while the command runs.

use std::thread;
use std::time::Duration;

use crate::app::jobs::{Done, Thinking};
use crate::app::session::Reading;
use crate::app::views::game::View;
use crate::app::{Error, Reader, Reply, Session, find};
use crate::clock::Deadline;
use crate::store::{Jobs, MailId};
use outflank_model::bot::Bot;
use outflank_model::log::{Action, Event, GameId};
use outflank_rules::Color;

/// The longest time that the person waits, on a slow or busy machine. `send` does what takes longer, on
/// a very large board.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The pause between two checks whether another process has done a job.
const PAUSE: Duration = Duration::from_millis(20);

impl Session<'_> {
    /// Lets computer players whose turn it is after the command act, and adds what they did to the
    /// reply.
    ///
    /// # Errors
    /// When the database fails. `send` does what was not done.
    pub fn let_bots_act(&mut self, reply: &mut Reply, reader: Reader) -> Result<(), Error> {
        let deadline = Deadline::after(MAX_WAIT);
        for game in std::mem::take(&mut reply.bots) {
            reply.followed_by(self.let_bot_act(game, deadline, reader)?);
        }
        Ok(())
    }

    fn let_bot_act(
        &mut self,
        id: GameId,
        deadline: Deadline,
        reader: Reader,
    ) -> Result<Reply, Error> {
        let later = |who: &str| match reader {
            Reader::Host => format!("{who} at the next `send`."),
            Reader::Player | Reader::Nobody => format!("{who} later."),
        };
        let before = self.read(|Reading { db, .. }| find::game(db, id))?;
        let bot = |color| Some((color, before.side(color).bot()?));
        let bots: Vec<_> = Color::BOTH.into_iter().filter_map(bot).collect();
        let [(color, bot)] = bots[..] else {
            // Without a person, the whole game would be played here.
            return Ok(Reply::default().text(later("The computer players move")));
        };
        let mails = match bot {
            // `send` does what fails here.
            Bot::Level(level) if level.is_quick() => {
                self.do_jobs_of(id, deadline).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let (after, now) =
            self.read(|Reading { db, env, .. }| Ok((find::game(db, id)?, env.now())))?;
        let acted = &after.game.events()[before.game.events().len()..];
        let has_declined = acted.iter().any(|event| event.action == Action::Decline);
        let has_moved = |event: &Event| event.by == Some(color) && event.action.as_move().is_some();
        let mut reply = Reply::default().with_mails(mails);
        if has_declined {
            reply = reply.said(format!("{} declines the draw.", before.name(color)));
        }
        let has_moved = acted.iter().any(has_moved);
        if has_moved || after.game.outcome().is_some() {
            let mut view = View::new(&after, &after.game).timed(&after, &after.clocks(), now);
            if has_moved {
                let plies = after.game.plies().iter();
                let of_person = plies.rev().skip_while(|ply| ply.by == color || ply.auto).count();
                view = view.with_moves_after(of_person.saturating_sub(1));
            }
            reply.game = view.reply(false).game;
        } else if !has_declined {
            reply = reply.text(later(&format!("{} replies", before.name(color))));
        }
        Ok(reply)
    }

    /// Runs the jobs of a game, or waits for another process that runs them. Returns the mails.
    fn do_jobs_of(&mut self, game: GameId, deadline: Deadline) -> Result<Vec<MailId>, Error> {
        let stop = || deadline.has_passed();
        let thinking = Thinking { stop: &stop, progress: self.front_end.progress() };
        let app = self.app()?;
        let mut mails = Vec::new();
        while !stop() {
            match app.do_job(Jobs::OfBots(game), &thinking)? {
                Some(Done::Stored(more)) => mails.extend(more),
                Some(Done::Discarded) => {}
                Some(Done::Stopped | Done::Failed(_)) => break,
                None if app.store.read(|db| db.is_job_claimed(game, app.env.now()))? => {
                    thread::sleep(PAUSE);
                }
                None => break,
            }
        }
        Ok(mails)
    }
}
