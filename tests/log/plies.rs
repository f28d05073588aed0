//! Properties of every game: its plies follow from its position, and it can be replayed from its log.

use outflank_model::log::{Action, Event, Game, IllegalEvent, Reason};
use outflank_rules::{Color, Overrides, Position, Size, State, Stuck, Variant};
use proptest::prelude::*;
use proptest::sample::Index;

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) }
}

/// A start on a small board, on 8×8, or on the hex lattice.
fn any_start() -> impl Strategy<Value = Position> {
    let size = prop_oneof![(3_usize..=6, 3_usize..=6), Just((8, 8))];
    let rectangle = (size, any::<[bool; 3]>()).prop_map(|(size, [misere, anywhere, must_pass])| {
        let overrides = Overrides {
            size: Some(Size::new(size.0, size.1).unwrap()),
            misere,
            anywhere,
            stuck: must_pass.then_some(Stuck::MustPass),
        };
        Position::start(Variant::named("othello").unwrap().rules(&overrides).unwrap())
    });
    let hex = Variant::named("oddthello").unwrap().rules(&Overrides::default()).unwrap();
    prop_oneof![4 => rectangle, 1 => Just(Position::start(hex))]
}

/// A game, complete or not.
fn any_game() -> impl Strategy<Value = Game> {
    let choices = prop::collection::vec(any::<Index>(), 0..=70);
    (any_start(), choices).prop_map(|(start, choices)| {
        let mut game = Game::new(start);
        for choice in choices {
            let legal = game.legal();
            if legal.is_empty() {
                break;
            }
            game.play(*choice.get(&legal)).unwrap();
        }
        game
    })
}

fn replayed(game: &Game, events: usize) -> Game {
    let mut again = Game::restore(game.start().clone());
    for event in &game.events()[..events] {
        again.apply(event.clone()).unwrap();
    }
    again
}

fn same(some: &Game, other: &Game) -> Result<(), TestCaseError> {
    prop_assert_eq!(some.start(), other.start());
    prop_assert_eq!(some.position(), other.position());
    prop_assert_eq!(some.plies(), other.plies());
    prop_assert_eq!((some.must_pass(), some.outcome()), (other.must_pass(), other.outcome()));
    prop_assert_eq!(some.legal(), other.legal());
    prop_assert_eq!(some.events(), other.events());
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_plies_are_those_of_the_position(game in any_game()) {
        let mut position = game.start().clone();
        for (number, ply) in game.plies().iter().enumerate() {
            let at = game.at(number).unwrap();
            prop_assert_eq!(at.position(), &position);
            prop_assert_eq!((ply.by, ply.auto), (position.turn(), position.passes_automatically()));
            let flipped = position.play(ply.mv);
            prop_assert_eq!(flipped.as_ref(), Ok(&ply.flipped));
            let discs = Color::BOTH.map(|color| position.count(color));
            prop_assert_eq!([ply.black, ply.white], discs);
        }
        prop_assert_eq!(&position, game.position());
        prop_assert_eq!(game.legal(), position.legal());
        prop_assert_eq!(game.must_pass(), position.state() == State::Passing);
        prop_assert_eq!(game.outcome().is_some(), matches!(position.state(), State::Over(_)));
        prop_assert!(!position.passes_automatically());
    }

    #[test]
    fn a_replayed_game_is_the_same_game(game in any_game()) {
        same(&game, &replayed(&game, game.events().len()))?;
    }

    #[test]
    fn a_game_at_a_ply_is_its_first_plies(game in any_game(), cut in any::<Index>()) {
        let plies = game.plies().len();
        let cut = cut.index(plies + 1);
        same(&game.at(cut).unwrap(), &replayed(&game, cut))?;
        same(&game.at(plies).unwrap(), &game)?;
        prop_assert!(game.at(plies + 1).is_none());
    }

    #[test]
    fn automatic_passes_need_not_be_made(game in any_game()) {
        let mut again = Game::new(game.start().clone());
        for ply in game.plies().iter().filter(|ply| !ply.auto) {
            again.play(ply.mv).unwrap();
        }
        same(&game, &again)?;
    }

    #[test]
    fn a_player_who_resigns_loses(game in any_game(), cut in any::<Index>(), white in any::<bool>()) {
        let mut game = game.at(cut.index(game.plies().len() + 1)).unwrap();
        let color = if white { Color::White } else { Color::Black };
        if game.outcome().is_some() {
            prop_assert_eq!(game.apply(Event::by(color, Action::Resign)), Err(IllegalEvent::Over));
            return Ok(());
        }
        let (legal, plies) = (game.legal(), game.plies().len());
        game.apply(Event::by(color, Action::Resign)).unwrap();
        let outcome = game.outcome().unwrap();
        prop_assert_eq!((outcome.winner, outcome.reason), (Some(!color), Reason::Resigned));
        prop_assert_eq!(game.turn(), None);
        prop_assert_eq!(game.legal(), []);
        prop_assert_eq!(game.play(legal[0]), Err(IllegalEvent::Over));
        prop_assert_eq!(game.apply(Event::by(!color, Action::Resign)), Err(IllegalEvent::Over));
        let resignation = Event::by(color, Action::Resign);
        prop_assert_eq!(game.events().last(), Some(&resignation));
        prop_assert_eq!(game.apply(resignation), Err(IllegalEvent::Over));
        same(&game.at(plies).unwrap(), &game)?;
        let before = game.right_after(plies).unwrap();
        same(&before, &replayed(&game, plies))?;
        prop_assert_eq!(before.outcome(), None);
        if plies > 0 {
            same(&game.at(plies - 1).unwrap(), &replayed(&game, plies - 1))?;
        }
    }
}
