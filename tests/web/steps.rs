//! Moves, words and plans on the page of a game.

use axum::http::StatusCode;

use super::{Pages, WEB};
use crate::harness::{ALICE, BOB, TestEnvironment, until};

#[test]
fn a_move_and_words_are_one_step() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let form = |mv: &str| {
        format!("history={}&command=move&text={mv}&say=Good+%3Cb%3Eluck", pages.history())
    };
    // Without the move, nothing is said; what was typed is on the page.
    let refused = pages.post(&alice, &form("a1"));
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.body.contains(">Good &lt;b&gt;luck</textarea>"), "{}", refused.body);
    assert_eq!(pages.env.stored(1).game.events().len(), 0);
    assert!(pages.get(&alice).body.contains("name=\"say\""));
    assert_eq!(pages.post(&alice, &form("f5")).status, StatusCode::SEE_OTHER);
    assert_eq!(pages.env.moves(1), ["f5"]);
    until("bob gets his turn mail", || pages.env.count("bob turn sent") == 1);
    let mails = pages.env.mails();
    let turn = mails.iter().find(|mail| mail.to == BOB).unwrap();
    assert!(turn.text.contains("Good <b>luck"), "{}", turn.text);
}

#[test]
fn words_are_mailed_at_once_if_their_author_wants_that() {
    let pages = Pages::new();
    let alice = pages.play("alice");
    let box_of = |page: &str| page.contains("<input type=\"checkbox\" name=\"now\"");
    assert!(box_of(&pages.get(&alice).body));
    let form = format!("history={}&command=say&text=Hello&now=yes", pages.history());
    let said = pages.post(&alice, &form);
    assert_eq!(said.headers["location"], format!("{alice}?done=say&now=yes"));
    let page = pages.get(said.headers["location"].to_str().unwrap()).body;
    assert!(page.contains("bob is mailed what you said in game 1."), "{page}");
    until("bob is mailed", || pages.env.mails_to(BOB).iter().any(|it| it.text.contains("Hello")));
    // After the end, all words are mailed at once.
    pages.act(&alice, "resign", "");
    assert!(!box_of(&pages.get(&alice).body));
}

#[test]
fn the_page_has_the_whole_talk() {
    let pages = Pages::new();
    for number in 1..=10 {
        pages.env.ok(&format!("--as bob say 1 'Word {number}.'"));
    }
    let page = pages.get(&pages.play("alice")).body;
    let (earlier, latest) = page
        .split_once("<p class=\"said\">Before the first move:")
        .unwrap()
        .1
        .split_once("</details>")
        .unwrap();
    for number in 1..=10 {
        let word = format!("bob: Word {number}.");
        assert_eq!(
            (earlier.contains(&word), latest.contains(&word)),
            (number < 3, number > 2),
            "{page}"
        );
    }
    pages.env.ok("--as alice block bob");
    assert!(!pages.get(&pages.play("alice")).body.contains("Word 1."));
    assert!(!pages.get(&pages.watch()).body.contains("Word 1."));
}

/// Returns the values of the squares that make a plan.
fn squares(page: &str) -> Vec<String> {
    let squares = page.split("<button name=\"plan\" value=\"").skip(1);
    squares.filter_map(|it| it.split('"').next()).map(str::to_owned).collect()
}

#[test]
fn a_plan_is_made_on_the_board() {
    let pages = Pages::new();
    pages.env.ok("move 1 f5");
    let alice = pages.play("alice");
    let page = pages.get(&alice).body;
    assert!(
        page.contains(&format!("href=\"{alice}?plan=\"")) && squares(&page).is_empty(),
        "{page}"
    );
    let page = pages.get(&format!("{alice}?plan=")).body;
    assert_eq!(squares(&page), ["f4", "d6", "f6"]);
    assert!(page.contains("Choose the next move of your opponent on the board."), "{page}");
    let page = pages.get(&format!("{alice}?plan=d6")).body;
    assert!(page.contains("If bob plays d6: choose your answer on the board."), "{page}");
    assert!(squares(&page).contains(&"d6 c3".to_owned()), "{page}");
    assert!(!page.contains("Keep this branch"), "{page}");
    let page = pages.get(&format!("{alice}?plan=d6+c3")).body;
    assert!(page.contains("value=\"d6 c3\"><button class=\"go\">Keep this branch<"), "{page}");
    assert!(page.contains(&format!("href=\"{alice}?plan=d6\">One move back<")), "{page}");
    assert_eq!(pages.act(&alice, "plan", "d6+c3").status, StatusCode::SEE_OTHER);
    // The next branch is added to those before it, and each can be removed.
    let page = pages.get(&format!("{alice}?plan=f6+e6")).body;
    assert!(page.contains("value=\"d6 c3 / f6 e6\""), "{page}");
    pages.act(&alice, "plan", "d6+c3+/+f6+e6");
    let page = pages.get(&alice).body;
    assert!(page.contains("value=\"f6 e6\"><span>Your plan: d6 c3</span>"), "{page}");
    pages.act(&alice, "plan", "off");
    assert!(!pages.get(&alice).body.contains("Your plan:"));
    // Nothing else can be planned.
    for (player, plan) in [("alice", "a1"), ("alice", "d6+d6"), ("bob", ""), ("bob", "d6")] {
        let page = pages.get(&format!("{}?plan={plan}", pages.play(player)));
        assert_eq!(
            (page.status, squares(&page.body)),
            (StatusCode::OK, Vec::new()),
            "{player} {plan}"
        );
    }
    assert!(squares(&pages.get(&format!("{}?plan=", pages.watch())).body).is_empty());
}

#[test]
fn deadlines_are_in_the_zone_of_the_reader_with_the_time_left() {
    let env = TestEnvironment::new().config(WEB);
    env.ok(&format!("new othello {ALICE} {BOB} --clock 3d"));
    env.ok("--as bob set timezone Europe/Amsterdam");
    let pages = Pages::of(env);
    let line = |player| {
        let page = pages.get(&pages.play(player)).body;
        page.split("<p>Deadline: ").nth(1).unwrap().split("</p>").next().unwrap().to_owned()
    };
    let [alice, bob] = ["alice", "bob"].map(line);
    assert!(alice.starts_with("alice until ") && alice.ends_with("(UTC), in 3 days"), "{alice}");
    assert!(
        bob.starts_with("alice until ") && bob.ends_with("(Europe/Amsterdam), in 3 days"),
        "{bob}"
    );
    assert!(pages.get(&pages.play("alice")).body.contains("<p id=\"local\" hidden>"));
}
