//! Games by mail only.

use std::collections::BTreeSet;

use serde_json::Value;

use super::inbox::{Inbox, mailtos};
use super::mail_host::MailHost;
use super::mail_program::{open, reply};
use crate::harness::Mail;

fn legal(game: &Value) -> BTreeSet<String> {
    let legal = game["legal"].as_array().unwrap().iter();
    legal.map(|label| label.as_str().unwrap().to_owned()).collect()
}

/// Returns the links of a turn mail that open a mail with a move, and their moves.
fn links(mail: &Mail) -> Vec<(String, String)> {
    let html = mail.html().expect("an HTML part");
    let mut links = Vec::new();
    for uri in mailtos(&html) {
        let draft = open(&uri, "bob@local.test");
        let mail = Mail::parse(draft.message);
        let text = mail.text;
        let first = text.lines().next().unwrap_or_default().to_owned();
        if first.ends_with(|c: char| c.is_ascii_digit()) || first == "pass" {
            links.push((first, uri));
        }
    }
    links
}

/// Returns the number of the game in a mail about its start.
fn begun(mail: &Mail) -> String {
    let text = mail.body();
    let (_, game) = text.split_once("ame ").expect("a game");
    game.split(' ').next().unwrap().to_owned()
}

fn only(inbox: &mut Inbox) -> Mail {
    inbox.expect(1).remove(0)
}

#[test]
fn a_whole_game_is_played_by_replies_and_links() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    let (mut alice, mut bob) = (host.inbox("alice"), host.inbox("bob"));
    env.ok("new othello alice@local.test bob@local.test");
    let mut mails = [only(&mut alice), only(&mut bob)];
    let mut tokens = BTreeSet::new();
    let mut moves = 0;
    loop {
        let game = env.game(1);
        let Some(color) = game["turn"].as_str() else { break };
        let ply = game["ply"].as_u64().unwrap();
        if color == "black" {
            let mail = &mails[0];
            let text = &mail.text;
            let legal_moves = text.lines().find_map(|line| line.strip_prefix("Legal moves: "));
            let next = legal_moves.expect("legal moves").split(' ').next().unwrap().to_owned();
            tokens.insert(mail.token());
            let said = ["", "Hi Bob,\n\nhow about\n\n"][(ply % 2) as usize];
            let draft = reply(mail, "Alice <alice@local.test>", &format!("{said}{next}\n"));
            // Sometimes a mail server delivers a mail several times.
            let copies = if ply % 10 == 0 { 8 } else { 1 };
            host.submit(&draft.from, &[&draft.to], &draft.message, copies);
        } else {
            let links = links(&mails[1]);
            let played: BTreeSet<_> = links.iter().map(|(label, _)| label.clone()).collect();
            let expected = legal(&game);
            assert_eq!(played, expected, "a link for each legal square, and no other");
            let (_, uri) = links.last().unwrap();
            host.send(&open(uri, "bob@local.test"));
        }
        host.settle();
        let after = env.game(1);
        assert!(after["ply"].as_u64().unwrap() > ply, "{}", env.ok("inbox"));
        moves += 1;
        assert!(moves <= 60, "a move a turn");
        for (inbox, mail) in [&mut alice, &mut bob].into_iter().zip(&mut mails) {
            let color = if mail.header("To").starts_with("alice") { "black" } else { "white" };
            let is_mailed = after["turn"] == color || after["turn"].is_null();
            for new in inbox.expect(usize::from(is_mailed)) {
                *mail = new;
            }
        }
    }
    for mail in &mails {
        assert!(mail.text.contains("\nGame 1 against "), "{}", mail.text);
    }
    assert!(tokens.len() > 20, "each turn has its own token");
    let history = env.json("history 1");
    let made = history["moves"].as_array().unwrap().iter().filter(|made| made["auto"] == false);
    assert_eq!(made.count(), moves);

    // No mail to bob contains alice's tokens.
    host.settle();
    for mail in host.inbox("bob").fetch() {
        let raw = mail.raw.to_lowercase();
        assert!(tokens.iter().all(|token| !raw.contains(token)), "{raw}");
    }
}

