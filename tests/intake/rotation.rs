//! Revoked reply tokens.

use crate::harness::{ALICE, BOB, InboundMessage, TestEnvironment};

#[test]
fn rotation_revokes_a_players_tokens_at_once() {
    let env = TestEnvironment::new().with_game();
    let (alices, bobs) = (env.last_mail_to(ALICE), env.last_mail_to(BOB));
    env.ok("rotate alice");
    // A message with a revoked token is unverified: alice is asked to confirm it.
    assert_eq!(env.receive(&alices.reply("move 1 f5")), "held");
    assert_eq!(env.receive(&alices.reply("f5").from("mallory@example.org")), "stranger");
    assert_eq!((env.plies(1), env.count("alice mismatch")), (0, 0));
    // The next mail has a new token, and bob's tokens are unchanged.
    assert_eq!(env.receive(&env.last_mail_to(ALICE).reply("yes")), "done");
    assert_eq!(env.plies(1), 1);
    assert_eq!(env.receive(&bobs.reply("show 1")), "done");
    assert_eq!(env.count("bob answer"), 1);
}

#[test]
fn a_confirmation_asked_for_before_a_rotation_is_refused() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(env.receive(&InboundMessage::new(ALICE, "move 1 f5")), "held");
    let asked = env.last_mail_to(ALICE);
    env.ok("rotate alice");
    env.receive(&asked.reply("yes"));
    assert_eq!(env.plies(1), 0);
}

#[test]
fn mail_queued_before_a_rotation_is_sent_with_valid_tokens() {
    let env = TestEnvironment::new().with_game();
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['/missing']");
    env.ok("move 1 f5");
    env.ok("rotate bob");
    env.configure("");
    env.later(60);
    env.ok("send");
    assert_eq!(env.receive(&env.last_mail_to(BOB).reply("d6")), "done");
    assert_eq!(env.plies(1), 2);
}
