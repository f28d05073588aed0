use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::app::commands::{offers, play, settings, time, tournaments, view, words};
use crate::app::effects::change::Asked;
use crate::app::run::traits::{Heading, Traits};
use crate::app::run::use_case::{AtBoard, Concerns, Shown, UseCase};
use crate::app::{Error, LogFormat, Reply, Session, find};
use outflank_model::log::GameId;

commands! {
    /// The commands of players, from any front end.
    PlayerCommand {
        Move in play::moves,
        Pass in play::pass,
        Resign in play::resign,
        Plan in play::plan,
        Abort in play::abort,
        Challenge in offers::challenge,
        Challenges in offers::challenges,
        Takeback in offers::takeback,
        Draw in offers::draw,
        Rematch in offers::rematch,
        Pause in offers::pause,
        Unpause in offers::pause,
        Accept in offers::accept,
        Decline in offers::decline,
        Say in words::say,
        Note in words::note,
        Block in words::block,
        Unblock in words::block,
        Claim in time::claim,
        Away in time::away,
        Tournaments in tournaments::list,
        Tournament in tournaments::show,
        Join in tournaments::join,
        Withdraw in tournaments::withdraw,
        Show in view::show,
        History in view::history,
        Hint in view::hint,
        Analyze in view::analyze,
        Preview in view::preview,
        Replay in view::replay,
        Export in view::export,
        Games in view::games,
        Next in view::next,
        Players in view::players,
        PlayerPage in view::player,
        Standings in view::standings,
        Bots in view::bots,
        Rules in view::rules,
        Watch in view::watch,
        Unwatch in view::watch,
        Help in view::help,
        Mute in settings::mute,
        Unmute in settings::mute,
        Set in settings::set,
        Receipt in settings::receipt,
        OwnPage in settings::page,
        Leave in settings::leave,
    }
}

impl PlayerCommand {
    /// Returns the command that says these words to the opponent, as they are.
    pub fn say(game: GameId, text: String) -> Self {
        Self::Say(words::say::Say::new(game, text, false))
    }

    /// Returns the headings of `help`, each with the words of its commands.
    pub fn headings() -> Vec<(Heading, Vec<&'static str>)> {
        let groups = Self::ALL.chunk_by(|one, next| one.heading == next.heading);
        groups.map(|group| (group[0].heading, group.iter().map(|it| it.word).collect())).collect()
    }

    /// Returns whether the first argument of the command with this word is the number of a game, or several
    /// such numbers.
    pub(crate) fn begins_with_game(word: &str) -> bool {
        /// What is known, since many lines of a mail can begin with the same word.
        static KNOWN: Mutex<BTreeMap<&str, bool>> = Mutex::new(BTreeMap::new());
        let Some(&Traits { word, .. }) = Self::named(word) else { return false };
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(word).or_insert_with(|| {
            let parser = Self::parser(word);
            let first = parser.as_ref().and_then(|parser| parser.get_positionals().next());
            first.is_some_and(|argument| ["game", "games"].contains(&argument.get_id().as_str()))
        })
    }
}
