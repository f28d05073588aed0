//! Absences of players: their clocks stand still in all games that allow it.

use chrono::{DateTime, Utc};

use crate::app::effects::changed::Origin;
use crate::app::effects::outbox::Outbox;
use crate::app::effects::{flags, limits};
use crate::app::views::time;
use crate::app::{Error, effects, find};
use crate::store::{Absence, Db};
use outflank_model::log::{Action, Event};
use outflank_model::mail::{MailContent, MailState, MessageKind, Occasion};
use outflank_model::time_control::TimeZone;
use outflank_model::words::joined;
use outflank_model::{Player, PlayerId};

/// Logs that a player is away or back in all active games that allow absences, and notifies each
/// opponent once with this text. After a few mails in a day, one on the next day lists the absences.
pub(crate) fn log(
    outbox: &mut Outbox,
    player: &Player,
    actions: &[Action],
    (occasion, text): (Occasion, &str),
) -> Result<(), Error> {
    let mut notified = Vec::new();
    for id in find::active_games(outbox.tx, player.id)? {
        let stored = flags::record(outbox, find::game(outbox.tx, id)?)?;
        let own = stored.color_of(player.id).filter(|_| stored.game.turn().is_some());
        let Some(own) = own.filter(|_| stored.agreement.terms.absences) else { continue };
        let mut game = stored.game.clone();
        for action in actions {
            game.apply(Event::by(own, action.clone())).map_err(Error::refused)?;
        }
        let now = outbox.env.now();
        effects::store(outbox, &stored, &game, now, &Origin::default())?;
        let Some(opponent) = stored.player(!own) else { continue };
        if !notified.contains(&opponent.id) {
            notified.push(opponent.id);
            notify(outbox, opponent, player, (occasion, text))?;
        }
    }
    Ok(())
}

/// Notifies an opponent of a change. If a mail about the player waits, or there were too many, the mail
/// lists the absences at the time when it is sent.
fn notify(
    outbox: &mut Outbox,
    to: &Player,
    player: &Player,
    (occasion, text): (Occasion, &str),
) -> Result<(), Error> {
    let limit = limits::absences(outbox, to.id, player.id)?;
    if let Some(waiting) = limit.waiting {
        outbox.tx.set_state(waiting, MailState::Superseded)?;
    }
    let occasion = Some(match limit.waiting.is_none() && limit.until.is_none() {
        true => occasion,
        false => Occasion::Absences(player.id),
    });
    let content = MailContent::of_text(MessageKind::Notice, None, text);
    outbox.mail_held(to, MailContent { occasion, ..content }, limit.hold()).map(drop)
}

/// Returns the text of a mail about the absences of a player as it is now; `None` if there is nothing to say
/// any more, or the reader has no game with the player in which absences count.
pub(crate) fn present_news(
    db: &Db,
    content: &MailContent,
    player: &Player,
    reader: PlayerId,
    now: DateTime<Utc>,
) -> Result<Option<String>, Error> {
    if !have_a_game(db, player.id, reader)? {
        return Ok(None);
    }
    let (name, zone) = (&player.name, player.preferences.clock.zone);
    let absences = db.absences(player.id, now)?;
    let is_away = absences.iter().any(|it| it.from <= now);
    Ok(match content.occasion {
        Some(Occasion::Return(_)) if !is_away => content.text.clone(),
        Some(Occasion::Absences(_)) if absences.is_empty() => {
            Some(format!("Your opponent {name} is not absent."))
        }
        _ if absences.is_empty() => None,
        _ => Some(announcement(name, &absences, zone)),
    })
}

/// Returns whether two players have an active game in which absences stop the clocks.
fn have_a_game(db: &Db, player: PlayerId, reader: PlayerId) -> Result<bool, Error> {
    for id in find::active_games(db, player)? {
        let stored = find::game(db, id)?;
        if stored.agreement.terms.absences && stored.color_of(reader).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns these absences of a player in sentences for an opponent.
pub(crate) fn announcement(name: &str, absences: &[Absence], zone: TimeZone) -> String {
    let short: Vec<_> = absences.iter().map(|it| time::short_absence(it, zone)).collect();
    let long: Vec<_> = absences.iter().map(|it| time::absence(it, zone)).collect();
    let (short, long) = (joined(&short, "and"), joined(&long, "and"));
    format!(
        "Your opponent {name} is absent {short}.\nIn your games {name}'s clock stands still {long}."
    )
}
