use std::collections::HashSet;

use chrono::{DateTime, Utc};
use rusqlite::Row;
use rusqlite::types::Value;

use super::{Db, Error, Result, agreement, clock, color, get, only};
use outflank_model::bot::Bot;
use outflank_model::log::{Action, GameId, Offer, Reason};
use outflank_model::tournament::InTournament;
use outflank_model::{Moment, PlayerId, Side};
use outflank_rules::{Color, Rules};

/// One line of a list of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSummary {
    /// Its number.
    pub id: GameId,
    /// The name of the variant.
    pub variant: String,
    /// Its rules; `None` if the stored ones are not valid.
    pub rules: Option<Rules>,
    /// The name of the player with the black discs.
    pub black: String,
    /// The name of the player with the white discs.
    pub white: String,
    /// The colour to move; `None` when it is finished.
    pub turn: Option<Color>,
    /// How many moves it has.
    pub ply: usize,
    /// How many events its log has.
    pub events: usize,
    /// Black and white discs on the board.
    pub discs: (u32, u32),
    /// The winner; `None` for an active game, a draw and a game that counts for nobody.
    pub winner: Option<Color>,
    /// The word for how it ended; `None` while it is active.
    pub reason: Option<String>,
    /// The open offer and who made it.
    pub offer: Option<(Color, Offer)>,
    /// Whether the clocks stand still because both players wanted a pause.
    pub is_paused: bool,
    /// Whether `play` began it, so that nobody is mailed about it.
    pub local: bool,
    /// Whether it was imported.
    pub imported: bool,
    /// Whether Black and White have stopped their turn mails of the game.
    pub muted: [bool; 2],
    /// Whether the opponent of the player to move can claim it once the deadline has passed.
    pub has_claim_flag: bool,
    /// Whether it can be claimed without a clock.
    pub is_claimable: bool,
    /// When the turn began, or when the game ended.
    pub since: DateTime<Utc>,
    /// When the time of the player to move is over, or was; `None` if no clock runs.
    pub deadline: Option<DateTime<Utc>>,
    /// Its place in a tournament; `None` if it belongs to none.
    pub tournament: Option<InTournament>,
}

impl GameSummary {
    /// Returns how it ended; `None` while it is active.
    pub fn reason(&self) -> Option<Reason> {
        self.reason.as_deref().and_then(|reason| reason.parse().ok())
    }

