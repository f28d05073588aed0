//! HTML as text, without what is quoted in it.

/// The text of `html` without its quotes.
pub fn text(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html)
}
