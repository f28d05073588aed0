//! Bounced mails. After too many, mail to the player pauses until the player shows a sign of life.

use chrono::TimeDelta;

use crate::app::effects::challenges;
use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::{Actor, App, Error, find, host_items};
use crate::command::Address;
use crate::store::{Challenges, HostItemKind, Listing, OutboxEntry};
use outflank_model::StoredChallenge;
use outflank_model::mail::{MailContent, MailState, MessageKind, Topic};
use outflank_model::{Moment, Player, PlayerId};

/// The failures within [`FAILURE_COUNTS_FOR`], on at least [`MIN_FAILURE_DAYS`] days, at which mail to
/// the player pauses.
const MAX_FAILURES: usize = 3;
/// The fewest days with a failure before mail pauses.
const MIN_FAILURE_DAYS: usize = 2;
/// How long a failure counts.
const FAILURE_COUNTS_FOR: TimeDelta = TimeDelta::days(30);

/// When a bounced turn mail is sent again: how long after its first bounce, for the first and the
/// second bounce.
const BOUNCE_PAUSES: [TimeDelta; 2] = [TimeDelta::days(1), MAX_BOUNCE_PAUSE];
/// The longest of these pauses.
pub(crate) const MAX_BOUNCE_PAUSE: TimeDelta = TimeDelta::days(3);
/// The least time between a bounce and the next try.
const MIN_BOUNCE_PAUSE: TimeDelta = TimeDelta::days(1);

/// Records that a mail bounced or that its address was refused. A turn mail is sent again a few
/// times. The bounce counts as a failure of the recipient's address unless the sender was refused
/// (`is_policy`). Returns false when the bounce is known already.
pub(crate) fn record_bounce(
    outbox: &mut Outbox,
    entry: &OutboxEntry,
    why: &str,
    is_policy: bool,
) -> Result<bool, Error> {
    let now = outbox.env.now();
    let Some(bounces) = outbox.tx.mark_bounced(entry.id, why, now)? else { return Ok(false) };
    let pause = bounces.count.checked_sub(1).and_then(|index| BOUNCE_PAUSES.get(index as usize));
    let due_at = pause.map(|&pause| (bounces.first_at + pause).max(now + MIN_BOUNCE_PAUSE));
    let requeue = |due_at| outbox.tx.requeue_bounced(entry.id, due_at);
    let is_queued = due_at.map_or(Ok(false), requeue)?;
    if let Some(player) = &entry.player {
        host_items::add_about(outbox.env, outbox.tx, HostItemKind::Bounce, player.id, why)?;
    }
    let is_paused = !is_policy && record_failure(outbox, entry)?;
    let is_for_host = entry.content.kind.topic() == Topic::Club;
    let is_given_up = is_policy || is_for_host || pause.is_none() && !is_paused;
    if is_given_up && !is_queued {
        // The host finds it among the failed mails.
        outbox.tx.set_state(entry.id, MailState::Failed)?;
    }
    Ok(true)
}

/// Counts a failure of the address that a mail went to. After too many failures, mail to the
/// player pauses, and the opponents are notified. Returns whether it is paused.
fn record_failure(outbox: &mut Outbox, entry: &OutboxEntry) -> Result<bool, Error> {
    let Some(player) = &entry.player else { return Ok(false) };
    // Another mail of the same batch may have failed meanwhile.
    let player = &outbox.tx.player(player.id)?;
    // A failure of a former address does not count against the new one.
    let is_current = entry.sent_to.as_ref().is_some_and(|to| player.is_at(to));
    if !is_current {
        return Ok(false);
    }
    let now = outbox.env.now();
    let mut days = outbox.tx.add_failure(player.id, now, now - FAILURE_COUNTS_FOR)?;
    let failures = days.len();
    days.dedup();
    if failures < MAX_FAILURES || days.len() < MIN_FAILURE_DAYS {
        return Ok(false);
    }
    outbox.tx.pause(player.id, now)?;
    if player.paused_at.is_none() {
        host_items::add_about(outbox.env, outbox.tx, HostItemKind::Pause, player.id, "")?;
        notify_opponents(outbox, player)?;
    }
    Ok(true)
}

