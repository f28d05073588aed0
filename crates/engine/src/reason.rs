use super::analysis::Judgement;
use super::glance::corners;
use super::solve::played;
use outflank_rules::{Cell, Goal, Move, Position};

/// A consequence that the better move avoids, proved by the rules alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The opponent could take this corner.
    GaveUpCorner(Cell),
    /// The player could have taken this corner.
    MissedCorner(Cell),
    /// After the opponent's reply, the player had no other move than this.
    OnlyMove(Cell),
    /// After the opponent's reply, the player had no move.
    NoMove,
}

/// Returns the reason why a move cost discs, if that is certain. `before` is the position before it, and
/// `reply` the next move of the game.
pub fn reason(before: &Position, judged: &Judgement, reply: Option<Move>) -> Option<Reason> {
    let &[better, ref rest @ ..] = &judged.line[..] else { return None };
    let [after, after_better] = [judged.mv, better].map(|mv| played(before, mv));
    // In misère a corner is nothing to gain.
    let corners = corners(before).filter(|_| before.rules().goal == Goal::More);
    let corners = corners.as_ref().map_or(&[][..], |corners| corners);
    let can_take = |position: &Position, corner| position.placements().contains(corner);
    let given = |corner: &&Cell| can_take(&after, **corner) && !can_take(&after_better, **corner);
    if let Some(&corner) = corners.iter().find(given) {
        // If the better move took it, the player did not give it up but left it there.
        let is_missed = better == Move::Place(corner);
        return Some(if is_missed {
            Reason::MissedCorner(corner)
        } else {
            Reason::GaveUpCorner(corner)
        });
    }
    if let Some(&corner) = corners.iter().find(|&&corner| better == Move::Place(corner)) {
        return Some(Reason::MissedCorner(corner));
    }
    let left = played(&after, reply?).placements();
    let is_choice_better = played(&after_better, *rest.first()?).placements().len() > 1;
    let mut left = left.iter();
    match (left.next(), left.next()) {
        _ if !is_choice_better => None,
        (None, _) => Some(Reason::NoMove),
        (Some(cell), None) => Some(Reason::OnlyMove(cell)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank_rules::{Overrides, Transcript, Variant};

    #[test]
    fn the_rules_show_what_a_move_did() {
        let (small, large) = ("4x4".parse().ok(), "4x5".parse().ok());
        let cell = |label: &str| label.parse::<Cell>().unwrap();
        for (size, misere, before, made, reply, line, expected) in [
            (small, false, "b1a1", "c4", "d4", "a2c1", Some(Reason::GaveUpCorner(cell("d4")))),
            (small, true, "b1a1", "c4", "d4", "a2c1", None),
            (
                small,
                false,
                "b1a3b4c1d2a4",
                "a2",
                "c4",
                "a1a2",
                Some(Reason::MissedCorner(cell("a1"))),
            ),
            (large, false, "b1c1d2e1", "d4", "a1", "e2e3", Some(Reason::OnlyMove(cell("e2")))),
            (large, false, "d3d2d1b4a2b1a4e1c4e4", "e2", "e3", "c1d4", Some(Reason::NoMove)),
        ] {
            let overrides = Overrides { size, misere, ..Overrides::default() };
            let rules = Variant::named("othello").unwrap().rules(&overrides).unwrap();
            let moves = before.parse::<Transcript>().unwrap().0;
            let position = moves.iter().fold(Position::start(rules), |it, &mv| played(&it, mv));
            let line = line.parse::<Transcript>().unwrap().0;
            let judged = Judgement {
                by: position.turn(),
                mv: made.parse().unwrap(),
                best: line[0],
                choices: 2,
                value: 0,
                best_value: 4,
                depth: 1,
                exact: true,
                line,
            };
            assert_eq!(reason(&position, &judged, reply.parse().ok()), expected, "{before} {made}");
        }
    }
}
