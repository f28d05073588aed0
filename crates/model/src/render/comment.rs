use super::wrap::unhyphenated;

/// The width of comments in columns. A mail program can quote lines of this width unbroken.
pub const COMMENT_WIDTH: usize = 40;

/// Returns a player's comment as marked lines: `| alice: Good game!`.
pub fn comment(author: &str, words: &str) -> String {
    let said = format!("{author}: {words}");
    let marked = unhyphenated(COMMENT_WIDTH).initial_indent("| ").subsequent_indent("| ");
    let lines = said.lines().map(|line| match line {
        "" => "|".to_owned(),
        line => textwrap::fill(line, &marked),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::comment;

    #[test]
    fn each_line_is_marked_and_short() {
        let words = "Good move!\n\nI thought about d3 for quite a while, but then you took it.";
        let said = "| alice: Good move!\n|\n| I thought about d3 for quite a while,\n\
                    | but then you took it.";
        assert_eq!(comment("alice", words), said);
        let long = comment(&"n".repeat(32), &"x".repeat(200));
        assert!(long.lines().all(|line| line.starts_with("| ") && line.len() <= 40), "{long}");
    }
}
