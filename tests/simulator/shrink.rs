//! The shortest trail that still shows a violation.

use std::path::Path;
use std::time::{Duration, Instant};

use super::step::Step;
use super::{Outcome, repeat, twins};

/// Leaves out steps as long as the same thing is violated, for at most this time. Returns the shortest trail.
pub fn shortest(outcome: &Outcome, limit: Duration, program: Option<&Path>) -> Vec<Step> {
    let Some(violation) = &outcome.violation else { return Vec::new() };
    let begun = Instant::now();
    let still_shows = |trail: &[Step]| {
        let (again, trail) = if violation.of == twins::OF {
            (twins::plans_are_hidden(trail).err(), trail.to_vec())
        } else {
            let again = repeat(trail, program);
            (again.violation, again.trail)
        };
        again.is_some_and(|it| it.of == violation.of).then_some(trail)
    };
    let mut trail = outcome.trail.clone();
    let mut part = trail.len() / 2;
    while part > 0 {
        let mut from = 0;
        while from < trail.len() && begun.elapsed() < limit {
            let until = (from + part).min(trail.len());
            let without = [&trail[..from], &trail[until..]].concat();
            match still_shows(&without) {
                Some(shorter) => trail = shorter,
                None => from = until,
            }
        }
        part /= 2;
    }
    trail
}
