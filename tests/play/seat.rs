//! The players at a board, and the choice of the game.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use outflank::app::{Block, Meter, Searched, Seat, Typed};
use outflank::command::PlayerRef;
use outflank_model::log::GameId;

use super::{USER, finish, ok, opener, play, run, take, texts, think};
use crate::harness::{ALICE, TestEnvironment};
use crate::reliability::state;

/// Returns the name of the player with the black discs in a game that `play` opens for this user.
fn black(env: &TestEnvironment, words: &str, user: (u32, &str)) -> String {
    let (mut seat, id) = take(env, words, None, user).unwrap();
    let [black, _] = seat.game(id).unwrap().names;
    black
}

/// Returns the error of `play`, with its hint.
#[track_caller]
fn refused(env: &TestEnvironment, words: &str, named: Option<&str>) -> String {
    match take(env, words, named, USER) {
        Ok((_, id)) => panic!("{words}: game {id} was opened"),
        Err(error) => format!("{error}; {}", error.hint().unwrap_or_default()),
    }
}

/// Returns the number of players.
fn players(env: &TestEnvironment) -> usize {
    env.json("players")["players"].as_array().unwrap().len()
}

#[test]
fn a_game_against_the_computer_is_played_to_its_end() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "--variant mini");
    let live = seat.game(id).unwrap();
    assert_eq!(live.names, ["ann", "bot:novice"]);
    assert_eq!((live.own, live.bots), ([true, false], [false, true]));
    assert_eq!(live.title, "Mini Othello");
    let mut other = seat.another().unwrap();
    other.has_changed().unwrap();
    assert!(!other.has_changed().unwrap());
    let live = finish(&mut seat, id);
    assert!(other.has_changed().unwrap());
    assert!(!other.has_changed().unwrap());
    assert!(live.result.is_some());
    state::check(&env.database());
}

#[test]
fn each_user_of_the_system_is_a_player() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup carol {ALICE}"));
    let mails = env.outbox();
    for (user, name) in [
        ((1000, "ann"), "ann"),
        ((1001, "ben"), "ben"),
        // Another machine may give the same name to another user.
        ((1002, "ann"), "ann2"),
        ((1003, "carol"), "carol2"),
        ((1004, "play"), "play2"),
        ((1005, "d3"), "d3_2"),
        ((1006, "ann marie"), "annmarie"),
        ((1007, "42"), "player2"),
        ((1008, "\u{e9}"), "player3"),
    ] {
        assert_eq!(black(&env, "", user), name, "{user:?}");
        assert_eq!(black(&env, "--new", user), name, "{user:?}");
    }
    assert_eq!(env.outbox(), mails);
    // A player who has left cannot play again, and nobody else gets the name.
    env.ok("leave --yes --as ann");
    assert_eq!(black(&env, "", (1000, "ann")), "ann3");
    state::check(&env.database());
}

#[test]
fn the_player_of_a_user_is_the_one_named_last() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    let (mut seat, id) = take(&env, "", Some("alice"), USER).unwrap();
    assert_eq!(seat.game(id).unwrap().names, ["alice", "bot:novice"]);
    assert_eq!(black(&env, "", USER), "alice");
    assert_eq!(players(&env), 1);
    let unknown = refused(&env, "", Some("zed"));
    assert!(unknown.contains("there is no player \"zed\"; leave out --as"), "{unknown}");
    assert_eq!(black(&env, "", USER), "alice");
    // Over ssh nobody is stored, since all players are the same user there.
    env.ok("signup bob --no-mail");
    let bob = PlayerRef::Name("bob".to_owned());
    let (mut seat, id) = Seat::take_over_ssh(opener(&env), &bob).unwrap();
    assert_eq!(seat.game(id).unwrap().names, ["bob", "bot:novice"]);
    assert_eq!(black(&env, "", USER), "alice");
}

