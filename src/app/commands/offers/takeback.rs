use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;

use crate::app::commands::offers::offer;
use crate::app::effects::change::{Change, Decision, refuse_finished};
use crate::app::effects::{digests, tournaments};
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use crate::store::{Db, OutboxEntry};
use outflank_model::Player;
use outflank_model::log::{Action, GameId, Offer};
use outflank_model::mail::MailState;
use outflank_rules::Color;

/// Take back your last move, or ask the opponent to let you
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
As long as the opponent has neither moved nor been notified, it is taken
back at once; `set grace` delays notifications. Otherwise the opponent is
asked, and the answer to the move goes, too. The computer
always agrees, and nobody is asked at one keyboard.

Example: takeback 12")]
pub struct Takeback {
    /// The number of the game
    game: GameId,
}

/// The outbox keeps sent mails at least this long.
const MIN_OUTBOX_RECORD: TimeDelta = TimeDelta::days(9);

impl UseCase for Takeback {
    const TRAITS: Traits = Traits {
        aliases: &["undo"],
        ..Traits::offered("takeback", Heading::Offers).by("whose move it is").button(
            Place::Buttons,
            "Take back my last move",
            "Your opponent must agree, unless it is a computer player.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        offer::act(session, self)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        offer::decide(change, |own| {
            refuse_finished(change.stored.id, change.names, &change.stored.game)?;
            if is_free(change, own)? {
                let sentence = "Your last move is taken back, and it is your turn again.";
                return Ok((Action::TakeBack, sentence.to_owned()));
            }
            tournaments::refuse(change.stored, "moves stand once the opponent has heard of them")?;
            let other = change.names.of(!own);
            let sentence = format!("{other} was asked whether your last move may be taken back.");
            Ok((Action::Offer(Offer::TakeBack), sentence))
        })
    }
}

/// Returns whether the player can take the last move back without asking: the opponent has neither
/// moved since nor been notified of it.
fn is_free(change: &Change, own: Color) -> Result<bool, Error> {
    // A computer player always agrees, and so does everybody at one keyboard.
    let opponent = change.stored.player(!own).filter(|_| !change.stored.local);
    let Some(opponent) = opponent else { return Ok(true) };
    let game = &change.stored.game;
    let Some((last, ply)) = game.own_plies(own).next_back() else { return Ok(false) };
    // Who has no address counts as notified at once.
    if game.last_own_ply(!own) > Some(last) || opponent.address.is_none() {
        return Ok(false);
    }
    let event = ply.event;
    let (db, now) = (change.db, change.env.now());
    let made_at = change.stored.times.get(event - 1);
    if made_at.is_none_or(|&at| now - at >= MIN_OUTBOX_RECORD) {
        return Ok(false);
    }
    for mail in db.mails_about(change.stored.id, opponent.id, event)? {
        if counts_as_sent(db, &mail, opponent, now)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether a mail was sent, or could have been: a power failure may undo the record of a try, so
/// it counts from the moment at which it is due. A mail that was tried counts, even if its
/// reader has gone away since.
fn counts_as_sent(
    db: &Db,
    mail: &OutboxEntry,
    player: &Player,
    now: DateTime<Utc>,
) -> Result<bool, Error> {
    Ok(match mail.state {
        MailState::Sent => true,
        // Its digest was.
        MailState::Superseded => mail.for_digest,
        MailState::Paused => false,
        MailState::Queued | MailState::Failed => {
            mail.first_try_at.is_some()
                || digests::mail_due(db, mail, player, mail.created_at.min(now))?.at <= now
        }
    })
}
