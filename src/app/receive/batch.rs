//! Processes several mails in one transaction, each of which can fail alone.

use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use crate::app::receive::ahead::Answers;
use crate::app::receive::intake;
use crate::app::receive::quarantine::Unprocessable;
use crate::app::receive::screen::Received;
use crate::app::receive::{Envelope, Processed};
use crate::app::{App, Env, Error, Reply};
use crate::clock::Deadline;
use crate::mail::read::{InboundMessage, MAX_BYTES, Unreadable};
use crate::store::{self, Db, Tx};

/// The most mails that are read before a transaction.
pub(crate) const MOST_MAILS: usize = 50;
/// The number of bytes of mail after which no more mails are read for a batch.
pub(crate) const MOST_BYTES: usize = MAX_BYTES;
/// How long a batch may keep other processes from writing.
const LONGEST_LOCK: Duration = Duration::from_millis(50);

/// The most of a mail that is held in memory: one byte more than can be parsed.
const MOST_IN_MEMORY: u64 = MAX_BYTES as u64 + 1;

/// Parses a message.
pub(crate) type Parser = fn(&[u8]) -> Result<InboundMessage, Unreadable>;

/// A mail that came in.
pub(crate) struct Incoming<'a> {
    envelope: &'a Envelope,
    /// The part of the mail after `bytes`.
    rest: Box<dyn Read + 'a>,
    pub bytes: Vec<u8>,
    message: Result<InboundMessage, Unprocessable>,
}

/// Why a mail was not processed.
enum Failed {
    /// It can never be processed and goes into the quarantine.
    Unprocessable(Unprocessable),
    /// It could not be processed now and must be delivered again.
    Fault(Error),
}

impl From<store::Error> for Failed {
    fn from(error: store::Error) -> Self {
        Self::Fault(error.into())
    }
}

impl<'a> Incoming<'a> {
    /// Reads and parses a mail.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read(
        envelope: &'a Envelope,
        input: impl Read + 'a,
        parse: Parser,
    ) -> Result<Self, Error> {
        let (mut input, mut bytes) = (input, Vec::new());
        (&mut input)
            .take(MOST_IN_MEMORY)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::fault(format!("cannot read the mail: {error}")))?;
        // A mail that makes the program panic would do so again: it must not come back.
        let message = panic::catch_unwind(|| parse(&bytes).map_err(Unprocessable::Unreadable))
            .unwrap_or(Err(Unprocessable::Panicked));
        Ok(Self { envelope, rest: Box::new(input), bytes, message })
    }

    /// Returns the mail with the database that it is checked against, if it could be parsed.
    pub(crate) fn received<'b>(&'b self, env: &'b Env, db: &'b Db) -> Option<Received<'b>> {
        let message = self.message.as_ref().ok()?;
        Some(Received::new(env, db, self.envelope, message))
    }

    /// Processes the mail as a part of the transaction.
    fn process(&self, env: &Env, tx: &Tx, answers: &Answers) -> Result<Processed, Failed> {
        let message = self.message.as_ref().map_err(|&why| Failed::Unprocessable(why))?;
        let mail = Received::new(env, tx, self.envelope, message);
        tx.part(|| {
            let run = || intake::process(mail, tx, answers).map_err(Failed::Fault);
            let processed = panic::catch_unwind(AssertUnwindSafe(run))
                .unwrap_or(Err(Failed::Unprocessable(Unprocessable::Panicked)))?;
            processed.ok_or(Failed::Unprocessable(Unprocessable::NoAuthor))
        })
    }
}

impl App {
    /// Processes mails in one transaction until it has lasted too long or a command must see an
    /// earlier change, and returns the results of the mails that were processed. A mail with an error must be delivered again.
    ///
    /// # Errors
    /// A fault because of which none was processed.
    pub(crate) fn process(
        &mut self,
        mails: &mut [Incoming],
    ) -> Result<Vec<Result<Processed, Error>>, Error> {
        let env = &self.env;
        let answers = self.store.read(|db| Ok::<_, Error>(Answers::read_all(env, db, mails)))?;
        let results = self.store.write(|tx| {
            let limit = Deadline::after(LONGEST_LOCK);
            let mut results: Vec<Result<Processed, Failed>> = Vec::new();
            for (mail, answers) in mails.iter().zip(&answers) {
                if !results.is_empty() && limit.has_passed() {
                    break;
                }
                match mail.process(env, tx, answers) {
                    Err(Failed::Fault(error)) if tx.is_undone() => return Err(error),
                    result => results.push(result),
                }
            }
            Ok::<_, Error>(results)
        })?;
        let processed = results.into_iter().zip(mails).map(|(result, mail)| match result {
            Ok(processed) => Ok(processed),
            Err(Failed::Fault(error)) => Err(error),
            Err(Failed::Unprocessable(why)) => {
                let disposition = self.quarantine(&mail.bytes, &mut mail.rest, why)?;
                Ok(Processed::new(disposition, Reply::default()))
            }
        });
        Ok(processed.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::intake::Disposition;
    use super::*;
    use crate::app::Rng;
    use crate::clock::FixedClock;
    use crate::config::Config;

    fn app(folder: &Path) -> App {
        let clock = FixedClock(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let database = folder.join("outflank.db");
        let rng = Rng::seeded(1);
        let mut app = App::open(&database, false, Config::default(), Box::new(clock), rng).unwrap();
        app.store.write(|_| Ok::<_, Error>(())).unwrap();
        app
    }

    #[test]
    fn a_mail_that_makes_the_reader_panic_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = app(folder.path());
        let long = b"poison ".repeat(1_000_000);
        for (number, mail) in [&b"poison"[..], &long, b"poison"].into_iter().enumerate() {
            let poison: Parser = |_| panic!("what a mail");
            let envelope = Envelope::default();
            let incoming = Incoming::read(&envelope, mail, poison).unwrap();
            let processed = app.process(&mut [incoming]).unwrap().remove(0).unwrap();
            assert_eq!(processed.disposition, Disposition::Quarantined, "{number}");
        }
        let kept: Vec<_> = std::fs::read_dir(folder.path().join("outflank.quarantine"))
            .unwrap()
            .map(|file| std::fs::read(file.unwrap().path()).unwrap())
            .collect();
        assert_eq!(kept.len(), 2, "the same mail is kept once");
        assert!(kept.contains(&b"poison".to_vec()));
        assert!(kept.contains(&long[..1_000_000].to_vec()), "the beginning of a long one");
        let counted = app.store.read(|db| db.intake()).unwrap();
        assert_eq!((counted[0].disposition.as_str(), counted[0].mails), ("quarantined", 3));
    }
}
