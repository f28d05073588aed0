//! Texts for the host without the addresses and tokens that must not be kept or logged.

use crate::mail::token::Token;

/// What stands in place of an address.
const ADDRESS: &str = "(address)";

/// Returns a text without addresses and reply tokens, on one line.
pub(crate) fn redacted(text: &str) -> String {
    let words: Vec<_> = text
        .split_whitespace()
        .map(|word| {
            let is_address = word.contains('@') || word.to_ascii_lowercase().contains("%40");
            if is_address { ADDRESS } else { word }
        })
        .collect();
    Token::redact(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn addresses_and_tokens_are_left_out() {
        for (text, shown) in [
            ("550 <bob@example.org>: no such\r\nuser", "550 (address) no such user"),
            ("mail to bob@example.org, again", "mail to (address) again"),
            ("see https://example.org/?to=bob%40example.org now", "see (address) now"),
            ("game 12 waits", "game 12 waits"),
        ] {
            assert_eq!(redacted(text), shown);
        }
    }
}
