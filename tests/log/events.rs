//! The log of a game: the events that are allowed, and earlier states of the game.

use outflank_model::log::{Action, Event, Game, Offer};
use outflank_rules::{Cell, Color, Move, Overrides, Position, Setup, Size, Stuck, Variant};

fn start(stuck: Stuck) -> Position {
    let size = Some(Size::new(4, 4).unwrap());
    let overrides = Overrides { size, stuck: Some(stuck), ..Overrides::default() };
    Position::start(Variant::named("othello").unwrap().rules(&overrides).unwrap())
}

fn moves(game: &Game) -> Vec<(Color, Move, bool)> {
    game.plies().iter().map(|ply| (ply.by, ply.mv, ply.auto)).collect()
}

/// Returns events of all kinds, with moves outside the board too.
fn events() -> Vec<Event> {
    let cells = (-1..5).flat_map(|column| (0..6).map(move |row| Cell { column, row }));
    let moves = cells.map(Move::Place).chain([Move::Pass]);
    let moves = moves.flat_map(|mv| [Action::Move(mv), Action::Given(mv)]);
    let offers = Offer::ALL.iter().copied().map(Action::Offer);
    let of_players = [
        Action::AutoPass,
        Action::Resign,
        Action::TakeBack,
        Action::Accept,
        Action::Decline,
        Action::Unpause,
        Action::Claim,
        Action::Away { from: 0, until: 1 },
        Action::Back,
        Action::Hint,
        Action::Settings("UTC".to_owned()),
        Action::Say("Hello".to_owned()),
        Action::Note("d3?".to_owned()),
    ];
    let reason = String::new;
    let of_host = Color::BOTH.into_iter().flat_map(|player| {
        [
            Action::Flag(player),
            Action::TimeOut(player),
            Action::Outage { since: 0, of_mail: false },
            Action::Outage { since: 0, of_mail: true },
            Action::Extend { player, span: 1, reason: reason() },
            Action::Annul { reason: reason() },
            Action::Forfeit { player, reason: reason() },
        ]
    });
    let actions = moves.chain(offers).chain(of_players).chain(of_host);
    let authors = [None, Some(Color::Black), Some(Color::White)];
    actions.flat_map(|action| authors.map(|by| Event { by, action: action.clone() })).collect()
}

/// The state of a game besides its position, derived from its log alone.
#[derive(Default)]
struct Agreements {
    offer: Option<(Color, Offer)>,
    is_paused: bool,
}

impl Agreements {
    fn of(game: &Game) -> Self {
        let mut it = Self::default();
        for event in game.events() {
            match (&event.action, event.by) {
                (Action::Offer(offer), Some(by)) => it.offer = Some((by, *offer)),
                (Action::Accept, _) => {
                    it.is_paused |= matches!(it.offer, Some((_, Offer::Pause)));
                    it.offer = None;
                }
                (Action::Decline | Action::TakeBack, _) => it.offer = None,
                (Action::Unpause, _) => it.is_paused = false,
                (Action::Move(_), by) if it.offer.is_some_and(|(other, _)| Some(other) != by) => {
                    it.offer = None;
                }
                _ => {}
            }
        }
        it.offer = it.offer.filter(|&(_, it)| (it == Offer::Rematch) == game.turn().is_none());
        it
    }
}

fn may_happen(game: &Game, event: &Event) -> bool {
    let Agreements { offer, is_paused } = Agreements::of(game);
    let is_active = game.turn().is_some();
    let Some(by) = event.by else {
        return match event.action {
            Action::Flag(player) | Action::TimeOut(player) => game.turn() == Some(player),
            Action::Hint
            | Action::Outage { .. }
            | Action::Extend { .. }
            | Action::Forfeit { .. } => is_active,
            // Also after the end, once.
            Action::Annul { .. } => game.outcome().is_none_or(|outcome| outcome.reason.counts()),
            _ => false,
        };
    };
    let is_on_turn = game.turn() == Some(by);
    let has_move = game.plies().iter().any(|ply| ply.by == by && !ply.auto && !ply.given);
    let is_new = |wanted| offer.is_none_or(|(other, open)| other == by && open != wanted);
    match &event.action {
        Action::Move(mv) => is_on_turn && game.legal().contains(mv),
        Action::AutoPass => is_on_turn && game.legal() == [Move::Pass],
        Action::Given(mv) => {
            let is_given = |it: &Event| matches!(it.action, Action::Given(_) | Action::AutoPass);
            is_on_turn && game.legal().contains(mv) && game.events().iter().all(is_given)
        }
        Action::Resign | Action::Hint | Action::Annul { .. } => is_active,
        Action::TakeBack => is_active && has_move,
        Action::Offer(Offer::Draw) => is_active && is_new(Offer::Draw),
        Action::Offer(Offer::TakeBack) => is_active && has_move && is_new(Offer::TakeBack),
        Action::Offer(Offer::Pause) => is_active && !is_paused && is_new(Offer::Pause),
        Action::Offer(Offer::Rematch) => !is_active && is_new(Offer::Rematch),
        Action::Accept => offer.is_some_and(|(other, _)| other != by),
        Action::Decline => {
            let made =
                |event: &Event| event.by == Some(by) && matches!(event.action, Action::Move(_));
            offer.is_some() || is_active && !game.events().iter().any(made)
        }
        Action::Unpause => is_paused,
        Action::Claim => is_active && !is_on_turn && !is_paused,
        Action::Away { .. }
        | Action::Back
        | Action::Settings(_)
        | Action::Say(_)
        | Action::Note(_) => true,
        Action::Flag(_)
        | Action::TimeOut(_)
        | Action::Outage { .. }
        | Action::Extend { .. }
        | Action::Forfeit { .. } => false,
    }
}

