//! Commands of visitors.

use outflank::app::{Error, Kind, Reply, Visit};
use outflank_model::log::{Action, GameId};
use similar_asserts::assert_eq;

use super::{app, env, own_token, tables, visit};
use crate::harness::{ALICE, Purpose, TestEnvironment, examples};

/// Runs a line on a page that shows the game as it stands.
fn run(env: &TestEnvironment, player: &str, line: &str) -> Result<Reply, Error> {
    run_at(env, player, line, &env.history(1))
}

/// Runs a line on a page that showed this history.
fn run_at(env: &TestEnvironment, player: &str, line: &str, known: &str) -> Result<Reply, Error> {
    let visit = visit(env, &env.token(Purpose::Page, player, 1, 0));
    app(env).run_for(&visit, line, known)
}

/// Returns the history on the page of the challenge that a line is about; empty if it is about none.
fn challenge_history(env: &TestEnvironment, visit: &Visit, line: &str) -> String {
    let histories = app(env).desk(visit, None).unwrap().open.into_iter();
    let mut found = histories.filter(|it| line.ends_with(&format!(" {}", it.id)));
    found.next().map(|it| it.history).unwrap_or_default()
}

/// Runs a line on the player's own page.
fn run_own(env: &TestEnvironment, player: &str, line: &str) -> Result<Reply, Error> {
    let visit = visit(env, &own_token(env, player));
    let known = challenge_history(env, &visit, line);
    app(env).run_for(&visit, line, &known)
}

