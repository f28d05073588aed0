//! Paragraphs that were broken into lines for transport (RFC 3676).

/// Undoes the soft line breaks of `format=flowed`: each paragraph becomes one line. Quoted lines
/// keep a `>` for each level. `del_sp`: the space of a soft break is no part of the text.
pub(super) fn unflowed(text: &str, del_sp: bool) -> String {
    let mut joined = String::with_capacity(text.len() + text.len() / 2);
    // The level of the paragraph that continues.
    let mut flowing = None;
    for line in text.lines() {
        let unquoted = line.trim_start_matches('>');
        let level = line.len() - unquoted.len();
        let content = unquoted.strip_prefix(' ').unwrap_or(unquoted);
        let is_rule = content == "-- ";
        if flowing.is_some() && (flowing != Some(level) || is_rule) {
            joined.push('\n');
            flowing = None;
        }
        if flowing.is_none() && level > 0 {
            joined.extend(std::iter::repeat_n('>', level));
            joined.push(' ');
        }
        let flows = content.ends_with(' ') && !is_rule;
        let shorter = content.strip_suffix(' ').filter(|_| flows && del_sp);
        joined.push_str(shorter.unwrap_or(content));
        flowing = flows.then_some(level);
        if !flows {
            joined.push('\n');
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_breaks_are_undone_within_a_level() {
        let text = "d3\n\nA long \r\nparagraph\n> quoted \n> on\n>> deeper \n> back \nmine\n";
        let expected = "d3\n\nA long paragraph\n> quoted on\n>> deeper \n> back \nmine\n";
        assert_eq!(unflowed(text, false), expected);
    }

    #[test]
    fn with_del_sp_the_space_of_a_soft_break_is_removed() {
        assert_eq!(unflowed("d \n3\na  \nb\n", true), "d3\na b\n");
    }

    #[test]
    fn stuffing_is_removed_and_a_signature_never_flows() {
        assert_eq!(unflowed(" From here\n  two\n x", false), "From here\n two\nx\n");
        assert_eq!(
            unflowed("ends \n-- \nAlice\n>-- \n> Bob", false),
            "ends \n-- \nAlice\n> -- \n> Bob\n"
        );
    }
}