fn check_events(game: &Game) {
    let mut placements = 0;
    for event in events() {
        let expected = may_happen(game, &event);
        let is_move = matches!(event.action, Action::Move(_));
        placements += usize::from(expected && is_move);
        let mut after = game.clone();
        assert_eq!(after.apply(event.clone()).is_ok(), expected, "{event:?} after {game:?}");
        let added = if expected { vec![event.clone()] } else { Vec::new() };
        assert_eq!(after.events(), [game.events(), &added].concat());
        let written = event.action.label(game.start().rules().lattice);
        if expected {
            assert_eq!(written.parse(), Ok(event.action.clone()));
        }
        if expected && event.action.as_move().is_some() {
            assert_eq!(moves(&after).len(), moves(game).len() + 1);
            assert_eq!(after.position_event(), after.events().len());
        }
    }
    assert_eq!(placements, game.legal().len());
}

fn check_earlier_moments(game: &Game) {
    let last = game.plies().len();
    for ply in 0..=last {
        let (at, after) = (game.at(ply).unwrap(), game.right_after(ply).unwrap());
        assert_eq!(moves(&at), moves(game)[..ply]);
        assert_eq!(moves(&after), moves(game)[..ply]);
    }
    assert!(game.at(last + 1).is_none() && game.right_after(last + 1).is_none());
    assert_eq!(game.at(last).unwrap().outcome(), game.outcome());
}

/// Checks that the position results from the moves that were not taken back.
fn check_position(game: &Game) {
    let mut position = game.start().clone();
    for ply in game.plies() {
        position.play(ply.mv).unwrap();
    }
    assert_eq!(position.to_string(), game.position().to_string());
}

#[test]
fn only_allowed_events_are_applied() {
    for seed in 0..16 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let stuck = if seed % 2 == 0 { Stuck::AutoPass } else { Stuck::MustPass };
        let mut game = Game::new(start(stuck));
        for _ in 0..seed % 4 {
            game.give(*rng.choice(&game.legal()).unwrap()).unwrap();
        }
        for _ in 0..40 {
            check_events(&game);
            check_earlier_moments(&game);
            check_position(&game);
            let possible: Vec<_> =
                events().into_iter().filter(|event| may_happen(&game, event)).collect();
            let ends = |event: &Event| {
                let mut after = game.clone();
                after.apply(event.clone()).unwrap();
                after.turn().is_none()
            };
            match (game.legal().is_empty(), rng.u8(..10)) {
                (false, 0..5) => game.play(*rng.choice(&game.legal()).unwrap()).unwrap(),
                // Most events that end the game are skipped, for longer games.
                _ => {
                    let event = rng.choice(&possible).unwrap().clone();
                    if !ends(&event) || rng.u8(..10) == 0 {
                        game.apply(event).unwrap();
                    }
                }
            }
        }
    }
}

#[test]
fn a_takeback_goes_back_to_the_position_before_the_players_last_move() {
    let mut game = Game::new(start(Stuck::AutoPass));
    let before = game.position().to_string();
    let first = game.legal()[0];
    game.play(first).unwrap();
    game.play(game.legal()[0]).unwrap();
    game.apply(Event::by(Color::Black, Action::Offer(Offer::TakeBack))).unwrap();
    game.apply(Event::by(Color::White, Action::Accept)).unwrap();
    assert_eq!((game.position().to_string(), game.plies().len()), (before, 0));
    assert_eq!(game.turn(), Some(Color::Black));
    let [taken_back] = game.taken_back() else { panic!("{:?}", game.taken_back()) };
    assert_eq!((taken_back.event, taken_back.by, taken_back.plies.len()), (4, Color::Black, 2));
    game.play(first).unwrap();
    assert_eq!((game.plies().len(), game.position_event()), (1, 5));
}

#[test]
fn a_takeback_and_the_same_moves_again_lead_to_the_same_position() {
    let mut takebacks = 0;
    for seed in 0..200 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let stuck = if seed % 2 == 0 { Stuck::AutoPass } else { Stuck::MustPass };
        let mut game = Game::new(start(stuck));
        for _ in 0..rng.usize(1..16) {
            let Some(&mv) = rng.choice(&game.legal()) else { break };
            game.play(mv).unwrap();
        }
        let made = game.clone();
        let by = if rng.bool() { Color::Black } else { Color::White };
        if game.apply(Event::by(by, Action::TakeBack)).is_err() {
            continue;
        }
        takebacks += 1;
        assert_eq!(game.turn(), Some(by));
        let again = made.plies()[game.plies().len()..].iter().filter(|ply| !ply.auto);
        for ply in again {
            game.play(ply.mv).unwrap();
        }
        assert_eq!(moves(&game), moves(&made));
        assert_eq!(game.position().to_string(), made.position().to_string());
    }
    assert!(takebacks > 100, "only {takebacks} takebacks");
}

#[test]
fn an_automatic_pass_leaves_an_offer_open() {
    let variant = Variant::named("mini").unwrap();
    let setup: Setup = "(b -wb- ---- -wbb ----)".parse().unwrap();
    let first = Cell { column: 0, row: 1 };
    let rules = variant.rules(&Overrides::default()).unwrap();
    let mut game = Game::new(setup.position(&rules, first).unwrap());
    game.apply(Event::by(Color::Black, Action::Offer(Offer::Draw))).unwrap();
    game.play(Move::Place(first)).unwrap();
    assert_eq!(game.plies().last().map(|ply| (ply.by, ply.auto)), Some((Color::White, true)));
    assert_eq!(game.offer(), Some((Color::Black, Offer::Draw)));
}
