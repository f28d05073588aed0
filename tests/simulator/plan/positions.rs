//! Games that begin in a position of their own: with a board, in that of another game, or with moves. Plans from the
//! position of a game.

use super::{Action, Active, Command, Planner, by, host, split};
use crate::simulator::naive::{Naive, Options, Shape, Status};
use crate::simulator::replay::{self, Replayed, label};
use crate::simulator::tables::number;

impl Planner<'_> {
    /// Returns a plan with moves of the player to move and answers, often in several branches that begin alike.
    pub(super) fn plan(&mut self) -> Action {
        match self.active() {
            Some(game) => self.plan_in(&game),
            None => self.begin(),
        }
    }

    /// Returns a plan of the player who waits in a game.
    pub(super) fn plan_in(&mut self, game: &Active) -> Action {
        let replayed = Replayed::of(self.world.tables(), game.id, usize::MAX);
        let (Some(waiting), Ok(replayed)) = (game.waiting(), replayed) else { return host("send") };
        let mut branches: Vec<Vec<String>> = Vec::new();
        for _ in 0..self.rng.usize(1..4) {
            let mut after = replayed.clone();
            let mut branch = Vec::new();
            // The first two moves of the branch before, mostly.
            let known = branches.last().filter(|_| self.rng.u8(..4) > 0).cloned();
            let mut length = 0;
            for at in 0..2 * self.rng.usize(1..3) {
                let old = known.as_ref().and_then(|it| it.get(at)).filter(|_| at < 2).cloned();
                let Some(mv) = old.or_else(|| self.rng.choice(after.legal())) else { break };
                let is_own = Some(after.board.turn) != replayed.turn();
                after.play(replay::place(&mv));
                branch.push(mv);
                length = if is_own { branch.len() } else { length };
            }
            branch.truncate(length);
            branches.push(branch);
        }
        branches.retain(|branch| !branch.is_empty());
        let branches: Vec<_> = branches.iter().map(|branch| branch.join(" ")).collect();
        if branches.is_empty() {
            return host("send");
        }
        by(waiting, &format!("plan {} {}", game.id, branches.join(" / ")))
    }

    /// Somebody begins a game in a position of its own.
    pub(super) fn begin_elsewhere(&mut self) -> Option<Action> {
        if self.games.len() >= self.taste.most_games {
            return None;
        }
        let (one, other) = (self.player(), self.player());
        let bot = self.one(&["bot:novice", "bot:learner", "bot:0", "bot:1", "bot:2"]).to_owned();
        let other = if self.rng.u8(..4) == 0 { bot } else { other };
        let (variant, mut start) = match self.rng.u8(..5) {
            0..3 => {
                let board = self.board();
                let rules =
                    self.one(&["", "", "--misere", "--anywhere", "--pass explicit", "--misere"]);
                let start = ["--position".to_owned(), board.position_string()].into_iter();
                ("othello".to_owned(), start.chain(split(rules)).collect())
            }
            3 => self.of_another_game()?,
            _ => self.with_moves(),
        };
        start.extend(split(self.one(&self.taste.clocks)));
        let is_challenge = self.rng.u8(..3) == 0;
        let mut words = match is_challenge {
            true => vec!["challenge".to_owned(), other, variant],
            false => vec!["new".to_owned(), variant, one.clone(), other],
        };
        words.extend(start);
        let actor = is_challenge.then_some(one);
        Some(Action::Command(Command { actor, words, is_elsewhere: false }))
    }

    /// Returns a small board with discs at random, often nearly full or with few discs of one colour: mostly one
    /// in which the player to move can place a disc.
    fn board(&mut self) -> Naive {
        let (rows, columns) = (self.rng.i32(3..=5), self.rng.i32(3..=6));
        let shape = Shape::Rectangle { rows, columns };
        let options = Options { shape, misere: false, anywhere: false, explicit_pass: false };
        let mut board = Naive::start(options);
        for _ in 0..8 {
            let full = self.one(&[20, 50, 85]);
            let black = self.one(&[10, 50, 90]);
            board.turn = if self.rng.bool() { 'b' } else { 'w' };
            board.discs.clear();
            for cell in (1..=rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
                if self.rng.u8(..100) < full {
                    let color = if self.rng.u8(..100) < black { 'b' } else { 'w' };
                    board.discs.insert(cell, color);
                }
            }
            if matches!(board.status(), Status::Place(_)) {
                break;
            }
        }
        board
    }

    /// Returns the variant of a game, and the options that begin another one in a position of it.
    fn of_another_game(&mut self) -> Option<(String, Vec<String>)> {
        let tables = self.world.tables();
        let games: Vec<_> = tables.columns("game", ["id", "variant"]).collect();
        let [id, variant] = self.rng.choice(games)?;
        let moves = Replayed::of(tables, number(id)?, usize::MAX).ok()?.plies.len();
        let ply = self.rng.usize(..=moves);
        Some((variant?.to_owned(), vec!["--from".to_owned(), format!("{}#{ply}", id?)]))
    }

    /// Returns a variant, and the options that begin a game of it with some moves: often so many that it is nearly
    /// over.
    pub(super) fn with_moves(&mut self) -> (String, Vec<String>) {
        let square = |side| Shape::Rectangle { rows: side, columns: side };
        let (variant, shape, most) = self.one(&[
            ("othello", square(8), 60),
            ("twente", square(8), 60),
            ("oddthello", Shape::Hex, 60),
            ("mini", square(4), 12),
        ]);
        let explicit_pass = variant == "twente";
        let options = Options { shape, misere: false, anywhere: false, explicit_pass };
        let (mut board, mut moves) = (Naive::start(options), Vec::new());
        let few = if self.rng.u8(..3) > 0 { most - 6 } else { 1 };
        for _ in 0..self.rng.usize(few..most) {
            let Status::Place(cells) = board.status() else { break };
            let Some(cell) = self.rng.choice(cells) else { break };
            let Some(label) = label(cell, &board) else { break };
            let mut after = board.clone();
            after.play(Some(cell));
            // A game that is over cannot begin.
            if matches!(after.status(), Status::Over(..)) {
                break;
            }
            moves.push(label);
            board = after;
        }
        (variant.to_owned(), vec!["--moves".to_owned(), moves.join(" ")])
    }
}
