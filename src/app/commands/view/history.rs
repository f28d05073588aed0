use chrono::{DateTime, Utc};
use clap::Args;
use serde::Serialize;

use crate::app::commands::words::note;
use crate::app::session::Reading;
use crate::app::views::comments;
use crate::app::views::comments::Comment;
use crate::app::views::game::{MoveJson, names};
use crate::app::views::reply::json_time;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::log::{Action, Game, GameId, Ply};
use crate::render::words::{self, Names};
use crate::store::StoredGame;
use outflank_rules::{Color, Move};

/// List the moves of a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: history 12")]
pub struct History {
    /// The number of the game
    game: GameId,
}

#[derive(Serialize)]
struct HistoryJson {
    game: i64,
    moves: Vec<PlyJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taken_back: Vec<TakenBackJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    said: Vec<WordsJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<HintJson>,
}

#[derive(Serialize)]
struct HintJson {
    /// The number of moves made before.
    ply: usize,
    /// The player; `None` for the host.
    by: Option<String>,
    at: String,
}

/// A hint that was given in a game.
struct Hint {
    event: usize,
    /// The number of moves made before.
    ply: usize,
    by: Option<Color>,
}

/// Returns the hints of a game, oldest first.
fn hints(game: &Game) -> Vec<Hint> {
    // Moves that were taken back later count.
    let moves_before = |event: usize| {
        let taken = game.taken_back().iter().filter(|taken| taken.event > event);
        let taken = taken.flat_map(|taken| &taken.plies);
        game.plies().iter().chain(taken).filter(|ply| ply.event < event).count()
    };
    let hints = (1..).zip(game.events()).filter(|(_, it)| it.action == Action::Hint);
    hints.map(|(event, it)| Hint { event, ply: moves_before(event), by: it.by }).collect()
}

#[derive(Serialize)]
struct WordsJson {
    /// The number of moves made before.
    ply: usize,
    by: String,
    text: String,
    at: String,
}

impl WordsJson {
    fn of(stored: &StoredGame, comment: &Comment) -> Self {
        Self {
            ply: comment.ply(&stored.game),
            by: comment.by.to_string(),
            text: comment.text.to_owned(),
            at: json_time(time_of(stored, comment.event)),
        }
    }
}

#[derive(Serialize)]
struct TakenBackJson {
    by: String,
    at: String,
    moves: Vec<PlyJson>,
}

#[derive(Serialize)]
struct PlyJson {
    ply: usize,
    #[serde(flatten)]
    mv: MoveJson,
    black: u32,
    white: u32,
    at: String,
    auto: bool,
}

impl PlyJson {
    /// Returns moves, the first of which has the number after `before`.
    fn all(stored: &StoredGame, before: usize, plies: &[Ply]) -> Vec<Self> {
        let lattice = stored.game.start().rules().lattice;
        let json = |(number, ply): (usize, &Ply)| Self {
            ply: number,
            mv: MoveJson::of(lattice, ply),
            black: ply.black,
            white: ply.white,
            at: json_time(time_of(stored, ply.event)),
            auto: ply.auto,
        };
        (before + 1..).zip(plies).map(json).collect()
    }
}

impl UseCase for History {
    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (stored, own, words_said, said) = session.read(|reading| {
            let Reading { db, actor, .. } = reading;
            let stored = find::game(db, self.game)?;
            let player = actor.player().map(|player| find::player(db, player)).transpose()?;
            let own = player.and_then(|player| stored.color_of(player.id));
            let comments = comments::readable(reading.db, reading.actor, &stored)?;
            let said = comments::by_move(&comments, &stored);
            let words = comments.iter().map(|comment| WordsJson::of(&stored, comment)).collect();
            Ok((stored, own, words, said))
        })?;
        let hints = hints(&stored.game);
        let json = HistoryJson::of(&stored, &hints, words_said);
        let table = table(&stored, &hints);
        let reply = Reply::new(&json).table(table, "No move has been made.");
        let notes = note::notes(&stored, own);
        let notes = (!notes.is_empty()).then(|| note::shown(&notes));
        let result = words::result(&stored.game, names(&stored.black, &stored.white));
        Ok(said.into_iter().chain(result).chain(notes).fold(reply, Reply::text))
    }
}

