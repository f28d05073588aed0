//! Fixed seeds, and what the simulator says of itself.

use super::step::Step;
use super::{repeat, simulate};

/// Checks that a world from this seed shows no violation, and is the same the second time.
fn check(seed: u64, steps: usize) {
    let outcome = simulate(seed, steps, None);
    if let Some(violation) = &outcome.violation {
        let trail: Vec<_> = outcome.trail.iter().map(Step::to_string).collect();
        panic!("seed {seed}: {violation}\n{}", trail.join("\n"));
    }
    assert_eq!(simulate(seed, steps, None).hash, outcome.hash, "seed {seed}");
}

#[test]
fn nothing_is_violated_in_the_first_world() {
    check(1, 400);
}

#[test]
fn nothing_is_violated_in_the_second_world() {
    check(2, 400);
}

#[test]
fn a_trail_is_text_that_can_be_repeated() {
    let outcome = simulate(3, 60, None);
    let lines = outcome.trail.iter().map(Step::to_string);
    let trail: Vec<Step> = lines.map(|line| line.parse().unwrap()).collect();
    assert_eq!(trail, outcome.trail);
    assert_eq!(repeat(&trail).hash, outcome.hash);
}
