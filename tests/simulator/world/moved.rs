//! A club that is handed over to another machine, or taken back from there.

use std::fs;
use std::path::Path;

use super::{World, new_folder};
use crate::simulator::cut::Copy;
use crate::simulator::process::{Machine, Process, Ran};
use crate::simulator::step::{Action, Step};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{Violation, holds};

/// Work on a machine from which the club has moved, or on the next one before it has taken over.
pub struct Moved<'a> {
    pub words: &'a [String],
    pub ran: &'a Ran,
    /// The tables there, before and after.
    pub tables: [&'a Tables; 2],
    /// How many mails were sent.
    pub sent: usize,
}

impl World {
    /// Hands the club over, tries an action on both machines, and lets the club go on at one of them. Nothing is
    /// handed over while a mail is being sent.
    pub(super) fn moved(&mut self, step: &Step, action: &Action) -> Result<(), Violation> {
        let is_claimed = |[state, until]: [Option<&str>; 2]| {
            state == Some("queued") && number(until) > Some(self.now().timestamp())
        };
        let is_sending = self.tables.columns("outbox", ["state", "lease_until"]).any(is_claimed);
        let Some((command, input)) = self.tried(step, action).filter(|_| !is_sending) else {
            return Ok(());
        };
        if !self.database().exists() {
            return Ok(());
        }
        let away = new_folder();
        let folder = away.path().join("club");
        let next = Machine { folder: folder.clone(), ..self.machine.clone() };
        let host =
            |machine: &Machine, words: &[&str]| machine.run_host(words, Vec::new(), step.seed);
        let path = |folder: &Path| folder.to_string_lossy().into_owned();
        let club = path(&folder);
        let done = host(&self.machine, &["handover", &club, "--to", "new.club.example"]);
        holds::the_club_moves("handover", &done)?;
        for machine in [&self.machine, &next] {
            let before = Tables::read(&machine.database());
            holds::nothing_is_lost_by_a_move(&self.tables, &before)?;
            let accepted = self.server.state().accepted.len();
            let process = Process { command: &command, input: input.clone(), seed: step.seed };
            let ran = machine.run(process, || {});
            let (words, after) = (&command.words[..], Tables::read(&machine.database()));
            let sent = self.server.state().accepted.len() - accepted;
            let tables = [&before, &after];
            holds::nothing_happens_where_the_club_is_not(&Moved {
                words,
                ran: &ran,
                tables,
                sent,
            })?;
        }
        if step.seed.is_multiple_of(3) {
            let done = host(&self.machine, &["takeover", "--back", &path(self.folder.path())]);
            holds::the_club_moves("takeover --back", &done)?;
        } else {
            let done = host(&next, &["takeover", &club]);
            holds::the_club_moves("takeover", &done)?;
            let accepted = self.server.state().accepted.len();
            Copy::of(&next.database(), accepted).put(&self.database());
        }
        fs::remove_dir_all(&folder).expect("the folder can be removed");
        let left = Tables::read(&self.database());
        holds::nothing_is_lost_by_a_move(&self.tables, &left)?;
        self.tables = left;
        self.verify()
    }
}
