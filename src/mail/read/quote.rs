//! What the writer of a text added to what is quoted in it.
//!
//! No standard says how an answer tells its own words from those it answers, and every mail
//! program has a way of its own. What is quoted must never be taken for a move, so that of two
//! readings the one that quotes more wins. A file per way:
//!
//! | file | what it knows |
//! |---|---|
//! | `marker` | the line above which every mail of ours wants its answer |
//! | `marks` | `>` and the like before each line |
//! | `attribution` | "On Monday Bob wrote:", in many languages |
//! | `header` | blocks of `From:`, `Sent:`, `To:`; dividers such as "Original Message" |
//! | `signature` | `-- ` and "Sent from my phone" |
//! | `ours` | figures of a board and sentences of our mails, where nothing marks them |
//! | `armour` | what OpenPGP wraps around a text that it signs |

mod armour;
mod attribution;
mod header;
mod marker;
mod marks;
mod ours;
mod signature;

use super::is_invisible;

/// The line that every mail of ours bears above its text. Whatever way a mail program quotes, an
/// answer that stands above it is told from what it answers.
pub const MARKER: &str = "---- Answer above this line ----";

/// The lines of a plain text that its writer wrote: without what is quoted or forwarded, without
/// a signature and without figures of a board. Each is a part of a line of `text`, without the
/// white space around it; a line may be empty, but not the first or the last.
///
/// An answer between quoted lines counts where these bear marks (`>`). Below a quote without
/// marks nothing can be told from it, and nothing is returned.
pub fn fresh(text: &str) -> Vec<&str> {
    let mut lines = armour::unwrap(text);
    if let Some(end) = marker::end(&lines) {
        lines.truncate(end);
    }
    let narrowest = if marker::is_within(&lines) { marks::NARROW } else { marks::NARROWEST };
    let mut fresh = written(&lines, narrowest);
    while fresh.last().is_some_and(|line| line.is_empty()) {
        fresh.pop();
    }
    let blank = fresh.iter().take_while(|line| line.is_empty()).count();
    fresh.split_off(blank)
}

/// The lines that are not quoted, up to where everything is. A quoted line that is not longer than
/// `narrowest` was broken by nobody.
fn written<'a>(lines: &[&'a str], narrowest: usize) -> Vec<&'a str> {
    let attributions = attribution::spans(lines);
    let mut fresh = Vec::new();
    let mut at = 0;
    while let Some((&line, below)) = lines.get(at..).and_then(<[_]>::split_first) {
        if let Some(&end) = attributions.get(&at) {
            if !marks_follow(lines.get(end..).unwrap_or_default()) {
                break;
            }
            at = end;
            continue;
        }
        if marks::marked(line) {
            let is_whole = ours::ends(marks::unmarked(line));
            at += if is_whole { 0 } else { marks::torn(line, below, narrowest) };
        } else if signature::begins(line) || header::begins(line, below) || ours::begins(line) {
            break;
        } else if !ours::figure(line) {
            fresh.push(line);
        }
        at += 1;
    }
    fresh
}

/// Whether the first of these lines that is not blank is marked as quoted.
fn marks_follow(lines: &[&str]) -> bool {
    lines.iter().find(|line| !line.is_empty()).is_some_and(|line| marks::marked(line))
}

/// A line without the white space around it and without the invisible characters that
/// right-to-left languages and editors leave there.
fn tidy(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

/// Whether this is a hyphen, or what an autocorrector makes of two or three.
fn dash(c: char) -> bool {
    c == '-' || long_dash(c)
}

fn long_dash(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2500}' | '\u{2e3a}' | '\u{2e3b}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_without_quotes_is_fresh() {
        assert_eq!(fresh("d3"), ["d3"]);
        assert_eq!(fresh("d3\r\n"), ["d3"]);
        assert_eq!(fresh("\u{feff}d3"), ["d3"]);
        assert_eq!(fresh("\u{200f}d3\u{a0}\n"), ["d3"]);
        assert_eq!(fresh("Hi Bob,\n\nd3\n\nThanks"), ["Hi Bob,", "", "d3", "", "Thanks"]);
        assert_eq!(fresh("It is your turn, bob\nd3"), ["It is your turn, bob", "d3"]);
        assert!(fresh("").is_empty());
        assert!(fresh("\r\n \n\t\n").is_empty());
    }

    #[test]
    fn an_answer_may_stand_above_below_and_between() {
        assert_eq!(fresh("d3\n\n> Your turn\n> e6\n"), ["d3"]);
        assert_eq!(fresh("> Your turn\n> e6\n\nd3\n"), ["d3"]);
        assert_eq!(fresh("> one\nd3\n> two\n>\nsee you\n"), ["d3", "see you"]);
        assert_eq!(fresh("On 1 May 2026 Bob wrote:\n\n> e6\n\nd3\n\n> f5\n"), ["d3"]);
    }

    #[test]
    fn without_marks_an_attribution_ends_the_mail() {
        assert_eq!(fresh("d3\n\nOn 1 May 2026, at 18:00, Bob wrote:\n\nYour turn\ne6\n"), ["d3"]);
        assert!(fresh("On 1 May 2026, at 18:00, Bob wrote:\nYour turn\n> e6\n\nf5").is_empty());
    }

    #[test]
    fn hostile_texts_take_linear_time() {
        for part in [
            ">",
            "> ",
            ">\n",
            "On ",
            "On 2026\n",
            "On 18:00 b@x wrote:\n",
            "wrote:\n",
            "a:\n",
            "-",
            "----\n",
            "From: a\n",
            "To: a\n\n",
            "|",
            "| ",
            "+",
            "answer",
            "---- Answer above\n",
            "> aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\nb\n",
            "1 ",
            "-----BEGIN PGP SIGNED MESSAGE-----\n",
            "sent from ",
            "\u{feff}",
            "İ",
            "İ:\n",
            "\r",
        ] {
            fresh(&part.repeat((1 << 17) / part.len()));
        }
    }
}
