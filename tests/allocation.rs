//! The 8×8 board allocates no memory to find moves, make moves or count games.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell as Counter;
use std::hint::black_box;

use outflank_model::log::Game;
use outflank_rules::{
    Move, Overrides, Position, State, Stuck, Transcript, VARIANTS, Variant, perft,
};

/// The system's allocator, which counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Counter<usize> = const { Counter::new(0) };
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the number of allocations during `work`.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

/// Sixty moves without a pass, until the board is full.
const GAME: &str = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1g6c7b4a1\
                    f5c5f6h6b5f4g4g5c8d2h4b8e2g3d1e1f2a5b6c1h3e3a8a6f1h5a7h2g1b7";

fn start(overrides: &Overrides) -> Position {
    let othello = Variant::named("othello").expect("a variant");
    Position::start(othello.rules(overrides).expect("rules"))
}

fn all_overrides() -> impl Iterator<Item = Overrides> {
    let passes = [None, Some(Stuck::MustPass)];
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    flags.into_iter().flat_map(move |(misere, anywhere)| {
        passes.map(|stuck| Overrides { misere, anywhere, stuck, ..Overrides::default() })
    })
}

/// Calls every query of the position.
fn query(position: &Position) {
    black_box(position.state());
    let placements = position.placements();
    black_box((placements.len(), placements.is_empty()));
    for cell in placements.iter() {
        let flipped = position.flips(cell);
        black_box(flipped.iter().filter(|&cell| position.disc(cell).is_some()).count());
        black_box(position.check(Move::Place(cell)).is_ok());
    }
}

#[test]
fn a_game_of_sixty_moves_allocates_nothing() {
    let moves = GAME.parse::<Transcript>().expect("a transcript").0;
    assert_eq!(moves.len(), 60);
    for overrides in all_overrides() {
        let mut position = start(&overrides);
        let count = allocations(|| {
            for &mv in &moves {
                query(&position);
                assert!(position.check(mv).is_ok());
                black_box(position.clone());
                assert!(position.play(mv).is_ok());
            }
            assert!(matches!(position.state(), State::Over(_)));
        });
        assert_eq!(count, 0, "{overrides:?}");
    }
}

#[test]
fn perft_allocates_nothing() {
    for overrides in all_overrides() {
        let position = start(&overrides);
        let depth = if overrides.anywhere { 3 } else { 5 };
        let count = allocations(|| {
            black_box(perft(&position, depth));
        });
        assert_eq!(count, 0, "{overrides:?}");
    }
}

#[test]
fn a_game_allocates_only_its_lists_of_events_turns_and_plies() {
    let moves = GAME.parse::<Transcript>().expect("a transcript").0;
    let mut game = Game::new(start(&Overrides::default()));
    let count = allocations(|| {
        for &mv in &moves {
            assert!(game.play(mv).is_ok());
        }
    });
    // The capacity of each list doubles.
    assert!(count <= 3 * 6, "{count} allocations");
}

#[test]
fn the_general_board_allocates() {
    for variant in VARIANTS {
        let rules = variant.rules(&Overrides::default()).expect("rules");
        let general = Position::start(rules).on_general_board();
        let count = allocations(|| {
            black_box(general.placements());
        });
        assert!(count > 0, "{}", variant.name);
    }
}
