//! Ratings as in "Example of the Glicko-2 system" by Mark Glickman, with a game as a rating period.

use std::f64::consts::PI;

/// The factor between the paper's two scales.
const SCALE: f64 = 173.7178;
/// How much volatilities change.
const TAU: f64 = 0.5;
const MAX_DEVIATION: f64 = 350.0;

/// A player's rating.
#[derive(Debug, Clone, Copy)]
pub struct Rating {
    pub rating: f64,
    pub deviation: f64,
    pub volatility: f64,
}

/// The rating of a player without games.
pub const NEW: Rating = Rating { rating: 1500.0, deviation: MAX_DEVIATION, volatility: 0.06 };

impl Rating {
    /// Returns it some days later: the deviation grows from 60 to 110 in a year, and at most to 350.
    pub fn after_days(self, days: f64) -> Self {
        let of_year =
            (110.0_f64.powi(2) - 60.0_f64.powi(2)) * (self.volatility / NEW.volatility).powi(2);
        let deviation = (self.deviation.powi(2) + of_year * days.max(0.0) / 365.0).sqrt();
        Self { deviation: deviation.min(MAX_DEVIATION), ..self }
    }

    /// Returns it after a game against an opponent, with a score of 1, 0.5 or 0. Both ratings are those before
    /// the game.
    pub fn after_game(self, opponent: Self, score: f64) -> Self {
        // Steps 2 to 4.
        let (mu, phi) = ((self.rating - 1500.0) / SCALE, self.deviation / SCALE);
        let (mu_j, phi_j) = ((opponent.rating - 1500.0) / SCALE, opponent.deviation / SCALE);
        let g = 1.0 / (1.0 + 3.0 * phi_j.powi(2) / PI.powi(2)).sqrt();
        let e = 1.0 / (1.0 + (-g * (mu - mu_j)).exp());
        let v = 1.0 / (g.powi(2) * e * (1.0 - e));
        let delta = v * g * (score - e);
        // Steps 5 to 8.
        let volatility = volatility(self.volatility, phi, v, delta);
        let before = phi.powi(2) + volatility.powi(2);
        let phi = 1.0 / (1.0 / before + 1.0 / v).sqrt();
        let mu = mu + phi.powi(2) * g * (score - e);
        Self { rating: SCALE * mu + 1500.0, deviation: SCALE * phi, volatility }
    }
}

/// Returns the new volatility: step 5, the Illinois algorithm.
fn volatility(sigma: f64, phi: f64, v: f64, delta: f64) -> f64 {
    let a = (sigma.powi(2)).ln();
    let f = |x: f64| {
        let spread = phi.powi(2) + v + x.exp();
        x.exp() * (delta.powi(2) - spread) / (2.0 * spread.powi(2)) - (x - a) / TAU.powi(2)
    };
    let mut one = a;
    let mut two = if delta.powi(2) > phi.powi(2) + v {
        (delta.powi(2) - phi.powi(2) - v).ln()
    } else {
        let below = (1..).map(|k| a - f64::from(k) * TAU);
        below.into_iter().find(|x| f(*x) >= 0.0).unwrap_or(a)
    };
    let (mut f_one, mut f_two) = (f(one), f(two));
    while (two - one).abs() > 1e-9 {
        let three = one + (one - two) * f_one / (f_two - f_one);
        let f_three = f(three);
        if f_three * f_two <= 0.0 {
            (one, f_one) = (two, f_two);
        } else {
            f_one /= 2.0;
        }
        (two, f_two) = (three, f_three);
    }
    (one / 2.0).exp()
}
