//! Support for a front end that serves many people at once: whether anything has changed, the work that
//! follows a command, records of games, and lists for everybody.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::app::access::history::of_page;
use crate::app::commands::view::{games, history, players};
use crate::app::effects::flags;
use crate::app::jobs::Thinking;
use crate::app::jobs::analysis::judged;
use crate::app::run::session::Access;
use crate::app::{Actor, App, Error, FrontEnd, Line, Reply, Session, find};
use crate::command::{Name, PlayerRef};
use crate::config::WebSettings;
use crate::store::Jobs;
use outflank_engine::Judgement;
use outflank_model::log::GameId;
use outflank_model::render::words;
use outflank_rules::Color;

/// A version of the database. It differs from the one before when another connection has changed the
/// database, or when its file was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    file: Option<(u64, u64)>,
    number: i64,
}

/// How far a game is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Its [history](crate::app::LiveGame::history).
    pub history: String,
    /// Whether it has ended.
    pub is_over: bool,
}

/// The analysis of the moves of a finished game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// By how many discs Black could expect to win before the first move.
    pub start: i32,
    /// For each move: by how many discs Black could expect to win after it, and how many it lost.
    pub moves: Vec<(i32, i32)>,
}

/// A game as a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its moves, as `new --moves` reads them.
    pub transcript: String,
    /// The JSON of `history`, without comments and hints.
    pub json: String,
}

/// A list that everybody may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicList {
    /// The games.
    Games,
    /// The games of the player with this name.
    GamesOf(Name),
    /// The players.
    Players,
    /// The standings.
    Standings,
}

impl App {
    /// Returns the settings of the pages.
    pub const fn web_settings(&self) -> &WebSettings {
        &self.env.config.web
    }

    /// Returns the version of the database.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn version(&self) -> Result<Version, Error> {
        Ok(Version { file: self.store.identity(), number: self.store.data_version()? })
    }

    /// Returns how far a game is; `None` if there is no such game.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn stage(&self, game: GameId) -> Result<Option<Stage>, Error> {
        self.store.read(|db| {
            let Some(stored) = db.game(game)? else { return Ok(None) };
            let stored = flags::recorded(db, &self.env, stored)?;
            let (history, is_over) = (of_page(db, &stored)?, stored.game.turn().is_none());
            Ok(Some(Stage { history, is_over }))
        })
    }

    /// Runs the jobs of the computer players in a game. Returns a reply with the mails that they queued.
    ///
    /// # Errors
    /// When a computer player fails: it is tried again later.
    pub fn let_bots_play(&mut self, game: GameId, stop: &AtomicBool) -> Result<Reply, Error> {
        self.do_jobs(Jobs::OfBots(game), stop)
    }

    /// Looks for the hints and does the analyses that somebody asked for in a game. Returns a reply with the
    /// mails that it queued.
    ///
    /// # Errors
    /// When a job fails: it is tried again later.
    pub fn do_what_was_asked(&mut self, game: GameId, stop: &AtomicBool) -> Result<Reply, Error> {
        self.do_jobs(Jobs::Asked(game), stop)
    }

    fn do_jobs(&mut self, jobs: Jobs, stop: &AtomicBool) -> Result<Reply, Error> {
        let is_stopped = || stop.load(Ordering::Relaxed);
        let (thinking, mut reply) = (Thinking::unseen(&is_stopped), Reply::default());
        while let Some(mails) = self.do_next_job(jobs, None, &thinking)? {
            reply = reply.with_mails(mails);
        }
        Ok(reply)
    }

    /// Returns the analysis of the moves of a game; `None` if it was not analyzed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn analysis(&self, game: GameId) -> Result<Option<Analysis>, Error> {
        self.store.read(|db| {
            let stored = find::game(db, game)?;
            let judged = judged(db, &stored)?;
            Ok(judged.as_deref().and_then(Analysis::of))
        })
    }

    /// Returns a game as a document.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn record(&self, game: GameId) -> Result<Record, Error> {
        self.store.read(|db| {
            let stored = find::game(db, game)?;
            let transcript = words::transcript(&stored.game);
            Ok(Record { transcript, json: history::moves_as_json(&stored) })
        })
    }

    /// Returns a part of a list as everybody may see it, and the key of the next part, if there is one.
    /// Without a key, it is the first part.
    ///
    /// # Errors
    /// When there is no such player or part.
    pub fn public_list(
        &self,
        list: &PublicList,
        key: Option<&str>,
    ) -> Result<(Reply, Option<String>), Error> {
        let now = self.env.now();
        self.store.read(|db| {
            let games_of = |player| {
                let begin = key.map_or(Ok(games::Begin::Active(0)), str::parse)?;
                let (reply, next) = games::public_part(db, now, player, begin)?;
                Ok((reply, next.map(|next| next.to_string())))
            };
            match (list, key) {
                (PublicList::Games, _) => games_of(None),
                (PublicList::GamesOf(name), _) => {
                    let named = PlayerRef::Name(name.as_str().to_owned());
                    games_of(Some(find::player(db, &named)?))
                }
                (PublicList::Players, _) => players::public_part(db, now, key),
                (PublicList::Standings, Some(_)) => {
                    Err(Error::refused("the list has no such part"))
                }
                (PublicList::Standings, None) => {
                    let Line::Command(command) = Line::parse("standings --count all", None) else {
                        return Err(Error::refused("there is no such list"));
                    };
                    let access = Access::ReadOnly { env: &self.env, db };
                    let mut session = Session::with_access(Actor::Host, FrontEnd::none(), access);
                    Ok((command.run(&mut session)?, None))
                }
            }
        })
    }
}

impl Analysis {
    fn of(judged: &[Judgement]) -> Option<Self> {
        let first = judged.first()?;
        let start = if first.by == Color::Black { first.best_value } else { -first.best_value };
        let moves = judged.iter().map(|it| (it.expected(), it.loss()));
        Some(Self { start, moves: moves.collect() })
    }
}
