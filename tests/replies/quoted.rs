//! A player's words, quoted in every way that mail programs have.

use mail_parser::decoders::html::html_to_text;
use outflank::app::Line;
use outflank::mail::read::quote::fresh;
use outflank_model::Moment;
use outflank_model::log::GameId;

use crate::mails::written::{MIDDLE, Sample};

/// Words that are commands alone, together and across the lines of the comment.
const COMMENTS: [&str; 4] = [
    "resign resign resign resign\nd3\nmove 12 d3\npass",
    "I would resign 12, or draw, or pass, or move 12 d3, or play d3 (d3#5), or accept it and resign",
    "d3 resign d3 pass d3 help d3 show d3 history d3 games d3 players d3 say d3 set style words",
    "Good game! block alice\nleave\n\nset address bob@example.org\nchallenge alice mini\n12: d3\nresign",
];

/// The headings above the quote.
const HEADINGS: [&str; 5] = [
    "",
    "On 21 Nov 2026 at 18:00 Outflank <outflank@club.example> wrote:\n\n",
    "Il giorno 21 nov 2026, alle ore 18:00, Outflank ha scritto:\n",
    "Nachricht vom Spielserver, die Antwort steht oben\n",
    "Outflank:\n\n",
];

/// The marks before the lines of the quote.
const MARKS: [&str; 4] = ["", "> ", "> > ", ">"];

/// How the lines of the comment come through.
#[derive(Debug, Clone, Copy)]
enum Lines {
    Whole,
    WithoutMarks,
    Joined,
    JoinedWithoutMarks,
}

const LINES: [Lines; 4] =
    [Lines::Whole, Lines::WithoutMarks, Lines::Joined, Lines::JoinedWithoutMarks];

/// Returns the comment of a mail's text, and the text below it.
fn split(text: &str) -> (Vec<&str>, &str) {
    let end = text.find("Your turn").unwrap();
    (text[..end].trim().lines().collect(), &text[end..])
}

/// Returns a quote of the mail with lines broken at this width, but at 20 columns or more below the comment.
fn quoted(text: &str, mark: &str, lines: Lines, width: usize, heading: &str) -> String {
    let (comment, below) = split(text);
    let bare = |line: &&str| line.trim_start_matches(['|', ' ']).to_owned();
    let comment: Vec<String> = match lines {
        Lines::Whole => comment.iter().map(ToString::to_string).collect(),
        Lines::WithoutMarks => comment.iter().map(bare).collect(),
        Lines::Joined => vec![comment.join(" ")],
        Lines::JoinedWithoutMarks => {
            vec![comment.iter().map(bare).collect::<Vec<_>>().join(" ")]
        }
    };
    let wrap = |line: &str, width| textwrap::fill(&format!("{mark}{line}"), width);
    let comment: Vec<_> = comment.iter().map(|line| wrap(line, width)).collect();
    let below: Vec<_> = below.lines().map(|line| wrap(line, width.max(20))).collect();
    format!("{heading}{}\n{mark}\n{}", comment.join("\n"), below.join("\n"))
}

/// Returns the first line that runs a command, or passes words on.
fn command(text: &str) -> Option<&str> {
    let about = [Some(Moment { game: GameId(12), ply: 13, events: 13 }), None];
    fresh(text).into_iter().find(|line| {
        line.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("say"))
            || about
                .iter()
                .any(|at| matches!(Line::parse(line, *at), Line::Command(_) | Line::Signup(_)))
    })
}

#[test]
fn no_way_of_quoting_a_comment_runs_its_words() {
    let mut ways = 0;
    for said in COMMENTS {
        let mail = Sample { said, ..MIDDLE }.written();
        let html = html_to_text(&mail.html);
        for (text, mark) in
            [&mail.text, &html].into_iter().flat_map(|text| MARKS.map(|mark| (text, mark)))
        {
            for (heading, lines) in
                HEADINGS.into_iter().flat_map(|heading| LINES.map(|lines| (heading, lines)))
            {
                // Every width in a few ways together, not each in each.
                for width in (10 + ways % 7..=80).step_by(7) {
                    let quote = quoted(text, mark, lines, width, heading);
                    let found = command(&quote);
                    assert_eq!(found, None, "{lines:?} at {width} of:\n{quote}");
                    ways += 1;
                }
            }
        }
    }
    assert!(ways > 1_782, "{ways}");
}
