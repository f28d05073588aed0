//! Lines of a stream that another program or a person writes.

use std::io::{BufRead, Read};

/// Passes each line, without white space at its end, to the function until it returns false or the
/// stream ends. A line of more than `max_bytes` is passed in parts.
pub(crate) fn for_each(
    mut stream: impl BufRead,
    max_bytes: u64,
    mut pass: impl FnMut(String) -> bool,
) {
    let mut line = Vec::new();
    while let Ok(1..) = Read::by_ref(&mut stream).take(max_bytes).read_until(b'\n', &mut line) {
        if !pass(String::from_utf8_lossy(&line).trim_end().to_owned()) {
            break;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first `limit` lines of a stream, in parts of at most eight bytes.
    fn passed(stream: &[u8], limit: usize) -> Vec<String> {
        let mut lines = Vec::new();
        for_each(stream, 8, |line| {
            lines.push(line);
            lines.len() < limit
        });
        lines
    }

    #[test]
    fn lines_have_no_white_space_at_their_end() {
        assert_eq!(passed(b"one\ntwo \r\n\n  three", 9), ["one", "two", "", "  three"]);
        assert_eq!(passed(b"", 9), [""; 0]);
        assert_eq!(passed(b"\xff\n", 9), ["\u{fffd}"]);
    }

    #[test]
    fn a_long_line_is_passed_in_parts() {
        assert_eq!(passed(b"0123456789abcdefgh\nnext", 9), ["01234567", "89abcdef", "gh", "next"]);
    }

    #[test]
    fn no_line_is_passed_after_the_function_has_returned_false() {
        assert_eq!(passed(b"one\ntwo\nthree\n", 2), ["one", "two"]);
    }
}
