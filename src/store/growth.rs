//! Measures how much space games take.

use chrono::{DateTime, TimeDelta, Utc};

use super::tests::{now, othello, queue};
use super::*;
use outflank_model::log::{Action, Event, Game, GameId};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::time_control::TurnStarts;
use outflank_model::{Agreement, Moment, PlayerId, Side, StoredGame};
use outflank_rules::{Color, Variant};

const GAMES: usize = 400;
const MOVES: usize = 30;

/// Limit on the size of a finished game after its mail has been deleted.
const MAX_BYTES_PER_GAME: usize = 1024;

/// Plays games at the same time, a move a day in each, with a mail for each move.
fn play(store: &mut Store) {
    let variant = Variant::named("othello").unwrap();
    let start = othello();
    let ids = store.write(|tx| {
        let mut player = |n: usize| {
            let (name, address) = (format!("player{n}"), format!("player{n}@example.org"));
            tx.add_player(&name, &address, &[7; 32], now()).map(Side::from)
        };
        let players = (0..20).map(&mut player).collect::<Result<Vec<_>, _>>()?;
        let add = |n: usize| {
            let (black, white) = (&players[n % 20], &players[(n + 1 + n % 7) % 20]);
            let agreement = &Agreement::on(variant);
            let new = NewGame { agreement, game: &start, black, white, local: false, mark: "mark" };
            tx.add_game(&new, |id| format!("game-{id}.abcdefghijkl@games.example.org"), now())
        };
        (0..GAMES).map(add).collect::<Result<Vec<_>>>()
    });
    let mut games: Vec<(GameId, Game)> =
        ids.unwrap().into_iter().map(|id| (id, start.clone())).collect();
    for day in 1..=MOVES {
        let today = now() + TimeDelta::days(day as i64);
        store
            .write(|tx| {
                games.iter_mut().try_for_each(|(id, game)| one_day(tx, *id, game, day, today))
            })
            .unwrap();
    }
}

/// Makes a move in a game, the last one before its author resigns, and sends the mail about it.
fn one_day(tx: &Tx, id: GameId, game: &mut Game, day: usize, today: DateTime<Utc>) -> Result<()> {
    let stored = StoredGame {
        id,
        agreement: Agreement::on(Variant::named("othello").unwrap()),
        game: game.clone(),
        times: vec![now(); game.events().len()],
        turn_starts: TurnStarts::new(),
        local: false,
        started: now(),
        black: tx.player(PlayerId(1 + (id.0 - 1) % 20))?.into(),
        white: tx.player(PlayerId(1 + (id.0 + (id.0 - 1) % 7) % 20))?.into(),
        thread: String::new(),
        tournament: None,
    };
    let legal = game.legal();
    let mover = game.turn().unwrap();
    game.play(legal[(id.0 as usize * 7 + day) % legal.len()]).unwrap();
    if day == MOVES {
        game.apply(Event::by(mover, Action::Resign)).unwrap();
    }
    tx.save_game(&stored, game, today)?;
    let to = stored.player(game.turn().unwrap_or(Color::Black)).unwrap();
    let entry = NewOutboxEntry::to(
        to,
        MailContent::of_game(
            MessageKind::Turn,
            Moment { game: id, ply: day, events: game.events().len() },
        ),
    );
    tx.supersede_turn_mails(id, to.id)?;
    let message_id = format!("{id}.{day}.turn.abcdefghijkl.abcdefghijkl@games.example.org");
    let mail = queue(tx, &entry, &message_id, today)?;
    let longest = TimeDelta::minutes(5);
    let request = ClaimRequest { lease: "1234.abcdefgh", now: today, until: today, longest };
    let claim = tx.claim_mail(&request, mail)?.unwrap();
    tx.settle_mail(&claim, &Settled::Sent, today)
}

fn bytes(store: &Store) -> usize {
    let pragma = |name| {
        store.connection.pragma_query_value(None, name, |row| row.get::<_, usize>(0)).unwrap()
    };
    (pragma("page_count") - pragma("freelist_count")) * pragma("page_size")
}

#[test]
fn a_finished_game_without_its_mail_takes_little_space() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("grown.db"), false).unwrap();
    store.write_or_create(|_| Ok::<_, Error>(())).unwrap();
    let empty = bytes(&store);
    play(&mut store);
    let later = now() + TimeDelta::days(50);
    let with_mail = bytes(&store);
    loop {
        let old = store.read(|db| db.old_mails(later, 500, None)).unwrap();
        if old.is_empty() {
            break;
        }
        store.write(|tx| old.iter().try_for_each(|&mail| tx.delete_mail(mail))).unwrap();
    }
    let [with_mail, without] = [with_mail, bytes(&store)].map(|bytes| (bytes - empty) / GAMES);
    assert!(without <= MAX_BYTES_PER_GAME, "{without} bytes a game, {with_mail} with its mail");
}
