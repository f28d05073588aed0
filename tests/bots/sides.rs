//! A side of a game is a person or a computer player.

use outflank_engine::Level;
use outflank_engine::Score;
use serde_json::json;

use super::jobs;
use crate::harness::{ALICE, BOB, TestEnvironment};

#[test]
fn a_computer_player_has_a_side_but_no_row_address_mail_or_clock() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    let shown = env.ok("new othello alice BOT:9 --clock 3d");
    assert!(shown.contains("Game 1: Othello, alice (black, B) - bot:9 (white, W)"), "{shown}");
    assert!(shown.contains("To move: outflank move 1 c4"), "{shown}");
    assert_eq!(env.outbox(), ["alice started sent"]);
    let players = env.json("players");
    assert_eq!(players["players"].as_array().unwrap().len(), 1);
    assert_eq!(players["players"][0]["active"], 1);
    assert_eq!(jobs(&env), [""; 0], "it is alice's turn");

    let game = env.game(1);
    assert_eq!(game["white"], json!({"player": "bot:9", "discs": 2}));
    assert_eq!(game["deadline"], "2026-11-24T10:00:00Z");
    let after = env.json("move 1 d3");
    assert_eq!(after["turn"], "white");
    assert_eq!(after["deadline"], json!(null), "no clock runs for it");
    assert_eq!(after["clock"]["running"], json!(null));
    assert_eq!(after["clock"]["white_seconds"], json!(null));
    assert_eq!(after["clock"]["black_seconds"], 3 * 86400);
    assert_eq!(jobs(&env), ["move 1 1"]);
    // Ten years later nobody is reminded, and no flag has fallen.
    env.later(60 * 24 * 365 * 10);
    env.sqlite().execute_batch("DELETE FROM job").unwrap();
    env.ok("send");
    assert_eq!(env.outbox(), [""; 0], "the first mail has no record, and there is no other mail");
    assert_eq!(env.game(1)["status"], "active");
    let line = env.fails(1, "claim 1 --as alice");
    assert!(line.contains("bot:9 is a computer player and has no clock"), "{line}");
    let line = env.fails(1, "extend 1 2d bot:9");
    assert!(line.contains("bot:9"), "{line}");
    let line = env.fails(1, "extend 1 2d");
    assert!(line.contains("bot:9 is a computer player and has no clock"), "{line}");
}

#[test]
fn the_clock_of_a_person_runs_but_a_computer_player_never_claims_the_game() {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} bot:9 --clock 1d"));
    env.ok("new mini alice bot:9 --clock 1d --flag hard");
    env.ok("new mini alice bot:9");
    env.mails();
    env.later(60 * 24 + 1);
    env.ok("send");
    assert_eq!(env.game(2)["result"]["reason"], "time");
    let mails = env.mails();
    let flagged = mails.iter().find(|mail| mail.text.contains("Your time in game 1")).unwrap();
    let line = "bot:9 (white) does not claim the game. It is still your turn.";
    assert!(flagged.text.contains(line), "{}", flagged.text);
    assert!(env.ok("show 1").contains("Deadline: the time of alice is over\n"));
    env.ok("move 1 b1");
    env.sqlite().execute_batch("DELETE FROM job").unwrap();
    // Without a clock, a person is reminded of a possible claim, although a computer player never claims.
    env.later(60 * 24 * 100);
    env.ok("send");
    env.no_mail();
}

#[test]
fn both_sides_can_be_computer_players_even_the_same() {
    let env = TestEnvironment::new();
    env.ok("new mini bot:9 bot:9");
    env.ok("new mini bot:0 bot:10");
    assert_eq!(jobs(&env), ["move 1 0", "move 2 0"]);
    let listed = env.ok("games bot:9");
    assert!(listed.contains("black's turn"), "{listed}");
    assert_eq!(env.outbox(), [""; 0]);
    assert_eq!(env.json("players")["players"], json!([]));
    let line = env.fails(1, "new mini bot:1 bot:1 --clock 3d");
    assert!(line.contains("computer players have none"), "{line}");
    assert!(env.fails(1, "forfeit 1 bot:9").contains("bot:9 plays both sides of game 1"));
    env.ok("forfeit 2 bot:0");
    assert_eq!(env.game(2)["result"]["winner"], "white");
    assert_eq!(jobs(&env), ["move 1 0"], "a finished game needs no move");
}

