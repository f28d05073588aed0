//! Fixed seeds, and what the simulator says of itself.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use outflank::app::{HostCommand, PlayerCommand};

use super::process::Ran;
use super::server::{Accepted, Difference};
use super::step::Step;
use super::{
    glicko, holds, pages, plan, plans_are_hidden, repeat, replay, sentence, shortest, simulate,
};
use crate::harness::PROGRAM;

const STEPS: usize = 400;

/// Checks that a world from this seed has all faults but no violation. Returns its hash.
fn check(seed: u64, program: Option<&Path>) -> u64 {
    let outcome = simulate(seed, STEPS, None, program);
    if let Some(violation) = &outcome.violation {
        let trail = shortest(&outcome, Duration::from_secs(60), program);
        let trail: Vec<_> = trail.iter().map(Step::to_string).collect();
        panic!("seed {seed}: {violation}\n{}", trail.join("\n"));
    }
    let tally = outcome.tally;
    let counts = [tally.games, tally.mails, tally.kills, tally.power_cuts, tally.mail_faults];
    assert!(counts.iter().all(|count| *count > 5), "seed {seed}: {tally}");
    outcome.hash
}

#[test]
fn nothing_is_violated_in_a_world_which_is_the_same_the_second_time() {
    assert_eq!(check(13, None), check(13, None));
}

// How much mail the program delivers depends on how fast the machine is.
#[test]
fn nothing_is_violated_in_a_world_with_the_built_program() {
    check(38, Some(Path::new(PROGRAM)));
}

#[test]
fn a_trail_is_text_that_can_be_repeated() {
    let outcome = simulate(3, 60, None, None);
    let lines = outcome.trail.iter().map(Step::to_string);
    let trail: Vec<Step> = lines.map(|line| line.parse().unwrap()).collect();
    assert_eq!(trail, outcome.trail);
    assert_eq!(repeat(&trail, None).hash, outcome.hash);
}

#[test]
fn two_worlds_that_differ_only_in_a_plan_look_alike_to_others() {
    let compared = (23..28).find_map(|seed| {
        let outcome = simulate(seed, STEPS, None, None);
        assert!(outcome.violation.is_none(), "{:?}", outcome.violation);
        let compared = plans_are_hidden(&outcome.trail);
        // Not every world has a plan.
        (!matches!(compared, Ok(..3))).then_some(compared)
    });
    assert!(matches!(compared, Some(Ok(_))), "{compared:?}");
}

/// The example of Glickman's paper with one of its games: 1500 ± 200 beats 1400 ± 30.
#[test]
fn ratings_are_those_of_the_paper() {
    let rating = |rating, deviation| glicko::Rating { rating, deviation, ..glicko::NEW };
    let (first, second) = (rating(1500.0, 200.0), rating(1400.0, 30.0));
    let after = [first.after_game(second, 1.0), second.after_game(first, 0.0)];
    let rounded = after.map(|it| [it.rating, it.deviation].map(f64::round));
    assert_eq!(rounded, [[1564.0, 175.0], [1398.0, 32.0]]);
    let grown = rating(1500.0, 60.0).after_days(365.0).deviation;
    assert!((grown - 110.0).abs() < 0.001, "{grown}");
}

#[test]
fn labels_of_the_hex_lattice_are_cells() {
    let cells = ["A1", "ZZ3", "AA0", "ZZZ-1", "AB2", "AZ2", "BA2", "BC2", "d3"].map(replay::place);
    let columns = cells.map(|cell| cell.map(|(column, _)| column));
    assert_eq!(columns, [0, -1, -26, -27, 26, 50, 51, 52, 3].map(Some));
    assert_eq!([cells[2], cells[3]], [Some((-26, 0)), Some((-27, -1))]);
}

#[test]
fn each_value_name_of_a_command_has_values() {
    let commands = PlayerCommand::ALL.iter().chain(HostCommand::ALL).map(|traits| traits.word);
    let unknown = commands.flat_map(plan::unknown_value_names);
    assert_eq!(unknown.collect::<Vec<_>>(), Vec::<String>::new(), "add them to `value` in plan.rs");
}

/// Returns a mail with this Message-ID that was accepted.
fn accepted(id: &str, text: &str, may_come_again: bool) -> Accepted {
    let (to, id, text) = ("ann@people.example".to_owned(), id.to_owned(), text.to_owned());
    let (from, may_differ, shown) = (String::new(), Difference::Nothing, None);
    let decoded = OnceLock::new();
    Accepted { from, to, id, text, may_come_again, may_differ, shown, decoded }
}

#[test]
fn a_mail_that_comes_twice_is_found() {
    let twice = |first: Accepted, text: &str| {
        holds::mails_come_once(&[first, accepted("1", text, false)], 1).err().map(|it| it.found)
    };
    assert_eq!(twice(accepted("1", "a", true), "a"), None);
    assert_eq!(twice(accepted("2", "a", false), "a"), None);
    let found = "1 came twice to ann@people.example";
    assert_eq!(twice(accepted("1", "a", false), "a").as_deref(), Some(found));
    let found = "1 came again with other bytes: Some((\"a\", \"b\"))";
    assert_eq!(twice(accepted("1", "a", true), "b").as_deref(), Some(found));
}

#[test]
fn what_a_program_writes_by_mistake_is_found() {
    for wrong in
        ["You have 1 games.", "It is None.", "Your turn , ann.", "It ends  now.", "At null."]
    {
        assert!(sentence::fault(wrong).is_some(), "{wrong}");
    }
    for right in ["You have 11 games.", "It was annulled.", "ann says \"None, 1 games\"."] {
        assert_eq!(sentence::fault(right), None);
    }
}

#[test]
fn a_status_or_a_panic_is_found() {
    let words = ["show".to_owned(), "1".to_owned()];
    let is_well = |ran: Ran| holds::reply_is_well_formed(&words, &ran).is_ok();
    assert!(is_well(Ran { status: 1, ..Ran::default() }));
    assert!(!is_well(Ran { status: 3, ..Ran::default() }));
    assert!(!is_well(Ran { panic: Some("an index".to_owned()), ..Ran::default() }));
    assert!(!is_well(Ran { json: Some("{".to_owned()), ..Ran::default() }));
}

#[test]
fn a_step_is_the_line_that_it_prints() {
    for line in [
        "a wait -60",
        "b kill ann$ say 1 'good luck'",
        "c host@elsewhere$ mail adopt",
        "d host$ send && e ann@elsewhere$ move 1 d3",
        "f page /play/abc?choose=d3",
        "10 forge /play/abc history=1&command=resign",
        "11 power form /me/abc command=set%20quiet&text=off",
    ] {
        assert_eq!(line.parse::<Step>().unwrap().to_string(), line);
    }
    assert!("12 jump".parse::<Step>().is_err());
}

#[test]
fn forms_are_read_as_a_browser_shows_them() {
    let page = "<form hidden method=post action=/a><input type=hidden name=b value=1></form>
                <form method=post action=/c><input type=hidden name=d value='x y'><textarea name=text></textarea>
                <select name=text><option value=1><option value=2></select><button>Say</button></form><a href=/e>E</a><a href=https://other.example/>F</a>";
    let forms = pages::forms(page);
    let [form] = &forms[..] else { panic!("{forms:?}") };
    assert_eq!((form.path.as_str(), form.is_post), ("/c", true));
    assert_eq!(form.encoded(Some("hi!"), |values| values - 1), "d=x%20y&text=hi%21&text=2");
    assert!(!form.sends("d=x%20y&text=1"));
    assert_eq!(pages::links(page), ["/e"]);
}
