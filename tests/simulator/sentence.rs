//! Sentences that people should never read.

/// Signs and words that a program writes by mistake.
const NEVER: [&str; 6] = ["Some(", "{}", " ,", " .", "  ", "()"];
const NEVER_WORDS: [&str; 4] = ["None", "null", "NaN", "inf"];

/// Returns what is wrong with a sentence; `None` if nothing is. Words of people are within quotation marks.
pub fn fault(sentence: &str) -> Option<String> {
    let own: String = sentence.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    // A hidden token.
    let own = own.replace(" ...", "");
    let words: Vec<_> = own.split(|it: char| !it.is_alphanumeric() && it != '-').collect();
    let is_plural_of_one =
        |pair: &[&str]| pair[0] == "1" && ["games", "moves", "mails", "days"].contains(&pair[1]);
    let found = NEVER.into_iter().find(|never| own.contains(never));
    let found = found.or(NEVER_WORDS.into_iter().find(|never| words.contains(never)));
    let found = found.or(words.windows(2).any(is_plural_of_one).then_some("a plural of one"));
    Some(format!("{:?} in {sentence:?}", found?))
}

/// Returns whether a line is a sentence: it begins with a capital letter and ends like one, and is no part of
/// a figure or table.
pub fn is_sentence(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_uppercase())
        && line.ends_with(['.', '!', '?'])
        && line.contains(' ')
        && !line.contains("   ")
}
