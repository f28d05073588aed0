//! What is due in games: flags that have fallen, and reminders.

use crate::app::commands::time::claim::BETWEEN_REMINDERS;
use crate::app::effects::clocks::settings_in;
use crate::app::effects::notify::Cause;
use crate::app::effects::notify::Outbox;
use crate::app::views::game::names;
use crate::app::{App, Error, find};
use crate::log::GameId;
use crate::store::{
    Alarm, Db, Error as StoreError, MailId, MessageKind, NewOutboxEntry, OutboxEntry, Player,
    Recipient,
};
use outflank_rules::Color;

/// The most games of one transaction. Other processes can write between two of them.
const BATCH: usize = 50;

impl App {
    /// Records flags that have fallen and queues reminders that are due, each once, however many
    /// processes do this.
    pub(crate) fn ring_alarms(&mut self, is_active: &dyn Fn() -> bool) -> Result<(), Error> {
        let env = &self.env;
        while is_active() && self.store.read(|db| db.is_game_due(env.now()))? {
            self.store.write(|tx| Outbox::new(env, tx).ring_alarms())?;
        }
        Ok(())
    }
}

impl Outbox<'_> {
    /// Does what is due in some games. Those of one player to move are done together, so that one
    /// mail reminds of them.
    fn ring_alarms(&mut self) -> Result<(), Error> {
        let mut room = BATCH;
        while room > 0 {
            let games = self.tx.games_due(self.env.now(), BATCH)?;
            if games.is_empty() || (games.len() > room && room < BATCH) {
                break;
            }
            room -= games.len();
            games.into_iter().try_for_each(|game| self.ring_alarm(game))?;
        }
        Ok(())
    }

    fn ring_alarm(&mut self, game: GameId) -> Result<(), Error> {
        let now = self.env.now();
        let stored = match self.tx.game(game) {
            // A damaged game must not stop the others; its commands report the damage.
            Ok(None) | Err(StoreError::Inconsistent { .. }) => {
                return Ok(self.tx.save_alarm(game, Alarm::Never, now)?);
            }
            other => other?,
        };
        let Some(stored) = stored else { return Ok(()) };
        let stored = self.record_flag(stored)?;
        let clocks = stored.clocks();
        let mut alarm = self.tx.alarm(game, &clocks, now)?;
        let player = clocks.running().and_then(|color| stored.player(color));
        if let (Alarm::Reminder(reminder), Some(player)) = (alarm, player) {
            let mail = self.reminder_mail(player)?;
            self.tx.add_reminder(&reminder, mail)?;
            alarm = self.tx.alarm(game, &clocks, now)?;
        }
        Ok(self.tx.save_alarm(game, alarm, now)?)
    }

    /// Returns the mail with reminders to a player that is not sent yet: there is one for all games.
    fn reminder_mail(&mut self, player: &Player) -> Result<MailId, Error> {
        if let Some(mail) = self.tx.queued_reminder(player.id)? {
            return Ok(mail);
        }
        let entry = NewOutboxEntry {
            kind: MessageKind::Reminder,
            to: Recipient::Player(player),
            moment: None,
            text: None,
            held: None,
            in_reply_to: None,
        };
        self.add(&entry, Cause::COMMAND)?;
        self.queued.last().copied().ok_or_else(|| Error::fault("a reminder was not queued"))
    }
}

/// Returns the text of a mail with reminders: a paragraph for each game, the most urgent first.
pub(crate) fn reminded(db: &Db, entry: &OutboxEntry) -> Result<String, Error> {
    let mut paragraphs = Vec::new();
    for id in db.reminded_games(entry.id)? {
        let stored = find::game(db, id)?;
        let clocks = stored.clocks();
        let own = entry.player.as_ref().and_then(|player| stored.color_of(player.id));
        let (Some(own), names) = (own, names(&stored.black, &stored.white)) else { continue };
        let zone = settings_in(&stored, own).zone;
        let opponent = names.of(!own);
        let end = match (clocks.deadline(), clocks.idle_end()) {
            (Some(deadline), _) => {
                (deadline, format!("Your time ends on {}.", zone.shown(deadline)))
            }
            (_, Some(end)) => {
                // Two reminders must have come.
                let reminders = db.delivered_reminders(id, clocks.turn_event())?;
                let first = reminders.first().copied().unwrap_or(entry.created_at);
                let end = end.max(first + BETWEEN_REMINDERS);
                (end, format!("{opponent} can claim the game from {} on.", zone.shown(end)))
            }
            _ => continue,
        };
        let color: Color = !own;
        let head = format!("Game {id}: {}, against {opponent} ({color})", stored.title());
        paragraphs.push((end.0, format!("{head}\n{}", end.1)));
    }
    paragraphs.sort_by_key(|(end, _)| *end);
    if paragraphs.is_empty() {
        return Err(Error::refused("no game of this reminder waits any more"));
    }
    let paragraphs: Vec<_> = paragraphs.into_iter().map(|(_, text)| text).collect();
    Ok(paragraphs.join("\n\n"))
}
