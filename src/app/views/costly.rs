//! The moves of a finished game that cost most, in sentences.

use outflank_engine::{self as engine, Judgement, Reason};
use outflank_model::log::Game;
use outflank_model::render::words::Names;
use outflank_model::words::counted;
use outflank_rules::Lattice;

/// The most moves that are named.
const MAX_NAMED: usize = 3;
/// The most moves of a line that are shown.
const MAX_LINE_MOVES: usize = 8;

/// Returns two lines for each of the moves that cost most, and for the one that turned the game; nothing if
/// no move cost anything.
pub(crate) fn costliest(
    game: &Game,
    names: Names,
    judged: &[Judgement],
    turned: Option<usize>,
) -> Vec<String> {
    let mut costly: Vec<_> = (0..judged.len()).filter(|&index| judged[index].loss() > 0).collect();
    costly.sort_by_key(|&index| -judged[index].loss());
    let mut named: Vec<_> = costly.into_iter().take(MAX_NAMED).collect();
    named.extend(turned.filter(|index| !named.contains(index)));
    named.into_iter().map(|index| sentence(game, names, judged, index)).collect()
}

fn sentence(game: &Game, names: Names, judged: &[Judgement], index: usize) -> String {
    let lattice = game.lattice();
    let it = &judged[index];
    let about = if it.exact { "" } else { "about " };
    let reason = reason(game, judged, index).map(|reason| in_words(lattice, &reason));
    let (mv, by) = (lattice.move_label(it.mv), names.with_color(it.by));
    let reason = reason.map_or(String::new(), |reason| format!("{reason} and "));
    // At the end of a line of a mail, a cell would be a command. Behind its number, without a space, it is none,
    // wherever the line is wrapped.
    let numbered = |number: usize, mv| format!("{number}.{}", lattice.move_label(mv));
    let (number, loss) = (index + 1, counted(it.loss(), "disc"));
    let line = it.line.iter().enumerate().skip(1).take(MAX_LINE_MOVES - 1);
    let line: Vec<_> = line.map(|(at, &mv)| numbered(number + at, mv)).collect();
    let then = if line.is_empty() { String::new() } else { format!(", then {}", line.join(" ")) };
    let best = numbered(number, it.best);
    format!("{number}. {mv} by {by} {reason}cost {about}{loss}.\nBetter was {best}{then}.")
}

/// Returns why a move was worse than the better one, where that is certain.
pub(crate) fn reason(game: &Game, judged: &[Judgement], index: usize) -> Option<Reason> {
    let before = game.at(index)?;
    engine::reason(before.position(), &judged[index], judged.get(index + 1).map(|next| next.mv))
}

/// Describes a reason: the effect of the move.
pub(crate) fn in_words(lattice: Lattice, reason: &Reason) -> String {
    match *reason {
        Reason::GaveUpCorner(corner) => format!("gave up the corner {}", lattice.label(corner)),
        Reason::MissedCorner(corner) => {
            format!("did not take the corner {}", lattice.label(corner))
        }
        Reason::OnlyMove(cell) => format!("left no move but {}", lattice.label(cell)),
        Reason::NoMove => "left no move".to_owned(),
    }
}
