//! Properties of every game: the two boards agree, the engine agrees with the second
//! implementation, and written moves, cells and positions parse to the same values.

use std::collections::BTreeSet;

use outflank_rules::{
    Cell, Cells, Color, Move, Overrides, Position, Reason, Rules, Setup, State, Stuck, Transcript,
    perft,
};
use proptest::prelude::*;
use proptest::sample::Index;

use super::naive::{self, Event, Naive, Options, Place, Shape, Status};
use super::played::{Played, Ply};
use super::{rules, size};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

// Conversions between the engine and the second implementation.

fn place(cell: Cell) -> Place {
    (cell.column, cell.row)
}

fn cell((column, row): Place) -> Cell {
    Cell::new(column, row)
}

fn places(cells: &Cells) -> BTreeSet<Place> {
    cells.iter().map(place).collect()
}

fn naive_move(mv: Move) -> naive::Move {
    match mv {
        Move::Place(cell) => Some(place(cell)),
        Move::Pass => None,
    }
}

fn engine_move(mv: naive::Move) -> Move {
    mv.map_or(Move::Pass, |place| Move::Place(cell(place)))
}

fn engine_rules(options: &Options) -> Rules {
    let Shape::Rectangle { rows, columns } = options.shape else {
        return rules("oddthello", &Overrides::default());
    };
    let pass = if options.explicit_pass { Stuck::MustPass } else { Stuck::AutoPass };
    let overrides = Overrides {
        size: size(rows as usize, columns as usize),
        misere: options.misere,
        anywhere: options.anywhere,
        stuck: Some(pass),
    };
    rules("othello", &overrides)
}

fn status(position: &Position) -> Status {
    match position.state() {
        State::Placing => Status::Place(places(&position.placements())),
        State::Passing => Status::Pass,
        State::Over(outcome) => Status::Over(
            outcome.winner.map(Color::letter),
            match outcome.reason {
                Reason::Discs => "discs",
                Reason::Stuck => "stuck",
            },
        ),
    }
}

fn events(game: &Played) -> Vec<Event> {
    let event = |ply: &Ply| Event {
        by: ply.by.letter(),
        mv: naive_move(ply.mv),
        flipped: places(&ply.flipped),
        auto: ply.auto,
        black: ply.discs[0] as usize,
        white: ply.discs[1] as usize,
    };
    game.plies.iter().map(event).collect()
}

// Random values.

fn options(shape: impl Strategy<Value = Shape>) -> impl Strategy<Value = Options> {
    (shape, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(shape, misere, anywhere, explicit_pass)| {
            // Oddthello has no options.
            let rectangle = shape != Shape::Hex;
            Options {
                shape,
                misere: misere && rectangle,
                anywhere: anywhere && rectangle,
                explicit_pass: explicit_pass && rectangle,
            }
        },
    )
}

fn eight() -> impl Strategy<Value = Shape> {
    Just(Shape::Rectangle { rows: 8, columns: 8 })
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let rectangle = |(rows, columns)| Shape::Rectangle { rows, columns };
    prop_oneof![
        6 => (3..=10, 3..=10).prop_map(rectangle),
        2 => eight(),
        1 => (3..=99, 3..=26).prop_map(rectangle),
        1 => Just(Shape::Rectangle { rows: 99, columns: 26 }),
        4 => Just(Shape::Hex),
    ]
}

/// The choice of a legal move for each ply of the longest possible game.
fn choices() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..=110)
}

