//! The mails that a change of a game causes.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::Error;
use crate::app::effects::changed::Changed;
use crate::app::effects::due::Hold;
use crate::app::effects::limits::{self, Limit};
use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::views::game::names;
use crate::store::{InReplyTo, MailId, NewOutboxEntry, Recipient};
use outflank_model::log::{Action, Event, Game};
use outflank_model::mail::{MailContent, MessageKind, Occasion};
use outflank_model::render::news::{news, offered};
use outflank_model::{Moment, Player, PlayerId, StoredGame};
use outflank_rules::Color;

/// Queues the mails of a change: the start, end or annulment of the game to both players, one mail about all
/// moves to the player to move, and other actions of a player to the opponent. The author of the last move
/// gets a receipt, too, if the command or the player's settings ask for one.
pub(crate) fn queue(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    queue_news(outbox, changed)?;
    let offered = changed.before.and_then(Game::offer_event);
    match offered.filter(|_| changed.after.game.offer_event() != offered) {
        // The news carry the words that it was to bring.
        Some(event) => Ok(outbox.tx.supersede_offer_mails(changed.after.id, event)?),
        None => Ok(()),
    }
}

fn queue_news(outbox: &mut Outbox, changed: &Changed) -> Result<(), Error> {
    let after = changed.after;
    let Some(before) = changed.before else {
        notify_of_start(outbox, after, changed.at)?;
        return match after.game.outcome() {
            Some(_) => notify_both(outbox, after, MessageKind::Over),
            None => Ok(()),
        };
    };
    supersede(outbox, changed, before)?;
    if is_taken_back(before, &after.game) {
        notify_of_start_again(outbox, after, changed.at)?;
    }
    if changed.ended().or(changed.annulled()).is_some() {
        return notify_both(outbox, after, MessageKind::Over);
    }
    if changed.events().iter().any(|event| matches!(event.action, Action::Flag(_))) {
        return notify_both(outbox, after, MessageKind::Flagged);
    }
    let mut notified = notify_opponents(outbox, changed, before)?;
    for (owner, text) in &changed.origin.planned {
        let is_deleted = is_taken_back(before, &after.game);
        let occasion = is_deleted.then_some(Occasion::DeletedPlan);
        notify(outbox, after, *owner, text, occasion)?;
        notified.push(*owner);
    }
    let Some(made) = last_move(changed.events()) else { return Ok(()) };
    notify_of_move(outbox, changed, made, &notified)
}

/// Returns the last move that a player made, if there is one.
pub(crate) fn last_move(events: &[Event]) -> Option<&Event> {
    events.iter().rev().find(|event| matches!(event.action, Action::Move(_)))
}

/// Returns whether moves were taken back between the two states of a game.
pub(crate) fn is_taken_back(before: &Game, after: &Game) -> bool {
    after.taken_back().len() > before.taken_back().len()
}

/// Supersedes unsent mails that the change makes pointless.
fn supersede(outbox: &Outbox, changed: &Changed, before: &Game) -> Result<(), Error> {
    let Changed { after, origin, .. } = changed;
    let is_taken_back = is_taken_back(before, &after.game);
    // A player who has moved by mail needs no mail about the turn before.
    let has_moved = origin.mail.is_some() && last_move(changed.events()).is_some();
    let mover = origin.own.filter(|_| has_moved);
    for color in Color::BOTH.into_iter().filter(|&it| is_taken_back || Some(it) == mover) {
        if let Some(player) = after.player(color) {
            outbox.tx.supersede_turn_mails(after.id, player.id)?;
        }
    }
    if changed.annulled().is_some() {
        outbox.tx.supersede_mails(after.id, MessageKind::Over)?;
    }
    // Unsent mails must not offer a claim that is no longer possible.
    if before.flagged().is_some() && (after.game.flagged().is_none() || after.game.turn().is_none())
    {
        outbox.tx.supersede_mails(after.id, MessageKind::Flagged)?;
        outbox.tx.revive_turn_mail(after.id)?;
    }
    Ok(())
}

