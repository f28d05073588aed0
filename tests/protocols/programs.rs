//! External programs: our own engine as one, and small scripts that misbehave.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use outflank::config::ProgramSettings;
use outflank::program::{Program, ProgramError, choose};
use outflank::protocol::Record;
use outflank_model::log::Game;
use outflank_rules::{Cell, Move, Overrides, Position, Setup, Transcript, Variant};

fn game(variant: &str, moves: &str) -> Game {
    let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
    let mut game = Game::new(Position::start(rules));
    for mv in moves.parse::<Transcript>().unwrap().0 {
        game.play(mv).unwrap();
    }
    game
}

fn record_of(game: &Game) -> Record {
    Record::of(game.start(), game.moves())
}

fn record(variant: &str, moves: &str) -> Record {
    record_of(&game(variant, moves))
}

fn settings(protocol: &str, command: &[&str]) -> ProgramSettings {
    ProgramSettings {
        command: command.iter().map(ToString::to_string).collect(),
        protocol: toml::Spanned::new(0..0, protocol.to_owned()),
        depth: 6,
        seconds_per_move: 20,
        memory_mb: 1024,
        processes: 64,
    }
}

fn own_engine(protocol: &str) -> ProgramSettings {
    let program = env!("CARGO_BIN_EXE_outflank");
    settings(protocol, &[program, "engine", "--protocol", protocol, "--level", "1"])
}

/// Returns a program that reads a line and then runs this script.
fn script(text: &str) -> ProgramSettings {
    ProgramSettings {
        seconds_per_move: 2,
        ..settings("nboard", &["sh", "-c", &format!("read x; {text}")])
    }
}

fn error(settings: &ProgramSettings) -> ProgramError {
    let error = choose(settings, &record("othello", "f5"), &|| false).unwrap_err();
    assert!(!error.to_string().contains('\n'), "{error:?}");
    error
}

/// Returns whether the process with the number in this file runs.
fn is_running(file: &Path) -> bool {
    let pid = fs::read_to_string(file).unwrap();
    let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    // A killed process is a zombie until init reaps it.
    status.is_ok_and(|status| !status.contains(") Z "))
}

#[test]
fn our_engine_plays_as_an_external_program() {
    for protocol in ["nboard", "gtp"] {
        let mut program = Program::start(&own_engine(protocol), 60).unwrap();
        for (variant, moves) in
            [("othello", ""), ("othello", "f5d6"), ("mini", ""), ("twente", "f5")]
        {
            let game = game(variant, moves);
            let mv = program.choose(&record_of(&game), &|| false).unwrap();
            assert!(game.position().check(mv).is_ok(), "{protocol}: {variant} {moves}");
        }
    }
}

