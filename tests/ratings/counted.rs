//! The choice and the order of the rated games.

use outflank_model::log::Reason;

use super::{club, last_game, next_day, rows, start};

/// Returns the rated games in the order of their ends.
const RATED: &str = "SELECT DISTINCT game FROM rating ORDER BY ended_at, game";

#[test]
fn games_of_two_people_count_however_they_end() {
    let mut club = club();
    start(&mut club, "ann ben", "");
    next_day(&mut club, Some("ben"), "resign 1");
    start(&mut club, "ben cat", "");
    club.run(Some("ben"), "draw 2").unwrap();
    next_day(&mut club, Some("cat"), "accept 2");
    start(&mut club, "cat ann", "");
    next_day(&mut club, None, "forfeit 3 ann");
    start(&mut club, "ann cat", "--clock 1d --flag claim");
    club.later(chrono::TimeDelta::days(2));
    next_day(&mut club, None, "send");
    next_day(&mut club, Some("cat"), "claim 4");
    // A rematch of a rated game, on another board, and to its last move.
    club.ok("new mini ann ben --rated");
    club.ok("move 5 b1 a1 c4 d4 d3 b4 a4 c1 d1 d2 a3 a2");
    club.run(Some("ann"), "rematch 5").unwrap();
    club.run(Some("ben"), "accept 5").unwrap();
    club.ok("move 6 b1 a1 c4 d4 d3");
    next_day(&mut club, Some("ann"), "resign 6");
    assert_eq!(rows(&club, RATED), [1, 2, 3, 4, 5, 6]);
    assert_eq!(rows(&club, "SELECT count(DISTINCT list) FROM rating"), [2]);

    // None of these counts.
    club.ok("new othello ann ben --moves f5d6c3d3");
    next_day(&mut club, None, "forfeit 7 ann");
    club.ok("new othello ann ben --rated");
    club.ok("move 8 f5 d6 c3");
    next_day(&mut club, Some("ben"), "resign 8");
    start(&mut club, "ann ben", "");
    next_day(&mut club, None, "annul 9");
    club.ok("new othello ann ben --rated");
    next_day(&mut club, Some("ann"), "abort 10");
    // A move that was taken back does not count.
    club.ok("new othello ann ben --rated");
    club.ok("move 11 f5 d6 c3 d3");
    club.run(Some("ben"), "takeback 11").unwrap();
    club.run(Some("ann"), "accept 11").unwrap();
    next_day(&mut club, Some("ben"), "resign 11");
    assert_eq!(last_game(&club), 11);
    assert_eq!(rows(&club, RATED), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn automatic_passes_are_not_moves_that_a_player_made() {
    let mut club = club();
    // Ben makes one move here, and passes automatically.
    for game in 1..=2 {
        club.ok("new othello ann ben --size 3x4 --clock 3d --rated");
        club.ok(&format!("move {game} a1 a2 a3"));
    }
    next_day(&mut club, Some("ben"), "resign 1");
    assert!(rows(&club, RATED).is_empty());
    let turns = "SELECT timed_turns FROM player WHERE name IN ('ann', 'ben') ORDER BY name";
    assert_eq!(rows(&club, turns), [2, 1]);
    // Here he only passes, so that he can still abort.
    club.ok("new othello ann ben --position '(b -wb --- -wb --- -wb)' --moves a1a3");
    club.run(Some("ben"), "abort 3").unwrap();
    next_day(&mut club, Some("ann"), "leave --yes");
    let reason = club.game(&club.store(), 2).game.outcome().map(|outcome| outcome.reason);
    assert_eq!(reason, Some(Reason::Annulled));
}

#[test]
fn games_are_rated_at_their_ends() {
    let mut club = club();
    // Game 1 ends on time while nothing runs; the time that ran out is recorded after the ends of others.
    start(&mut club, "ann ben", "--clock 2d --flag hard");
    start(&mut club, "ben cat", "");
    start(&mut club, "cat dan", "");
    start(&mut club, "dan ann", "");
    club.later(chrono::TimeDelta::days(3));
    club.keep_watch();
    // These end in the same second.
    club.run(Some("dan"), "resign 4").unwrap();
    club.run(Some("ben"), "resign 2").unwrap();
    next_day(&mut club, Some("cat"), "resign 3");
    assert_eq!(rows(&club, RATED), [2, 4, 3]);
    next_day(&mut club, None, "send");
    assert_eq!(rows(&club, RATED), [1, 2, 4, 3]);
}
