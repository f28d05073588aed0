//! Decides before each try of a mail whether it goes, and when. Its content is fixed at the first try;
//! if what it shows does not hold any more at a later one, another mail replaces it.

use chrono::{DateTime, Utc};

use crate::app::claimed::Checked;
use crate::app::delivery::reminders;
use crate::app::effects::challenges::news_and_words;
use crate::app::effects::digests;
use crate::app::effects::due::{Due, Hold, wants};
use crate::app::effects::outages::{self, STORING_INTERVAL};
use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::effects::{absences, flags, mails, quota, ratings};
use crate::app::views::challenge::{acceptable, is_open};
use crate::app::{Env, Error, contain_part, find};
use crate::config::SubjectStyle;
use crate::log::GameId;
use crate::preferences::{MailMode, SubjectMode};
use crate::store::{
    Challenged, Claim, Db, MailContent, Moment, NewOutboxEntry, Occasion, OutboxEntry, Player, Tx,
};

/// Checks claimed mails, each apart from the others.
pub(crate) fn check_all(env: &Env, tx: &Tx, claims: Vec<Claim>) -> Result<Checked, Error> {
    let mut checked = Checked::default();
    for mut claim in claims {
        match contain_part(tx, || check(env, tx, &mut claim))? {
            Ok(true) => checked.claims.push(claim),
            Ok(false) => checked.others.push(claim.entry.id),
            Err(error) => checked.failed.push((claim, error)),
        }
    }
    Ok(checked)
}

/// What a mail would say now.
enum Current {
    /// Nothing: it is not sent.
    Nothing,
    /// What it says.
    Unchanged,
    /// This.
    Content {
        content: MailContent,
        /// What of it must still hold at a later try; `None` if it is sent in any case.
        shown: Option<String>,
    },
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
    let content = &claim.entry.content;
    let is_turn = matches!(content, MailContent::Turn(_));
    let outbox = &mut Outbox::new(env, tx);
    for game in content.games() {
        // The mail about the flag takes the place of the turn mail.
        if flags::record_in(outbox, game)? && is_turn {
            tx.withdraw_mail(claim)?;
            return Ok(false);
        }
        let deadline = tx.deadline(game)?.filter(|_| is_turn);
        if deadline.map_or(Ok(false), |it| outages::covers_of_server(tx, it, now))? {
            // `send` moves the deadline, and says so.
            tx.postpone_mail(claim, now + STORING_INTERVAL, false)?;
            return Ok(false);
        }
    }
    let current = current(env, tx, entry, &player)?;
    if player.address.is_none() || matches!(current, Current::Nothing) {
        tx.withdraw_mail(claim)?;
        return Ok(false);
    }
    if let Some(Due { at, in_digest, .. }) = wait(tx, entry, &player, now)? {
        tx.postpone_mail(claim, at, in_digest)?;
        return Ok(false);
    }
    let is_first = entry.first_try_at.is_none();
    let (content, shown) = match current {
        Current::Content { content, shown } => (content, shown),
        Current::Nothing | Current::Unchanged => (entry.content.clone(), entry.shown.clone()),
    };
    let is_outdated = match &content {
        MailContent::Digest(_) if is_first => content != entry.content,
        _ => !is_first && shown != entry.shown,
    };
    let outbox = &mut Outbox::new(env, tx);
    if is_outdated {
        tx.withdraw_mail(claim)?;
        replace(outbox, entry, &player, content)?;
        return Ok(false);
    }
    if is_first {
        if let MailContent::Digest(games) = &content {
            digests::supersede_shown(tx, player.id, games)?;
        }
        fix(outbox, claim, content, shown)?;
    }
    Ok(true)
}

