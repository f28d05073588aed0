//! The figures of the rules, character by character, and the alignment of every board.

mod pictures;

use outflank_model::log::Game;
use outflank_model::render::{self, Figure, LastMove, Scale};
use outflank_rules::{Cell, Overrides, Position, Setup, Size, Variant};
use similar_asserts::assert_eq;

fn start(variant: &str, options: Overrides) -> Position {
    Position::start(Variant::named(variant).unwrap().rules(&options).unwrap())
}

/// Returns the game with one move from this position.
fn after(variant: &str, position: &str, first: &str, mv: &str) -> Game {
    let rules = Variant::named(variant).unwrap().rules(&Overrides::default()).unwrap();
    let setup: Setup = position.parse().unwrap();
    let mut game = Game::new(setup.position(&rules, first.parse().unwrap()).unwrap());
    game.play(mv.parse().unwrap()).unwrap();
    game
}

fn last(game: &Game) -> LastMove<'_> {
    LastMove::of(game).unwrap()
}

fn marked(game: &Game) -> String {
    render::figure(Scale::Full, game.position(), Some(&last(game)), &[]).to_string()
}

fn arrow_figures(game: &Game) -> [String; 2] {
    let figures = render::arrow_figures(Scale::Full, game.position(), &last(game));
    figures.map(|figure| figure.to_string())
}

const FIGURE_2: &str =
    "(w -------- -------- --w---w- --b--b-- --b-b--- --bb---- ---bw--- --------)";
const FIGURE_4: &str =
    "(b -------- -------- -------- -------- -------- -------- -wbwwb-- --------)";
const FIGURE_5: &str =
    "(b -------- -------- w------- wwwb---- b------- -------- -------- --------)";

#[test]
fn the_start_is_figure_1() {
    let figure = render::figure(Scale::Full, &start("othello", Overrides::default()), None, &[]);
    assert_eq!(figure.to_string(), include_str!("figure-1.txt"));
}

#[test]
fn a_move_with_arrows_is_figure_2_and_then_figure_3() {
    let [placed, flipped] = arrow_figures(&after("othello", FIGURE_2, "a1", "c7"));
    assert_eq!(placed, include_str!("figure-2.txt"));
    assert_eq!(flipped, include_str!("figure-3.txt"));
}

#[test]
fn the_arrow_of_figure_4_is_above_the_disc() {
    let [placed, _] = arrow_figures(&after("othello", FIGURE_4, "a1", "a7"));
    assert_eq!(placed, include_str!("figure-4.txt"));
}

#[test]
fn the_arrows_of_figures_5_and_6_are_in_the_margin() {
    let [placed, flipped] = arrow_figures(&after("othello", FIGURE_5, "a1", "a2"));
    assert_eq!(placed, include_str!("figure-5.txt"));
    let margin: Vec<_> = flipped.lines().map(|line| line.starts_with('⇨')).collect();
    let rows: Vec<_> =
        (0..margin.len()).filter(|&line| margin[line]).map(|line| line.div_ceil(2)).collect();
    assert_eq!(rows, [3, 4]);
    assert_eq!(flipped.matches('⇨').count(), 2);
}

#[test]
fn arrows_can_be_in_every_margin() {
    let [_, top] = arrow_figures(&after("othello", "(b bw-- ---- ---- ----)", "a1", "c1"));
    assert!(top.starts_with("      ⇩\n+---+---+---+---+\n| B | B | B |   | 1\n"), "{top}");
    let [_, bottom] = arrow_figures(&after("othello", "(b ---- ---- bwb- bw--)", "a1", "c4"));
    assert!(
        bottom.ends_with("| B | B | B |   | 4\n+---+---+---+---+\n      ⇧\n  a   b   c   d\n"),
        "{bottom}"
    );
    let [_, right] = arrow_figures(&after("othello", "(b ---b --bw ---- ----)", "a1", "d3"));
    assert!(right.contains("|   |   | B | B | ⇦ 2\n") && right.contains("| B |   3\n"), "{right}");
    let [_, full] = arrow_figures(&after("othello", "(b bbbb bwwb -bwb bbbb)", "a1", "a3"));
    assert!(full.contains("|(B)| "), "a disc without a free side keeps its mark:\n{full}");
}

#[test]
fn arrows_have_an_ascii_form() {
    let game = after("othello", FIGURE_2, "a1", "c7");
    let [_, flipped] = render::arrow_figures(Scale::Full, game.position(), &last(&game));
    let ascii = flipped.into_ascii().to_string();
    assert!(ascii.is_ascii());
    let unicode = ascii.replace('>', "⇨").replace('<', "⇦").replace('^', "⇧");
    assert_eq!(unicode, include_str!("figure-3.txt"));
}

#[test]
fn the_last_move_is_marked_without_breaking_the_alignment() {
    let figure = marked(&after("othello", FIGURE_4, "a1", "a7"));
    assert!(figure.contains("|[B]|(B)| B | W | W | B |   |   | 7\n"), "{figure}");
}

#[test]
fn the_hex_start_is_figure_1_of_its_rules() {
    let figure = render::figure(Scale::Full, &start("oddthello", Overrides::default()), None, &[]);
    assert_eq!(figure.to_string(), include_str!("hex-figure-1.txt"));
}

#[test]
fn the_hex_placed_disc_is_upper_case_and_flipped_discs_have_a_mark() {
    let game = after("oddthello", "(b bb ww)", "B2", "B4");
    assert_eq!(
        marked(&game),
        "     A B C D
   1  . . . . 1
    2  . o o . 2
     3  . o'x . 3
      4  . O . . 4
       5  . . . . 5
           A B C D
"
    );
}

