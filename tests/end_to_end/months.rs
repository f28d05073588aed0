//! Games that last months, through real mail servers.

use super::inbox::Inbox;
use super::mail_host::MailHost;
use super::mail_program::reply;
use crate::harness::Mail;

const DAY: i64 = 24 * 60;

fn only(inbox: &mut Inbox) -> Mail {
    inbox.expect(1).remove(0)
}

#[test]
fn plans_words_takebacks_reminders_claims_and_digests_arrive() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    let (mut alice, mut bob) = (host.inbox("alice"), host.inbox("bob"));
    let answer = |mail: &Mail, player: &str, text: &str| {
        host.send(&reply(mail, &format!("{player}@local.test"), text));
        host.settle();
    };
    env.ok("new othello alice@local.test bob@local.test --clock 3d");
    let (begun, waits) = (only(&mut alice), only(&mut bob));

    // A plan replies in the transaction of the move, and the comment below the move is sent along.
    answer(&waits, "bob", "plan f5 d6 c3 d3");
    only(&mut bob).says("`- f5: d6").says("`- c3: d3");
    answer(&begun, "alice", "f5\nsay Good luck, Bob!\n\n-- \nAlice of the club");
    let turn = only(&mut alice);
    turn.says("Your turn, alice (d6 by bob)").says("1.f5 2.d6");
    let mail = only(&mut bob);
    mail.says("Your plan replied for you: 2.d6.").says("| alice: Good luck, Bob!");
    assert!(!mail.text.contains("of the club"), "{}", mail.text);
    assert_eq!(env.moves(1), ["f5", "d6"]);

    // A reply to a mail from before a takeback is outdated, even if the number of moves is the same.
    answer(&mail, "bob", "takeback");
    only(&mut bob).says("alice was asked");
    let asked = only(&mut alice);
    asked.says("bob asks to take back 2.d6.");
    answer(&asked, "alice", "accept");
    only(&mut alice).says("You let bob take back 2.d6 in this game.");
    // One mail reports that the takeback was accepted, another that the plan was deleted.
    let back = bob.expect(2);
    assert!(back.iter().any(|mail| mail.text.starts_with("Your plan for this game was deleted")));
    let agreed = back.iter().find(|mail| mail.text.starts_with("alice agreed")).unwrap();
    answer(agreed, "bob", "f4");
    only(&mut alice).says("Your turn, alice (f4 by bob)");
    answer(&turn, "alice", "c3");
    only(&mut alice)
        .says("bob has taken back d6, so your c3 was not made. This is the position now.");
    assert_eq!(env.moves(1), ["f5", "f4"]);

    // Alice's time runs out.
    env.later(5 * DAY / 2);
    env.ok("send");
    only(&mut alice).says("left in game 1 against bob.").says("Your time ends on");
    env.later(DAY);
    env.ok("send");
    only(&mut alice);
    let over = only(&mut bob);
    over.says("Reply ‹claim›");
    answer(&over, "bob", "claim");
    only(&mut bob).says("You won: alice (black) did not move in time.");
    only(&mut alice).says("You lost: you did not move in time.");
    assert_eq!(env.game(1)["result"]["reason"], "claimed");

    // One mail a day lists all waiting games.
    env.ok("set mail digest 18:00 --as bob");
    for game in [2, 3] {
        env.ok("new othello alice bob");
        alice.expect(1);
        bob.expect(1);
        env.ok(&format!("move {game} f5"));
    }
    env.later(DAY);
    env.ok("send");
    let digest = only(&mut bob);
    digest.says("2 games wait for you").says("Game 2").says("Game 3");
    answer(&digest, "bob", "d6");
    only(&mut bob).says("game 2 against alice: write ‹move 2 d6›").says("game 3 against");
    answer(&digest, "bob", "move 3 d6");
    only(&mut alice).says("Your turn, alice (d6 by bob)");
    assert_eq!((env.plies(2), env.plies(3)), (1, 2));
}
