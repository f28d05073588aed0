//! Reply tokens: their places in a mail, and the commands that they allow.

use crate::harness::{
    ALICE, BOB, CAROL, InboundMessage, Purpose, SERVER, STRANGER, TestEnvironment, Token, tokens_in,
};

#[test]
fn a_reply_address_works_in_upper_and_lower_case() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let address = turn.reply_to();
    let (local, domain) = address.split_once('@').unwrap();
    assert_eq!((local.split_once('+').unwrap().0, domain), ("outflank", "club.example"));
    assert!(local.len() <= 64, "{local}");
    let claims = *turn.token().parse::<Token>().unwrap().claims();
    assert_eq!((claims.purpose, claims.number, claims.event), (Purpose::Play, 1, 1));

    let answer = turn.reply("d6").to(&address.to_uppercase());
    assert_eq!(env.receive(&answer.without("In-Reply-To").without("References")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
}

#[test]
fn tokens_differ_by_player_game_and_ply() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello alice bob");
    let mut tokens: Vec<_> = env.mails().iter().map(|mail| mail.token()).collect();
    for moves in ["f5", "d6", "c3"] {
        tokens.push(env.turn_after(moves).token());
    }
    let all = tokens.len();
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), all);
}

#[test]
fn a_token_in_any_of_its_places_is_sufficient() {
    for place in [
        "RECIPIENT",
        "EXTENSION",
        "To",
        "Cc",
        "Delivered-To",
        "X-Original-To",
        "Envelope-To",
        "References",
        "the text",
        "a quote",
    ] {
        let env = TestEnvironment::new().with_game();
        let turn = env.turn_after("f5");
        let (address, token) = (&*turn.reply_to(), &*turn.token());
        let says = |text: &str| InboundMessage::new(BOB, text);
        let plain = says("d6");
        let (envelope, message) = match place {
            "RECIPIENT" => (vec![address], plain),
            "EXTENSION" => (vec![SERVER, BOB, token], plain),
            "To" => (vec![], plain.to(address)),
            "References" => {
                let thread = format!("<a@b> <{token}.1@x.example> <c@d>");
                (vec![], plain.with("References", &thread))
            }
            "the text" => (vec![], says(&format!("d6\n\nCode: {token}"))),
            "a quote" => (vec![], says(&format!("d6\n\n> Code: {token}"))),
            field => (vec![SERVER], plain.with(field, address)),
        };
        assert_eq!(env.receive_with(&envelope, &message), "done", "{place}");
        assert_eq!(env.moves(1), ["f5", "d6"], "{place}");
    }
}

#[test]
fn the_envelope_recipients_token_takes_precedence() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello alice bob");
    let other = env.mails().remove(1);
    assert_eq!(other.to, BOB);
    let turn = env.turn_after("f5");
    let message = turn.reply(&format!("show\n\n> {}", other.token())).to(&other.reply_to());
    assert_eq!(env.receive_with(&[&turn.reply_to()], &message), "done");
    env.mail_to(BOB).says("Game 1: Othello");
    env.receive(&message.clone().id("again@mail.example"));
    env.mail_to(BOB).says("Game 2: Othello");
}

#[test]
fn without_plus_addressing_the_message_id_carries_the_token() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false").with_game();
    let turn = env.turn_after("f5");
    assert_eq!(turn.reply_to(), SERVER);
    assert_eq!(tokens_in(&turn.id()).len(), 1, "{}", turn.id());
    let answer = turn.reply("d6").without("References");
    assert_eq!(env.receive(&answer), "done");
    let turn = env.mail_to(ALICE);
    assert_eq!(env.receive(&turn.reply("c3").without("In-Reply-To")), "done");
    // Replies without In-Reply-To and References quote the token in the text.
    let turn = env.mail_to(BOB);
    let token = tokens_in(&turn.text).pop().expect("a token in the text");
    let quoted = format!("d3\n\n> {token}");
    let lost = turn.reply(&quoted).without("References").without("In-Reply-To");
    assert_eq!(env.receive(&lost), "done");
    assert_eq!(env.moves(1), ["f5", "d6", "c3", "d3"]);
    env.mail_to(ALICE);
}

#[test]
fn the_message_id_knows_what_the_first_try_shows() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false").with_game();
    env.ok("--as alice set grace 1h");
    env.ok("move 1 f5 --as alice");
    env.ok("--as alice draw 1");
    env.later(60);
    env.ok("send");
    let mails = env.mails_to(BOB);
    let turn = mails.iter().find(|mail| mail.id().contains(".turn.")).unwrap();
    assert!(turn.text.contains("draw"), "{}", turn.text);
    assert_eq!(env.receive(&turn.reply("accept")), "done");
    assert_eq!(env.game(1)["status"], "finished", "{:?}", env.outbox());
}

#[test]
fn rotation_revokes_old_tokens() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    env.ok("rotate bob");
    assert_eq!(env.receive(&turn.reply("move 1 d6")), "held");
    let asked = env.mail_to(BOB);
    assert_eq!(env.moves(1), ["f5"]);
    assert_eq!(env.receive(&asked.reply("yes")), "done");
    assert_eq!(env.moves(1), ["f5", "d6"]);
    let token: Token = turn.token().parse().unwrap();
    assert_ne!(env.token(Purpose::Play, "bob", 1, 1), token.to_string());
}

