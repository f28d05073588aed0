//! Games that begin in a position of their own. docs/rules.md, Options.

use super::new_games;
use crate::simulator::Violation;
use crate::simulator::holds::commands::Given;
use crate::simulator::holds::{Change, violated};
use crate::simulator::naive::Naive;
use crate::simulator::replay::{Replayed, move_label};

/// Where a command lets a game begin.
struct Start<'a> {
    /// As a position string.
    position: Option<&'a str>,
    /// With the board and under the rules of another game.
    board: Option<Naive>,
    /// With these moves, without spaces.
    moves: Option<String>,
}

impl<'a> Start<'a> {
    /// Reads the options; `None` if there are none about the start, or if this model does not know them.
    fn of(given: &Given<'a>) -> Option<Self> {
        let value = |option: &str| {
            let at = given.rest.iter().position(|it| it == option)?;
            given.rest.get(at + 1).map(String::as_str)
        };
        let board = match value("--from") {
            Some(from) => {
                let (game, ply) = from.split_once('#')?;
                let game = Replayed::of(given.tables, game.parse().ok()?, usize::MAX).ok()?;
                Some(game.at(ply.parse().ok()?)?.board)
            }
            None => None,
        };
        // The cells of the hex lattice have no fixed place in a position.
        let is_hex = given.rest.iter().any(|it| it == "oddthello");
        let position = value("--position").filter(|it| it.starts_with('(') && !is_hex);
        let moves = value("--moves").map(|it| it.split_whitespace().collect::<String>());
        let moves = moves.map(|it| it.to_lowercase());
        let is_known = position.is_some() || board.is_some() || moves.is_some();
        is_known.then_some(Self { position, board, moves })
    }

    /// Returns what is wrong with a game that begins here.
    fn differs(&self, it: &Replayed) -> Option<String> {
        let (start, begun) = (it.start.position_string(), it.begun());
        if let Some(position) = self.position.filter(|it| **it != start) {
            return Some(format!("it begins in {start}, not {position}"));
        }
        if let Some(board) = self.board.as_ref().filter(|board| **board != begun) {
            return Some(format!("it begins with {begun:?}, not {board:?}"));
        }
        let made = it.plies.iter().filter(|ply| !ply.auto);
        let made = made.map(|ply| move_label(ply, &it.board)).collect::<Option<String>>()?;
        let (made, moves) = (made.to_lowercase(), self.moves.as_deref().unwrap_or_default());
        (!made.starts_with(moves)).then(|| format!("it begins with {made}, not {moves}"))
    }
}

/// A game begins in the position that its command describes or names, or with the moves that it lists, under the
/// rules of the game that it names. It is not rated.
pub fn starts_are_those_asked_for(change: &Change) -> Result<(), Violation> {
    const OF: &str = "starts_are_those_asked_for";
    let given = Given::of(change).filter(|_| change.status == 0);
    let given = given.filter(|it| matches!(it.word, "new" | "challenge"));
    let Some(start) = given.as_ref().and_then(Start::of) else { return Ok(()) };
    for id in new_games(change) {
        let it = Replayed::of(change.after, id, usize::MAX);
        let wrong = it.map_or_else(Some, |it| start.differs(&it));
        let rated = change.after.columns_of("game", id, ["rated"]).next();
        let wrong =
            wrong.or_else(|| (rated != Some([Some("0")])).then(|| "it is rated".to_owned()));
        if let Some(wrong) = wrong {
            return violated(OF, format!("game {id}: {wrong}: {:?}", change.words));
        }
    }
    for id in change.after.new_rows("challenge", change.before) {
        let names = ["start", "moves", "rated"];
        let Some([own, moves, rated]) = change.after.columns_of("challenge", id, names).next()
        else {
            continue;
        };
        let moves = moves.unwrap_or_default().split(' ').filter(|it| *it != "auto-pass");
        let moves = moves.collect::<String>().to_lowercase();
        // A start that is that of the variant need not be named.
        let board = start.board.as_ref().map(Naive::position_string);
        let position = start.position.or(board.as_deref());
        let is_right = own.is_none_or(|own| Some(own) == position)
            && moves == start.moves.as_deref().unwrap_or_default()
            && rated == Some("0");
        if !is_right {
            let found = format!("challenge {id} begins with {own:?} {moves:?}, rated {rated:?}");
            return violated(OF, format!("{found}: {:?}", change.words));
        }
    }
    Ok(())
}
