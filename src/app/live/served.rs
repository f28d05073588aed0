//! Support for a front end that serves many people at once: whether anything has changed, the work that
//! follows a command, records of games, and lists for everybody.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::app::access::history::{of_page, of_public_page};
use crate::app::access::signing;
use crate::app::commands::tournaments;
use crate::app::commands::view::{games, history, players, standings};
use crate::app::effects::flags;
use crate::app::jobs::Thinking;
use crate::app::jobs::analysis::judged;
use crate::app::views::rating;
use crate::app::views::tournament::Standing;
use crate::app::{App, Error, Reply, find};
use crate::command::{Name, PlayerRef};
use crate::config::WebSettings;
use crate::store::Jobs;
use outflank_engine::Judgement;
use outflank_model::log::GameId;
use outflank_model::rating::List;
use outflank_model::render::words;
use outflank_rules::{Color, Overrides, VARIANTS, parse_digits};

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
    /// The tournaments.
    Tournaments,
    /// The table and the games of the tournament with this name.
    Tournament(Name),
}

/// A part of such a list.
#[derive(Debug)]
pub struct PublicPart {
    /// The reply of the command that lists it.
    pub reply: Reply,
    /// The key of the next part, if there is one.
    pub next: Option<String>,
    /// The variants by which the list can be read, each with its name for people and as the list takes it.
    pub variants: Vec<(String, String)>,
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

    /// Returns how far a game is, for one of its players or for others; `None` if there is no such game.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn stage(&self, game: GameId, is_player: bool) -> Result<Option<Stage>, Error> {
        self.store.read(|db| {
            let Some(stored) = db.game(game)? else { return Ok(None) };
            let stored = flags::recorded(db, &self.env, stored)?;
            let history = match is_player {
                true => of_page(db, &stored)?,
                false => of_public_page(db, &stored)?,
            };
            Ok(Some(Stage { history, is_over: stored.game.turn().is_none() }))
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
            Ok(Record { transcript, json: history::moves_to_json(&stored, &[]).to_string() })
        })
    }

    /// Returns a game as a signed block of text.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn portable(&self, game: GameId) -> Result<String, Error> {
        self.store.read(|db| signing::portable(db, &self.env, &find::game(db, game)?))
    }

    /// Returns a part of a list as everybody may see it. Without a key, it is the first part; without a
    /// variant, all games or the first standings.
    ///
    /// # Errors
    /// When there is no such player, variant or part.
    pub fn public_list(
        &self,
        list: &PublicList,
        variant: Option<&str>,
        key: Option<&str>,
    ) -> Result<PublicPart, Error> {
        let now = self.env.now();
        let no_part = || Error::refused("the list has no such part");
        self.store.read(|db| {
            let games_of = |player| {
                let variants = VARIANTS.iter().map(|it| (it.title.to_owned(), it.name.to_owned()));
                let variants: Vec<_> = variants.collect();
                if variant.is_some_and(|variant| variants.iter().all(|(_, it)| it != variant)) {
                    return Err(no_part());
                }
                let begin = key.map_or(Ok(games::Begin::Active(0)), str::parse)?;
                let (reply, next) = games::public_part(db, now, player, variant, begin)?;
                Ok(PublicPart { reply, next: next.map(|next| next.to_string()), variants })
            };
            match list {
                PublicList::Games => {
                    let part = games_of(None)?;
                    let about = signing::about(db, &self.env)?.filter(|_| key.is_none());
                    let reply = about.into_iter().fold(part.reply, Reply::text);
                    Ok(PublicPart { reply, ..part })
                }
                PublicList::GamesOf(name) => {
                    let named = PlayerRef::Name(name.as_str().to_owned());
                    games_of(Some(find::player(db, &named)?))
                }
                PublicList::Players => {
                    let (reply, next) = players::public_part(db, now, key)?;
                    Ok(PublicPart { reply, next, variants: Vec::new() })
                }
                PublicList::Tournaments => {
                    let reply = tournaments::list::reply(&tournaments::list::listed(db)?);
                    Ok(PublicPart { reply, next: None, variants: Vec::new() })
                }
                PublicList::Tournament(name) => {
                    let standing = Standing::read(db, find::tournament(db, name.as_str())?)?;
                    let reply = standing.on_page(db)?;
                    Ok(PublicPart { reply, next: None, variants: Vec::new() })
                }
                PublicList::Standings => {
                    let mut lists = db.rating_lists()?;
                    let usual =
                        List::of(&find::variant(VARIANTS[0].name)?.rules(&Overrides::default())?);
                    lists.retain(|list| *list != usual);
                    lists.insert(0, usual);
                    let of_variant = |list: &&List| variant.is_none_or(|it| list.arguments() == it);
                    let list = *lists.iter().find(of_variant).ok_or_else(no_part)?;
                    let passed = key.map_or(Some(0), parse_digits).ok_or_else(no_part)?;
                    let (reply, next) = standings::public_part(db, now, list, passed)?;
                    let variants =
                        lists.iter().map(|list| (rating::title(*list), list.arguments()));
                    let next = next.map(|next| next.to_string());
                    Ok(PublicPart { reply, next, variants: variants.collect() })
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