/// Random discs, from few to many, and a player to move.
fn arrangement(options: impl Strategy<Value = Options>) -> impl Strategy<Value = Naive> {
    let discs = options.prop_flat_map(|options| {
        let cells = match options.shape {
            Shape::Rectangle { rows, columns } => rows * columns,
            // Up to the 64 discs of both players.
            Shape::Hex => 64,
        };
        let letters = prop::collection::vec(0..20_u8, cells as usize);
        (Just(options), letters, 0..=20_u8, -900..=900, -900..=900, any::<bool>())
    });
    let naive = discs.prop_map(|(options, letters, crowd, right, down, white)| {
        let (rows, first) = match options.shape {
            Shape::Rectangle { rows, .. } => (rows, (0, 1)),
            Shape::Hex => (8, (right, down)),
        };
        let at = |index: i32| (first.0 + index / rows, first.1 + index % rows);
        let occupied = (0..).zip(letters).filter(|&(_, letter)| letter < crowd);
        let discs =
            occupied.map(|(index, letter)| (at(index), if letter % 2 == 0 { 'b' } else { 'w' }));
        Naive { options, discs: discs.collect(), turn: if white { 'w' } else { 'b' } }
    });
    naive.prop_filter("a position has a disc", |naive| !naive.discs.is_empty())
}

/// Returns the engine's position with the same discs, from a position string.
fn engine(naive: &Naive) -> Position {
    let columns = naive.discs.keys().map(|place| place.0);
    let rows = naive.discs.keys().map(|place| place.1);
    let first = match naive.options.shape {
        Shape::Rectangle { .. } => (0, 1),
        Shape::Hex => (columns.min().unwrap() - 1, rows.min().unwrap() - 1),
    };
    let setup: Setup = naive.position_string().parse().unwrap();
    setup.position(&engine_rules(&naive.options), cell(first)).unwrap()
}

/// Plays a game with these choices among the legal moves.
fn playout(start: Position, choices: &[Index]) -> Played {
    let mut game = Played::new(start);
    for choice in choices {
        let legal = game.position.legal();
        if legal.is_empty() {
            break;
        }
        game.play(*choice.get(&legal)).unwrap();
    }
    game
}

// (a) The general board and the bitboard.

