//! The visitor of a token, and how long the token is valid.

use outflank::app::{Kind, Link, Visit};
use outflank::command::PlayerRef;
use outflank_model::log::GameId;
use similar_asserts::assert_eq;

use super::{WEB, app, env, knowing, own_token, tables, visit};
use crate::harness::{ALICE, CAROL, InboundMessage, Purpose, STRANGER, TestEnvironment};

const PURPOSES: [Purpose; 12] = [
    Purpose::Play,
    Purpose::Digest,
    Purpose::Unsubscribe,
    Purpose::Bounce,
    Purpose::Confirm,
    Purpose::Join,
    Purpose::Challenge,
    Purpose::Watch,
    Purpose::Page,
    Purpose::Board,
    Purpose::Desk,
    Purpose::Calendar,
];
const OF_PAGES: [Purpose; 3] = [Purpose::Page, Purpose::Board, Purpose::Desk];

#[test]
fn a_token_opens_only_what_it_is_for() {
    let env = env();
    let mut app = app(&env);
    let now = Some(env.now().timestamp().unsigned_abs());
    for (player, purpose) in
        ["alice", "carol"].map(|it| PURPOSES.map(|purpose| (it, purpose))).as_flattened()
    {
        let expected = match (*player, purpose) {
            ("alice", Purpose::Page) => Some(Link::Play),
            ("carol", Purpose::Board) => Some(Link::Watch),
            (_, Purpose::Desk) => Some(Link::Me),
            (_, Purpose::Calendar) => Some(Link::Calendar),
            _ => None,
        };
        for token in
            [knowing(&env, *purpose, player, 1, now), knowing(&env, *purpose, player, 1, None)]
        {
            let expected = expected.filter(|link| *link != Link::Me || token.len() > 30);
            for token in [token.clone(), token.to_uppercase()] {
                let visit = app.visit(&token).unwrap();
                assert_eq!(visit.map(|visit| visit.kind), expected, "{player} {purpose:?}");
                let stops = app.unsubscription(&token).unwrap().is_some();
                assert_eq!(stops, *purpose == Purpose::Unsubscribe, "{player} {purpose:?}");
            }
        }
    }
    let token = env.token(Purpose::Page, "alice", 1, 0);
    let alice = PlayerRef::Name("alice".to_owned());
    let expected =
        Visit { kind: Link::Play, player: alice, game: Some(GameId(1)), is_read_only: false };
    assert_eq!(app.visit(&token).unwrap(), Some(expected));
    // A token of a missing game is invalid.
    for purpose in OF_PAGES {
        let token = env.token(purpose, "alice", 7, 0);
        assert_eq!(app.visit(&token).unwrap(), None, "{purpose:?}");
    }
}

#[test]
fn a_mail_with_the_token_of_a_page_is_not_verified_by_it() {
    for settings in ["", "[receive]\ntoken_only = true", "[receive]\nplus_addressing = false"] {
        let env = TestEnvironment::new().config(&format!("{WEB}\n{settings}")).with_game();
        for token in OF_PAGES.map(|purpose| env.token(purpose, "alice", 1, 0)) {
            env.later(60);
            let to = format!("outflank+{token}@club.example");
            let text = format!("move 1 f5\n\nReply token: {token}");
            let mail = InboundMessage::new(ALICE, &text).to(&to);
            assert_eq!(env.receive(&mail), "held", "{settings}");
            assert_eq!(env.receive(&mail.from(STRANGER).id("<other@x>")), "stranger", "{settings}");
        }
        assert_eq!(env.plies(1), 0);
    }
}

/// A reply quotes the link of the mail.
#[test]
fn a_reply_that_quotes_a_link_is_verified_by_its_reply_token() {
    let env = TestEnvironment::new()
        .config(&format!("{WEB}\n[receive]\nplus_addressing = false\ntoken_only = true"))
        .with_game();
    let mail = env.last_mail_to(ALICE);
    let quoted = format!("f5\n\nSaturday, the server wrote:\n{}", mail.quoted());
    assert_eq!(env.receive(&InboundMessage::new(ALICE, &quoted)), "done");
    assert_eq!(env.plies(1), 1);
}

