//! Moves of computer players, within a command or when `send` runs queued jobs.

use outflank::store::Error;

use super::{events, jobs, with_alice};
use crate::harness::{ALICE, TestEnvironment};
use crate::reliability::state;

#[test]
fn a_quick_computer_player_answers_in_the_same_command() {
    let env = with_alice();
    env.ok("new othello alice bot:1");
    env.mails();
    let printed = env.ok("move 1 d3");
    let made = &env.moves(1)[1];
    let [_, moves, _, below, mailed] = printed.split("\n\n").collect::<Vec<_>>()[..] else {
        panic!("one board with moves above it: {printed}");
    };
    let own = "1. alice (black) d3 (flipped d4)\n";
    assert!(moves.starts_with(&format!("{own}2. bot:1 (white) {made} (flipped ")), "{moves}");
    assert!(below.starts_with("Score: "), "{below}");
    assert!(below.contains("Turn: alice (black) to move (move 3)"), "{below}");
    assert_eq!(mailed, "alice was mailed.\n");
    let mail = env.mail_to(ALICE);
    assert!(mail.text.contains("bot:1"), "{}", mail.text);
    assert_eq!(jobs(&env), [""; 0]);

    // A script gets the game after its own move.
    let legal = env.legal(1);
    let after = env.json(&format!("--as alice move 1 {legal}"));
    assert_eq!((after["ply"].as_u64(), after["turn"].as_str()), (Some(3), Some("white")));
    assert_eq!(env.plies(1), 4);
    state::check(&env.database());
}

#[test]
fn a_quick_computer_player_begins_when_it_is_black() {
    let env = with_alice();
    let printed = env.ok("new othello bot:1 alice");
    assert!(printed.contains("\n\n1. bot:1 (black) "), "{printed}");
    assert!(printed.contains("Turn: alice (white) to move (move 2)"), "{printed}");
    assert_eq!(env.plies(1), 1);
    let over_ssh = {
        let mut command = env.command("ssh alice");
        command.env("SSH_ORIGINAL_COMMAND", format!("move 1 {}", env.legal(1)));
        crate::harness::run(command).ok()
    };
    assert!(over_ssh.contains("Turn: alice (white) to move (move 4)"), "{over_ssh}");
}

#[test]
fn a_computer_player_passes_if_it_must() {
    let env = with_alice();
    let rest = ["--------"; 7].join(" ");
    env.ok(&format!("new twente bot:1 alice --position '(b wb------ {rest})'"));
    assert_eq!(events(&env, 1), ["b pass"]);
}

#[test]
fn a_strong_computer_player_moves_when_mail_is_sent() {
    let env = with_alice();
    env.ok("new mini alice bot:friend");
    env.mails();
    let printed = env.ok("move 1 b1");
    assert!(printed.ends_with("\nbot:friend replies at the next `send`.\n"), "{printed}");
    assert_eq!(env.plies(1), 1);
    assert_eq!(jobs(&env), ["move 1 1"]);
    let sent = env.ok("send");
    assert_eq!(sent, "1 sent, 1 job done.\n");
    assert_eq!(env.plies(1), 2);
    assert!(env.mail_to(ALICE).text.contains("bot:friend"));
    assert_eq!(jobs(&env), [""; 0]);
    assert_eq!(env.ok("send"), "0 sent.\n");
}

#[test]
fn two_computer_players_play_their_game_to_the_end() {
    let env = TestEnvironment::new();
    let printed = env.ok("new mini bot:1 bot:1");
    assert!(printed.ends_with("The computer players move at the next `send`.\n"));
    env.ok("new mini bot:0 bot:2");
    env.ok("new oddthello bot:0 bot:0");
    assert_eq!(env.json("send")["jobs"]["waiting"], 0);
    for game in 1..=3 {
        assert_eq!(env.game(game)["status"], "finished", "game {game}");
    }
    assert_eq!(env.outbox(), [""; 0]);
    state::check(&env.database());
    // A level repeats its moves in a game with the same number.
    let again = TestEnvironment::new();
    again.ok("new mini bot:1 bot:1");
    again.ok("send");
    assert_eq!(events(&again, 1), events(&env, 1));
}

#[test]
fn a_plan_against_a_computer_player_replies_at_once() {
    let env = with_alice();
    env.ok("new othello alice bot:friend");
    env.ok("move 1 d3");
    // A plan with a reply to each possible move.
    let game = env.game(1);
    let replies = game["legal"].as_array().unwrap().iter().map(|mv| {
        let mv = mv.as_str().unwrap();
        let then = {
            let copy = TestEnvironment::new();
            copy.ok("new othello a@example.org b@example.org");
            copy.ok(&format!("move 1 d3 {mv}"));
            copy.legal(1)
        };
        format!("{mv} {then}")
    });
    let plan = replies.collect::<Vec<_>>().join(" / ");
    env.ok(&format!("plan 1 \"{plan}\" --as alice"));
    env.mails();
    env.sqlite().execute_batch("UPDATE job SET due_at = 0").unwrap();
    assert!(env.run("send").status == Some(0));
    assert!(env.plies(1) >= 4, "its move, the planned one, and its next");
    let mails = env.mails();
    assert!(mails.iter().any(|mail| mail.text.contains("Your plan replied for you")));
    state::check(&env.database());
}

#[test]
fn a_game_of_two_people_needs_no_query_about_jobs() {
    let env = TestEnvironment::new().with_game();
    env.sqlite().execute_batch("DROP TABLE job").unwrap();
    env.ok("move 1 d3");
    let state = state::store(&env).read(|db| db.waiting_jobs());
    assert!(matches!(state, Err(Error::Other(_))), "{state:?}");
}
