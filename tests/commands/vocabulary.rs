//! Names, addresses, references, and lines as people type them.

use std::convert::Infallible;

use outflank::command::{
    Address, BadAddress, BadName, BadReference, GameAt, MoveAt, Name, normalize, reserved_words,
};
use outflank_model::log::GameId;
use outflank_rules::Move;

#[test]
fn names_are_short_plain_words() {
    for good in ["a", "Alice", "al.ice_b-2", "bob2", "helper", "pass2", &"x".repeat(32)] {
        assert!(good.parse::<Name>().is_ok(), "{good}");
    }
    for bad in ["", "2a", "-a", "a b", "a\n", "a\u{7}", "é", &"x".repeat(33), "a@b", "a\0"] {
        assert_eq!(bad.parse::<Name>(), Err(BadName::Malformed(bad.to_owned())), "{bad:?}");
    }
}

#[test]
fn commands_and_moves_are_not_names() {
    for word in reserved_words() {
        for bad in [word.to_owned(), word.to_uppercase(), format!("{word}.")] {
            let is_plain = bad.starts_with(|c: char| c.is_ascii_alphabetic()) && bad.is_ascii();
            let error = bad.parse::<Name>().unwrap_err();
            assert_eq!(matches!(error, BadName::Reserved(..)), is_plain, "{error}");
        }
    }
    for bad in ["d3", "D3", "a99", "B-1", "ZZ3", "zz-1", "A0", "zy1", "d3."] {
        assert_eq!(bad.parse::<Name>(), Err(BadName::Reserved(bad.to_owned(), "is a move")));
    }
    let error = "help".parse::<Name>().unwrap_err();
    assert_eq!(error.to_string(), "\"help\" is a command; choose another name");
}

/// Returns the first `count` names for the same local part; each next player finds the last one
/// taken.
fn names(local_part: &str, count: usize) -> Vec<String> {
    let mut taken = Vec::new();
    while taken.len() < count {
        let is_taken = |name: &Name| Ok::<_, Infallible>(taken.contains(&name.to_string()));
        let name = Name::from_local_part(local_part, is_taken).unwrap();
        taken.push(name.to_string());
    }
    taken
}

#[test]
fn a_local_part_suggests_valid_names() {
    let long = "y".repeat(40);
    for (local_part, expected) in [
        ("alice", ["alice", "alice2", "alice3"]),
        ("alice+games", ["alicegames", "alicegames2", "alicegames3"]),
        ("007.bond", ["bond", "bond2", "bond3"]),
        ("42", ["player2", "player3", "player4"]),
        ("b", ["b", "b_2", "b_3"]),
        ("show", ["show2", "show3", "show4"]),
        ("d3", ["d3_2", "d3_3", "d3_4"]),
        ("b-1", ["b-1_2", "b-1_3", "b-1_4"]),
        (
            &long,
            [&"y".repeat(32), &format!("{}_2", "y".repeat(30)), &format!("{}_3", "y".repeat(30))],
        ),
    ] {
        assert_eq!(names(local_part, 3), expected);
    }
    let moves = ["d3", "B-1", "ZZ3", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"];
    for local_part in reserved_words().chain(moves) {
        for name in names(local_part, 30) {
            assert!(name.parse::<Name>().is_ok(), "{name}");
        }
    }
}

#[test]
fn an_address_is_one_plain_address() {
    for good in ["alice@example.org", "a.b+c@localhost", "o'neil@xn--bcher-kva.example"] {
        assert!(good.parse::<Address>().is_ok(), "{good}");
    }
    for bad in [
        "alice",
        "alice@",
        "@example.org",
        "a@b@c",
        "a b@example.org",
        "a@example.org\n",
        "a@example.org\r\nBcc: eve@example.org",
        "Alice <alice@example.org>",
        "a@exa mple.org",
        "a@example.org,b@example.org",
        "é@example.org",
        "a@bücher.example",
        "\"a\nb\"@example.org",
    ] {
        assert_eq!(bad.parse::<Address>(), Err(BadAddress(bad.to_owned())), "{bad:?}");
    }
    assert!(format!("{}@example.org", "a".repeat(250)).parse::<Address>().is_err());
}

#[test]
fn decorations_of_a_move_are_removed() {
    for typed in [
        "d3",
        " d3. ",
        "d3 ",
        "\u{a0}d3\u{a0}",
        "\u{200b}d3\u{200b}",
        "\u{feff}d3",
        "\u{ff44}\u{ff13}",
        "\td3\r",
        "*d3*",
        "\u{201c}d3\u{201d}",
        "d3!",
        "\"d3.\"",
        "`d3`",
        "\u{2066}d3\u{2069}",
        "\u{3000}d\u{ad}3",
        "\u{ff44}\u{ff13}\u{3002}",
        "d3\u{2026}",
    ] {
        assert_eq!(normalize(typed), "d3", "{typed:?}");
    }
}

#[test]
fn the_rest_of_a_line_is_kept() {
    assert_eq!(normalize("show 12 \u{2014}arrows"), "show 12 --arrows");
    assert_eq!(normalize("move\u{a0}12\u{2009}B\u{2212}1"), "move 12 B-1");
    assert_eq!(normalize("don't. *really*"), "don't. *really*");
    assert_eq!(normalize("..."), "");
    assert_eq!(normalize("\"\""), "");
    assert_eq!(normalize("\""), "\"");
}

#[test]
fn a_game_parses_with_and_without_a_ply() {
    assert_eq!("12".parse(), Ok(GameAt { game: GameId(12), ply: None }));
    assert_eq!("12#0".parse(), Ok(GameAt { game: GameId(12), ply: Some(0) }));
    for bad in ["", "0", "-1", "+1", "x", "1.5", "99999999999999999999", "#3"] {
        assert!(matches!(bad.parse::<GameAt>(), Err(BadReference::Game(_))), "{bad}");
    }
    for bad in ["12#", "12#x", "12#-1", "12#1#2"] {
        assert!(matches!(bad.parse::<GameAt>(), Err(BadReference::Ply(_))), "{bad}");
    }
}

#[test]
fn a_move_parses_with_a_ply() {
    assert_eq!("PASS#7".parse(), Ok(MoveAt { mv: Move::Pass, ply: Some(7) }));
    assert!(matches!("33#7".parse::<MoveAt>(), Err(BadReference::Move(_))));
}
