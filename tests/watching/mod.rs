//! The commands `watch` and `unwatch`, and the mails to watchers.

use outflank::app::Traits;

use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Mail, Purpose, TestEnvironment, Token, examples,
};

/// Returns an environment with game 1 of alice and bob, which carol may watch.
fn env(settings: &str) -> TestEnvironment {
    let env = TestEnvironment::new().config(settings).with_game();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("--as alice set watchers all");
    env.ok("--as bob set watchers all");
    env.mails();
    env
}

/// Returns an environment where carol watches game 1.
fn watched() -> TestEnvironment {
    let env = env("");
    env.ok("--as carol watch 1");
    env
}

/// Returns the only mail to carol since the last call of `mails`.
#[track_caller]
fn mail_to_carol(env: &TestEnvironment) -> Mail {
    let mut mails: Vec<_> = env.mails().into_iter().filter(|mail| mail.to == CAROL).collect();
    let texts: Vec<_> = mails.iter().map(|mail| &mail.text).collect();
    assert_eq!(mails.len(), 1, "{texts:#?}");
    mails.remove(0)
}

#[test]
fn both_players_must_allow_a_watcher() {
    let env = env("");
    env.ok("--as alice set watchers none");
    let refused = |words: &str| env.fails(1, &format!("--as carol {words}"));
    assert_eq!(
        refused("watch 1"),
        "outflank: alice allows no watchers; alice can allow them with `outflank set watchers all`"
    );
    env.ok("--as alice set watchers all");
    env.ok("--as bob block carol");
    assert_eq!(refused("watch 1"), "outflank: a player of game 1 has blocked you");
    env.ok("--as bob unblock carol");
    assert!(refused("watch 9").contains("there is no game 9"));
    assert_eq!(
        env.fails(1, "--as alice watch 1"),
        "outflank: you play in game 1; its mails come to you anyway"
    );
    assert!(
        env.fails(1, "--as alice unwatch 1").contains("`outflank mute 1` stops its turn mails")
    );
    assert!(env.fails(2, "watch 1").contains("`watch` needs --as NAME"));

    assert_eq!(env.json("--as carol watch 1")["watching"], true);
    env.ok("signup dave dave@example.org");
    for (reader, is_told) in
        [("--as alice", true), ("--as bob", true), ("--as carol", true), ("--as dave", false)]
    {
        let shown = env.ok(&format!("{reader} show 1"));
        assert_eq!(shown.contains("\nWatched by: carol\n"), is_told, "{reader}: {shown}");
    }
    assert_eq!(env.json("--as bob show 1")["watchers"][0], "carol");
    assert!(env.json("--as dave show 1").get("watchers").is_none());
    env.ok("--as alice set watchers none");
    assert!(!env.ok("--as alice show 1").contains("Watched"), "carol watches, but may not");

    env.ok("--as alice set watchers all");
    let others = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
        INSERT INTO player (id, name, address, secret, created_at)
        SELECT 100 + i, 'w' || i, i || '@example.net', randomblob(32), 0 FROM n;
        INSERT INTO watcher (game, player) SELECT 1, id FROM player WHERE id > 100";
    env.sqlite().execute_batch(others).unwrap();
    env.ok("--as carol watch 1");
    assert_eq!(
        env.fails(1, "--as dave watch 1"),
        "outflank: game 1 has 50 watchers; no more can watch it"
    );
    env.ok("--as alice resign 1");
    assert!(refused("watch 1").contains("game 1 is over"));
}

