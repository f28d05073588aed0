//! Codes that are taken back.

use crate::club::{ALICE, BOB, Club, Mail};

#[test]
fn rotated_codes_are_worthless_at_once() {
    let club = Club::new();
    let (alices, bobs) = (club.letter(ALICE), club.letter(BOB));
    club.house.done(&["rotate", "alice"]);
    // A mail that still has one is a mail without one: alice is asked whether it is hers.
    assert_eq!(club.receive(&alices.reply(ALICE, "move 1 f5")), "held");
    assert_eq!(club.receive(&alices.reply("mallory@example.org", "f5")), "stranger");
    assert_eq!((club.plies(1), club.count("alice imposter")), (0, 0));
    // The next mail has a new one, and nobody else's has changed.
    assert_eq!(club.receive(&club.reply(ALICE, "f5")), "done");
    assert_eq!(club.receive(&bobs.reply(BOB, "show 1")), "done");
    assert_eq!(club.count("bob answer"), 1);
}

#[test]
fn what_is_asked_cannot_be_confirmed_once_codes_are_rotated() {
    let club = Club::new();
    assert_eq!(club.receive(&Mail::new(ALICE, crate::club::OUTFLANK, "move 1 f5")), "held");
    let asked = club.letter(ALICE);
    club.house.done(&["rotate", "alice"]);
    club.receive(&asked.reply(ALICE, "yes"));
    assert_eq!(club.plies(1), 0);
}

#[test]
fn what_waits_in_the_outbox_goes_out_with_codes_that_hold() {
    let club = Club::new();
    club.configure("[transport]\nkind = 'sendmail'\ncommand = ['/missing']");
    club.house.done(&["move", "1", "f5"]);
    club.house.done(&["rotate", "bob"]);
    club.configure("");
    club.house.wait(3600);
    club.house.done(&["send"]);
    assert_eq!(club.receive(&club.reply(BOB, "d6")), "done");
    assert_eq!(club.plies(1), 2);
}
