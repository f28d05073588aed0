//! What people answer to the questions of the game, as they write it. Each answer does what it means, or is
//! asked back with buttons for both.

use std::fs;

use crate::harness::{ALICE, BOB, Mail, TestEnvironment, buttons};

/// What an answer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    Yes,
    No,
    /// Nothing: it is asked back.
    Asked,
}

/// Answers to any question.
#[rustfmt::skip]
const ANSWERS: &[(&str, Done)] = &[
    ("yes", Done::Yes), ("Yes!", Done::Yes), ("ok", Done::Yes), ("OK.", Done::Yes), ("Okay, thanks", Done::Yes),
    ("Sure", Done::Yes), ("I accept", Done::Yes), ("I\u{2019}d love to", Done::Yes), ("Yes, please", Done::Yes),
    ("Ja, gerne!", Done::Yes), ("Oui, merci", Done::Yes), ("yes\n\nBob", Done::Yes),
    ("Yes, let's play!\n\n-- \nBob", Done::Yes), ("\u{1f44d}", Done::Yes), ("accept", Done::Yes),
    ("Bien sûr, merci !", Done::Yes), ("Sí, gracias", Done::Yes), ("Да, спасибо", Done::Yes), ("はい", Done::Yes),
    ("好的，谢谢", Done::Yes), ("Graag!", Done::Yes), ("Claro que sim, obrigada", Done::Yes),
    ("Nej tack", Done::No), ("Nee, bedankt", Done::No), ("Não, obrigado", Done::No), ("Нет, спасибо", Done::No),
    ("いいえ、結構です", Done::No), ("不要，谢谢", Done::No), ("Nie, dziękuję", Done::No),
    ("Ja, aber erst morgen", Done::Asked), ("Oui ou non ?", Done::Asked),
    ("no", Done::No), ("No.", Done::No), ("No, thanks", Done::No), ("Nope", Done::No), ("no thank you", Done::No),
    ("I decline", Done::No), ("Nein danke", Done::No), ("Sorry, no", Done::No), ("Not now", Done::No),
    ("decline", Done::No),
    ("Hi Alice,\nyes", Done::Asked), ("yes?", Done::Asked), ("no yes", Done::Asked),
    ("Yes, but only tomorrow", Done::Asked), ("Let me think about it", Done::Asked), ("thanks", Done::Asked),
    ("Who are you?", Done::Asked), ("no problem", Done::Asked), ("Maybe", Done::Asked),
];

/// A question of alice, as bob is mailed it in a club of the two.
struct Question {
    env: TestEnvironment,
    mail: Mail,
    /// The state of what is asked about.
    state: fn(&TestEnvironment) -> Done,
}

impl Question {
    /// A question in game 1 after f5, which alice asks with this command.
    fn in_game(command: &str, state: fn(&TestEnvironment) -> Done) -> Self {
        let env = TestEnvironment::new();
        env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
        env.ok("move 1 f5");
        env.mails();
        env.ok(&format!("{command} 1 --as alice"));
        let mail = env.mail_to(BOB);
        Self { env, mail, state }
    }

    /// Answers the question in a copy of the club. Returns what that did, and the mails to bob.
    fn answered(&self, text: &str) -> (Done, Vec<Mail>) {
        let copies = ["", "-wal"].map(|end| self.env.path(&format!("outflank.db{end}")));
        let copies = copies.map(|path| (fs::read(&path).ok(), path));
        assert_eq!(self.env.receive(&self.mail.reply(text)), "done", "{text}");
        let done = (self.state)(&self.env);
        let mails = self.env.mails().into_iter().filter(|mail| mail.to == BOB).collect();
        fs::remove_file(self.env.path("outflank.db-shm")).unwrap();
        for (bytes, path) in copies {
            bytes.map_or_else(|| fs::remove_file(&path), |bytes| fs::write(&path, bytes)).unwrap();
        }
        (done, mails)
    }

    fn check(&self) {
        for &(text, expected) in ANSWERS {
            let (done, mails) = self.answered(text);
            assert_eq!(done, expected, "{text}");
            if done == Done::Asked {
                self.check_buttons(text, &mails);
            }
        }
    }

    fn check_buttons(&self, text: &str, mails: &[Mail]) {
        let [mail] = mails else { panic!("{text}: {mails:#?}") };
        let buttons = buttons(mail);
        let has = |word| buttons.iter().any(|it| it.starts_with(&format!("Reply ‹{word}")));
        assert!(has("accept") && has("decline"), "{text}: {buttons:?}");
    }
}

/// Returns what was done about the offer in game 1, which is accepted if `is_yes`.
fn offer(env: &TestEnvironment, is_yes: bool) -> Done {
    match (is_yes, env.game(1)["offer"].is_null()) {
        (true, _) => Done::Yes,
        (false, true) => Done::No,
        (false, false) => Done::Asked,
    }
}

