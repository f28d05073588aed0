use crate::app::commands::{offers, play, settings, time, view, words};
use crate::log::GameId;

commands! {
    /// The commands of players, from any front end.
    PlayerCommand {
        "Play": {
            "move": Move in play::moves,
            "pass": Pass in play::pass,
            "resign": Resign in play::resign,
            "plan": Plan in play::plan,
            "abort": Abort in play::abort,
        }
        "Offers": {
            "challenge": Challenge in offers::challenge,
            "challenges": Challenges in offers::challenges,
            "takeback": Takeback in offers::takeback,
            "draw": Draw in offers::draw,
            "rematch": Rematch in offers::rematch,
            "pause": Pause in offers::pause,
            "unpause": Unpause in offers::pause,
            "accept": Accept in offers::accept,
            "decline": Decline in offers::decline,
        }
        "Talk": {
            "say": Say in words::say,
            "note": Note in words::note,
            "block": Block in words::block,
            "unblock": Unblock in words::block,
        }
        "Time": {
            "claim": Claim in time::claim,
            "away": Away in time::away,
        }
        "Look": {
            "show": Show in view::show,
            "history": History in view::history,
            "hint": Hint in view::hint,
            "analyze" | "analyse": Analyze in view::analyze,
            "preview": Preview in view::preview,
            "replay": Replay in view::replay,
            "games": Games in view::games,
            "next": Next in view::next,
            "players": Players in view::players,
            "player": PlayerPage in view::player,
            "standings": Standings in view::standings,
            "rules": Rules in view::rules,
            "watch": Watch in view::watch,
            "unwatch": Unwatch in view::watch,
            "help": Help in view::help,
        }
        "Settings": {
            "mute" | "unsubscribe": Mute in settings::mute,
            "unmute" | "subscribe": Unmute in settings::mute,
            "set": Set in settings::set,
            "receipt": Receipt in settings::receipt,
            "page": Page in settings::page,
            "leave": Leave in settings::leave,
        }
    }
}

impl PlayerCommand {
    /// Returns the command that says these words to the opponent, as they are.
    pub fn say(game: GameId, text: String) -> Self {
        Self::Say(words::say::Say::new(game, text, false))
    }

    /// Returns whether the first argument of the command with this word is the number of a game.
    pub(crate) fn begins_with_game(word: &str) -> bool {
        let parser = Self::parser(word);
        let first = parser.as_ref().and_then(|parser| parser.get_positionals().next());
        first.is_some_and(|argument| argument.get_id() == "game")
    }
}
