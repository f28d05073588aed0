//! Texts that OpenPGP signed in the clear (RFC 9580, section 7).

const BEGIN: &str = "-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----";
const END: &str = "-----END PGP SIGNATURE-----";

/// Returns the lines as they were before signing. The signature is not checked.
pub(super) fn removed<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let mut plain = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let (above, signed) = split(rest, BEGIN);
        plain.extend(above);
        let headers = signed.iter().take_while(|line| is_header(line)).count();
        let (_, text) = signed.split_at(headers);
        let (text, signature) = split(text.strip_prefix(&[""]).unwrap_or(text), SIGNATURE);
        plain.extend(text.iter().map(|line| line.strip_prefix("- ").unwrap_or(line)));
        (_, rest) = split(signature, END);
    }
    plain
}

/// Returns the lines above this line and below it.
fn split<'a, 'b>(lines: &'b [&'a str], at: &str) -> (&'b [&'a str], &'b [&'a str]) {
    let mut parts = lines.splitn(2, |line| *line == at);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// Returns whether this is a line such as `Hash: SHA256`.
fn is_header(line: &str) -> bool {
    let name = line.split_once(": ").map(|(name, _)| name);
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_signed_text_and_the_lines_around_it_are_left() {
        let lines = [
            "above",
            BEGIN,
            "Hash: SHA256",
            "",
            "d3",
            "",
            "- -- dash",
            SIGNATURE,
            "abc=",
            END,
            "below",
        ];
        assert_eq!(removed(&lines), ["above", "d3", "", "-- dash", "below"]);
        assert_eq!(removed(&[BEGIN, "d3", "", END]), ["d3", "", END]);
        assert_eq!(removed(&[BEGIN, "", "d3", SIGNATURE, "abc="]), ["d3"]);
    }
}
