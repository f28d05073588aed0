//! One mail, from its bytes to what is done and said about it, in one transaction.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};

use chrono::TimeDelta;
use ring::digest::{Context, SHA256};

use super::super::notify::{Letter, Post, To};
use super::super::{App, At, Error, Reply};
use super::standing::{self, Standing};
use super::{Envelope, Taken};
use crate::game::GameId;
use crate::mail;
use crate::mail::read::{self, Automatic, Body, InboundMessage, MAX_BYTES, Unreadable};
use crate::mail::token::{Claims, Purpose};
use crate::store::{Answered, Db, Event, Player};

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its commands were carried out or refused.
    Done,
    /// Its commands wait for a confirmation.
    Held,
    /// It was from somebody who does not play here.
    Stranger,
    /// It bore a code that was not its writer's.
    Imposter,
    /// It said that a mail of ours could not be delivered.
    Bounce,
    /// It was acted upon before.
    Copy,
    /// Its sender, or all senders, have sent too much.
    Flood,
    /// It was sent by a machine, or makes no sense, for this reason.
    Ignored(&'static str),
    /// It could not be processed, and is kept.
    Quarantined,
}

impl Fate {
    /// The word that it is counted under.
    pub(super) fn word(self) -> String {
        match self {
            Self::Done => "done".to_owned(),
            Self::Held => "held".to_owned(),
            Self::Stranger => "stranger".to_owned(),
            Self::Imposter => "imposter".to_owned(),
            Self::Bounce => "bounce".to_owned(),
            Self::Copy => "copy".to_owned(),
            Self::Flood => "flood".to_owned(),
            Self::Ignored(why) => format!("ignored: {why}"),
            Self::Quarantined => "quarantined".to_owned(),
        }
    }
}

/// How many mails of one player are acted upon within an hour, how many of one address that may be
/// anybody's, and how many of all such.
const MAILS_OF_A_PLAYER: u32 = 300;
const MAILS: u32 = 60;
const ALL_MAILS: u32 = 2000;

/// SHA-256 of texts, each told from the next.
pub(super) fn digest(texts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(&SHA256);
    for text in texts {
        context.update(&(text.len() as u64).to_be_bytes());
        context.update(text);
    }
    context.finish().as_ref().to_vec()
}

/// The most of a mail that is held in memory: what can be read, and what shows that it cannot.
const MOST_IN_MEMORY: u64 = MAX_BYTES as u64 + 1;

/// Reads a message.
pub(super) type Reader = fn(&[u8]) -> Result<InboundMessage, Unreadable>;

impl App {
    /// Takes one mail in.
    ///
    /// # Errors
    /// A fault that keeps the mail from being dealt with now; it must come again.
    pub(super) fn take_in(
        &self,
        envelope: &Envelope,
        input: &mut dyn Read,
        reader: Reader,
    ) -> Result<Taken, Error> {
        let mut bytes = Vec::new();
        (&mut *input).take(MOST_IN_MEMORY).read_to_end(&mut bytes).map_err(Error::Input)?;
        let dealt = panic::catch_unwind(AssertUnwindSafe(|| {
            let incoming = reader(&bytes).ok()?;
            self.deal_with(envelope, &incoming).transpose()
        }));
        match dealt {
            Ok(Some(dealt)) => dealt,
            // A mail that makes the program panic would do so again: it must not come back.
            Ok(None) | Err(_) => {
                let is_kept = self.quarantine(&bytes, input)?;
                let fate = if is_kept { Fate::Quarantined } else { Fate::Flood };
                self.store.write(|db| db.count_mail(&fate.word(), self.now()))?;
                Ok(Taken::new(fate, Reply::default()))
            }
        }
    }

    /// Deals with a mail; `None` when that needs to know who wrote it, and nobody can tell.
    fn deal_with(
        &self,
        envelope: &Envelope,
        incoming: &InboundMessage,
    ) -> Result<Option<Taken>, Error> {
        let mut fate = None;
        let reply = self.act(|db, post| {
            let from = incoming.from.as_deref().unwrap_or_default();
            let mail = Mail { app: self, db, envelope, incoming, from, is_trusted: false };
            let mut reply = Reply::default();
            fate = match mail.without_answer(post)? {
                None if from.is_empty() => None,
                None => Some(mail.heed(post, &mut reply)?),
                fate => fate,
            };
            if let Some(fate) = fate {
                db.count_mail(&fate.word(), self.now())?;
            }
            Ok(reply)
        })?;
        Ok(fate.map(|fate| Taken::new(fate, reply)))
    }
}

