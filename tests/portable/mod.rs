//! Games as signed blocks of text: what they hold, and what mail programs may do to them.

mod blocks;
mod mails;
mod records;

use chrono::{DateTime, TimeDelta};
use outflank::portable::{self, ClubKey};
use outflank_model::log::{Action, Event, Game, GameId, Offer};
use outflank_model::time_control::TurnStarts;
use outflank_model::{Agreement, StoredGame};
use outflank_rules::{Color, Overrides, Position, Setup, Size, Stuck, VARIANTS};

fn key() -> ClubKey {
    ClubKey::of(&[7; 32]).unwrap()
}

/// Returns a block with a random game.
fn random_block(rng: &mut fastrand::Rng) -> String {
    portable::write(&key(), "The club", &random_game(rng)).unwrap()
}

/// Returns a random game of any variant, active or over.
fn random_game(rng: &mut fastrand::Rng) -> StoredGame {
    let variant = *rng.choice(VARIANTS).unwrap();
    let overrides = Overrides {
        size: Size::new(rng.usize(3..10), rng.usize(3..10)).ok(),
        misere: rng.bool(),
        anywhere: rng.bool(),
        stuck: rng.bool().then_some(Stuck::MustPass),
    };
    let rules = variant.rules(&overrides).or(variant.rules(&Overrides::default())).unwrap();
    let mut agreement = Agreement::on(&variant);
    let mut start = Position::start(rules);
    if rng.u8(..4) == 0 {
        let setup: Setup = "(w ------ --bb-- -bwwb- ---ww- ------)".parse().unwrap();
        start = setup.position(&rules, "ZZ-2".parse().unwrap()).unwrap();
        agreement.custom_start = true;
    }
    let mut game = Game::new(start);
    for number in 0..rng.usize(..100) {
        let legal = game.legal();
        let Some(&mv) = rng.choice(&legal) else { break };
        if number < 4 && rng.bool() { game.give(mv).or(game.play(mv)) } else { game.play(mv) }
            .unwrap();
        if rng.u8(..20) == 0 {
            let by = if rng.bool() { Color::Black } else { Color::White };
            let _ = game.apply(Event::by(by, Action::TakeBack));
        }
    }
    for event in rng.choice(&ends(&game)).unwrap() {
        game.apply(event.clone()).unwrap();
    }
    let started = DateTime::from_timestamp(1_700_000_000 + rng.i64(0..100_000_000), 0).unwrap();
    let mut at = started;
    let times = game.events().iter().map(|_| {
        at += TimeDelta::seconds(rng.i64(-10..1_000_000));
        at
    });
    let times = times.collect();
    StoredGame {
        id: GameId(rng.i64(1..1_000_000)),
        agreement,
        local: false,
        started,
        times,
        turn_starts: TurnStarts::default(),
        black: "bot:5".parse::<outflank_model::bot::Bot>().unwrap().into(),
        white: "bot:1".parse::<outflank_model::bot::Bot>().unwrap().into(),
        thread: String::new(),
        tournament: None,
        game,
    }
}

/// Returns the ways in which a game can go on: not at all, or with its end.
fn ends(game: &Game) -> Vec<Vec<Event>> {
    let (host, turn) = (Event::by_host, game.position().turn());
    let (player, reason) = (turn, "has left the club".to_owned());
    let ends = vec![
        vec![],
        vec![Event::by(!turn, Action::Resign)],
        vec![Event::by(!turn, Action::Offer(Offer::Draw)), Event::by(turn, Action::Accept)],
        vec![host(Action::TimeOut(turn))],
        vec![host(Action::Flag(turn)), Event::by(!turn, Action::Claim)],
        vec![host(Action::Forfeit { player, reason: reason.clone() })],
        vec![host(Action::Annul { reason })],
        vec![Event::by(turn, Action::Decline)],
    ];
    let is_legal = |events: &Vec<Event>| {
        let mut game = game.clone();
        events.iter().all(|event| game.apply(event.clone()).is_ok())
    };
    ends.into_iter().filter(is_legal).collect()
}
