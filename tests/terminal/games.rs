//! Games on the board.

use outflank_rules::Color;
use vt100::Screen;

use super::Terminal;
use crate::harness::TestEnvironment;

/// A game where the computer player thinks for seconds about its first move.
const THINKING: &str = "play bot:10 --white --size 10x10";

impl TestEnvironment {
    /// Returns whether a terminal shows game 1 as it stands: each move changes the score.
    fn is_shown(&self, screen: &Screen) -> bool {
        let stored = self.stored(1);
        let text = screen.contents().replace("(you)", "");
        let text = format!("{} ", text.split_whitespace().collect::<Vec<_>>().join(" "));
        [Color::Black, Color::White].into_iter().all(|color| {
            let (name, discs) = (stored.name(color), stored.game.position().count(color));
            text.contains(&format!(" {name} {discs} "))
        })
    }

    /// Returns whether a process thinks about a move.
    fn is_thinking(&self) -> bool {
        let claimed = "SELECT count(*) FROM job WHERE lease IS NOT NULL";
        self.database().exists()
            && self.sqlite().query_row(claimed, [], |row| row.get::<_, i64>(0)) == Ok(1)
    }
}

#[test]
fn a_game_against_the_computer_is_played_to_its_end() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::of(&env, "play bot:novice --variant mini");
    terminal.shows("novice");
    let mut sizes = [(15, 40), (50, 200), (24, 80)].into_iter();
    loop {
        let turn = || env.stored(1).game.turn();
        terminal.until("my turn", |screen| turn() != Some(Color::White) && env.is_shown(screen));
        if turn().is_none() {
            break;
        }
        let moves = env.plies(1);
        terminal.keys(&format!("{}\r", env.legal(1)));
        terminal.until("the move", |_| env.plies(1) > moves);
        if let Some((rows, columns)) = sizes.next() {
            terminal.resize(rows, columns);
        }
    }
    assert_eq!(sizes.next(), None, "the game is too short");
    terminal.shows(" wins ");
    terminal.keys("Q");
    assert!(terminal.end().success());
    env.no_mail();
}

#[test]
fn after_the_end_come_an_analysis_and_a_stronger_computer_player() {
    let env = TestEnvironment::new();
    env.ok("signup ann --no-mail");
    let mut terminal = Terminal::of(&env, "play mini --moves b1a1c4d4d3b4a4c1d1d2a3 --as ann");
    terminal.shows("Enter plays a2");
    terminal.keys("\r");
    terminal.shows("G again, B stronger, L list");
    terminal.keys("A");
    terminal.shows("Accuracy:");
    let shown = terminal.screen();
    assert!(shown.find("Accuracy:") < shown.find("Better"), "{shown}");
    terminal.keys("B");
    terminal.shows("bot:beginner");
    terminal.shows("Game 2");
}

#[test]
fn two_people_at_one_keyboard_take_moves_back() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::of(&env, "play ann ben");
    terminal.shows("ann is to move");
    for (keys, moves) in [
        ("d3\r", &["d3"][..]),
        ("c3\r", &["d3", "c3"]),
        ("U", &["d3"]),
        ("c5\r", &["d3", "c5"]),
        ("U", &["d3"]),
        ("U", &[]),
    ] {
        terminal.keys(keys);
        terminal.until(keys, |screen| env.moves(1) == moves && env.is_shown(screen));
    }
    env.no_mail();
}

#[test]
fn a_move_by_mail_appears_meanwhile() {
    let env = TestEnvironment::new().with_game();
    let mail = env.turn_after("f5");
    let mut terminal = Terminal::of(&env, "play 1 --as alice");
    terminal.until("the game", |screen| env.is_shown(screen));
    assert_eq!(env.receive(&mail.reply("d6")), "done");
    terminal.until("the move", |screen| env.is_shown(screen));
    terminal.keys("c3\r");
    terminal.until("the next move", |screen| env.plies(1) == 3 && env.is_shown(screen));
    terminal.until("its mail", |_| env.count("bob turn sent") == 2);
}

#[test]
fn a_killed_game_goes_on_at_once() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::of(&env, THINKING);
    terminal.until("the computer thinks", |_| env.is_thinking());
    terminal.kill();
    assert_eq!(env.plies(1), 0);
    // The clock stands still, so the claim of the killed process does not end by itself.
    let mut terminal = Terminal::of(&env, "play");
    terminal.until("its move", |screen| env.plies(1) == 1 && env.is_shown(screen));
}

#[test]
fn leaving_gives_the_work_of_the_computer_back() {
    let env = TestEnvironment::new();
    let mut terminal = Terminal::of(&env, THINKING);
    terminal.until("the computer thinks", |_| env.is_thinking());
    terminal.keys("Q");
    assert!(terminal.end().success());
    assert!(!env.is_thinking());
    assert_eq!(env.plies(1), 0);
}