/// A mail that is dealt with.
#[derive(Clone, Copy)]
pub(super) struct Mail<'a> {
    pub app: &'a App,
    pub db: &'a Db<'a>,
    pub envelope: &'a Envelope,
    pub incoming: &'a InboundMessage,
    /// The address of its writer; empty where there is none, as in mail by machines.
    pub from: &'a str,
    /// Whether a player wrote it beyond doubt.
    pub is_trusted: bool,
}

impl<'a> Mail<'a> {
    /// What becomes of it if no person wrote it.
    fn without_answer(&self, post: &mut Post) -> Result<Option<Fate>, Error> {
        let Self { app, db, envelope, incoming, .. } = *self;
        if let Some(code) = standing::bounce_code(db, envelope, incoming)? {
            return app.came_back(db, post, &code, incoming).map(Some);
        }
        Ok(self.is_automatic()?.map(Fate::Ignored))
    }

    /// Does what somebody wants who wrote it.
    fn heed(&self, post: &mut Post, reply: &mut Reply) -> Result<Fate, Error> {
        let Self { app, db, envelope, incoming, from, .. } = *self;
        let now = app.now();
        let code = standing::code(db, envelope, incoming)?;
        let seen = self.digest(code.as_ref());
        if db.has_seen(&seen)? {
            return Ok(Fate::Copy);
        }
        let standing = app.standing(db, incoming, from, code)?;
        // Who writes in the names of others uses up nothing that is a player's.
        let (sender, is_trusted) = match &standing {
            Standing::Player(player) => (format!("player {}", player.id.0), true),
            _ => (from.to_owned(), false),
        };
        let (own, all) = db.seen_since(now - TimeDelta::hours(1), &sender)?;
        let is_flood = match is_trusted {
            true => own >= MAILS_OF_A_PLAYER,
            false => own >= MAILS || all >= ALL_MAILS,
        };
        if is_flood {
            return Ok(Fate::Flood);
        }
        db.see(&seen, &sender, now)?;

        let mail = Self { is_trusted, ..*self };
        if let Some(code) = code.filter(|code| code.purpose == Purpose::Confirm) {
            return mail.confirmed(post, reply, &code);
        }
        match standing {
            Standing::Player(player) => {
                if player.bounces > 0 && player.address.eq_ignore_ascii_case(from) {
                    // The address is alive.
                    db.set_bounces(player.id, 0)?;
                }
                mail.carry_out(post, reply, &player, code.as_ref())
            }
            Standing::Claimed(player) => mail.hold(post, &player),
            Standing::Imposter(owner) => mail.warn(post, &owner, code.as_ref()),
            Standing::Stranger => mail.welcome(post),
        }
    }

