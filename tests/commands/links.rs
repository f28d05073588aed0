//! The links between the README and the pages in `docs/` lead somewhere.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and every page in `docs/`.
fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    docs.chain([root().join("README.md")]).collect()
}

/// The targets of the links in a page, without those to other sites.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).filter(|target| !target.contains("://"))
}

/// The anchors of a page's headings, as GitHub makes them.
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

#[test]
fn every_page_of_the_documentation_is_tested() {
    let tests = include_str!("main.rs");
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        assert!(tests.contains(&format!("{name:?}")), "{name} is not in the list of pages");
    }
}

#[test]
fn the_readme_has_at_most_300_lines() {
    let lines = include_str!("../../README.md").lines().count();
    assert!(lines <= 300, "it has {lines}");
}
