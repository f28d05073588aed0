//! Processes several mails in one transaction. Each can fail alone.

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use crate::app::receive::answers::{Prepared, prepare_all};
use crate::app::receive::inbound::{Processed, Unprocessable};
use crate::app::receive::process;
use crate::app::receive::read::Incoming;
use crate::app::{App, ClaimMails, Env, Error};
use crate::clock::Deadline;
use crate::mail::read::MAX_BYTES;
use crate::store::{self, Tx};

/// The most mails that are read before a transaction.
pub(crate) const MAX_BATCH_MAILS: usize = 50;
/// After this many bytes of mail, no more mails are read for a batch.
pub(crate) const MAX_BATCH_BYTES: usize = MAX_BYTES;
/// How long a batch may keep other processes from writing.
const MAX_LOCK_TIME: Duration = Duration::from_millis(50);

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

impl App {
    /// Processes mails in one transaction until it has lasted too long or a command must see an
    /// earlier change. Returns the results of the mails that were processed; a mail with an error
    /// must be delivered again. With `claims`, the mails that they cause are claimed, and the caller delivers
    /// them.
    ///
    /// # Errors
    /// A fault that concerns all of them: none was processed.
    pub(crate) fn process(
        &mut self,
        mails: &mut [Incoming],
        claims: Option<ClaimMails>,
    ) -> Result<Vec<Result<Processed, Error>>, Error> {
        let env = &self.env;
        let prepared = self.store.read(|db| Ok::<_, Error>(prepare_all(env, db, mails)))?;
        let results = self.store.write(|tx| {
            let limit = Deadline::after(MAX_LOCK_TIME);
            let mut results: Vec<Result<Processed, Failed>> = Vec::new();
            for (mail, prepared) in mails.iter().zip(prepared) {
                if !results.is_empty() && limit.has_passed() {
                    break;
                }
                match process_part(env, tx, mail, prepared) {
                    Err(Failed::Fault(error)) if tx.is_undone() => return Err(error),
                    result => results.push(result),
                }
            }
            for processed in results.iter_mut().filter_map(|result| result.as_mut().ok()) {
                let claim = |claims: ClaimMails| claims.of(env, tx, &processed.mails);
                processed.claimed = claims.map_or(Ok(None), claim)?;
            }
            Ok::<_, Error>(results)
        })?;
        let processed = results.into_iter().zip(mails).map(|(result, mail)| match result {
            Ok(processed) => Ok(processed),
            Err(Failed::Fault(error)) => Err(error),
            Err(Failed::Unprocessable(why)) => {
                let disposition = self.quarantine(&mail.bytes, &mut mail.rest, why)?;
                let (player, understood) = (None, Vec::new());
                let (mails, claimed) = (Vec::new(), None);
                Ok(Processed { disposition, mails, claimed, player, understood })
            }
        });
        Ok(processed.collect())
    }
}

/// Processes a mail as a part of the transaction that can be undone alone.
fn process_part(
    env: &Env,
    tx: &Tx,
    incoming: &Incoming,
    prepared: Prepared,
) -> Result<Processed, Failed> {
    let mail = incoming.mail.as_ref().map_err(|&why| Failed::Unprocessable(why))?;
    tx.part(|| {
        let process = || process::process(env, tx, mail, prepared);
        let run = || env.at_one_time(process).map_err(Failed::Fault);
        let processed = panic::catch_unwind(AssertUnwindSafe(run))
            .unwrap_or(Err(Failed::Unprocessable(Unprocessable::Panicked)))?;
        processed.map_err(Failed::Unprocessable)
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use chrono::{DateTime, Utc};

    use super::*;
    use crate::app::Rng;
    use crate::app::access::tokens::Tokens;
    use crate::app::receive::inbound::{Disposition, Envelope};
    use crate::app::receive::read::Parser;
    use crate::clock::{Clock, FixedClock};
    use crate::config::Config;
    use crate::mail::read;
    use crate::store::{Db, MailId, Store};
    use outflank_model::mail::{MailContent, MessageKind};

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn app(folder: &Path, clock: impl Clock + 'static) -> App {
        let (database, rng) = (folder.join("outflank.db"), Rng::seeded(1));
        App::open(&database, false, Config::default(), Box::new(clock), rng).unwrap()
    }

    #[test]
    fn a_mail_that_makes_the_reader_panic_is_kept_whole() {
        let folder = tempfile::tempdir().unwrap();
        let mut app = app(folder.path(), FixedClock(NOW));
        app.store.write_or_create(|_| Ok::<_, Error>(())).unwrap();
        let long = b"poison ".repeat(1_000_000);
        for (number, mail) in [&b"poison"[..], &long, b"poison"].into_iter().enumerate() {
            let poison: Parser = |_| panic!("what a mail");
            let envelope = Envelope::default();
            let incoming = Incoming::read(&envelope, mail, poison).unwrap();
            let processed = app.process(&mut [incoming], None).unwrap().remove(0).unwrap();
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

    /// A clock that counts how many of its readings happen while another process can write.
    struct Writer {
        database: PathBuf,
        writes: Arc<AtomicUsize>,
    }

    impl Clock for Writer {
        fn now(&self) -> DateTime<Utc> {
            let mut other = Store::open(&self.database, false).unwrap();
            other.limit_waiting(Duration::ZERO);
            if other.write(|_| Ok::<_, Error>(())).is_ok() {
                self.writes.fetch_add(1, Ordering::Relaxed);
            }
            NOW
        }
    }

    /// Processes a player's mail. Returns the number of clock readings at which another process
    /// could write.
    fn writes_during(folder: &Path, text: &str) -> usize {
        let writes = Arc::new(AtomicUsize::new(0));
        let database = folder.join("outflank.db");
        let mut app = app(folder, Writer { database, writes: Arc::clone(&writes) });
        let address = "alice@example.org";
        if app.store.must_exist().is_err() {
            let sign_up = |tx: &Tx| {
                tx.add_installation("club", &[8; 32], "mark", NOW)?;
                tx.add_player("alice", address, &[7; 32], NOW)
            };
            app.store.write_or_create(sign_up).unwrap();
        }
        let alice = app.store.read(|db| db.player_at(address)).unwrap().unwrap();
        let content = MailContent::of(MessageKind::Reminder);
        let token =
            |db: &Db| Tokens::of(db, Some(alice.id))?.without_game(MailId(1), &content, NOW);
        let token = app.store.read(token).unwrap().unwrap();
        let recipient = format!("outflank+{token}@localhost");
        let envelope = Envelope { recipient: Some(recipient), ..Envelope::default() };
        let mail = format!("From: {address}\r\nMessage-ID: <{}@x>\r\n\r\n{text}", text.len());
        let mail = Incoming::read(&envelope, mail.as_bytes(), read::read).unwrap();
        let processed = app.process(&mut [mail], None).unwrap().remove(0).unwrap();
        assert_eq!(processed.disposition, Disposition::Done);
        assert_eq!(processed.mails.len(), 1, "{text}");
        writes.load(Ordering::Relaxed)
    }

    /// `games` and `players` read the time once.
    #[test]
    fn a_mail_locks_the_database_only_from_its_first_change_on() {
        let folder = tempfile::tempdir().unwrap();
        let count = |text| writes_during(folder.path(), text);
        let without = count("receipt on");
        assert_eq!(count("games") - without, 1);
        assert_eq!(count("players\ngames\nresign 7\ngames --all"), without + 2);
        assert_eq!(count("receipt off\ngames"), without);
        assert_eq!(count("games\ngames --all\ngames --finished"), without + 3);
    }
}