/// Returns until when a mail waits; `None` if it goes now.
fn wait(
    db: &Db,
    entry: &OutboxEntry,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<Option<Due>, Error> {
    if let Some(Occasion::Gathered(by)) = entry.content.occasion()
        && entry.first_try_at.is_none()
        && let Some(at) = quota::gathered_until(db, by, player.id, now)?
    {
        return Ok(Some(Due::alone(at)));
    }
    let due = digests::mail_due(db, entry, player, now)?;
    let waits = due.at > now
        || due.in_digest
            // After an absence, a single turn mail needs no digest.
            && (matches!(player.preferences.mail, MailMode::Digest(_))
                || db.is_digest_due_to(player.id, now)?);
    Ok(Some(due).filter(|_| waits))
}

/// Returns what a mail would say now.
fn current(env: &Env, db: &Db, entry: &OutboxEntry, player: &Player) -> Result<Current, Error> {
    let content = &entry.content;
    Ok(match content {
        MailContent::Turn(at) => {
            let game = db.current_game(at.game, player.id)?;
            if !game.is_turn || !game.is_subscribed || !wants(player, content.kind()) {
                return Ok(Current::Nothing);
            }
            let (content, shown) = (MailContent::Turn(game.moment), Some(game.shown()));
            Current::Content { content, shown }
        }
        MailContent::Watched(at) => {
            let game = db.current_game(at.game, player.id)?;
            let is_wanted = game.is_active && game.moment.ply > 0 && wants(player, content.kind());
            if !is_wanted || !db.is_watching(player.id, at.game)? {
                return Ok(Current::Nothing);
            }
            let (content, shown) = (MailContent::Watched(game.moment), game.shown_to_watcher());
            Current::Content { content, shown: Some(shown) }
        }
        MailContent::WatchedOver(at) | MailContent::WatchedAnalysis { game: at, .. }
            if !db.is_watching(player.id, at.game)? =>
        {
            Current::Nothing
        }
        // The host has taken the pages away.
        MailContent::OwnPage if env.config.web.url.is_none() => Current::Nothing,
        MailContent::Started(at) => {
            let game = db.current_game(at.game, player.id)?;
            // In the position of the start it has the present deadline.
            let is_start = game.is_active && game.position_event <= at.events;
            let moment = if is_start { game.moment } else { *at };
            Current::Content { content: MailContent::Started(moment), shown: None }
        }
        MailContent::Over(at) => {
            // What the first try said holds, whatever happens to the rating later.
            let shown = match entry.first_try_at {
                None => ratings::result(db, at.game, player.id)?,
                Some(_) => entry.shown.clone(),
            };
            Current::Content { content: MailContent::Over(*at), shown }
        }
        MailContent::Reminder(_) => {
            let ends = reminders::ends(db, entry, env.now())?;
            let games: Vec<_> = ends.iter().map(|(_, at)| *at).collect();
            if games.is_empty() {
                return Ok(Current::Nothing);
            }
            let ends: Vec<_> = ends.iter().map(|(end, _)| end.timestamp().to_string()).collect();
            let shown = format!("{}; {}", digest_shown(db, &games, player)?, ends.join(" "));
            Current::Content { content: MailContent::Reminder(games), shown: Some(shown) }
        }
        MailContent::Digest(games) => {
            let watched = games.iter().map(|at| at.game);
            let games = digests::games(db, player, watched, env.now())?;
            if games.is_empty() {
                return Ok(Current::Nothing);
            }
            let challenges = acceptable(db, player, env.now())?;
            let shown = [vec![digest_shown(db, &games, player)?], challenges].concat().join("; ");
            Current::Content { content: MailContent::Digest(games), shown: Some(shown) }
        }
        MailContent::Notice { game: Some(at), occasion: Some(Occasion::Offer(event)), .. } => {
            offer(db, entry, player, *at, *event, env.now())?
        }
        MailContent::Notice { game: Some(at), occasion: Some(Occasion::Comment), .. }
            if db.current_game(at.game, player.id)?.has_blocked =>
        {
            Current::Nothing
        }
        MailContent::Notice { game: Some(at), occasion: Some(Occasion::Claim), .. }
            if !db.current_game(at.game, player.id)?.is_claimable =>
        {
            Current::Nothing
        }
        MailContent::Notice {
            occasion: Some(Occasion::Absence(absent) | Occasion::Absences(absent)),
            ..
        } if db.player(*absent)?.left_at.is_some() => Current::Nothing,
        MailContent::Notice { occasion: Some(Occasion::Gathered(by)), .. }
            if db.is_blocked(player.id, *by)? =>
        {
            Current::Nothing
        }
        MailContent::Challenge { challenge, text, occasion } => {
            about_challenge(env, db, *challenge, text, *occasion, player)?
        }
        MailContent::Notice { game, occasion: Some(Occasion::Absences(absent)), .. } => {
            let (text, occasion) = (absences::summary(db, *absent, env.now())?, content.occasion());
            Current::Content {
                content: MailContent::Notice { game: *game, text, occasion },
                shown: None,
            }
        }
        _ => Current::Unchanged,
    })
}

/// Returns what a mail to a player about a challenge would say now: a question goes as long as the
/// challenge is open, and words unless the player has blocked their author.
fn about_challenge(
    env: &Env,
    db: &Db,
    id: GameId,
    text: &str,
    occasion: Option<Occasion>,
    player: &Player,
) -> Result<Current, Error> {
    let challenge = db.challenge(id)?.ok_or_else(|| find::no_game(id))?;
    let has_blocked = match &challenge.to {
        Challenged::Player(opponent) => {
            db.is_blocked(player.id, challenge.challenger.id)?
                || db.is_blocked(player.id, opponent.id)?
        }
        Challenged::Anyone | Challenged::Bot(_) => false,
    };
    let (news, words) = news_and_words(text);
    Ok(match occasion {
        Some(Occasion::Challenge) if !is_open(&challenge, env.now()) => Current::Nothing,
        Some(Occasion::Comment) if has_blocked => Current::Nothing,
        None if has_blocked && !words.is_empty() => {
            let text = news.to_owned();
            let content = MailContent::Challenge { challenge: id, text, occasion };
            Current::Content { content, shown: Some(news.to_owned()) }
        }
        _ => Current::Unchanged,
    })
}

/// Returns what a digest or a reminder of these games shows of them.
fn digest_shown(db: &Db, games: &[Moment], player: &Player) -> Result<String, Error> {
    let shown = games.iter().map(|at| {
        let game = db.current_game(at.game, player.id)?;
        let is_watched = db.moment(at.game, player.id)?.is_none();
        let shown = if is_watched { game.shown_to_watcher() } else { game.shown() };
        Ok(format!("{}: {shown}", at.game))
    });
    Ok(shown.collect::<Result<Vec<_>, Error>>()?.join(", "))
}

/// Returns what a mail about the offer with this event would say now.
fn offer(
    db: &Db,
    entry: &OutboxEntry,
    player: &Player,
    at: Moment,
    event: usize,
    now: DateTime<Utc>,
) -> Result<Current, Error> {
    let game = db.current_game(at.game, player.id)?;
    if game.offer_event != Some(event) {
        return Ok(Current::Nothing);
    }
    let shown = Some(game.shown());
    if game.moment == at || shown == entry.shown {
        let content = entry.content.clone();
        return Ok(Current::Content { content, shown });
    }
    if is_in_grace(db, at.game, player, now)? {
        // The mail must not show a move before its turn mail does.
        let (content, shown) = (entry.content.clone(), entry.shown.clone());
        return Ok(Current::Content { content, shown });
    }
    let stored = find::game(db, at.game)?;
    Ok(match mails::notice_of_offer(&stored, player.id) {
        Some(content) => Current::Content { content, shown },
        None => Current::Nothing,
    })
}

/// Returns whether a turn mail of a game waits for the end of the opponent's grace.
fn is_in_grace(db: &Db, game: GameId, player: &Player, now: DateTime<Utc>) -> Result<bool, Error> {
    let mut mails = db.queued_turn_mails(player.id)?.into_iter();
    Ok(mails.any(|mail| {
        mail.content.game().is_some_and(|at| at.game == game)
            && mail.not_before.is_some_and(|at| at > now)
    }))
}

/// Fixes the content of a mail at its first try.
fn fix(
    outbox: &mut Outbox,
    claim: &mut Claim,
    content: MailContent,
    shown: Option<String>,
) -> Result<(), Error> {
    let entry = &mut claim.entry;
    let knows_more = content.game() != entry.content.game();
    entry.content = content;
    (entry.first_try_at, entry.shown) = (Some(outbox.env.now()), shown);
    let wants_turn = |player: &Player| player.preferences.subject == SubjectMode::Turn;
    entry.says_turn = outbox.env.config.mail.subject == SubjectStyle::Turn
        || entry.player.as_ref().is_some_and(wants_turn);
    if let Some(player) = entry.player.as_ref().filter(|_| knows_more) {
        // The Message-ID may carry a token.
        entry.message_id =
            outbox.message_id(entry.id, &NewOutboxEntry::to(player, entry.content.clone()))?;
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
    let hold = if entry.is_prompt { Hold::Never } else { Hold::Nothing };
    let is_reminder = matches!(content, MailContent::Reminder(_));
    // More games may join a reminder until its first try.
    let content = if is_reminder { MailContent::Reminder(Vec::new()) } else { content };
    outbox.add_held(&NewOutboxEntry::to(player, content), Cause::COMMAND, hold)?;
    match outbox.queued.last() {
        Some(&mail) if is_reminder => Ok(outbox.tx.move_reminders(entry.id, mail)?),
        _ => Ok(()),
    }
}
