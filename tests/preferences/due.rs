//! The times of mails: quiet hours, grace, digests, no turn mails.

use std::collections::HashSet;

use crate::harness::{ALICE, BOB, CAROL, InboundMessage, TestEnvironment};
use crate::mails::wrapped::check;

/// An hour in minutes.
const HOUR: i64 = 60;

/// Returns an environment with game 1 at 10:00 UTC.
fn env() -> TestEnvironment {
    TestEnvironment::new().with_game()
}

#[test]
fn mail_waits_for_the_end_of_quiet_hours() {
    let env = env();
    env.ok("--as bob set timezone Europe/Amsterdam");
    env.ok("--as bob set quiet 22:00-07:00");
    env.later(11 * HOUR);
    // It is 22:00 in Amsterdam.
    let printed = env.ok("move 1 f5");
    assert!(
        printed.ends_with("\nbob will be mailed later.\n\n") || printed.ends_with("later.\n"),
        "{printed}"
    );
    env.ok("send");
    env.no_mail();
    env.later(9 * HOUR - 1);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    env.mail_to(BOB).says("Your turn, bob (f5 by alice).");
}

#[test]
fn answers_are_never_held_back() {
    let env = env();
    let start = env.last_mail_to(BOB);
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("--as bob set receipt on");
    env.ok("move 1 f5");
    env.no_mail();
    // A reply, a receipt by mail and by command, and a confirmation.
    assert_eq!(env.receive(&start.reply("show")), "done");
    env.mail_to(BOB).says("Reply to ‹show›");
    assert_eq!(env.receive(&start.reply("d6#2")), "done");
    let mails = env.mails();
    assert_eq!(mails.iter().map(|mail| mail.to.as_str()).collect::<Vec<_>>(), [ALICE, BOB]);
    mails[1].says("You have moved in game 1, bob.");
    assert_eq!(env.receive(&InboundMessage::new(BOB, "resign 1")), "held");
    env.mail_to(BOB).says("Was it you?");
}

#[test]
fn the_mail_about_the_end_waits_too() {
    let env = env();
    env.ok("--as bob set quiet 09:00-21:00");
    env.ok("--as alice resign 1");
    env.mail_to(ALICE).says("You lost");
    env.later(11 * HOUR);
    env.ok("send");
    env.mail_to(BOB).says("You won");
}

#[test]
fn with_grace_the_opponent_is_mailed_later() {
    let env = env();
    env.ok("--as alice set grace 10m");
    env.ok("move 1 f5");
    env.no_mail();
    assert_eq!(env.outbox().last().unwrap(), "bob turn queued");
    env.later(9);
    env.ok("send");
    env.no_mail();
    env.later(1);
    env.ok("send");
    env.mail_to(BOB);
    // bob has set no grace, so his moves are mailed at once. The end is also mailed at once.
    env.ok("move 1 d6");
    env.mail_to(ALICE);
    env.ok("--as alice resign 1");
    assert_eq!(env.mails().len(), 2);
}

#[test]
fn a_move_can_be_taken_back_while_its_mail_waits() {
    for setting in [
        "--as alice set grace 10m",
        "--as bob set quiet 09:00-21:00",
        "--as bob set mail digest 18:00",
    ] {
        let env = env();
        env.ok(setting);
        env.ok("move 1 f5");
        env.ok("--as alice takeback 1");
        assert_eq!(env.plies(1), 0, "{setting}");
        env.mails();
        env.ok("move 1 d3");
        env.later(12 * HOUR);
        env.ok("send");
        env.mails();
        env.ok("--as alice takeback 1");
        assert_eq!(env.plies(1), 1, "bob has been mailed: {setting}");
        env.mails();
    }
}

#[test]
fn turn_mails_can_be_turned_off() {
    let env = env();
    env.ok("--as bob set mail none");
    env.ok("move 1 f5");
    env.no_mail();
    env.ok("move 1 d6 c3");
    env.no_mail();
    env.ok("--as alice resign 1");
    assert_eq!(env.mails().len(), 2, "the mails about the end");
    env.ok(&format!("new mini {ALICE} {BOB}"));
    assert_eq!(env.mails().len(), 2, "the mails about a new game");
}

