/// The candidate that looks most like this word, if any looks much like it.
pub(super) fn near<S: AsRef<str>>(
    word: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<String> {
    const MUCH: f64 = 0.8;
    let word = word.to_lowercase();
    let likeness = |candidate: &S| strsim::jaro_winkler(&word, &candidate.as_ref().to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (likeness(&candidate), candidate))
        .filter(|(likeness, _)| *likeness >= MUCH)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate.as_ref().to_owned())
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn a_slip_is_recognized_and_another_word_is_not() {
        let variants = ["othello", "reversi", "mini", "twente", "oddthello"];
        assert_eq!(near("otello", variants).as_deref(), Some("othello"));
        assert_eq!(near("Odthello", variants).as_deref(), Some("oddthello"));
        assert_eq!(near("chess", variants), None);
    }
}
