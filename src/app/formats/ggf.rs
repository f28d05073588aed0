//! The Generic Game Format, which NBoard and Edax read.

use chrono::TimeDelta;

use super::format::{Exported, Format, Peculiarity, Writer};
use super::reading::{Builder, Claim, Imported, Piece, Reader, Source};
use crate::app::Error;
use crate::app::views::comments::Comment;
use crate::protocol::{Ending, Ggf, Played, Record};
use outflank_model::StoredGame;
use outflank_model::log::Reason;
use outflank_model::time_control::TimeControl;
use outflank_rules::{Color, Goal, quoted};

pub(super) const FORMAT: Format = Format {
    word: "ggf",
    about: "GGF for NBoard and Edax",
    media_type: "text/plain; charset=utf-8",
    holds: &[Peculiarity::Size, Peculiarity::Misere, Peculiarity::Start],
    writer: Some(Writer {
        head: |_, _| String::new(),
        write: |game: &Exported| of(game).map_or(String::new(), |ggf| format!("{ggf}\n")),
    }),
    reader: Some(Reader { is_binary: false, split, read }),
};

/// Returns a game as GGF, with these comments.
///
/// # Errors
/// When GGF cannot hold it.
pub(crate) fn as_ggf(stored: &StoredGame, comments: &[Comment]) -> Result<String, Error> {
    if let Some(error) = FORMAT.cannot_hold(stored) {
        return Err(error);
    }
    Ok(of(&Exported { stored, comments }).map_or(String::new(), |ggf| ggf.to_string()))
}

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
        kind: String::new(),
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

/// Splits a text behind the end of each game. Numbers between games are ignored.
fn split(bytes: &[u8]) -> Result<Vec<Piece<'_>>, String> {
    let (mut pieces, mut from, mut in_value) = (Vec::new(), 0, false);
    let mut add = |content: &'_ [u8], from: usize| {
        let is_ignored = |byte: &u8| byte.is_ascii_whitespace() || byte.is_ascii_digit();
        let before = content.iter().take_while(|byte| is_ignored(byte)).count();
        if before < content.len() {
            pieces.push((from + before, from + content.len()));
        }
    };
    for (at, pair) in bytes.windows(2).enumerate() {
        match pair {
            b";)" if !in_value => {
                add(&bytes[from..at + 2], from);
                from = at + 2;
            }
            [b'[', _] => in_value = true,
            [b']', _] => in_value = false,
            _ => {}
        }
    }
    add(&bytes[from..], from);
    let (mut line, mut counted) = (1, 0);
    let with_line = |(from, to): (usize, usize)| {
        line += bytes[counted..from].iter().filter(|byte| **byte == b'\n').count();
        counted = from;
        Piece { line: Some(line), content: &bytes[from..to] }
    };
    Ok(pieces.into_iter().map(with_line).collect())
}

fn read(piece: &Piece, source: &Source) -> Result<Imported, String> {
    let ggf: Ggf = piece.text().parse().map_err(|error| format!("{error}"))?;
    let Ggf { record, players: [black, white], seconds, played } = &ggf;
    check_kind(&played.kind)?;
    let names = [black.as_str(), white.as_str()];
    let start = record.start().clone().with_stuck(record.rules().stuck);
    let mut builder = Builder::of_position(start);
    builder.terms().control = control(*seconds, played.increment);
    let say = |builder: &mut Builder, made: usize| {
        let mut comments = played.comments.iter().filter(|(ply, _)| *ply == made);
        comments.try_for_each(|(_, text)| builder.say_as(names, text))
    };
    for (number, (_, mv)) in record.moves().enumerate() {
        say(&mut builder, number)?;
        builder.wait(played.seconds.get(number).copied().unwrap_or(0));
        builder.play(mv)?;
    }
    say(&mut builder, record.moves().count())?;
    let claim = played.result.map(|(margin, ending)| claim(margin, ending));
    builder.finish(claim, names, played.began, String::new(), source)
}

/// Refuses a type of game that is not played by the moves of one board.
fn check_kind(kind: &str) -> Result<(), String> {
    let refused =
        |what| Err(format!("{} is a game {what}, which cannot be imported", quoted(kind)));
    if kind.starts_with(['s', 'S']) {
        return refused("on two boards");
    }
    match kind.chars().find(|c| !c.is_ascii_digit() && !"abwr".contains(*c)) {
        Some('k' | 'K') => refused("with komi"),
        Some(_) => refused("of an unknown type"),
        None => Ok(()),
    }
}

/// Returns the time of the players, if a time control can be so.
fn control(seconds: Option<u64>, increment: u64) -> TimeControl {
    let span = |seconds: u64| TimeDelta::try_seconds(seconds.try_into().ok()?);
    let control = || {
        let total = span(seconds?)?;
        let control = match increment {
            0 => TimeControl::Total(total),
            _ => TimeControl::Bank { bank: total, increment: span(increment)?, most: None },
        };
        control.to_string().parse().ok().filter(|parsed| *parsed == control)
    };
    control().unwrap_or_default()
}

fn claim(margin: i64, ending: Option<Ending>) -> Claim {
    let claim = Claim::by_margin(margin);
    let reason = ending.map(|ending| match (ending, claim.winner) {
        (Ending::Time, _) => Reason::Time,
        (Ending::Agreed, None) => Reason::Agreed,
        // The players have agreed on a number of discs, so one has given up.
        (Ending::Agreed | Ending::Resigned, _) => Reason::Resigned,
    });
    // The number of discs counts where the board decides.
    Claim { reason, ..claim }
}
