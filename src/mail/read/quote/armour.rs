//! Texts that OpenPGP signed in the clear (RFC 9580, section 7).

use super::tidy;

enum Place {
    Outside,
    /// Between the first line and the text: `Hash: SHA256`.
    Headers,
    Text,
    Signature,
}

/// The lines of a text, without white space around them and without what was wrapped around it
/// to sign it. The signature is not checked.
pub(super) fn unwrap(text: &str) -> Vec<&str> {
    let mut place = Place::Outside;
    let mut lines = Vec::new();
    for line in text.split('\n').map(tidy) {
        if matches!(place, Place::Headers) && !header(line) {
            place = Place::Text;
            if line.is_empty() {
                continue;
            }
        }
        place = match (place, line) {
            (Place::Outside, "-----BEGIN PGP SIGNED MESSAGE-----") => Place::Headers,
            (Place::Text, "-----BEGIN PGP SIGNATURE-----") => Place::Signature,
            (Place::Signature, "-----END PGP SIGNATURE-----") => Place::Outside,
            (Place::Outside, _) => {
                lines.push(line);
                Place::Outside
            }
            (Place::Text, _) => {
                lines.push(line.strip_prefix("- ").unwrap_or(line));
                Place::Text
            }
            (place, _) => place,
        };
    }
    lines
}

fn header(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::super::fresh;

    const SIGNED: &str = "-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\nd3\r\n\r\n\
        > Your turn\r\n- -----Original Message-----\r\ne6\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\n\
        iQEzBAEBCAAdFiEE\r\n=abcd\r\n-----END PGP SIGNATURE-----\r\n";

    #[test]
    fn what_was_signed_is_read() {
        assert_eq!(fresh(SIGNED), ["d3"]);
        assert_eq!(fresh("-----BEGIN PGP SIGNED MESSAGE-----\n\nd3"), ["d3"]);
        assert_eq!(fresh("-----BEGIN PGP SIGNED MESSAGE-----\nd3"), ["d3"]);
    }

    #[test]
    fn a_signature_does_not_end_it() {
        assert_eq!(fresh(&SIGNED.replace("- -----Original Message-----", "- - x")).len(), 4);
        assert_eq!(fresh(&format!("d3\n\n> {}", SIGNED.replace("\r\n", "\r\n> "))), ["d3"]);
    }

    #[test]
    fn other_armour_is_no_text() {
        assert!(
            fresh("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----").is_empty()
        );
    }
}