#[test]
fn a_game_between_computer_players_mentions_no_mail() {
    let env = TestEnvironment::new();
    assert!(!env.ok("new mini bot:1 bot:2").contains("Mail"));
    assert!(env.ok(&format!("new mini {ALICE} bot:1")).contains("Mail goes to"));
    assert!(env.ok("new mini bot:1 alice").contains("Mail goes to"));
}

#[test]
fn a_computer_player_is_a_filter_of_games() {
    let env = TestEnvironment::new();
    env.ok(&format!("new mini {ALICE} bot:9"));
    env.ok("new mini bot:9 alice");
    env.ok("new mini bot:8 alice");
    env.ok("new mini bot:9 bot:9");
    env.ok("new mini alice bot:9 --moves b1");
    env.ok("resign 5 --as alice");
    let listed = |words: &str| -> Vec<i64> {
        let games = env.json(&format!("games {words}"));
        games["games"].as_array().unwrap().iter().map(|it| it["game"].as_i64().unwrap()).collect()
    };
    assert_eq!(listed("bot:9"), [2, 4, 1], "the games that wait for it come first, each once");
    assert_eq!(listed("bot:9 --finished"), [5]);
    assert_eq!(listed("bot:9 --all"), [2, 4, 1, 5]);
    assert_eq!(listed("bot:9 --next"), [2]);
    assert_eq!(listed("bot:8"), [3]);
    assert_eq!(listed("bot:3 --all"), [0; 0]);
    assert_eq!(listed("alice"), [1, 2, 3]);
    assert!(env.ok("games bot:9").starts_with("2 games wait for bot:9."));
    assert_eq!(env.json("games --finished")["games"][0]["white"], "bot:9");
    assert!(env.ok("games --finished").contains("bot:9 won"));
}

#[test]
fn nobody_acts_for_a_computer_player() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} bot:9"));
    env.ok("move 1 d3");
    let line = env.fails(1, "--as bot:9 move 1 c3");
    assert_eq!(line, "outflank: bot:9 is a computer player, not a person; see `outflank players`");
    let line = env.run("ssh Bot:9").failed(1).to_owned();
    assert!(line.contains("Bot:9 is a computer player"), "{line}");
    let line = env.fails(1, "move 1 c3");
    assert!(line.contains("it is bot:9's turn in game 1"), "{line}");
    assert!(line.ends_with("`outflank send` lets it move"), "{line}");
    let line = env.fails(1, "say 1 hello --as alice");
    assert!(line.contains("bot:9 is a computer player and reads nothing"), "{line}");
    for words in ["block bot:9 --as alice", "rotate bot:9", "address bot:9 a@example.org"] {
        assert!(env.fails(1, words).contains("bot:9"), "{words}");
    }
    for (bot, hint) in [
        ("bot:11", "\"bot:11\" is not a computer player; use bot:novice, bot:beginner, "),
        ("bot:novise", "there is no computer player bot:novise; did you mean bot:novice?"),
        ("bot:ntest", "there is no computer player bot:ntest; see `outflank bots`"),
    ] {
        let line = env.fails(1, &format!("new othello alice {bot}"));
        assert!(line.contains(hint), "{line}");
    }
    env.fails(1, "signup bot:5 bob@example.org");
}

#[test]
fn a_person_takes_back_at_once_and_keeps_a_plan_against_a_computer_player() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} bot:9"));
    env.ok("move 1 d3");
    assert_eq!(jobs(&env), ["move 1 1"]);
    env.ok("takeback 1 --as alice");
    assert_eq!(jobs(&env), [""; 0]);
    env.ok("move 1 d3");
    assert_eq!(jobs(&env), ["move 1 3"], "the position is a new one");
    env.ok("plan 1 \"c5 f6\" --as alice");
    env.ok("note 1 \"a plan\" --as alice");
    assert_eq!(jobs(&env), ["move 1 3"], "a note does not change the position");
    assert_eq!(env.outbox(), ["alice started sent"]);
}

#[test]
fn the_mails_name_the_computer_player() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello bot:9 {BOB}"));
    // It waits for the first move of the computer player.
    env.no_mail();
    env.ok("send");
    let mail = env.mail_to(BOB);
    assert!(mail.raw.contains("Subject: Othello #1\n"), "{}", mail.raw);
    assert!(mail.text.contains("bot:9"), "{}", mail.text);
    env.ok("annul 1");
    assert!(env.mail_to(BOB).text.contains("Annulled"));
}

