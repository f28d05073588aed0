//! Examples that open the board, with a table of keys below them. Each row is typed, and the board must then
//! show each `text` in its second cell. `Q` must end the program.

use std::path::Path;
use std::process::Command;

use vt100::Screen;

use super::environment;
use crate::harness::PROGRAM;
use crate::terminal::Terminal;

/// The head of a table of keys.
const HEAD: &str = "| keys | the board shows |\n";

/// Returns the parts of a page, and whether each opens a board. Such a part ends above the next example.
pub fn parts(page: &str) -> Vec<(bool, String)> {
    let mut chunks = vec![String::new()];
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let begins_example = line == "```console\n" && !chunks.last().unwrap().ends_with(" -->\n");
        let is_above_example = lines.peek() == Some(&"```console\n") && line.ends_with(" -->\n");
        if begins_example || is_above_example {
            chunks.push(String::new());
        }
        chunks.last_mut().unwrap().push_str(line);
    }
    let mut parts: Vec<(bool, String)> = Vec::new();
    for chunk in chunks {
        match parts.last_mut() {
            Some((false, text)) if !chunk.contains(HEAD) => text.push_str(&chunk),
            _ => parts.push((chunk.contains(HEAD), chunk)),
        }
    }
    parts
}

/// Returns the texts between backticks.
fn marked(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns what the keys in a cell send, such as `` `f5`, Enter ``.
fn typed(cell: &str) -> String {
    let keys = cell.split(", ").map(|key| match key {
        "Enter" => "\r",
        "Tab" => "\t",
        "Esc" => "\u{1b}",
        _ => marked(key).next().unwrap_or_else(|| panic!("{key} is not a key")),
    });
    keys.collect()
}

/// Returns a command of a page in its home folder.
fn command(home: &str, line: &str) -> Command {
    let programs = Path::new(PROGRAM).parent().unwrap().display();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(Path::new(home).join("page.in"));
    command.envs(environment(home)).env("PATH", format!("{home}:{programs}:{path}"));
    command
}

/// Returns whether a screen shows a text, however many blanks are between its words.
fn is_shown(screen: &Screen, text: &str) -> bool {
    screen.contents().lines().any(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.join(" ").contains(text)
    })
}

/// Plays the player's own game, of which a page with a board must be independent.
pub fn play_before(home: &str) {
    let own = "printf 'f5\\nquit\\n' | outflank play";
    assert!(command(home, own).output().unwrap().status.success());
}

/// Opens the board of a part, and types its keys.
pub fn play(home: &str, part: &str) {
    let mut examples = part.lines().filter_map(|line| line.strip_prefix("$ "));
    let mut terminal =
        Terminal::start(command(home, &format!("exec {}", examples.next().unwrap())));
    assert_eq!(examples.next(), None, "the board is the only command of its example");
    terminal.until("the board", |screen| screen.alternate_screen());
    let mut last = "";
    for table in part.split(HEAD).skip(1) {
        for row in table.lines().skip(1).take_while(|line| line.starts_with('|')) {
            let (keys, shown) = row.trim_matches(['|', ' ']).split_once(" | ").unwrap();
            terminal.keys(&typed(keys));
            for text in marked(shown) {
                terminal.until(text, |screen| is_shown(screen, text));
            }
            last = keys;
        }
    }
    assert_eq!(last, "`Q`");
    assert!(terminal.end().success());
}
