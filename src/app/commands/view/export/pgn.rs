//! Portable Game Notation, as PlayOK and Edax write it for Othello: Black first.

use textwrap::fill;

use super::format::{Exported, Format};
use outflank_model::StoredGame;
use outflank_model::log::Reason;
use outflank_model::render::unhyphenated;
use outflank_rules::{Color, Move};

pub(super) const FORMAT: Format = Format {
    word: "pgn",
    about: "PGN for databases of games",
    holds: &[],
    head: String::new,
    write,
};

/// The longest line of moves.
const WIDTH: usize = 79;

fn write(Exported { stored, comments }: &Exported) -> String {
    let result = result(stored);
    let event = stored.tournament.as_ref();
    let tags = [
        ("Event", event.map_or_else(|| "?".to_owned(), |it| it.name.clone())),
        ("Site", "Outflank".to_owned()),
        ("Date", stored.started.format("%Y.%m.%d").to_string()),
        ("Time", stored.started.format("%H:%M:%S").to_string()),
        ("Round", event.map_or_else(|| "?".to_owned(), |it| it.round.to_string())),
        ("Black", stored.name(Color::Black).to_owned()),
        ("White", stored.name(Color::White).to_owned()),
        ("Result", result.clone()),
    ];
    let escaped = |value: String| value.replace('\\', "\\\\").replace('"', "\\\"");
    let tags: String =
        tags.into_iter().map(|(tag, value)| format!("[{tag} \"{}\"]\n", escaped(value))).collect();
    let mut words = Vec::new();
    let comment_after = |moves: usize, words: &mut Vec<String>| {
        for comment in comments.iter().filter(|it| it.ply(&stored.game) == moves) {
            let name = stored.name(comment.by);
            let text = format!("{{{name}: {}}}", comment.text.replace('{', "(").replace('}', ")"));
            words.extend(text.split_whitespace().map(str::to_owned));
        }
    };
    comment_after(0, &mut words);
    for (number, ply) in stored.game.plies().iter().enumerate() {
        if number % 2 == 0 {
            words.push(format!("{}.", number / 2 + 1));
        }
        words.push(match ply.mv {
            Move::Pass => "--".to_owned(),
            Move::Place(_) => stored.game.lattice().move_label(ply.mv),
        });
        comment_after(number + 1, &mut words);
    }
    words.push(result);
    format!("{tags}\n{}\n\n", fill(&words.join(" "), unhyphenated(WIDTH)))
}

/// Returns the discs of Black and White if they decided the game, else its points: `40-24`, `1-0`, `*`.
fn result(stored: &StoredGame) -> String {
    let Some(outcome) = stored.game.outcome() else { return "*".to_owned() };
    let points = match outcome.winner {
        Some(Color::Black) => "1-0",
        Some(Color::White) => "0-1",
        None => "1/2-1/2",
    };
    match outcome.reason {
        Reason::Discs => format!("{}-{}", outcome.black, outcome.white),
        Reason::Annulled | Reason::Declined => "*".to_owned(),
        Reason::Stuck
        | Reason::Resigned
        | Reason::Agreed
        | Reason::Time
        | Reason::Claimed
        | Reason::Forfeited => points.to_owned(),
    }
}
