//! Boards as pictures: SVG, and the same in PNG.

use std::fs;

use outflank_model::log::Game;
use outflank_model::render;

use super::{FIGURE_2, after, last};
use crate::harness::TestEnvironment;

/// Returns the elements of a picture that begin so.
fn elements<'s>(svg: &'s str, beginning: &str) -> Vec<&'s str> {
    svg.lines().filter(|line| line.starts_with(beginning)).collect()
}

fn drawn(game: &Game) -> String {
    render::svg(game.position(), Some(&last(game)), "a & b")
}

#[test]
fn a_picture_has_all_cells_discs_and_labels_and_marks_the_last_move() {
    let game = after("othello", FIGURE_2, "a1", "c7");
    let svg = drawn(&game);
    assert_eq!(elements(&svg, "<rect x=\"-20\" y=\"-20\" width=\"40\"").len(), 1, "a1");
    assert_eq!(elements(&svg, "<rect ").len(), 1 + 64, "{svg}");
    let discs = elements(&svg, "<circle ");
    assert_eq!(discs.len(), 11, "{svg}");
    let flipped = discs.iter().filter(|disc| disc.contains("dasharray")).count();
    assert_eq!(flipped, last(&game).flipped.len(), "{discs:?}");
    // c7 is two columns to the right of a1 and six rows below it.
    let placed = "<circle cx=\"80\" cy=\"240\" r=\"16\" fill=\"#f6f5ef\" stroke=\"#ffc53d\" stroke-width=\"3\"/>";
    assert!(discs.contains(&placed), "{discs:?}");
    assert_eq!(elements(&svg, "<text ").len(), 4 * 8);
    assert!(svg.contains("<title>a &amp; b</title>"), "{svg}");
}

#[test]
fn rows_of_the_hex_lattice_are_half_a_cell_further_to_the_right() {
    let game = after("oddthello", "(b bb ww)", "B2", "C4");
    let svg = drawn(&game);
    assert_eq!(elements(&svg, "<path ").len(), game.position().cells().count(), "{svg}");
    let discs = elements(&svg, "<circle ");
    assert_eq!(discs.len(), 5, "{discs:?}");
    // A1 is at the origin: B2 is one and a half cells to the right of it, and C3 three.
    assert!(discs[0].starts_with("<circle cx=\"60\" cy=\"34.64\" "), "{discs:?}");
    assert!(discs[3].starts_with("<circle cx=\"120\" cy=\"69.28\" "), "{discs:?}");
}

#[test]
fn show_draws_pictures_in_the_shell_only() {
    let env = TestEnvironment::new().with_game();
    env.ok("move 1 f5 d6");
    let now = env.ok("show 1 --svg");
    assert!(now.starts_with("<svg ") && now.contains("after move 2</title>"), "{now}");
    assert_ne!(env.ok("show 1#1 --svg"), now);
    assert_eq!(env.ok("show 1 --svg --output board.svg"), "The picture is in board.svg.\n");
    assert_eq!(fs::read_to_string(env.path("board.svg")).unwrap(), now);
    for command in
        ["show 1#3 --svg", "show 1 --png --width 0", "show 1 --svg --output no/board.svg"]
    {
        assert_eq!(env.run(command).stderr.lines().count(), 1, "{command}");
    }
    assert!(env.ssh("bob", "show 1 --svg").failed(1).contains("in the host's shell only"));
    assert!(env.ssh("bob", "show 1 --png --output board.png").failed(1).contains("shell only"));
    assert!(!env.path("board.png").exists());
}

#[cfg(feature = "png")]
#[test]
fn a_png_has_the_width_that_was_asked_for_and_the_picture_of_the_svg() {
    use tiny_skia::Pixmap;

    let env = TestEnvironment::new().with_game();
    env.ok("show 1 --png --width 792 --output board.png");
    let board = Pixmap::load_png(env.path("board.png")).unwrap();
    assert_eq!((board.width(), board.height()), (792, 792));
    let color = |x, y| board.pixel(x, y).map(|it| (it.red(), it.green(), it.blue())).unwrap();
    // The middle of d4 and e4: the board has 396 pixels by default, the label and half of a1 take 58.
    assert_eq!(color(2 * (58 + 3 * 40), 2 * (58 + 3 * 40)), (0xf6, 0xf5, 0xef));
    assert_eq!(color(2 * (58 + 4 * 40), 2 * (58 + 3 * 40)), (0x14, 0x18, 0x1a));
    // Labels are drawn with the font in the program.
    let has_label = (0..792).any(|x| (0..70).any(|y| color(x, y).1 > 0xd0));
    assert!(has_label, "no letters above the board");
}
