use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Params, Row, named_params};

use super::{Db, Error, Player, PlayerId, Time, seconds};
use crate::game::{
    Cell, Color, Game, GameId, Goal, Lattice, Overrides, Placement, Position, Setup, Size, Stuck,
    Variant,
};

/// A game that is to be stored.
#[derive(Debug)]
pub struct NewGame<'a> {
    /// Which variant.
    pub variant: &'static Variant,
    /// The game, with the moves made already.
    pub game: &'a Game,
    /// Whether it began in a position of its own instead of that of the rules.
    pub own_start: bool,
    /// Who has the black discs.
    pub black: PlayerId,
    /// Who has the white discs.
    pub white: PlayerId,
}

/// A game as it is stored, replayed.
#[derive(Debug, Clone)]
pub struct StoredGame {
    /// Its number.
    pub id: GameId,
    /// Which variant.
    pub variant: &'static Variant,
    /// The start and the moves.
    pub game: Game,
    /// When each of the moves was made.
    pub times: Vec<DateTime<Utc>>,
    /// Who has the black discs.
    pub black: Player,
    /// Who has the white discs.
    pub white: Player,
    /// The Message-ID, without angle brackets, that all its mails refer to.
    pub thread: String,
    /// When it began.
    pub created_at: DateTime<Utc>,
}

impl StoredGame {
    /// Who has the discs of this colour.
    #[must_use]
    pub const fn player(&self, color: Color) -> &Player {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The colour that this player has; `None` when the player is not in the game.
    #[must_use]
    pub fn color_of(&self, player: PlayerId) -> Option<Color> {
        Color::BOTH.into_iter().find(|&color| self.player(color).id == player)
    }
}

/// A line of a list of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSummary {
    /// Its number.
    pub id: GameId,
    /// The name of the variant.
    pub variant: String,
    /// The name of the player who has the black discs.
    pub black: String,
    /// The name of the player who has the white discs.
    pub white: String,
    /// Whose turn it is; `None` when it is finished.
    pub turn: Option<Color>,
    /// How many moves were made.
    pub ply: usize,
    /// Black and white discs on the board.
    pub discs: (u32, u32),
    /// Who won; `None` for a draw and for a game that goes on.
    pub winner: Option<Color>,
    /// When the turn began, or when the game ended.
    pub since: DateTime<Utc>,
}

/// Which games a list has, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Those that go on, the longest waiting first.
    Active,
    /// Those in which this player has the turn, the longest waiting first.
    ToMove(PlayerId),
    /// Those in which this player waits for the other, the longest waiting first.
    ToWait(PlayerId),
    /// Those that are finished, the latest first; all or those of one player.
    Finished(Option<PlayerId>),
}

impl Listing {
    const fn condition(self) -> &'static str {
        match self {
            Self::Active => "turn IS NOT NULL AND ?1 IS NULL ORDER BY since, game.id",
            Self::ToMove(_) => "turn IS NOT NULL AND to_move = ?1 ORDER BY since, game.id",
            Self::ToWait(_) => "turn IS NOT NULL AND to_wait = ?1 ORDER BY since, game.id",
            Self::Finished(None) => "turn IS NULL AND ?1 IS NULL ORDER BY since DESC, game.id DESC",
            Self::Finished(Some(_)) => {
                "turn IS NULL AND ?1 IN (black, white) ORDER BY since DESC, game.id DESC"
            }
        }
    }

    fn player(self) -> Option<PlayerId> {
        match self {
            Self::Active => None,
            Self::ToMove(player) | Self::ToWait(player) => Some(player),
            Self::Finished(player) => player,
        }
    }

    fn sql(self) -> String {
        let from = match self {
            // Two indexed searches instead of a scan.
            Self::Finished(Some(_)) => {
                "(SELECT * FROM game WHERE black = ?1 UNION ALL SELECT * FROM game WHERE white = ?1) game"
            }
            _ => "game",
        };
        format!(
            "SELECT game.id, variant, b.name AS black_name, w.name AS white_name, turn, ply,
                    black_discs, white_discs, winner, since
             FROM {from} JOIN player b ON b.id = game.black JOIN player w ON w.id = game.white
             WHERE {} LIMIT ?2",
            self.condition()
        )
    }
}

fn color(word: &str) -> Option<Color> {
    Color::BOTH.into_iter().find(|color| color.to_string() == word)
}