#[test]
fn a_cut_or_altered_token_opens_nothing() {
    let env = env();
    let mut app = app(&env);
    for token in [env.token(Purpose::Page, "alice", 1, 0), own_token(&env, "alice")] {
        assert!(app.visit(&token).unwrap().is_some());
        for at in 0..token.len() {
            let next = if token.as_bytes()[at] == b'a' { "b" } else { "a" };
            let mut altered = token.clone();
            altered.replace_range(at..=at, next);
            for wrong in [&altered, &token[..at], &token[at + 1..], &format!("{token}{next}")] {
                assert_eq!(app.visit(wrong).unwrap(), None, "{wrong}");
                assert_eq!(app.unsubscription(wrong).unwrap(), None, "{wrong}");
            }
        }
        for wrong in
            [format!(" {token}"), format!("{token}/"), format!("{token}\0"), "\u{e9}".repeat(30)]
        {
            assert_eq!(app.visit(&wrong).unwrap(), None, "{wrong:?}");
        }
    }
}

#[test]
fn a_rotation_and_leaving_revoke_the_links_of_a_player() {
    let env = env();
    let token = |player, purpose| env.token(purpose, player, 1, 0);
    let alices = [token("alice", Purpose::Page), own_token(&env, "alice")];
    let (bobs, carols) = (token("bob", Purpose::Page), token("carol", Purpose::Board));
    let stop = token("alice", Purpose::Unsubscribe);
    env.ok("rotate alice");
    let mut app = app(&env);
    for token in &alices {
        assert_eq!(app.visit(token).unwrap(), None);
    }
    assert_eq!(app.unsubscription(&stop).unwrap(), None);
    assert!(app.visit(&bobs).unwrap().is_some() && app.visit(&carols).unwrap().is_some());
    env.ok("--as bob leave --yes");
    assert_eq!(app.visit(&bobs).unwrap(), None);
}

#[test]
fn the_link_to_a_players_own_page_is_valid_for_30_days() {
    const DAYS: i64 = 30 * 24 * 60 * 60;
    let env = env();
    let token = own_token(&env, "alice");
    env.later_seconds(DAYS - 1);
    assert!(app(&env).visit(&token).unwrap().is_some());
    env.later_seconds(1);
    assert_eq!(app(&env).visit(&token).unwrap(), None);
}

#[test]
fn a_page_is_read_only_30_days_after_the_end() {
    const DAYS: i64 = 30 * 24 * 60 * 60;
    let env = env();
    let token = env.token(Purpose::Page, "alice", 1, 0);
    env.later_seconds(2 * DAYS);
    assert!(!visit(&env, &token).is_read_only, "the game is not over");
    env.ok("--as bob resign 1");
    env.later_seconds(DAYS - 1);
    // A comment after the end does not extend the time.
    env.ok("--as bob say 1 Well played");
    let history = &env.history(1);
    let late = visit(&env, &token);
    assert!(!late.is_read_only);
    app(&env).run_for(&late, "note Not yet", history).unwrap();
    env.later_seconds(1);
    let too_late = visit(&env, &token);
    assert!(too_late.is_read_only);
    let before = tables(&env);
    for line in ["say Hello", "rematch", "mute", "analyze"] {
        let refused = app(&env).run_for(&too_late, line, history).unwrap_err();
        assert_eq!(refused.kind(), Kind::Refused, "{line}");
        assert!(refused.to_string().contains("ended more than 30 days ago"), "{refused}");
    }
    assert_eq!(tables(&env), before);
}

#[test]
fn the_page_of_a_watcher_ends_with_the_watching() {
    let env = env();
    let token = env.token(Purpose::Board, "carol", 1, 0);
    let is_open = || app(&env).visit(&token).unwrap().is_some();
    assert!(visit(&env, &token).is_read_only);
    for (ends, begins) in [
        ("--as carol unwatch 1", "--as carol watch 1"),
        ("--as alice set watchers none", "--as alice set watchers all"),
        ("--as bob block carol", "--as bob unblock carol"),
    ] {
        assert!(is_open(), "{ends}");
        env.ok(ends);
        assert!(!is_open(), "{ends}");
        env.ok(begins);
    }
    env.ok("--as alice resign 1");
    assert!(is_open(), "the end of the game does not end the watching");
    assert_eq!(env.mails_to(CAROL).len(), 1);
}