/// Returns an environment with three games and a digest for bob at 18:00.
fn with_digest(settings: &str) -> TestEnvironment {
    let env = env().config(settings);
    env.ok("--as bob set mail digest 18:00");
    env.ok(&format!("new mini {ALICE} {BOB}"));
    env.ok(&format!("new othello {CAROL} {BOB}"));
    env.mails();
    env
}

#[test]
fn a_digest_is_one_mail_with_every_game_that_waits() {
    let env = with_digest("");
    env.ok("move 3 f5");
    env.later(HOUR);
    env.ok("move 1 f5");
    env.later(HOUR);
    env.ok("move 2 b1");
    env.ok("send");
    env.no_mail();
    env.later(6 * HOUR);
    env.run_at_once(&vec!["send".to_owned(); 12]).into_iter().for_each(|ran| drop(ran.ok()));
    let digest = env.mail_to(BOB);
    assert!(digest.text.starts_with("3 games wait for you, bob, the most urgent first."));
    insta::assert_snapshot!("digest", digest.text);
    check(&mut HashSet::new(), &digest.text);
    assert_eq!(digest.header("Subject"), "3 games wait for you");
    let place = |game: &str| digest.text.find(game).unwrap_or_else(|| panic!("{}", digest.text));
    assert!(place("Game 3 against carol (f5 by carol).") < place("Game 1 against alice"));
    assert!(place("Game 1 against alice") < place("Game 2 against alice (b1 by alice)."));
    for words in ["Rules: 4 rows", "example ‹move 1 d6#2›", "example ‹move 3 d6#2›"] {
        digest.says(words);
    }
    let html = digest.html().unwrap();
    assert!(html.matches("body=").count() > 8, "{html}");
    assert_eq!(env.outbox().iter().filter(|mail| mail.contains("digest")).count(), 1);
    assert_eq!(env.count("bob turn superseded"), 3);

    // No game is new, so there is no digest on the next day.
    env.later(24 * HOUR);
    env.ok("send");
    env.no_mail();

    // A comment below a move belongs to the same game.
    assert_eq!(env.receive(&digest.reply("say hello")), "done");
    env.mail_to(BOB).says("your mail does not name the game in which you speak");
    assert_eq!(env.receive(&digest.reply("2 a1\nsay Good luck!")), "done");
    env.mail_to(ALICE).says("Your turn, alice (a1 by bob).").says("| bob: Good luck!");
    env.ok("takeback 2 --as bob");
    env.mails();
    env.ok("accept 2 --as alice");
    env.mails();

    // A reply must name a game. A bare move is answered with the list.
    assert_eq!(env.receive(&digest.reply("move 1 d6\n3 d6")), "done");
    assert_eq!((env.plies(1), env.plies(3), env.plies(2)), (2, 2, 1));
    env.mails();
    assert_eq!(env.receive(&digest.reply("a1")), "done");
    let asked = env.mail_to(BOB);
    asked.says("does not name the game of your move, so nothing was done. It is legal in:");
    asked.says("- game 2 against alice: write ‹move 2 a1›");
    assert_eq!(env.receive(&digest.reply("h8")), "done");
    env.mail_to(BOB).says("so nothing was done. It is legal in no game that waits for you.");
    for _ in 0..20 {
        env.ok("new mini bob alice");
    }
    env.mails();
    assert_eq!(env.receive(&digest.reply("h8").id("again@example.org")), "done");
    env.mail_to(BOB).says("It is legal in no game among your 20 most urgent ones.");
    assert_eq!(env.plies(2), 1);
}

#[test]
fn a_digest_waits_for_the_end_of_quiet_hours() {
    let env = with_digest("");
    env.ok("--as bob set quiet 17:00-20:00");
    env.ok("move 1 f5");
    env.later(9 * HOUR);
    env.ok("send");
    env.no_mail();
    // It is written at the end of the quiet hours, so it includes this move.
    env.ok("move 3 f5");
    env.later(HOUR);
    env.ok("send");
    env.mail_to(BOB).says("2 games wait for you");
}