#[test]
fn play_continues_the_newest_game_that_is_meant() {
    let env = TestEnvironment::new();
    let number = |words: &str| play(&env, words).1.0;
    for (words, game) in [
        ("", 1),
        ("", 1),
        ("--new", 2),
        ("bot:1", 3),
        ("", 3),
        ("bot:novice", 2),
        ("bot:1 --variant mini", 4),
        ("bot:1", 3),
        ("--variant mini", 5),
        ("bot:1 --size 4x4", 4),
        ("bot:1 --white", 6),
        ("bot:1 --white", 6),
        ("bot:1", 6),
        ("--moves c4", 7),
        ("--moves c4", 8),
        ("cid ben", 9),
        ("ben cid", 10),
        ("cid ben", 9),
        ("cid ben --variant mini", 11),
        ("cid ben --new", 12),
        ("cid ben", 12),
        ("", 8),
        ("2", 2),
    ] {
        assert_eq!(number(words), game, "play {words}");
    }
    // A game that has ended is not continued, nor one that `play` has not begun.
    env.ok("resign 8 --as ann");
    env.ok("new othello ann bot:novice");
    assert_eq!(number(""), 7);
    assert_eq!(players(&env), 3);
}

#[test]
fn variants_and_levels_are_words_behind_play() {
    let env = TestEnvironment::new();
    let opened = |words: &str| {
        let (mut seat, id) = play(&env, words);
        let live = seat.game(id).unwrap();
        (id.0, live.title, live.names[1].clone())
    };
    for (words, game, title, bot) in [
        ("Mini", 1, "Mini Othello", "bot:novice"),
        ("computer", 1, "Mini Othello", "bot:novice"),
        ("reversi", 2, "Othello", "bot:novice"),
        ("learner", 3, "Othello", "bot:learner"),
        ("twente beginner", 4, "Twente Othello", "bot:beginner"),
        ("computer mini", 1, "Mini Othello", "bot:novice"),
    ] {
        assert_eq!(opened(words), (game, title.to_owned(), bot.to_owned()), "play {words}");
    }
    let twice = refused(&env, "mini --variant twente", None);
    assert_eq!(twice, "mini is one variant too many; name one variant");
    // Players who have had such a name since before keep it, and are meant.
    for (name, old) in [("ben", "Mini"), ("cid", "novice")] {
        env.ok(&format!("signup {name} --no-mail"));
        env.sqlite().execute("UPDATE player SET name = ?2 WHERE name = ?1", (name, old)).unwrap();
    }
    let (mut seat, id) = play(&env, "mini novice");
    assert_eq!(seat.game(id).unwrap().names, ["Mini", "novice"]);
    let alone = refused(&env, "novice", None);
    assert!(alone.contains("to play a person, write `outflank challenge novice`"), "{alone}");
    assert_eq!(opened("Twente BEGINNER").0, 4);
}

#[test]
fn a_board_changes_to_another_game() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "mini");
    let mut go = |id: GameId, line: &str| {
        let Typed::Play(play) = seat.game(id).unwrap().typed(line).unwrap() else {
            panic!("{line}")
        };
        let id = seat.play(&play).unwrap();
        (id, seat.game(id).unwrap())
    };
    let (second, live) = go(id, "Play bot:5 --variant othello --size 6x6 --white");
    assert_eq!((live.title.as_str(), &*live.names[0]), ("Othello 6x6", "bot:5"));
    assert_eq!(go(second, "play mini").0, id);
    let live = seat.game(id).unwrap();
    for (line, error) in [
        ("play chess", "\"chess\" is not a game, a variant or a computer player"),
        ("play --nwe", "unexpected argument '--nwe' found"),
    ] {
        let played = live.typed(line).and_then(|typed| match typed {
            Typed::Play(play) => seat.play(&play),
            other => panic!("{other:?}"),
        });
        assert_eq!(played.unwrap_err().to_string(), error, "{line}");
    }
    // Two people at one keyboard, of whom none is the user yet.
    let env = TestEnvironment::new();
    let (mut seat, _) = play(&env, "cid ben");
    assert!(seat.player().is_none());
    let Typed::Play(novice) = live.typed("play novice").unwrap() else { panic!() };
    let id = seat.play(&novice).unwrap();
    assert_eq!(seat.game(id).unwrap().names, ["ann", "bot:novice"]);
    state::check(&env.database());
}

