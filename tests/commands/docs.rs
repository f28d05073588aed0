//! The README and the other pages: their links, example configurations and tables of commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use outflank::app::{HostCommand, PlayerCommand};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the pages in the root folder and in `docs/`.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.chain(top.map(|page| root().join(page))).collect()
}

/// Returns the targets of the links in a page, except those to other sites.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).filter(|target| !target.contains("://"))
}

/// Returns the anchors of a page's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let anchor = |line: &str| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        heading.chars().filter(kept).collect::<String>().replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut seen = 0;
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link} does not exist", page.display());
            if !anchor.is_empty() {
                let known = anchors(&fs::read_to_string(&target).unwrap());
                let found = known.iter().any(|known| known == anchor);
                assert!(found, "{}: {link} has no such heading", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} links were found");
}

/// Returns the blocks of a page in this language, without their indentation.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}");
    let mut blocks = Vec::new();
    let mut lines = text.lines().map(str::trim_start);
    while lines.any(|line| line == fence) {
        let block = lines.by_ref().take_while(|line| *line != "```");
        blocks.push(block.collect::<Vec<_>>().join("\n"));
    }
    blocks
}

#[test]
fn every_configuration_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    fs::create_dir(path("templates")).unwrap();
    fs::write(path("smtp-password"), "secret\n").unwrap();
    let run = |club: usize, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        command.arg("--db").arg(folder.path().join(format!("{club}.db")));
        command.arg("--config").arg(path("config.toml")).args(words).output().unwrap()
    };
    let mut seen = 0;
    for page in pages() {
        for block in blocks(&fs::read_to_string(&page).unwrap(), "toml") {
            fs::write(path("config.toml"), &block).unwrap();
            // `send` opens the transport even if the outbox is empty.
            assert!(run(seen, &["signup", "alice", "alice@example.org"]).status.success());
            let output = run(seen, &["send"]);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {error}\n{block}", page.display());
            seen += 1;
        }
    }
    assert!(seen >= 4, "only {seen} configurations were found");
}

#[test]
fn the_commands_of_every_page_are_tested() {
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap();
        assert!(super::PAGES.contains(&name), "{name} is not in the list of pages");
    }
}

#[test]
fn no_page_shows_the_markup_of_tests() {
    for page in pages() {
        for line in fs::read_to_string(&page).unwrap().lines() {
            let is_marked = line == "..." || line.starts_with("? ") || line.contains("[..]");
            assert!(!is_marked, "{}: {line}", page.display());
        }
    }
}

/// Returns the words of the commands in the first cells of some tables, in order. A cell names one
/// command.
fn commands_in_tables(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with('|'));
    let rows = lines.filter(|line| !line.starts_with("|---") && !line.starts_with("| command |"));
    let command = |row: &str| {
        let cell = row.split(" | ").next().unwrap();
        let command = cell.strip_prefix("| `").and_then(|rest| rest.strip_suffix('`'));
        let command = command.filter(|command| !command.contains('`'));
        let command = command.unwrap_or_else(|| panic!("not one command: {row}"));
        command.split(' ').next().unwrap().to_owned()
    };
    let mut commands: Vec<_> = rows.map(command).collect();
    commands.dedup();
    commands
}

#[test]
fn the_page_of_commands_has_a_row_for_each_under_its_heading() {
    let commands = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let (commands, _) = commands.split_once("\n## Names and options\n").unwrap();
    let (for_players, for_host) = commands.split_once("\n## For the host\n").unwrap();
    let mut sections = for_players.split("\n## ");
    assert_eq!(commands_in_tables(sections.next().unwrap()), ["play"]);
    let sections = sections.map(|section| {
        let (heading, tables) = section.split_once('\n').unwrap();
        (heading.to_owned(), commands_in_tables(tables))
    });
    let registered = PlayerCommand::headings().into_iter().map(|(heading, words)| {
        (heading.to_string(), words.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(sections.collect::<Vec<_>>(), registered.collect::<Vec<_>>());
    let of_host = HostCommand::words().chain(["ssh", "web", "completions", "man"]);
    assert_eq!(commands_in_tables(for_host), of_host.collect::<Vec<_>>());
}
