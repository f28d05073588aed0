//! Paragraphs that were broken into lines (RFC 3676).

/// Undoes the soft line breaks of `format=flowed`: each paragraph becomes one line. Quoted lines
/// keep a `>` for each level. With `del_sp`, the space of a soft break is removed.
pub(super) fn unflowed(text: &str, del_sp: bool) -> String {
    let mut joined = String::with_capacity(text.len() + text.len() / 2);
    // The level of the paragraph that continues on the next line.
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
