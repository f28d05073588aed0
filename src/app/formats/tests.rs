//! Random games of all variants through each format, and damaged files.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Exported, Format, Imported, Piece, Source, readers, writers};
use crate::app::views::comments;
use outflank_model::log::{Action, Event, Game, GameId, Offer, Reason};
use outflank_model::time_control::TurnStarts;
use outflank_model::{Agreement, Opening, Side, StoredGame};
use outflank_rules::{Color, Move, Overrides, Position, Size, Stuck, Transcript, Variant};

const GAMES: usize = 400;
const MUTATIONS: usize = 600;
const NAMES: [&str; 2] = ["Ann [1]", "Bo \"b\" \\"];

fn began() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Returns a time after all games.
fn later() -> DateTime<Utc> {
    began() + TimeDelta::days(1000)
}

fn source(bytes: &[u8]) -> Source {
    Source { bytes: bytes.to_vec(), players: Vec::new(), names: ["?", "?"].map(str::to_owned) }
}

/// Returns a position of random rules: the start, or one after some moves.
fn position(rng: &mut fastrand::Rng) -> (&'static str, Position) {
    let (name, overrides) = match rng.u8(..8) {
        0 => ("oddthello", Overrides::default()),
        1 => ("twente", Overrides::default()),
        2 => ("mini", Overrides { misere: true, ..Overrides::default() }),
        3..=5 => ("othello", Overrides::default()),
        _ => {
            let size = if rng.bool() { rng.usize(4..9) } else { 6 };
            let size = Size::new(6, size).ok();
            let stuck = rng.bool().then_some(Stuck::MustPass);
            let (misere, anywhere) = (rng.bool(), rng.u8(..4) == 0);
            ("othello", Overrides { size, misere, anywhere, stuck })
        }
    };
    let rules = Variant::named(name).unwrap().rules(&overrides).unwrap();
    let mut position = Position::start(rules);
    if rng.u8(..4) == 0 {
        for _ in 0..rng.usize(1..20) {
            let legal = position.legal();
            let Some(&mv) = rng.choice(&legal) else { break };
            let mut next = position.clone();
            next.play(mv).unwrap();
            // A position on the hex lattice may have all the discs of a player.
            if next.legal().is_empty() {
                break;
            }
            position = next;
        }
        // The same without its history.
        let setup: outflank_rules::Setup = position.to_string().parse().unwrap();
        position = setup.position(position.rules(), position.frame().first).unwrap();
    }
    (name, position)
}

/// Ends a game in a random way.
fn end(game: &mut Game, rng: &mut fastrand::Rng) {
    let turn = game.position().turn();
    let either = if rng.bool() { turn } else { !turn };
    let events = match rng.u8(..7) {
        0 => vec![Event::by(either, Action::Resign)],
        1 => vec![Event::by_host(Action::TimeOut(turn))],
        2 => vec![Event::by(!turn, Action::Claim)],
        3 => vec![Event::by_host(Action::Forfeit { player: either, reason: String::new() })],
        4 => vec![Event::by_host(Action::Annul { reason: String::new() })],
        5 if !game.has_moved(turn) => vec![Event::by(turn, Action::Decline)],
        _ => {
            let offer = Event::by(turn, Action::Offer(Offer::Draw));
            vec![offer, Event::by(!turn, Action::Accept)]
        }
    };
    events.into_iter().for_each(|event| game.apply(event).unwrap());
}

/// Returns a random finished game.
fn game(rng: &mut fastrand::Rng) -> StoredGame {
    let (variant, start) = position(rng);
    let has_opening = Opening::Balanced.suits(&start) && rng.bool();
    let mut game = Game::new(start);
    let is_short = rng.u8(..3) == 0;
    let most = if is_short || variant == "oddthello" { rng.usize(..30) } else { usize::MAX };
    if has_opening {
        let opening: Transcript = "f5d6c3d3c4f4f6f3".parse().unwrap();
        opening.0.into_iter().for_each(|mv| game.give(mv).unwrap());
    }
    while game.plies().len() < most && game.outcome().is_none() {
        if rng.u8(..16) == 0 {
            let text = ["Good [game];)", "well {played}", "a\nb"][rng.usize(..3)].to_owned();
            game.apply(Event::by(game.position().turn(), Action::Say(text))).unwrap();
        }
        game.play(*rng.choice(&game.legal()).unwrap()).unwrap();
    }
    if game.outcome().is_none() {
        end(&mut game, rng);
    }
    let opening = has_opening.then_some(Opening::Balanced);
    let custom_start = Position::start(*game.start().rules()) != *game.start();
    let agreement = Agreement::on(Variant::named(variant).unwrap());
    let agreement = Agreement { custom_start, opening, ..agreement };
    let mut at = began();
    let times = game.events().iter().map(|event| {
        // An automatic pass is made with the move before it.
        let is_pass = event.action == Action::AutoPass;
        at += TimeDelta::seconds(if is_pass { 0 } else { rng.i64(0..900) });
        at
    });
    let [black, white] = NAMES.map(|name| Side::Guest(name.to_owned()));
    let (id, started, times) = (GameId(7), began(), times.collect());
    let (turn_starts, thread) = (TurnStarts::from_iter([]), String::new());
    StoredGame {
        id,
        agreement,
        game,
        local: false,
        started,
        times,
        turn_starts,
        black,
        white,
        thread,
        tournament: None,
    }
}

