use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Returns a parser of one of these values, each with its word. Shells complete the words.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> = values.into_iter().collect();
    let words: Vec<_> = values.iter().map(|(word, _)| *word).collect();
    PossibleValuesParser::new(words).try_map(move |word| {
        let found = values.iter().find(|(known, _)| *known == word);
        found.map(|(_, value)| value.clone()).ok_or("it is none of these words")
    })
}