#[test]
fn a_link_in_a_digest_moves_in_its_game() {
    let env = with_digest("");
    env.ok("move 1 f5");
    env.ok("move 3 f5");
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    let html = digest.html().unwrap();
    let links = html.split("href=\"mailto:").skip(1).map(|link| link.split('"').next().unwrap());
    let links: Vec<_> = links.filter(|link| link.ends_with("body=d6%0D%0A")).collect();
    assert_eq!(links.len(), 2, "one for each game: {html}");
    let address = links[1].split('?').next().unwrap().replace("%2B", "+").replace("%40", "@");
    assert_eq!(env.receive(&InboundMessage::new(BOB, "d6").to(&address)), "done");
    assert_eq!((env.plies(1), env.plies(3)), (1, 2));
}

#[test]
fn a_mail_with_tokens_of_several_games_has_no_game() {
    let env = with_digest("[receive]\nplus_addressing = false");
    env.ok("move 1 f5");
    env.ok("move 3 f5");
    let of = |game: i64| env.token(crate::harness::Purpose::Play, "bob", game, 1);
    let text = format!("d6\n\n> Reply token: {}\n> Reply token: {}", of(1), of(3));
    assert_eq!(env.receive(&InboundMessage::new(BOB, &text)), "done");
    assert_eq!((env.plies(1), env.plies(3)), (1, 1));
    env.last_mail_to(BOB).says("does not name the game of your move");
    let text = format!("d6\n\n> Reply token: {}", of(3));
    assert_eq!(env.receive(&InboundMessage::new(BOB, &text)), "done");
    assert_eq!((env.plies(1), env.plies(3)), (1, 2));
    env.mails();
}

#[test]
fn a_game_that_no_longer_waits_is_not_in_the_digest() {
    let env = with_digest("");
    env.ok("move 1 f5");
    env.ok("move 3 f5");
    env.ok("move 3 d6");
    env.mails();
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    assert!(digest.text.starts_with("1 game waits for you, bob.\n"), "{}", digest.text);
    assert!(!digest.text.contains("Game 3"), "{}", digest.text);
}

#[test]
fn turn_mails_are_sent_when_digests_are_turned_off() {
    let env = with_digest("");
    env.ok("move 1 f5");
    env.ok("move 3 f5");
    env.no_mail();
    env.ok("--as bob set mail each");
    env.ok("send");
    assert_eq!(env.mails().len(), 2);
    env.ok("--as bob set mail digest 09:00");
    env.ok("move 2 b1");
    env.ok("--as bob set mail digest 11:00");
    env.later(HOUR);
    env.ok("send");
    env.mail_to(BOB).says("3 games wait for you");
    env.ok("--as bob set mail none");
    env.ok("move 3 d6 c3");
    env.ok("send");
    env.no_mail();
}

#[test]
fn a_digest_of_many_games_fits_into_a_mail() {
    let env = env();
    env.ok("--as bob set mail digest 18:00");
    for _ in 0..14 {
        env.ok(&format!("new othello {ALICE} {BOB} --moves f5d6"));
    }
    for game in 2..16 {
        env.ok(&format!("move {game} c3"));
        let words = "I shall be away for some days. ".repeat(8);
        env.ok(&format!("--as alice say {game} {words}Bye-{game}"));
    }
    env.mails();
    env.later(8 * HOUR);
    env.ok("send");
    let digest = env.mail_to(BOB);
    digest
        .says("14 games wait for you")
        .says("Bye-11")
        .says("Boards that did not fit here: those of 12, 13, 14 and 15.");
    // With less detail, the HTML part has as many.
    let html = digest.html().unwrap();
    assert!(html.contains("Bye-11"), "{html}");
    assert!(html.contains("those of 12, 13, 14 and 15."), "{html}");
    assert_eq!(digest.text.matches("\nGame ").count(), 14 + 10);
    assert!(digest.raw.len() < 102_000, "{}", digest.raw.len());
}
