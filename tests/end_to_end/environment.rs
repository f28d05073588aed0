//! An environment with a real mail server, in real time.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::{PROGRAM, TestEnvironment};

impl TestEnvironment {
    /// Returns an environment without a database, which sends mail by this transport.
    pub fn with_transport(transport: &str) -> Self {
        let env = Self::new().with_ticking_clock();
        env.configure_transport(transport);
        env
    }

    /// Returns an environment without a database that belongs to a user of the system. It has no
    /// transport yet. Only root can create it.
    pub fn of_user(user: &str) -> Self {
        let env = Self::new().with_ticking_clock().owned_by(user);
        env.write_receiver();
        env
    }

    /// Gives the environment to a user of the system, who runs all commands.
    pub fn owned_by(self, user: &str) -> Self {
        let owner = (id("-u", user), id("-g", user));
        for folder in [self.folder(), &self.path(".config")] {
            chown(folder, Some(owner.0), Some(owner.1)).unwrap();
        }
        fs::set_permissions(self.folder(), fs::Permissions::from_mode(0o755)).unwrap();
        // The user may have no access to the folder of the binary.
        let program = self.path("outflank");
        fs::hard_link(PROGRAM, &program)
            .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
            .unwrap();
        self.run_as(program, owner)
    }

    /// Returns the program that a mail server runs for a mail to this server.
    pub fn receiver(&self) -> PathBuf {
        self.path("receive")
    }

    /// Writes the program. It sets the environment, because a mail server passes none.
    fn write_receiver(&self) {
        let (folder, config) = (self.folder().display(), self.config_file());
        let config = config.display();
        let script = format!(
            "#!/bin/sh\n\
             export OUTFLANK_DB={folder}/outflank.db OUTFLANK_CONFIG={config}\n\
             if [ -s {folder}/ahead ]; then\n\
             \tOUTFLANK_NOW=$(date -u -d \"$(cat {folder}/ahead) seconds\" +%FT%TZ) || exit 75\n\
             \texport OUTFLANK_NOW\n\
             fi\n\
             # What a stranger wrote behind the + may begin with a dash.\n\
             exec {folder}/outflank receive -- \"$@\"\n"
        );
        write_program(&self.receiver(), &script);
    }

    /// Changes the transport.
    pub fn configure_transport(&self, transport: &str) {
        let mail = "[mail]\nfrom = 'Outflank <outflank@local.test>'\n";
        self.write_config(&format!("{mail}[receive]\n[transport]\n{transport}"));
    }

    /// Returns the outbox from `mail --json`: all mails of a game, or the remaining mails of all games.
    pub fn listed_mails(&self, game: &str) -> Vec<Value> {
        let mut listed = self.json(&format!("mail {game}"));
        serde_json::from_value(listed["mails"].take()).unwrap()
    }

    /// Returns a line for each mail of a game: recipient, event, ply and state.
    pub fn mail_states(&self, game: &str) -> Vec<String> {
        let word = |value: &Value| value.to_string().trim_matches('"').to_owned();
        let line =
            |mail: &Value| ["to", "about", "ply", "state"].map(|key| word(&mail[key])).join(" ");
        self.listed_mails(game).iter().map(line).collect()
    }
}

/// Writes a script that every user may run.
pub fn write_program(file: &Path, script: &str) {
    fs::write(file, script).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns the id of a user (`-u`) or of its group (`-g`).
fn id(option: &str, user: &str) -> u32 {
    let stdout = Command::new("id").args([option, user]).output().unwrap().stdout;
    String::from_utf8(stdout).unwrap().trim().parse().unwrap()
}
