//! What the writer of a text added to what is quoted in it.

/// The lines that its writer wrote.
pub fn fresh(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.starts_with('>')).map(str::to_owned).collect()
}
