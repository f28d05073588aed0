//! The commands that a board offers are those that are not refused.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use outflank::app::{Line, NO_PROGRESS, PlayerCommand};
use outflank_model::log::GameId;

use super::{USER, finish, play, run, take, think};
use crate::harness::TestEnvironment;

/// Prepares a game. Returns the arguments of `play` that open it, and the player of `--as`.
type Prepare = fn(&TestEnvironment) -> (String, Option<&'static str>);

/// Prepares a game: begins it by `play` with these arguments, and types these lines.
fn local(env: &TestEnvironment, words: &str, lines: &[&str]) -> (String, Option<&'static str>) {
    let (mut seat, id) = play(env, words);
    for line in lines {
        match *line {
            "think" => think(&mut seat, id),
            "finish" => drop(finish(&mut seat, id)),
            line => drop(run(&mut seat, id, line).unwrap()),
        }
    }
    (id.to_string(), None)
}

/// Prepares game 1, between alice and bob by mail, with these commands. Alice looks at it.
fn by_mail(env: &TestEnvironment, lines: &[&str]) -> (String, Option<&'static str>) {
    env.ok("new mini alice@example.org bob@example.org");
    lines.iter().for_each(|line| drop(env.ok(line)));
    ("1".to_owned(), Some("alice"))
}

/// Each state with the words of the possible commands.
const STATES: &[(Prepare, &str)] = &[
    (|env| local(env, "--variant mini", &[]), "resign draw hint"),
    (|env| local(env, "--variant mini", &["a2"]), "resign takeback draw hint"),
    (|env| local(env, "--variant mini", &["a2", "think"]), "resign takeback draw hint"),
    (|env| local(env, "--variant mini", &["draw"]), "resign decline hint"),
    (|env| local(env, "--variant mini", &["finish"]), "rematch analyze"),
    (|env| local(env, "--variant mini", &["resign"]), "rematch hint analyze"),
    (|env| local(env, "--variant mini", &["resign", "rematch"]), "hint analyze"),
    (|env| local(env, "--variant oddthello", &[]), "resign draw hint"),
    (
        |env| local(env, "--white --variant twente --position '(w bbb --w ---)'", &[]),
        "pass resign draw hint",
    ),
    (|env| local(env, "ann ben --variant mini", &[]), "resign draw say"),
    (|env| local(env, "ann ben --variant mini", &["a2"]), "resign takeback draw say"),
    (|env| local(env, "ann ben --variant mini", &["a2", "draw"]), "rematch say hint analyze"),
    (|env| by_mail(env, &[]), "resign draw say"),
    (|env| by_mail(env, &["move 1 a2"]), "resign takeback draw say"),
    (|env| by_mail(env, &["draw 1 --as bob"]), "resign draw accept decline say"),
    (|env| by_mail(env, &["move 1 a2 a3", "takeback 1 --as bob"]), "resign accept decline say"),
    (
        |env| by_mail(env, &["resign 1 --as bob", "rematch 1 --as alice"]),
        "decline say hint analyze",
    ),
];

#[test]
fn what_is_possible_is_not_refused_and_nothing_else_is() {
    for (number, (prepare, expected)) in STATES.iter().enumerate() {
        let begin = || {
            let env = TestEnvironment::new();
            let (words, named) = prepare(&env);
            let (seat, id) = take(&env, &words, named, USER).unwrap();
            (env, seat, id)
        };
        let (mut env, mut seat, id) = begin();
        let live = seat.game(id).unwrap();
        assert_eq!(live.possible.join(" "), *expected, "state {number}");
        for traits in PlayerCommand::ALL.iter().filter(|traits| traits.on_board) {
            let (word, words) = (traits.word, traits.words.map_or("", |_| "hello"));
            let line = Line::parse(&format!("{word} {id} {words}"), Some(live.moment));
            let Line::Command(command) = line else { panic!("{line:?}") };
            // The result of a hint does not matter here.
            let stop = Arc::new(AtomicBool::new(word == "hint"));
            let ran = seat.run(id, &command, &stop, NO_PROGRESS);
            assert_eq!(live.can(word), ran.is_ok(), "state {number}: {word}: {ran:?}");
            if ran.is_ok() {
                (env, seat, _) = begin();
            } else {
                assert_eq!(env.stored(id.0).game.events(), live.game.events());
            }
        }
    }
}

#[test]
fn a_look_at_a_board_writes_nothing() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "--variant mini");
    let mut other = seat.another().unwrap();
    other.has_changed().unwrap();
    seat.game(id).unwrap();
    assert!(!other.has_changed().unwrap());
    assert!(seat.game(GameId(2)).is_err());
    assert!(!other.has_changed().unwrap());
}
