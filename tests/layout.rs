//! Checks that each module imports only the modules that it may import.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Each module with the modules that it may import.
const ALLOWED: &[(&str, &[&str])] = &[
    ("game", &[]),
    ("ai", &["game"]),
    ("protocol", &["game", "ai"]),
    ("program", &["game", "protocol", "config", "clock", "lines"]),
    ("time_control", &["game"]),
    ("preferences", &["time_control"]),
    ("render", &["game"]),
    ("command", &["game", "config", "clock", "files"]),
    ("store", &["game", "time_control", "preferences", "config", "clock", "files"]),
    ("mail", &["game", "preferences", "render", "config", "clock", "files"]),
    (
        "app",
        &[
            "ai",
            "protocol",
            "program",
            "game",
            "time_control",
            "preferences",
            "render",
            "command",
            "store",
            "mail",
            "config",
            "clock",
            "files",
        ],
    ),
    ("cli", &["app", "command", "render", "config", "clock", "files", "lines"]),
    ("config", &["game", "protocol"]),
    ("clock", &[]),
    ("files", &[]),
    ("lines", &[]),
];

/// Collects the modules that a file or folder names with `crate::`.
fn imports(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            imports(&entry.unwrap().path(), found);
        }
        return;
    }
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join(" ");
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            // `use crate::{a, b::{c, d}};`
            Some(list) => found.extend(names(list)),
            None => {
                found.insert(first_word(rest));
            }
        }
    }
}

/// Returns the first words of the paths in a list, up to its closing brace.
fn names(list: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(String::new()),
            _ => names.last_mut().unwrap().push(c),
        }
    }
    names.iter().map(|name| first_word(name.trim())).collect()
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

#[test]
fn every_import_is_allowed() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for (module, allowed) in ALLOWED {
        let (folder, file) = (source.join(module), source.join(format!("{module}.rs")));
        let mut found = BTreeSet::new();
        imports(if folder.is_dir() { &folder } else { &file }, &mut found);
        for name in found.iter().filter(|name| !name.is_empty() && name != module) {
            assert!(allowed.contains(&name.as_str()), "{module} must not import {name}");
            seen += 1;
        }
    }
    assert!(seen > 10, "found only {seen} imports: the test looks in the wrong place");
}

#[test]
fn every_module_has_its_allowed_imports() {
    let library = include_str!("../src/lib.rs");
    let declared = library.lines().map(|line| line.strip_prefix("pub ").unwrap_or(line));
    let declared = declared.filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let declared: BTreeSet<_> = declared.collect();
    assert_eq!(declared, ALLOWED.iter().map(|(module, _)| *module).collect());
}

#[test]
fn only_the_clock_module_reads_the_time() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut pending = vec![source];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("clock.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            for call in ["Instant::now", "SystemTime::now", "Utc::now", "Local::now"] {
                assert!(!text.contains(call), "{} calls {call}", path.display());
            }
        }
    }
}

#[test]
fn a_list_of_imports_is_parsed_completely() {
    assert_eq!(names("a, b::{c, d::{e, f}},\n    g}; use crate::h"), ["a", "b", "g"]);
}
