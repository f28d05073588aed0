use outflank_rules::Move;

/// Returns the move in a program's words: a cell, or `pass`, `PA` or `--`.
pub(super) fn parse_move(text: &str) -> Option<Move> {
    match text.to_ascii_lowercase().as_str() {
        "pa" | "pass" | "ps" | "--" | "passe" => Some(Move::Pass),
        cell => cell.parse().ok(),
    }
}