#[test]
fn a_watcher_is_mailed_moves_and_the_end_but_no_words_and_offers() {
    let env = watched();
    env.ok("--as alice say 1 Secret");
    let printed = env.ok("--as alice move 1 f5");
    assert!(printed.ends_with("\nbob was mailed.\n"), "{printed}");
    let mails = env.mails();
    assert_eq!(mails.iter().map(|mail| mail.to.as_str()).collect::<Vec<_>>(), [BOB, CAROL]);
    let mail = &mails[1];
    insta::assert_snapshot!("watched", mail.text);
    assert_eq!(mail.header("Subject"), "Othello #1");
    assert_eq!(mail.header("References"), mails[0].header("References"));
    let html = mail.html().unwrap();
    let links: Vec<_> = html.split("body=").skip(1).map(|it| it.split('"').next()).collect();
    assert_eq!(links, [Some("unwatch%0D%0A")], "{html}");
    let token: Token = mail.token().parse().unwrap();
    assert_eq!(token.claims().purpose, Purpose::Watch);

    // Watchers see no comments, offers, plans or notes of the players.
    env.ok("--as alice note 1 Secret");
    env.ok("--as bob say 1 --now Secret");
    env.ok("--as alice plan 1 d6 c3");
    env.ok("--as bob draw 1");
    env.ok("--as alice decline 1");
    env.ok("--as alice takeback 1");
    assert!(env.mails().iter().all(|mail| mail.to != CAROL));
    env.ok("--as bob accept 1");
    assert!(env.mails().iter().all(|mail| mail.to != CAROL));
    env.ok("--as alice move 1 d3");
    mail_to_carol(&env).says("d3 by alice in game 1");

    env.ok("--as bob say 1 Secret");
    env.ok("--as bob resign 1");
    let over = mail_to_carol(&env);
    insta::assert_snapshot!("over", over.text);
    for (_, mail) in env.all_mails() {
        assert!(mail.to != CAROL || !mail.text.contains("Secret"), "{}", mail.text);
    }
    env.ok("--as bob rematch 1");
    env.ok("--as alice accept 1");
    env.ok("move 2 f5");
    assert!(env.mails().iter().all(|mail| mail.to != CAROL), "the rematch is another game");
}

#[test]
fn a_reply_of_a_watcher_gives_only_commands_for_watchers() {
    let env = env("");
    env.ok("--as carol watch 1");
    env.mails();
    env.ok("move 1 f5");
    let mail = mail_to_carol(&env);
    // A command that makes the engine search is refused in this game whoever gives it, and here
    // `mute` means `unwatch`.
    let is_other = |traits: &Traits| traits.takes_long || traits.word == "mute";
    let is_change = |traits: &Traits| {
        !is_other(traits)
            && (traits.on_page.is_some() || traits.on_own_page || !traits.is_suggested)
    };
    for (traits, example) in examples().into_iter().filter(|(traits, _)| is_change(traits)) {
        env.later(60);
        assert_eq!(env.receive(&mail.reply(&example)), "done", "{example}");
        let reply = mail_to_carol(&env).text;
        let is_refused = reply.contains("you have replied to a mail about a game that you watch");
        assert_eq!(is_refused, !traits.for_watchers, "{example}: {reply}");
    }
    assert_eq!(env.moves(1), ["f5"]);
}

#[test]
fn a_reply_of_a_watcher_reads_and_ends_the_watching() {
    for settings in ["", "[receive]\nplus_addressing = false"] {
        let env = env(settings);
        env.ok(&format!("new othello {CAROL} {BOB}"));
        env.ok("--as carol watch 1");
        env.mails();
        env.ok("move 1 f5");
        let mail = mail_to_carol(&env);
        let reply = |text: &str| {
            env.later(60);
            assert_eq!(env.receive(&mail.reply(text)), "done", "{text}");
            let mut mails = env.mails();
            assert_eq!(mails.len(), 1, "{text}");
            mails.remove(0)
        };
        for words in ["d6", "move 2 f5", "resign 2", "say hello"] {
            let refused = reply(words);
            refused.says("you have replied to a mail about a game that you watch; write this in");
        }
        assert_eq!((env.plies(1), env.plies(2)), (1, 0));
        reply("show").says("Watched by: carol");
        reply("history").says("f5");
        reply("unwatch").says("carol does not watch game 1.");
        env.ok("--as carol watch 1");
        reply("unsubscribe").says("carol does not watch game 1.");
        env.ok("move 1 d6");
        assert_eq!(env.mail().to, ALICE);

        // The button of a mail program.
        env.ok("--as carol watch 1");
        env.ok("move 1 c3");
        let mail = mail_to_carol(&env);
        let link = mail.header("List-Unsubscribe");
        let decoded = link.replace("%2B", "+").replace("%40", "@").replace("%20", " ");
        let (address, subject) = decoded.trim_matches(['<', '>']).split_once('?').unwrap();
        let stop = InboundMessage::new(CAROL, "").to(address.trim_start_matches("mailto:"));
        let subject = subject.trim_start_matches("subject=");
        assert_eq!(env.receive(&stop.subject(subject)), "done");
        env.mail_to(CAROL).says("carol does not watch game 1.");
    }
}