/// Returns a game as a file of this format.
fn written(format: &Format, stored: &StoredGame) -> String {
    let writer = format.writer.as_ref().unwrap();
    let comments: Vec<_> = comments::all(&stored.game).collect();
    (writer.head)("", None) + &(writer.write)(&Exported { stored, comments: &comments })
}

/// Reads all records of a file.
fn read(format: &Format, bytes: &[u8]) -> Result<Vec<Result<Imported, String>>, String> {
    let (source, reader) = (source(bytes), format.reader.as_ref().unwrap());
    let pieces = (reader.split)(&source.bytes)?;
    Ok(pieces.iter().map(|piece: &Piece| (reader.read)(piece, &source)).collect())
}

/// Returns what a format keeps of the end: those that do not say how a game ended keep its winner.
fn kept(word: &str, reason: Reason) -> Option<Reason> {
    let is_board = matches!(reason, Reason::Discs | Reason::Stuck);
    match (word, reason) {
        ("json", reason) => Some(reason),
        (_, reason) if is_board => Some(reason),
        ("moves", _) | (_, Reason::Annulled | Reason::Declined) => None,
        (_, Reason::Agreed) => Some(Reason::Agreed),
        // The one who claims is not on turn.
        ("ggf", Reason::Time | Reason::Claimed) => Some(Reason::Time),
        _ => Some(Reason::Resigned),
    }
}

fn check(format: &Format, stored: &StoredGame, text: &str) {
    let records = read(format, text.as_bytes()).unwrap();
    let outcome = stored.game.outcome().unwrap();
    let Some(reason) = kept(format.word, outcome.reason) else {
        assert!(records.iter().all(Result::is_err), "{text}");
        return;
    };
    assert_eq!(records.len(), 1, "{text}");
    let found = records.into_iter().next().unwrap().unwrap_or_else(|it| panic!("{it}: {text}"));
    let moves = |game: &Game| game.plies().iter().map(|ply| (ply.by, ply.mv)).collect::<Vec<_>>();
    assert_eq!(moves(&found.game), moves(&stored.game), "{text}");
    assert_eq!(found.game.start(), stored.game.start(), "{text}");
    let expected = outflank_model::log::Outcome { reason, ..outcome };
    assert_eq!(found.game.outcome(), Some(expected), "{text}");
    let names = match format.word {
        "moves" => ["?", "?"],
        "ggf" => ["Ann 1", NAMES[1]],
        _ => NAMES,
    };
    assert_eq!(found.names, names);
    let (started, times) = found.times(later());
    if format.word == "json" {
        assert_eq!(found.game.events(), stored.game.events());
        assert_eq!(found.agreement, stored.agreement);
        // An offer that was accepted is not written.
        let known = |times: &[DateTime<Utc>]| -> Vec<_> {
            let events = times.iter().zip(found.game.events());
            let events = events.filter(|(_, it)| !matches!(it.action, Action::Offer(_)));
            events.map(|(at, _)| *at).collect()
        };
        assert_eq!(known(&times), known(&stored.times), "{text}");
    }
    assert!(format.word == "moves" || started == began(), "{text}");
    assert_eq!(
        found.digest(),
        read(format, text.as_bytes()).unwrap()[0].as_ref().unwrap().digest()
    );
}

#[test]
fn random_games_come_back_from_each_format_that_can_hold_them() {
    let seed = fastrand::u64(..);
    println!("the seed is {seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..GAMES {
        let stored = game(&mut rng);
        for format in writers().filter(|format| format.reader.is_some()) {
            if format.cannot_hold(&stored).is_none() {
                check(format, &stored, &written(format, &stored));
            }
        }
    }
}

