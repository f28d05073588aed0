//! The engine answers any lines and does not panic.

use proptest::prelude::*;

use super::answers;

/// Words of both protocols, and nonsense.
const WORDS: &[&str] = &[
    "nboard",
    "set",
    "depth",
    "game",
    "contempt",
    "move",
    "hint",
    "go",
    "ping",
    "learn",
    "analyze",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
    "reg_genmove",
    "undo",
    "time_settings",
    "time_left",
    "showboard",
    "final_score",
    "set_game",
    "list_games",
    "level",
    "known_command",
    "Othello",
    "Oddthello",
    "mini",
    "b",
    "w",
    "black",
    "white",
    "pass",
    "PA",
    "f5",
    "F5/1.0/2",
    "d3",
    "e6",
    "a1",
    "zz99",
    "-1",
    "0",
    "1",
    "3",
    "4",
    "2",
    "99999999999999999999",
    "#",
    "é",
    "/",
    "(;GM[Othello]BO[4 -----O*--*O----- *]B[B1];)",
    "(;GM[Othello]BO[8 ",
    "(;BO[3 ********* O];)",
    "(;GM[Othello]BO[8 ---------------------------O*------*O--------------------------- O]W[d3];)",
    "(;",
    ";)",
    "[",
    "]",
];

fn line() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(WORDS), 0..5);
    prop_oneof![8 => words.prop_map(|words| words.join(" ")), 1 => ".{0,60}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_are_survived(lines in prop::collection::vec(line(), 0..25), level in 0u8..2) {
        for protocol in ["nboard", "gtp"] {
            answers(protocol, level, lines.clone());
        }
    }

    #[test]
    fn each_gtp_command_has_one_answer(lines in prop::collection::vec(line(), 0..25)) {
        let is_command = |line: &&String| {
            let line = line.split('#').next().unwrap().replace('\t', " ");
            let line: String = line.chars().filter(|c| !c.is_control()).collect();
            let mut words = line.split_whitespace();
            let is_id = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
            words.next().is_some_and(|first| !is_id(&first) || words.next().is_some())
        };
        let quits = lines.iter().position(|line| line.split_whitespace().any(|it| it == "quit"));
        prop_assume!(quits.is_none());
        let answered = answers("gtp", 0, lines.clone());
        let begun = answered.iter().filter(|line| line.starts_with(['=', '?'])).count();
        prop_assert_eq!(begun, lines.iter().filter(is_command).count());
    }
}

#[test]
fn a_time_can_be_as_long_as_a_number() {
    let most = u64::MAX;
    let lines = [
        format!("time_settings {most} {most} {most}"),
        "genmove b".to_owned(),
        format!("time_left w {most} 0"),
        "genmove w".to_owned(),
    ];
    let answers = answers("gtp", 0, lines);
    assert!(answers.iter().all(|answer| !answer.starts_with('?')), "{answers:?}");
}
