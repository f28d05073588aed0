//! Lines of mails that are not commands but may be meant as one.

use crate::app::Line;
use crate::app::line::game_number;
use crate::command::{MoveAt, normalize};
use crate::mail::COMMAND_MARKS;
use outflank_model::Moment;

/// The limits of a guess: the words of a sentence with one move, and the bytes of a command between marks.
const MAX_WORDS: usize = 8;
const MAX_BYTES: usize = 60;

/// The marks around a command that is quoted.
const MARKS: [(char, char); 3] = [COMMAND_MARKS, ('(', ')'), ('[', ']')];

/// Returns the command that a line may mean, in a mail that refers to this position: the one between
/// marks, or the only move of a short sentence, such as "I play d3". In a mail about no game, a
/// move alone is returned, too. `None` for a line that is a command already.
pub fn guess(line: &str, at: Option<Moment>) -> Option<String> {
    if !matches!(Line::parse(line, at), Line::Unknown) {
        return None;
    }
    let line = normalize(line);
    let inner = MARKS
        .iter()
        .find_map(|&(open, close)| line.strip_prefix(open)?.strip_suffix(close))
        .map(normalize)
        .filter(|inner| inner.len() <= MAX_BYTES);
    let is_command = |line: &String| matches!(Line::parse(line, at), Line::Command(_));
    inner.filter(is_command).or_else(|| only_move(&line))
}

/// Returns the only move of a short sentence, in a `move` command if the number of a game stands
/// before it.
fn only_move(line: &str) -> Option<String> {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '#';
    let words: Vec<_> = line.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(is_mark).to_lowercase();
    let is_move = |word: &String| word.parse::<MoveAt>().is_ok();
    let (before, mv) = match words[..] {
        // Phones put a space between column and row.
        [.., column, row] if words.len() <= 3 && is_move(&format!("{column}{row}")) => {
            (words.len().checked_sub(3), format!("{column}{row}").to_lowercase())
        }
        _ if words.len() > MAX_WORDS => return None,
        _ => {
            let mut moves = words.iter().map(|word| bare(word)).enumerate();
            let (at, mv) = moves.find(|(_, word)| is_move(word))?;
            if moves.any(|(_, word)| is_move(&word)) {
                return None;
            }
            (at.checked_sub(1), mv)
        }
    };
    let before = before.and_then(|at| words.get(at));
    Some(match before.and_then(|word| game_number(word)) {
        Some(game) => format!("move {game} {mv}"),
        None => mv,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_model::log::GameId;

    const AT: Option<Moment> = Some(Moment { game: GameId(12), ply: 4, events: 6 });

    #[test]
    fn a_command_between_marks_or_the_only_move_of_a_sentence_is_guessed() {
        for (line, guessed) in [
            ("(d3)", "d3"),
            ("\u{2039}d3\u{203a}", "d3"),
            ("\u{2039}accept 1\u{203a}.", "accept 1"),
            ("[d3].", "d3"),
            ("( Move d3 )", "Move d3"),
            ("(history)", "history"),
            ("(move 13 d3)", "move 13 d3"),
            ("D 3", "d3"),
            ("12 d 3", "move 12 d3"),
            ("B -1", "b-1"),
            ("I play d3", "d3"),
            ("d3 please", "d3"),
            ("D3, please!", "d3"),
            ("My move is \"d3\".", "d3"),
            ("(d3 please)", "d3"),
            ("d3?", "d3"),
            ("1. d3", "d3"),
            ("game 13: d3", "move 13 d3"),
            ("13 d3 please", "move 13 d3"),
        ] {
            assert_eq!(guess(line, AT).as_deref(), Some(guessed), "{line}");
        }
        assert_eq!(guess("(12 d3)", None).as_deref(), Some("12 d3"));
        assert_eq!(guess("(d3)", None).as_deref(), Some("d3"));
    }

    #[test]
    fn other_lines_mean_no_command() {
        for line in [
            "",
            "d3",
            "d3!",
            "history",
            "move 12 zz",
            "Hi Bob",
            "d3 e3",
            "d3 or e3?",
            "(hello)",
            "(I could resign)",
            "(stop)",
            "I had thought for a long time about d3 before this",
            "-- ",
        ] {
            assert_eq!(guess(line, AT), None, "{line}");
        }
    }
}
