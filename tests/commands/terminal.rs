//! The width and the colours of a terminal.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;

use crate::harness::{ALICE, BOB, CAROL, Run, TestEnvironment, run};

impl TestEnvironment {
    /// Runs a command on a terminal of this width, and returns its output.
    #[track_caller]
    fn at_width(&self, width: usize, words: &str) -> String {
        let mut command = self.command(words);
        command.env("COLUMNS", width.to_string());
        run(command).ok()
    }
}

/// Returns an environment with games of several variants, created at several times.
fn with_games() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --size 10x10 --misere"));
    env.later(1440 + 30);
    env.ok("new twente bob alice --anywhere --moves a1");
    env.later(90);
    env.ok(&format!("new oddthello {CAROL} alice"));
    env.later(20);
    env
}

#[test]
fn games_name_their_rules_and_waiting_games_are_counted() {
    let env = with_games();
    assert_eq!(
        env.at_width(80, "--as alice games"),
        "\
2 games wait for you.

Game  Variant         Black  White  Moves  Score  State         Age
   1  Othello 10x10   alice  bob        0  2-2    alice's turn  1 day 2 h
      misère
   2  Twente Othello  bob    alice      1  3-2    alice's turn  1 hour 50 min
      anywhere
   3  Oddthello       carol  alice      0  2-2    carol's turn  20 minutes
"
    );
    let first_line = |words: &str| env.ok(words).lines().next().unwrap().to_owned();
    assert_eq!(first_line("games alice"), "2 games wait for alice.");
    assert_eq!(first_line("--as bob games --all"), "No game waits for you.");
    assert_eq!(first_line("--as bob games carol"), "1 game waits for carol.");
    for other in ["games", "--as alice games --next", "--as alice games --finished"] {
        assert!(!env.ok(other).contains("wait for"), "{other}");
    }
}

#[test]
fn a_list_that_does_not_fit_becomes_paragraphs() {
    let env = with_games();
    assert_eq!(
        env.at_width(40, "games bob"),
        "\
No game waits for bob.

Game: 1  Variant: Othello 10x10 misère
  Black: alice  White: bob  Moves: 0
  Score: 2-2  State: alice's turn
  Age: 1 day 2 h
Game: 2
  Variant: Twente Othello anywhere
  Black: bob  White: alice  Moves: 1
  Score: 3-2  State: alice's turn
  Age: 1 hour 50 min
"
    );
}

#[test]
fn no_title_is_broken_at_any_width() {
    let env = with_games();
    env.ok("move 1 d5");
    let titles = ["Game", "Variant", "Black", "White", "Moves", "Score", "State", "Age"];
    for width in 20..=100 {
        let list = env.at_width(width, "games");
        for title in titles {
            assert!(list.contains(title), "{title} is broken at {width}:\n{list}");
        }
        for line in list.lines() {
            assert!(line.chars().count() <= width, "{line} is wider than {width}:\n{list}");
        }
    }
}

#[test]
fn the_column_that_costs_the_fewest_lines_is_wrapped() {
    let env = TestEnvironment::new();
    let moves =
        "c4c3d3c5b4a3b3a2a5a4a1b2b5b6a6d2b1e3f4f3c2c1c7a7c6b7a8c8b8f5g6e2d8f6d7h6f1d1e1f2d6";
    env.ok(&format!("new othello {ALICE} {BOB} --moves {moves}"));
    let history = env.at_width(80, "history 1");
    assert!(history.contains(" 1  alice (black)  c4"), "{history}");
    assert!(history.contains("39  alice (black)  e1"), "{history}");
    // Only the two longest lists of flips take two lines.
    assert_eq!(history.lines().count(), 1 + 42 + 2, "{history}");
}

#[test]
fn no_time_is_broken_at_80_columns() {
    let env = with_games();
    env.ok("move 1 d5 d4 d3");
    let history = env.at_width(80, "history 1");
    assert_eq!(history.matches("2026-11-22 12:20Z").count(), 3, "{history}");
    let narrow = env.at_width(40, "history 1");
    assert_eq!(narrow.matches("When: 2026-11-22 12:20Z").count(), 3, "{narrow}");
}

