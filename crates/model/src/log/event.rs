use std::str::FromStr;

use outflank_rules::{Cells, Color, Lattice, Move, quoted};

use crate::words;

/// One entry of a game's log: an action and its author.
///
/// A new kind of event is an [`Action`] here, applied in `Game::apply`, and announced in
/// `src/app/effects/mails.rs` of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The player who did it; `None` for the host and the clock.
    pub by: Option<Color>,
    /// What happened.
    pub action: Action,
}

impl Event {
    /// Returns the event that this player causes.
    pub const fn by(player: Color, action: Action) -> Self {
        Self { by: Some(player), action }
    }

    /// Returns the event that the host or the clock causes.
    pub const fn by_host(action: Action) -> Self {
        Self { by: None, action }
    }

    /// Returns whether both players know of it: all but notes.
    pub const fn is_shared(&self) -> bool {
        !matches!(self.action, Action::Note(_))
    }

    /// Returns whether everybody may know of it: it is neither words nor an offer.
    pub const fn is_public(&self) -> bool {
        match self.action {
            Action::Note(_)
            | Action::Say(_)
            | Action::Offer(_)
            | Action::Decline
            | Action::Settings(_)
            | Action::Hint => false,
            Action::Move(_)
            | Action::AutoPass
            | Action::Given(_)
            | Action::Resign
            | Action::TakeBack
            | Action::Accept
            | Action::Unpause
            | Action::Claim
            | Action::Flag(_)
            | Action::TimeOut(_)
            | Action::Away { .. }
            | Action::Back
            | Action::Outage { .. }
            | Action::Extend { .. }
            | Action::Annul { .. }
            | Action::Forfeit { .. } => true,
        }
    }

    /// Returns the author and the kind of the action, without the words of people, which can be erased:
    /// `b d3`, `w say`.
    pub fn trace(&self, lattice: Lattice) -> String {
        let label = self.action.label(lattice);
        let kind = match &self.action {
            // The kind of an offer is its second word.
            Action::Offer(_) => &*label,
            _ => label.split(' ').next().unwrap_or_default(),
        };
        format!("{} {kind}", self.by.map_or('h', Color::letter))
    }
}

/// What can happen in a game. Times are seconds since 1970 in UTC, spans are seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// The player makes a move: places a disc or passes.
    Move(Move),
    /// The player cannot place a disc and passes automatically.
    AutoPass,
    /// A move of the opening that the game begins with: nobody chose it.
    Given(Move),
    /// The player resigns, on turn or not.
    Resign,
    /// The player takes back their last move and all moves after it.
    TakeBack,
    /// The player offers the opponent something.
    Offer(Offer),
    /// The player accepts the opponent's open offer.
    Accept,
    /// The player declines the opponent's open offer, or withdraws their own. Without an open offer, a
    /// player who has not moved declines the game.
    Decline,
    /// The player ends a pause.
    Unpause,
    /// The player claims the game, because the opponent has not moved in time.
    Claim,
    /// The time of the player on turn has run out.
    Flag(Color),
    /// The time of the player on turn has run out, which loses the game.
    TimeOut(Color),
    /// The clocks of the player stand still during an absence.
    Away {
        /// Its first moment.
        from: i64,
        /// The first moment after it.
        until: i64,
    },
    /// The player is back, or will not be away.
    Back,
    /// From the player's turn on, these settings of the player apply to the clock.
    Settings(String),
    /// The player asked for the values of the moves, in a game against a computer player.
    Hint,
    /// The player says something to the opponent.
    Say(String),
    /// The player notes something that nobody else sees.
    Note(String),
    /// The time of the player to move ran out while the server was down, or while the turn mail could not
    /// be sent, so it ends later.
    Outage {
        /// When the server last checked for passed deadlines, or since when no mail could be sent.
        since: i64,
        /// Whether it was the mail server that was down.
        of_mail: bool,
    },
    /// The host gives a player more time.
    Extend {
        /// The player.
        player: Color,
        /// How much more.
        span: i64,
        /// Why; may be empty.
        reason: String,
    },
    /// The host ends the game, or a player who leaves the club does, or the host lets one that is over
    /// count no more. It counts for nobody.
    Annul {
        /// Why; may be empty.
        reason: String,
    },
    /// The host declares the game lost for this player.
    Forfeit {
        /// The player.
        player: Color,
        /// Why; may be empty.
        reason: String,
    },
}

words! {
    /// An offer of a player to the opponent. Its word is also the command that makes it.
    Offer {
        /// To end the game with a draw.
        Draw = "draw",
        /// To go back to before the last move of the player who asks.
        TakeBack = "takeback",
        /// To stop the clocks.
        Pause = "pause",
        /// To play again with the other colours.
        Rematch = "rematch",
    }
}

