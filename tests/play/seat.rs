//! Who plays at a board, and what is possible there.

use super::{USER, first_legal, run, take, think};
use crate::harness::TestEnvironment;

#[test]
fn a_game_against_the_computer_is_played_to_its_end() {
    let env = TestEnvironment::new();
    let (mut seat, id) = take(&env, "--variant mini", None, USER).unwrap();
    let mut polling = seat.another().unwrap();
    loop {
        think(&mut seat, id);
        assert!(polling.has_changed().unwrap());
        assert!(!polling.has_changed().unwrap());
        let live = seat.game(id).unwrap();
        if live.game.turn().is_none() {
            break;
        }
        assert_eq!((live.own, live.bots), ([true, false], [false, true]));
        run(&mut seat, &live, &first_legal(&live)).unwrap();
    }
    let live = seat.game(id).unwrap();
    assert_eq!(live.names, ["ann", "bot:novice"]);
    assert_eq!(live.title, "Mini Othello");
    assert!(live.result.is_some());
    assert_eq!(live.possible, ["rematch", "analyze"]);
}