/// Notifies the player to move of a move, unless that player is `notified` already, and sends its
/// author a receipt if one is wanted.
fn notify_of_move(
    outbox: &mut Outbox,
    changed: &Changed,
    made: &Event,
    notified: &[Color],
) -> Result<(), Error> {
    let Changed { after, origin, .. } = changed;
    let Some(turn) = after.game.turn() else { return Ok(()) };
    let hold = hold(after, origin.own, made.by, turn);
    let again = match hold {
        Hold::Grace(span) if !span.is_zero() => Vec::new(),
        _ => notify_of_start_again(outbox, after, changed.at)?,
    };
    let mover = origin.own.or(made.by).filter(|mover| !again.contains(mover));
    let mut is_notified = notified.contains(&turn) || again.contains(&turn);
    if let Some(next) = after.player(turn)
        && !is_notified
        && outbox.tx.is_subscribed(next.id, after.id)?
    {
        let content = MailContent::of_game(MessageKind::Turn, Moment::of(after.id, &after.game));
        is_notified = outbox.mail_held(next, content, hold)?.is_some();
    }
    // A turn mail to the mover already reports the move.
    let mover = mover.filter(|&mover| mover != turn || !is_notified);
    match mover.and_then(|mover| after.player(mover)) {
        Some(mover) if origin.receipt || mover.preferences.receipt => {
            about(outbox, after, MessageKind::Receipt, mover, origin.mail)
        }
        _ => Ok(()),
    }
}

/// How long the mail about the start of a game waits for the first move of a computer player.
const BOT_MOVE_TIME: TimeDelta = TimeDelta::minutes(2);

/// Queues the mails about the start of a game.
fn notify_of_start(
    outbox: &mut Outbox,
    stored: &StoredGame,
    at: DateTime<Utc>,
) -> Result<(), Error> {
    let mut people = Color::BOTH.into_iter().filter_map(|color| stored.player(color));
    people.try_for_each(|player| started(outbox, stored, player, at).map(drop))
}

/// Queues the mails about the start of a game again that were not tried yet, so that they show its present
/// position. Returns whom they notify.
fn notify_of_start_again(
    outbox: &mut Outbox,
    stored: &StoredGame,
    at: DateTime<Utc>,
) -> Result<Vec<Color>, Error> {
    let mut notified = Vec::new();
    for (player, carried) in outbox.tx.supersede_starts(stored.id)? {
        let Some(color) = stored.color_of(player) else { continue };
        let mail = started(outbox, stored, &outbox.tx.player(player)?, at)?;
        if let Some((mail, (answer, message_id))) = mail.zip(carried) {
            let replied_to = InReplyTo { message_id: message_id.as_deref() };
            outbox.tx.set_answer(mail, replied_to, &answer)?;
        }
        notified.extend(mail.map(|_| color));
    }
    Ok(notified)
}

/// Queues a mail to a player about the start of a game, which waits for the first move of a computer player.
fn started(
    outbox: &mut Outbox,
    stored: &StoredGame,
    to: &Player,
    at: DateTime<Utc>,
) -> Result<Option<MailId>, Error> {
    let begins = stored.game.turn().filter(|&turn| stored.side(turn).bot().is_some());
    let hold = begins.map_or(Hold::Default, |_| Hold::Until(at + BOT_MOVE_TIME));
    let content = MailContent::of_game(MessageKind::Started, Moment::of(stored.id, &stored.game));
    outbox.mail_held(to, content, hold)
}

/// Returns how the turn mail is held back: by the grace of the player who has made the move, also if a plan
/// or the host made it. A mail to the actor comes at once, unless that grace holds it back.
fn hold(stored: &StoredGame, actor: Option<Color>, mover: Option<Color>, turn: Color) -> Hold {
    let mover = mover.filter(|&mover| mover != turn).and_then(|mover| stored.player(mover));
    let grace = mover.map_or(TimeDelta::zero(), |mover| mover.preferences.grace.span());
    if actor == Some(turn) && grace.is_zero() { Hold::Immediate } else { Hold::Grace(grace) }
}

