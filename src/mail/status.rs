//! Enhanced status codes (RFC 3463).

use super::text::any;

/// What servers write with a status 5.7.x about the recipient, in lower case, with `|` between two
/// phrases.
const ABOUT_RECIPIENT: &str = "\
    disabled recipient|recipient disabled|account inactive|account is inactive|inactive account|\
    account disabled|account is disabled|account has been disabled|mailbox disabled|user disabled|\
    recipient address rejected: user unknown";

/// Returns whether a word of a server's reply is a status 5.7.x: a refusal by policy (a block list,
/// a missing signature, no permission to relay), which is about the sender and not the recipient.
/// Replies about a disabled recipient (525, 5.7.13) are an exception.
pub(super) fn is_policy(reply: &str) -> bool {
    let mut details = reply
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter_map(|word| word.strip_prefix("5.7."))
        .map(|detail| detail.trim_end_matches('.'));
    let lower = reply.to_lowercase();
    let is_about_recipient = lower.split([' ', '-']).any(|word| word == "525")
        || any(ABOUT_RECIPIENT, |phrase| lower.contains(phrase));
    !is_about_recipient
        && details.any(|it| (1..=3).contains(&it.len()) && !it.contains('.') && it != "13")
}

#[cfg(test)]
mod tests {
    use super::is_policy;

    #[test]
    fn only_a_whole_status_counts() {
        for reply in ["5.7.1", "550 5.7.1 no", "smtp; 554 (#5.7.26)", "550-5.7.509: no", "5.7.0."] {
            assert!(is_policy(reply), "{reply}");
        }
        for reply in ["525 5.7.1 no", "550 5.7.13 no", "550 5.7.1 <a@b>: Account inactive"] {
            assert!(!is_policy(reply), "{reply}");
        }
        for reply in ["", "5.7", "5.7.", "550 5.1.1 no", "15.7.1", "4.7.1", "[5.7.1.4]", "5.71.1"] {
            assert!(!is_policy(reply), "{reply}");
        }
    }
}