#[test]
fn a_watcher_reads_of_clocks_and_in_the_own_style() {
    let env = env("");
    env.ok("new othello alice bob --clock 3d");
    env.ok("--as carol set style words");
    env.ok("--as carol set timezone Europe/Amsterdam");
    env.ok("--as carol set subject turn");
    env.ok("--as carol watch 2");
    env.mails();
    env.ok("move 2 f5");
    let mail = mail_to_carol(&env);
    mail.says("alice (black) took f5 and flipped 1 disc.")
        .says("bob's time ends on Tuesday, 24 November 2026, 11:00 (Europe/Amsterdam).")
        .says("alice has 3 days left, bob 3 days.");
    assert_eq!(mail.header("Subject"), "Othello #2 (bob's move)");
    assert!(mail.html().unwrap().contains("alice has 3 days left, bob 3 days."));

    env.write_config("[mail]\nfrom = 'outflank@club.example'\n");
    env.ok("--as carol set style compact");
    env.ok("move 2 d6");
    mail_to_carol(&env).says("outflank unwatch 2 --as carol");
    env.ok("--as alice resign 2");
    mail_to_carol(&env).says("outflank analyze 2").says("outflank unwatch 2 --as carol");
}

/// Returns how many mails carol got since the last call of `mails`.
fn mails_to_carol(env: &TestEnvironment) -> usize {
    env.mails().iter().filter(|mail| mail.to == CAROL).count()
}

#[test]
fn the_mails_of_a_watcher_wait_and_are_checked_again() {
    let env = watched();
    env.ok("--as alice set grace 10m");
    env.ok("move 1 f5");
    env.ok("--as alice takeback 1");
    env.later(10);
    env.ok("send");
    assert_eq!(mails_to_carol(&env), 0, "the move was taken back in time");
    env.ok("move 1 d3");
    assert_eq!(mails_to_carol(&env), 0);
    env.later(10);
    env.ok("send");
    mail_to_carol(&env).says("d3 by alice");

    // At the end of the quiet hours, the settings of that moment decide.
    for (stop, resume) in [
        ("--as bob block carol", "--as bob unblock carol"),
        ("--as alice set watchers none", "--as alice set watchers all"),
        ("--as carol unwatch 1", "--as carol watch 1"),
        ("--as carol set mail none", "--as carol set mail each"),
    ] {
        env.ok("--as carol set quiet 09:00-21:00");
        env.ok("--as alice set grace off");
        env.ok(&format!("move 1 {}", env.legal(1)));
        assert_eq!(env.count("carol watched queued"), 1);
        env.ok(stop);
        env.later(11 * 60);
        env.ok("send");
        assert_eq!(mails_to_carol(&env), 0, "{stop}");
        env.ok("--as carol set quiet off");
        env.ok(&format!("move 1 {}", env.legal(1)));
        assert_eq!(mails_to_carol(&env), 0, "{stop}");
        env.ok(resume);
        env.ok(&format!("move 1 {}", env.legal(1)));
        assert_eq!(mails_to_carol(&env), 1, "{resume}");
        env.later(13 * 60 - 10);
    }
    env.ok("--as carol away 2026-11-26 2026-11-27");
    env.later(24 * 60);
    env.ok(&format!("move 1 {}", env.legal(1)));
    assert_eq!(mails_to_carol(&env), 0, "carol is away");
    env.later(2 * 24 * 60);
    env.ok("send");
    mail_to_carol(&env).says("You are watching this game.");
    env.ok("--as carol set mail none");
    env.ok("--as alice resign 1");
    mail_to_carol(&env).says("bob (white) wins: alice (black) resigned.");
}