#[test]
fn a_whole_game_with_passes_is_played() {
    for protocol in ["nboard", "gtp"] {
        let mut program = Program::start(&own_engine(protocol), 60).unwrap();
        let mut game = game("mini", "b1a1c4d4d3b4a4c1d1d2");
        assert!(game.plies().last().unwrap().auto);
        while game.turn().is_some() {
            game.play(program.choose(&record_of(&game), &|| false).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_game_that_the_protocol_cannot_describe_is_refused() {
    let rules = Variant::named("othello").unwrap().rules(&Overrides::default()).unwrap();
    let setup: Setup = "(w -b-- -bb- -bw- ----)".parse().unwrap();
    let set_up = Game::new(setup.position(&rules, Cell::new(0, 1)).unwrap());
    assert!(choose(&own_engine("nboard"), &record_of(&set_up), &|| false).is_ok());
    let refused = choose(&own_engine("gtp"), &record_of(&set_up), &|| false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the protocol gtp cannot describe a game that began in another position"
    );
    for protocol in ["nboard", "gtp"] {
        let refused = choose(&own_engine(protocol), &record("oddthello", ""), &|| false);
        assert!(matches!(refused, Err(ProgramError::Unsuitable(_))), "{refused:?}");
    }
}

#[test]
fn a_program_that_is_missing_is_reported() {
    let error = error(&settings("gtp", &["/nowhere/ntest"]));
    assert!(error.to_string().starts_with("cannot run /nowhere/ntest: No such file"), "{error}");
}

#[test]
fn a_crash_is_reported_with_the_last_error_line() {
    let error = error(&script("echo loading; echo no coefficients >&2; exit 3"));
    let expected = "sh ended with status 3; its last error line: no coefficients";
    assert_eq!(error.to_string(), expected);
    let error = self::error(&script("kill -9 $$"));
    assert_eq!(error.to_string(), "sh was killed by signal 9");
}

#[test]
fn silence_is_reported_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let error = error(&script(&format!("sleep 100 & echo $! >{}; wait", file.display())));
    assert_eq!(error.to_string(), "sh gave no move within 2 s");
    thread::sleep(Duration::from_millis(200));
    assert!(!is_running(&file), "its child survived");
}

#[test]
fn children_do_not_outlive_a_program_that_ends() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let text = format!("sleep 100 >/dev/null 2>&1 & echo $! >{}; exit 1", file.display());
    assert!(matches!(error(&script(&text)), ProgramError::Ended { .. }));
    thread::sleep(Duration::from_millis(200));
    assert!(!is_running(&file), "its child survived");
}

#[test]
fn an_illegal_move_is_reported() {
    let error = error(&script("echo pong 1; echo === A1/2.00/0.1; sleep 100"));
    let expected = "sh chose a1: a1 is illegal: a white disc there flips nothing";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn an_answer_about_an_earlier_position_is_ignored() {
    let settings = script("echo === A1; echo pong 1; echo === F6 -1.00 0.0; sleep 100");
    let mv = choose(&settings, &record("othello", "f5"), &|| false).unwrap();
    assert_eq!(Ok(mv), "f6".parse());
}

#[test]
fn nonsense_is_reported() {
    let error = error(&script("echo pong 1; echo === banana; sleep 100"));
    assert_eq!(error.to_string(), "sh answered \"=== banana\", which is not a move");
}

#[test]
fn endless_output_is_ended() {
    for text in ["yes", "yes hello | tr -d '\\n'", "cat /dev/zero"] {
        let error = error(&script(text));
        assert!(
            matches!(error, ProgramError::Flood(_) | ProgramError::Silent { .. }),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_program_that_reads_nothing_is_ended() {
    let settings = settings("nboard", &["sleep", "100"]);
    let settings = ProgramSettings { seconds_per_move: 1, ..settings };
    assert!(matches!(error(&settings), ProgramError::Silent { .. }));
}

#[test]
fn the_caller_can_stop_it() {
    let polls = AtomicU32::new(0);
    let stop = || polls.fetch_add(1, Ordering::Relaxed) > 3;
    let stopped = choose(&settings("gtp", &["sleep", "100"]), &record("othello", ""), &stop);
    assert_eq!(stopped, Err(ProgramError::Stopped("sleep".to_owned())));
    assert!(polls.into_inner() < 10);
}

#[test]
fn a_program_has_limits_and_a_clean_environment() {
    let folder = tempfile::tempdir().unwrap();
    let [limits, variables] = ["limits", "variables"].map(|name| folder.path().join(name));
    let text =
        format!("cat /proc/$$/limits >{}; env >{}; exit 0", limits.display(), variables.display());
    let settings = ProgramSettings { memory_mb: 100, ..script(&text) };
    assert!(matches!(error(&settings), ProgramError::Ended { .. }));
    let limits = fs::read_to_string(limits).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        let numbers =
            line[name.len()..].split_whitespace().map(|it| it.parse().unwrap_or(u64::MAX));
        numbers.take(2).max().unwrap()
    };
    assert_eq!(limit("Max address space"), 100 << 20);
    assert_eq!(limit("Max core file size"), 0);
    assert!(limit("Max cpu time") < 1000, "{limits}");
    assert!((64..100_000).contains(&limit("Max processes")), "{limits}");
    let variables = fs::read_to_string(variables).unwrap();
    let names = variables.lines().filter_map(|line| Some(line.split_once('=')?.0));
    let unexpected: Vec<_> = names
        .filter(|name| !["PATH", "LANG", "PWD", "_", "OLDPWD", "SHLVL"].contains(name))
        .collect();
    assert!(unexpected.is_empty(), "{variables}");
}

#[test]
fn memory_beyond_the_limit_is_refused() {
    let settings = script("head -c 300m /dev/zero | tail -c 200m >/dev/null || exit 7; exit 0");
    let limited = ProgramSettings { memory_mb: 100, ..settings.clone() };
    let ended = |settings: &ProgramSettings| error(settings).to_string();
    assert!(ended(&limited).starts_with("sh ended with status 7"), "{}", ended(&limited));
    assert_eq!(ended(&settings), "sh ended with status 0");
}

#[test]
fn a_pass_that_must_be_made_is_not_asked_for() {
    let rules = Variant::named("twente").unwrap().rules(&Overrides::default()).unwrap();
    let setup: Setup = "(b wwb- ---- ---- ----)".parse().unwrap();
    let game = Game::new(setup.position(&rules, Cell::new(0, 1)).unwrap());
    if game.legal() == [Move::Pass] {
        assert_eq!(
            choose(&settings("gtp", &["false"]), &record_of(&game), &|| false),
            Ok(Move::Pass)
        );
    } else {
        panic!("{:?}", game.legal());
    }
}
