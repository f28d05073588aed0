//! Computer players that need less than a second move while the command runs.

use std::time::Duration;

use crate::app::jobs::Thinking;
use crate::app::run::session::Reading;
use crate::app::views::game::View;
use crate::app::{Error, Reader, Reply, Session, find};
use crate::clock::Deadline;
use crate::store::{Jobs, MailId};
use outflank_model::bot::Bot;
use outflank_model::log::{Action, Event, GameId, Ply};
use outflank_rules::Color;

/// The longest time that the person waits, on a slow or busy machine. `send` runs longer jobs, such as
/// those on a very large board.
const MAX_WAIT: Duration = Duration::from_secs(5);

impl Session<'_> {
    /// Lets the computer players act that are to move after the command, and adds their actions to the reply.
    ///
    /// # Errors
    /// When the database fails. `send` runs the remaining jobs.
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
            Bot::Level(level) if level.is_quick() => self.do_jobs_of(id, deadline)?,
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
                let is_other = |ply: &&Ply| ply.by == color || !ply.is_chosen();
                let of_person = plies.rev().skip_while(is_other).count();
                view.known = Some(of_person.saturating_sub(1).max(after.game.given().len()));
            }
            reply.game = view.reply(false).game;
        } else if !has_declined {
            reply = reply.text(later(&format!("{} replies", before.name(color))));
        }
        Ok(reply)
    }

    /// Runs the jobs of a game, or waits for another process that runs them. Returns the mails. `send` runs
    /// those that fail here.
    fn do_jobs_of(&mut self, game: GameId, deadline: Deadline) -> Result<Vec<MailId>, Error> {
        let stop = || deadline.has_passed();
        let thinking = Thinking { stop: &stop, progress: self.front_end.progress() };
        let app = self.app()?;
        let mut mails = Vec::new();
        while let Ok(Some(more)) = app.do_next_job(Jobs::OfBots(game), Some(game), &thinking) {
            mails.extend(more);
        }
        Ok(mails)
    }
}
