//! Leaves of the game tree, compared with reference tables. A pass counts as a ply, and a game that
//! ends earlier is one leaf at every greater depth.

use outflank_rules::{Overrides, Position, Stuck, Transcript, perft};

use super::{rules, size};

struct Table {
    variant: &'static str,
    /// A board size other than that of the variant.
    board: Option<(usize, usize)>,
    /// The leaves at depth 1, 2, 3, …
    leaves: &'static [u64],
    /// The depth of the count.
    depth: usize,
}

const EIGHT: &[u64] = &[
    4,
    12,
    56,
    244,
    1396,
    8200,
    55_092,
    390_216,
    3_005_288,
    24_571_284,
    212_258_800,
    1_939_886_636,
];
const SIX: &[u64] = &[4, 12, 56, 244, 1364, 7604, 47_740, 308_716, 2_114_912, 14_976_792];
/// Every game ends within 15 plies.
const FOUR: &[u64] = &[
    4, 12, 44, 128, 424, 1256, 3624, 9116, 20_044, 36_540, 50_704, 57_436, 59_564, 59_980, 60_060,
    60_060, 60_060, 60_060,
];
/// The first stuck players appear at ply 9.
const HEX: &[u64] = &[3, 8, 29, 102, 447, 2032, 10_429, 57_010, 339_720];

const TABLES: &[Table] = &[
    Table { variant: "othello", board: None, leaves: EIGHT, depth: 12 },
    Table { variant: "twente", board: None, leaves: EIGHT, depth: 11 },
    Table { variant: "mini", board: None, leaves: FOUR, depth: 18 },
    Table { variant: "othello", board: Some((4, 4)), leaves: FOUR, depth: 18 },
    Table { variant: "othello", board: Some((6, 6)), leaves: SIX, depth: 10 },
    Table { variant: "mini", board: Some((6, 6)), leaves: SIX, depth: 8 },
    Table { variant: "mini", board: Some((8, 8)), leaves: EIGHT, depth: 10 },
    Table { variant: "oddthello", board: None, leaves: HEX, depth: 9 },
];

fn leaves(start: &Position, depths: usize) -> Vec<u64> {
    (1..).take(depths).map(|depth| perft(start, depth)).collect()
}

impl Table {
    fn name(&self) -> String {
        format!("{} {:?}", self.variant, self.board)
    }

    /// Returns the start with more changes of the rules.
    fn start(&self, overrides: &Overrides) -> Position {
        let size = self.board.and_then(|(rows, columns)| size(rows, columns));
        Position::start(rules(self.variant, &Overrides { size, ..*overrides }))
    }

    fn check(&self, overrides: &Overrides, depths: usize) {
        let counted = leaves(&self.start(overrides), depths);
        assert_eq!(counted, self.leaves[..depths], "{} {overrides:?}", self.name());
    }

    fn is_rectangle(&self) -> bool {
        self.variant != "oddthello"
    }
}

#[test]
fn leaves_match_the_tables() {
    for table in TABLES {
        table.check(&Overrides::default(), table.depth);
    }
}

#[test]
fn neither_misere_nor_the_pass_rule_changes_the_leaves() {
    for table in TABLES.iter().filter(|table| table.is_rectangle()) {
        for misere in [false, true] {
            for stuck in [Stuck::AutoPass, Stuck::MustPass] {
                let overrides = Overrides { misere, stuck: Some(stuck), ..Overrides::default() };
                table.check(&overrides, 5);
            }
        }
    }
    let misere = Overrides { misere: true, stuck: Some(Stuck::MustPass), ..Overrides::default() };
    let mini = TABLES.iter().find(|table| table.variant == "mini").expect("a table");
    mini.check(&misere, 10);
}

#[test]
fn the_general_board_has_the_leaves_of_the_bitboard() {
    for table in TABLES.iter().filter(|table| table.leaves == EIGHT) {
        let general = table.start(&Overrides::default()).on_general_board();
        assert_eq!(leaves(&general, 8), EIGHT[..8], "{}", table.name());
    }
}

#[test]
fn both_boards_have_the_same_leaves_where_games_end_and_players_pass() {
    // A game up to its last eight empty cells.
    let moves = "e6d6c3f3c4c6d7e7f7e8d8g7f8b3h7g8a3b2h8a2d3c2b1a4g2h1\
                 g6c7b4a1f5c5f6h6b5f4g4g5c8d2h4b8e2g3d1e1f2a5b6c1h3e3";
    let mut position = Position::start(rules("othello", &Overrides::default()));
    for mv in moves.parse::<Transcript>().expect("a transcript").0 {
        position.play(mv).expect("a legal move");
    }
    assert_eq!(leaves(&position, 12), leaves(&position.on_general_board(), 12));
}

#[test]
fn with_anywhere_every_order_of_the_empty_cells_is_a_game() {
    for (board, depths) in [((3, 3), 8), ((4, 4), 5), ((4, 5), 4), ((8, 8), 3)] {
        for misere in [false, true] {
            let size = size(board.0, board.1);
            let overrides = Overrides { size, misere, anywhere: true, ..Overrides::default() };
            let start = Position::start(rules("othello", &overrides));
            let empty = (board.0 * board.1 - 4) as u64;
            // On 4×4: 12, 12 · 11, 12 · 11 · 10, …; the number is constant once the board is full.
            let orders = (0..empty).scan(1, |orders, placed| {
                *orders *= empty - placed;
                Some(*orders)
            });
            let mut expected: Vec<_> = orders.take(depths).collect();
            expected.resize(depths, expected[expected.len() - 1]);
            assert_eq!(leaves(&start, depths), expected, "{board:?}");
            assert_eq!(leaves(&start.on_general_board(), depths), expected, "{board:?}");
        }
    }
}

#[test]
fn depth_zero_has_one_leaf() {
    for table in TABLES {
        assert_eq!(perft(&table.start(&Overrides::default()), 0), 1, "{}", table.name());
    }
}
