//! Parts of our mails in quotes: the marker, the first and last lines, the sentences.

use outflank::mail::read::quote::{MARKER, fresh};

#[test]
fn the_marker_ends_the_answer() {
    for marker in [
        MARKER,
        "> ---- Answer above this line ----",
        "> > ---- Answer above this line ----",
        "----  Answer  above  this  line  ----",
        "----Answer above this line----",
        "\u{2014}\u{2014} Answer above this line \u{2014}\u{2014}",
        "\u{2013}\u{2013} Answer\u{a0}above this line \u{2013}\u{2013}",
        "*---- Answer above this line ----*",
        "---- Answer above\nthis line ----",
        "> ---- Answer above\n> this line ----",
        "> ---- Answer above this\nline ----",
        "> ----\n> Answer above this line ----",
        "|---- Answer above this line ----",
        "Bob wrote: ---- Answer above this line ----",
        "ANSWER ABOVE THIS LINE",
    ] {
        let is_quoted = marker.lines().all(|line| line.starts_with('>'));
        let below = if is_quoted { "> e6" } else { "e6" };
        assert_eq!(fresh(&format!("d3\n\n{marker}\n\n{below}\n")), ["d3"], "{marker}");
        assert!(fresh(&format!("{marker}\n\n{below}\n")).is_empty(), "{marker}");
    }
    let text = "I always answer above this line\nd3";
    assert_eq!(fresh(text), text.lines().collect::<Vec<_>>());
    assert_eq!(fresh("- answer above that line\nd3").last(), Some(&"d3"));
}

#[test]
fn an_answer_may_be_below_a_quoted_marker() {
    let quoted = format!("> {MARKER}\n>\n> Legal moves: c3 c5 e3 f4 f5 f6 g4 g5 g6 h4 h5");
    assert_eq!(fresh(&format!("{quoted}\n\nd3\n")), ["d3"]);
    assert_eq!(fresh(&format!("{quoted}\n> Score\nd3\n")), ["d3"]);
    assert!(fresh(&format!("{quoted}\nd3\n> Score\n")).is_empty(), "it may be torn off");
    assert_eq!(fresh(&format!("> {MARKER}\n\nd3\n\n{MARKER}\n\ne6")), ["d3"]);
    assert_eq!(fresh(&format!("> {MARKER}\nd3\n> It is your turn\n")), ["d3"]);
}

#[test]
fn an_answer_may_be_directly_below_our_last_line() {
    for last in [
        "outflank move 1234 d6#12 --as alice-of-a-long-name",
        "outflank move 1 ZZ-12#7 --as abcdefghijklmnopqrstuvwxyz012345",
        "If not, reply \"no\" or ignore this mail, and nothing happens.",
        "Reply token: aeaqcaiabo4rmrblg7fhs32o (leave this line in your reply)",
        "Reply ‹resign› to give up, or ‹help› for all commands.",
    ] {
        let quote = format!("> {MARKER}\n>\n>   {last}\n");
        assert_eq!(fresh(&format!("{quote}d3\n")), ["d3"], "{last}");
        assert!(fresh(&quote).is_empty(), "{last}");
        let torn = quote.trim_end().rsplit_once(['#', ' ']).unwrap().0;
        assert!(fresh(&format!("{torn}\nd3\n")).is_empty(), "{last}");
    }
}

#[test]
fn our_sentences_end_the_answer() {
    for line in [
        "Your turn, bob (b1 by alice).",
        "Your turn, bob (C-16 by alice).",
        "Your turn, alice (bob passed).",
        "Your turn, alice: game 12 against bob has begun.",
        "Was it you? This was asked for in your name:",
        "Is this your address, bob? A player of this name wants to get mail",
        "Annulled: bob has left.",
        // Earlier versions began mails like this.
        "Was it you? A mail from your address asked for this:",
        "It is your turn, bob: move number 2 of game 1.",
        "Game 1 has begun: Othello, alice (black) against bob (white).",
        "it  is your\u{a0}turn, bob: move number 12 of game 103.",
        "Legal moves: a1",
        "Score: black 4, white 1",
        "Last moves: 12.d4 13.c1",
        "‹a1› was not done:",
        "‹d6› is done.",
        "Reply to ‹show 1›:",
        "Reply ‹resign› to give up, or ‹help› for all commands.",
        // Earlier versions wrote these.
        "Not done (a1):",
        "Reply to \"show 1\":",
        "8 hours left in game 12 against alice.",
        "Your opponent bob is absent 3\u{2013}10 November.",
        "The computer player bot:ntest cannot move at the moment.",
        "The game waits, and you will be mailed when it is your turn.",
        "The hint that you asked for:",
        "The analysis of game 12:",
        "Reply `hint` to see what your moves are worth.",
    ] {
        assert_eq!(fresh(&format!("d3\n{line}\ne6")), ["d3"], "{line}");
    }
}

#[test]
fn sentences_like_ours_are_typed() {
    for line in ["Your turn, bob", "Your turn, bob (sorry for the delay)", "Game on", "Was it you?"]
    {
        assert_eq!(fresh(&format!("{line}\nd3")), [line, "d3"]);
    }
}

#[test]
fn an_answer_may_be_directly_below_our_first_line() {
    for first in ["Your turn, bob (f4 by alice).", "‹a1› was not done:", "You won, 40-24."] {
        assert_eq!(fresh(&format!("> {first}\nd3\n> {MARKER}")), ["d3"], "{first}");
    }
    assert!(fresh("> Your turn, bob (f4 by\nalice).\n> Move number 2").is_empty());
}

#[test]
fn a_mail_of_an_earlier_version_begins_with_the_marker() {
    let old = format!(
        "{MARKER}\n\nIt is your turn, bob: move number 2 of game 1.\nYou are white (W), alice is \
         black (B).\n\nLast move: 1. alice (black) b1 (flipped b2)\n\nScore: black 4, white 1\n"
    );
    let marked: String = old.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(fresh(&format!("d3\n\n{old}")), ["d3"]);
    assert_eq!(fresh(&format!("d3\n\n{marked}")), ["d3"]);
    assert_eq!(fresh(&format!("{marked}\nd3\n")), ["d3"]);
}
