//! An environment whose mail goes through a real mail server, in real time.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::{PROGRAM, TestEnvironment};

impl TestEnvironment {
    /// An empty one, whose mail goes out by a transport of these settings.
    pub fn with_transport(transport: &str) -> Self {
        let env = Self::new().with_ticking_clock();
        env.configure_transport(transport);
        env
    }

    /// An empty one that belongs to this user of the system, whose transport is still to be
    /// configured. Only root can make one.
    pub fn of_user(user: &str) -> Self {
        let env = Self::new().with_ticking_clock();
        let owner = (id("-u", user), id("-g", user));
        chown(env.folder(), Some(owner.0), Some(owner.1)).unwrap();
        fs::set_permissions(env.folder(), fs::Permissions::from_mode(0o755)).unwrap();
        // That user may be unable to reach the program where it was built.
        let program = env.path("outflank");
        fs::hard_link(PROGRAM, &program)
            .or_else(|_| fs::copy(PROGRAM, &program).map(drop))
            .unwrap();
        let env = env.run_as(program, owner);
        env.write_receiver();
        env
    }

    /// The program that a mail server runs for a mail to this server.
    pub fn receiver(&self) -> PathBuf {
        self.path("receive")
    }

    /// A mail server passes no environment on.
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

    /// The outbox as `mail --json` lists it: all mails of one game, or the remaining ones of all.
    pub fn listed_mails(&self, game: &str) -> Vec<Value> {
        let mut listed = self.json(&format!("mail {game}"));
        serde_json::from_value(listed["mails"].take()).unwrap()
    }

    /// A line for each mail of a game: recipient, event, ply and state.
    pub fn mail_states(&self, game: &str) -> Vec<String> {
        let word = |value: &Value| value.to_string().trim_matches('"').to_owned();
        let line =
            |mail: &Value| ["to", "about", "ply", "state"].map(|key| word(&mail[key])).join(" ");
        self.listed_mails(game).iter().map(line).collect()
    }
}

/// Writes a script that everybody may run.
pub fn write_program(file: &Path, script: &str) {
    fs::write(file, script).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The number of a user (`-u`) or of its group (`-g`).
fn id(option: &str, user: &str) -> u32 {
    let stdout = Command::new("id").args([option, user]).output().unwrap().stdout;
    String::from_utf8(stdout).unwrap().trim().parse().unwrap()
}
