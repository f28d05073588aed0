//! Enhanced status codes (RFC 3463).

/// Returns whether a word of a server's reply is a status 5.7.x: a refusal by policy (a block list,
/// a missing signature, no permission to relay), which is about the sender and not the recipient.
pub(super) fn is_policy(reply: &str) -> bool {
    reply.split(|c: char| !c.is_ascii_digit() && c != '.').any(|word| {
        let detail = word.strip_prefix("5.7.").map(|detail| detail.trim_end_matches('.'));
        detail.is_some_and(|it| (1..=3).contains(&it.len()) && !it.contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::is_policy;

    #[test]
    fn only_a_whole_status_counts() {
        for reply in ["5.7.1", "550 5.7.1 no", "smtp; 554 (#5.7.26)", "550-5.7.509: no", "5.7.0."] {
            assert!(is_policy(reply), "{reply}");
        }
        for reply in ["", "5.7", "5.7.", "550 5.1.1 no", "15.7.1", "4.7.1", "[5.7.1.4]", "5.71.1"] {
            assert!(!is_policy(reply), "{reply}");
        }
    }
}
