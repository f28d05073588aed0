//! `play --lines`: the board as a dialogue.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::harness::{BOB, Run, Running, TestEnvironment, run_with_input, until};

impl TestEnvironment {
    /// Returns `play` with these words, run by the system's user ann.
    fn play(&self, words: &str) -> Command {
        let mut command = self.command(&format!("play --lines {words}"));
        command.env("USER", "ann");
        command
    }

    /// Runs `play` with these lines as its input.
    fn play_lines(&self, words: &str, lines: &str) -> Run {
        run_with_input(self.play(words), lines.as_bytes())
    }
}

/// A dialogue in JSON.
struct Dialogue {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Dialogue {
    fn start(mut command: Command) -> Self {
        command.arg("--json");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output).lines() }
    }

    #[track_caller]
    fn reply(&mut self) -> Value {
        serde_json::from_str(&self.output.next().expect("a line").unwrap()).unwrap()
    }

    #[track_caller]
    fn ask(&mut self, line: &str) -> Value {
        writeln!(self.input, "{line}").unwrap();
        self.reply()
    }
}

#[test]
fn a_game_against_the_computer_is_played_from_a_pipe() {
    let env = TestEnvironment::new();
    let mut dialogue = Dialogue::start(env.play("--variant mini"));
    let mut shown = dialogue.reply();
    assert_eq!(shown["black"]["player"], "ann");
    while let Some(legal) = shown["legal"][0].as_str() {
        let before = shown["ply"].as_u64();
        shown = dialogue.ask(legal);
        assert!(shown["ply"].as_u64() > before, "{shown}");
        assert!(shown["turn"] == "black" || shown["status"] == "finished", "{shown}");
    }
    assert_eq!(shown["status"], "finished");
    let rematch = dialogue.ask("rematch");
    assert_eq!((&rematch["game"], &rematch["white"]["player"]), (&2.into(), &"ann".into()));
    assert_eq!(rematch["turn"], "white", "the computer has moved");
    drop(dialogue.input);
    assert!(dialogue.child.wait().unwrap().success());
    env.no_mail();
}

#[test]
fn a_dialogue_changes_to_other_games() {
    let env = TestEnvironment::new();
    let played = env.play_lines("mini", "resign\nplay bot:beginner\nplay twente\nplay nobody\n");
    let at = |text: &str| played.stdout.find(text).unwrap_or_else(|| panic!("{text}: {played:?}"));
    let shown = [
        at("The game is over. `rematch`, `play bot:beginner` or `quit`:"),
        at("Game 2: Othello"),
        at("Game 3: Twente Othello"),
    ];
    assert!(shown.is_sorted(), "{played:?}");
    assert!(played.stderr.contains("\"nobody\" is not a game, a variant"), "{}", played.stderr);
}

#[test]
fn two_people_play_at_one_keyboard() {
    let env = TestEnvironment::new();
    let played = env.play_lines("ann ben --variant mini", "b1\n\na1\ntakeback\nquit\nc4\n").ok();
    insta::assert_snapshot!(played);
    // `quit` ends the dialogue; the takeback needed no consent.
    assert_eq!(env.moves(1), ["b1"]);
    env.no_mail();
}

#[test]
fn the_board_is_in_words_if_the_player_has_set_that() {
    let env = TestEnvironment::new();
    env.play_lines("", "set style words\n").ok();
    insta::assert_snapshot!(env.play_lines("ann ben --variant mini", "b1\n").ok());
}

#[test]
fn a_line_that_is_refused_is_one_line_on_standard_error() {
    let env = TestEnvironment::new();
    let played = env.play_lines("", "a1\ngibberish\nmove over there\nresign now\naccept\nd3\n");
    assert_eq!(played.status, Some(0), "the end of the input leaves");
    assert_eq!(env.moves(1)[0], "d3", "the dialogue goes on");
    insta::assert_snapshot!(played.stderr);
}

#[test]
fn the_next_play_goes_on() {
    let env = TestEnvironment::new();
    env.play_lines("", "f5\n").ok();
    let plies = env.plies(1);
    assert_eq!(plies, 2, "the computer has replied");
    let shown = env.play_lines("", "").ok();
    assert!(
        shown.starts_with("Game 1") && shown.contains("ann (black) to move (move 3)"),
        "{shown}"
    );
    assert_eq!(env.play_lines("--json", "\n").ok().lines().count(), 2, "the game, and again");
}

#[test]
fn a_game_by_mail_is_played_in_lines() {
    let env = TestEnvironment::new().with_game();
    let played = env.play_lines("1 --as alice", "f5\ndraw\n\nd6\n");
    let (before, after) = played.stdout.split_once("1. alice (black) f5").unwrap();
    assert!(before.ends_with("\n\nalice (black), your move:\n"), "{before}");
    assert!(after.contains("\nbob (white) is to move. Return looks again:\n"), "{after}");
    assert!(played.stderr.contains("it is bob's turn in game 1"), "{}", played.stderr);
    assert!(!played.stdout.contains("was mailed"), "{}", played.stdout);
    // The mail about the offer supersedes no other; both were sent at once.
    assert_eq!(env.mails().iter().filter(|mail| mail.to == BOB).count(), 2);
}

#[test]
fn what_others_do_meanwhile_is_shown_at_the_next_line() {
    let env = TestEnvironment::new().with_game();
    let mut command = env.play("1 --as alice");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut to_prompt = || {
        let mut lines = output.by_ref().map(Result::unwrap);
        let said: Vec<_> = lines.by_ref().take_while(|line| !line.ends_with(':')).collect();
        said.join("\n")
    };
    to_prompt();
    for line in ["f5", "draw"] {
        writeln!(input, "{line}").unwrap();
        to_prompt();
    }
    env.ok("--as bob say 1 'Good luck!' --now");
    env.ok("--as bob decline 1");
    env.ok("--as bob move 1 d6");
    writeln!(input, "games").unwrap();
    let seen = to_prompt();
    for expected in ["Good luck!", "bob declined your offer", "1 game waits", "2. bob (white) d6"] {
        assert_eq!(seen.matches(expected).count(), 1, "{expected}: {seen}");
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_signal_ends_the_dialogue_and_gives_the_job_back() {
    let env = TestEnvironment::new();
    let playing = Running::start(env.play("bot:10 --size 20x20 --white"));
    let leases = |condition: &str| {
        let sql = format!("SELECT count(*) FROM job WHERE lease_until {condition}");
        env.sqlite().query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap_or(0)
    };
    until("the computer player thinks", || env.database().exists() && leases("> 0") == 1);
    let stopped = playing.stop("INT");
    assert_eq!((stopped.status, &*stopped.stderr), (Some(0), ""), "{stopped:?}");
    assert_eq!((env.plies(1), leases("= 0")), (0, 1), "the next one makes the move");
}
