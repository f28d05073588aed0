//! A step is a line of text, with a seed of its own for what it leaves open.

use std::fmt;
use std::str::FromStr;

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The seed of the process, of the mail server in this step, and of the place of a cut.
    pub seed: u64,
    /// The fault in it.
    pub cut: Option<Cut>,
    pub action: Action,
}

/// What ends a step before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The process is killed: what it wrote so far stays.
    Kill,
    /// The machine loses its power: only what was synced stays for sure.
    Power,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Time passes; less than zero if the clock is set back.
    Wait { seconds: i64 },
    /// The mail server changes.
    Server(Mood),
    /// A command in a shell, by a player or the host.
    Command { actor: Option<String>, words: Vec<String> },
    /// A reply to a mail, by its Message-ID, from the address it went to.
    Reply { to: String, text: String },
    /// The database is copied.
    Backup,
    /// The database is replaced by the last copy.
    Restore,
}

/// How the mail server behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    #[default]
    Good,
    /// Some mails are deferred, or accepted without an answer that says so.
    Flaky,
    /// No mail is accepted.
    Down,
}

const MOODS: [(&str, Mood); 3] =
    [("good", Mood::Good), ("flaky", Mood::Flaky), ("down", Mood::Down)];

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x} ", self.seed)?;
        match self.cut {
            Some(Cut::Kill) => f.write_str("kill ")?,
            Some(Cut::Power) => f.write_str("power ")?,
            None => {}
        }
        match &self.action {
            Action::Wait { seconds } => write!(f, "wait {seconds}"),
            Action::Server(mood) => {
                let (word, _) = MOODS.iter().find(|(_, it)| it == mood).ok_or(fmt::Error)?;
                write!(f, "server {word}")
            }
            Action::Command { actor, words } => {
                let actor = actor.as_deref().unwrap_or("host");
                let words = words.iter().map(String::as_str);
                write!(f, "{actor}$ {}", shlex::try_join(words).map_err(|_| fmt::Error)?)
            }
            Action::Reply { to, text } => write!(f, "reply {to} {}", text.replace('\n', "\\n")),
            Action::Backup => f.write_str("backup"),
            Action::Restore => f.write_str("restore"),
        }
    }
}

/// A line that is not a step.
#[derive(Debug)]
pub struct NotAStep(pub String);

impl fmt::Display for NotAStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a step", self.0)
    }
}

impl FromStr for Step {
    type Err = NotAStep;

    fn from_str(line: &str) -> Result<Self, NotAStep> {
        let parse = || {
            let (seed, rest) = line.split_once(' ')?;
            let seed = u64::from_str_radix(seed, 16).ok()?;
            let (cut, rest) = match rest.split_once(' ') {
                Some(("kill", rest)) => (Some(Cut::Kill), rest),
                Some(("power", rest)) => (Some(Cut::Power), rest),
                _ => (None, rest),
            };
            let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let action = match word {
                "wait" => Action::Wait { seconds: rest.parse().ok()? },
                "server" => Action::Server(MOODS.iter().find(|(it, _)| *it == rest)?.1),
                "reply" => {
                    let (to, text) = rest.split_once(' ')?;
                    Action::Reply { to: to.to_owned(), text: text.replace("\\n", "\n") }
                }
                "backup" => Action::Backup,
                "restore" => Action::Restore,
                _ => {
                    let actor = word.strip_suffix('$')?;
                    let actor = (actor != "host").then(|| actor.to_owned());
                    Action::Command { actor, words: shlex::split(rest)? }
                }
            };
            Some(Self { seed, cut, action })
        };
        parse().ok_or_else(|| NotAStep(line.to_owned()))
    }
}