#[test]
fn a_challenge_is_answered_with_yes_or_no() {
    let env = TestEnvironment::new();
    env.ok(&format!("signup alice {ALICE}"));
    env.ok(&format!("signup bob {BOB}"));
    env.ok("challenge bob --as alice");
    let mail = env.mail_to(BOB);
    let state = |env: &TestEnvironment| match env.json("show 1")["state"].as_str() {
        Some("open") => Done::Asked,
        Some("declined") => Done::No,
        _ => Done::Yes,
    };
    assert_eq!(env.receive(&mail.reply("rules")), "done");
    env.mail_to(BOB).says("The rules of challenge 1: Othello");
    Question { env, mail, state }.check();
}

#[test]
fn a_draw_is_answered_with_yes_or_no() {
    Question::in_game("draw", |env| offer(env, env.game(1)["turn"].is_null())).check();
}

#[test]
fn a_takeback_is_answered_with_yes_or_no() {
    Question::in_game("takeback", |env| offer(env, env.moves(1).is_empty())).check();
}

#[test]
fn a_pause_is_answered_with_yes_or_no() {
    Question::in_game("pause", |env| offer(env, env.game(1)["paused"] == true)).check();
}

#[test]
fn a_rematch_is_answered_with_yes_or_no() {
    let env = TestEnvironment::new().with_game();
    env.ok("resign 1 --as bob");
    env.mails();
    env.ok("rematch 1 --as alice");
    let mail = env.mail_to(BOB);
    let state = |env: &TestEnvironment| offer(env, env.run("show 2").status == Some(0));
    Question { env, mail, state }.check();
}

/// A mail with words of the other player does not ask for a plain answer: the words could be that.
#[test]
fn beside_words_an_answer_is_asked_back_until_it_is_clear() {
    let question = Question::in_game("draw", |env| offer(env, env.game(1)["turn"].is_null()));
    let Question { env, mail, .. } = &question;
    assert_eq!(env.receive(&mail.reply("Who are you?")), "done");
    let again = env.mail_to(BOB);
    env.ok("say 1 yes --now --as alice");
    let words = env.mail_to(BOB);
    assert_eq!(env.receive(&words.reply("yes")), "done");
    question.check_buttons("yes", &env.mails());
    assert_eq!((question.state)(env), Done::Asked);
    // The answer that asks back has no words of alice.
    assert_eq!(env.receive(&again.reply("No, thanks")), "done");
    assert_eq!((question.state)(env), Done::No);
}

/// Where addresses carry no token, the text says that its mail asked.
#[test]
fn without_plus_addressing_the_quotation_has_the_question() {
    let env = TestEnvironment::new().config("[receive]\nplus_addressing = false").with_game();
    env.ok("draw 1 --as alice");
    let mail = env.mail_to(BOB);
    assert_eq!(env.receive(&mail.reply("Ok, thanks")), "done");
    env.mail_to(BOB).says("alice waits for your answer");
    assert_eq!(env.receive(&mail.reply(&format!("Ok, thanks\n\n{}", mail.quoted()))), "done");
    assert_eq!(env.game(1)["result"]["reason"], "agreed");
}

#[test]
fn without_plus_addressing_a_challenge_is_answered_with_and_without_a_quotation() {
    for (text, is_quoted) in [("accept", false), ("Yes, please", true)] {
        let env = TestEnvironment::new().config("[receive]\nplus_addressing = false");
        env.ok(&format!("signup alice {ALICE}"));
        env.ok(&format!("signup bob {BOB}"));
        env.ok("challenge bob --as alice");
        let mail = env.mail_to(BOB);
        let quoted = if is_quoted { mail.quoted() } else { String::new() };
        assert_eq!(env.receive(&mail.reply(&format!("{text}\n\n{quoted}"))), "done", "{text}");
        assert_eq!(env.game(1)["status"], "active", "{text}");
    }
}

/// An answer is for the question that its mail showed.
#[test]
fn an_answer_is_for_the_question_of_its_mail() {
    let question = Question::in_game("draw", |env| offer(env, env.game(1)["turn"].is_null()));
    let Question { env, mail, .. } = &question;
    env.ok("decline 1 --as bob");
    env.ok("pause 1 --as alice");
    env.mails();
    assert_eq!(env.receive(&mail.reply("yes")), "done");
    env.mail_to(BOB).says("‹accept 1› was not done");
    assert_eq!(env.game(1)["paused"], false);
    // A subject is no answer, and neither is what a mail quotes.
    let pause = env.last_mail_to(BOB);
    for text in
        ["", "> yes", "On Sat, 21 Nov 2026 at 18:00, Outflank <o@example.org> wrote:\n> yes"]
    {
        assert_eq!(env.receive(&pause.reply(text).subject("Yes")), "done");
        assert_eq!(env.game(1)["paused"], false, "{text}");
    }
    // Commands below the answer are run.
    assert_eq!(env.receive(&pause.reply("No, thanks\n\nd6\nsay let's go on")), "done");
    assert_eq!((env.moves(1).len(), env.game(1)["offer"].is_null()), (2, true));
}
