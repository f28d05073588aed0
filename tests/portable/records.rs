//! The way of a game through a block.

use outflank::portable::{self, Unreadable, blocks};
use outflank_model::log::Reason;
use outflank_rules::Color;

use super::{key, random_block, random_game};

#[test]
fn a_thousand_games_of_all_variants_come_back() {
    let mut rng = fastrand::Rng::with_seed(38);
    for _ in 0..1_000 {
        let stored = random_game(&mut rng);
        let text = portable::write(&key(), "The club", &stored).unwrap();
        let (back, by) = portable::read(&blocks(&text)[0]).unwrap();
        assert_eq!(by, key().public());
        assert_eq!((back.club.as_str(), back.id), ("The club", stored.id));
        assert_eq!(back.names, Color::BOTH.map(|color| stored.name(color).to_owned()));
        assert_eq!(back.variant.name, stored.agreement.variant);
        assert_eq!(back.custom_start, stored.agreement.custom_start);
        assert_eq!(back.started, stored.started);
        let (game, known) = (&back.game, &stored.game);
        assert_eq!((game.start(), game.position()), (known.start(), known.position()));
        assert_eq!(game.outcome(), known.outcome(), "{text}");
        assert_eq!(game.plies().len(), known.plies().len());
        for (ply, known) in game.plies().iter().zip(known.plies()) {
            let facts = |it: &outflank_model::log::Ply| (it.by, it.mv, it.auto, it.given);
            assert_eq!(facts(ply), facts(known));
            assert_eq!(back.times[ply.event - 1], stored.times[known.event - 1]);
        }
        if let Some(end) = game.end_event() {
            assert_eq!(back.times[end - 1], stored.since());
        }
    }
}

/// The format may not change: mails of many years have it.
#[test]
fn a_block_of_the_first_version_is_read() {
    let text = include_str!("first-version.txt");
    let stored = random_game(&mut fastrand::Rng::with_seed(167));
    assert_eq!(portable::write(&key(), "The club", &stored).unwrap(), text.trim_end());
    let (back, by) = portable::read(&blocks(text)[0]).unwrap();
    assert_eq!((by, by.to_string().parse()), (key().public(), Ok(by)));
    let outcome = back.game.outcome().unwrap();
    assert_eq!((back.game.plies().len(), outcome.reason), (45, Reason::Agreed));
}

#[test]
fn an_altered_block_is_never_taken_for_another_game() {
    let mut rng = fastrand::Rng::with_seed(3_000);
    for _ in 0..3_000 {
        let text = random_block(&mut rng);
        let mut letters = blocks(&text)[0].clone().into_bytes();
        let (at, other) = (rng.usize(..letters.len()), rng.usize(..letters.len()));
        match rng.u8(..5) {
            0 => letters[at] = rng.alphabetic() as u8,
            1 => drop(letters.remove(at)),
            2 => letters.insert(at, letters[other]),
            3 => letters.truncate(at),
            _ => letters.swap(at, other),
        }
        let letters = String::from_utf8(letters).unwrap();
        if letters != blocks(&text)[0] {
            assert_eq!(portable::read(&letters).unwrap_err(), Unreadable::Altered, "{letters}");
        }
    }
    assert_eq!(portable::read("").unwrap_err(), Unreadable::Altered);
}
