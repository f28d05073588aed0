//! Decides before each try of a mail whether it goes, and when. Its content is fixed at the first try. If
//! it is outdated at a later one, another mail replaces it.

use chrono::{DateTime, Utc};

use crate::app::delivery::current::{Current, Try};
use crate::app::effects::due::{Due, Hold};
use crate::app::effects::outages::{self, STORING_INTERVAL};
use crate::app::effects::outbox::Outbox;
use crate::app::effects::quota::Quota;
use crate::app::effects::{digests, flags};
use crate::app::run::claimed::Checked;
use crate::app::{Env, Error, contain_part};
use crate::config::SubjectStyle;
use crate::store::{Claim, Db, NewOutboxEntry, OutboxEntry, Tx};
use outflank_model::Player;
use outflank_model::mail::{MailContent, Occasion, Topic, Trait};
use outflank_model::preferences::{MailMode, SubjectMode};

/// Checks claimed mails, each apart from the others.
pub(crate) fn check_all(env: &Env, tx: &Tx, mut claims: Vec<Claim>) -> Result<Checked, Error> {
    let mut checked = Checked::default();
    // A digest takes the place of turn mails that go with it.
    claims.sort_by_key(|claim| claim.entry.content.kind.topic() != Topic::WaitingGames);
    for mut claim in claims {
        match contain_part(tx, || check(env, tx, &mut claim))? {
            Ok(true) => checked.claims.push(claim),
            Ok(false) => checked.others.push(claim.entry.id),
            Err(error) => checked.failed.push((claim, error)),
        }
    }
    Ok(checked)
}

/// Returns whether a mail goes now. If so, fixes its content. Otherwise ends the claim: the mail waits, or
/// is superseded.
fn check(env: &Env, tx: &Tx, claim: &mut Claim) -> Result<bool, Error> {
    let (now, entry) = (env.now(), &claim.entry);
    let Some(player) = entry.player.clone() else {
        claim.entry.first_try_at.get_or_insert(now);
        tx.fix_mail(claim)?;
        return Ok(true);
    };
    if !tx.is_mail_queued(entry.id)? {
        tx.withdraw_mail(claim)?;
        return Ok(false);
    }
    let outbox = &mut Outbox::new(env, tx);
    let is_over = is_time_over(outbox, &entry.content)?;
    if is_over == Some(TimeOver::InOutage) {
        // `send` moves the deadline, and says so.
        tx.postpone_mail(claim, now + STORING_INTERVAL, false)?;
        return Ok(false);
    }
    let current = match player.address.as_ref().filter(|_| is_over.is_none()) {
        Some(_) => Try { env, db: tx, entry, player: &player }.current()?,
        None => None,
    };
    let Some(current) = current else {
        tx.withdraw_mail(claim)?;
        return Ok(false);
    };
    if let Some(Due { at, in_digest, .. }) = wait(tx, entry, &player, now)? {
        tx.postpone_mail(claim, at, in_digest)?;
        return Ok(false);
    }
    let is_digest = entry.content.kind.topic() == Topic::WaitingGames;
    if is_digest {
        // They are in this digest, or in the one that takes its place.
        digests::supersede_shown(tx, player.id, &current.content.all_games())?;
    }
    let is_outdated = match entry.first_try_at {
        None => is_digest && current.content != entry.content,
        Some(_) if current.shown != entry.shown => true,
        // What is sent in any case is sent as it is.
        Some(first) => match entry.content.game.filter(|_| entry.shown.is_some()) {
            Some(at) => outages::outdates_mail(tx, at.game, first, now)?,
            None => false,
        },
    };
    if is_outdated {
        tx.withdraw_mail(claim)?;
        replace(outbox, entry, &player, current.content)?;
        return Ok(false);
    }
    if entry.first_try_at.is_none() {
        fix(outbox, claim, current)?;
    }
    Ok(true)
}

/// How the time of the turn that a mail is about has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeOver {
    /// The flag has fallen; a mail about that takes the place of the turn mail.
    Flagged,
    /// In an outage, which moves the deadline.
    InOutage,
}

/// Records the flags that have fallen in the games of a mail. If the mail goes only as long as the time of
/// the turn runs, returns how it has ended, if it has.
fn is_time_over(outbox: &mut Outbox, content: &MailContent) -> Result<Option<TimeOver>, Error> {
    let (tx, now) = (outbox.tx, outbox.env.now());
    let ends = content.kind.has(Trait::EndsWithTime);
    for at in content.all_games() {
        if flags::record_in(outbox, at.game)? && ends {
            return Ok(Some(TimeOver::Flagged));
        }
        let deadline = tx.deadline(at.game)?.filter(|_| ends);
        if deadline.map_or(Ok(false), |it| outages::covers_of_server(tx, it, now))? {
            return Ok(Some(TimeOver::InOutage));
        }
    }
    Ok(None)
}

/// Returns until when a mail waits; `None` if it goes now.
fn wait(
    db: &Db,
    entry: &OutboxEntry,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<Option<Due>, Error> {
    if let Some(Occasion::Gathered(by)) = entry.content.occasion
        && entry.first_try_at.is_none()
        && let Some(at) = (Quota { db, by, to: player.id, now }).gathered_until()?
    {
        return Ok(Some(Due::alone(at)));
    }
    let due = digests::mail_due(db, entry, player, now)?;
    let waits = due.at > now
        || due.in_digest
            // After an absence, a single turn mail needs no digest.
            && (matches!(player.preferences.mail, MailMode::Digest(_))
                || digests::has_company(db, entry, player, now)?);
    Ok(Some(due).filter(|_| waits))
}

/// Fixes the content of a mail at its first try.
fn fix(
    outbox: &mut Outbox,
    claim: &mut Claim,
    Current { content, shown }: Current,
) -> Result<(), Error> {
    let entry = &mut claim.entry;
    let knows_more = content.game != entry.content.game;
    entry.content = content;
    let now = outbox.env.now();
    (entry.first_try_at, entry.shown) = (Some(now), shown);
    let wants_turn = |player: &Player| player.preferences.subject == SubjectMode::Turn;
    entry.says_turn = outbox.env.config.mail.subject == SubjectStyle::Turn
        || entry.player.as_ref().is_some_and(wants_turn);
    if let Some(player) = entry.player.as_ref().filter(|_| knows_more) {
        // The Message-ID may carry a token.
        entry.message_id =
            outbox.message_id(entry.id, &NewOutboxEntry::to(player, entry.content.clone()))?;
    }
    if let Some(player) = &entry.player {
        // It also carries what was said since it was queued.
        outbox.attach_comments(entry.id, &entry.content, player.id, Some(now))?;
    }
    Ok(outbox.tx.fix_mail(claim)?)
}

/// Queues another mail with this content in place of a superseded one.
fn replace(
    outbox: &mut Outbox,
    entry: &OutboxEntry,
    player: &Player,
    content: MailContent,
) -> Result<(), Error> {
    let hold = if entry.is_prompt { Hold::Immediate } else { Hold::Default };
    let is_reminder = content.kind.topic() == Topic::EndingGames;
    // More games may join a reminder until its first try.
    let content = if is_reminder { MailContent::of(content.kind) } else { content };
    match outbox.mail_held(player, content, hold)? {
        Some(mail) if is_reminder => Ok(outbox.tx.move_reminders(entry.id, mail)?),
        _ => Ok(()),
    }
}
