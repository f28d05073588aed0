//! Games as visitors see them.

use outflank::app::{Kind, LiveGame};
use similar_asserts::assert_eq;

use super::{app, env, own_token, tables, visit};
use crate::harness::{Purpose, TestEnvironment};

/// Returns game 1 as this player sees it.
fn seen_by(env: &TestEnvironment, player: &str) -> LiveGame {
    let visit = visit(env, &env.token(Purpose::Page, player, 1, 0));
    app(env).visited_game(&visit).unwrap().0
}

/// Returns the commands that this player can give in game 1.
fn possible(env: &TestEnvironment, player: &str) -> String {
    seen_by(env, player).possible.join(" ")
}

#[test]
fn a_page_offers_what_would_not_be_refused() {
    let env = env();
    assert_eq!(possible(&env, "alice"), "resign draw say note abort mute");
    assert_eq!(possible(&env, "bob"), "resign plan draw say note abort mute");
    env.ok("move 1 f5");
    env.ok("--as bob mute 1");
    assert_eq!(possible(&env, "alice"), "resign plan takeback draw say note mute");
    assert_eq!(possible(&env, "bob"), "resign draw say note abort unmute");
    env.ok("--as bob draw 1");
    assert_eq!(possible(&env, "alice"), "resign plan draw accept decline say note mute");
    assert_eq!(possible(&env, "bob"), "resign decline say note abort unmute");
    env.ok("--as alice accept 1");
    assert_eq!(possible(&env, "alice"), "rematch say note hint analyze");
    env.later(31 * 24 * 60);
    assert_eq!(possible(&env, "alice"), "");
}

#[test]
fn a_look_at_a_page_changes_nothing() {
    let env = env();
    env.ok("move 1 f5");
    let sqlite = env.sqlite();
    let version = || sqlite.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0));
    let before = (tables(&env), version().unwrap());
    for player in ["alice", "bob"] {
        assert!(!possible(&env, player).is_empty());
    }
    assert_eq!((tables(&env), version().unwrap()), before);
}

#[test]
fn a_watcher_sees_the_board_but_no_words_offers_or_commands() {
    let env = env();
    env.ok("--as alice say 1 Secret");
    env.ok("--as alice note 1 Mine");
    env.ok("move 1 f5");
    env.ok("--as bob plan 1 off");
    env.ok("--as alice plan 1 d6 c3");
    env.ok("--as bob draw 1");
    let alice = seen_by(&env, "alice");
    assert_eq!(alice.own, [true, false]);
    assert_eq!(alice.words, ["| alice: Secret"]);
    assert_eq!(alice.offer.as_deref(), Some("bob offers a draw in this game."));
    assert_eq!(alice.game.events().len(), env.stored(1).game.events().len());

    let carols = visit(&env, &env.token(Purpose::Board, "carol", 1, 0));
    for onlooker in
        [app(&env).visited_game(&carols).unwrap().0, app(&env).shown_game(alice.id, None).unwrap()]
    {
        assert_eq!(onlooker.own, [false; 2]);
        assert_eq!((onlooker.words.len(), onlooker.possible.len()), (0, 0));
        assert_eq!((onlooker.offer, onlooker.offered_by), (None, None));
        assert_eq!(onlooker.game.position(), alice.game.position());
        assert_eq!((onlooker.title, onlooker.names), (alice.title.clone(), alice.names.clone()));
    }
    let missing = app(&env).shown_game(outflank_model::log::GameId(9), None).unwrap_err();
    assert_eq!(missing.kind(), Kind::Refused);
}

#[test]
fn only_the_player_sees_notes_and_plan() {
    let env = env();
    env.ok("move 1 f5");
    env.ok("--as alice note 1 keep a1");
    env.ok("--as alice plan 1 d6 c3");
    let notes = |purpose, player| {
        app(&env).visited_game(&visit(&env, &env.token(purpose, player, 1, 0))).unwrap().1
    };
    let alices = notes(Purpose::Page, "alice");
    assert_eq!((alices.notes, alices.plan.as_deref()), (vec!["keep a1".to_owned()], Some("d6 c3")));
    for other in [notes(Purpose::Page, "bob"), notes(Purpose::Board, "carol")] {
        assert_eq!((other.notes.len(), other.plan), (0, None));
    }
}

#[test]
fn the_link_to_a_players_own_page_opens_no_game() {
    let env = env();
    let own = visit(&env, &own_token(&env, "alice"));
    assert_eq!(app(&env).visited_game(&own).unwrap_err().kind(), Kind::Refused);
}
