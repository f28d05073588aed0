//! Plans in mails, with moves on several lines.

use crate::command::normalize;
use outflank_model::log::GameId;
use outflank_rules::Transcript;

/// Returns whether a line is the command for a plan, or its beginning.
pub(crate) fn is_plan(line: &str) -> bool {
    let line = normalize(line);
    let mut words = line.split_whitespace();
    let is_command = words.next().is_some_and(|word| word.eq_ignore_ascii_case("plan"));
    let mut words = words.skip_while(|word| word.parse::<GameId>().is_ok());
    is_command && words.next().is_some_and(has_moves)
}

/// Returns whether a line is the rest of the plan above, which is likely if that is incomplete or was
/// wrapped. A move alone is a command otherwise.
pub(crate) fn is_rest_of_plan(line: &str, is_likely: bool) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(has_moves)
        && (is_likely || line.contains('/') || line.contains(' ') && words.all(has_moves))
}

/// Returns whether a word has nothing but moves and slashes.
fn has_moves(word: &str) -> bool {
    word.split('/').all(|moves| moves.parse::<Transcript>().is_ok())
}
