use textwrap::{Options, WordSplitter, fill};

/// Returns options for text that is not wrapped at hyphens, which labels and scores have.
pub fn unhyphenated<'a>(width: usize) -> Options<'a> {
    Options::new(width).word_splitter(WordSplitter::NoHyphenation)
}

/// Wraps lines of text at a width, but not at hyphens. Continuation lines
/// are indented by two, or in an indented list to the list's second column.
pub fn wrapped(text: &str, width: usize) -> String {
    let wrapped = text.lines().map(|line| {
        let column = line
            .starts_with("  ")
            .then(|| line.trim_start().find("  "))
            .flatten()
            .map(|gap| line.len() - line.trim_start()[gap..].trim_start().len());
        let indent = " ".repeat(column.filter(|&column| column < width / 2).unwrap_or(2));
        fill(line, unhyphenated(width).subsequent_indent(&indent))
    });
    wrapped.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn a_list_is_wrapped_in_its_column() {
        let text = "Text that is too long\n\n  d3   word word word";
        assert_eq!(wrapped(text, 16), "Text that is too\n  long\n\n  d3   word word\n       word");
    }
}
