//! A step is a line of text, with a seed of its own for what it leaves open.

use std::fmt;
use std::str::FromStr;

use super::pages::Request;

/// A step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The seed of the process, of the mail server in this step, and of the place of a cut.
    pub seed: u64,
    /// The fault in it.
    pub cut: Option<Cut>,
    pub action: Action,
    /// A command, with the seed of its process, that runs while the mail server takes the first mail of this step.
    pub meanwhile: Option<(u64, Command)>,
}

/// A command in a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The player; the host if there is none.
    pub actor: Option<String>,
    pub words: Vec<String>,
    /// Whether it has another configuration than that of the club.
    pub is_elsewhere: bool,
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
    Wait {
        seconds: i64,
    },
    /// Time passes while `send` runs often enough.
    Serve {
        seconds: i64,
    },
    /// The mail server changes.
    Server(Mood),
    Command(Command),
    /// A reply to a mail, by its Message-ID or as the newest one of a kind to an address, from the address it went to.
    Reply {
        to: String,
        text: String,
    },
    /// A request of a browser.
    Page(Request),
    /// Another mail comes in: about a Message-ID, an address or the seed of an earlier step, by its kind.
    Mail {
        kind: MailKind,
        about: String,
        text: String,
    },
    /// The database is copied.
    Backup,
    /// The database is replaced by the last copy.
    Restore,
    /// A command runs, or a mail comes in, while the database is away.
    Away(Box<Self>),
    /// The club is handed over to another machine, and a command runs, or a mail comes in, before it goes on.
    Moved(Box<Self>),
}

/// Which mail comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// A reply to the mail with this Message-ID, from the address it went to.
    Reply,
    /// The same, as a robot without any mark writes it, which then answers each answer.
    Robot,
    /// A reply to it from another address.
    Forged,
    /// An automatic reply to it.
    Vacation,
    /// A mail server reports about it with this action and status.
    Bounce,
    /// A new mail from this address, without proof.
    Letter,
    /// A new mail from this address, which the club's mail server has verified.
    Verified,
    /// The mail of the step with this seed comes again.
    Again,
}

const MAIL_KINDS: [(&str, MailKind); 7] = [
    ("robot", MailKind::Robot),
    ("forged", MailKind::Forged),
    ("vacation", MailKind::Vacation),
    ("bounce", MailKind::Bounce),
    ("letter", MailKind::Letter),
    ("verified", MailKind::Verified),
    ("again", MailKind::Again),
];

impl MailKind {
    pub fn word(self) -> &'static str {
        MAIL_KINDS.iter().find(|(_, kind)| *kind == self).map_or("reply", |(word, _)| word)
    }
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

impl Action {
    fn parse(text: &str) -> Option<Self> {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        Some(match word {
            "wait" => Self::Wait { seconds: rest.parse().ok()? },
            "serve" => Self::Serve { seconds: rest.parse().ok()? },
            "server" => Self::Server(MOODS.iter().find(|(it, _)| *it == rest)?.1),
            "reply" => {
                let (to, text) = rest.split_once(' ')?;
                Self::Reply { to: to.to_owned(), text: text.replace("\\n", "\n") }
            }
            "page" => Self::Page(Request { path: rest.to_owned(), form: None, is_foreign: false }),
            "form" | "forge" => {
                let (path, form) = rest.split_once(' ')?;
                let (path, form) = (path.to_owned(), Some(form.to_owned()));
                Self::Page(Request { path, form, is_foreign: word == "forge" })
            }
            _ if let Some((_, kind)) = MAIL_KINDS.iter().find(|(it, _)| *it == word) => {
                let (about, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let (about, text) = (about.to_owned(), text.replace("\\n", "\n"));
                Self::Mail { kind: *kind, about, text }
            }
            "backup" => Self::Backup,
            "restore" => Self::Restore,
            "away" => Self::Away(Box::new(Self::parse(rest)?)),
            "moved" => Self::Moved(Box::new(Self::parse(rest)?)),
            _ => Self::Command(Command::parse(text)?),
        })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x} ", self.seed)?;
        match self.cut {
            Some(Cut::Kill) => f.write_str("kill ")?,
            Some(Cut::Power) => f.write_str("power ")?,
            None => {}
        }
        write!(f, "{}", self.action)?;
        match &self.meanwhile {
            Some((seed, command)) => write!(f, "{MEANWHILE}{seed:x} {command}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wait { seconds } => write!(f, "wait {seconds}"),
            Self::Serve { seconds } => write!(f, "serve {seconds}"),
            Self::Server(mood) => {
                let (word, _) = MOODS.iter().find(|(_, it)| it == mood).ok_or(fmt::Error)?;
                write!(f, "server {word}")
            }
            Self::Command(command) => write!(f, "{command}"),
            Self::Reply { to, text } => write!(f, "reply {to} {}", text.replace('\n', "\\n")),
            Self::Mail { kind, about, text } => {
                write!(f, "{} {about} {}", kind.word(), text.replace('\n', "\\n"))
            }
            Self::Page(Request { path, form: None, .. }) => write!(f, "page {path}"),
            Self::Page(Request { path, form: Some(form), is_foreign }) => {
                write!(f, "{} {path} {form}", if *is_foreign { "forge" } else { "form" })
            }
            Self::Backup => f.write_str("backup"),
            Self::Restore => f.write_str("restore"),
            Self::Away(action) => write!(f, "away {action}"),
            Self::Moved(action) => write!(f, "moved {action}"),
        }
    }
}

/// Stands before what happens meanwhile.
const MEANWHILE: &str = " && ";

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = self.actor.as_deref().unwrap_or("host");
        let place = if self.is_elsewhere { "@elsewhere" } else { "" };
        let words = self.words.iter().map(String::as_str);
        write!(f, "{actor}{place}$ {}", shlex::try_join(words).map_err(|_| fmt::Error)?)
    }
}

impl Command {
    fn parse(text: &str) -> Option<Self> {
        let (who, words) = text.split_once(' ').unwrap_or((text, ""));
        let who = who.strip_suffix('$')?;
        let (actor, is_elsewhere) = match who.strip_suffix("@elsewhere") {
            Some(actor) => (actor, true),
            None => (who, false),
        };
        let actor = (actor != "host").then(|| actor.to_owned());
        Some(Self { actor, words: shlex::split(words)?, is_elsewhere })
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
        let with_seed = |text: &str| {
            let (seed, command) = text.split_once(' ')?;
            Some((u64::from_str_radix(seed, 16).ok()?, Command::parse(command)?))
        };
        let parse = || {
            let (line, meanwhile) = match line.rsplit_once(MEANWHILE) {
                Some((line, command)) => (line, Some(with_seed(command)?)),
                None => (line, None),
            };
            let (seed, rest) = line.split_once(' ')?;
            let seed = u64::from_str_radix(seed, 16).ok()?;
            let (cut, rest) = match rest.split_once(' ') {
                Some(("kill", rest)) => (Some(Cut::Kill), rest),
                Some(("power", rest)) => (Some(Cut::Power), rest),
                _ => (None, rest),
            };
            let action = Action::parse(rest)?;
            Some(Self { seed, cut, action, meanwhile })
        };
        parse().ok_or_else(|| NotAStep(line.to_owned()))
    }
}
