//! Counts the lines of code in each package and in each folder of `src/`.
//!
//! `cargo run -p outflank-tools -- lines [FOLDER]`
//!
//! Blank lines, comments, tests and the files in `crates/tools` do not count.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;

/// Count the lines of code, without blank lines, comments and tests
#[derive(Args)]
pub(crate) struct Lines {
    /// A checkout
    #[arg(default_value = ".")]
    folder: PathBuf,
}

impl Lines {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let mut files = Vec::new();
        find_files(&self.folder.join("src"), &mut files)?;
        for package in fs::read_dir(self.folder.join("crates"))? {
            let package = package?.path();
            if !package.ends_with("tools") {
                find_files(&package.join("src"), &mut files)?;
            }
        }
        let mut rows: BTreeMap<_, usize> = BTreeMap::new();
        for file in files {
            let within = file.strip_prefix(&self.folder)?.parent().unwrap_or(Path::new(""));
            let row = within.components().take(2).collect::<PathBuf>();
            *rows.entry(row).or_default() += code_lines(&fs::read_to_string(file)?);
        }
        let mut out = io::stdout().lock();
        for (row, lines) in &rows {
            writeln!(out, "{lines:6} {}", row.display())?;
        }
        writeln!(out, "{:6} in all", rows.values().sum::<usize>())?;
        Ok(())
    }
}

/// Adds all Rust files below a folder.
fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Counts the lines of code of a file, without the tests at its end.
fn code_lines(text: &str) -> usize {
    let lines = text.lines().map(str::trim);
    let code = lines.take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_tests_are_not_code() {
        let text =
            "//! A module.\n\nfn one() {\n    // Nothing.\n}\n\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(code_lines(text), 2);
    }
}
