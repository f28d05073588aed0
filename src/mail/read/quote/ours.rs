//! What our own mails say, recognised where nothing marks it as quoted.

/// How sentences of our mails begin, in small letters, a `#` for each number. A test over the
/// mails themselves tells when one is missing.
const SENTENCES: &[&str] = &[
    "a mail from your address asked for",
    "a reply with your reply token came",
    "game # has begun:",
    "game # is over.",
    "you have moved in game #",
    "last move: #.",
    "last moves: #.",
    "legal moves:",
    "score: black #",
    "you cannot place a disc, so",
    "what each move flips, and",
    "reply with your move, such as",
    "reply `resign` to give up, or",
    "reply `history` to see all moves",
    "to move from a shell:",
    "to see the game again in a shell:",
    "to see all moves in a shell:",
];

/// Longer than any of the sentences, and the longest name of a player before them.
const LONGEST: usize = 200;

/// Whether a mail of ours is quoted from this line on.
pub(super) fn begins(line: &str) -> bool {
    let line = plain(line);
    SENTENCES.iter().any(|sentence| line.starts_with(sentence))
        || (line.starts_with("it is your turn, ") && line.contains(": move # of game #"))
        || (line.starts_with("mail to ") && line.contains(" cannot be delivered, so no"))
}

/// The beginning of a line in small letters, with one space between words and `#` for numbers.
fn plain(line: &str) -> String {
    let mut plain = String::new();
    for c in line.chars().take(LONGEST) {
        let c = match c {
            _ if c.is_whitespace() => ' ',
            '0'..='9' => '#',
            _ => c.to_ascii_lowercase(),
        };
        if !matches!(c, ' ' | '#') || !plain.ends_with(c) {
            plain.push(c);
        }
    }
    plain
}

/// Whether this line is part of a figure of a board: a rule, a row or the letters of its columns.
/// Rows of boxes begin with `|`, and count as quoted by that.
pub(super) fn figure(line: &str) -> bool {
    rule(line) || columns(line) || hex_row(line)
}

/// How the last lines of our mails end that are no lines for a shell.
const LAST: [&str; 2] =
    ["or ignore this mail, and nothing happens.", "(leave this line in your reply)"];

/// Whether this is the end of a mail of ours, or the end of a line that may be it. Answers are
/// written right below it, and a line that was broken has another end.
pub(super) fn ends(line: &str) -> bool {
    LAST.iter().any(|last| line.ends_with(last)) || shell(line)
}

/// Whether this is all of a line to be typed in a shell.
fn shell(line: &str) -> bool {
    let words: Vec<_> = line.split_whitespace().take(7).collect();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words[..] {
        ["outflank", "show" | "history", game] => is_number(game),
        ["outflank", "move", game, made, "--as", _] => {
            is_number(game)
                && made.rsplit_once('#').is_some_and(|(_, ply)| !ply.is_empty() && is_number(ply))
        }
        _ => false,
    }
}

/// `+---+---+`
fn rule(line: &str) -> bool {
    line.starts_with('+') && line.len() > 2 && line.bytes().all(|byte| matches!(byte, b'+' | b'-'))
}

/// `a   b   c`, or capitals.
fn columns(line: &str) -> bool {
    let mut letters = line.split_whitespace().zip(b'a'..=b'z');
    line.split_whitespace().nth(1).is_some()
        && letters.all(|(word, letter)| {
            matches!(word.as_bytes(), [byte] if byte.to_ascii_lowercase() == letter)
        })
}

/// `1  . x o . 1`
fn hex_row(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let number = words.next().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    number.is_some()
        && words.next_back() == number
        && words.clone().next().is_some()
        && words.all(|word| matches!(word, "." | "x" | "o" | "X" | "O"))
}

#[cfg(test)]
mod tests {
    use super::super::fresh;
    use super::*;

    #[test]
    fn a_figure_is_no_answer() {
        for line in ["+---+---+", "a   b   c", "A B C D", "1  . . . . 1", "12 . x O 12"] {
            assert!(figure(line), "{line}");
        }
        for line in ["d3", "a", "+1", "++", "12 d3", "1 d3 1", "a c", "Hello", "-"] {
            assert!(!figure(line), "{line}");
        }
        assert_eq!(
            fresh("d3\n\n+---+\n| W | 1\n+---+\n  a   b\n\nThanks"),
            ["d3", "", "", "Thanks"]
        );
    }

    #[test]
    fn an_answer_stands_right_below_our_last_line() {
        let marker = super::super::MARKER;
        for last in [
            "outflank move 1234 d6#12 --as alice-of-a-long-name",
            "outflank move 1 ZZ-12#7 --as abcdefghijklmnopqrstuvwxyz012345",
            "If not, reply \"no\" or ignore this mail, and nothing happens.",
            "Reply token: aeaqcaiabo4rmrblg7fhs32o (leave this line in your reply)",
        ] {
            let quote = format!("> {marker}\n>\n>   {last}\n");
            assert_eq!(fresh(&format!("{quote}d3\n")), ["d3"], "{last}");
            assert!(fresh(&quote).is_empty(), "{last}");
            let torn = quote.trim_end().rsplit_once(['#', ' ']).unwrap().0;
            assert!(fresh(&format!("{torn}\nd3\n")).is_empty(), "{last}");
        }
    }

    #[test]
    fn our_sentences_end_the_answer() {
        for line in [
            "It is your turn, bob: move 2 of game 1.",
            "it  is your\u{a0}turn, bob: move 12 of game 103.",
            "Legal moves: a1",
            "Score: black 4, white 1",
            "Last moves: 12. d4  13. c1",
        ] {
            assert_eq!(fresh(&format!("d3\n{line}\ne6")), ["d3"], "{line}");
        }
    }
}