#[test]
fn a_stale_page_changes_nothing() {
    let env = env();
    let shown = &env.history(1);
    let reply = run_at(&env, "alice", "f5", shown).unwrap();
    assert_eq!(reply.mails.len(), 2, "bob and carol are mailed");
    let before = tables(&env);
    // Lines sent again by a double click, another tab or the back button.
    for line in ["f5", "move 1 f5", "d3", "resign", "say hello", "mute", "leave --yes", "show"] {
        for known in [shown, "", "0", "another"] {
            let stale = run_at(&env, "alice", line, known).unwrap_err();
            assert_eq!(stale.kind(), Kind::Stale, "{line}: {stale}");
        }
    }
    assert_eq!((env.moves(1), tables(&env)), (vec!["f5".to_owned()], before));
    run(&env, "bob", "d6").unwrap();
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn a_player_acts_only_as_the_one_of_the_link() {
    let env = env();
    let refused = run(&env, "bob", "f5").unwrap_err();
    assert_eq!(refused.kind(), Kind::Refused);
    assert!(refused.to_string().contains("it is alice's turn in game 1"), "{refused}");
    run(&env, "bob", "resign").unwrap();
    assert!(env.ok("show 1").contains("Result: alice (black) wins"), "{}", env.ok("show 1"));
}

#[test]
fn a_page_runs_only_the_commands_that_have_a_place_there() {
    let env = env();
    let is_here = |ran: Result<Reply, Error>| {
        ran.err().is_none_or(|error| !error.to_string().ends_with("cannot be used on this page"))
    };
    for (traits, example) in examples() {
        let on_page = run(&env, "alice", &example);
        let on_own_page = run_own(&env, "alice", &example);
        assert_eq!(is_here(on_page), traits.on_page.is_some(), "{example}");
        assert_eq!(is_here(on_own_page), traits.on_own_page, "{example}");
    }
}

#[test]
fn every_command_of_the_page_of_a_game_can_be_given() {
    let env = env();
    for (player, line) in [
        ("alice", "note keep a1"),
        ("alice", "f5"),
        ("alice", "plan d6 c3"),
        ("alice", "plan off"),
        ("alice", "say hello"),
        ("bob", "mute"),
        ("bob", "unmute"),
        ("bob", "move d6"),
        ("bob", "takeback"),
        ("alice", "decline"),
        ("alice", "draw"),
        ("bob", "decline"),
        ("bob", "draw"),
        ("alice", "accept"),
        ("alice", "analyze"),
        ("bob", "hint 1#1"),
        ("alice", "rematch"),
        ("bob", "accept"),
    ] {
        run(&env, player, line).unwrap_or_else(|error| panic!("{player}: {line}: {error}"));
    }
    assert_eq!(env.moves(2), [""; 0]);
}

#[test]
fn the_page_of_a_game_accepts_no_other_lines() {
    let env = env();
    env.ok("new mini alice bob");
    let history = &env.history(1);
    let before = tables(&env);
    for line in [
        "",
        " ",
        "\n",
        "stop",
        "yes",
        "show",
        "history",
        "games",
        "help",
        "players",
        "page",
        "leave --yes",
        "set mail none",
        "set address mallory@evil.example",
        "receipt on",
        "away 2026-12-01 2026-12-05",
        "block bob",
        "watch 2",
        "challenge bob",
        "signup mallory",
        "address alice mallory@evil.example",
        "rotate alice",
        "new mini alice bob",
        "move 2 a2",
        "2 a2",
        "resign 2",
        "note",
        "say",
        "mute 2",
        "resign --as bob",
        "--as bob resign",
        "resign; draw",
        "resign\ndraw",
        "d9",
    ] {
        match run_at(&env, "alice", line, history) {
            // Without words, `note` shows the notes.
            Ok(_) => assert_eq!(line, "note"),
            Err(error) => assert_eq!(error.kind(), Kind::Refused, "{line}: {error}"),
        }
    }
    let carol = visit(&env, &env.token(Purpose::Board, "carol", 1, 0));
    for line in ["f5", "say hello", "unwatch", "show"] {
        let refused = app(&env).run_for(&carol, line, history).unwrap_err();
        assert_eq!(refused.kind(), Kind::Refused, "{line}");
    }
    assert_eq!(tables(&env), before);
}

#[test]
fn words_are_passed_on_as_they_are_but_without_links() {
    let env = env();
    let token = env.token(Purpose::Page, "alice", 1, 0);
    let link = format!("https://club.example/othello/play/{token}");
    run(&env, "alice", "say 2 --now \"is nice\".\n\nresign\n--help").unwrap();
    run(&env, "alice", "note 13 is -- a number!").unwrap();
    run(&env, "alice", &format!("say Look: {link} and {}.", link.to_uppercase())).unwrap();
    let game = env.stored(1).game;
    let said = game.events().iter().map(|event| match &event.action {
        Action::Say(text) | Action::Note(text) => text.clone(),
        other => panic!("{other:?}"),
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "2 --now \"is nice\".\n\nresign\n--help",
            "13 is -- a number!",
            "Look: https://club.example/othello/play/... and HTTPS://CLUB.EXAMPLE/OTHELLO/PLAY/....",
        ]
    );
    let long = format!("say {}", "word ".repeat(900));
    assert!(run(&env, "alice", &long).unwrap_err().to_string().contains("4000 at most"));
}

#[test]
fn a_players_own_page_changes_settings_but_neither_the_address_nor_the_membership() {
    let env = env();
    env.ok("--as bob challenge alice mini");
    env.ok("--as bob draw 1");
    run_own(&env, "alice", "set quiet 22:00-07:00").unwrap();
    run_own(&env, "alice", "receipt on").unwrap();
    assert!(env.ok("--as alice set quiet").contains("quiet: 22:00-07:00"));
    let before = tables(&env);
    for line in [
        "set address mallory@evil.example",
        "set Address mallory@evil.example",
        "set address",
        "set",
        "leave",
        "leave --yes",
        "page",
        "f5",
        "move 1 f5",
        "resign 1",
        "say 1 hello",
        // The page did not show the offer of a draw.
        "accept 1",
        "decline 1",
        "accept 9",
        "games",
        "",
    ] {
        let refused = run_own(&env, "alice", line).unwrap_err();
        assert_eq!(refused.kind(), Kind::Refused, "{line}: {refused}");
    }
    assert_eq!(tables(&env), before);
    run_own(&env, "alice", "accept 2").unwrap();
    assert_eq!(env.moves(2), [""; 0]);
}

#[test]
fn a_players_own_page_lists_games_challenges_and_settings() {
    let env = env();
    env.ok("--as bob challenge alice mini");
    env.ok("new mini carol bob");
    let own = visit(&env, &own_token(&env, "alice"));
    let desk = app(&env).desk(&own, None).unwrap();
    let text = format!("{:?} {:?} {:?}", desk.games, desk.challenges, desk.settings);
    assert!(text.contains("1 game waits for you.") && text.contains("bob"), "{text}");
    assert!(!text.contains(ALICE), "a page shows no address: {text}");
    let [(game, _)] = desk.boards[..] else { panic!("{:?}", desk.boards) };
    assert_eq!((game, desk.players), (GameId(1), vec!["bob".to_owned(), "carol".to_owned()]));
    let of_game = |visit: &Visit, game| app(&env).visit_of_game(visit.clone(), game).unwrap();
    let opened = of_game(&own, game).unwrap();
    assert_eq!((opened.game, of_game(&own, GameId(3))), (Some(game), None));
    assert_eq!(app(&env).desk(&opened, None).unwrap_err().kind(), Kind::Refused);
    // The token of a game opens neither this page nor another game.
    let on_a_game = visit(&env, &env.token(Purpose::Page, "alice", 1, 0));
    assert_eq!(app(&env).desk(&on_a_game, None).unwrap_err().kind(), Kind::Refused);
    assert_eq!(of_game(&on_a_game, game), None);
}

#[test]
fn a_command_on_a_page_is_a_sign_of_life() {
    let env = env();
    let sql = "UPDATE player SET failures = 1 WHERE name = 'alice'";
    env.sqlite().execute(sql, []).unwrap();
    run(&env, "alice", "f5").unwrap();
    let sql = "SELECT failures FROM player WHERE name = 'alice'";
    let failures: u32 = env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(failures, 0);
}

/// The time of the player to move ends while the page is open.
#[test]
fn a_flag_that_has_fallen_is_recorded_though_the_move_is_refused() {
    let env = env();
    env.ok("new mini alice bob --clock 1d --flag hard");
    let known = env.history(2);
    let token = env.token(Purpose::Page, "alice", 2, 0);
    env.later(3 * 24 * 60);
    let refused = app(&env).run_for(&visit(&env, &token), "a2", &known).unwrap_err();
    assert_eq!(refused.kind(), Kind::Refused);
    assert!(env.stored(2).game.outcome().is_some(), "{refused}");
}
