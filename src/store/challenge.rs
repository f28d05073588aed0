use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, Row, named_params};

use super::agreement::{AgreementRow, COLUMNS, values};
use super::mark::OF_CHALLENGE;
use super::{Db, Error, NewGame, Time, Tx, parsed, seconds};
use outflank_model::log::{Game, GameId};
use outflank_model::{Agreement, PlayerId};
use outflank_model::{ChallengeState, Challenged, StoredChallenge};
use outflank_rules::{Color, Position, Transcript};

/// A challenge to be stored.
#[derive(Debug)]
pub struct NewChallenge<'a> {
    /// Who challenges.
    pub challenger: PlayerId,
    /// Who is challenged.
    pub to: &'a Challenged,
    /// What the players would agree on.
    pub agreement: &'a Agreement,
    /// The game, with the moves that are made already.
    pub game: &'a Game,
    /// The challenger's colour; `None` if it is random.
    pub color: Option<Color>,
}

/// Which open challenges to list, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenges {
    /// All.
    All,
    /// Those to this player.
    To(PlayerId),
    /// Those by this player.
    By(PlayerId),
    /// Those to anyone that this player could accept: neither the player's own, nor those of players who
    /// have blocked this one or are blocked.
    ToAnyone(PlayerId),
}

/// A row of the table.
struct ChallengeRow {
    challenger: PlayerId,
    opponent: Option<PlayerId>,
    bot: Option<String>,
    agreement: AgreementRow,
    moves: String,
    color: Option<String>,
    thread: String,
    created_at: DateTime<Utc>,
    state: ChallengeState,
    closed_at: Option<DateTime<Utc>>,
}

fn challenge_row(row: &Row) -> rusqlite::Result<ChallengeRow> {
    Ok(ChallengeRow {
        challenger: PlayerId(row.get("challenger")?),
        opponent: row.get::<_, Option<i64>>("opponent")?.map(PlayerId),
        bot: row.get("bot")?,
        agreement: AgreementRow::of(row)?,
        moves: row.get("moves")?,
        color: row.get("color")?,
        thread: row.get("thread")?,
        created_at: row.get::<_, Time>("created_at")?.0,
        state: parsed(row, "state")?,
        closed_at: row.get::<_, Option<Time>>("closed_at")?.map(|time| time.0),
    })
}

/// Returns a game with this start after these moves.
fn with_moves(start: Position, moves: &str) -> Result<Game, Box<dyn std::error::Error>> {
    let mut game = Game::restore(start);
    for mv in moves.parse::<Transcript>()?.0 {
        game.play(mv)?;
    }
    Ok(game)
}

impl ChallengeRow {
    fn to(&self, db: &Db) -> Result<Challenged, Box<dyn std::error::Error>> {
        Ok(match (self.opponent, &self.bot) {
            (Some(opponent), _) => Challenged::Player(Box::new(db.player(opponent)?)),
            (None, Some(bot)) => Challenged::Bot(bot.parse()?),
            (None, None) => Challenged::Anyone,
        })
    }
}