/// Keeps what it is told.
struct Kept(Arc<Mutex<Vec<usize>>>);

impl Meter for Kept {
    fn set_done(&self, done: usize) {
        self.0.lock().unwrap().push(done);
    }
}

#[test]
fn an_analysis_counts_the_moves_at_the_board() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "mini");
    let over = finish(&mut seat, id);
    let Typed::Command(analyze) = over.typed("analyze").unwrap() else { panic!() };
    let counted = Arc::default();
    let progress = |things: &str, total: Option<usize>, _: &Searched| -> Box<dyn Meter> {
        assert_eq!((things, total), ("moves of game 1 analyzed", Some(over.game.plies().len())));
        Box::new(Kept(Arc::clone(&counted)))
    };
    let reply = seat.run(id, &analyze, &Arc::default(), &progress).unwrap();
    let counted = counted.lock().unwrap();
    assert!(counted.is_sorted() && counted.len() > 2, "{counted:?}");
    assert!(matches!(reply.shown().next(), Some(Block::Text(text)) if text.contains("Accuracy:")));
}

#[test]
fn after_the_end_a_stronger_computer_player_follows() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "mini --white --anywhere");
    assert_eq!(seat.game(id).unwrap().stronger(), None, "the game is not over");
    let over = finish(&mut seat, id);
    let bot = over.stronger().unwrap();
    let id = seat.play_against(id, &bot).unwrap();
    let live = seat.game(id).unwrap();
    assert_eq!(
        (live.names.clone(), live.title),
        (["bot:beginner", "ann"].map(str::to_owned), over.title)
    );
    ok(&mut seat, id, "resign");
    assert_eq!(seat.game(id).unwrap().stronger(), "bot:learner".parse().ok());
    for (words, stronger) in [("bot:0 mini", "bot:novice"), ("learner mini", "bot:1")] {
        let (mut seat, id) = play(&env, words);
        ok(&mut seat, id, "resign");
        assert_eq!(seat.game(id).unwrap().stronger(), stronger.parse().ok(), "{words}");
    }
    let (mut seat, id) = play(&env, "bot:10 mini");
    ok(&mut seat, id, "resign");
    assert_eq!(seat.game(id).unwrap().stronger(), None);
    env.no_mail();
    state::check(&env.database());
}

#[test]
fn a_game_of_others_is_not_opened() {
    let env = TestEnvironment::new().with_game();
    assert_eq!(
        refused(&env, "1", None),
        "you do not play in game 1 yet; alice plays against bob: add --as NAME if you are one of them"
    );
    assert_eq!(players(&env), 2, "nobody is signed up");
    play(&env, "");
    assert!(refused(&env, "1", None).starts_with("ann does not play in game 1; "));
    env.ok("signup carol --no-mail");
    assert!(refused(&env, "1", Some("carol")).starts_with("carol does not play in game 1; "));
    let (mut seat, id) = take(&env, "1", Some("bob"), USER).unwrap();
    assert_eq!(seat.game(id).unwrap().own, [false, true]);
    assert_eq!(black(&env, "", USER), "bob", "the player of --as is the user's from then on");
    assert!(seat.game(GameId(2)).is_err());
    assert!(refused(&env, "99", None).starts_with("there is no game 99"));
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    let env = TestEnvironment::new().with_game();
    for (words, named, error) in [
        (
            "ben",
            None,
            "\"ben\" is not a game, a variant or a computer player; to play a person, write `outflank challenge ben`",
        ),
        ("0", None, "\"0\" is not a game number"),
        ("bot:99", None, "\"bot:99\" is not a computer player"),
        ("bot:nobody", None, "there is no computer player bot:nobody"),
        ("1 --new", None, "the options are for a new game; `outflank play 1` opens game 1"),
        ("1 --size 6x6", None, "the options are for a new game"),
        ("ann bot:1", None, "a computer player is named alone"),
        ("ann ben --white", None, "--white is for a game against a computer player"),
        ("ann ben", Some("alice"), "two people at one keyboard are named without --as"),
        ("ann ann", None, "ann cannot play both black and white"),
        ("ann b@example.org", None, "a player is named by name here, not by address"),
        ("ann d3", None, "\"d3\" is a move"),
        ("--variant chess", None, "chess"),
        ("--variant oddthello --size 6x6", None, "oddthello"),
    ] {
        let refused = refused(&env, words, named);
        assert!(refused.contains(error), "{words}: {refused}");
    }
    assert_eq!(players(&env), 2);
}

