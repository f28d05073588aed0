use std::io;
use std::path::PathBuf;

use crate::command::BadAddress;
use crate::game::{Faults, FixedRules, GameId, Illegal, UnknownVariant};
use crate::mail::token::Token;
use crate::store::{MailId, MailState};
use crate::{config, mail, store};

/// Why a command was not carried out. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each says what it is")]
pub enum Error {
    #[error("there is no game {0}")]
    NoGame(GameId),
    #[error("there is no player `{name}`")]
    NoPlayer { name: String, near: Option<String> },
    #[error("{player} does not play in game {game}")]
    NotInGame { player: String, game: GameId },
    #[error("it is not {player}'s turn in game {game}: {turn}")]
    NotYourTurn { player: String, game: GameId, turn: String },
    #[error("game {game} is over: {}", result.trim_end_matches('.'))]
    GameOver { game: GameId, result: String },
    #[error("{reason}")]
    Illegal { reason: Illegal, legal: String },
    #[error("#{asked} is not the move to be made: that is #{next}")]
    OtherPly { asked: usize, next: usize },
    #[error("{label} was already played, as move #{ply} of game {game}")]
    AlreadyPlayed { game: GameId, ply: usize, label: String },
    #[error("game {game} has no move #{asked} yet: the last one is #{made}")]
    NoPly { game: GameId, asked: usize, made: usize },
    #[error("black and white are both {0}")]
    SamePlayer(String),
    #[error("the name {0} is taken")]
    NameTaken(String),
    #[error("{address} is the address of {player}")]
    AddressTaken { address: String, player: String },
    #[error("{error}")]
    NoVariant { error: UnknownVariant, near: Option<String> },
    #[error(transparent)]
    Options(#[from] FixedRules),
    #[error("the position has faults: {0}")]
    Setup(#[from] Faults),
    #[error("--size {size} and a position of {position} do not go together")]
    OtherSize { size: String, position: String },
    #[error("--frame goes with the hex lattice only: on a rectangle the first cell is a1")]
    FrameOnRectangle,
    #[error("move {number} of {of}, {label}: {error}")]
    InSequence { number: usize, of: usize, label: String, error: Box<Error> },
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error("there is no mail {0}")]
    NoMail(MailId),
    #[error("mail {id} is {} already", state.word())]
    MailDone { id: MailId, state: MailState },
    #[error("mail {0} is being sent at this moment")]
    MailInHand(MailId),
    #[error("there is no command `{0}`")]
    NoCommand(String),
    #[error("`{0}` needs --as NAME: who says so?")]
    WhoActs(&'static str),
    /// A line of a mail that is no command, and why.
    #[error("{0}")]
    Words(String),
    #[error("`mail retry ID` takes no game: a mail is named by its number alone")]
    RetryInGame,
    #[error("{0} is too long to carry codes: its part before the @ has at most {most} characters", most = 63 - Token::MAX_LEN)]
    NoRoomForCodes(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("the Maildir {} cannot be taken in: {reason}", folder.display())]
    Maildir { folder: PathBuf, reason: io::Error },
    #[error("a mail cannot be put into the quarantine {}: {reason}", folder.display())]
    Quarantine { folder: PathBuf, reason: io::Error },
    #[error("no mail is taken in: `enabled = false` in [receive] of the configuration")]
    ReceiveDisabled,
    #[error("the mail cannot be read: {0}")]
    Input(io::Error),
    #[error("two different moves for one turn: nobody can tell which is meant")]
    Ambiguous,
    #[error("you play here already, as {0}")]
    SignedUp(String),
    #[error(transparent)]
    Config(#[from] config::Error),
    #[error(transparent)]
    Transport(#[from] mail::transport::BadSettings),
    #[error("chance failed: {0}")]
    Random(#[from] getrandom::Error),
    #[error("{0}")]
    Undelivered(String),
}

/// Whose fault it is that a command was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The command asks for something that cannot be.
    Refused,
    /// The command lacks something.
    Usage,
    /// Something outside does not work: database, disk, configuration, mail.
    Fault,
}

impl Error {
    /// Whose fault it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::NoCommand(_) | Self::WhoActs(_) | Self::RetryInGame => Kind::Usage,
            Self::Store(store::Error::BackupExists(_)) => Kind::Refused,
            Self::InSequence { error, .. } => error.kind(),
            Self::Store(_)
            | Self::Config(_)
            | Self::Transport(_)
            | Self::Random(_)
            | Self::NoRoomForCodes(_)
            | Self::Maildir { .. }
            | Self::Quarantine { .. }
            | Self::Input(_)
            | Self::ReceiveDisabled
            | Self::Undelivered(_) => Kind::Fault,
            _ => Kind::Refused,
        }
    }

    /// What would be right, if that can be said.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let fixed = |text: &str| Some(text.to_owned());
        match self {
            Self::NoGame(_) => fixed("`games --all` lists the games there are"),
            Self::NoPlayer { near: Some(near), .. } | Self::NoVariant { near: Some(near), .. } => {
                Some(format!("did you mean {near}?"))
            }
            Self::NoPlayer { near: None, .. } => fixed("`players` lists the names"),
            Self::NoVariant { near: None, .. } => {
                let names: Vec<_> = crate::game::VARIANTS.iter().flat_map(|v| v.names()).collect();
                Some(format!("the variants are {}", names.join(", ")))
            }
            Self::NotInGame { game, .. } => Some(format!("`show {game}` tells who does")),
            Self::NotYourTurn { .. } => fixed("a mail comes when it is"),
            Self::Illegal { legal, .. } => Some(format!("legal: {legal}")),
            Self::AlreadyPlayed { .. } => fixed("nothing is to be done"),
            Self::OtherPly { .. } => fixed("`show` tells how the game stands"),
            Self::NoPly { game, .. } => Some(format!("`history {game}` lists the moves")),
            Self::SamePlayer(_) => fixed("name two players"),
            Self::NameTaken(_) => fixed("choose another"),
            Self::AddressTaken { player, .. } => Some(format!("use the name {player}")),
            Self::OtherSize { .. } => fixed("leave out --size"),
            Self::InSequence { error, .. } => {
                let hint = error.hint().map_or(String::new(), |hint| format!("{hint}; "));
                Some(format!("{hint}none of the moves was made"))
            }
            Self::NoCommand(_) => fixed("`help` lists the commands"),
            Self::NoMail(_) | Self::MailDone { .. } => fixed("`mail` lists the outbox"),
            Self::MailInHand(_) => fixed("look again with `mail` in a minute"),
            Self::Ambiguous => fixed("write one move"),
            Self::Maildir { .. } => fixed("name a folder that has `new` and `cur` in it"),
            Self::NoRoomForCodes(_) => {
                fixed("or set `plus_addressing = false` in [receive] of the configuration")
            }
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::Undelivered(_) => fixed("`mail` tells what becomes of it"),
            _ => None,
        }
    }
}
