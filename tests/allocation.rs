//! The 8×8 board allocates nothing: not to find moves, not to make them, not to count games.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell as Counter;
use std::hint::black_box;

use outflank::game::{
    Game, Move, Overrides, Position, State, Stuck, Transcript, VARIANTS, Variant, perft,
};

/// The system's allocator, counting for each thread how often it is asked.
struct Counting;

thread_local! {
    static ASKED: Counter<usize> = const { Counter::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// How often something was allocated meanwhile.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

/// Sixty moves without a pass, to the full board.
const GAME: &str = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1g6c7b4a1\
                    f5c5f6h6b5f4g4g5c8d2h4b8e2g3d1e1f2a5b6c1h3e3a8a6f1h5a7h2g1b7";

fn start(overrides: &Overrides) -> Position {
    let othello = Variant::named("othello").expect("a variant");
    Position::start(othello.rules(overrides).expect("rules"))
}

fn every_choice_of_rules() -> impl Iterator<Item = Overrides> {
    let passes = [None, Some(Stuck::MustPass)];
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    flags.into_iter().flat_map(move |(misere, anywhere)| {
        passes.map(|stuck| Overrides { misere, anywhere, stuck, ..Overrides::default() })
    })
}

/// Asks everything there is to ask about the position.
fn look_at(position: &Position) {
    black_box(position.state());
    let placements = position.placements();
    black_box((placements.len(), placements.is_empty()));
    for cell in placements.iter() {
        let flipped = position.flips(cell);
        black_box(flipped.iter().filter(|&turned| position.disc(turned).is_some()).count());
        black_box(position.check(Move::Place(cell)).is_ok());
    }
}

#[test]
fn a_game_of_sixty_moves_allocates_nothing() {
    let moves = GAME.parse::<Transcript>().expect("a transcript").0;
    assert_eq!(moves.len(), 60);
    for overrides in every_choice_of_rules() {
        let mut position = start(&overrides);
        let count = allocations(|| {
            for &played in &moves {
                look_at(&position);
                assert!(position.check(played).is_ok());
                black_box(position.clone());
                assert!(position.play(played).is_ok());
            }
            assert!(matches!(position.state(), State::Over(_)));
        });
        assert_eq!(count, 0, "{overrides:?}");
    }
}

#[test]
fn perft_allocates_nothing() {
    for overrides in every_choice_of_rules() {
        let position = start(&overrides);
        let depth = if overrides.anywhere { 3 } else { 5 };
        let count = allocations(|| {
            black_box(perft(&position, depth));
        });
        assert_eq!(count, 0, "{overrides:?}");
    }
}

#[test]
fn a_game_allocates_for_its_list_of_plies_only() {
    let moves = GAME.parse::<Transcript>().expect("a transcript").0;
    let mut game = Game::new(start(&Overrides::default()));
    let count = allocations(|| {
        for &played in &moves {
            assert!(game.play(played).is_ok());
        }
    });
    // The list doubles as it grows.
    assert!(count <= 6, "{count} allocations");
}

#[test]
fn what_allocates_is_counted() {
    for variant in VARIANTS {
        let rules = variant.rules(&Overrides::default()).expect("rules");
        let general = Position::start(rules).on_general_board();
        let count = allocations(|| {
            black_box(general.placements());
        });
        assert!(count > 0, "{}", variant.name);
    }
}
