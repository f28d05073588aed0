//! What a portable game tells, as it is stored in a block.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId, Ply, Reason};
use outflank_rules::{
    Color, Goal, Lattice, Move, Overrides, Placement, Position, Setup, Size, Stuck, Variant,
};

/// A game from a block.
#[derive(Debug, Clone)]
pub struct PortableGame {
    /// The name that the club gave itself.
    pub club: String,
    /// The number of the game in that club.
    pub id: GameId,
    /// The name of its variant.
    pub variant: &'static Variant,
    /// Whether the game began in a position other than the one of the rules.
    pub custom_start: bool,
    /// The names of Black and White.
    pub names: [String; 2],
    /// When it was started.
    pub started: DateTime<Utc>,
    /// The moves that were not taken back, and how the game ended.
    pub game: Game,
    /// When each of the events happened.
    pub times: Vec<DateTime<Utc>>,
}

/// The fields of a block, in their order. The format has neither their names nor their types: a change is a new
/// version.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    club: String,
    id: i64,
    variant: String,
    /// The rows and columns of a rectangle.
    size: Option<(u8, u8)>,
    misere: bool,
    anywhere: bool,
    explicit_pass: bool,
    /// A position string and the label of its first cell, unless it is that of the rules.
    start: Option<(String, String)>,
    black: String,
    white: String,
    /// Seconds since 1970.
    started: i64,
    moves: Vec<Made>,
    /// How the game ended, if not by its last move.
    end: Option<End>,
}

/// A move.
#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// Three times its place among the legal moves, which are in the order of the board, and its kind.
    choice: u32,
    /// Seconds since the move before.
    seconds: i64,
}

/// An end that no move made.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    reason: String,
    winner: Option<char>,
    /// Seconds since the last move.
    seconds: i64,
}

/// The most characters of a name.
const MAX_NAME: usize = 100;

/// The kinds of moves.
const CHOSEN: u32 = 0;
const AUTOMATIC: u32 = 1;
const GIVEN: u32 = 2;
const KINDS: u32 = 3;

/// Returns the record of a game.
pub(super) fn of(club: &str, stored: &StoredGame) -> Record {
    let (game, start) = (&stored.game, stored.game.start());
    let rules = start.rules();
    let mut last = stored.started;
    let mut seconds = |at: DateTime<Utc>| (at - std::mem::replace(&mut last, at)).num_seconds();
    let mut position = start.clone();
    let moves = game.plies().iter().map(|ply| {
        let at = stored.times.get(ply.event - 1).copied().unwrap_or(stored.started);
        let choice = position.legal().iter().position(|mv| *mv == ply.mv).unwrap_or_default();
        // It was legal.
        let _ = position.play(ply.mv);
        let choice = u32::try_from(choice).unwrap_or_default() * KINDS + kind(ply);
        Made { choice, seconds: seconds(at) }
    });
    let moves = moves.collect();
    let outcome = game.outcome().filter(|outcome| !is_of_board(outcome.reason));
    let end = outcome.map(|outcome| End {
        reason: outcome.reason.word().to_owned(),
        winner: outcome.winner.map(Color::letter),
        seconds: seconds(stored.since()),
    });
    Record {
        club: club.chars().take(MAX_NAME).collect(),
        id: stored.id.0,
        variant: stored.agreement.variant.clone(),
        size: match rules.lattice {
            Lattice::Rectangle(size) => Some((size.rows(), size.columns())),
            Lattice::Hex => None,
        },
        misere: rules.goal == Goal::Fewer,
        anywhere: rules.placement == Placement::Anywhere,
        explicit_pass: rules.stuck == Stuck::MustPass,
        start: stored
            .agreement
            .custom_start
            .then(|| (start.to_string(), rules.lattice.label(start.frame().first))),
        black: stored.name(Color::Black).to_owned(),
        white: stored.name(Color::White).to_owned(),
        started: stored.started.timestamp(),
        moves,
        end,
    }
}

fn kind(ply: &Ply) -> u32 {
    match (ply.auto, ply.given) {
        (true, _) => AUTOMATIC,
        (false, true) => GIVEN,
        (false, false) => CHOSEN,
    }
}

/// Returns whether the last move ends a game for this reason.
fn is_of_board(reason: Reason) -> bool {
    matches!(reason, Reason::Discs | Reason::Stuck)
}

