//! The limit on mails that unverified mail can cause for a mailbox: three in a sliding day.

use crate::harness::{ALICE, CAROL, InboundMessage, TestEnvironment};

const DAY: i64 = 24 * 60;
const DMARC: &str = "mx.club.example; dmarc=pass header.from=example.org";

/// Returns how many mails went to a mailbox, however its address is written.
fn mailed(env: &TestEnvironment, name: &str) -> usize {
    let mails = env.mails();
    mails.iter().filter(|mail| mail.to.to_lowercase().starts_with(name)).count()
}

#[test]
fn forged_mail_causes_three_mails_a_day_to_a_mailbox() {
    let env = TestEnvironment::new().with_game();
    let turn = env.last_mail_to(ALICE);
    env.mails();
    let mut number = 0;
    let mut attack = || {
        for from in [CAROL, "carol+1@example.org", "Carol+x@Example.org"] {
            for text in ["help", "signup", "signup anna"] {
                number += 1;
                env.receive(&InboundMessage::new(from, &format!("{text}{number}")));
            }
        }
        for text in ["move 1 f5", "show 1", "challenge bob", "set mail none", "hello", "leave"] {
            env.receive(&InboundMessage::new(ALICE, text));
        }
        for from in ["mallory@example.org", "eve@example.org", "mallory+2@example.org"] {
            env.receive(&turn.reply("f5").from(from));
        }
    };
    for _ in 0..3 {
        attack();
        env.later(DAY / 3 - 1);
    }
    assert_eq!((mailed(&env, "carol"), mailed(&env, "alice")), (3, 0));
    assert_eq!(env.mails_to(ALICE).len(), 1 + 3);
    env.later(3);
    attack();
    assert_eq!((env.mails_to(ALICE).len(), mailed(&env, "carol")), (1 + 3 + 3, 3));
    // Forged mail does not consume the player's own quota.
    assert_eq!(env.receive(&turn.reply("show 1")), "done");
    assert_eq!(mailed(&env, "alice"), 1);
}

#[test]
fn a_no_ends_the_questions_for_thirty_days_but_not_what_is_verified() {
    let settings = "[receive]\nauthserv_id = \"mx.club.example\"";
    for (name, address, text) in [("carol", CAROL, "signup carol"), ("alice", ALICE, "move 1 f5")] {
        let env = TestEnvironment::new().config(settings).with_game();
        let turn = env.last_mail_to(ALICE);
        env.mails();
        assert_eq!(env.receive(&InboundMessage::new(address, text)), "held");
        assert_eq!(env.receive(&env.mail_to(address).reply("no")), "done");
        env.later(29 * DAY);
        env.mails();
        for text in [text, "help", "show 1"] {
            env.receive(&InboundMessage::new(address, text));
        }
        env.receive(&turn.reply("f5").from("mallory@example.org"));
        assert_eq!(mailed(&env, name), 0, "{name}");

        let verified = if name == "alice" { "show 1" } else { text };
        let verified = InboundMessage::new(address, verified).and("Authentication-Results", DMARC);
        env.receive(&verified);
        assert_eq!(mailed(&env, name), 1, "{name}");
        env.later(2 * DAY);
        assert_eq!(
            env.receive(&InboundMessage::new(address, "receipt on")),
            match name {
                "alice" => "held",
                _ => "stranger",
            }
        );
        env.ok(&format!("signup dora {}", address.replace(name, "dora")));
    }
    // The host needs no consent.
    let env = TestEnvironment::new().with_game();
    env.receive(&InboundMessage::new(CAROL, "signup carol"));
    env.mails();
    env.receive(&env.last_mail_to(CAROL).reply("no"));
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("new othello carol bob");
    assert_eq!(mailed(&env, "carol"), 1);
}

#[test]
fn a_new_address_is_asked_within_the_quota_of_its_owner() {
    let env = TestEnvironment::new().with_game();
    let ask = |name: &str| {
        env.mails();
        env.ok(&format!("set address {CAROL} --as {name}"));
        let asked = env.mails().pop().unwrap();
        env.receive(&asked.reply("yes"));
    };
    for _ in 0..3 {
        env.receive(&InboundMessage::new(CAROL, "help"));
    }
    env.mails();
    ask("bob");
    assert_eq!(env.mails_to(CAROL).len(), 3);
    env.later(DAY);
    ask("bob");
    assert_eq!(env.mails_to(CAROL).len(), 4);
    env.receive(&env.last_mail_to(CAROL).reply("no"));
    env.later(DAY);
    ask("alice");
    assert_eq!(env.mails_to(CAROL).len(), 4, "the owner has said no");
}
