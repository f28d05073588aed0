//! Digests of histories, which bind tokens and the forms of pages. After a backup is restored, the numbers of
//! games, events and mails come again, in other histories.

use chrono::DateTime;
use ring::digest::{Context, SHA256};

use crate::app::{Error, find};
use crate::mail::token::{Claims, Purpose};
use crate::store::{Db, MailId};
use outflank_model::log::{Event, GameId};
use outflank_model::{HeldId, StoredGame};

/// How many characters of a digest the form of a page has.
const OF_A_FORM: usize = 16;

/// Returns the histories that a token with these claims can have been made from; the first is that of a
/// new one. There are none if the database has no row with its number.
pub(crate) fn of_token(db: &Db, claims: &Claims) -> Result<Vec<Vec<u8>>, Error> {
    let &Claims { purpose, number, known, .. } = claims;
    let game = GameId(number);
    let mark = match purpose {
        Purpose::Play if number > 0 => return of_game(db, game, known),
        Purpose::Play
        | Purpose::Digest
        | Purpose::Desk
        | Purpose::StopDigests
        | Purpose::StopReminders
        | Purpose::StopLetters => {
            let made_at = known.and_then(|known| i64::try_from(known).ok());
            let made_at = made_at.and_then(|at| DateTime::from_timestamp(at, 0));
            let marks = db.installation_marks(made_at.unwrap_or_default())?;
            return Ok(marks.iter().map(|mark| digest(mark, [])).collect());
        }
        Purpose::Unsubscribe | Purpose::Watch | Purpose::Page | Purpose::Board => {
            db.game_mark(game)?
        }
        Purpose::Challenge => db.challenge_mark(game)?,
        Purpose::Confirm => db.held_mark(HeldId(number))?,
        Purpose::Bounce => db.mail_mark(MailId(number))?,
        Purpose::Probe => db.probe_mark(MailId(number))?,
        // They act on nothing that the database has.
        Purpose::Join | Purpose::Host | Purpose::Calendar => Some(String::new()),
    };
    Ok(mark.iter().map(|mark| digest(mark, [])).collect())
}

/// Returns the history of a game up to the event that a mail knew.
fn of_game(db: &Db, game: GameId, known: Option<u64>) -> Result<Vec<Vec<u8>>, Error> {
    let Some(mark) = db.game_mark(game)? else { return Ok(Vec::new()) };
    let stored = find::game(db, game)?.game;
    let known = known.and_then(|known| usize::try_from(known).ok());
    let events = known.and_then(|known| stored.events().get(..known));
    let lattice = stored.lattice();
    let traces =
        |events: &[Event]| events.iter().map(|event| event.trace(lattice)).collect::<Vec<_>>();
    Ok(events.iter().map(|events| digest(&mark, traces(events))).collect())
}

/// Returns the digest that the forms of a game's page carry: of all events that both players know of.
pub(crate) fn of_page(db: &Db, stored: &StoredGame) -> Result<String, Error> {
    of_events(db, stored, Event::is_shared)
}

/// Returns the digest of a game's page for an onlooker: of all events that everybody may know of.
pub(crate) fn of_public_page(db: &Db, stored: &StoredGame) -> Result<String, Error> {
    of_events(db, stored, Event::is_public)
}

fn of_events(
    db: &Db,
    stored: &StoredGame,
    is_known: impl Fn(&Event) -> bool,
) -> Result<String, Error> {
    let mark = db.game_mark(stored.id)?.unwrap_or_default();
    let lattice = stored.game.lattice();
    let known = stored.game.events().iter().filter(|event| is_known(event));
    Ok(of_form(&digest(&mark, known.map(|event| event.trace(lattice)))))
}

/// Returns the digest that the forms about a challenge carry; `None` if there is no such challenge.
pub(crate) fn of_challenge(db: &Db, challenge: GameId) -> Result<Option<String>, Error> {
    let mark = db.challenge_mark(challenge)?;
    Ok(mark.map(|mark| of_form(&digest(&mark, []))))
}

fn of_form(digest: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(digest).chars().take(OF_A_FORM).collect()
}

/// Returns the digest of a mark and the events since.
fn digest(mark: &str, traces: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut context = Context::new(&SHA256);
    context.update(mark.as_bytes());
    for trace in traces {
        context.update(b"\n");
        context.update(trace.as_bytes());
    }
    context.finish().as_ref().to_vec()
}
