//! Matches of pairs of games. Both games of a pair begin with the same random moves, with colours
//! swapped. They are not independent, so the error bars come from the scores of the pairs.

use fastrand::Rng;
use outflank_rules::{Color, Move, Position, Rules};

/// Returns random moves from the start of a game after which it is not over, without automatic
/// passes, and the position that they lead to.
pub fn opening(rules: Rules, plies: usize, rng: &mut Rng) -> (Vec<Move>, Position) {
    loop {
        let (mut moves, mut position) = (Vec::new(), Position::start(rules));
        for _ in 0..plies {
            let Some(mv) = rng.choice(position.legal()) else { break };
            position.play(mv).expect("a legal move");
            moves.push(mv);
            if position.passes_automatically() {
                position.play(Move::Pass).expect("a legal pass");
            }
        }
        if !position.legal().is_empty() {
            return (moves, position);
        }
    }
}

/// The results of the games for the first player.
#[derive(Default)]
pub struct Score {
    /// The games that the first player won.
    pub wins: u32,
    /// The drawn games.
    pub draws: u32,
    /// The games that the first player lost.
    pub losses: u32,
    /// The mean score of each pair, 0 to 1.
    pub pairs: Vec<f64>,
}

impl Score {
    /// Plays a pair of games with a function that takes the colour of the first player and returns
    /// the winner. Returns the scores of both games.
    ///
    /// # Errors
    /// When the function returns an error; the pair does not count then.
    pub fn play_pair(
        &mut self,
        mut winner: impl FnMut(Color) -> Result<Option<Color>, String>,
    ) -> Result<[f64; 2], String> {
        let mut scores = [0.0; 2];
        for (score, first) in scores.iter_mut().zip(Color::BOTH) {
            let count;
            (*score, count) = match winner(first)? {
                None => (0.5, &mut self.draws),
                Some(winner) if winner == first => (1.0, &mut self.wins),
                Some(_) => (0.0, &mut self.losses),
            };
            *count += 1;
        }
        self.pairs.push((scores[0] + scores[1]) / 2.0);
        Ok(scores)
    }

    /// Returns the mean score of a game, 0 to 1.
    pub fn mean(&self) -> f64 {
        self.pairs.iter().sum::<f64>() / self.pairs.len().max(1) as f64
    }

    /// Returns the variance of the score of one pair.
    pub fn variance(&self) -> f64 {
        let (mean, count) = (self.mean(), self.pairs.len() as f64);
        let squares: f64 = self.pairs.iter().map(|pair| (pair - mean).powi(2)).sum();
        squares / (count - 1.0).max(1.0)
    }

    /// Returns half the width of the 95 % confidence interval of the score.
    pub fn error(&self) -> f64 {
        1.96 * (self.variance() / self.pairs.len().max(1) as f64).sqrt()
    }
}