/// Checks that both boards agree in this 8×8 position and after each of its moves.
fn boards_agree(bits: &Position) -> Result<(), TestCaseError> {
    let general = bits.on_general_board();
    prop_assert_ne!(bits, &general, "one board is a bitboard, the other is not");
    prop_assert_eq!(bits.to_string(), general.to_string());
    prop_assert_eq!(bits.state(), general.state());
    prop_assert_eq!(places(&bits.placements()), places(&general.placements()));
    prop_assert_eq!(bits.placements().len(), general.placements().len());
    for column in -1..=8 {
        for row in 0..=9 {
            let cell = Cell::new(column, row);
            prop_assert_eq!(bits.disc(cell), general.disc(cell));
            let (some, same) = (bits.flips(cell), general.flips(cell));
            prop_assert!(some.iter().eq(same.iter()), "{:?}: {:?}, {:?}", cell, some, same);
            prop_assert_eq!(some.len(), same.len());
            prop_assert_eq!(some.is_empty(), same.is_empty());
        }
    }
    let moves = bits.placements();
    for mv in moves.iter().map(Move::Place).chain([Move::Pass]) {
        let (mut bits, mut general) = (bits.clone(), general.clone());
        let (some, same) = (bits.play(mv), general.play(mv));
        prop_assert_eq!(some.as_ref().map(places), same.as_ref().map(places));
        prop_assert_eq!(bits.on_general_board(), general);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn both_boards_agree_throughout_a_game(options in options(eight()), choices in choices()) {
        let game = playout(Position::start(engine_rules(&options)), &choices);
        let mut position = game.start.clone();
        boards_agree(&position)?;
        for ply in &game.plies {
            position.play(ply.mv).unwrap();
            boards_agree(&position)?;
        }
        prop_assert_eq!(position, game.position);
    }
}

proptest! {
    #![proptest_config(config(256))]

    #[test]
    fn both_boards_agree_on_any_discs(naive in arrangement(options(eight()))) {
        boards_agree(&engine(&naive))?;
    }
}

proptest! {
    #![proptest_config(config(32))]

    #[test]
    fn both_boards_count_the_same_leaves(
        naive in arrangement(options(eight())),
        depth in 0_u32..=3,
    ) {
        let bits = engine(&naive);
        // With anywhere, sixty empty cells are too many for a deep search on the general board.
        let depth = if naive.options.anywhere { depth.min(2) } else { depth };
        prop_assert_eq!(perft(&bits, depth), perft(&bits.on_general_board(), depth));
    }
}

// (b) The engine and the second implementation.

/// Checks that both agree on this position.
fn agree(position: &Position, naive: &Naive) -> Result<(), TestCaseError> {
    prop_assert_eq!(position.to_string(), naive.position_string());
    prop_assert_eq!(position.turn().letter(), naive.turn);
    prop_assert_eq!(status(position), naive.status());
    for color in Color::BOTH {
        prop_assert_eq!(position.count(color) as usize, naive.count(color.letter()));
    }
    if let State::Over(outcome) = position.state() {
        prop_assert_eq!(outcome.black as usize, naive.count('b'));
        prop_assert_eq!(outcome.white as usize, naive.count('w'));
    }
    Ok(())
}

/// Checks that both agree on each cell in and around the figure: its disc, and the flips of a disc there.
fn agree_everywhere(position: &Position, naive: &Naive) -> Result<(), TestCaseError> {
    agree(position, naive)?;
    let frame = position.frame();
    let (columns, rows) = (frame.column_range(), frame.row_range());
    for column in columns.start - 2..columns.end + 2 {
        for row in rows.start - 2..rows.end + 2 {
            let at = Cell::new(column, row);
            prop_assert_eq!(
                position.disc(at).map(Color::letter),
                naive.discs.get(&place(at)).copied()
            );
            prop_assert_eq!(places(&position.flips(at)), naive.flips(place(at)), "{:?}", at);
        }
    }
    Ok(())
}

/// Checks that both allow the move with the same flips, or both refuse it.
fn agree_on(position: &Position, naive: &Naive, mv: naive::Move) -> Result<(), TestCaseError> {
    let checked = position.check(engine_move(mv)).ok();
    prop_assert_eq!(checked.as_ref().map(places), naive.check(mv));
    Ok(())
}

/// Plays the same game on both. Before each move, both check some other moves, legal or not.
fn play_both(
    start: Position,
    mut naive: Naive,
    choices: &[(Index, Index)],
) -> Result<(), TestCaseError> {
    let mut game = Played::new(start);
    let mut expected: Vec<_> = naive.auto_pass().into_iter().collect();
    agree_everywhere(&game.position, &naive)?;
    for (choice, probe) in choices {
        agree(&game.position, &naive)?;
        let around: Vec<_> = game.position.cells().map(place).collect();
        let (column, row) = *probe.get(&around);
        for probed in [None, Some((column, row)), Some((column - 2, row)), Some((column, row + 3))]
        {
            agree_on(&game.position, &naive, probed)?;
            if naive.check(probed).is_none() {
                let (before, plies) = (game.position.clone(), game.plies.len());
                prop_assert!(game.play(engine_move(probed)).is_err());
                prop_assert_eq!(&game.position, &before);
                prop_assert_eq!(game.plies.len(), plies);
            }
        }
        let moves: Vec<_> = match naive.status() {
            Status::Place(cells) => cells.into_iter().map(Some).collect(),
            Status::Pass => vec![None],
            Status::Over(..) => Vec::new(),
        };
        prop_assert_eq!(
            game.position.legal().into_iter().map(naive_move).collect::<Vec<_>>(),
            moves.clone()
        );
        if moves.is_empty() {
            break;
        }
        let chosen = *choice.get(&moves);
        game.play(engine_move(chosen)).unwrap();
        expected.extend(naive.play(chosen));
    }
    agree_everywhere(&game.position, &naive)?;
    prop_assert_eq!(events(&game), expected);
    Ok(())
}

/// The choice of a move and of another move to check, for each ply.
fn probing_choices(longest: usize) -> impl Strategy<Value = Vec<(Index, Index)>> {
    prop::collection::vec(any::<(Index, Index)>(), 0..=longest)
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn the_engine_plays_by_the_rules(
        options in options(any_shape()),
        choices in probing_choices(110),
    ) {
        let naive = Naive::start(options);
        let large = naive.position_string().len() > 300;
        let plies = if large { choices.len().min(12) } else { choices.len() };
        play_both(Position::start(engine_rules(&options)), naive, &choices[..plies])?;
    }

    #[test]
    fn the_engine_plays_from_any_discs(
        naive in arrangement(options(any_shape())),
        choices in probing_choices(10),
    ) {
        play_both(engine(&naive), naive, &choices)?;
    }

    #[test]
    fn oddthello_plays_to_its_end(choices in probing_choices(70)) {
        let options =
            Options { shape: Shape::Hex, misere: false, anywhere: false, explicit_pass: false };
        play_both(Position::start(engine_rules(&options)), Naive::start(options), &choices)?;
    }
}

// (c) Games, and their text forms.

/// A game from the start or from random discs.
fn any_game() -> impl Strategy<Value = Played> {
    let shape = prop_oneof![
        (3..=10, 3..=10).prop_map(|(rows, columns)| Shape::Rectangle { rows, columns }),
        eight(),
        Just(Shape::Hex),
    ]
    .boxed();
    let start = prop_oneof![
        options(shape.clone()).prop_map(|options| Position::start(engine_rules(&options))),
        arrangement(options(shape)).prop_map(|naive| engine(&naive)),
    ];
    (start, choices()).prop_map(|(start, choices)| playout(start, &choices))
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn each_placement_adds_one_disc(game in any_game()) {
        let [black, white] = Color::BOTH.map(|color| game.start.count(color));
        let mut discs = black + white;
        let mut previous = Color::BOTH.map(|color| game.start.count(color));
        let mut turn = game.start.turn();
        for ply in &game.plies {
            prop_assert_eq!(ply.by, turn);
            discs += u32::from(ply.mv != Move::Pass);
            prop_assert_eq!(ply.discs.iter().sum::<u32>(), discs);
            let flipped = ply.flipped.len() as u32;
            let own = u32::from(ply.mv != Move::Pass) + flipped;
            let [black, white] = previous;
            previous = match ply.by {
                Color::Black => [black + own, white - flipped],
                Color::White => [black - flipped, white + own],
            };
            prop_assert_eq!(ply.discs, previous);
            turn = !turn;
        }
        prop_assert_eq!(game.position.turn(), turn);
        prop_assert_eq!(Color::BOTH.map(|color| game.position.count(color)), previous);
    }

    #[test]
    fn a_written_transcript_parses_to_its_moves(game in any_game(), gap in any::<bool>()) {
        let lattice = game.start.rules().lattice;
        let moves: Vec<_> = game.plies.iter().map(|ply| ply.mv).collect();
        let labels: Vec<_> = moves.iter().map(|&mv| lattice.move_label(mv)).collect();
        let written = labels.join(if gap { " " } else { "" });
        for text in [written.to_lowercase(), written.to_uppercase(), written] {
            prop_assert_eq!(text.parse(), Ok(Transcript(moves.clone())), "{}", text);
        }
    }

    #[test]
    fn a_position_string_parses_to_its_position(game in any_game()) {
        let position = &game.position;
        let written = position.to_string();
        let setup: Setup = written.parse().unwrap();
        let again = setup.position(position.rules(), position.frame().first);
        prop_assert_eq!(again.as_ref(), Ok(position));
        prop_assert_eq!(again.unwrap().to_string(), written.as_str());
        prop_assert_eq!(setup.to_string(), written);
    }
}

proptest! {
    #![proptest_config(config(512))]

    #[test]
    fn a_label_parses_to_its_cell(column in -1222..18_000, row in -9999..=9999) {
        let cell = Cell::new(column, row);
        prop_assert_eq!(cell.label().parse(), Ok(cell));
        prop_assert_eq!(cell.label().to_lowercase().parse(), Ok(cell));
    }
}
