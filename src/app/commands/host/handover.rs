use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use clap::Args;
use serde_json::json;

use crate::app::{App, Error, Heading, Reply, Session, Traits, UseCase};
use crate::clock::Deadline;
use crate::config::{Config, display_path, maildir_beside};
use crate::store::Attempt;

/// Copy the club for another machine, and end it here
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
The folder gets the database with the mail that waits and all keys, the
configuration, and the files that it names in its folder. From then on
nothing is sent or changed here, and incoming mail stays with the mail
server. `outflank takeover` lets the club go on from the folder.

Example: outflank handover club --to new.club.example")]
pub struct Handover {
    /// The new folder for the copy
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The other machine, by a name that tells players where the club is
    #[arg(long, value_name = "NAME", value_parser = machine)]
    to: String,
}

/// How long to wait for the end of mails that are being sent.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Parses the name of a machine.
fn machine(name: &str) -> Result<String, String> {
    let is_line = !name.trim().is_empty() && name.len() <= 100 && !name.contains(char::is_control);
    is_line.then(|| name.to_owned()).ok_or_else(|| "give a name of up to 100 bytes".to_owned())
}

impl UseCase for Handover {
    const TRAITS: Traits = Traits::new("handover", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.folder.exists() {
            let error = Error::refused(format!("{} exists already", display_path(&self.folder)));
            return Err(error.with_hint("name a folder that does not exist yet"));
        }
        let App { store, env, .. } = session.app()?;
        let lease = store.read(|db| Ok::<_, Error>(env.lease(db)))?;
        let (inside, outside) = named_files(&env.config);
        let add = |folder: &Path| {
            inside.iter().try_for_each(|(file, name)| copy_all(file, &folder.join(name)))
        };
        let poll = |attempt: Attempt| Deadline::after(MAX_WAIT).poll(attempt);
        let request = env.request(lease.name(), None);
        if !store.hand_over(&self.to, &self.folder, &request, add, poll)? {
            let error = Error::refused("a mail is being sent");
            return Err(error.with_hint("stop `outflank send --watch`, and try again"));
        }
        let mut outside: Vec<_> = outside.iter().map(|file| display_path(file)).collect();
        let maildir = maildir_beside(&env.database);
        outside.extend(maildir.is_dir().then(|| display_path(&maildir)));
        let quarantine = session.app()?.quarantine_folder();
        let is_named = outside.contains(&display_path(&quarantine));
        outside.extend((quarantine.is_dir() && !is_named).then(|| display_path(&quarantine)));
        let folder = display_path(&self.folder);
        let mut text = format!(
            "The club has moved to {}: nothing changes here any more. Bring {folder} there, and type \
             `outflank takeover` with its folder.",
            self.to
        );
        if !outside.is_empty() {
            text += &format!(" It does not have {}.", outside.join(", "));
        }
        let json = json!({ "handover": folder, "to": self.to, "outside": outside });
        Ok(Reply::new(&json).text(text))
    }
}

/// A file or folder, and its name in the copy.
type Named = (PathBuf, PathBuf);

/// Returns the configuration and what it names in its folder, and what it names elsewhere.
fn named_files(config: &Config) -> (Vec<Named>, Vec<PathBuf>) {
    let Some(file) = config.file.as_ref().filter(|file| file.exists()) else {
        return (Vec::new(), Vec::new());
    };
    let folder = file.parent().unwrap_or(Path::new(""));
    let (mut inside, mut outside) = (Vec::new(), Vec::new());
    for named in [vec![file.clone()], config.named_files()].concat() {
        match named.strip_prefix(folder) {
            Ok(name) if named.exists() => inside.push((named.clone(), name.to_owned())),
            Ok(_) => {}
            Err(_) => outside.push(named),
        }
    }
    (inside, outside)
}

/// Copies a file or a folder, and syncs it to disk.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(above) = to.parent() {
        fs::create_dir_all(above)?;
    }
    if !from.is_dir() {
        fs::copy(from, to)?;
        return fs::File::open(to)?.sync_all();
    }
    fs::create_dir_all(to)?;
    fs::read_dir(from)?.try_for_each(|entry| {
        let entry = entry?;
        copy_all(&entry.path(), &to.join(entry.file_name()))
    })
}
