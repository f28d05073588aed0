//! Converts the examples in the README and in `docs/`, which look as in a terminal, into the format of
//! trycmd and back.
//!
//! | in a page | for trycmd |
//! |---|---|
//! | `<!-- exit status 1 -->` above a block, for its last command | `? 1` below the command |
//! | `…` on a line of its own, for lines that are left out | `...` |
//! | `/home/alice` | `[HOME]` |
//! | the end of a block | an empty line before it |

const HOME: &str = "/home/alice";

/// Returns a page in the format of trycmd.
pub fn to_trycmd(page: &str) -> String {
    map_examples(page, |status, lines| {
        let last = lines.iter().rposition(|line| line.starts_with("$ "));
        let mut marked = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            marked.push(if *line == "…" { "...".into() } else { line.replace(HOME, "[HOME]") });
            if Some(at) == last {
                marked.extend(status.map(|status| format!("? {status}")));
            }
        }
        marked.push(String::new());
        marked
    })
}

/// Converts a page back after trycmd has written new output into it.
pub fn from_trycmd(page: &str) -> String {
    map_examples(page, |_, lines| {
        let lines = lines.strip_suffix(&[""]).unwrap_or(lines);
        let lines = lines.iter().filter(|line| !line.starts_with("? "));
        lines
            .map(|line| if *line == "..." { "…".into() } else { line.replace("[HOME]", HOME) })
            .collect()
    })
}

/// Replaces the lines of each example. `change` gets the exit status above the example and its lines.
fn map_examples(page: &str, change: impl Fn(Option<&str>, &[&str]) -> Vec<String>) -> String {
    let mut changed = Vec::new();
    let mut status = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        changed.push(line.to_owned());
        if line == "```console" {
            let example: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            changed.extend(change(status, &example));
            changed.push("```".to_owned());
        }
        status = line.strip_prefix("<!-- exit status ").and_then(|rest| rest.strip_suffix(" -->"));
    }
    changed.join("\n") + "\n"
}

#[test]
fn an_example_is_converted_for_trycmd_and_back() {
    let page = "<!-- exit status 1 -->\n```console\n$ a\n…\n\n$ b\nin /home/alice\n```\n";
    let marked = "<!-- exit status 1 -->\n```console\n$ a\n...\n\n$ b\n? 1\nin [HOME]\n\n```\n";
    assert_eq!(to_trycmd(page), marked);
    assert_eq!(from_trycmd(marked), page);
}
