//! Limits on challenges: the allowed recipients, and the number a day.

use super::club;
use crate::harness::TestEnvironment;

/// Runs a challenge by alice, which must be refused for this reason.
#[track_caller]
fn refused(env: &TestEnvironment, to: &str, why: &str) {
    let line = env.fails(1, &format!("challenge {to} --as alice"));
    assert!(line.contains(why), "{line}");
}

/// Ends a game of alice, so that she counts as experienced.
fn finish_a_game(env: &TestEnvironment) {
    env.ok("new mini alice carol");
    env.ok("resign 1 --as carol");
}

#[test]
fn players_choose_whether_they_are_challenged() {
    let env = club();
    env.ok("new mini bob carol");
    env.ok("set challenges 2 --as bob");
    env.ok("challenge bob --as alice");
    refused(&env, "bob", "bob takes no challenges now");
    // The player's own challenges count, but are not limited by it.
    env.ok("decline 2 --as alice");
    env.ok("challenge anyone --as bob");
    env.ok("challenge carol --as bob");
    refused(&env, "bob", "bob takes no challenges now");
    env.ok("set challenges off --as carol");
    refused(&env, "carol", "carol takes no challenges now");
    env.ok("set challenges 20 --as carol");
    env.ok("block alice --as carol");
    refused(&env, "carol", "carol has blocked you");
    for bad in ["0", "1001", "many"] {
        let line = env.fails(1, &format!("set challenges {bad} --as bob"));
        assert!(line.contains("challenges is a number from 1 to 1000, or off"), "{line}");
    }
}

#[test]
fn a_player_makes_few_challenges() {
    let env = club();
    for _ in 0..5 {
        env.ok("challenge bot:0 mini --as alice");
    }
    refused(&env, "bob", "limit of 5 challenges a day until you have finished a game reached");
    env.later(24 * 60);
    env.ok("challenge bob mini --as alice");

    let env = club();
    finish_a_game(&env);
    for _ in 0..10 {
        env.ok("challenge anyone --as alice");
    }
    refused(&env, "bob", "you have 10 open challenges, which is the limit");
    for game in 2..12 {
        env.ok(&format!("decline {game} --as alice"));
        env.ok("challenge anyone --as alice");
    }
    env.ok("decline 12 --as alice");
    refused(&env, "bob", "limit of 20 challenges a day reached");
}

#[test]
fn a_player_who_has_declined_is_challenged_once_a_week() {
    let env = club();
    env.ok("challenge bob --as alice");
    env.ok("decline 1 --as bob");
    refused(&env, "bob", "bob has declined a challenge of yours; try again after Saturday, 28 Nov");
    env.later(7 * 24 * 60);
    env.ok("challenge bob --as alice");
    env.ok("decline 2 --as alice");
    refused(&env, "bob", "bob has declined a challenge of yours");
    env.later(7 * 24 * 60);
    env.ok("challenge bob --as alice");
    env.ok("accept 3 --as bob");
    env.ok("challenge bob --as alice");
    env.ok("challenge alice --as bob");
    // The last answer counts, whichever challenge it was to.
    env.ok("challenge bob --as alice");
    env.ok("accept 6 --as bob");
    env.later(1);
    env.ok("decline 4 --as bob");
    refused(&env, "bob", "bob has declined a challenge of yours");
}
