//! The limit on mails that a player can cause for another one: five in a sliding day.

use super::club;
use crate::harness::{BOB, TestEnvironment};

const DAY: i64 = 24 * 60;

/// Returns the texts of the mails to bob since the last call.
fn to_bob(env: &TestEnvironment) -> Vec<String> {
    let mails = env.mails();
    mails.into_iter().filter(|mail| mail.to == BOB).map(|mail| mail.text).collect()
}

#[test]
fn a_new_member_causes_five_mails_a_day_to_somebody_and_one_with_the_rest() {
    let env = club();
    // Two finished games allow a rematch and comments.
    for game in 1..=2 {
        env.ok("new mini alice bob");
        env.ok(&format!("resign {game} --as alice"));
    }
    env.later(DAY);
    env.mails();
    env.ok("challenge bob --as alice");
    env.ok("say 3 Hello! --as alice");
    env.ok("decline 3 --as alice");
    env.ok("rematch 1 --as alice");
    env.ok("say 1 Again? --as alice");
    assert_eq!(to_bob(&env).len(), 5);
    env.ok("decline 1 --as alice");
    env.ok("rematch 2 --as alice");
    for number in 4..=6 {
        env.ok("challenge bob mini --as alice");
        env.ok(&format!("decline {number} --as alice"));
    }
    env.ok("challenge bob --as alice");
    for say in ["say 7 Hello? --as alice", "say 2 Hello? --as alice"] {
        let line = env.fails(1, say);
        assert!(
            line.contains("limit of 5 mails a day to bob reached; try again tomorrow"),
            "{line}"
        );
    }
    assert_eq!(to_bob(&env), [""; 0]);
    env.later(DAY - 1);
    env.ok("send");
    assert_eq!(to_bob(&env), [""; 0]);
    env.later(1);
    env.ok("send");
    let [rest] = &to_bob(&env)[..] else { panic!("not one mail") };
    for text in ["alice offers a rematch", "alice withdrew the challenge", "accept 7"] {
        assert!(rest.contains(text), "{text}: {rest}");
    }
    // The mails of the day before expire one by one, and other players are not affected.
    env.ok("challenge bob --as carol");
    env.ok("decline 7 --as alice");
    assert_eq!(to_bob(&env).len(), 2);
}

#[test]
fn mails_of_games_do_not_count_and_a_block_ends_what_waits() {
    let env = club();
    env.ok("new othello alice bob");
    for _ in 0..2 {
        env.ok("draw 1 --as alice");
        env.ok("decline 1 --as bob");
    }
    env.ok("move 1 f5");
    for number in 2..=4 {
        env.ok("challenge bob --as alice");
        env.ok(&format!("decline {number} --as alice"));
    }
    // The start, two offers and the turn belong to the game; opponents have no limit.
    assert_eq!(to_bob(&env).len(), 4 + 6);
    env.ok("resign 1 --as alice");
    for number in 5..=7 {
        env.ok("challenge bob --as alice");
        env.ok(&format!("decline {number} --as alice"));
    }
    assert_eq!(to_bob(&env).len(), 1 + 5);
    env.ok("block alice --as bob");
    env.later(DAY);
    env.ok("send");
    assert_eq!(to_bob(&env), [""; 0]);
}

#[test]
fn what_waits_in_quiet_hours_counts_when_it_goes() {
    let env = club();
    env.ok("set quiet 09:00-20:00 --as bob");
    for number in 1..=2 {
        env.ok("challenge bob --as alice");
        env.ok(&format!("say {number} Hello! --as alice"));
    }
    env.ok("challenge bob --as alice");
    env.ok("challenge bob mini --as alice");
    assert!(env.fails(1, "say 4 Hello! --as alice").contains("limit of 5 mails a day to bob"));
    env.later(10 * 60);
    env.ok("send");
    assert_eq!(to_bob(&env).len(), 5);
    env.ok("set quiet off --as bob");
    env.later(14 * 60);
    env.ok("send");
    assert_eq!(to_bob(&env), [""; 0], "a day after the command, but not after the five");
    env.later(10 * 60);
    env.ok("send");
    assert_eq!(to_bob(&env).len(), 1);
}

#[test]
fn nobody_is_asked_who_has_blocked_the_player_and_the_reply_says_who_reads_it_later() {
    let env = club();
    env.ok("new mini alice bob");
    env.ok("resign 1 --as bob");
    env.ok("block alice --as bob");
    assert!(env.fails(1, "rematch 1 --as alice").contains("bob has blocked you"));
    // A rematch that the other one offers can be accepted.
    env.ok("rematch 1 --as bob");
    env.ok("accept 1 --as alice");

    env.ok("away 2026-11-22 2026-11-25 --as carol");
    env.later(DAY);
    let made = env.ok("challenge carol --as alice");
    assert!(made.contains("carol is away until"), "{made}");
    env.sqlite().execute("UPDATE player SET paused_at = 0 WHERE name = 'carol'", []).unwrap();
    let made = env.ok("challenge carol --as bob");
    assert!(made.contains("Mail to carol fails at present"), "{made}");
}

#[test]
fn a_list_shows_offers_to_those_who_play_and_to_the_host() {
    let env = club();
    env.ok("new mini alice bob");
    env.ok("draw 1 --as alice");
    for (reader, shown) in
        [(" --as bob", true), (" --as alice", true), ("", true), (" --as carol", false)]
    {
        let listed = env.json(&format!("games alice{reader}"));
        assert_eq!(!listed["games"][0]["offer"].is_null(), shown, "{reader}");
        assert_eq!(env.ok(&format!("games alice{reader}")).contains("offers a draw"), shown);
    }
}