/// Records a sign of life from a player: forgets the failures and queues paused mails. After a pause, the
/// player gets a fresh turn mail for each game that waits, since the earlier ones may have failed long ago.
pub(crate) fn record_sign_of_life(outbox: &mut Outbox, player: &mut Player) -> Result<(), Error> {
    if player.has_failed() {
        outbox.tx.resume(player.id, outbox.env.now())?;
        if player.paused_at.is_some() {
            queue_turns(outbox, player.id)?;
        }
        (player.failures, player.paused_at) = (0, None);
    }
    Ok(())
}

/// Gives a player a new address, which must be free, and sends there the bounced mails and those about
/// waiting games and challenges. At the present address the latter only come after a pause. Returns the
/// player with the address.
pub(crate) fn change_address(
    outbox: &mut Outbox,
    player: &Player,
    address: &Address,
) -> Result<Player, Error> {
    let tx = outbox.tx;
    tx.set_address(player.id, address.as_str())?;
    tx.drop_new_addresses(player.id)?;
    let now = outbox.env.now();
    tx.requeue_all_bounced(player.id, now)?;
    tx.resume(player.id, now)?;
    if player.is_at(address.as_str()) && player.paused_at.is_none() {
        return Ok(tx.player(player.id)?);
    }
    queue_turns(outbox, player.id)?;
    let open_after = now - StoredChallenge::OPEN_FOR;
    for id in tx.open_challenges(Challenges::To(player.id), open_after, None)? {
        if let Some(challenge) = tx.challenge(id)?
            && !tx.is_challenge_queued(id)?
        {
            challenges::ask(outbox, &challenge, Cause::COMMAND)?;
        }
    }
    Ok(tx.player(player.id)?)
}

/// Queues a fresh turn mail for each game that waits for a player.
pub(crate) fn queue_turns(outbox: &mut Outbox, player: PlayerId) -> Result<(), Error> {
    let player = outbox.tx.player(player)?;
    for game in outbox.tx.games(Listing::ToMove(player.id), None)? {
        if !outbox.tx.is_subscribed(player.id, game.id)?
            || outbox.tx.is_start_queued(game.id, player.id)?
        {
            continue;
        }
        let kind = if game.ply == 0 { MessageKind::Started } else { MessageKind::Turn };
        outbox.mail(&player, MailContent::of_game(kind, game.moment()))?;
    }
    Ok(())
}

/// Notifies each opponent of this player once that mail to the player has paused.
fn notify_opponents(outbox: &mut Outbox, player: &Player) -> Result<(), Error> {
    let mut notified = Vec::new();
    for id in find::active_games(outbox.tx, player.id)? {
        // A local game needs no mail.
        let stored = find::intact_game(outbox.tx, id)?.filter(|stored| !stored.local);
        let Some(stored) = stored else { continue };
        let opponent = stored.color_of(player.id).and_then(|own| stored.player(!own));
        let Some(opponent) = opponent.filter(|it| !notified.contains(&it.id)) else { continue };
        notified.push(opponent.id);
        let at = Moment::of(id, &stored.game);
        outbox.mail(opponent, MailContent::of_game(MessageKind::Paused, at))?;
    }
    Ok(())
}

impl App {
    /// Records a sign of life from the player who gave a command, if a player did.
    pub fn record_sign_of_life(&mut self, actor: &Actor) -> Result<(), Error> {
        let Some(player) = actor.player() else { return Ok(()) };
        self.store.write(|tx| {
            let mut player = find::player(tx, player)?;
            record_sign_of_life(&mut Outbox::new(&self.env, tx), &mut player)
        })
    }
}
