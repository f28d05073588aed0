//! What holds of the moves and answers of computer players.

use super::commands::Given;
use super::games::changed;
use super::{Change, solver, violated};
use crate::simulator::Violation;
use crate::simulator::naive::{Naive, Shape, Status};
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::{shown, tables};

/// The levels that see what the move itself does, and no reply.
const BEGINNERS: [&str; 3] = ["bot:novice", "bot:beginner", "bot:learner"];

/// The levels that `send` lets play.
const SLOW: [&str; 3] = ["bot:8", "bot:9", "bot:10"];

/// The levels without a search: level 5 answers an offer of a draw for them.
const WITHOUT_SEARCH: [&str; 4] = ["bot:0", "bot:novice", "bot:beginner", "bot:learner"];

/// So few empty cells level 5 solves, and so few every level that searches.
const SOLVED: usize = 6;
const SOLVED_BY_ALL: usize = 3;

/// A computer player makes moves and answers offers, and nothing else: it never resigns and makes no offers. It
/// answers takebacks, pauses and rematches at once, so that no such offer to it is open. Moves and answers about
/// positions near the end are right (docs/bots.md).
pub fn computer_players_act_as_they_may(change: &Change) -> Result<(), Violation> {
    const OF: &str = "computer_players_act_as_they_may";
    for game in changed(change.before, change.after) {
        let names = ["black_bot", "white_bot"];
        let Some(bots) = change.after.columns_of("game", game, names).next() else { continue };
        let bot = |color| if color == 'b' { bots[0] } else { bots[1] };
        if bots == [None; 2] {
            continue;
        }
        let (old, log) = (
            shown::log(change.before, &game.to_string()).len(),
            shown::log(change.after, &game.to_string()),
        );
        // Those of a new game can be given with it.
        let can_give = change.words.is_empty() || change.words.iter().any(|it| it == "--moves");
        let is_given = old == 0 && can_give;
        let own = (1..).zip(&log).skip(old).filter(|_| !is_given);
        for (number, event) in own {
            let color = event.author.chars().next().unwrap_or_default();
            let Some(level) = bot(color).filter(|_| matches!(color, 'b' | 'w')) else { continue };
            let wrong = match Replayed::of(change.after, game, number - 1) {
                Ok(it) => wrong_event(&it, color, level, event.action),
                Err(_) => None,
            };
            if let Some(wrong) = wrong {
                let found = format!("game {game}, {level}, event {number}: {wrong}");
                return violated(OF, found);
            }
        }
        let replayed = Replayed::of(change.after, game, usize::MAX).ok();
        let open = replayed.as_ref().and_then(Replayed::offer);
        if let Some(offer) = open.filter(|it| it.kind != "draw" && bot(opponent(it.by)).is_some()) {
            return violated(OF, format!("game {game}: {offer:?} to a computer player is open"));
        }
    }
    Ok(())
}

/// In a shell, the levels up to 7 answer in the run of the command that has moved or begun the game.
pub fn computer_players_answer_at_once(change: &Change) -> Result<(), Violation> {
    let Some(given) = Given::of(change).filter(|_| change.status == 0) else { return Ok(()) };
    // Who leaves the board after a move does not wait for the answer. It prints no JSON.
    let is_at_board = change.ran.is_some_and(|ran| ran.json.is_none());
    if is_at_board || !matches!(given.word, "move" | "pass" | "new" | "challenge") {
        return Ok(());
    }
    let games = match given.word {
        "move" | "pass" => given.id().into_iter().collect(),
        _ => change.after.added("game", change.before),
    };
    for game in games {
        let names = ["black", "white", "black_bot", "white_bot", "turn"];
        let row = change.after.columns_of("game", game, names).next();
        let Some([black, white, black_bot, white_bot, turn]) = row else { continue };
        let bot = if turn == Some("black") { black_bot } else { white_bot };
        let is_quick = bot.is_some_and(|it| !SLOW.contains(&it)) && turn.is_some();
        if is_quick && (black.is_some() || white.is_some()) {
            let found = format!("game {game} waits for {bot:?} after {:?}", change.words);
            return violated("computer_players_answer_at_once", found);
        }
    }
    Ok(())
}

/// An analysis that a player gets by mail is kept.
pub fn analyses_that_are_mailed_are_kept(change: &Change) -> Result<(), Violation> {
    const HEAD: &str = "The analysis of game ";
    for id in change.after.new_rows("outbox", change.before) {
        let names = ["kind", "text", "created_at"];
        let row = change.after.columns_of("outbox", id, names).next();
        let Some([Some("answer"), Some(text), at]) = row else { continue };
        let game = text.strip_prefix(HEAD).and_then(|rest| rest.split(':').next());
        let Some(game) = tables::number(game) else { continue };
        let is_new = tables::number(at) == Some(change.now.timestamp());
        if is_new && change.after.columns_of("analysis", game, ["game"]).next().is_none() {
            let found = format!("that of game {game} is not kept");
            return violated("analyses_that_are_mailed_are_kept", found);
        }
    }
    Ok(())
}

