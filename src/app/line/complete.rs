//! Completion of a command's arguments in a shell.

use std::any::TypeId;
use std::path::Path;

use chrono::{DateTime, Utc};
use clap::Arg;
use clap::builder::Str;

use crate::app::commands::play::moves::make_all;
use crate::app::{Actor, Error, find};
use crate::command::{GameAt, MoveAt, Name, SideRef};
use crate::store::{Challenges, Db, GameSummary, Listing, Store};
use outflank_engine::Level;
use outflank_model::bot::Bot;
use outflank_model::preferences::{SETTINGS, Setting, Settings};
use outflank_model::{Player, StoredChallenge};
use outflank_rules::{VARIANTS, Variant};

/// The most games of a list that are read, and the most words that are offered.
const MAX_GAMES: u32 = 10_000;
const MAX_WORDS: usize = 1000;
/// The most games of a list that are searched for offers.
const MAX_WITH_OFFER: u32 = 200;
/// The commands that answer offers.
const ANSWERS: [&str; 2] = ["accept", "decline"];

/// An argument that is being typed.
#[derive(Debug, Clone, Copy)]
pub struct Unfinished<'a> {
    /// The word of its command.
    pub command: &'a str,
    /// The argument, as its command describes it.
    pub argument: &'a Arg,
    /// The positional arguments before it.
    pub earlier: &'a [String],
    /// What is typed of it.
    pub word: &'a str,
    /// Who gives the command.
    pub actor: &'a Actor,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Unfinished<'_> {
    /// Returns the words that the argument can become: the numbers of games, those of the actor
    /// first, names of players, legal moves, settings, variants. Nothing is said about a database that is
    /// not there or cannot be read, and no file is created or changed.
    ///
    /// # Errors
    /// When the database cannot be read, or an earlier argument is not valid.
    pub fn candidates(&self, database: &Path) -> Result<Vec<String>, Error> {
        let type_id = self.argument.get_value_parser().type_id();
        // Nobody has the name of a new player yet.
        if type_id == TypeId::of::<Name>() {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for kind in kinds(self.argument) {
            match kind.as_str() {
                "GAME" if ANSWERS.contains(&self.command) => {
                    found.extend(read(database, |db| self.offers(db))?);
                }
                "GAME" => found.extend(read(database, |db| self.games(db))?),
                "NAME" | "PLAYER" | "BLACK" | "WHITE" => {
                    found.extend(read(database, |db| self.players(db))?);
                    found.extend(bots().filter(|_| type_id == TypeId::of::<SideRef>()));
                }
                "bot:NAME" => found.extend(bots()),
                "MOVE" => found.extend(read(database, |db| self.moves(db))?),
                "SETTING" => found.extend(SETTINGS.iter().map(|it| it.word.to_owned())),
                "VALUE" => found.extend(self.values()),
                "VARIANT" => {
                    found.extend(VARIANTS.iter().flat_map(Variant::names).map(str::to_owned));
                }
                word if word.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                    found.push(word.to_owned());
                }
                _ => {}
            }
        }
        found.retain(|candidate| self.begins(candidate));
        found.truncate(MAX_WORDS);
        Ok(found)
    }

    /// Returns whether a word begins with the typed one, in either case.
    fn begins(&self, candidate: &str) -> bool {
        let beginning = candidate.get(..self.word.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(self.word))
    }

    /// Returns the actor's active games; if none of them begins so, all active games, or else finished
    /// ones.
    fn games(&self, db: &Db) -> Result<Vec<String>, Error> {
        let actor = find::actor(db, self.actor)?;
        let own = actor.map(|actor| vec![Listing::ToMove(actor.id), Listing::ToWait(actor.id)]);
        let all = [vec![Listing::Active], vec![Listing::Finished(None)]];
        for listings in own.into_iter().chain(all) {
            let mut found = Vec::new();
            for listing in listings {
                let games = db.list(listing, Some(MAX_GAMES))?;
                found.extend(games.into_iter().map(|game| game.to_string()));
            }
            found.retain(|game| self.begins(game));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Returns the numbers of open challenges, and of games with an open offer, that the actor can answer.
    fn offers(&self, db: &Db) -> Result<Vec<String>, Error> {
        let (actor, after) = (find::actor(db, self.actor)?, self.now - StoredChallenge::OPEN_FOR);
        let challenges = match &actor {
            Some(actor) => vec![Challenges::To(actor.id), Challenges::ToAnyone(actor.id)],
            None => vec![Challenges::All],
        };
        let listings = match &actor {
            Some(Player { id, .. }) => {
                vec![Listing::ToMove(*id), Listing::ToWait(*id), Listing::Finished(Some(*id))]
            }
            None => vec![Listing::Active, Listing::Finished(None)],
        };
        let mut found = Vec::new();
        for which in challenges {
            found.extend(db.open_challenges(which, after, Some(MAX_GAMES))?);
        }
        for listing in listings {
            let games = db.summaries(db.list(listing, Some(MAX_WITH_OFFER))?)?.into_iter();
            let is_own =
                |by, game: &GameSummary| actor.as_ref().is_some_and(|it| it.name == *game.name(by));
            let is_open = |game: &GameSummary| game.offer.is_some_and(|(by, _)| !is_own(by, game));
            found.extend(games.filter(is_open).map(|game| game.id));
        }
        Ok(found.into_iter().map(|id| id.to_string()).collect())
    }

    /// Returns the words that the setting before this one takes, of those that describe it, and the first word of
    /// its example.
    fn values(&self) -> Vec<String> {
        let [setting] = self.earlier else { return Vec::new() };
        let setting = Setting::named(setting).ok().filter(|setting| !setting.is_address());
        let Some(setting) = setting else { return Vec::new() };
        let is_value =
            |word: &&str| setting.change(&mut Settings::default(), &[(*word).to_owned()]).is_ok();
        let described = setting.meaning.split(|c: char| !c.is_ascii_lowercase()).filter(is_value);
        let mut values: Vec<_> = setting.example.split(' ').take(1).chain(described).collect();
        values.sort_unstable();
        values.dedup();
        values.into_iter().map(str::to_owned).collect()
    }

    fn players(&self, db: &Db) -> Result<Vec<String>, Error> {
        Ok(db.players()?.into_iter().map(|player| player.name).collect())
    }

    /// Returns the legal moves after the moves that are typed already.
    fn moves(&self, db: &Db) -> Result<Vec<String>, Error> {
        let Some((game, moves)) = self.earlier.split_first() else { return Ok(Vec::new()) };
        let Ok(GameAt { game, ply: None }) = game.parse() else { return Ok(Vec::new()) };
        let moves: Result<Vec<MoveAt>, _> = moves.iter().map(|mv| mv.parse()).collect();
        let Ok(moves) = moves else { return Ok(Vec::new()) };
        let mut game = find::game(db, game)?.game;
        let known = game.plies().len();
        make_all(&mut game, known, &moves, |_| Ok(()))?;
        let lattice = game.lattice();
        Ok(game.legal().into_iter().map(|mv| lattice.move_label(mv)).collect())
    }
}

/// Returns the kinds of an argument, in the words of its help: for `VARIANT|GAME`, these two.
fn kinds(argument: &Arg) -> Vec<String> {
    let name = match argument.get_value_names() {
        Some([name, ..]) => Str::as_str(name).to_owned(),
        _ => argument.get_id().as_str().to_uppercase(),
    };
    let name = name.split_once('[').map_or(&*name, |(name, _)| name);
    name.split('|').map(str::to_owned).collect()
}

fn bots() -> impl Iterator<Item = String> {
    Level::all().map(|level| Bot::Level(level).to_string())
}

fn read<T>(database: &Path, work: impl FnOnce(&Db) -> Result<T, Error>) -> Result<T, Error> {
    Store::peek(database)?.read(work)
}