#[test]
fn the_end_of_a_game_that_is_no_longer_watched_is_not_mailed() {
    for stop in ["--as carol unwatch 1", "--as alice set watchers none"] {
        let env = watched();
        env.ok("--as carol set quiet 09:00-21:00");
        env.ok("--as bob resign 1");
        assert_eq!(env.count("carol watched-over queued"), 1);
        env.ok(stop);
        env.later(11 * 60);
        env.ok("send");
        assert_eq!(mails_to_carol(&env), 0, "{stop}");
    }
}

#[test]
fn a_mail_to_a_watcher_is_queued_only_if_both_players_allow_it() {
    for color in ["alice", "bob"] {
        let env = watched();
        env.ok(&format!("--as {color} set watchers none"));
        env.ok("move 1 f5");
        env.ok("--as bob resign 1");
        assert_eq!(env.count("carol"), 0, "{color} allows no watchers");
    }
}

/// The test environment begins at 10:00.
#[test]
fn an_end_that_is_annulled_before_its_mail_goes_is_told_once() {
    let env = watched();
    env.ok("--as carol set quiet 09:00-12:00");
    env.ok("--as alice resign 1");
    env.ok("annul 1");
    env.later(3 * 60);
    env.ok("send");
    mail_to_carol(&env).says("Annulled by the host.");
}

#[test]
fn a_digest_has_the_moves_of_watched_games() {
    let env = watched();
    env.ok("--as carol set mail digest 18:00");
    env.ok(&format!("new othello {BOB} {CAROL}"));
    env.ok("move 2 f5");
    env.ok("move 1 f5");
    env.later(60);
    env.ok("move 1 d6");
    env.ok("--as alice draw 1");
    env.mails();
    env.later(7 * 60);
    env.ok("send");
    let digest = env.mail_to(CAROL);
    insta::assert_snapshot!("digest", digest.text);
    assert_eq!(digest.header("Subject"), "1 game waits for you");
    let html = digest.html().unwrap();
    assert!(html.contains("You are watching it. It is alice's turn (black)."), "{html}");
    assert_eq!(env.receive(&digest.reply("move 1 c3\nmove 2 d6")), "done");
    assert_eq!((env.plies(1), env.plies(2)), (2, 2));
    env.mails();

    env.later(60);
    env.ok("move 1 c3");
    env.ok("--as alice set watchers none");
    env.later(23 * 60);
    env.ok("send");
    assert_eq!(mails_to_carol(&env), 0, "alice allows it no more");
    env.ok("--as alice set watchers all");
    env.later(60);
    env.ok("move 1 d3");
    env.later(23 * 60);
    env.ok("send");
    let digest = mail_to_carol(&env);
    assert_eq!(digest.header("Subject"), "Moves in 1 game that you are watching");
    digest.says("There are moves in 1 game that you are watching. ----");
    // The end is mailed at once, and nothing waits for the next digest.
    env.later(60);
    env.ok("move 1 c4");
    env.ok("--as alice resign 1");
    mail_to_carol(&env).says("bob (white) wins");
    env.later(24 * 60);
    env.ok("send");
    assert_eq!(mails_to_carol(&env), 0);
}

#[test]
fn the_first_analysis_is_mailed_to_those_who_watch() {
    let env = watched();
    env.ok("signup dave dave@example.org");
    env.ok("--as dave watch 1");
    env.ok("move 1 f5");
    env.ok("move 1 f4");
    env.ok("--as alice resign 1");
    env.mails();
    env.ok("--as dave analyze 1");
    let mail = env.mail_to(CAROL);
    mail.says("The analysis of game 1:").says("Reply ‹unwatch› to get no more mails");
    assert!(mail.html().unwrap().contains("<table class=\"rows stacked\""));
    env.ok("analyze 1 --depth 1");
    env.no_mail();
}

#[test]
fn watchers_of_a_game_against_a_computer_player_see_its_answers() {
    let env = TestEnvironment::new();
    env.ok(&format!("new othello {ALICE} bot:1"));
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("--as alice set watchers all");
    env.ok("--as carol watch 1");
    env.mails();
    env.ok("move 1 f5");
    mail_to_carol(&env).says("by bot:1 in game 1.");
}
