//! What the Subject of a mail says that does not have the Subject of its game.

use crate::mail::subject_of_game;
use outflank_model::log::GameId;
use outflank_model::{Moment, StoredChallenge};

/// The longest first sentence of a text that is a title, in characters.
const MAX_SENTENCE: usize = 60;

/// Returns the first sentence of a text as a title, with the game that it is about.
pub(crate) fn text(game: Option<Moment>, text: &str) -> String {
    let first = text.lines().next().unwrap_or_default().replace('`', "\"");
    let first = first.split(". ").next().unwrap_or_default().trim_end_matches(['.', ':']);
    let first = first.strip_prefix("Your opponent ").unwrap_or(first).replace(" in this game", "");
    // In the text "away" would look like a command.
    let first = first.replace(" is absent ", " is away ");
    let first = match first.char_indices().nth(MAX_SENTENCE) {
        Some((end, _)) => {
            let end = first[..end].rfind(' ').unwrap_or(end);
            format!("{} \u{2026}", first[..end].trim_end_matches(','))
        }
        None => first,
    };
    game.map_or(first.clone(), |at| format!("Game {}: {first}", at.game))
}

/// Returns the title of the mails about a challenge, which is that of its game, too.
pub(crate) fn challenge(challenge: &StoredChallenge) -> String {
    let StoredChallenge { id, agreement, game, .. } = challenge;
    subject_of_game(&agreement.variant, game.start().rules(), *id)
}

/// Returns the title of a reminder: the time left in the most urgent game, against this opponent, and
/// how many more games wait.
pub(crate) fn reminder(left: &str, game: GameId, opponent: &str, others: usize) -> String {
    let first = format!("{left} left in game {game} against {opponent}");
    match others {
        0 => first,
        1 => format!("{first}, and 1 more waits"),
        _ => format!("{first}, and {others} more wait"),
    }
}

/// Returns the title of a digest with this number of games that wait for the reader and of games that the
/// reader watches.
pub(crate) fn digest(games: usize, watched: usize) -> String {
    match (games, watched) {
        (0, 1) => "Moves in 1 game that you are watching".to_owned(),
        (0, _) => format!("Moves in {watched} games that you are watching"),
        (1, _) => "1 game waits for you".to_owned(),
        _ => format!("{games} games wait for you"),
    }
}

/// Returns the title of a question about these held commands.
pub(crate) fn question(commands: &[String]) -> String {
    let first = commands.first().map(String::as_str).unwrap_or_default();
    let what = match first.split_once(' ') {
        Some((word, name)) if word.eq_ignore_ascii_case("signup") => format!("sign up as {name}"),
        _ => first.to_owned(),
    };
    match commands.len() {
        0 | 1 => format!("Confirm: {what}"),
        2 => format!("Confirm: {what}, and 1 more command"),
        count => format!("Confirm: {what}, and {} more commands", count - 1),
    }
}

/// Returns the title of a question about the new address of a player.
pub(crate) fn new_address(name: &str) -> String {
    format!("Confirm: mail for {name} comes here")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_the_mail_is() {
        let at = Some(Moment { game: GameId(12), ply: 4, events: 6 });
        for (title, expected) in [
            (text(at, "bob offers a draw in this game.\nGame 12"), "Game 12: bob offers a draw"),
            (text(None, "Your opponent bob is absent on 3 May.\nIn"), "bob is away on 3 May"),
            (
                text(
                    None,
                    "The server was down from Friday, 27 November 2026, 02:00 (UTC) to Sunday",
                ),
                "The server was down from Friday, 27 November 2026, 02:00 \u{2026}",
            ),
            (reminder("8 hours", GameId(1), "bob", 0), "8 hours left in game 1 against bob"),
            (
                reminder("2 days", GameId(1), "bob", 2),
                "2 days left in game 1 against bob, and 2 more wait",
            ),
            (digest(1, 2), "1 game waits for you"),
            (digest(0, 2), "Moves in 2 games that you are watching"),
            (question(&["signup zed".to_owned()]), "Confirm: sign up as zed"),
            (
                question(&["resign 3".to_owned(), "mute 4".to_owned()]),
                "Confirm: resign 3, and 1 more command",
            ),
        ] {
            assert_eq!(title, expected);
        }
    }
}
