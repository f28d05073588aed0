//! Margins, rules for passes, and the words for variants, cells and refusals.

use outflank_rules::{
    Cell, Color, Goal, Lattice, Move, Outcome, Overrides, Position, Reason, Size, State, Stuck,
    Variant,
};

use crate::{position, rules};

#[test]
fn a_margin_counts_discs_and_64_for_a_player_without_a_move() {
    let more = rules("othello", &Overrides::default());
    let fewer = rules("othello", &Overrides { misere: true, ..Overrides::default() });
    assert_eq!((more.goal, fewer.goal), (Goal::More, Goal::Fewer));
    let winner = Some(Color::Black);
    let counted = Outcome { winner, reason: Reason::Discs, black: 40, white: 23 };
    let stuck = Outcome { reason: Reason::Stuck, ..counted };
    for (player, sign) in [(Color::Black, 1), (Color::White, -1)] {
        assert_eq!(more.margin(&counted, player), 17 * sign);
        assert_eq!(fewer.margin(&counted, player), -17 * sign);
        assert_eq!(more.margin(&stuck, player), 64 * sign);
    }
}

#[test]
fn the_rule_for_passes_can_be_replaced_and_displayed() {
    let position = Position::start(rules("othello", &Overrides::default()));
    assert_eq!(position.rules().stuck, Stuck::AutoPass);
    assert_eq!(position.clone().with_stuck(Stuck::MustPass).rules().stuck, Stuck::MustPass);
    assert_eq!(
        [Stuck::AutoPass, Stuck::MustPass, Stuck::Loses].map(Stuck::pass_word),
        [Some("auto"), Some("explicit"), None]
    );
}

#[test]
fn only_twente_makes_a_pass_an_explicit_move() {
    // White cannot flip; Black can, on c1.
    let text = format!("(w bw------{})", " --------".repeat(7));
    for (variant, automatic) in [("othello", true), ("twente", false)] {
        let position = position(variant, &text);
        assert_eq!(position.state(), State::Passing, "{variant}");
        assert_eq!(position.passes_automatically(), automatic, "{variant}");
    }
}

#[test]
fn a_variant_has_one_title_under_each_name() {
    for (name, title) in [("othello", "Othello"), ("REVERSI", "Othello"), ("chess", "chess")] {
        assert_eq!(Variant::title_of(name), title);
    }
}

#[test]
fn labels_are_lower_case_on_rectangles_and_upper_case_on_hex() {
    let cell = Cell::new(3, 3);
    for (lattice, column, label) in
        [(Lattice::Rectangle(Size::EIGHT), "d", "d3"), (Lattice::Hex, "D", "D3")]
    {
        assert_eq!(lattice.column_label(cell), column);
        assert_eq!(lattice.label(cell), label);
    }
}

#[test]
fn a_cell_outside_the_board_is_refused_with_the_corners() {
    let size = crate::size(5, 7);
    let position = Position::start(rules("othello", &Overrides { size, ..Overrides::default() }));
    let refused = position.check(Move::Place(Cell::new(7, 6))).map_err(|why| why.to_string());
    assert_eq!(refused, Err("h6 is not on the board, which runs from a1 to g5".to_owned()));
}
