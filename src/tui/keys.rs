//! The keys: one table for their effects, for the line below the board and for the page that lists them.

use crate::app::{LiveGame, Reply};

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Runs the command with this word in the game on the screen.
    Run(&'static str),
    /// Plays again against a stronger computer player.
    Stronger,
    /// Asks for a comment to the opponent.
    Say,
    /// Goes to the next game that waits.
    Next,
    /// Lists the games.
    List,
    /// Shows the position before the one on the screen.
    Back,
    /// Shows the position after the one on the screen.
    Forward,
    /// Shows all keys.
    Keys,
    /// Leaves.
    Leave,
}

/// A key.
#[derive(Debug)]
pub(super) struct Key {
    /// The character.
    pub key: char,
    /// Its effect.
    pub act: Act,
    /// Its label in the line below the board; empty if the key before it has the label of both.
    pub label: &'static str,
    /// Its effect in a few words.
    pub about: &'static str,
}

const fn key(key: char, act: Act, label: &'static str, about: &'static str) -> Key {
    Key { key, act, label, about }
}

/// The keys, in the order of the line below the board.
pub(super) const KEYS: [Key; 18] = [
    key('U', Act::Run("takeback"), "U take back", "takes back your last move, or asks for it"),
    key('H', Act::Run("hint"), "H hint", "shows what your moves are worth"),
    key('P', Act::Run("pass"), "P pass", "passes"),
    key('R', Act::Run("resign"), "R resign", "resigns, after a question"),
    key('D', Act::Run("draw"), "D draw", "offers a draw"),
    key('S', Act::Say, "S say", "says something to the opponent"),
    key('Y', Act::Run("accept"), "Y accept", "accepts an offer"),
    key('X', Act::Run("decline"), "X decline", "declines an offer, or withdraws yours"),
    key('C', Act::Run("claim"), "C claim", "claims a win on time"),
    key('G', Act::Run("rematch"), "G rematch", "plays again with the other colours"),
    key('B', Act::Stronger, "B stronger", "plays again against a stronger computer player"),
    key('A', Act::Run("analyze"), "A analysis", "shows what the moves of a finished game cost"),
    key('N', Act::Next, "N next", "goes to the next game that waits"),
    key('L', Act::List, "L list", "lists your games"),
    key('[', Act::Back, "[] moves", "goes back through the moves"),
    key(']', Act::Forward, "", "goes forward through the moves"),
    key('?', Act::Keys, "? keys", "shows the keys"),
    key('Q', Act::Leave, "Q leave", "leaves; the game goes on the next time"),
];

impl Key {
    /// Returns whether the key can do anything now.
    pub(super) fn is_possible(&self, live: &LiveGame) -> bool {
        match self.act {
            Act::Run(word) => live.can(word),
            Act::Stronger => live.stronger().is_some(),
            Act::Say => live.can("say"),
            Act::Next => live.others_waiting > 0,
            Act::Back | Act::Forward => !live.game.plies().is_empty(),
            Act::List | Act::Keys | Act::Leave => true,
        }
    }
}

/// Returns the key that runs the command with this word.
pub(super) fn key_of(word: &str) -> char {
    let runs_it = |key: &&Key| matches!(key.act, Act::Run(it) if it == word);
    KEYS.iter().find(runs_it).map_or(' ', |key| key.key)
}

/// The other keys, and the meaning of the marks on the board.
const OTHERS: [(&str, &str); 6] = [
    ("Arrows", "move the cursor; Home, End, PgUp and PgDn move it diagonally"),
    ("Tab", "moves the cursor to the next legal square"),
    ("Enter", "plays the square under the cursor, or carries out the typed line"),
    ("a-z 0-9 -", "type a move, such as c4, or a command, such as rules or play mini"),
    ("Esc", "clears the line, closes a page, or returns to the present position"),
    ("Mouse", "a click moves the cursor, a second one plays; the wheel scrolls"),
];
const MARKS: [(&str, &str); 4] = [
    ("[ ]", "the last disc placed"),
    ("( )", "a disc that it flipped"),
    ("* *", "a disc that the move under the cursor would flip"),
    ("> <", "the cursor"),
];

/// Returns the page about the keys.
pub(super) fn about() -> Reply {
    let row = |(key, about): (&str, &str)| format!("  {key:<11}{about}\n");
    let keys: String = KEYS.iter().map(|key| row((&key.key.to_string(), key.about))).collect();
    let others: String = OTHERS.map(row).concat();
    let marks: String = MARKS.map(row).concat();
    Reply::default().text(others).text(keys).text(format!("Marks on the board:\n{marks}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::PlayerCommand;

    #[test]
    fn a_board_offers_the_commands_of_its_keys() {
        for key in &KEYS {
            let Act::Run(word) = key.act else { continue };
            assert!(PlayerCommand::named(word).is_some_and(|traits| traits.on_board), "{word}");
        }
    }
}
