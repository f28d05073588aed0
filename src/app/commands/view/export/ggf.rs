//! The Generic Game Format, which NBoard and Edax read.

use chrono::TimeDelta;

use super::format::{Exported, Format, Peculiarity};
use crate::protocol::{Ending, Ggf, Played, Record};
use outflank_model::StoredGame;
use outflank_model::log::Reason;
use outflank_model::time_control::TimeControl;
use outflank_rules::{Color, Goal};

pub(super) const FORMAT: Format = Format {
    word: "ggf",
    about: "GGF for NBoard and Edax",
    holds: &[Peculiarity::Size, Peculiarity::Misere, Peculiarity::Start],
    head: String::new,
    write: |game: &Exported| of(game).map_or(String::new(), |ggf| format!("{ggf}\n")),
};

/// Returns a game as GGF; `None` if GGF cannot hold it.
fn of(exported: &Exported) -> Option<Ggf> {
    let Exported { stored, comments } = exported;
    let seconds = |span: TimeDelta| u64::try_from(span.num_seconds()).unwrap_or(0);
    // GGF knows a time for the whole game, to which moves can add.
    let (time, increment) = match stored.agreement.terms.control {
        TimeControl::None | TimeControl::PerMove(_) => (None, 0),
        TimeControl::Bank { bank, increment, .. } => (Some(seconds(bank)), seconds(increment)),
        TimeControl::Total(total) => (Some(seconds(total)), 0),
    };
    let record = Record::of(stored.game.start(), stored.game.moves());
    let players = Color::BOTH.map(|color| stored.name(color));
    let mut last = stored.started;
    let times = stored.game.plies().iter().map(|ply| {
        let made = stored.times.get(ply.event - 1).copied().unwrap_or(last);
        seconds(made - std::mem::replace(&mut last, made))
    });
    let comments = comments.iter().map(|comment| {
        let name = stored.name(comment.by);
        (comment.ply(&stored.game), format!("{name}: {}", comment.text))
    });
    let played = Played {
        began: Some(stored.started),
        increment,
        result: result(stored),
        seconds: times.collect(),
        comments: comments.collect(),
    };
    Some(Ggf { played, ..Ggf::of(&record, players, time)? })
}

/// Returns the discs by which Black has won, and why the game ended before the board decided it. A win that
/// the board has not decided counts as one by all discs.
fn result(stored: &StoredGame) -> Option<(i64, Option<Ending>)> {
    let outcome = stored.game.outcome()?;
    let ending = match outcome.reason {
        Reason::Discs | Reason::Stuck => None,
        Reason::Resigned | Reason::Forfeited => Some(Ending::Resigned),
        Reason::Time | Reason::Claimed => Some(Ending::Time),
        Reason::Agreed => Some(Ending::Agreed),
        Reason::Annulled | Reason::Declined => return None,
    };
    let all = i64::try_from(stored.game.position().cells().count()).unwrap_or(i64::MAX);
    let margin = match (ending, outcome.winner) {
        (None, _) if stored.game.start().rules().goal == Goal::Fewer => {
            i64::from(outcome.white) - i64::from(outcome.black)
        }
        (None, _) => i64::from(outcome.black) - i64::from(outcome.white),
        (Some(_), None) => 0,
        (Some(_), Some(Color::Black)) => all,
        (Some(_), Some(Color::White)) => -all,
    };
    Some((margin, ending))
}
