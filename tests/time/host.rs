use super::{DAY, HOUR, events, timed};
use crate::harness::{ALICE, BOB, CAROL};

#[test]
fn the_host_extends_a_game_and_both_players_are_mailed() {
    let env = timed("--clock 3d");
    env.later(DAY);
    env.ok("extend 1 2d --reason 'the server was down'");
    assert_eq!(env.game(1)["seconds_left"], 4 * 86400);
    assert_eq!(events(&env, 1), ["2026-11-22 10:00 h extend b 172800 the server was down"]);
    let mails = env.mails();
    assert_eq!(mails.iter().map(|mail| &*mail.to).collect::<Vec<_>>(), [ALICE, BOB]);
    for mail in &mails {
        mail.says("The host has given alice (black) 2 days more.\nReason: the server was down");
    }
    mails[0].says("Your time ends on Thursday, 26 November 2026, 10:00 (UTC).");
    // An extension out of turn counts on the player's next turn.
    env.ok("extend 1 12h bob");
    env.ok("move 1 f5 --as alice");
    assert_eq!(env.game(1)["seconds_left"], 84 * 3600);
}

#[test]
fn an_extension_lifts_a_flag() {
    let env = timed("--clock 3d");
    env.later(5 * DAY);
    env.ok("extend 1 2d");
    assert_eq!(
        events(&env, 1),
        ["2026-11-24 10:00 h flag b", "2026-11-26 10:00 h extend b 172800 "]
    );
    assert_eq!(env.game(1)["seconds_left"], 2 * 86400);
    let line = env.fails(1, "claim 1 --as bob");
    assert!(line.contains("alice has time until"), "{line}");
}

#[test]
fn the_host_extends_all_games_with_a_clock() {
    let env = timed("--clock 3d");
    env.ok("new othello alice bob");
    env.ok("new othello bob alice --clock total=9d");
    env.ok(&format!("new othello bob {CAROL} --clock 3d --moves f5"));
    env.mails();
    let extended = env.json("extend all 2d --reason 'the server was down'");
    assert_eq!(extended["games"], serde_json::json!([1, 3, 4]));
    assert_eq!(extended["seconds"], 2 * 86400);
    let mails = env.mails();
    mails[0].says("The host has given 2 days more to each player on turn. Reason: the server");
    assert_eq!(mails.iter().map(|mail| &mail.to).collect::<Vec<_>>(), [ALICE, BOB, CAROL]);
    for (game, days) in [(1, 5), (3, 11), (4, 5)] {
        assert_eq!(env.game(game)["seconds_left"], days * 86400, "{game}");
    }
    // The mails name no address.
    assert_eq!(env.json(&format!("extend all 1d {CAROL}"))["games"], serde_json::json!([4]));
    env.mails()[0]
        .says("The host has given carol 1 day more in all games in which carol is on turn.");
}

#[test]
fn an_extension_needs_an_active_game_with_a_clock() {
    let env = timed("");
    assert!(env.fails(1, "extend 1 2d").contains("game 1 has no clock"));
    assert!(env.fails(1, "extend 9 2d").contains("there is no game 9"));
    assert!(env.fails(1, "extend 1 soon").contains("is not a span of time"));
    env.ok("new othello alice bob --clock 3d");
    env.ok(&format!("signup carol {CAROL}"));
    assert!(env.fails(1, "extend 2 2d carol").contains("carol does not play in game 2"));
    env.ok("resign 2 --as bob");
    assert!(env.fails(1, "extend 2 2d").contains("game 2 is over"));
    assert!(env.fails(1, "forfeit 2 bob").contains("game 2 is over"));
}

#[test]
fn an_annulled_game_has_no_result() {
    let env = timed("--clock 3d");
    let game = env.json("annul 1 --reason 'started by mistake.'");
    assert_eq!(game["result"]["reason"], "annulled");
    assert!(game["result"]["winner"].is_null() && game["deadline"].is_null(), "{game}");
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    mails[0].says("Annulled by the host: started by mistake. Game 1");
    let line = env.fails(1, "move 1 f5");
    assert!(line.contains("game 1 is over: annulled by the host: started by"), "{line}");
    let players = env.json("players");
    for player in players["players"].as_array().unwrap() {
        let counts = ["active", "won", "lost", "drawn"].map(|name| player[name].as_u64().unwrap());
        assert_eq!(counts, [0; 4], "{player}");
    }
    env.later(4 * DAY);
    env.ok("send");
    env.no_mail();
}

#[test]
fn a_game_can_be_annulled_after_its_end_once() {
    let env = timed("");
    env.ok("resign 1 --as bob");
    assert_eq!(env.mails().len(), 2);
    let ended = env.json("games --all")["games"][0]["since"].clone();
    env.later(HOUR);
    let game = env.json("annul 1 --reason 'two accounts'");
    assert_eq!(
        (&game["status"], &game["result"]["reason"]),
        (&"finished".into(), &"annulled".into())
    );
    for mail in env.mails() {
        mail.says("Annulled by the host: two accounts.");
    }
    assert_eq!(env.json("games --all")["games"][0]["since"], ended);
    assert_eq!(env.json("players")["players"][0]["won"], 0);
    assert!(env.fails(1, "annul 1").contains("game 1 is over: annulled by the host: two acc"));
    // An unsent mail about the end is superseded, since its result no longer counts.
    env.configure("[transport]\nkind = 'sendmail'\ncommand = ['false']");
    env.ok("new othello alice bob");
    env.run("resign 2 --as bob");
    env.run("annul 2");
    assert_eq!([env.count("alice over queued"), env.count("alice over superseded")], [1, 1]);
}

#[test]
fn a_forfeited_game_is_lost() {
    let env = timed("");
    env.later(HOUR);
    let game = env.json("forfeit 1 bob --reason 'has left the club'");
    assert_eq!(
        (&game["result"]["reason"], &game["result"]["winner"]),
        (&"forfeited".into(), &"black".into())
    );
    let mails = env.mails();
    assert_eq!(mails.len(), 2);
    mails[1].says("You lost").says("has left the club");
    assert_eq!(env.json("players")["players"][1]["lost"], 1);
}

#[test]
fn players_cannot_run_the_hosts_commands() {
    let env = timed("--clock 3d");
    let mail = env.last_mail_to(ALICE);
    for command in ["extend 1 2d", "annul 1", "forfeit 1 bob"] {
        env.receive(&mail.reply(command));
        assert_eq!(events(&env, 1), [""; 0], "{command}");
    }
    let line = env.fails(1, "annul 1 --reason 'two\nlines'");
    assert!(line.contains("write it in one"), "{line}");
}