/// Notifies players, except the actor, of their opponents' actions besides moves. Returns who was notified.
fn notify_opponents(
    outbox: &mut Outbox,
    changed: &Changed,
    before: &Game,
) -> Result<Vec<Color>, Error> {
    let (stored, events) = (changed.after, changed.events());
    let mut notified = Vec::new();
    if events.iter().all(|event| event.action.as_move().is_some()) {
        return Ok(notified);
    }
    let names = names(stored);
    let mut at = before.clone();
    for event in events {
        let mut after = at.clone();
        after.apply(event.clone()).map_err(Error::fault)?;
        if let (Some(by), Some(news)) = (event.by, news(&at, event, &after, names))
            && changed.origin.own != Some(!by)
        {
            let occasion = match event.action {
                Action::Offer(_) => Some(Occasion::Offer(after.events().len())),
                Action::Accept | Action::Decline | Action::Unpause => Some(Occasion::Answer),
                _ => None,
            };
            let mut limit = match (&event.action, stored.player(!by)) {
                (Action::Offer(_) | Action::Decline, Some(to)) => {
                    limits::offers(outbox, to.id, stored.id, at.offer_event())?
                }
                _ => Limit::default(),
            };
            if before.turn().is_none() {
                // After the end, the quota between the two players applies instead.
                limit.until = None;
            }
            // An offer that was not mailed needs no withdrawal.
            let is_decline = matches!(event.action, Action::Decline);
            if !(is_decline && (limit.until.is_some() || limit.waiting.is_some())) {
                if let Some(to) = stored.player(!by) {
                    let content = notice_about(stored, !by, &news, occasion);
                    let is_late = event.action == Action::Unpause && after.flagged() == Some(by);
                    let suggested = is_late.then(|| "claim".to_owned()).into_iter().collect();
                    let content = MailContent { suggested, ..content };
                    let cause = stored.player(by).map_or(Cause::COMMAND, |by| Cause::of(by.id));
                    outbox.add_held(&NewOutboxEntry::to(to, content), cause, limit.hold())?;
                }
                notified.push(!by);
            }
        }
        at = after;
    }
    Ok(notified)
}

/// Notifies a player of news in a game besides moves of the opponent. A computer player gets no mail.
pub(crate) fn notify(
    outbox: &mut Outbox,
    stored: &StoredGame,
    to: Color,
    news: &str,
    occasion: Option<Occasion>,
) -> Result<(), Error> {
    let Some(player) = stored.player(to) else { return Ok(()) };
    outbox.mail(player, notice_about(stored, to, news, occasion)).map(drop)
}

/// Returns a notice for a player of news in a game.
pub(crate) fn notice_about(
    stored: &StoredGame,
    to: Color,
    news: &str,
    occasion: Option<Occasion>,
) -> MailContent {
    let names = names(stored);
    let turn = if stored.game.turn() == Some(to) { " It is your turn." } else { "" };
    let text = format!("{news}\nGame {} against {}.{turn}", stored.id, names.of(!to));
    let game = Some(Moment::of(stored.id, &stored.game));
    MailContent { occasion, ..MailContent::of_text(MessageKind::Notice, game, text) }
}

/// Returns the notice of the open offer of a player's opponent; `None` if there is no such offer.
pub(crate) fn notice_of_offer(stored: &StoredGame, player: PlayerId) -> Option<MailContent> {
    let to = stored.color_of(player)?;
    let (by, offer) = stored.game.offer().filter(|&(by, _)| by != to)?;
    let news = offered(&stored.game, by, offer, names(stored));
    let occasion = Occasion::Offer(stored.game.offer_event()?);
    Some(notice_about(stored, to, &news, Some(occasion)))
}

/// Queues a mail that reports an action of the host or the opponent, about a game or none.
pub(crate) fn notice(
    outbox: &mut Outbox,
    to: &Player,
    game: Option<Moment>,
    text: &str,
) -> Result<(), Error> {
    outbox.mail(to, MailContent::of_text(MessageKind::Notice, game, text)).map(drop)
}

fn notify_both(outbox: &mut Outbox, stored: &StoredGame, kind: MessageKind) -> Result<(), Error> {
    let mut people = Color::BOTH.into_iter().filter_map(|color| stored.player(color));
    people.try_for_each(|player| about(outbox, stored, kind, player, None))
}

/// Queues a mail about a game to one of its players.
pub(crate) fn about(
    outbox: &mut Outbox,
    stored: &StoredGame,
    kind: MessageKind,
    to: &Player,
    in_reply_to: Option<InReplyTo>,
) -> Result<(), Error> {
    let content = MailContent::of_game(kind, Moment::of(stored.id, &stored.game));
    let entry = NewOutboxEntry { to: Recipient::Player(to), content, in_reply_to };
    outbox.add(&entry, Cause::COMMAND).map(drop)
}
