use chrono::{DateTime, Utc};

use super::agreement::{self, COLUMNS};
use super::{Db, Error, NewGame, Result, Tx, color, get, only, parsed, seconds};
use outflank_model::log::{Game, GameId};
use outflank_model::{Agreement, ChallengeState, Challenged, PlayerId, StoredChallenge};
use outflank_rules::{Color, Transcript};

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

impl Tx<'_> {
    /// Stores a challenge with this mark under the number that the next game would have had. `thread` makes
    /// the id that its mails refer to from its number.
    pub fn add_challenge(
        &self,
        new: &NewChallenge,
        mark: &str,
        thread: impl FnOnce(GameId) -> String,
        now: DateTime<Utc>,
    ) -> Result<GameId> {
        let id = self.take_game_number()?;
        let lattice = new.game.lattice();
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
            agreement::values()
        );
        let others = [
            (":id", id.0.into()),
            (":challenger", new.challenger.0.into()),
            (":opponent", opponent.into()),
            (":bot", bot.into()),
            (":moves", moves.join(" ").into()),
            (":color", new.color.map(|color| color.to_string()).into()),
            (":thread", thread(id).into()),
            (":mark", mark.to_owned().into()),
            (":now", seconds(now).into()),
        ];
        let params = agreement::params(new.agreement, new.game.start(), others);
        self.execute(&sql, &*params)?;
        Ok(id)
    }

    /// Returns the number of the next game, which no other game gets then.
    fn take_game_number(&self) -> Result<GameId> {
        let next = "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'game'";
        if self.execute(next, [])? == 0 {
            self.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('game', 1)", [])?;
        }
        self.one("SELECT seq FROM sqlite_sequence WHERE name = 'game'", [], only)
    }

    /// Stores the game of a challenge that is accepted, with its number and thread.
    pub fn add_game_of(
        &self,
        challenge: &StoredChallenge,
        new: &NewGame,
        now: DateTime<Utc>,
    ) -> Result<GameId> {
        let StoredChallenge { id, thread, .. } = challenge;
        self.insert_game(new, Some(*id), now)?;
        self.execute("UPDATE game SET thread = ?2 WHERE id = ?1", (id.0, thread))?;
        self.close_challenge(*id, ChallengeState::Accepted, now)?;
        Ok(*id)
    }

    /// Closes an open challenge with this state.
    pub fn close_challenge(
        &self,
        id: GameId,
        state: ChallengeState,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "UPDATE challenge SET state = ?2, closed_at = ?3 WHERE id = ?1";
        self.run(sql, (id.0, state.word(), seconds(now)))
    }
}

impl Db<'_> {
    /// Returns the challenge with this number, open or not; `None` when there is none.
    pub fn challenge(&self, id: GameId) -> Result<Option<StoredChallenge>> {
        self.first("SELECT * FROM challenge WHERE id = ?1", [id.0], |row| {
            let to = match (get(row, "opponent")?, get::<Option<String>>(row, "bot")?) {
                (Some(opponent), _) => {
                    let opponent = self.player(opponent).map_err(Error::inconsistent(id))?;
                    Challenged::Player(Box::new(opponent))
                }
                (None, Some(bot)) => Challenged::Bot(bot.parse().map_err(Error::inconsistent(id))?),
                (None, None) => Challenged::Anyone,
            };
            let (agreement, start) = agreement::read(row, id)?;
            let moves: String = row.get("moves")?;
            let moves: Transcript = moves.parse().map_err(Error::inconsistent(id))?;
            let mut game = Game::new(start);
            for mv in moves.0 {
                game.play(mv).map_err(Error::inconsistent(id))?;
            }
            Ok(StoredChallenge {
                id,
                challenger: self.player(get(row, "challenger")?)?,
                to,
                agreement,
                game,
                color: color(row, "color")?,
                thread: row.get("thread")?,
                created_at: get(row, "created_at")?,
                state: parsed(row, "state")?,
            })
        })
    }

    /// Returns the numbers of the first `limit` challenges of a list that were made after this time.
    pub fn open_challenges(
        &self,
        which: Challenges,
        after: DateTime<Utc>,
        limit: Option<u32>,
    ) -> Result<Vec<GameId>> {
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
        self.all(&sql, params, only)
    }

    /// Returns the numbers of the first `limit` open challenges that were made at this time or earlier.
    pub fn challenges_until(&self, time: DateTime<Utc>, limit: u32) -> Result<Vec<GameId>> {
        let sql = "SELECT id FROM challenge WHERE state = 'open' AND created_at <= ?1
             ORDER BY created_at, id LIMIT ?2";
        self.all(sql, (seconds(time), limit), only)
    }

    /// Counts the challenges that a player has made after this time, open or not.
    pub fn challenges_since(&self, player: PlayerId, time: DateTime<Utc>) -> Result<u32> {
        let sql = "SELECT count(*) FROM challenge WHERE challenger = ?1 AND created_at > ?2";
        self.one(sql, (player.0, seconds(time)), only)
    }

    /// Returns when a player last challenged this opponent, if the last challenge of the player that the
    /// opponent has answered was declined.
    pub fn challenged_after_decline(
        &self,
        challenger: PlayerId,
        opponent: PlayerId,
    ) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT (SELECT created_at FROM challenge WHERE challenger = ?1 AND opponent = ?2
                     ORDER BY created_at DESC LIMIT 1)
             WHERE 'declined' = (SELECT state FROM challenge WHERE challenger = ?1 AND opponent = ?2
                AND state IN ('accepted', 'declined') ORDER BY closed_at DESC, id DESC LIMIT 1)";
        self.first(sql, (challenger.0, opponent.0), only)
    }
}