/// Returns what is wrong about an event by a computer player of this level.
fn wrong_event(before: &Replayed, color: char, level: &str, action: &str) -> Option<String> {
    let (word, rest) = action.split_once(' ').unwrap_or((action, ""));
    match word {
        "auto-pass" | "given" => None,
        "accept" | "decline" => wrong_answer(before, color, level, word == "accept"),
        _ if word == "pass" || word.contains(|it: char| it.is_ascii_digit()) => {
            wrong_move(before, color, level, word)
        }
        _ => Some(format!("it did {word:?} {rest:?}")),
    }
}

/// An offer of a draw is accepted in an even or worse position, and declined in a better one. Others are accepted.
fn wrong_answer(before: &Replayed, color: char, level: &str, accepts: bool) -> Option<String> {
    let offer = before.offer()?;
    if offer.kind != "draw" {
        return (!accepts).then(|| format!("it declined the offer {:?}", offer.kind));
    }
    let most = if WITHOUT_SEARCH.contains(&level) { SOLVED } else { SOLVED_BY_ALL };
    let value = value(&before.board, color, most)?;
    let is_right = accepts == (value <= 0);
    (!is_right).then(|| format!("it accepted a draw: {accepts}, in a position of {value} for it"))
}

/// A level for beginners takes a move that wins at once. One that searches does not make less of a solved position.
fn wrong_move(before: &Replayed, color: char, level: &str, label: &str) -> Option<String> {
    let chosen = crate::simulator::replay::place(label);
    let after = |mv| {
        let mut board = before.board.clone();
        board.play(mv);
        board
    };
    if BEGINNERS.contains(&level) {
        let Status::Place(cells) = before.status() else { return None };
        let wins = |mv| matches!(after(mv).status(), Status::Over(Some(it), _) if it == color);
        let missed = cells.iter().find(|cell| wins(Some(**cell))).filter(|_| !wins(chosen));
        if let Some(cell) = missed {
            return Some(format!("{label} does not win at once, and {cell:?} does"));
        }
        let made = look(&before.board, chosen?, level)?;
        let mut others = cells.iter().filter_map(|cell| look(&before.board, *cell, level));
        let better = others.find(|other| other.is_better_than(&made));
        return better.map(|better| format!("{label} looks like {made:?}, another {better:?}"));
    }
    if WITHOUT_SEARCH.contains(&level) {
        return None;
    }
    let best = value(&before.board, color, SOLVED_BY_ALL)?;
    let made = value(&after(chosen), color, SOLVED_BY_ALL)?;
    (made < best).then(|| format!("{label} makes {made} of a position of {best}"))
}

/// What a level for beginners sees of a move that does not end the game.
#[derive(Debug)]
struct Look {
    flips: usize,
    /// 1 if it takes a corner, and -1 if it gives one away.
    corner: i8,
}

impl Look {
    /// Returns whether a move clearly looks better than another: moves that look about as good are chosen at random.
    const fn is_better_than(&self, other: &Self) -> bool {
        match self.corner == other.corner {
            true => self.flips > other.flips + 1,
            false => self.corner > other.corner && self.flips >= other.flips,
        }
    }
}

/// Returns what a level sees of a move; `None` if the move ends the game, or in other games than plain Othello.
fn look(board: &Naive, cell: (i32, i32), level: &str) -> Option<Look> {
    let Shape::Rectangle { rows, columns } = board.options.shape else { return None };
    if board.options.misere || board.options.anywhere {
        return None;
    }
    let mut after = board.clone();
    let made = after.play(Some(cell)).into_iter().next()?;
    if matches!(after.status(), Status::Over(..)) {
        return None;
    }
    let corners = [(0, 1), (columns - 1, 1), (0, rows), (columns - 1, rows)];
    let is_beside =
        |(column, row): (i32, i32)| (cell.0 - column).abs().max((cell.1 - row).abs()) == 1;
    let mut given = corners.iter().filter(|it| is_beside(**it) && !board.discs.contains_key(*it));
    let corner = match level {
        "bot:beginner" | "bot:learner" if corners.contains(&cell) => 1,
        "bot:learner" if given.next().is_some() => -1,
        _ => 0,
    };
    Some(Look { flips: made.flipped.len(), corner })
}

/// Returns the result of the best play for a colour: 1 for a win, 0 for a draw, -1 for a loss; `None` with more empty
/// cells than these.
fn value(board: &Naive, color: char, most: usize) -> Option<i32> {
    solver::margin(board, color, most).map(i32::signum)
}