impl Offer {
    /// Returns its name in sentences: "offer of a draw", "request for a pause".
    pub fn noun(self) -> String {
        match self {
            Self::Draw | Self::Rematch => format!("offer of a {self}"),
            Self::TakeBack | Self::Pause => format!("request for a {self}"),
        }
    }
}

/// A text is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not an event", quoted(.0))]
pub struct BadAction(pub String);

impl Action {
    /// Returns the move that it is, if it is one, and whether its player chose it.
    pub const fn as_move(&self) -> Option<(Move, bool)> {
        match self {
            Self::Move(mv) => Some((*mv, true)),
            Self::AutoPass => Some((Move::Pass, false)),
            Self::Given(mv) => Some((*mv, false)),
            _ => None,
        }
    }

    /// Returns its text, which [`str::parse`] reads: `d3`, `pass`, `offer draw`, `say Hello`.
    pub fn label(&self, lattice: Lattice) -> String {
        match self {
            Self::Move(mv) => lattice.move_label(*mv),
            Self::AutoPass => "auto-pass".to_owned(),
            Self::Given(mv) => format!("given {}", lattice.move_label(*mv)),
            Self::Resign => "resign".to_owned(),
            Self::TakeBack => "takeback".to_owned(),
            Self::Offer(offer) => format!("offer {offer}"),
            Self::Accept => "accept".to_owned(),
            Self::Decline => "decline".to_owned(),
            Self::Unpause => "unpause".to_owned(),
            Self::Claim => "claim".to_owned(),
            Self::Flag(player) => format!("flag {}", player.letter()),
            Self::TimeOut(player) => format!("time-out {}", player.letter()),
            Self::Away { from, until } => format!("away {from} {until}"),
            Self::Back => "back".to_owned(),
            Self::Settings(settings) => format!("settings {settings}"),
            Self::Hint => "hint".to_owned(),
            Self::Say(words) => format!("say {words}"),
            Self::Note(words) => format!("note {words}"),
            Self::Outage { since, of_mail: false } => format!("outage {since}"),
            Self::Outage { since, of_mail: true } => format!("outage {since} mail"),
            Self::Extend { player, span, reason } => {
                format!("extend {} {span} {reason}", player.letter())
            }
            Self::Annul { reason } => format!("annul {reason}"),
            Self::Forfeit { player, reason } => format!("forfeit {} {reason}", player.letter()),
        }
    }
}

impl FromStr for Action {
    type Err = BadAction;

    fn from_str(text: &str) -> Result<Self, BadAction> {
        parse(text).ok_or_else(|| BadAction(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Action> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let owned = || rest.to_owned();
    let player = |letter: &str| letter.chars().next().and_then(Color::from_letter);
    Some(match word {
        "auto-pass" => Action::AutoPass,
        "given" => Action::Given(rest.parse().ok()?),
        "resign" => Action::Resign,
        "takeback" => Action::TakeBack,
        "offer" => Action::Offer(rest.parse().ok()?),
        "accept" => Action::Accept,
        "decline" => Action::Decline,
        "unpause" => Action::Unpause,
        "claim" => Action::Claim,
        "flag" => Action::Flag(player(rest)?),
        "time-out" => Action::TimeOut(player(rest)?),
        "away" => {
            let (from, until) = rest.split_once(' ')?;
            Action::Away { from: from.parse().ok()?, until: until.parse().ok()? }
        }
        "back" => Action::Back,
        "settings" => Action::Settings(owned()),
        "hint" => Action::Hint,
        "say" => Action::Say(owned()),
        "note" => Action::Note(owned()),
        "outage" => {
            let (since, of_mail) =
                rest.strip_suffix(" mail").map_or((rest, false), |it| (it, true));
            Action::Outage { since: since.parse().ok()?, of_mail }
        }
        "extend" => {
            let mut words = rest.splitn(3, ' ');
            let (player, span) = (player(words.next()?)?, words.next()?.parse().ok()?);
            Action::Extend { player, span, reason: words.next().unwrap_or_default().to_owned() }
        }
        "annul" => Action::Annul { reason: owned() },
        "forfeit" => {
            let (letter, reason) = rest.split_once(' ').unwrap_or((rest, ""));
            Action::Forfeit { player: player(letter)?, reason: reason.to_owned() }
        }
        _ => Action::Move(text.parse().ok()?),
    })
}

/// A move that was made, and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// The number of its event in the game's log, counted from 1.
    pub event: usize,
    /// The player who made it.
    pub by: Color,
    /// The move.
    pub mv: Move,
    /// The discs it flipped.
    pub flipped: Cells,
    /// Whether it is an automatic pass.
    pub auto: bool,
    /// Whether it belongs to the opening that the game began with.
    pub given: bool,
    /// Black discs on the board after it.
    pub black: u32,
    /// White discs on the board after it.
    pub white: u32,
}

impl Ply {
    /// Returns whether its player chose it: it is neither an automatic pass nor given.
    pub const fn is_chosen(&self) -> bool {
        !self.auto && !self.given
    }
}