fn color_in(row: &Row, column: &str) -> rusqlite::Result<Option<Color>> {
    Ok(row.get_ref(column)?.as_str_or_null()?.and_then(color))
}

fn summary(row: &Row) -> rusqlite::Result<GameSummary> {
    Ok(GameSummary {
        id: GameId(row.get("id")?),
        variant: row.get("variant")?,
        black: row.get("black_name")?,
        white: row.get("white_name")?,
        turn: color_in(row, "turn")?,
        ply: row.get("ply")?,
        discs: (row.get("black_discs")?, row.get("white_discs")?),
        winner: color_in(row, "winner")?,
        since: row.get::<_, Time>("since")?.0,
    })
}

/// What a row says of a game, before it is replayed.
struct Stored {
    variant: String,
    /// Rows and columns.
    size: Option<(usize, usize)>,
    /// Everything but the size.
    overrides: Overrides,
    start: Option<String>,
    frame: Option<String>,
    resigned: Option<Color>,
    black: PlayerId,
    white: PlayerId,
    thread: String,
    created_at: DateTime<Utc>,
}

fn stored(row: &Row) -> rusqlite::Result<Stored> {
    let (rows, columns): (Option<usize>, Option<usize>) =
        (row.get("board_rows")?, row.get("board_columns")?);
    let pass: Option<String> = row.get("pass")?;
    let by_word = |stuck: &Stuck| pass.is_some() && stuck.pass_word() == pass.as_deref();
    Ok(Stored {
        variant: row.get("variant")?,
        size: rows.zip(columns),
        overrides: Overrides {
            size: None,
            misere: row.get::<_, Option<bool>>("misere")?.unwrap_or(false),
            anywhere: row.get::<_, Option<bool>>("anywhere")?.unwrap_or(false),
            stuck: [Stuck::AutoPass, Stuck::MustPass].into_iter().find(by_word),
        },
        start: row.get("start")?,
        frame: row.get("frame")?,
        resigned: color_in(row, "resigned")?,
        black: row.get("black")?,
        white: row.get("white")?,
        thread: row.get("thread")?,
        created_at: row.get::<_, Time>("created_at")?.0,
    })
}

impl Stored {
    fn start(&self) -> Result<(&'static Variant, Position), Box<dyn std::error::Error>> {
        let variant = Variant::named(&self.variant)?;
        let size = self.size.map(|(rows, columns)| Size::new(rows, columns)).transpose()?;
        let rules = variant.rules(&Overrides { size, ..self.overrides })?;
        let Some(start) = &self.start else { return Ok((variant, Position::start(rules))) };
        let first: Cell = self.frame.as_deref().unwrap_or("a1").parse()?;
        let position = start.parse::<Setup>()?.position(&rules, first)?;
        Ok((variant, position))
    }
}

