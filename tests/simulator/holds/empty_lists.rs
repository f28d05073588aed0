//! Lists that are empty say so in a sentence, in place of a table.

use super::views::Asked;
use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;

/// A list that is empty in the JSON says so in a sentence and draws no table, and no other list says it.
pub fn empty_lists_say_so(asked: &Asked, words: &str, ran: &Ran) -> Result<(), Violation> {
    if ran.status != 0 || !ran.has_sentences() {
        return Ok(());
    }
    let Some((list, sentence)) = of(asked, words) else { return Ok(()) };
    let shown = ran.shown();
    let is_empty = match list {
        "" => shown.is_null(),
        list => match shown[list].as_array() {
            Some(elements) => elements.is_empty(),
            None => return Ok(()),
        },
    };
    let is_said =
        ran.sentences.iter().flat_map(|it| it.lines()).any(|it| it.starts_with(&*sentence));
    // Notes and plans are no tables, a board can be in words, and these two have another table.
    let has_table = match list {
        "" | "notes" | "branches" => !is_empty,
        _ if is_empty && ["history GAME", "inbox"].contains(&words) => false,
        _ => ran.drawn.iter().any(|it| !it.is_empty()),
    };
    // Moves that were taken back and hints are in the table alone.
    let is_more = |it: &String| it.contains("(taken back)") || it.contains("  hint ");
    let has_more = ran.drawn.iter().any(is_more);
    match has_more || is_said == is_empty && has_table != is_empty {
        true => Ok(()),
        false => {
            let found = format!("{words} of game {}: {:?}", asked.game, ran.sentences);
            let found = format!("{found} {:?}, and {list:?} is empty: {is_empty}", ran.drawn);
            violated("empty_lists_say_so", found)
        }
    }
}

/// Returns the list in the JSON of a view, and how the sentence begins that says that it is empty; `None` if it is not
/// judged.
fn of(asked: &Asked, words: &str) -> Option<(&'static str, String)> {
    let reader = asked.reader.map(|[_, name]| name);
    let whose = match words {
        it if it.ends_with("NAME") => Some(asked.about[1]),
        it if it.contains("bot:") => return None,
        _ => reader,
    };
    let whose = whose.map_or_else(|| ".".to_owned(), |name| format!(" for {name}."));
    let (first, option) = words.split_once(' ').unwrap_or((words, ""));
    let option = option.trim_end_matches("NAME").trim_end();
    Some(match (first, option) {
        ("games", "") => ("games", format!("No active games{whose}")),
        ("games", "--finished") => ("games", format!("No finished games{whose}")),
        ("games", "--all") => ("games", format!("No games{whose}")),
        ("games", "--imported") => ("games", "No imported games.".to_owned()),
        ("games", "--next") if reader.is_some() => ("games", "No game waits for you.".to_owned()),
        ("games", "--next") => ("games", "No game is waiting.".to_owned()),
        ("next", _) if reader.is_some() => ("", "No game waits for you.".to_owned()),
        ("next", _) => ("", "No game is waiting.".to_owned()),
        ("tournaments", _) => ("tournaments", "There are no tournaments.".to_owned()),
        ("standings", _) => ("players", "Nobody is listed in ".to_owned()),
        ("challenges", _) => ("challenges", "No open challenges.".to_owned()),
        ("history", _) => ("moves", "No move has been made.".to_owned()),
        ("inbox", "") => ("mails", "No mail has come in.".to_owned()),
        ("inbox", _) => ("mails", "No such mail is recorded.".to_owned()),
        ("note", _) => ("notes", "You have no notes about game ".to_owned()),
        ("plan", _) => ("branches", "You have no plan for game ".to_owned()),
        _ => return None,
    })
}
