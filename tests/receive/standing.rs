//! Who wrote a mail, and how far that is believed.

use outflank::mail::token::Purpose;

use crate::club::{ALICE, BOB, CLUB, Club, Letter, STRANGER};

#[test]
fn a_code_in_other_hands_moves_nothing_and_is_told_once_for_each_address() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    for text in ["d6", "c4", "resign", "help"] {
        assert_eq!(club.takes(&turn.answered(text).by(STRANGER)), "imposter");
    }
    club.mail_to(BOB).says(STRANGER);
    assert_eq!(club.takes(&turn.answered("d6").by("MALLORY@evil.example")), "imposter");
    club.no_mail();
    // The opponent is nobody else.
    assert_eq!(club.takes(&turn.answered("d6").by(ALICE)), "imposter");
    club.mail_to(BOB).says(ALICE);
    assert_eq!(club.moves(), ["f5"]);
    assert_eq!(club.game()["result"], serde_json::Value::Null);
    // The player's own address counts in either case.
    assert_eq!(club.takes(&turn.answered("d6").by("Bob <BOB@Example.ORG>")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
    club.mail_to(ALICE);
}

#[test]
fn a_code_is_enough_where_the_host_says_so() {
    let club = Club::configured("token_only = true");
    let turn = club.turn_after("f5");
    assert_eq!(club.takes(&turn.answered("d6").by("bob@elsewhere.example")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
    club.mail_to(ALICE);
    // What is refused is told to the player, and not to whoever wrote.
    assert_eq!(club.takes(&turn.answered("a1").by("bob@elsewhere.example")), "done");
    club.mail_to(BOB);
}

const DMARC: &str = "mx.club.example; dmarc=pass header.from=example.org";

#[test]
fn our_own_mail_servers_word_is_believed_and_nobody_elses() {
    let id = "authserv_id = \"mx.club.example\"";
    let believed = |receive: &str, results: &[&str]| {
        let club = Club::configured(receive);
        let mut letter = Letter::from(ALICE).says("move 1 f5");
        for result in results {
            letter = letter.and("Authentication-Results", result);
        }
        let fate = club.takes(&letter);
        let moved = club.moves() == ["f5"];
        assert_eq!(fate, if moved { "done" } else { "held" });
        moved
    };
    assert!(believed(id, &[DMARC]));
    assert!(believed(id, &["mx.club.example; dkim=pass header.d=example.org"]));
    assert!(!believed("", &[DMARC]), "no server is named");
    assert!(!believed(id, &[]));
    assert!(!believed(id, &["mx.evil.example; dmarc=pass", DMARC]), "only the first field counts");
    assert!(!believed(id, &["mx.club.example; dmarc=fail", DMARC]));
    assert!(!believed(id, &["mx.club.example; spf=pass smtp.mailfrom=example.org"]));
    assert!(!believed(id, &["mx.club.example; dkim=pass header.d=evil.example"]));
    assert!(!believed(id, &["mx.club.example.evil.example; dmarc=pass"]));
    assert!(!believed("authserv_id = \"\"", &["; dmarc=pass"]));
}

#[test]
fn what_anybody_could_have_written_waits_for_a_word() {
    let club = Club::new();
    assert_eq!(club.takes(&Letter::from(ALICE).says("Hello!\nmove 1 f5\nreceipt on")), "held");
    let asked = club.mail_to(ALICE);
    asked.says("move 1 f5#1").says("receipt on");
    assert_eq!(club.moves(), [""; 0]);

    assert_eq!(club.takes(&asked.answered("yes")), "done");
    assert_eq!(club.moves(), ["f5"]);
    let told = club.mails();
    assert_eq!(told.iter().filter(|mail| mail.to == BOB).count(), 1);

    // It is carried out once.
    club.host("move 1 d6");
    club.mails();
    assert!(club.takes(&asked.answered("yes")).starts_with("ignored"));
    club.no_mail();
    assert_eq!(club.moves(), ["f5", "d6"]);
}

#[test]
fn a_no_ends_what_waits_however_it_is_said() {
    for no in [
        "no",
        "No.",
        "\n\nNO!\n",
        "No, that was not me.",
        "no thanks",
        "cancel",
        "stop",
        "no - mallory did that",
        "Hi,\n\nno",
        "This was not me!",
        "It wasn't me",
        "Nein, das war ich nicht.",
        "Ce n'était pas moi",
        "いいえ、違います",
    ] {
        let club = Club::new();
        club.takes(&Letter::from(ALICE).says("move 1 f5"));
        let asked = club.mail_to(ALICE);
        assert_eq!(club.takes(&asked.answered(no)), "done", "{no}");
        assert_eq!(club.moves(), [""; 0], "{no}");
        assert!(club.takes(&asked.answered("yes")).starts_with("ignored"), "{no}");
        assert_eq!(club.moves(), [""; 0], "{no}");
        club.no_mail();
    }
    let notice = "This mail and what is attached to it are for you, and if you are not whom it is \
                  for, delete it";
    // It may stand right below what is quoted, too.
    for receive in ["", "plus_addressing = false"] {
        let club = Club::configured(receive);
        club.takes(&Letter::from(ALICE).says("move 1 f5"));
        let asked = club.mail_to(ALICE);
        let quoted: String = asked.text.trim_end().lines().map(|it| format!("> {it}\n")).collect();
        assert_eq!(club.takes(&asked.answered(&format!("{quoted}no\n"))), "done");
        assert_eq!(club.moves(), [""; 0], "{receive}");
        club.no_mail();
    }
    // A word that only begins like it is none, nor is one behind a yes or in a notice.
    for yes in ["Now go on", "Yes, why not?", notice] {
        let club = Club::new();
        club.takes(&Letter::from(ALICE).says("move 1 f5"));
        club.takes(&club.mail_to(ALICE).answered(yes));
        assert_eq!(club.moves(), ["f5"], "{yes}");
    }
}

#[test]
fn nobody_else_can_say_the_word() {
    let club = Club::new();
    club.takes(&Letter::from(ALICE).says("resign 1"));
    let asked = club.mail_to(ALICE);
    for other in [STRANGER, BOB] {
        assert_eq!(club.takes(&asked.answered("yes").by(other)), "imposter");
        club.mail_to(ALICE).says(other);
        assert_eq!(club.takes(&asked.answered("no").by(other)), "imposter");
        club.no_mail();
    }
    assert_eq!(club.takes(&asked.answered("ok")), "done");
    assert!(club.game()["result"] != serde_json::Value::Null);
}

#[test]
fn an_address_that_the_player_has_left_says_no_word_either() {
    let club = Club::new();
    club.takes(&Letter::from(ALICE).says("move 1 f5"));
    let asked = club.mail_to(ALICE);
    club.host("address alice liddell@example.org");
    assert_eq!(club.takes(&asked.answered("yes")), "imposter");
    assert_eq!(club.moves(), [""; 0]);
    club.host("address alice alice@example.org");
    assert_eq!(club.takes(&asked.answered("Yes.")), "done");
    assert_eq!(club.moves(), ["f5"]);
    club.forgets_mail_to("liddell@example.org");
}

#[test]
fn a_word_that_comes_too_late_does_nothing() {
    let club = Club::new();
    club.takes(&Letter::from(ALICE).says("move 1 f5"));
    let asked = club.mail_to(ALICE);
    club.later(8 * 24 * 60);
    assert_eq!(club.takes(&asked.answered("yes")), "done");
    club.mail_to(ALICE).says("more than a week");
    assert_eq!(club.moves(), [""; 0]);
}

#[test]
fn what_waited_is_refused_where_it_cannot_be_any_more() {
    let club = Club::new();
    club.takes(&Letter::from(ALICE).says("move 1 f5"));
    let asked = club.mail_to(ALICE);
    // It is alice's turn again, and f5 would be legal: but that is another move.
    club.turn_after("d3");
    club.turn_after("c3");
    assert!(club.game()["legal"].as_array().unwrap().contains(&"f5".into()));
    club.takes(&asked.answered("yes"));
    club.mail_to(ALICE).says("#1 is not the move to be made: that is #3");
    assert_eq!(club.moves(), ["d3", "c3"]);
}

#[test]
fn words_that_come_at_the_same_moment_are_one() {
    let club = Club::new();
    club.takes(&Letter::from(ALICE).says("move 1 f5\nreceipt on"));
    let asked = club.mail_to(ALICE);
    let words = (0..8).map(|n| asked.answered("yes").id(&format!("{n}@mail.example")));
    let fates = club.takes_at_once(&words.collect::<Vec<_>>());
    assert_eq!(fates.iter().filter(|fate| *fate == "done").count(), 1, "{fates:?}");
    assert_eq!(club.moves(), ["f5"]);
    let told: Vec<_> = club.mails().into_iter().map(|mail| mail.to).collect();
    assert_eq!(told.iter().filter(|to| *to == BOB).count(), 1, "{told:?}");
}

#[test]
fn a_bare_move_without_a_code_is_in_no_game() {
    let club = Club::new();
    assert_eq!(club.takes(&Letter::from(ALICE).says("f5")), "done");
    club.mail_to(ALICE).says("move 12 d3");
    assert_eq!(club.moves(), [""; 0]);
}

#[test]
fn whoever_wants_to_play_signs_up_and_says_so_twice() {
    let club = Club::new();
    assert_eq!(
        club.takes(&Letter::from("carol@example.org").says("Hi there\nsignup carol")),
        "held"
    );
    let asked = club.mail_to("carol@example.org");
    asked.says("signup carol");
    let players = |club: &Club| club.host("--json players");
    assert!(!players(&club).contains("carol"));
    assert_eq!(club.takes(&asked.answered("yes").by(STRANGER)), "imposter");
    club.no_mail();
    assert_eq!(club.takes(&asked.answered("Yes please")), "done");
    assert!(players(&club).contains("carol"));
    let welcome = club.mail_to("carol@example.org");
    assert_eq!(club.takes(&welcome.answered("games")), "done");
    club.mail_to("carol@example.org");
    assert!(club.takes(&asked.answered("yes")).starts_with("ignored"));
    club.no_mail();
}

#[test]
fn names_that_are_taken_meanwhile_are_refused() {
    let club = Club::new();
    club.takes(&Letter::from("carol@example.org").says("signup Alice"));
    club.mail_to("carol@example.org").says("taken");
    club.takes(&Letter::from("carol@example.org").says("signup carol"));
    let asked = club.mail_to("carol@example.org");
    club.host("signup carol other@example.org");
    club.takes(&asked.answered("yes"));
    club.mail_to("carol@example.org").says("taken");
    club.takes(&Letter::from(ALICE).says("signup alice2"));
    club.mail_to(ALICE).says("you play here already, as alice");
}

#[test]
fn a_stranger_is_answered_and_never_quoted() {
    const SPAM: &str = "pills.example";
    for text in [
        "Buy at pills.example",
        "signup http://pills.example/",
        "signup pills.example/1",
        "signup pills.example now",
        "signup bob\nBuy at pills.example",
        "move 1 f5 pills.example",
        "show pills.example",
        "help pills.example",
        "games pills.example",
        "resign 1 pills.example",
        "help",
        "",
    ] {
        let club = Club::new();
        let letter = Letter::from(STRANGER).says(text).subject("Buy at pills.example");
        let letter = letter.with("Comments", SPAM).id("1@pills.test");
        assert_eq!(club.takes(&letter), "stranger", "{text}");
        let answer = club.mail_to(STRANGER);
        answer.says("signup NAME");
        assert!(!answer.raw.contains("pills.example"), "{text}: {}", answer.raw);
        assert_eq!(answer.header("In-Reply-To"), "<1@pills.test>");
        assert_eq!(answer.header("Auto-Submitted"), "auto-replied");
        assert_eq!(club.moves(), [""; 0], "{text}");
    }
    // The subject is read as a command, too, but said no more.
    let club = Club::new();
    assert_eq!(club.takes(&Letter::from(STRANGER).subject("Re: signup pills.example")), "held");
    assert_eq!(club.mail_to(STRANGER).header("Subject"), "Outflank");
}

#[test]
fn a_stranger_can_do_nothing_to_a_game() {
    let club = Club::new();
    for text in [
        "move 1 f5",
        "resign 1",
        "show 1",
        "games",
        "players",
        "history 1",
        "receipt on",
        "subscribe 1",
    ] {
        assert_eq!(club.takes(&Letter::from(STRANGER).says(text)), "stranger", "{text}");
        let answer = club.mail_to(STRANGER);
        assert!(!answer.raw.contains("alice") && !answer.raw.contains("bob"), "{}", answer.raw);
        club.later(60);
    }
    assert_eq!(club.moves(), [""; 0]);
}

#[test]
fn an_address_that_a_player_has_left_is_a_strangers() {
    let club = Club::new();
    let turn = club.turn_after("f5");
    club.host("address bob robert@example.org");
    assert_eq!(club.takes(&turn.answered("d6")), "imposter");
    club.mail_to("robert@example.org").says(BOB);
    assert_eq!(club.takes(&turn.answered("d6").by("robert@example.org")), "done");
    assert_eq!(club.moves(), ["f5", "d6"]);
    club.host(&format!("address bob {BOB}"));
    club.mails();
    club.forgets_mail_to("robert@example.org");
}

#[test]
fn a_confirmation_that_was_never_asked_for_confirms_nothing() {
    let club = Club::new();
    let code = club.code(Purpose::Confirm, "bob", 1, 0);
    let letter = Letter::from(BOB).to(&format!("outflank+{code}@club.example")).says("yes");
    assert!(club.takes(&letter).starts_with("ignored"));
    assert_eq!(club.takes(&Letter::from(CLUB).says("help")), "ignored: our own");
    club.no_mail();
}
