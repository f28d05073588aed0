//! Mails of ours that come back.

use super::super::notify::{Letter, Post, To};
use super::super::{App, Error, look_up};
use super::intake::Fate;
use crate::mail::read::InboundMessage;
use crate::mail::token::{Claims, Token};
use crate::store::{Db, Event, Listing, MailId, Player};

impl App {
    /// A mail to the return path of one of ours, which has shown its code.
    pub(super) fn came_back(
        &self,
        db: &Db,
        post: &mut Post,
        code: &Claims,
        incoming: &InboundMessage,
    ) -> Result<Fate, Error> {
        let Some(report) = incoming.report.as_ref().filter(|report| report.permanent) else {
            return Ok(Fate::Ignored("no report of a failure"));
        };
        let id = MailId(code.number);
        let Some(mail) = db.mail(id)? else { return Ok(Fate::Ignored("a report of no mail")) };
        let said = match report.said.as_str() {
            "" => report.status.as_deref().unwrap_or("no reason is told"),
            said => said,
        };
        let why = format!("it came back: {}", Token::redact(said));
        if !db.mark_bounced(id, &why, self.now())? {
            return Ok(Fate::Copy);
        }
        let Some(player) = &mail.player else { return Ok(Fate::Bounce) };
        // What went to an address that the player has left says nothing of the new one.
        if mail.sent_to.as_ref().is_some_and(|to| to.eq_ignore_ascii_case(&player.address)) {
            let bounces = player.bounces.saturating_add(1);
            db.set_bounces(player.id, bounces)?;
            if bounces == Player::MOST_BOUNCES {
                tell_opponents(db, post, player)?;
            }
        }
        Ok(Fate::Bounce)
    }
}

/// Tells everybody who waits for this player that the player hears nothing of it; each once.
fn tell_opponents(db: &Db, post: &mut Post, player: &Player) -> Result<(), Error> {
    let mut told = Vec::new();
    for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
        for game in db.games(listing, None)? {
            let opponent = if game.black == player.name { &game.white } else { &game.black };
            if told.contains(opponent) {
                continue;
            }
            told.push(opponent.clone());
            let stored = look_up::game(db, game.id)?;
            let Some(color) = stored.color_of(player.id) else { continue };
            post.add(&Letter {
                event: Event::Paused,
                to: To::Player(stored.player(!color)),
                game: Some((stored.id, stored.game.plies().len())),
                said: Some(&player.name),
                held: None,
                answer: None,
                is_trusted: true,
            })?;
        }
    }
    Ok(())
}
