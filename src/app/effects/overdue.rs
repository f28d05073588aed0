//! Due games: records fallen flags and queues reminders.

use std::collections::HashMap;

use tracing::info;

use crate::app::effects::alarms::{Alarm, record_fault};
use crate::app::effects::due::wants;
use crate::app::effects::outages::STORING_INTERVAL;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::{clocks, flags, mails};
use crate::app::{App, Error, contain_part, find};
use crate::store::MailId;
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MessageKind, Occasion};
use outflank_model::time_control::TimeControl;
use outflank_model::{Player, StoredGame};

/// The most games of one transaction. Other processes can write between two of them.
const MAX_GAMES: usize = 50;
/// More rounds than a game needs: its reminders, its claim and its flag may be due one after the other.
const MAX_ROUNDS: u32 = 5;

impl App {
    /// Records flags that have fallen and queues reminders that are due, each once, however many
    /// processes do this. Returns a line for each game that failed. Does nothing while the clock
    /// seems to be far ahead, unless the host `confirms_clock`.
    pub(crate) fn handle_overdue(
        &mut self,
        confirms_clock: bool,
        is_active: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Error> {
        let (mut problems, mut rounds) = (Vec::new(), HashMap::new());
        loop {
            let (failed, is_believed) = self.store_check(confirms_clock, is_active)?;
            problems.extend(failed);
            if !is_believed {
                return Ok(problems);
            }
            problems.extend(self.expire_challenges()?);
            let env = &self.env;
            if !is_active() || !self.store.read(|db| db.is_game_due(env.now()))? {
                return Ok(problems);
            }
            let (games, failed) = self.store.write(|tx| handle_some(&mut Outbox::new(env, tx)))?;
            problems.extend(failed);
            // Other processes may have handled them meanwhile.
            let mut is_progress = games.is_empty();
            for game in games {
                info!(game = game.0, "deadline or reminder handled");
                let rounds: &mut u32 = rounds.entry(game.0).or_default();
                *rounds += 1;
                is_progress |= *rounds <= MAX_ROUNDS;
            }
            if !is_progress {
                let damage = "the database is damaged: an index has games that are not due";
                problems.push(damage.to_owned());
                return Ok(problems);
            }
        }
    }
}

/// Handles some due games. Those of one player to move are handled together, so that one mail reminds of
/// them. Returns the games, and a line for each that failed.
fn handle_some(outbox: &mut Outbox) -> Result<(Vec<GameId>, Vec<String>), Error> {
    let tx = outbox.tx;
    let (mut handled, mut problems) = (Vec::new(), Vec::new());
    while handled.len() < MAX_GAMES {
        let games = tx.games_due(outbox.env.now(), MAX_GAMES)?;
        let is_too_many = handled.len() + games.len() > MAX_GAMES;
        if games.is_empty() || (is_too_many && !handled.is_empty()) {
            break;
        }
        for game in games {
            if let Err(error) = contain_part(tx, || handle(outbox, game))? {
                problems.push(record_fault(outbox, game, &error)?);
            }
            handled.push(game);
        }
    }
    Ok((handled, problems))
}

/// Handles a due game.
fn handle(outbox: &mut Outbox, game: GameId) -> Result<(), Error> {
    let (tx, now) = (outbox.tx, outbox.env.now());
    let Some(stored) = find::intact_game(tx, game)? else { return Ok(tx.set_alarm(game, None)?) };
    let stored = flags::record(outbox, stored)?;
    let clocks = stored.clocks();
    clocks::save_deadline(tx, game, &clocks, now)?;
    let next = || Alarm::next(tx, &stored, &clocks, now);
    let mut alarm = next()?;
    let player = clocks.running().and_then(|color| stored.player(color));
    if let (Alarm::Reminder(reminder), Some(player)) = (alarm, player) {
        match reminder_mail(outbox, player)? {
            Some(mail) => tx.add_reminder(&reminder, mail)?,
            None => tx.add_reminder_without_mail(&reminder, now)?,
        }
        alarm = next()?;
    }
    if alarm == Alarm::Claim {
        tx.set_claim(game, clocks.turn_event())?;
        notify_of_claim(outbox, &stored)?;
        alarm = next()?;
    }
    // The deadline has passed while the mail server is down.
    let at = match alarm {
        Alarm::Flag(_) => Some(now + STORING_INTERVAL),
        Alarm::Reminder(_) | Alarm::Claim | Alarm::Later(_) | Alarm::Never => alarm.at(now),
    };
    Ok(tx.set_alarm(game, at)?)
}

/// Notifies the opponent of the player to move that the game can be claimed.
fn notify_of_claim(outbox: &mut Outbox, stored: &StoredGame) -> Result<(), Error> {
    let Some(turn) = stored.game.turn() else { return Ok(()) };
    let news = format!(
        "{} has not moved for {} days, so you can claim the game.",
        stored.name(turn),
        TimeControl::IDLE.num_days()
    );
    let Some(player) = stored.player(!turn) else { return Ok(()) };
    let notice = mails::notice_about(stored, !turn, &news, Some(Occasion::Claim));
    let notice = MailContent { suggested: vec!["claim".to_owned()], ..notice };
    outbox.mail(player, notice).map(drop)
}

/// Returns the mail with reminders to a player that is not sent yet: there is one for all games. `None` if the
/// player gets none.
fn reminder_mail(outbox: &mut Outbox, player: &Player) -> Result<Option<MailId>, Error> {
    let queued = outbox.tx.queued_reminder(player.id)?;
    if let Some(mail) = queued.filter(|_| wants(player, MessageKind::Reminder)) {
        return Ok(Some(mail));
    }
    outbox.mail(player, MailContent::of(MessageKind::Reminder))
}