/// Returns the game of a record; `None` if it breaks the rules.
pub(super) fn game(record: Record) -> Option<PortableGame> {
    let variant = Variant::named(&record.variant).ok()?;
    let custom_start = record.start.is_some();
    let mut game = Game::restore(start(&record, variant)?);
    let started = DateTime::from_timestamp(record.started, 0)?;
    let (mut at, mut times) = (started, Vec::new());
    let mut later = |seconds| -> Option<DateTime<Utc>> {
        at = at.checked_add_signed(TimeDelta::try_seconds(seconds)?)?;
        Some(at)
    };
    for Made { choice, seconds } in record.moves {
        let mv = *game.legal().get(usize::try_from(choice / KINDS).ok()?)?;
        let action = match (choice % KINDS, mv) {
            (AUTOMATIC, Move::Pass) => Action::AutoPass,
            (GIVEN, _) => Action::Given(mv),
            (_, _) => Action::Move(mv),
        };
        game.apply(Event::by(game.position().turn(), action)).ok()?;
        times.push(later(seconds)?);
    }
    if let Some(End { reason, winner, seconds }) = record.end {
        let winner = winner.map(|letter| Color::from_letter(letter).ok_or(())).transpose().ok()?;
        for event in game.ending(reason.parse().ok()?, winner)? {
            game.apply(event).ok()?;
        }
        times.resize(game.events().len(), later(seconds)?);
    }
    let Record { club, id, black, white, .. } = record;
    let (id, names) = (GameId(id), [black, white]);
    let has_names = names.iter().chain([&club]).all(|name| is_name(name));
    has_names.then_some(PortableGame {
        club,
        id,
        variant,
        custom_start,
        names,
        started,
        game,
        times,
    })
}

/// Returns whether a text of strangers can be shown as a name.
fn is_name(text: &str) -> bool {
    text.chars().count() <= MAX_NAME && !text.contains(char::is_control)
}

/// Returns the position in which a game begins.
fn start(record: &Record, variant: &Variant) -> Option<Position> {
    let overrides = match record.size {
        Some((rows, columns)) => Overrides {
            size: Some(Size::new(rows.into(), columns.into()).ok()?),
            misere: record.misere,
            anywhere: record.anywhere,
            stuck: Some(if record.explicit_pass { Stuck::MustPass } else { Stuck::AutoPass }),
        },
        None => Overrides::default(),
    };
    let rules = variant.rules(&overrides).ok()?;
    let Some((start, first)) = &record.start else { return Some(Position::start(rules)) };
    start.parse::<Setup>().ok()?.position(&rules, first.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let moves = [0, 3, 6, 0, 4].map(|choice| Made { choice, seconds: 60 });
        Record {
            club: "The club".to_owned(),
            id: 12,
            variant: "oddthello".to_owned(),
            size: None,
            misere: false,
            anywhere: false,
            explicit_pass: false,
            start: Some(("(w bbw wbb)".to_owned(), "ZZ-2".to_owned())),
            black: "alice".to_owned(),
            white: "bob".to_owned(),
            started: 1_700_000_000,
            moves: moves.into(),
            end: Some(End { reason: "resigned".to_owned(), winner: Some('b'), seconds: 5 }),
        }
    }

    /// The owner of a key can sign anything.
    #[test]
    fn any_record_is_a_game_or_refused() {
        let bytes = postcard::to_stdvec(&record()).unwrap();
        let mut rng = fastrand::Rng::with_seed(7);
        let mut games = 0;
        for _ in 0..3_000 {
            let mut mutated = bytes.clone();
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(..mutated.len());
                mutated[at] = rng.u8(..);
            }
            let read = postcard::from_bytes(&mutated).ok().and_then(game);
            games += usize::from(read.is_some());
        }
        assert!(games > 100, "{games}");
        let size = Some((99, 26));
        for hostile in [
            Record { start: Some(("(w bw wb)".to_owned(), "A2147483647".to_owned())), ..record() },
            Record { started: i64::MAX, ..record() },
            Record { moves: vec![Made { choice: 0, seconds: i64::MIN }], ..record() },
            Record { size, ..record() },
            Record { black: "a\u{7}".to_owned(), ..record() },
            Record { club: "x".repeat(MAX_NAME + 1), ..record() },
        ] {
            let shown = format!("{hostile:?}");
            assert!(game(hostile).is_none(), "{shown}");
        }
    }
}