#[test]
fn two_people_play_at_one_keyboard() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "ann ben --variant mini");
    assert_eq!(seat.game(id).unwrap().own, [true, true]);
    for line in ["a2", "a3", "say 1 Good luck", "takeback", "takeback"] {
        ok(&mut seat, id, line);
    }
    let live = seat.game(id).unwrap();
    assert_eq!(live.game.plies().len(), 0);
    assert_eq!(live.words.join("\n"), "| ann: Good luck");
    let drawn = ok(&mut seat, id, "draw");
    assert_eq!(texts(&drawn), "You and ben agreed on a draw in this game.");
    let again = ok(&mut seat, id, "rematch");
    assert_eq!(again.begun, Some(GameId(2)));
    assert!(texts(&again).contains("Game 2 has begun: ben (black) - ann (white)."), "{again:?}");
    assert!(run(&mut seat, id, "rematch").is_err());
    let live = finish(&mut seat, GameId(2));
    assert!(live.result.is_some());
    // With --as, the user plays one side only.
    let (mut named, id) = take(&env, "2", Some("ben"), USER).unwrap();
    assert_eq!(named.game(id).unwrap().own, [true, false]);
    state::check(&env.database());
}

#[test]
fn the_next_game_that_waits_comes_in_turn() {
    let env = TestEnvironment::new().with_game();
    env.ok("new mini alice bob");
    env.ok("new mini bob alice");
    let (mut seat, local) = take(&env, "", Some("alice"), USER).unwrap();
    let live = seat.game(local).unwrap();
    assert_eq!((local, live.others_waiting), (GameId(4), 2));
    let mut at = GameId(1);
    for next in [2, 4, 1, 2] {
        at = seat.next_waiting(at).unwrap().unwrap();
        assert_eq!(at, GameId(next));
    }
    for game in [1, 2] {
        env.ok(&format!("resign {game} --as alice"));
    }
    assert_eq!(seat.next_waiting(local).unwrap(), None);
    assert_eq!(seat.next_waiting(GameId(3)).unwrap(), Some(local));
    // Over ssh, the seat is at the most urgent game.
    let alice = PlayerRef::Name("alice".to_owned());
    assert_eq!(Seat::take_over_ssh(opener(&env), &alice).unwrap().1, local);
    env.ok("new mini alice bob --clock 1d");
    assert_eq!(Seat::take_over_ssh(opener(&env), &alice).unwrap().1, GameId(5));
}

#[test]
fn a_computer_player_that_fails_is_reported_and_tried_again() {
    let settings = "[bots.broken]\ncommand = ['false']\nprotocol = 'nboard'";
    let env = TestEnvironment::new().config(settings);
    let (mut seat, id) = play(&env, "bot:broken --white");
    let error = seat.think(id, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().starts_with("bot:broken did not move in game 1: "), "{error}");
    assert!(seat.game(id).unwrap().bot_is_due);
}

#[test]
fn a_takeback_takes_the_answer_of_the_computer_back_too() {
    let env = TestEnvironment::new();
    let (mut seat, id) = play(&env, "bot:0");
    ok(&mut seat, id, "d3");
    think(&mut seat, id);
    assert_eq!(seat.game(id).unwrap().game.plies().len(), 2);
    ok(&mut seat, id, "takeback");
    assert_eq!(seat.game(id).unwrap().game.plies().len(), 0);
}