impl Tx<'_> {
    /// Stores a challenge with this mark under the number that the next game would have had. `thread` makes
    /// the id that its mails refer to from its number.
    pub fn add_challenge(
        &self,
        new: &NewChallenge,
        mark: &str,
        thread: impl FnOnce(GameId) -> String,
        now: DateTime<Utc>,
    ) -> Result<GameId, Error> {
        let id = self.take_game_number()?;
        let lattice = new.game.start().rules().lattice;
        let agreement = AgreementRow::new(new.agreement, new.game.start());
        let moves = new.game.plies().iter().filter(|ply| !ply.auto);
        let moves: Vec<_> = moves.map(|ply| lattice.move_label(ply.mv)).collect();
        let (opponent, bot) = match new.to {
            Challenged::Player(player) => (Some(player.id.0), None),
            Challenged::Anyone => (None, None),
            Challenged::Bot(bot) => (None, Some(bot.to_string())),
        };
        let sql = format!(
            "INSERT INTO challenge (id, {COLUMNS}, challenger, opponent, bot, moves, color, thread, mark,
                created_at)
             VALUES (:id, {}, :challenger, :opponent, :bot, :moves, :color, :thread, :mark, :now)",
            values()
        );
        let own = named_params! {
            ":id": id.0,
            ":challenger": new.challenger.0,
            ":opponent": opponent,
            ":bot": bot,
            ":moves": moves.join(" "),
            ":color": new.color.map(|color| color.to_string()),
            ":thread": thread(id),
            ":mark": mark,
            ":now": seconds(now),
        };
        self.execute(&sql, &*[&agreement.params(), own].concat())?;
        Ok(id)
    }

    /// Returns the number of the next game, which no other game gets then.
    fn take_game_number(&self) -> Result<GameId, Error> {
        let next = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'game'";
        if self.execute(next, [])? == 0 {
            self.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('game', 1)", [])?;
        }
        Ok(GameId(
            self.one("SELECT seq FROM sqlite_sequence WHERE name = 'game'", [], |row| row.get(0))?,
        ))
    }

    /// Stores the game of a challenge that is accepted, with its number, thread and mark.
    pub fn add_game_of(
        &self,
        challenge: &StoredChallenge,
        new: &NewGame,
        now: DateTime<Utc>,
    ) -> Result<GameId, Error> {
        let StoredChallenge { id, thread, .. } = challenge;
        self.insert_game(new, Some(*id), now)?;
        let sql = format!("UPDATE game SET thread = ?2, mark = ({OF_CHALLENGE}) WHERE id = ?1");
        self.execute(&sql, (id.0, thread))?;
        self.close_challenge(*id, ChallengeState::Accepted, now)?;
        Ok(*id)
    }

    /// Records what became of an open challenge.
    pub fn close_challenge(
        &self,
        id: GameId,
        state: ChallengeState,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let sql = "UPDATE challenge SET state = ?2, closed_at = ?3 WHERE id = ?1";
        self.run(sql, (id.0, state.word(), seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the challenge with this number, open or not; `None` when there is none.
    pub fn challenge(&self, id: GameId) -> Result<Option<StoredChallenge>, Error> {
        let Some(row) =
            self.first("SELECT * FROM challenge WHERE id = ?1", [id.0], challenge_row)?
        else {
            return Ok(None);
        };
        let inconsistent = |error: Box<dyn std::error::Error>| Error::Inconsistent {
            game: id,
            reason: error.to_string(),
        };
        let to = row.to(self).map_err(inconsistent)?;
        let (agreement, start) = row.agreement.read().map_err(inconsistent)?;
        let game = with_moves(start, &row.moves).map_err(inconsistent)?;
        Ok(Some(StoredChallenge {
            id,
            challenger: self.player(row.challenger)?,
            to,
            agreement,
            game,
            color: row
                .color
                .and_then(|word| Color::BOTH.into_iter().find(|it| it.to_string() == word)),
            thread: row.thread,
            created_at: row.created_at,
            state: row.state,
            closed_at: row.closed_at,
        }))
    }

    /// Returns the numbers of the first `limit` challenges of a list that were made after this time.
    pub fn open_challenges(
        &self,
        which: Challenges,
        after: DateTime<Utc>,
        limit: Option<u32>,
    ) -> Result<Vec<GameId>, Error> {
        let (player, condition) = match which {
            Challenges::All => (None, "?1 IS NULL"),
            Challenges::To(player) => (Some(player.0), "opponent = ?1"),
            Challenges::By(player) => (Some(player.0), "challenger = ?1"),
            Challenges::ToAnyone(player) => (
                Some(player.0),
                "opponent IS NULL AND challenger <> ?1 AND NOT EXISTS (
                    SELECT 1 FROM blocked WHERE player = challenger AND author = ?1
                    UNION ALL SELECT 1 FROM blocked WHERE player = ?1 AND author = challenger)",
            ),
        };
        let params = (player, seconds(after), limit.map_or(-1, i64::from));
        let sql = format!(
            "SELECT id FROM challenge WHERE state = 'open' AND {condition} AND created_at > ?2
             ORDER BY created_at, id LIMIT ?3"
        );
        self.all(&sql, params, |row| row.get(0).map(GameId))
    }

    /// Returns the numbers of the first `limit` open challenges that were made at this time or earlier.
    pub fn challenges_until(&self, time: DateTime<Utc>, limit: u32) -> Result<Vec<GameId>, Error> {
        let sql = "SELECT id FROM challenge WHERE state = 'open' AND created_at <= ?1
             ORDER BY created_at, id LIMIT ?2";
        self.all(sql, (seconds(time), limit), |row| row.get(0).map(GameId))
    }

    /// Counts the challenges that a player has made after this time, open or not.
    pub fn challenges_since(&self, player: PlayerId, time: DateTime<Utc>) -> Result<u32, Error> {
        let sql = "SELECT count(*) FROM challenge WHERE challenger = ?1 AND created_at > ?2";
        self.one(sql, (player.0, seconds(time)), |row| row.get(0))
    }

    /// Returns when a player last challenged this opponent, if the last challenge of the player that the
    /// opponent has answered was declined.
    pub fn challenged_after_decline(
        &self,
        challenger: PlayerId,
        opponent: PlayerId,
    ) -> Result<Option<DateTime<Utc>>, Error> {
        let sql = "SELECT (SELECT created_at FROM challenge WHERE challenger = ?1 AND opponent = ?2
                     ORDER BY created_at DESC LIMIT 1)
             WHERE 'declined' = (SELECT state FROM challenge WHERE challenger = ?1 AND opponent = ?2
                AND state IN ('accepted', 'declined') ORDER BY closed_at DESC, id DESC LIMIT 1)";
        let mut select = self.prepare(sql)?;
        let last = select.query_row((challenger.0, opponent.0), |row| row.get::<_, Time>(0));
        Ok(last.optional()?.map(|time| time.0))
    }
}
