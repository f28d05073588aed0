//! The codes by which answers are known.

use outflank::mail::token::{Purpose, Token};

use crate::club::{ALICE, BOB, CAROL, CLUB, Club, Letter, STRANGER, codes_in};

#[test]
fn an_answer_goes_to_an_address_with_a_code_in_either_case() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    let address = turn.reply_to();
    let (local, domain) = address.split_once('@').unwrap();
    assert_eq!((local.split_once('+').unwrap().0, domain), ("outflank", "club.example"));
    assert!(local.len() <= 64, "{local}");
    let claims = *turn.code().parse::<Token>().unwrap().claims();
    assert_eq!((claims.purpose, claims.number, claims.ply), (Purpose::Play, 1, 1));

    let answer = turn.answered("d6").to(&address.to_uppercase());
    assert_eq!(club.takes(&answer.without("In-Reply-To").without("References")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
}

#[test]
fn codes_differ_by_player_game_and_ply() {
    let club = Club::new();
    club.host("new othello alice bob");
    let mut codes: Vec<_> = club.mails().iter().map(|mail| mail.code()).collect();
    for moves in ["f5", "d6", "c3"] {
        codes.push(club.turn_after(moves).code());
    }
    let all = codes.len();
    codes.sort();
    codes.dedup();
    assert_eq!(codes.len(), all);
}

/// Every place in which a code is looked for works alone.
#[test]
fn a_code_is_found_wherever_a_mail_server_leaves_it() {
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
        let club = Club::new();
        let turn = club.turn_after("f5");
        let (address, code) = (&*turn.reply_to(), &*turn.code());
        let plain = Letter::from(BOB).says("d6");
        let (envelope, letter) = match place {
            "RECIPIENT" => (vec![address], plain),
            "EXTENSION" => (vec![CLUB, BOB, code], plain),
            "To" => (vec![], plain.to(address)),
            "References" => {
                let thread = format!("<a@b> <{code}.1@x.example> <c@d>");
                (vec![], plain.with("References", &thread))
            }
            "the text" => (vec![], plain.says(&format!("d6\n\nCode: {code}"))),
            "a quote" => (vec![], plain.says(&format!("d6\n\n> Code: {code}"))),
            field => (vec![CLUB], plain.with(field, address)),
        };
        assert_eq!(club.takes_with(&envelope, &letter), "done", "{place}");
        assert_eq!(club.moves(), ["f5", "d6"], "{place}");
    }
}

#[test]
fn the_address_that_a_mail_came_to_goes_before_all_else() {
    let club = Club::new();
    club.host("new othello alice bob");
    let other = club.mails().remove(1);
    assert_eq!(other.to, BOB);
    let turn = club.turn_after("f5");
    let letter = turn.answered(&format!("show\n\n> {}", other.code())).to(&other.reply_to());
    assert_eq!(club.takes_with(&[&turn.reply_to()], &letter), "done");
    club.mail_to(BOB).says("Game 1: Othello");
    club.takes(&letter.clone().id("again@mail.example"));
    club.mail_to(BOB).says("Game 2: Othello");
}

#[test]
fn without_plus_addressing_the_message_id_bears_the_code() {
    let club = Club::configured("plus_addressing = false");
    let turn = club.turn_after("f5");
    assert_eq!(turn.reply_to(), CLUB);
    assert_eq!(codes_in(&turn.id()).len(), 1, "{}", turn.id());
    let answer = turn.answered("d6").without("References");
    assert_eq!(club.takes(&answer), "done");
    let turn = club.mail_to(ALICE);
    assert_eq!(club.takes(&turn.answered("c3").without("In-Reply-To")), "done");
    // The code stands in the text, too, for those whose answers refer to nothing.
    let turn = club.mail_to(BOB);
    let code = codes_in(&turn.text).pop().expect("a code in the text");
    let quoted = format!("d3\n\n> {code}");
    let lost = turn.answered(&quoted).without("References").without("In-Reply-To");
    assert_eq!(club.takes(&lost), "done");
    assert_eq!(club.moves(), ["f5", "d6", "c3", "d3"]);
    club.mail_to(ALICE);
}

