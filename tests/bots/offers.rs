//! Answers of computer players to offers.

use super::{events, jobs, with_alice};
use crate::harness::ALICE;
use crate::reliability::state;

#[test]
fn a_draw_is_declined_unless_the_position_is_even_or_worse() {
    let env = with_alice();
    // alice is Black. Her only move does not save the game.
    let lost = "--position '(b -wbw wwww wwww wwww)'";
    env.ok(&format!("new mini alice bot:1 {lost}"));
    let printed = env.ok("draw 1 --as alice");
    assert!(printed.contains("You offered bot:1 a draw in game 1."), "{printed}");
    assert!(printed.contains("bot:1 declines the draw."), "{printed}");
    assert_eq!(events(&env, 1), ["b offer draw", "w decline"]);
    let won = "--position '(b -wbb bbbb bbbb bbbb)'";
    env.ok(&format!("new mini alice bot:1 {won}"));
    env.mails();
    let printed = env.ok("draw 2 --as alice");
    assert!(printed.contains("Result: A draw by agreement"), "{printed}");
    assert_eq!(env.game(2)["result"]["reason"], "agreed");
    assert!(env.mail_to(ALICE).text.contains("by agreement"));
    state::check(&env.database());
}

/// `bot:friend` has not moved yet at the time of the offer.
#[test]
fn a_draw_is_declined_on_turn_unless_the_position_is_even_or_worse() {
    let env = with_alice();
    for (game, won, answer) in
        [(1, "(b -wbb bbbb bbbb bbbb)", "b decline"), (2, "(b -wbw wwww wwww wwww)", "b accept")]
    {
        env.ok(&format!("new mini bot:friend alice --position '{won}'"));
        env.ok(&format!("draw {game} --as alice"));
        env.ok("send");
        assert_eq!(events(&env, game)[..2], ["w offer draw", answer]);
    }
    state::check(&env.database());
}

#[test]
fn a_strong_computer_player_answers_an_offer_before_it_moves() {
    let env = with_alice();
    env.ok("new mini alice bot:friend");
    env.ok("move 1 b1");
    env.ok("draw 1 --as alice");
    assert_eq!(jobs(&env), ["answer 1 1"]);
    env.ok("decline 1 --as alice");
    assert_eq!(jobs(&env), ["move 1 1"], "the offer was withdrawn");
    env.ok("draw 1 --as alice");
    env.ok("send");
    let log = events(&env, 1);
    assert!(log[..4] == ["b b1", "b offer draw", "b decline", "b offer draw"], "{log:?}");
    assert!(log[4] == "w decline" || log[4] == "w accept", "{log:?}");
    assert_eq!(log.len(), if log[4] == "w accept" { 5 } else { 6 }, "{log:?}");
}

#[test]
fn a_pause_and_a_rematch_are_accepted_at_once() {
    let env = with_alice();
    env.ok("new mini alice bot:0 --clock 3d");
    env.mails();
    let printed = env.ok("pause 1 --as alice");
    assert!(printed.contains("bot:0 agrees. The game is paused"), "{printed}");
    assert_eq!(env.game(1)["paused"], true);
    env.no_mail();
    env.ok("unpause 1 --as alice");
    env.ok("move 1 b1");
    assert_eq!(env.plies(1), 2, "it moves");
    env.ok("pause 1 --as alice");
    env.ok("resign 1 --as alice");
    env.fails(1, "unpause 1 --as alice");
    env.mails();
    let printed = env.ok("rematch 1 --as alice");
    assert!(printed.contains("bot:0 accepts the rematch."), "{printed}");
    assert!(printed.contains("Game 2 has begun: bot:0 (black) - alice (white)."), "{printed}");
    assert_eq!(env.plies(2), 1, "it has the first move");
    assert_eq!(events(&env, 1).last().unwrap(), "w accept");
    state::check(&env.database());
}

#[test]
fn a_move_is_taken_back_at_once_even_after_the_reply() {
    let env = with_alice();
    env.ok("new othello alice bot:0");
    env.ok("move 1 d3");
    assert_eq!(env.plies(1), 2);
    let printed = env.ok("takeback 1 --as alice");
    assert!(printed.contains("it is your turn again"), "{printed}");
    assert!(printed.contains("Legal: c4 d3 e6 f5"), "the board is shown: {printed}");
    assert_eq!(env.plies(1), 0);
    assert_eq!(jobs(&env), [""; 0]);
    // The computer player's first move stays.
    env.ok("new othello bot:0 alice");
    assert!(env.fails(1, "takeback 2 --as alice").contains("no move"), "nothing to take back");
}
