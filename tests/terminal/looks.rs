//! The colours and characters of the board on kinds of terminals.

use vt100::Color;

use super::Terminal;
use crate::harness::TestEnvironment;

/// Runs a command on a terminal of this kind with these variables until its whole output stands there.
fn shown(words: &str, kind: &str, variables: &[(&str, &str)]) -> (TestEnvironment, Terminal) {
    let env = TestEnvironment::new();
    for name in ["ann", "ben"] {
        env.ok(&format!("signup {name} --no-mail"));
    }
    env.ok("new mini ann ben --moves b1");
    let mut command = env.command(words);
    command.envs(variables.iter().copied());
    let mut terminal = Terminal::of_kind(kind, command);
    terminal.shows(if words.starts_with("play") { "Q leave" } else { "Legal:" });
    (env, terminal)
}

/// Returns the background of the first white disc.
fn felt(terminal: &Terminal) -> Color {
    let screen = terminal.vt();
    let cells = (0..24).flat_map(|row| (0..80).filter_map(move |column| screen.cell(row, column)));
    let mut discs = cells.filter(|cell| cell.contents() == "\u{25cb}");
    discs.find(|cell| cell.bgcolor() != Color::Default).expect("a disc").bgcolor()
}

#[test]
fn a_board_has_the_colours_that_the_terminal_has() {
    const MANY: Color = Color::Idx(28);
    const FEW: Color = Color::Idx(2);
    for (kind, variable, expected) in [
        ("xterm-256color", None, MANY),
        ("screen-256color", None, MANY),
        ("xterm", Some(("COLORTERM", "truecolor")), MANY),
        ("xterm", None, FEW),
        ("linux", Some(("COLORTERM", "1")), FEW),
        ("vt220", Some(("COLORTERM", "truecolor")), FEW),
        ("ansi", Some(("COLORTERM", "truecolor")), FEW),
        ("screen", Some(("COLORTERM", "truecolor")), FEW),
    ] {
        for words in ["show 1", "play ann ben"] {
            let (_env, terminal) = shown(words, kind, variable.as_slice());
            assert_eq!(felt(&terminal), expected, "{words} with TERM={kind} and {variable:?}");
        }
    }
}

#[test]
fn a_board_is_in_ascii_where_the_locale_is_not_utf_8() {
    for (variables, is_ascii) in [
        (&[("LANG", "en_GB.utf8")][..], false),
        (&[("LANG", "C")], true),
        (&[("LANG", "")], true),
        (&[("LC_ALL", ""), ("LC_CTYPE", "C.UTF-8"), ("LANG", "C")], false),
        (&[("LC_ALL", "de_DE.ISO-8859-1"), ("LANG", "de_DE.UTF-8")], true),
    ] {
        for words in ["show 1 --arrows", "play ann ben"] {
            let screen = shown(words, "xterm", variables).1.screen();
            assert_eq!(screen.is_ascii(), is_ascii, "{words} with {variables:?}: {screen}");
        }
    }
}

#[test]
fn rules_describe_the_discs_as_they_are_drawn() {
    for (variables, legend) in [
        (&[][..], "\u{25cf} is black and \u{25cb} is white"),
        (&[("LC_ALL", "C")], "B is black and W is white"),
        (&[("NO_COLOR", "1")], "B is black and W is white"),
    ] {
        let (_env, mut terminal) = shown("play ann ben", "xterm", variables);
        terminal.keys("rules\r");
        terminal.shows(legend);
    }
}

#[test]
fn an_error_is_wrapped_between_words() {
    let env = TestEnvironment::new();
    let words = "play nobody";
    let mut terminal = Terminal::of(&env, words);
    assert!(!terminal.end().success());
    let (shown, error) = (terminal.screen(), env.fails(1, words));
    assert!(shown.lines().count() > 1 && error.lines().count() == 1, "{shown}\n{error}");
    assert!(shown.split_whitespace().eq(error.split_whitespace()), "{shown}");
}