/// Returns a WTHOR file with a game of these moves.
fn wthor(moves: &[Move], black: u8) -> Vec<u8> {
    let mut bytes = vec![20, 26, 11, 27, 1, 0, 0, 0, 0, 0];
    bytes.extend(2009_u16.to_le_bytes());
    bytes.extend([8, 0, 24, 0]);
    bytes.extend([3, 0, 1, 0, 2, 0, black, black]);
    let cells = moves.iter().filter_map(|mv| match mv {
        Move::Place(cell) => Some(u8::try_from(10 * cell.row + cell.column + 1).unwrap()),
        Move::Pass => None,
    });
    bytes.extend(cells);
    bytes.resize(16 + 68, 0);
    bytes
}

#[test]
fn a_wthor_file_has_the_names_of_its_players_and_the_year() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut game = Game::new(Position::start(super::reading::othello().unwrap()));
    while game.outcome().is_none() {
        game.play(*rng.choice(&game.legal()).unwrap()).unwrap();
    }
    let moves: Vec<_> = game.moves().collect();
    let outcome = game.outcome().unwrap();
    let empty = 64 - outcome.black - outcome.white;
    let more = if outcome.winner == Some(Color::Black) { empty } else { 0 };
    let black = u8::try_from(outcome.black + more).unwrap();
    let format = readers().find(|format| format.word == "wthor").unwrap();
    let reader = format.reader.as_ref().unwrap();
    let file = wthor(&moves, black);
    let mut players = vec![0; 16];
    for name in ["", "Juh\u{e9}m", "TASTET Marc"] {
        let bytes = name.chars().map(|c| u8::try_from(u32::from(c)).unwrap());
        players.extend(bytes.chain(std::iter::repeat(0)).take(20));
    }
    let source = Source { players: super::players(&players), ..source(&file) };
    let pieces = (reader.split)(&file).unwrap();
    let found = (reader.read)(&pieces[0], &source).unwrap();
    assert_eq!(found.names, ["Juh\u{e9}m", "TASTET Marc"]);
    assert_eq!(found.times(later()).0.to_rfc3339(), "2009-01-01T00:00:00+00:00");
    assert_eq!(found.game.events(), game.events());
    // A game that stops before its end has the winner of the record, and a wrong number of discs is
    // a fault.
    let stopped = read(format, &wthor(&moves[..20], 40)).unwrap().remove(0).unwrap();
    assert_eq!(stopped.game.outcome().unwrap().winner, Some(Color::Black));
    let wrong = read(format, &wthor(&moves, black ^ 1)).unwrap().remove(0).unwrap_err();
    assert!(wrong.starts_with("the result contradicts the moves, which end "), "{wrong}");
    assert!(read(format, &file[..file.len() - 1]).is_err());
}

#[test]
fn damaged_files_are_refused_or_read_as_finished_games() {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut games = Vec::new();
    while games.len() < 3 {
        let stored = game(&mut rng);
        let holds = writers().all(|format| format.cannot_hold(&stored).is_none());
        let is_decided = stored.game.outcome().is_some_and(|it| it.reason == Reason::Discs);
        games.extend((holds && is_decided).then_some(stored));
    }
    for format in readers() {
        let mut file = Vec::new();
        match format.word {
            "wthor" => file = wthor(&games[0].game.moves().collect::<Vec<_>>(), 33),
            _ => games.iter().for_each(|stored| file.extend(written(format, stored).into_bytes())),
        }
        for _ in 0..MUTATIONS {
            let mut bytes = file.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..bytes.len());
                match rng.u8(..5) {
                    0 => bytes[at] = rng.u8(..),
                    1 => bytes.insert(at, *rng.choice(b"[]{}();:\"\\-09aB/.\n").unwrap()),
                    2 => drop(bytes.remove(at)),
                    3 => bytes.truncate(at + 1),
                    _ => bytes.extend_from_within(at..),
                }
            }
            let bytes = match format.reader.as_ref().unwrap().is_binary {
                true => bytes,
                false => String::from_utf8_lossy(&bytes).into_owned().into_bytes(),
            };
            for imported in read(format, &bytes).into_iter().flatten().flatten() {
                assert!(imported.game.outcome().is_some(), "{}", format.word);
                imported.times(later());
            }
        }
    }
}
