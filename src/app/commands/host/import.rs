//! `import`: finished games of other sources.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::{fs, io, mem};

use clap::Args;
use serde_json::{Value, json};

use crate::app::commands::host::club::read as read_club;
use crate::app::commands::host::signed;
use crate::app::formats::{self, Format, Imported, Piece, Reader, Source, club};
use crate::app::run::progress::ProgressLine;
use crate::app::run::session::Writing;
use crate::app::{Error, Heading, Reply, Searched, Session, Traits, UseCase};
use crate::config;
use crate::store::NewGame;
use outflank_model::Side;
use outflank_model::log::GameId;
use outflank_model::words::counted;

/// Take in finished games that were played elsewhere
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Imported games are not rated and count in nobody's record. Their players are
names only. `games --imported` lists them. The same record is imported once.
A broken record is reported and left out. A whole club, as `export --all
--format json` writes it, becomes a new database. The mail about the end of
a game has the game, signed by its club. A file of keys has a club a line:
its key and then its name. `-` in front of a key forgets it.

Examples: outflank import games.pgn --format pgn
          outflank import WTH_2009.wtb --format wthor --players WTHOR.JOU
          outflank import --mail game.eml
          outflank import --key clubs.txt")]
pub struct Import {
    /// The file; - is standard input
    #[arg(value_name = "FILE|-", required_unless_present_any = ["mail", "key"])]
    file: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", value_parser = formats::parser(formats::readers()))]
    #[arg(required_unless_present_any = ["mail", "key"])]
    #[arg(help = formats::help(formats::readers()))]
    #[arg(hide_possible_values = true)]
    format: Option<&'static Format>,
    /// The names of the players of a WTHOR file
    #[arg(long, value_name = "WTHOR.JOU")]
    players: Option<PathBuf>,
    /// Who has the black discs, if a record does not say so
    #[arg(long, value_name = "NAME", default_value = "?", hide_default_value = true)]
    black: String,
    /// Who has the white discs, if a record does not say so
    #[arg(long, value_name = "NAME", default_value = "?", hide_default_value = true)]
    white: String,
    /// Import nothing if a record is broken
    #[arg(long)]
    strict: bool,
    /// Take the signed games out of this mail, however it was forwarded
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["file", "format", "key"])]
    mail: Option<PathBuf>,
    /// Know the clubs in this file by their keys
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["file", "format"])]
    key: Option<PathBuf>,
}

/// The games that are stored in one transaction, so that others can write after a fraction of a second.
const GAMES_AT_ONCE: usize = 50;

impl UseCase for Import {
    const TRAITS: Traits = Traits::new("import", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match self {
            Self { mail: Some(mail), .. } => {
                let bytes = read(session, mail)?;
                signed::import(session, &config::display_path(mail), &bytes)
            }
            Self { key: Some(keys), .. } => {
                let bytes = read(session, keys)?;
                signed::add_keys(session, &config::display_path(keys), &bytes)
            }
            Self { file: Some(file), format: Some(format), .. } => {
                self.records(session, file, format)
            }
            _ => Err(Error::usage("there is no file").with_hint("see `outflank help import`")),
        }
    }
}

impl Import {
    /// Imports the records in a file.
    fn records(&self, session: &mut Session, file: &Path, format: &Format) -> Result<Reply, Error> {
        let Some(reader) = &format.reader else {
            return Err(Error::fault("this format is only written"));
        };
        let mut input = BufReader::new(input(session, file)?);
        let mut first = Vec::new();
        if format.word == club::WORD {
            let read = input.read_until(b'\n', &mut first);
            read.map_err(|error| cannot_read(file, &error))?;
            if let Some(head) = club::head(&first) {
                let games = read_club(session, &head, input)?;
                let text = format!("The club is imported, with {}.", counted(games, "game"));
                return Ok(Reply::new(&json!({ "club": games })).text(text));
            }
        }
        input.read_to_end(&mut first).map_err(|error| cannot_read(file, &error))?;
        let source = self.source(reader, first)?;
        let name = config::display_path(file);
        let pieces = (reader.split)(&source.bytes).map_err(|problem| {
            let error =
                Error::refused(format!("{name} is not a file of {}: {problem}", format.word));
            error.with_hint("see `outflank help import` for the formats")
        })?;
        if pieces.is_empty() {
            return Err(Error::refused(format!("there are no games in {name}")));
        }
        let mut done = Done::default();
        if self.strict {
            self.check(session, reader, &source, &pieces)?;
        }
        let line = ProgressLine::new(&session.front_end, Searched::default());
        for (number, part) in pieces.chunks(GAMES_AT_ONCE).enumerate() {
            let before = number * GAMES_AT_ONCE;
            line.count(before, pieces.len(), "games read");
            let mut games = Vec::new();
            for (number, piece) in (before + 1..).zip(part) {
                match (reader.read)(piece, &source) {
                    Ok(game) => games.push(game),
                    Err(problem) => done.broken.push(Broken { number, line: piece.line, problem }),
                }
            }
            let stored = store(session, &games)?;
            done.known += stored.iter().filter(|game| game.is_none()).count();
            done.games.extend(stored.into_iter().flatten());
        }
        drop(line);
        done.report(session);
        Ok(done.reply())
    }