/// Returns the block with row 1 of the board.
fn board(text: &str) -> &str {
    text.split("\n\n").find(|block| block.contains(" 1\n")).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn a_board_is_drawn_as_large_as_the_terminal_allows() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} {BOB} --size 12x26"));
    for (width, beginning) in [
        (108, "+---+---+"),
        (107, "    a b c d"),
        (59, "    a b c d"),
        (58, "   abcd"),
        (32, "   abcd"),
        (20, "   abcd"),
    ] {
        let shown = env.at_width(width, "show 1");
        assert!(board(&shown).starts_with(beginning), "{width}: {shown}");
    }
    assert!(board(&env.ok("show 1")).starts_with("+---"), "a pipe has no width");
}

#[test]
fn boards_are_drawn_small_on_request() {
    let env = TestEnvironment::new();
    let is_compact = |text: &str| board(text).starts_with("   a b c d\n1  . . . .  1\n");
    assert!(is_compact(&env.ok(&format!("new mini {ALICE} {BOB} --compact"))));
    for words in [
        "show 1 --compact",
        "move 1 b1 --compact",
        "--as alice resign 1 --compact",
        "show 1#0 --compact",
    ] {
        let shown = env.ok(words);
        let rows = board(&shown).lines().count();
        assert_eq!(rows, 6, "{words}: {shown}");
        assert!(!shown.contains("+--"), "{words}: {shown}");
    }
    assert!(env.ssh("alice", "show 1#0 --compact").ok().contains("1  . . . .  1\n"));
    assert_eq!(env.json("show 1 --compact"), env.json("show 1"));
}

#[test]
fn a_board_is_drawn_small_on_a_low_terminal() {
    let env = TestEnvironment::new().with_game();
    let at_height = |lines: usize, words: &str| {
        let mut command = env.command(words);
        command.env("LINES", lines.to_string());
        run(command).ok()
    };
    // The whole reply with the large board, and a prompt below it.
    let high = env.ok("show 1").lines().count() + 1;
    for (lines, beginning) in [(high, "+---+"), (high - 1, "   a b c"), (10, "   a b c")] {
        let shown = at_height(lines, "show 1");
        assert!(board(&shown).starts_with(beginning), "{lines}: {shown}");
    }
    // The reply to a move is a line longer: the outcome of its mail. A list of boards may scroll.
    assert!(at_height(high + 1, "move 1 f5").contains("1  . . ."));
    assert!(at_height(high - 2, "replay 1").contains("+---+"));
}

/// Removes the colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn in_colour_discs_lie_on_green_squares_and_legal_cells_have_a_dot() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5");
    let without = env.ok("show 1");
    let colored = |kind: &str| {
        let mut command = env.command("--color always show 1");
        command.env("TERM", kind);
        run(command).ok()
    };
    // The 16 colours of a terminal that has no more are as different.
    let few = colored("xterm");
    assert!(few.contains("\u{1b}[30m\u{1b}[42m \u{25cf} "), "{few}");
    assert!(few.contains("\u{1b}[37m\u{1b}[42m \u{25cb} "), "{few}");
    let colored = colored("xterm-256color");
    assert_eq!(plain(&few), plain(&colored));
    assert!(colored.contains("\u{1b}[38;5;16m\u{1b}[48;5;28m   "), "{colored}");
    assert!(colored.contains("\u{1b}[38;5;231m\u{1b}[48;5;28m \u{25cb} "), "{colored}");
    assert_eq!(plain(&colored).matches(" \u{b7} ").count(), 3, "{colored}");
    let letters = |text: &str| text.replace('\u{25cf}', "B").replace('\u{25cb}', "W");
    assert_eq!(letters(&plain(&colored)).replace('\u{b7}', " "), without);
    let small = plain(&env.ok("--color always show 1 --compact"));
    assert!(small.contains("5  . . . \u{25cf} \u{25cf}[\u{25cf}]. .  5"), "{small}");
    let ascii = plain(&env.ok("--color always --ascii show 1"));
    assert_eq!(ascii.matches("| . ").count(), 3, "{ascii}");
    assert!(ascii.contains("|[B]|"), "{ascii}");
}

#[test]
fn without_colour_the_output_is_plain() {
    let env = TestEnvironment::new().with_game();
    for words in ["show 1", "games", "history 1", "show 1 --compact", "help"] {
        let never = env.ok(&format!("--color never {words}"));
        assert_eq!(never, env.ok(words), "{words}");
        assert!(!never.contains('\u{1b}') && !never.contains('\u{b7}'), "{never}");
    }
    assert!(!env.fails(1, "show 2").contains('\u{1b}'));
}