#[test]
fn new_codes_make_the_old_ones_worthless() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    club.host("rotate bob");
    assert_eq!(club.takes(&turn.answered("move 1 d6")), "held");
    let asked = club.mail_to(BOB);
    assert_eq!(club.moves(), ["f5"]);
    assert_eq!(club.takes(&asked.answered("yes")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
    let code: Token = turn.code().parse().unwrap();
    assert_ne!(club.code(Purpose::Play, "bob", 1, 1), code.to_string());
}

#[test]
fn a_code_that_nobody_made_is_none() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    let code = turn.code();
    for forged in [
        code.replace(&code[code.len() - 1..], "a"),
        format!("{}{}", &club.code(Purpose::Play, "alice", 1, 1)[..12], &code[12..]),
        code[..code.len() - 1].to_owned(),
    ] {
        let letter = Letter::from(BOB).to(&format!("outflank+{forged}@club.example")).says("d6");
        assert_ne!(forged, code);
        club.takes(&letter);
        assert_eq!(club.moves(), ["f5"], "{forged}");
    }
}

#[test]
fn a_code_for_one_purpose_serves_no_other() {
    let club = Club::new();
    club.turn_after("f5");
    for purpose in [Purpose::Unsubscribe, Purpose::Bounce, Purpose::Confirm] {
        let code = club.code(purpose, "bob", 1, 1);
        let letter = Letter::from(BOB).to(&format!("outflank+{code}@club.example")).says("d6");
        club.takes(&letter);
        assert_eq!(club.moves(), ["f5"], "{purpose:?}");
    }
}

#[test]
fn a_code_is_good_in_its_own_game_only_as_far_as_the_player_is() {
    let club = Club::new();
    club.host("new othello alice carol@example.org");
    let started = club.mails().into_iter().find(|mail| mail.to == CAROL).unwrap();
    // Carol does not play in game 1, whatever code she has.
    assert_eq!(club.takes(&started.answered("move 1 f5")), "done");
    club.mail_to(CAROL).says("carol does not play in game 1");
    assert_eq!(club.takes(&started.answered("resign 1")), "done");
    club.mail_to(CAROL).says("carol does not play in game 1");
    assert_eq!(club.moves(), [""; 0]);
    // A move that names its game and has no number is one in that game.
    club.host("move 2 f5");
    club.mails();
    assert_eq!(club.takes(&started.answered("move 2 d6#2")), "done");
    club.mail_to(ALICE);
}

#[test]
fn an_address_too_long_for_a_code_sends_nothing_that_cannot_be_answered() {
    let club = Club::empty("");
    let long = "o".repeat(40);
    let config = format!("[mail]\nfrom = \"{long}@club.example\"\n");
    std::fs::write(club.path("config.toml"), config).unwrap();
    club.host("new othello alice@example.org bob@example.org");
    club.no_mail();
    let told = club.host("--json mail 1");
    assert!(told.contains("too long to carry codes"), "{told}");
}

/// Mail servers quote what they refuse, and the host reads it.
#[test]
fn what_a_mail_server_quotes_shows_the_host_no_code() {
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
            let transport = "[transport]\nkind = \"sendmail\"\ncommand = [\"sh\", \"fail.sh\"]";
            let club = Club::empty(&format!("{receive}\n{transport}"));
            let script = club.path("fail.sh").to_str().unwrap().to_owned();
            let config = std::fs::read_to_string(club.path("config.toml")).unwrap();
            std::fs::write(club.path("config.toml"), config.replace("fail.sh", &script)).unwrap();
            std::fs::write(&script, format!("{quote} >&2\nexit 75\n")).unwrap();
            club.host("new othello alice@example.org bob@example.org");
            let told = club.host("--json mail") + &club.host("mail 1");
            assert!(told.contains("75") || told.contains(known), "{quote}: {told}");
            let sent = club.comes_again(&Letter::from(STRANGER).says("help"));
            assert_eq!(sent.0, Some(0), "{sent:?}");
            club.host("--json mail");
            club.later(24 * 60);
            let failed = club.fails("send");
            assert_eq!(codes_in(&failed), [], "{quote}: {failed}");
        }
    }
}

#[test]
fn where_addresses_carry_no_code_the_subject_of_a_mail_that_unsubscribes_does() {
    let club = Club::configured("plus_addressing = false");
    let asked = club.turn_after("f5");
    let field = asked.raw.split("List-Unsubscribe: <mailto:outflank@club.example?subject=");
    let (subject, _) = field.last().unwrap().split_once('>').unwrap();
    let subject = subject.replace("\r\n", "").replace("\n", "").replace(' ', "");
    let letter = Letter::from(BOB).subject(&subject.replace("%20", " "));
    assert_eq!(club.takes(&letter), "done");
    club.mail_to(BOB).says("bob gets no turn mails of game 1");
}
