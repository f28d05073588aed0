//! The log of a game: which events can happen, and how the game stood before.

use outflank::game::{
    Action, Cell, Color, Event, Game, Move, Overrides, Position, Size, Stuck, Variant,
};

fn start(stuck: Stuck) -> Position {
    let size = Some(Size::new(4, 4).unwrap());
    let overrides = Overrides { size, stuck: Some(stuck), ..Overrides::default() };
    Position::start(Variant::named("othello").unwrap().rules(&overrides).unwrap())
}

fn moves(game: &Game) -> Vec<(Color, Move, bool)> {
    game.plies().iter().map(|ply| (ply.by, ply.mv, ply.auto)).collect()
}

/// Every event, also outside of the board.
fn events() -> Vec<Event> {
    let cells = (-1..5).flat_map(|column| (0..6).map(move |row| Cell { column, row }));
    let moves = cells.map(Move::Place).chain([Move::Pass]).map(Action::Move);
    let actions = moves.chain([Action::AutoPass, Action::Resign]);
    actions.flat_map(|action| Color::BOTH.map(|by| Event { by, action })).collect()
}

fn resigned(game: &Game) -> Option<Color> {
    game.events().iter().find(|event| event.action == Action::Resign).map(|event| event.by)
}

fn check_events(game: &Game) {
    let mut placements = 0;
    for event in events() {
        let is_on_turn = game.turn() == Some(event.by);
        let expected = match event.action {
            Action::Resign => game.turn().is_some(),
            Action::AutoPass => is_on_turn && game.legal() == [Move::Pass],
            Action::Move(mv) => is_on_turn && game.legal().contains(&mv),
        };
        placements += usize::from(expected && matches!(event.action, Action::Move(_)));
        let mut after = game.clone();
        assert_eq!(after.apply(event).is_ok(), expected, "{event:?}");
        let added = &[event][..usize::from(expected)];
        assert_eq!(after.events(), [game.events(), added].concat());
        let made = added.iter().filter(|event| event.action != Action::Resign).count();
        assert_eq!(moves(&after).len(), moves(game).len() + made);
    }
    assert_eq!(placements, game.legal().len());
}

fn check_earlier_moments(game: &Game) {
    let last = game.plies().len();
    for ply in 0..=last {
        let (at, after) = (game.at(ply).unwrap(), game.right_after(ply).unwrap());
        assert_eq!(moves(&at), moves(game)[..ply]);
        assert_eq!(moves(&after), moves(game)[..ply]);
        // A resignation comes after the last move.
        assert_eq!(resigned(&at), resigned(game).filter(|_| ply == last));
        assert_eq!(resigned(&after), None);
    }
    assert!(game.at(last + 1).is_none() && game.right_after(last + 1).is_none());
}

#[test]
fn only_events_that_can_happen_are_applied() {
    for seed in 0..60 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let stuck = if seed % 2 == 0 { Stuck::AutoPass } else { Stuck::MustPass };
        let mut game = Game::new(start(stuck));
        loop {
            check_events(&game);
            check_earlier_moments(&game);
            let Some(&mv) = rng.choice(&game.legal()) else { break };
            if rng.u8(..20) == 0 {
                game.resign(if rng.bool() { Color::Black } else { Color::White }).unwrap();
            } else {
                game.play(mv).unwrap();
            }
        }
    }
}