#[test]
fn a_vacation_responder_makes_no_move() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    env.ok("new mini vacation@local.test alice@local.test");
    let started = only(&mut host.inbox("vacation"));
    // The responder answers this mail, to the address for moves.
    let play = started.reply_to();
    let hello = format!(
        "From: {play}\nTo: vacation@local.test\nSubject: hello\nMessage-ID: <hello@local.test>\n\nhi\n"
    );
    host.write(&play, "vacation@local.test", &hello);
    let tries = host.piped(1);
    assert!(tries[0].contains("sent (delivered via outflank service)"), "{tries:?}");
    host.settle();
    assert_eq!(env.game(1)["ply"], 0, "{}", env.ok("inbox"));
    let mails = env.listed_mails("");
    assert_eq!(mails.len(), 2, "the responder gets no answer: {mails:?}");
    assert!(env.ok("inbox").contains("ignored: "), "{}", env.ok("inbox"));

    // A message by the player is not automatic.
    host.send(&reply(&started, "vacation@local.test", "d3"));
    host.settle();
    assert_eq!(env.game(1)["last"]["move"], "d3");
}

#[test]
fn mail_to_an_address_that_is_gone_pauses() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    let mut carol = host.inbox("carol");
    for number in 1..=3 {
        env.ok("new mini hardbounce@local.test carol@local.test");
        let tries = host.piped(number);
        assert!(tries.iter().all(|said| said.contains("sent (")), "{tries:?}");
        host.settle();
        // Moves the failure to the day before: failures on one day do not pause mail.
        env.sqlite().execute("UPDATE failure SET failed_at = failed_at - 86400", []).unwrap();
    }
    let mails = carol.expect(4);
    let paused = mails.iter().find(|mail| !mail.text.contains(" has begun")).unwrap();
    assert!(paused.text.contains("hardbounce"), "{}", paused.text);
    env.ok("new mini hardbounce carol");
    carol.expect(1);
    let mails = env.listed_mails("4");
    assert_eq!((&mails[0]["to"], &mails[0]["state"]), (&"hardbounce".into(), &"paused".into()));

    env.ok("address hardbounce alice@local.test");
    env.ok("send");
    // The paused mails are sent, and the bounced ones again, because no move was made since.
    let begun: BTreeSet<_> = host.inbox("alice").expect(4).iter().map(begun).collect();
    assert_eq!(begun, ["1", "2", "3", "4"].map(str::to_owned).into());
}

#[test]
fn a_stranger_signs_up_and_plays_by_mail_only() {
    let Some((host, env)) = MailHost::start_with_pipe() else { return };
    env.ok("signup bob bob@local.test");
    let mut alice = host.inbox("alice");
    host.write(
        "alice@local.test",
        "outflank@local.test",
        "From: Alice <alice@local.test>\nTo: outflank@local.test\nSubject: hello\n\nsignup alice\n",
    );
    let asked = only(&mut alice);
    assert_eq!(env.json("players")["players"].as_array().unwrap().len(), 1);
    host.send(&reply(&asked, "alice@local.test", "Yes."));
    let welcome = only(&mut alice);
    assert_eq!(env.json("players")["players"][0]["player"], "alice");

    env.ok("new mini alice bob");
    only(&mut alice);
    host.send(&reply(&welcome, "alice@local.test", "games\nshow 1\n"));
    let turn = only(&mut alice);
    assert!(turn.text.contains("alice's turn") && turn.text.contains("Score: black 2, white 2"));
    host.send(&reply(&turn, "alice@local.test", "move 1 b1\nreceipt on\n\nSee you\nmove 1 a2"));
    host.settle();
    assert_eq!(env.game(1)["last"]["move"], "b1");
    assert_eq!(host.inbox("bob").expect(2).len(), 2);
}
