//! What mail programs do to blocks.

use outflank::app::{LEAVING, Line, guess};
use outflank::command::reserved_words;
use outflank::mail::read::quote::fresh;
use outflank::portable::{BEGIN, blocks};
use outflank_model::Moment;
use outflank_model::log::GameId;

use super::random_block;

const AT: Moment = Moment { game: GameId(12), ply: 4, events: 6 };

/// Returns a text with its lines wrapped between words.
pub fn wrapped(text: &str, width: usize) -> String {
    textwrap::fill(text, textwrap::Options::new(width).break_words(false))
}

/// Returns a text with its lines broken anywhere; each goes on where the one above was broken, or all
/// of them as one.
pub fn broken(text: &str, width: usize, joins: bool) -> String {
    let text = if joins { text.replace('\n', " ") } else { text.to_owned() };
    let chunks = |line: &str| {
        let letters: Vec<_> = line.chars().collect();
        let chunks = letters.chunks(width).map(|chunk| chunk.iter().collect::<String>());
        chunks.collect::<Vec<_>>().join("\n")
    };
    text.lines().map(chunks).collect::<Vec<_>>().join("\n")
}

/// Broken lines of few letters are rare. None of them can be a word.
#[test]
fn no_word_has_only_the_letters_of_a_block() {
    let mut rng = fastrand::Rng::with_seed(2);
    let text: String = (0..9).map(|_| blocks(&random_block(&mut rng)).concat()).collect();
    let known = LEAVING.into_iter().chain(["ls", "n", "y"]).chain(reserved_words());
    for word in known {
        assert!(!word.chars().all(|c| text.to_lowercase().contains(c)), "{word}");
    }
}

#[test]
fn no_line_of_a_block_is_a_command_at_any_width() {
    let mut rng = fastrand::Rng::with_seed(12);
    for _ in 0..4 {
        let text = random_block(&mut rng);
        assert!(text.lines().all(|line| line.len() < 70), "{text}");
        let groups: Vec<_> = text.lines().filter(|line| !line.contains('-')).collect();
        let groups = groups.join(" ");
        assert!(groups.split(' ').all(|group| group.len() == 12), "{text}");
        for width in 10..=80 {
            let forms =
                [wrapped(&text, width), broken(&text, width, false), broken(&text, width, true)];
            for form in forms {
                let typed = fresh(&form);
                for line in form.lines().chain(typed) {
                    for at in [None, Some(AT)] {
                        let parsed = Line::parse(line, at);
                        let is_none = matches!(parsed, Line::Unknown | Line::Blank | Line::End);
                        assert!(is_none, "{width}: {line}: {parsed:?}");
                        assert_eq!(guess(line, at), None, "{width}: {line}");
                    }
                    assert_eq!(outflank::app::says_yes(line), None, "{width}: {line}");
                }
                assert_eq!(blocks(&form), blocks(&text), "{width}: {form}");
            }
        }
    }
}

#[test]
fn a_block_is_found_however_it_is_quoted() {
    let text = random_block(&mut fastrand::Rng::with_seed(5));
    let quoted = |text: &str, mark: &str| {
        text.lines().map(|line| format!("{mark}{line}\n")).collect::<String>()
    };
    let around = |text: &str| format!("Hello, this was my best game.\n\n{text}\n\nBob\n");
    for form in [
        around(&text),
        quoted(&text, "> "),
        quoted(&quoted(&text, "> "), ">"),
        quoted(&text, "> > >> "),
        quoted(&text, "BR> "),
        quoted(&text, "| "),
        text.replace('\n', "\r\n"),
        text.replace(' ', "\u{a0}"),
        text.replace(' ', "  \n\n"),
        text.replace('\n', " \n"),
        text.replace(' ', ""),
        text.replace("-----", "\u{2014}\u{2014}-"),
        quoted(&wrapped(&quoted(&text, "> "), 40), ">> "),
        format!("{text}\n\n{}", quoted(&text, "> ")),
    ] {
        assert_eq!(blocks(&form), blocks(&text), "{form}");
    }
    assert_eq!(blocks("Hello"), Vec::<String>::new());
    assert_eq!(blocks(BEGIN), [""]);
}
