//! Matches of pairs of games. Both games of a pair begin with the same random moves, with colours
//! swapped. They are not independent, so the error bars come from the scores of the pairs.

use fastrand::Rng;
use outflank::command::RuleOptions;
use outflank::log::Game;
use outflank_rules::{Color, Overrides, Position, Rules, Variant};

/// Returns the rules of a variant with these options.
pub fn rules(variant: &str, options: &RuleOptions) -> Result<Rules, String> {
    let variant = Variant::named(variant).map_err(|error| error.to_string())?;
    variant.rules(&Overrides::from(options)).map_err(|error| error.to_string())
}

/// Returns a game of random moves that is not over.
pub fn opening(rules: Rules, plies: usize, rng: &mut Rng) -> Game {
    loop {
        let mut game = Game::new(Position::start(rules));
        for _ in 0..plies {
            let Some(mv) = rng.choice(game.legal()) else { break };
            game.play(mv).expect("a legal move");
        }
        if game.turn().is_some() {
            return game;
        }
    }
}

/// The results of the games for the first player.
#[derive(Default)]
pub struct Score {
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
    /// The mean score of each pair, 0 to 1.
    pub pairs: Vec<f64>,
}

impl Score {
    /// Plays a pair of games with a function that takes the colour of the first player and returns
    /// the winner. Returns the scores of both games.
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

    pub fn mean(&self) -> f64 {
        self.pairs.iter().sum::<f64>() / self.pairs.len().max(1) as f64
    }

    /// Returns the variance of the score of one pair.
    pub fn variance(&self) -> f64 {
        let (mean, count) = (self.mean(), self.pairs.len() as f64);
        let squares: f64 = self.pairs.iter().map(|pair| (pair - mean).powi(2)).sum();
        squares / (count - 1.0).max(1.0)
    }

    /// Returns half the width of the interval in which the score is with 95 % confidence.
    pub fn error(&self) -> f64 {
        1.96 * (self.variance() / self.pairs.len().max(1) as f64).sqrt()
    }
}