#[test]
fn an_external_program_must_be_configured() {
    let program = |settings: &str| format!("[bots.ntest]\ncommand = ['ntest']\n{settings}");
    let env = TestEnvironment::new().config(&program("protocol = 'nboard'"));
    env.ok(&format!("new othello {ALICE} bot:NTest"));
    assert_eq!(env.game(1)["white"]["player"], "bot:ntest");
    for (settings, problem) in [
        (program("protocol = 'chess'"), "there is no protocol \"chess\""),
        (program(""), "missing field `protocol`"),
        ("[bots.ntest]\ncommand = []\nprotocol = 'gtp'".to_owned(), "no program is named"),
        ("[bots.novice]\ncommand = ['x']\nprotocol = 'gtp'".to_owned(), "bot:novice is a level"),
        ("[bots.NTest]\ncommand = ['x']\nprotocol = 'gtp'".to_owned(), "not a name for a program"),
        (
            program("protocol = 'gtp'").replace("['ntest']", "'ntest'"),
            "line 4: command: no program",
        ),
        (
            program("protocol = 'gtp'\nseconds_per_move = 0"),
            "line 6: use a whole number from 1 to 86400",
        ),
        ("[engine]\nmemory = 5".to_owned(), "unknown field `memory`"),
        ("[engine]\nthreads = 0".to_owned(), "line 4: use a whole number from 1 to 256"),
        ("[engine]\nmemory_mb = '64'".to_owned(), "use a whole number from 1 to 65535"),
        ("[engine]\nseconds_per_hour = 0".to_owned(), "use a whole number from 1 to 1000000"),
    ] {
        env.configure(&settings);
        let line = env.fails(3, "games");
        assert!(line.contains(problem), "{line}");
    }
    // Games of a program that is no longer configured are still shown.
    env.configure("");
    assert!(env.ok("games").contains("bot:ntest"));
    assert!(env.ok("games bot:ntest").contains("alice's turn"));
    let line = env.fails(1, "games bot:edax");
    assert_eq!(line, "outflank: there is no computer player bot:edax; see `outflank bots`");
}

#[test]
fn a_name_that_begins_like_a_computer_player_is_explained() {
    let env = TestEnvironment::new();
    for name in ["bot", "bot5"] {
        let line = env.fails(1, &format!("new mini {ALICE} {name}"));
        let hint =
            "for a computer player, use bot:novice, bot:beginner, bot:learner, or bot:0 to bot:10";
        assert_eq!(line, format!("outflank: there is no player \"{name}\"; {hint}"));
    }
}

#[test]
fn the_computer_players_are_listed() {
    let env = TestEnvironment::new();
    let printed = env.ok("bots");
    assert!(printed.contains("bot:0") && printed.contains("bot:10"), "{printed}");
    assert!(printed.contains("No programs are configured"), "{printed}");
    env.configure("[bots.ntest]\ncommand = ['/opt/ntest', 'x']\nprotocol = 'gtp'");
    let listed = env.json("bots");
    let levels = listed["levels"].as_array().unwrap();
    let names: Vec<_> = levels.iter().map(|level| level["bot"].as_str().unwrap()).collect();
    assert_eq!(names[..5], ["bot:0", "bot:novice", "bot:beginner", "bot:learner", "bot:1"]);
    let strongest = levels.last().unwrap();
    assert_eq!((&strongest["bot"], &strongest["seconds"]), (&json!("bot:10"), &json!(10)));
    assert_eq!(listed["levels"][1]["quick"], true);
    assert_eq!(
        listed["programs"],
        json!([{"bot": "bot:ntest", "command": ["/opt/ntest", "x"], "protocol": "gtp",
                "seconds_per_move": 30}])
    );
    assert!(env.ok("bots").contains("/opt/ntest x"));
}

#[test]
fn the_page_about_computer_players_lists_the_levels() {
    let page = include_str!("../../docs/bots.md");
    for level in Level::all() {
        let score = match level.score_against_next_lower() {
            Some(Score { percent, error }) => format!("{percent:.1} % ± {error:.1}"),
            None => String::new(),
        };
        let (nodes, elsewhere) = (level.nodes(), level.nodes_elsewhere());
        let about = level.about();
        let row = format!("| `bot:{level}` | {nodes} | {elsewhere} | {about} | {score} |");
        let row = row.replace("|  |", "| |");
        assert!(page.contains(&row), "{row}");
    }
}