    /// Returns the name of the player with this colour.
    pub const fn name(&self, color: Color) -> &String {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// Returns the name of the opponent of this player.
    pub fn opponent_of(&self, player: &str) -> &String {
        if self.black == player { &self.white } else { &self.black }
    }

    /// Returns how many moves and events it has.
    pub const fn moment(&self) -> Moment {
        Moment { game: self.id, ply: self.ply, events: self.events }
    }
}

/// The games to list, and their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing<'a> {
    /// Active games, the least time left first, then the longest waiting.
    Active,
    /// Games that wait for this player, the least time left first, then the longest waiting.
    ToMove(PlayerId),
    /// Games that wait for an opponent of this player, the least time left first, then the longest
    /// waiting.
    ToWait(PlayerId),
    /// Finished games, the latest first: all but imported ones, or those of one player.
    Finished(Option<PlayerId>),
    /// Imported games, the latest first.
    Imported,
    /// Games that wait for this computer player, the longest waiting first.
    BotToMove(&'a Bot),
    /// Games that wait for another opponent of this computer player, in the order of
    /// [`Listing::ToWait`].
    BotToWait(&'a Bot),
    /// Finished games of this computer player, the latest first.
    FinishedOf(&'a Bot),
}

impl<'a> Listing<'a> {
    /// Returns the lists that together have all games of a side; none for a guest.
    pub fn all_of(side: &'a Side) -> Vec<Self> {
        match side {
            Side::Person(player) => {
                let id = player.id;
                vec![Self::ToMove(id), Self::ToWait(id), Self::Finished(Some(id))]
            }
            Side::Bot { bot, .. } => {
                vec![Self::BotToMove(bot), Self::BotToWait(bot), Self::FinishedOf(bot)]
            }
            Side::Guest(_) => Vec::new(),
        }
    }

    /// Returns the tables of the list, its condition, and its first parameter: the key of a player, the
    /// name of a computer player, or null.
    fn parts(self) -> (&'static str, &'static str, Value) {
        match self {
            Self::Active => ("game", "turn IS NOT NULL AND ?1 IS NULL", Value::Null),
            Self::ToMove(player) => ("game", "turn IS NOT NULL AND to_move = ?1", player.0.into()),
            Self::ToWait(player) => ("game", "turn IS NOT NULL AND to_wait = ?1", player.0.into()),
            Self::Finished(None) => {
                ("game", "turn IS NULL AND digest IS NULL AND ?1 IS NULL", Value::Null)
            }
            Self::Imported => ("game", "digest IS NOT NULL AND ?1 IS NULL", Value::Null),
            // Two indexed searches instead of a scan.
            Self::Finished(Some(player)) => (
                "(SELECT * FROM game WHERE black = ?1 UNION ALL SELECT * FROM game WHERE white = ?1) game",
                "turn IS NULL AND ?1 IN (black, white)",
                player.0.into(),
            ),
            Self::BotToMove(bot) => (
                "(SELECT * FROM game WHERE black_bot = ?1 AND turn = 'black' UNION ALL
                  SELECT * FROM game WHERE white_bot = ?1 AND turn = 'white') game",
                "turn IS NOT NULL",
                bot.to_string().into(),
            ),
            // A computer player that plays both sides never waits.
            Self::BotToWait(bot) => (
                "(SELECT * FROM game WHERE black_bot = ?1 AND turn = 'white' AND white_bot IS NOT ?1
                  UNION ALL
                  SELECT * FROM game WHERE white_bot = ?1 AND turn = 'black' AND black_bot IS NOT ?1) game",
                "turn IS NOT NULL",
                bot.to_string().into(),
            ),
            Self::FinishedOf(bot) => (
                "(SELECT * FROM game WHERE black_bot = ?1 UNION ALL
                  SELECT * FROM game WHERE white_bot = ?1 AND black_bot IS NOT ?1) game",
                "turn IS NULL AND digest IS NULL",
                bot.to_string().into(),
            ),
        }
    }

    /// Returns the statement that selects the list, with another condition, and its first parameter.
    fn sql(self, also: &str) -> (String, Value) {
        let (from, condition, whose) = self.parts();
        let order = match self {
            Self::Finished(_) | Self::FinishedOf(_) | Self::Imported => "since DESC, game.id DESC",
            _ => "deadline, since, game.id",
        };
        // SQLite reads both searches in order only if the columns of `ORDER BY` are selected.
        let sql = format!(
            "SELECT game.id, deadline, since FROM {from} WHERE {condition}{also} ORDER BY {order} LIMIT ?2"
        );
        (sql, whose)
    }
}

/// Returns the open offer, which a row has as the author's letter and the event.
fn offer(row: &Row) -> Result<Option<(Color, Offer)>> {
    let event: Option<String> = row.get("offer")?;
    Ok(event.and_then(|event| {
        let by = Color::from_letter(event.chars().next()?)?;
        match event.get(1..)?.parse() {
            Ok(Action::Offer(offer)) => Some((by, offer)),
            _ => None,
        }
    }))
}

fn summary(row: &Row) -> Result<GameSummary> {
    let id = get(row, "id")?;
    let rules = match agreement::rules(row, id) {
        Err(Error::Inconsistent { .. }) => None,
        rules => Some(rules?),
    };
    Ok(GameSummary {
        id,
        variant: row.get("variant")?,
        rules,
        black: row.get("black_name")?,
        white: row.get("white_name")?,
        turn: color(row, "turn")?,
        ply: row.get("ply")?,
        events: row.get("events")?,
        discs: (row.get("black_discs")?, row.get("white_discs")?),
        winner: color(row, "winner")?,
        reason: row.get("reason")?,
        offer: offer(row)?,
        is_paused: row.get("paused")?,
        local: row.get("local")?,
        imported: row.get("imported")?,
        muted: [row.get("black_muted")?, row.get("white_muted")?],
        has_claim_flag: row.get("has_claim_flag")?,
        is_claimable: row.get("is_claimable")?,
        since: get(row, "since")?,
        deadline: clock::deadline(row)?,
        tournament: None,
    })
}

