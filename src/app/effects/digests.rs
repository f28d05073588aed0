//! Digests: one mail with every game that waits for its reader, once a day or after an absence, and
//! with moves in games that the reader watches.

use std::collections::{BTreeSet, HashSet};

use chrono::{DateTime, Utc};

use crate::app::effects::due::{Due, due};
use crate::app::effects::outages::covers_of_server;
use crate::app::effects::outbox::Outbox;
use crate::app::run::retry::PAUSE_AFTER_FAULT;
use crate::app::{App, Env, Error, contain_part};
use crate::store::{Db, Listing, OutboxEntry, Tx};
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MailState, MessageKind};
use outflank_model::preferences::MailMode;
use outflank_model::{Moment, Player, PlayerId};

/// The most digests that are queued in one transaction.
const MAX_DIGESTS: u32 = 100;
/// The most games that a digest lists.
const MAX_GAMES: usize = 200;

impl App {
    /// Queues the digests that are due, each once, however many processes do this at the same time.
    /// Returns a line for each that could not be queued.
    pub(crate) fn queue_digests(&mut self) -> Result<Vec<String>, Error> {
        let now = self.env.now();
        let (mut handled, mut problems) = (HashSet::new(), Vec::new());
        while self.store.read(|db| db.is_digest_due(now))? {
            let env = &self.env;
            let (players, failed) = self.store.write(|tx| queue_some(env, tx))?;
            // If there are none, other processes have queued them.
            let is_empty = players.is_empty();
            let new = players.into_iter().filter(|player| handled.insert(player.0));
            if new.count() == 0 && !is_empty {
                let damage = "the database is damaged: an index has digests that are not due";
                problems.push(damage.to_owned());
                break;
            }
            problems.extend(failed);
        }
        Ok(problems)
    }
}

/// Queues some of the digests that are due. Returns their players, and a line for each that failed.
fn queue_some(env: &Env, tx: &Tx) -> Result<(Vec<PlayerId>, Vec<String>), Error> {
    let (now, mut problems) = (env.now(), Vec::new());
    let players = tx.players_with_due_digests(now, MAX_DIGESTS)?;
    for &player in &players {
        if let Err(error) = contain_part(tx, || queue(env, tx, player))? {
            tx.defer_digest(player, now, now + PAUSE_AFTER_FAULT, &error.to_string())?;
            problems.push(format!("the digest of player {} failed: {error}", player.0));
        }
    }
    Ok((players, problems))
}

/// Replaces the turn mails of a player that wait for a digest, and for nothing else, with one. After an
/// absence a single one goes as it is.
fn queue(env: &Env, tx: &Tx, id: PlayerId) -> Result<(), Error> {
    let (player, now) = (tx.player(id)?, env.now());
    let (mut ready, mut is_due) = (Vec::new(), false);
    for mail in tx.queued_turn_mails(id)?.into_iter().filter(|mail| mail.for_digest) {
        let Due { at, in_digest, is_ready } = mail_due(tx, &mail, &player, now)?;
        tx.hold_mail(mail.id, at, in_digest)?;
        if in_digest && is_ready {
            ready.push(mail);
            is_due |= at <= now;
        }
    }
    if !is_due {
        return Ok(());
    }
    if let ([single], MailMode::Each | MailMode::None) = (&ready[..], player.preferences.mail) {
        return Ok(tx.hold_mail(single.id, now, false)?);
    }
    // A digest that could not be sent becomes part of this one.
    let unsent = tx.unsent_digests(id)?;
    let replaced = ready.iter().chain(&unsent);
    replaced.clone().try_for_each(|mail| tx.set_state(mail.id, MailState::Superseded))?;
    // None of the player's own games are among those that the player watches.
    let watched: BTreeSet<_> =
        replaced.flat_map(|mail| mail.content.all_games()).map(|at| at.game).collect();
    match games(tx, &player, watched, now)? {
        games if games.is_empty() => Ok(()),
        games => {
            let content = MailContent::of_games(MessageKind::Digest, games);
            Outbox::new(env, tx).mail(&player, content).map(drop)
        }
    }
}

/// Supersedes the mails about moves that a digest shows to its reader: those of watched games, and turn mails that
/// are being tried and wait for no digest.
pub(crate) fn supersede_shown(tx: &Tx, reader: PlayerId, digest: &[Moment]) -> Result<(), Error> {
    for mail in tx.queued_turn_mails(reader)? {
        if let Some(at) = mail.content.game
            && digest.iter().any(|shown| shown.game == at.game && shown.events >= at.events)
        {
            tx.set_state(mail.id, MailState::Superseded)?;
        }
    }
    Ok(())
}

/// Returns whether another turn mail to a player that was not tried yet belongs in the same digest, even if it was
/// queued before the absence began.
pub(crate) fn has_company(
    db: &Db,
    mail: &OutboxEntry,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    for other in db.queued_turn_mails(player.id)? {
        if other.id != mail.id && other.first_try_at.is_none() {
            let Due { in_digest, is_ready, .. } = mail_due(db, &other, player, now)?;
            if in_digest && is_ready {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns when a mail goes.
pub(crate) fn mail_due(
    db: &Db,
    mail: &OutboxEntry,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<Due, Error> {
    let mut absences = match mail.content.game {
        Some(_) => db.absences(player.id, mail.created_at)?,
        None => Vec::new(),
    };
    // A watcher has no clock in the game, so each absence counts.
    if let Some(at) = mail.content.game.filter(|_| !mail.content.is_for_watcher())
        && !absences.is_empty()
        && !db.current_game(at.game, player.id)?.has_absences
    {
        absences.clear();
    }
    Ok(due(mail, player, &absences, now))
}

/// Returns the games that a digest for a player has now: those that wait for the player, the most urgent
/// first, then those of `watched` that the player still watches. Left out are local and muted games, games
/// with a deadline that an outage moves, and games with a mail that a grace or an absence holds back.
pub(crate) fn games(
    db: &Db,
    player: &Player,
    watched: impl IntoIterator<Item = GameId>,
    now: DateTime<Utc>,
) -> Result<Vec<Moment>, Error> {
    let mut waiting = Vec::new();
    for mail in db.queued_turn_mails(player.id)? {
        if !mail_due(db, &mail, player, now)?.is_ready {
            waiting.extend(mail.content.game.map(|at| at.game));
        }
    }
    let mut games = Vec::new();
    let own = db.games(Listing::ToMove(player.id), None)?.into_iter().filter(|game| !game.local);
    for game in own {
        let is_moving = game.deadline.map_or(Ok(false), |it| covers_of_server(db, it, now))?;
        if !is_moving && !waiting.contains(&game.id) && db.is_subscribed(player.id, game.id)? {
            games.push(game.moment());
        }
    }
    for id in watched {
        let game = db.current_game(id, player.id)?;
        if game.has_moves() && !waiting.contains(&id) && db.is_watching(player.id, id)? {
            games.push(game.moment);
        }
    }
    games.truncate(MAX_GAMES);
    Ok(games)
}
