//! What holds while a club moves to another machine: docs/operating.md.

use super::violated;
use crate::simulator::Violation;
use crate::simulator::process::Ran;
use crate::simulator::tables::Tables;
use crate::simulator::world::moved::Moved;

/// Commands that always change something, or are refused.
const CHANGING: [&str; 20] = [
    "abort",
    "accept",
    "annul",
    "challenge",
    "claim",
    "decline",
    "draw",
    "extend",
    "forfeit",
    "move",
    "new",
    "pass",
    "pause",
    "rematch",
    "resign",
    "say",
    "send",
    "signup",
    "takeback",
    "unpause",
];

/// `handover` and `takeover` succeed.
pub fn the_club_moves(command: &str, ran: &Ran) -> Result<(), Violation> {
    match (ran.status, &ran.panic) {
        (0, None) => Ok(()),
        _ => violated(
            "the_club_moves",
            format!("{command} ended with {} {:?} {:?}", ran.status, ran.sentences, ran.panic),
        ),
    }
}

/// The copy has all that was stored, and the old database loses nothing.
pub fn nothing_is_lost_by_a_move(before: &Tables, left: &Tables) -> Result<(), Violation> {
    let mut differences = before.differences(left);
    differences.retain(|it| !it.starts_with("handover: "));
    match differences.is_empty() {
        true => Ok(()),
        false => violated("nothing_is_lost_by_a_move", format!("{differences:?}")),
    }
}

/// A machine that the club has left, or that has not taken over yet, changes nothing and mails nobody. It does not
/// say that something was done, and leaves mail with the mail server.
pub fn nothing_happens_where_the_club_is_not(moved: &Moved) -> Result<(), Violation> {
    let Moved { words, ran, tables: [before, after], sent } = moved;
    let is_right = match &*words[0] {
        // As a pipe, the mail server keeps the mail.
        "receive" => matches!(ran.status, 3 | 75),
        word => (1..=3).contains(&ran.status) || ran.status == 0 && !CHANGING.contains(&word),
    };
    let differences = before.differences(after);
    if is_right && ran.panic.is_none() && differences.is_empty() && *sent == 0 {
        return Ok(());
    }
    let found = format!(
        "`{}` ended with {} {:?}; {differences:?} changed; {sent} mails",
        words.join(" "),
        ran.status,
        ran.sentences
    );
    violated("nothing_happens_where_the_club_is_not", found)
}