    /// Returns the source of these bytes, with the names of players.
    fn source(&self, reader: &Reader, bytes: Vec<u8>) -> Result<Source, Error> {
        let players = match &self.players {
            Some(_) if !reader.is_binary => {
                let message = "--players names the players of a WTHOR file";
                return Err(Error::usage(message).with_hint("leave out --players"));
            }
            Some(path) => {
                formats::players(&fs::read(path).map_err(|error| cannot_read(path, &error))?)
            }
            None => Vec::new(),
        };
        let bytes = match String::from_utf8(bytes) {
            // Other programs write a byte order mark, or Latin-1.
            Ok(text) => text.trim_start_matches('\u{feff}').to_owned().into_bytes(),
            Err(error) if reader.is_binary => error.into_bytes(),
            Err(error) => {
                error.into_bytes().into_iter().map(char::from).collect::<String>().into_bytes()
            }
        };
        Ok(Source { bytes, players, names: [self.black.clone(), self.white.clone()] })
    }

    /// Refuses the file if a record is broken.
    fn check(
        &self,
        session: &mut Session,
        reader: &Reader,
        source: &Source,
        pieces: &[Piece],
    ) -> Result<(), Error> {
        let mut done = Done::default();
        let line = ProgressLine::new(&session.front_end, Searched::default());
        for (number, piece) in (1..).zip(pieces) {
            line.count(number, pieces.len(), "games checked");
            let problem = (reader.read)(piece, source).err();
            done.broken.extend(problem.map(|problem| Broken { number, line: piece.line, problem }));
        }
        drop(line);
        done.report(session);
        if done.broken.is_empty() {
            return Ok(());
        }
        let (broken, all) = (done.broken.len(), counted(pieces.len(), "record"));
        let error =
            Error::refused(format!("nothing was imported, because {broken} of {all} are broken"));
        Err(error.with_hint("correct them, or leave out --strict to import the others"))
    }
}

/// Stores games in one transaction. Returns their numbers, and `None` for those that are known.
fn store(session: &mut Session, games: &[Imported]) -> Result<Vec<Option<GameId>>, Error> {
    let mut stored = Vec::new();
    if games.is_empty() {
        return Ok(stored);
    }
    session.write_or_create(|Writing { tx, env, outbox, .. }| {
        let now = env.now();
        for imported in games {
            let Imported { agreement, game, names, .. } = imported;
            let [black, white] = &names.clone().map(Side::Guest);
            let mark = &env.rng.mark();
            let new = NewGame { agreement, game, black, white, local: false, mark };
            let (began, times) = imported.times(now);
            let thread = outbox.thread()?;
            stored.push(tx.import_game(&new, thread, &imported.digest(), began, &times)?);
        }
        Ok(Reply::default())
    })?;
    Ok(stored)
}

/// A record that cannot be imported.
struct Broken {
    number: usize,
    line: Option<usize>,
    problem: String,
}

/// What was done with the records.
#[derive(Default)]
struct Done {
    games: Vec<GameId>,
    /// How many were imported before.
    known: usize,
    broken: Vec<Broken>,
}

impl Done {
    /// Reports the broken records to the host.
    fn report(&self, session: &mut Session) {
        for Broken { number, line, problem } in &self.broken {
            let line = line.map_or(String::new(), |line| format!(", line {line}"));
            session.front_end.report(&format!("record {number}{line}: {problem}"));
        }
    }

    fn reply(&self) -> Reply {
        let broken = self.broken.iter().map(|Broken { number, line, problem }| {
            json!({ "record": number, "line": line, "problem": problem })
        });
        let ends = [self.games.first(), self.games.last()].map(|game| game.map(|game| game.0));
        let json = json!({
            "imported": self.games.len(),
            "first": ends[0],
            "last": ends[1],
            "known": self.known,
            "broken": broken.collect::<Value>(),
        });
        let count = counted(self.games.len(), "game");
        let mut text = match (self.games.first(), self.games.last()) {
            (Some(first), Some(last)) if first == last => format!("{count} imported: {first}."),
            (Some(first), Some(last)) => format!("{count} imported: {first} to {last}."),
            _ => "No game imported.".to_owned(),
        };
        if self.known > 0 {
            text += &format!(" {} known already.", are(self.known));
        }
        if !self.broken.is_empty() {
            text += &format!(" {} broken.", are(self.broken.len()));
        }
        Reply::new(&json).text(text)
    }
}

/// Returns the beginning of a sentence about so many records.
fn are(count: usize) -> String {
    format!("{} {}", counted(count, "record"), if count == 1 { "is" } else { "are" })
}

/// Reads a file, or standard input.
fn read(session: &mut Session, file: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = input(session, file)?.read_to_end(&mut bytes);
    read.map_err(|error| cannot_read(file, &error))?;
    Ok(bytes)
}

/// Opens a file, or takes standard input.
fn input<'a>(session: &mut Session<'a>, file: &Path) -> Result<Box<dyn Read + 'a>, Error> {
    if file.as_os_str() == "-" {
        return Ok(mem::replace(&mut session.front_end.shell()?.input, Box::new(io::empty())));
    }
    Ok(Box::new(File::open(file).map_err(|error| cannot_read(file, &error))?))
}

fn cannot_read(path: &Path, error: &io::Error) -> Error {
    Error::fault(format!("cannot read {}: {error}", config::display_path(path)))
}
