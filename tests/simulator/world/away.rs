//! A database that is moved away for a while: with all its files, or without its log.

use std::fs;
use std::path::Path;

use super::{World, new_folder};
use crate::simulator::process::{DATABASE, Process, Ran};
use crate::simulator::step::{Action, Command, Step};
use crate::simulator::tables::Tables;
use crate::simulator::{Violation, cut, holds, mailer};

/// Work while the database is away.
pub struct Away<'a> {
    pub words: &'a [String],
    pub ran: &'a Ran,
    /// The files that lay there before and after.
    pub files: [Vec<String>; 2],
    /// How many mails were sent.
    pub sent: usize,
}

impl World {
    /// Runs a command, or lets a mail come in, while the database is away. Then it is put back.
    pub(super) fn without_database(
        &mut self,
        step: &Step,
        action: &Action,
    ) -> Result<(), Violation> {
        let database = self.database();
        if !database.exists() || !cut::log_of(&database).exists() {
            return Ok(());
        }
        let accepted = self.server.state().accepted.len();
        let Some((command, input)) = self.tried(step, action) else { return Ok(()) };
        // Without a log there, these create another database.
        let needs_log = matches!(&*command.words[0], "new" | "signup");
        let moves_all = step.seed.is_multiple_of(2) && !needs_log;
        let away = new_folder();
        let is_moved =
            |name: &&String| **name == DATABASE || moves_all && name.starts_with(DATABASE);
        let moved: Vec<String> = self.files().iter().filter(is_moved).cloned().collect();
        let folder = self.folder.path();
        let carry = |from: &Path, to: &Path| {
            moved.iter().try_for_each(|name| fs::rename(from.join(name), to.join(name)))
        };
        carry(folder, away.path()).expect("the files can be moved");
        let before = self.files();
        let process = Process { command: &command, input, seed: step.seed };
        let ran = self.run(process, true, || {});
        let files = [before, self.files()];
        carry(away.path(), folder).expect("the files can be put back");
        let sent = self.server.state().accepted.len() - accepted;
        holds::nothing_is_made_without_the_database(&Away {
            words: &command.words,
            ran: &ran,
            files,
            sent,
        })?;
        let left = Tables::read(&database);
        holds::refusal_changes_nothing(&command.words, &ran, &self.tables, &left)?;
        self.verify()
    }

    /// Returns the command of an action with its input, or `receive` with the mail that comes in.
    pub(super) fn tried(&self, step: &Step, action: &Action) -> Option<(Command, Vec<u8>)> {
        match action {
            Action::Command(command) => Some((command.clone(), Vec::new())),
            Action::Mail { kind, about, text } => {
                let (mails, now) = (&self.server.state().accepted, self.now());
                let mail =
                    mailer::incoming(*kind, about, text, step.seed, mails, &self.tables, now)?;
                let command = Command { actor: None, words: mail.words(), is_elsewhere: false };
                Some((command, mail.bytes))
            }
            _ => None,
        }
    }

    /// Returns the names of the files in the folder of the database.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder can be read");
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names
    }
}