impl Db<'_> {
    /// Stores a game. `thread` makes the id its mails refer to out of its number.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn add_game(
        &self,
        new: &NewGame,
        thread: impl FnOnce(GameId) -> String,
        now: DateTime<Utc>,
    ) -> Result<GameId, Error> {
        let start = new.game.start();
        let rules = start.rules();
        let size = match rules.lattice {
            Lattice::Rectangle(size) => Some(size),
            Lattice::Hex => None,
        };
        let lattice = rules.lattice;
        self.0
            .prepare_cached(
                "INSERT INTO game (variant, board_rows, board_columns, misere, anywhere, pass, start,
                                   frame, black, white, thread, created_at, turn, to_move, to_wait, since)
                 VALUES (:variant, :rows, :columns, :misere, :anywhere, :pass, :start,
                         :frame, :black, :white, '', :now, 'black', :black, :white, :now)",
            )?
            .execute(named_params! {
                ":variant": new.variant.name,
                ":rows": size.map(Size::rows),
                ":columns": size.map(Size::columns),
                ":misere": size.map(|_| rules.goal == Goal::Fewer),
                ":anywhere": size.map(|_| rules.placement == Placement::Anywhere),
                ":pass": rules.stuck.pass_word(),
                ":start": new.own_start.then(|| start.to_string()),
                ":frame": new.own_start.then(|| lattice.label(start.frame().first)),
                ":black": new.black,
                ":white": new.white,
                ":now": seconds(now),
            })?;
        let id = GameId(self.0.last_insert_rowid());
        self.0
            .prepare_cached("UPDATE game SET thread = ?2 WHERE id = ?1")?
            .execute((id.0, thread(id)))?;
        let players = |color| if color == Color::Black { new.black } else { new.white };
        self.save(id, new.game, 0, players, now)?;
        Ok(id)
    }

    /// Stores what has happened in a game since it had so many moves.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn save_game(
        &self,
        stored: &StoredGame,
        game: &Game,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let before = stored.game.plies().len();
        self.save(stored.id, game, before, |color| stored.player(color).id, now)
    }

    fn save(
        &self,
        id: GameId,
        game: &Game,
        before: usize,
        player: impl Fn(Color) -> PlayerId,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        self.add_moves(id, game, before, now)?;
        let (turn, outcome) = (game.turn(), game.outcome());
        let position = game.position();
        self.0
            .prepare_cached(
                "UPDATE game SET resigned = :resigned, ply = :ply, turn = :turn, to_move = :to_move,
                    to_wait = :to_wait, since = :now, black_discs = :black, white_discs = :white,
                    winner = :winner, reason = :reason
                 WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": id.0,
                ":resigned": game.resigned().map(|color| color.to_string()),
                ":ply": game.plies().len(),
                ":turn": turn.map(|color| color.to_string()),
                ":to_move": turn.map(&player),
                ":to_wait": turn.map(|color| player(!color)),
                ":now": seconds(now),
                ":black": position.count(Color::Black),
                ":white": position.count(Color::White),
                ":winner": outcome.and_then(|outcome| outcome.winner).map(|color| color.to_string()),
                ":reason": outcome.map(|outcome| outcome.reason.word()),
            })?;
        Ok(())
    }

    /// The game of this number, replayed; `None` when there is none.
    ///
    /// # Errors
    /// [`Error`] of the database, also when the stored moves are not those of a game.
    pub fn game(&self, id: GameId) -> Result<Option<StoredGame>, Error> {
        let row = self
            .0
            .prepare_cached(
                "SELECT variant, board_rows, board_columns, misere, anywhere, pass, start, frame,
                        resigned, black, white, thread, created_at
                 FROM game WHERE id = ?1",
            )?
            .query_row([id.0], stored)
            .optional()?;
        let Some(row) = row else { return Ok(None) };
        let nonsense = |reason: String| Error::Nonsense { game: id, reason };
        let (variant, start) = row.start().map_err(|error| nonsense(error.to_string()))?;
        let mut game = Game::restore(start);
        let times = self.replay_moves(id, &mut game)?;
        if let Some(color) = row.resigned {
            game.resign(color).map_err(|error| nonsense(error.to_string()))?;
        }
        Ok(Some(StoredGame {
            id,
            variant,
            game,
            times,
            black: self.player(row.black)?,
            white: self.player(row.white)?,
            thread: row.thread,
            created_at: row.created_at,
        }))
    }

    /// A list of games, at most so many. It is read from an index in its order.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn games(&self, listing: Listing, most: Option<u32>) -> Result<Vec<GameSummary>, Error> {
        let most = most.map_or(-1, i64::from);
        self.summaries(&listing.sql(), (listing.player(), most))
    }

    fn summaries(&self, sql: &str, params: impl Params) -> Result<Vec<GameSummary>, Error> {
        let mut select = self.0.prepare_cached(sql)?;
        Ok(select.query_map(params, summary)?.collect::<Result<_, _>>()?)
    }

    /// How many games a player has going, and how many were won, lost and drawn.
    ///
    /// # Errors
    /// [`Error`] of the database.
    pub fn record(&self, player: PlayerId) -> Result<[u32; 4], Error> {
        let mut select = self.0.prepare_cached(
            "SELECT count(*) FILTER (WHERE turn IS NOT NULL),
                    count(*) FILTER (WHERE turn IS NULL AND winner = color),
                    count(*) FILTER (WHERE turn IS NULL AND winner <> color),
                    count(*) FILTER (WHERE turn IS NULL AND winner IS NULL)
             FROM (SELECT turn, winner, 'black' AS color FROM game WHERE black = ?1
                   UNION ALL SELECT turn, winner, 'white' FROM game WHERE white = ?1)",
        )?;
        Ok(select
            .query_row([player], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]))?)
    }
}