/// Returns the moves of a game as JSON, without what was said and which hints were given.
pub(crate) fn moves_as_json(stored: &StoredGame) -> String {
    // The values are plain structures with string keys, which always serialize.
    serde_json::to_string(&HistoryJson::of(stored, &[], Vec::new())).unwrap_or_default()
}

/// Returns the time of an event, which is counted from 1.
fn time_of(stored: &StoredGame, event: usize) -> DateTime<Utc> {
    stored.times.get(event - 1).copied().unwrap_or_default()
}

impl HistoryJson {
    fn of(stored: &StoredGame, hints: &[Hint], said: Vec<WordsJson>) -> Self {
        let at = |event| json_time(time_of(stored, event));
        let hints = hints.iter().map(|hint| HintJson {
            ply: hint.ply,
            by: hint.by.map(|by| by.to_string()),
            at: at(hint.event),
        });
        let taken_back = stored.game.taken_back().iter().map(|taken| TakenBackJson {
            by: taken.by.to_string(),
            at: at(taken.event),
            moves: PlyJson::all(stored, taken.ply, &taken.plies),
        });
        Self {
            game: stored.id.0,
            moves: PlyJson::all(stored, 0, stored.game.plies()),
            taken_back: taken_back.collect(),
            said,
            hints: hints.collect(),
        }
    }
}

/// Returns the table of moves and hints in the order of their events, with the moves taken back.
fn table(stored: &StoredGame, hints: &[Hint]) -> Table {
    let names = names(&stored.black, &stored.white);
    let made = (1..).zip(stored.game.plies()).map(|(number, ply)| (number, ply, false));
    let taken_back = stored.game.taken_back().iter();
    let taken_back = taken_back.flat_map(|taken| (taken.ply + 1..).zip(&taken.plies));
    let all = made.chain(taken_back.map(|(number, ply)| (number, ply, true)));
    let moves = all.map(|(number, ply, is_taken_back)| {
        (ply.event, row(stored, names, number, ply, is_taken_back))
    });
    let given = hints.iter().map(|hint| {
        let by = hint.by.map_or_else(|| "the host".to_owned(), |by| names.with_color(by));
        let mut row = vec![hint.ply.into(), by.into(), "hint".into()];
        let at = Entry::Time(time_of(stored, hint.event));
        row.extend([Entry::NONE, Entry::NONE, Entry::NONE, at]);
        (hint.event, row)
    });
    let mut rows: Vec<(usize, Vec<Entry>)> = moves.chain(given).collect();
    rows.sort_by_key(|(event, _)| *event);
    let columns = vec![
        Column::Number("#"),
        Column::Prose("Player"),
        Column::Text("Move"),
        Column::Prose("Flipped"),
        Column::Number("Black"),
        Column::Number("White"),
        Column::Prose("When"),
    ];
    Table { columns, rows: rows.into_iter().map(|(_, row)| row).collect() }
}

/// Returns the row of a move.
fn row(
    stored: &StoredGame,
    names: Names,
    number: usize,
    ply: &Ply,
    is_taken_back: bool,
) -> Vec<Entry> {
    let lattice = stored.game.start().rules().lattice;
    let remark = match (ply.auto, is_taken_back) {
        (_, true) => " (taken back)",
        (true, false) => " (automatic)",
        (false, false) => "",
    };
    let flipped = match ply.mv {
        Move::Pass => String::new(),
        Move::Place(_) => words::list(lattice, ply.flipped.iter().map(Move::Place)),
    };
    vec![
        number.into(),
        names.with_color(ply.by).into(),
        format!("{}{remark}", lattice.move_label(ply.mv)).into(),
        flipped.into(),
        ply.black.into(),
        ply.white.into(),
        Entry::Time(time_of(stored, ply.event)),
    ]
}
