//! Games that are annulled after their end, and the ratings that follow from that.

use super::{club, next_day, rows, start};
use crate::reliability::state;

#[test]
fn the_ratings_after_an_annulled_game_are_calculated_again() {
    let mut club = club();
    for (game, players) in (1..).zip(["ann ben", "ben cat", "cat ann", "ann dan", "dan ben"]) {
        start(&mut club, players, "");
        let (_, loser) = players.split_once(' ').unwrap();
        next_day(&mut club, Some(loser), &format!("resign {game}"));
    }
    let pending = "SELECT game FROM recalculation";
    // Nothing follows the last game.
    next_day(&mut club, None, "annul 5 --reason cheating");
    assert_eq!(rows(&club, pending), [0; 0]);
    next_day(&mut club, None, "annul 3");
    assert_eq!(rows(&club, pending), [3]);
    // Recalculation begins at the earliest annulled game, and includes games that end meanwhile.
    next_day(&mut club, None, "annul 1");
    start(&mut club, "ben ann", "");
    next_day(&mut club, Some("ann"), "resign 6");
    assert_eq!(rows(&club, pending), [1]);
    next_day(&mut club, None, "send");
    assert_eq!(rows(&club, pending), [0; 0]);
    assert_eq!(rows(&club, "SELECT DISTINCT game FROM rating ORDER BY game"), [2, 4, 6]);
    for annulled in ["annul 1", "forfeit 2 ben"] {
        let error = club.run(None, annulled).unwrap_err().to_string();
        assert!(error.contains("is over"), "{error}");
    }
    state::check(&club.database());
}