#[test]
fn a_copy_is_recognised_after_the_token_was_revoked() {
    let env = TestEnvironment::new().with_game();
    let answer = env.turn_after("f5").reply("d6");
    assert_eq!(env.receive(&answer), "done");
    env.ok("rotate bob");
    assert_eq!(env.receive(&answer), "copy");
}

#[test]
fn a_forged_token_is_refused() {
    let env = TestEnvironment::new().with_game();
    let turn = env.turn_after("f5");
    let token = turn.token();
    for forged in [
        token.replace(&token[token.len() - 1..], "a"),
        format!("{}{}", &env.token(Purpose::Play, "alice", 1, 1)[..12], &token[12..]),
        token[..token.len() - 1].to_owned(),
    ] {
        let message = InboundMessage::new(BOB, "d6").to(&format!("outflank+{forged}@club.example"));
        assert_ne!(forged, token);
        env.receive(&message);
        assert_eq!(env.moves(1), ["f5"], "{forged}");
    }
}

#[test]
fn a_token_for_another_purpose_makes_no_move() {
    let env = TestEnvironment::new().with_game();
    env.turn_after("f5");
    for purpose in [Purpose::Unsubscribe, Purpose::Bounce, Purpose::Confirm] {
        let message = InboundMessage::new(BOB, "d6").to(&env.token_address(purpose, "bob", 1, 1));
        env.receive(&message);
        assert_eq!(env.moves(1), ["f5"], "{purpose:?}");
    }
}

#[test]
fn a_token_gives_no_rights_in_games_of_others() {
    let env = TestEnvironment::new().with_game();
    env.ok("new othello alice carol@example.org");
    let started = env.mails().into_iter().find(|mail| mail.to == CAROL).unwrap();
    // Carol does not play in game 1, so her token does not help.
    assert_eq!(env.receive(&started.reply("move 1 f5")), "done");
    env.mail_to(CAROL).says("carol does not play in game 1");
    assert_eq!(env.receive(&started.reply("resign 1")), "done");
    env.mail_to(CAROL).says("carol does not play in game 1");
    assert_eq!(env.moves(1), [""; 0]);
    // A command that names a game is about that game.
    env.ok("move 2 f5");
    env.mails();
    assert_eq!(env.receive(&started.reply("move 2 d6#2")), "done");
    env.mail_to(ALICE);
}

#[test]
fn a_server_address_too_long_for_a_token_sends_no_mail() {
    let long = "o".repeat(40);
    let env = TestEnvironment::new();
    env.write_config(&format!("[receive]\n[mail]\nfrom = '{long}@club.example'\n"));
    env.ok(&format!("new othello {ALICE} {BOB}"));
    env.no_mail();
    let listed = env.ok("--json mail 1");
    assert!(listed.contains("too long to carry"), "{listed}");
}

/// A mail server's error may quote the refused mail, and the host reads that error.
#[test]
fn tokens_quoted_by_a_mail_server_are_not_shown_to_the_host() {
    for (quote, known) in [
        ("cat", "Message-ID"),
        ("head -c 400", "outflank"),
        ("grep -i reply-to", "outflank"),
        ("grep -i unsubscribe", "outflank"),
        ("grep -i mailto:", "mailto"),
        ("grep -i return-path", ""),
        ("echo $4 $5 $6", ""),
        ("sed 's/+/%2B/g'", ""),
        ("sed 's/+/=2B/g'", ""),
        ("tr a-z A-Z", ""),
    ] {
        for receive in ["", "plus_addressing = false"] {
            let env = TestEnvironment::new();
            let script = env.path("fail.sh");
            std::fs::write(&script, format!("{quote} >&2\nexit 75\n")).unwrap();
            let transport = format!("kind = 'sendmail'\ncommand = ['sh', '{}']", script.display());
            env.configure(&format!("[receive]\n{receive}\n[transport]\n{transport}"));
            env.ok(&format!("new othello {ALICE} {BOB}"));
            let listed = env.ok("--json mail") + &env.ok("mail 1");
            assert!(listed.contains("75") || listed.contains(known), "{quote}: {listed}");
            env.receive(&InboundMessage::new(STRANGER, "help"));
            env.ok("--json mail");
            env.later(24 * 60);
            let failed = env.fails(3, "send");
            assert_eq!(tokens_in(&failed), [], "{quote}: {failed}");
        }
    }
}

#[test]
fn without_plus_addressing_unsubscribing_works_by_subject() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false").with_game();
    let asked = env.turn_after("f5");
    let field = asked.raw.split("List-Unsubscribe: <mailto:outflank@club.example?subject=");
    let (subject, _) = field.last().unwrap().split_once('>').unwrap();
    let subject = subject.replace("\r\n", "").replace("\n", "").replace(' ', "");
    let message = InboundMessage::new(BOB, "").subject(&subject.replace("%20", " "));
    assert_eq!(env.receive(&message), "done");
    env.mail_to(BOB).says("bob gets no turn mails for game 1");
}