#[test]
fn titles_of_tables_and_errors_are_coloured() {
    let env = TestEnvironment::new().with_game();
    let games = env.ok("games --color always");
    assert!(games.starts_with("\u{1b}[1mGame  Variant"), "{games}");
    assert_eq!(plain(&games), env.ok("games"));
    for words in ["show 2 --color always", "--color=always show 2"] {
        let error = env.fails(1, words);
        assert!(error.starts_with("\u{1b}[1m\u{1b}[31moutflank:\u{1b}[0m there is"), "{error}");
    }
    assert!(env.fails(2, "shwo 2 --color always").starts_with("\u{1b}[1m"));
    assert!(env.ssh("alice", "show 2 --color always").stderr.starts_with("\u{1b}[1m"));
    let json = env.fails(1, "--json show 2 --color always");
    assert!(json.starts_with('{'), "{json}");
}

#[test]
fn a_reply_is_written_at_once() {
    let env = TestEnvironment::new().with_game();
    // Each write is a datagram.
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    let mut command = env.command("show 1");
    command.stdout(OwnedFd::from(theirs));
    assert!(command.status().unwrap().success());
    drop(command);
    let mut buffer = [0; 10_000];
    let first = ours.recv(&mut buffer).unwrap();
    let text = String::from_utf8_lossy(&buffer[..first]).into_owned();
    assert!(text.starts_with("Game 1") && text.ends_with('\n'), "{text}");
    assert_eq!(text, env.ok("show 1"));
}

/// Runs a command whose output is this wide.
fn at_width(env: &TestEnvironment, columns: usize, words: &str) -> Run {
    let mut command = env.command(words);
    command.env("COLUMNS", columns.to_string());
    run(command)
}

#[test]
fn long_names_are_cut_before_a_table_becomes_paragraphs() {
    let env = TestEnvironment::new();
    let long = |last: &str| format!("{}{last}", "n".repeat(31));
    let names = ["a", "b"].map(long);
    for (name, address) in names.iter().zip([ALICE, BOB]) {
        env.ok(&format!("signup {name} {address}"));
    }
    env.ok(&format!("new othello {} {} --clock 3d", names[0], names[1]));
    let shown = at_width(&env, 80, "games").ok();
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("Game  Variant")), "{shown}");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{shown}");
    let cut: BTreeSet<_> =
        shown.split_whitespace().filter(|word| word.contains('\u{2026}')).collect();
    let cut: BTreeSet<_> = cut.into_iter().map(|word| word.split('\'').next().unwrap()).collect();
    assert_eq!(cut.len(), 2, "{shown}");
    env.ok("move 1 f5");
    env.ok(&format!("challenge {} --as {}", names[0], names[1]));
    for words in ["history 1", "challenges"] {
        let shown = at_width(&env, 80, words).ok();
        let mut parts = shown.split_whitespace().filter(|word| word.starts_with("nn"));
        assert!(parts.all(|word| word.contains('\u{2026}')), "{shown}");
    }
    // Elsewhere they are whole: in a pipe, in JSON and where the table fits.
    for whole in [env.ok("games"), env.ok("games --json"), at_width(&env, 200, "games").ok()] {
        assert!(names.iter().all(|name| whole.contains(name)), "{whole}");
    }
    // Nothing helps where even short names do not fit.
    assert!(!at_width(&env, 30, "games").ok().contains('\u{2026}'));
}

#[test]
fn help_is_as_wide_as_the_terminal() {
    let env = TestEnvironment::new();
    for (columns, most) in [(60, 60), (80, 80), (200, 100)] {
        for words in ["help", "help games", "games --help", "help bots", "bots --help"] {
            let help = at_width(&env, columns, words).ok();
            let widest = help.lines().map(|line| line.chars().count()).max().unwrap();
            assert!((most - 15..=most).contains(&widest), "{words} at {columns}: {widest}\n{help}");
        }
    }
    let bare = at_width(&env, 80, "");
    assert_eq!(bare.status, Some(2));
    assert!(bare.stderr.lines().count() < 24, "{}", bare.stderr);
    for part in ["Play Othello", "Usage: outflank", "  play ", "`outflank help` lists all commands"]
    {
        assert!(bare.stderr.contains(part), "{part}: {}", bare.stderr);
    }
}