impl Db<'_> {
    /// Returns the numbers of the first `limit` games in a list, which is read from an index.
    pub fn list(&self, listing: Listing, limit: Option<u32>) -> Result<Vec<GameId>> {
        let (sql, whose) = listing.sql("");
        self.all(&sql, (whose, limit.map_or(-1, i64::from)), only)
    }

    /// Returns the active games of a variant.
    pub fn active_of_variant(&self, variant: &str) -> Result<HashSet<GameId>> {
        let sql = "SELECT id FROM game WHERE turn IS NOT NULL AND variant = ?1";
        Ok(self.all(sql, [variant], only)?.into_iter().collect())
    }

    /// Returns the first `limit` finished games, the latest first: of all or of one player, of all variants
    /// or of one, all or those behind the game that ended at this time and has this number.
    pub fn finished(
        &self,
        of: Option<PlayerId>,
        variant: Option<&str>,
        behind: Option<(DateTime<Utc>, GameId)>,
        limit: u32,
    ) -> Result<Vec<GameId>> {
        let also = " AND (since, game.id) < (?3, ?4) AND (?5 IS NULL OR variant = ?5)";
        let (sql, whose) = Listing::Finished(of).sql(also);
        let (since, id) = behind.map_or((i64::MAX, i64::MAX), |(at, id)| (at.timestamp(), id.0));
        self.all(&sql, (whose, limit, since, id, variant), only)
    }

    /// Returns the last `limit` games, the latest first, that ended between these times and count: those of
    /// two people, or all of one player. Games that `play` began are left out.
    pub fn counted_between(
        &self,
        of: Option<PlayerId>,
        from: DateTime<Utc>,
        until: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<GameId>> {
        let also = " AND since >= ?3 AND since < ?4 AND NOT local
            AND reason NOT IN ('annulled', 'declined')
            AND (?1 IS NOT NULL OR black IS NOT NULL AND white IS NOT NULL)";
        let (sql, whose) = Listing::Finished(of).sql(also);
        self.all(&sql, (whose, limit, from.timestamp(), until.timestamp()), only)
    }

    /// Returns the active games of a player that `play` began, the newest first.
    pub fn open_local_games(&self, player: PlayerId) -> Result<Vec<GameId>> {
        let sql = "SELECT id FROM game WHERE turn IS NOT NULL AND to_move = ?1 AND local
             UNION ALL SELECT id FROM game WHERE turn IS NOT NULL AND to_wait = ?1 AND local";
        let mut games: Vec<GameId> = self.all(sql, [player.0], only)?;
        games.sort_unstable_by_key(|game| std::cmp::Reverse(game.0));
        Ok(games)
    }

    /// Returns summaries of these games.
    pub fn summaries(&self, games: impl IntoIterator<Item = GameId>) -> Result<Vec<GameSummary>> {
        let sql =
            "SELECT game.id, variant, board_rows, board_columns, misere, anywhere, stuck, supply,
                coalesce(b.name, black_bot) AS black_name,
                coalesce(w.name, white_bot) AS white_name, turn, ply, events, black_discs,
                white_discs, winner, reason, since, deadline, paused, local,
                digest IS NOT NULL AS imported,
                (SELECT author || action FROM event
                 WHERE event.game = game.id AND number = offer_event) AS offer,
                EXISTS (SELECT 1 FROM unsubscribed
                 WHERE unsubscribed.game = game.id AND player = game.black) AS black_muted,
                EXISTS (SELECT 1 FROM unsubscribed
                 WHERE unsubscribed.game = game.id AND player = game.white) AS white_muted,
                flag = 'claim' AND to_move IS NOT NULL AND to_wait IS NOT NULL AS has_claim_flag,
                claim_event IS NOT NULL AS is_claimable
             FROM game LEFT JOIN player b ON b.id = game.black
                 LEFT JOIN player w ON w.id = game.white
             WHERE game.id = ?1";
        let summary = |id: GameId| {
            let tournament = self.in_tournament(id)?;
            Ok(GameSummary { tournament, ..self.one(sql, [id.0], summary)? })
        };
        games.into_iter().map(summary).collect()
    }

    /// Returns summaries of the first `limit` games in a list.
    pub fn games(&self, listing: Listing, limit: Option<u32>) -> Result<Vec<GameSummary>> {
        self.summaries(self.list(listing, limit)?)
    }
}
