//! Suggestions for mistyped words.

/// Returns the candidate that is most similar to this word; `None` if none is similar enough.
pub(crate) fn most_similar<S: AsRef<str>>(
    word: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<String> {
    const MIN_SIMILARITY: f64 = 0.8;
    let word = word.to_lowercase();
    let similarity =
        |candidate: &S| strsim::jaro_winkler(&word, &candidate.as_ref().to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (similarity(&candidate), candidate))
        .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate.as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use super::most_similar;

    #[test]
    fn a_typo_is_recognized_and_another_word_is_not() {
        let variants = ["othello", "reversi", "mini", "twente", "oddthello"];
        assert_eq!(most_similar("otello", variants).as_deref(), Some("othello"));
        assert_eq!(most_similar("Odthello", variants).as_deref(), Some("oddthello"));
        assert_eq!(most_similar("chess", variants), None);
    }
}
