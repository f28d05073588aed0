//! Runs the commands of mails that only read, before the transaction in which the mails are
//! processed, so that other processes can write meanwhile.

use std::panic::{self, AssertUnwindSafe};

use crate::app::receive::batch::Incoming;
use crate::app::receive::parse;
use crate::app::receive::parse::Request;
use crate::app::receive::run;
use crate::app::receive::run::MOST_TEXT;
use crate::app::receive::screen::Accepted;
use crate::app::receive::screen::Received;
use crate::app::receive::sender::SenderCheck;
use crate::app::session::Access;
use crate::app::{Env, Error};
use crate::mail::token::Purpose;
use crate::store::{Db, HeldId, Player, PlayerId};

/// The answers to the first commands of a mail, up to the first command that writes.
#[derive(Default)]
pub(crate) struct Answers {
    player: Option<PlayerId>,
    /// The words of the commands, and what they answer.
    answers: Vec<(String, Result<String, Error>)>,
    /// Whether the mail may change what other commands answer.
    is_change: bool,
}

impl Answers {
    /// Reads the answers for the first mails of a list. Before a mail whose answers an earlier one
    /// may change, the list ends.
    pub(crate) fn read_all(env: &Env, db: &Db, mails: &[Incoming]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for mail in mails {
            let read = || mail.received(env, db).map(|received| Self::read(received).ok());
            // The transaction reports faults and mails that make the program panic.
            let answers = panic::catch_unwind(AssertUnwindSafe(read)).ok().flatten().flatten();
            let answers = answers.unwrap_or_default();
            if !answers.answers.is_empty() && all.iter().any(|earlier| earlier.is_change) {
                break;
            }
            all.push(answers);
        }
        all
    }

    fn read(mail: Received) -> Result<Self, Error> {
        if mail.bounce_token()?.is_some() || mail.automatic_reason()?.is_some() {
            return Ok(Self::default());
        }
        let Ok(Accepted { token, check, .. }) = mail.screen()? else { return Ok(Self::default()) };
        let (player, commands) = match (token, check) {
            (Some(token), _) if token.purpose == Purpose::Confirm => {
                let held = mail.db.held(HeldId(token.number))?;
                let Some((player, held)) = held.and_then(|held| Some((held.player?, held))) else {
                    return Ok(Self { is_change: true, ..Self::default() });
                };
                (mail.db.player(player)?, parse::commands_in(held.commands.lines(), None))
            }
            (token, SenderCheck::Trusted(player)) => {
                let at = mail.at(&player, token.as_ref())?;
                (player, mail.commands(at, token.as_ref()))
            }
            _ => return Ok(Self::default()),
        };
        let mut answers = Self { player: Some(player.id), ..Self::default() };
        for parsed in commands {
            let Request::Command(command) = parsed.request else { continue };
            if answers.of(&player, &parsed.words).is_some() {
                continue;
            }
            let access = Access::ReadOnly { env: mail.env, db: mail.db };
            let answer = run::run(&command, &player, access).map(|reply| {
                let mut text = reply.to_text(&player);
                text.truncate(text.floor_char_boundary(MOST_TEXT));
                text
            });
            if answer.as_ref().is_err_and(Error::is_fault) {
                answers.is_change = true;
                break;
            }
            answers.answers.push((parsed.words, answer));
        }
        Ok(answers)
    }

    /// Returns the answer to a command of this player, if it was read.
    pub(crate) fn of(&self, player: &Player, words: &str) -> Option<Result<String, Error>> {
        let mut answers = self.answers.iter().filter(|_| self.player == Some(player.id));
        answers.find(|(command, _)| command == words).map(|(_, answer)| answer.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use chrono::{DateTime, Utc};

    use super::super::Envelope;
    use super::*;
    use crate::app::tokens::Tokens;
    use crate::app::{App, Rng};
    use crate::clock::Clock;
    use crate::config::Config;
    use crate::mail::read;
    use crate::store::Store;

    const NOW: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// A clock that counts how often another process can write when somebody asks for the time.
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

    /// Returns how often another process could write while a mail of a player was processed.
    fn writes_during(folder: &Path, text: &str) -> usize {
        let database = folder.join("outflank.db");
        let writes = Arc::new(AtomicUsize::new(0));
        let clock = Writer { database: database.clone(), writes: Arc::clone(&writes) };
        let rng = Rng::seeded(1);
        let mut app = App::open(&database, false, Config::default(), Box::new(clock), rng).unwrap();
        let address = "alice@example.org";
        if app.store.must_exist().is_err() {
            let sign_up = |tx: &crate::store::Tx| tx.add_player("alice", address, &[7; 32], NOW);
            app.store.write(sign_up).unwrap();
        }
        let alice = app.store.read(|db| db.player_at(address)).unwrap().unwrap();
        let tokens = app.store.read(|db| Tokens::of(db, Some(alice.id))).unwrap();
        let recipient = format!("outflank+{}@localhost", tokens.for_replies(None, None).unwrap());
        let envelope = Envelope { recipient: Some(recipient), ..Envelope::default() };
        let mail = format!("From: {address}\r\nMessage-ID: <{}@x>\r\n\r\n{text}", text.len());
        let mail = Incoming::read(&envelope, mail.as_bytes(), read::read).unwrap();
        let processed = app.process(&mut [mail]).unwrap().remove(0).unwrap();
        assert_eq!(processed.disposition.word(), "done");
        assert_eq!(processed.reply.mails.len(), 1, "{text}");
        writes.load(Ordering::Relaxed)
    }

    /// `games` asks for the time once.
    #[test]
    fn other_processes_can_write_while_a_mail_reads_before_its_first_change() {
        let folder = tempfile::tempdir().unwrap();
        let count = |text| writes_during(folder.path(), text);
        let without = count("receipt on");
        assert_eq!(count("games") - without, 1);
        assert_eq!(count("players\ngames\nresign 7\ngames --all"), without + 1);
        assert_eq!(count("receipt off\ngames"), without);
        assert_eq!(count("games\ngames --all\ngames --finished"), without + 3);
    }
}
