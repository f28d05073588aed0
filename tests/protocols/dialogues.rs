//! Dialogues in `tests/protocols/*.txt` with the engine as a process: `> ` begins a line to the
//! engine, other lines are its answers. A word that ends with `*` stands for any word with that
//! beginning, and a line that begins with `~ ` for one or more such lines.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::iter;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::answers;

/// The program as an engine.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start(words: &str) -> Self {
        let mut command = Command::new("timeout");
        command.args(["60", env!("CARGO_BIN_EXE_outflank")]);
        // The engine needs no database.
        command.args(words.split(' ')).env("OUTFLANK_DB", "/nowhere/outflank.db");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input, output: BufReader::new(output).lines() }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    #[track_caller]
    fn line(&mut self) -> String {
        self.output.next().expect("a line").unwrap()
    }
}

/// Compares an answer with the expected one.
fn is_same(expected: &str, answer: &str) -> bool {
    let (expected, answer): (Vec<_>, Vec<_>) =
        (expected.split(' ').collect(), answer.split(' ').collect());
    let is_same = |(expected, answer): (&&str, &&str)| match expected.strip_suffix('*') {
        Some(beginning) => answer.starts_with(beginning),
        None => expected == answer,
    };
    expected.len() == answer.len() && expected.iter().zip(&answer).all(is_same)
}

#[track_caller]
fn check(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocols").join(name);
    let text = fs::read_to_string(&file).unwrap();
    let protocol = name.split(['-', '.']).next().unwrap();
    check_text(name, &text, &format!("engine --protocol {protocol} --level 2"));
}

#[track_caller]
fn check_text(name: &str, text: &str, words: &str) {
    let mut engine = Engine::start(words);
    let mut repeated: Option<&str> = None;
    for (number, expected) in (1..).zip(text.lines()) {
        if let Some(line) = expected.strip_prefix("> ") {
            engine.say(line);
            continue;
        }
        let mut answer = engine.line();
        while repeated.is_some_and(|it| is_same(it, &answer)) && !is_same(expected, &answer) {
            answer = engine.line();
        }
        repeated = expected.strip_prefix("~ ");
        let expected = repeated.unwrap_or(expected);
        assert!(is_same(expected, &answer), "{name}:{number}: {answer:?}, not {expected:?}");
    }
    // Each dialogue ends with `quit`.
    assert!(engine.child.wait().unwrap().success());
    assert_eq!(engine.output.next().map(Result::unwrap), None);
}

#[test]
fn nboard() {
    check("nboard.txt");
}

#[test]
fn the_example_for_nboard_is_what_the_engine_answers() {
    let page = include_str!("../../docs/engine.md");
    let example = page.split("```text\n").find(|block| block.starts_with("> nboard")).unwrap();
    let example = example.split("```").next().unwrap();
    // The time of a search differs.
    let (before, search) = example.split_once("=== ").unwrap();
    let (result, after) = search.split_once('\n').unwrap();
    let result = result.rsplit_once('/').unwrap().0;
    let text = format!("{before}=== {result}/*\n{after}> quit\n");
    check_text("docs/engine.md", &text, "engine --protocol nboard");
}

#[test]
fn nboard_ignores_unknown_lines() {
    check("nboard-unknown.txt");
}

#[test]
fn gtp() {
    check("gtp.txt");
}

#[test]
fn gtp_answers_errors() {
    check("gtp-errors.txt");
}

#[test]
fn gtp_plays_every_variant() {
    check("gtp-variants.txt");
}

/// The whole search shows all moves at depths 4, 8, 12, 16, 20, 24 and 28.
#[test]
fn a_ping_ends_a_search() {
    let mut engine = Engine::start("engine --protocol nboard --level 10");
    engine.say("hint 20");
    assert_eq!(engine.line(), "status Analyzing");
    assert!(engine.line().starts_with("search "));
    engine.say("ping 7");
    let lines: Vec<_> = iter::from_fn(|| Some(engine.line()).filter(|it| it != "pong 7")).collect();
    let (moves, depths) = (4, 7);
    assert!(lines.len() < moves * depths - 1, "{lines:#?}");
    drop(engine.input);
    assert!(engine.child.wait().unwrap().success());
}

/// The first depth of a hint is 4.
#[test]
fn a_waiting_ping_ends_a_search_at_once() {
    let lines = answers("nboard", 10, ["hint 20", "ping 7"].map(str::to_owned));
    let depths = lines.iter().filter_map(|line| line.strip_prefix("search ")?.rsplit(' ').next());
    let depths: Vec<u32> = depths.map(|depth| depth.parse().unwrap()).collect();
    assert!(depths.iter().all(|&depth| depth < 4), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("pong 7"));
}

#[test]
fn an_engine_ends_when_its_output_is_closed() {
    let Engine { mut child, mut input, output } = Engine::start("engine --protocol gtp");
    drop(output);
    writeln!(input, "name").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_unknown_protocol_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    let output = command.args(["engine", "--protocol", "uci"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error, "outflank: there is no protocol \"uci\"; use nboard or gtp\n");
    assert_eq!(output.status.code(), Some(1));
}