    /// Why nobody is to act on it or to answer it.
    fn is_automatic(&self) -> Result<Option<&'static str>, Error> {
        let Self { app, db, envelope, incoming, from, .. } = *self;
        if let Some(automatic) = incoming.automatic {
            return Ok(Some(automatic.word()));
        }
        if envelope.sender.as_deref().is_some_and(read::is_null_path) {
            return Ok(Some(Automatic::NullPath.word()));
        }
        let own = &app.config.mail.from.email;
        let is_own_address = |address: &str| {
            address.rsplit_once('@').is_some_and(|(local, domain)| {
                let local = local.split('+').next().unwrap_or_default();
                local.eq_ignore_ascii_case(own.user()) && domain.eq_ignore_ascii_case(own.domain())
            })
        };
        let is_own_id = match (&incoming.message_id, db.installation()?) {
            (Some(id), Some(installation)) => mail::is_own(id, &installation.token),
            _ => false,
        };
        Ok((is_own_address(from) || is_own_id).then_some("our own"))
    }

    /// What tells it from other mails, and is the same in all its copies: what it answers, too, as
    /// not every mail has a Message-ID.
    fn digest(&self, code: Option<&Claims>) -> Vec<u8> {
        let Self { incoming, from, .. } = *self;
        let text = match &incoming.body {
            Body::Lines { whole, .. } => whole.as_str(),
            _ => "",
        };
        let id = incoming.message_id.as_deref().unwrap_or_default();
        let date = incoming.date.as_deref().unwrap_or_default();
        let from = from.to_lowercase();
        let code = code.map_or(String::new(), |code| format!("{code:?}"));
        digest(&[id, date, &from, &incoming.subject, text, &code].map(str::as_bytes))
    }

    /// What an answer to it refers to.
    pub(super) fn answered(&self) -> Answered<'a> {
        Answered { message_id: self.incoming.message_id.as_deref() }
    }

    /// Answers it: says something to somebody, about a game where there is one.
    pub(super) fn answer(
        &self,
        post: &mut Post,
        to: To,
        game: Option<(GameId, usize)>,
        said: &str,
    ) -> Result<(), Error> {
        let letter = Letter {
            event: Event::Answer,
            to,
            game,
            said: Some(said),
            held: None,
            answer: Some(self.answered()),
            is_trusted: self.is_trusted,
        };
        post.add(&letter).map(drop)
    }

    /// Somebody else has used a player's code: the player is told, once for each such address.
    pub(super) fn warn(
        &self,
        post: &mut Post,
        owner: &Player,
        code: Option<&Claims>,
    ) -> Result<Fate, Error> {
        let Self { app, db, from, .. } = *self;
        let told = digest(&[b"imposter", owner.name.as_bytes(), from.to_lowercase().as_bytes()]);
        if !db.has_seen(&told)? {
            let game = match self.at(owner, code)? {
                Some((id, _)) => self.as_it_stands(owner, id)?,
                None => None,
            };
            let is_told = post.add(&Letter {
                event: Event::Mismatch,
                to: To::Player(owner),
                game,
                said: Some(from),
                held: None,
                // It is not the owner's mail, so it is none that the owner could find.
                answer: Some(Answered { message_id: None }),
                is_trusted: false,
            })?;
            if is_told {
                db.see(&told, from, app.now())?;
            }
        }
        Ok(Fate::Imposter)
    }

    /// The game that a mail with this code answers, and as it stood after how many moves.
    pub(super) fn at(&self, player: &Player, code: Option<&Claims>) -> Result<At, Error> {
        let Some(code) = code.filter(|code| code.purpose == Purpose::Play && code.number > 0)
        else {
            return Ok(None);
        };
        let id = GameId(code.number);
        Ok(self.as_it_stands(player, id)?.map(|_| (id, code.ply)))
    }

    /// A game of this player and how many moves it has; `None` when it is not the player's.
    pub(super) fn as_it_stands(&self, player: &Player, id: GameId) -> Result<At, Error> {
        let stored = self.db.game(id)?;
        let own = stored.filter(|stored| stored.color_of(player.id).is_some());
        Ok(own.map(|stored| (id, stored.game.plies().len())))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::app::Dice;
    use crate::clock::FixedClock;
    use crate::config::Config;

    fn app(folder: &Path) -> App {
        let clock = FixedClock(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let database = folder.join("outflank.db");
        App::open(&database, Config::default(), Box::new(clock), Dice::seeded(1)).unwrap()
    }

    #[test]
    fn a_mail_that_makes_the_reader_panic_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path());
        let long = b"poison ".repeat(1_000_000);
        for (number, mail) in [&b"poison"[..], &long, b"poison"].into_iter().enumerate() {
            let poison: Reader = |_| panic!("what a mail");
            let taken = app.take_in(&Envelope::default(), &mut &mail[..], poison).unwrap();
            assert_eq!(taken.fate, Fate::Quarantined, "{number}");
        }
        let kept: Vec<_> = std::fs::read_dir(folder.path().join("outflank.quarantine"))
            .unwrap()
            .map(|file| std::fs::read(file.unwrap().path()).unwrap())
            .collect();
        assert_eq!(kept.len(), 2, "the same mail is kept once");
        assert!(kept.contains(&b"poison".to_vec()) && kept.contains(&long));
        let counted = app.store.read(|db| db.intake()).unwrap();
        assert_eq!((counted[0].fate.as_str(), counted[0].mails), ("quarantined", 3));
    }

    #[test]
    fn digests_tell_texts_apart() {
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"ab", b""]), digest(&[b"a", b"b"]));
    }
}