#[test]
fn hex_arrows_are_in_empty_cells() {
    let game = after("oddthello", "(b bb ww)", "B2", "B4");
    let [placed, flipped] = arrow_figures(&game);
    assert!(placed.contains("4  ⇨ o . . 4"), "{placed}");
    assert!(flipped.contains("3  ⇨ o x . 3"), "{flipped}");
}

#[test]
fn long_labels_do_not_shift_the_hex_lattice() {
    for first in ["B2", "ZZ0", "XXX-12", "AA-99", "Z98", "ZY1", "AAB-1"] {
        let first_cell: Cell = first.parse().unwrap();
        let rules = Variant::named("oddthello").unwrap().rules(&Overrides::default()).unwrap();
        let setup: Setup = "(b bb---- ww---- -----b)".parse().unwrap();
        let position = setup.position(&rules, first_cell).unwrap();
        let figure = render::figure(Scale::Full, &position, None, &[]);
        let text = figure.to_string();
        let frame = position.frame();
        let starts: Vec<_> = text
            .lines()
            .filter(|line| line.contains(['.', 'o']))
            .map(|line| line.find(['.', 'o']).unwrap())
            .collect();
        assert_eq!(starts.len(), frame.rows);
        for (row, start) in starts.iter().enumerate() {
            assert_eq!(*start, starts[0] + row, "{text}");
        }
        for column in frame.column_range() {
            let label = Cell::new(column, 0).column_label();
            let labels = text.lines().flat_map(str::split_whitespace).filter(|word| *word == label);
            assert_eq!(labels.count(), 2, "{label} must be above and below:\n{text}");
        }
    }
}

fn assert_aligned(figure: &Figure, size: Size) {
    let text = figure.to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2 * usize::from(size.rows()) + 2);
    let border = format!("{}+", "+---".repeat(size.columns().into()));
    for (row, pair) in (1..=size.rows()).zip(lines.chunks(2)) {
        assert_eq!(pair[0], border);
        let bars: Vec<_> = pair[1].match_indices('|').map(|(at, _)| at).collect();
        let expected: Vec<_> = (0..=usize::from(size.columns())).map(|column| 4 * column).collect();
        assert_eq!(bars, expected);
        assert!(pair[1].ends_with(&format!("| {row}")));
    }
    assert_eq!(figure.width(), border.len() + if size.rows() > 9 { 3 } else { 2 });
}

#[test]
fn every_size_stays_aligned() {
    for (rows, columns) in [(3, 3), (99, 26), (3, 26), (99, 3), (10, 8), (8, 8)] {
        let size = Size::new(rows, columns).unwrap();
        let position = start("othello", Overrides { size: Some(size), ..Overrides::default() });
        assert_aligned(&render::figure(Scale::Full, &position, None, &[]), size);
    }
}

fn small(game: &Game, scale: Scale) -> String {
    render::figure(scale, game.position(), Some(&last(game)), &game.legal()).to_string()
}

#[test]
fn small_figures_show_the_last_move_in_upper_case() {
    let game = after("othello", FIGURE_4, "a1", "a7");
    let compact = "
   a b c d e f g h
1  . . . . . . . .  1
2  . . . . . . . .  2
3  . . . . . . . .  3
4  . . . . . . . .  4
5  . . . . . . . .  5
6  . . . . . . . .  6
7 [B]B b w w b . .  7
8  . . . . . . . .  8
   a b c d e f g h
";
    assert_eq!(small(&game, Scale::Compact), compact[1..]);
    let tiny = small(&game, Scale::Tiny);
    assert!(tiny.starts_with("  abcdefgh\n1 ........ 1\n"), "{tiny}");
    assert!(tiny.contains("\n7 BBbwwb.. 7\n"), "{tiny}");
}

#[test]
fn small_hex_figures_keep_their_slant_and_their_labels() {
    let game = after("oddthello", "(w bbw)", "ZZ0", "YY0");
    assert_eq!(small(&game, Scale::Compact), marked(&game));
    let tiny = "
    ZZ
    YY
    XX  ABC
  -1  ...... -1
    0  .XXXx. 0
     1  ...... 1
         XX ABC
           YY
             ZZ
";
    assert_eq!(small(&game, Scale::Tiny), tiny[1..]);
}

#[test]
fn small_figures_can_have_arrows_in_the_margin() {
    let game = after("othello", FIGURE_5, "a1", "a2");
    let [placed, flipped] = render::arrow_figures(Scale::Compact, game.position(), &last(&game));
    assert!(placed.to_string().contains("\n2  "), "{placed}");
    assert!(flipped.to_string().contains("\n3  ⇨ b"), "{flipped}");
}

#[test]
fn small_figures_have_every_row_and_column_of_every_size() {
    for (rows, columns) in [(3, 3), (99, 26), (3, 26), (99, 3), (10, 8)] {
        let size = Size::new(rows, columns).unwrap();
        let position = start("othello", Overrides { size: Some(size), ..Overrides::default() });
        for (scale, pitch) in [(Scale::Compact, 2), (Scale::Tiny, 1)] {
            let figure = render::figure(scale, &position, None, &[]);
            let label = rows.to_string().len();
            assert_eq!(figure.width(), 2 * label + pitch * (columns + 1) + 1);
            let text = figure.to_string();
            for (row, line) in (1..=rows).zip(text.lines().skip(1)) {
                let row = row.to_string();
                assert!(line.trim_start().starts_with(&row) && line.ends_with(&row), "{text}");
            }
            let letters = text.lines().last().unwrap().replace(' ', "");
            assert_eq!(letters, "abcdefghijklmnopqrstuvwxyz"[..columns]);
        }
    }
}
