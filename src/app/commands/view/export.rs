//! `export`: games as other programs read them.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::app::access::signing;
use crate::app::formats::{self, Exported, Format, club};
use crate::app::run::progress::ProgressLine;
use crate::app::run::session::Reading;
use crate::app::views::comments;
use crate::app::{
    Actor, Error, FrontEnd, Heading, Reply, Searched, Session, Traits, UseCase, find,
};
use crate::command::SideRef;
use crate::config;
use crate::files;
use crate::store::Listing;
use outflank_model::Side;
use outflank_model::log::GameId;
use outflank_model::mail::Attachment;
use outflank_model::words::counted;

/// Write games in a format of other programs
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Comments are written if you may read them, in the formats ggf, pgn and json.
With --all and json the host gets the whole club, with addresses and notes.

Example: export 12 --format pgn")]
pub struct Export {
    /// The numbers, such as 12 13
    #[arg(value_name = "GAME", required_unless_present_any = ["player", "all"])]
    games: Vec<GameId>,
    /// All that NAME plays or has played
    #[arg(long, value_name = "NAME", conflicts_with = "games")]
    player: Option<SideRef>,
    /// All of the club; for the host
    #[arg(long, conflicts_with_all = ["games", "player"])]
    all: bool,
    #[arg(long, value_name = "FORMAT", value_parser = formats::parser(formats::writers()))]
    #[arg(help = formats::help(formats::writers()))]
    #[arg(hide_possible_values = true)]
    format: &'static Format,
    /// Write to this file, which must not exist yet; in the shell only
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The most bytes of the files that one mail brings.
pub(crate) const MAX_ATTACHED: usize = 1_000_000;

/// The games that are read in one transaction.
const GAMES_AT_ONCE: usize = 100;

impl UseCase for Export {
    const TRAITS: Traits = Traits::new("export", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let front_end = &session.front_end;
        if !(front_end.prints_documents || front_end.is_mail) {
            let error =
                Error::refused("games can be exported in the shell, over ssh and by mail only");
            return Err(error.with_hint("use `show GAME --ggf` here"));
        }
        if self.output.is_some() && !front_end.is_shell() {
            let error = Error::refused("--output names a file of the host's shell");
            return Err(error.with_hint("leave out --output"));
        }
        if self.all {
            host_only(session)?;
            if self.format.word == club::WORD {
                return self.write_club(session);
            }
        }
        let games = self.games(session)?;
        if games.is_empty() {
            return Err(Error::refused("there are no games to export"));
        }
        if session.front_end.is_mail {
            return self.attach(session, &games);
        }
        let Some(path) = &self.output else {
            let mut document = Vec::new();
            let left_out = self.write(session, &games, "the games", &mut |front_end, part| {
                print(front_end, &mut document, part)
            })?;
            self.report_left_out(session, &left_out);
            return Ok(Reply { document: Some(document), ..Reply::default() });
        };
        let name = config::display_path(path);
        let left_out = into_file(path, |file| {
            self.write(session, &games, &name, &mut |_, part| file.write_all(part.as_bytes()))
        })?;
        self.report_left_out(session, &left_out);
        let count = games.len() - left_out.len();
        let text = format!("{} written to {name}.", counted(count, "game"));
        Ok(Reply::new(&json!({ "file": name, "games": count })).text(text))
    }
}

/// Prints or writes a part of the games.
type Put<'p> = &'p mut dyn FnMut(&mut FrontEnd, &str) -> io::Result<()>;

impl Export {
    /// Returns the reply of a mail, with the games as its attachment.
    fn attach(&self, session: &mut Session, games: &[GameId]) -> Result<Reply, Error> {
        let mut content = String::new();
        let left_out = self.write(session, games, "the games", &mut |_, part| {
            content += part;
            // This ends the writing, as a reader does that has read enough.
            if content.len() > MAX_ATTACHED {
                Err(io::ErrorKind::BrokenPipe.into())
            } else {
                Ok(())
            }
        })?;
        if content.len() > MAX_ATTACHED {
            let error = Error::refused("the games are larger than 1 MB, too large for a mail");
            return Err(error.with_hint("ask for fewer in each mail"));
        }
        let Format { word, media_type, .. } = *self.format;
        let name = match (games, &self.player) {
            ([game], _) => format!("game-{game}.{word}"),
            (_, Some(SideRef::Person(named))) => format!("{named}.{word}"),
            _ => format!("games.{word}"),
        };
        let count = games.len() - left_out.len();
        let are = if count == 1 { "is" } else { "are" };
        let text = format!("{} {are} attached as {name}.", counted(count, "game"));
        let json = json!({ "file": name, "games": count });
        let (name, media_type) = (name, media_type.to_owned());
        let attachment = Some(Attachment { name, media_type, content });
        let reply = Reply::new(&json).text(text);
        let reply = match self.left_out(&left_out) {
            Some(left_out) => reply.text(format!("Left out {left_out}.")),
            None => reply,
        };
        Ok(Reply { attachment, ..reply })
    }

    /// Writes the whole club, to the file or else to standard output.
    fn write_club(&self, session: &mut Session) -> Result<Reply, Error> {
        let Some(path) = &self.output else {
            let mut document = Vec::new();
            club::write(session, |session, part| {
                match print(&mut session.front_end, &mut document, part) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    printed => printed.map_err(|error| cannot_write("the club", &error)),
                }
            })?;
            return Ok(Reply { document: Some(document), ..Reply::default() });
        };
        let name = config::display_path(path);
        into_file(path, |file| {
            club::write(session, |_, part| {
                file.write_all(part.as_bytes()).map_err(|error| cannot_write(&name, &error))
            })
        })?;
        Ok(Reply::new(&json!({ "file": name })).text(format!("The club is written to {name}.")))
    }

    /// Returns the games, in the order of the command or of their numbers.
    fn games(&self, session: &mut Session) -> Result<Vec<GameId>, Error> {
        if let Some(SideRef::Person(named)) = &self.player {
            session.front_end.refuse_address(named)?;
        }
        session.read(|Reading { db, .. }| {
            if self.all {
                return Ok(db.game_numbers()?);
            }
            let Some(player) = &self.player else { return Ok(self.games.clone()) };
            let side: Side = match player {
                SideRef::Person(named) => find::player(db, named)?.into(),
                SideRef::Bot(bot) => bot.clone().into(),
            };
            let mut games = Vec::new();
            for listing in Listing::all_of(&side) {
                games.extend(db.list(listing, None)?);
            }
            games.sort_unstable();
            games.dedup();
            Ok(games)
        })
    }

    /// Writes the games, to what has this name. Returns those that the format cannot hold.
    ///
    /// # Errors
    /// Also when the command names a game that the format cannot hold.
    fn write(
        &self,
        session: &mut Session,
        games: &[GameId],
        name: &str,
        put: Put,
    ) -> Result<Vec<GameId>, Error> {
        let line = ProgressLine::new(&session.front_end, Searched::default());
        let Some(writer) = &self.format.writer else { return Ok(Vec::new()) };
        let mut left_out = Vec::new();
        let mut text = session.read(|Reading { db, env, .. }| {
            let key = signing::own_key(db)?.map(|key| key.public());
            Ok((writer.head)(signing::club_name(env), key))
        })?;
        for (done, part) in games.chunks(GAMES_AT_ONCE).enumerate() {
            line.count(done * GAMES_AT_ONCE, games.len(), "games written");
            session.read(|Reading { db, actor, .. }| {
                for &game in part {
                    let stored = find::game(db, game)?;
                    if let Some(why) = self.format.cannot_hold(&stored) {
                        if self.games.is_empty() {
                            left_out.push(game);
                            continue;
                        }
                        return Err(why);
                    }
                    let comments = comments::readable(db, actor, &stored)?;
                    text += &(writer.write)(&Exported { stored: &stored, comments: &comments });
                }
                Ok(())
            })?;
            if text.is_empty() {
                continue;
            }
            match put(&mut session.front_end, &text) {
                // A reader such as `head` that has read enough is no fault.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                written => written.map_err(|error| cannot_write(name, &error))?,
            }
            text.clear();
        }
        Ok(left_out)
    }

    /// Reports the games that the format cannot hold.
    fn report_left_out(&self, session: &mut Session, left_out: &[GameId]) {
        if let Some(left_out) = self.left_out(left_out) {
            session.front_end.report(&format!("left out {left_out}"));
        }
    }

    /// Describes the games that the format cannot hold, with what to use; `None` if there are none.
    fn left_out(&self, left_out: &[GameId]) -> Option<String> {
        let (count, word) = (counted(left_out.len(), "game"), self.format.word);
        let first = left_out.first()?;
        Some(format!("{count} that {word} cannot hold, such as {first}; use --format json"))
    }
}

/// Refuses a player.
fn host_only(session: &Session) -> Result<(), Error> {
    match session.actor {
        Actor::Host => Ok(()),
        Actor::Player(_) => Err(Error::refused("only the host can export all games")
            .with_hint("use `export --player NAME`")),
    }
}

/// Prints a part at once in the shell, and elsewhere adds it to the document.
fn print(front_end: &mut FrontEnd, document: &mut Vec<u8>, part: &str) -> io::Result<()> {
    match &mut front_end.shell {
        Some(shell) => (shell.print)(part.strip_suffix('\n').unwrap_or(part)),
        None => document.write_all(part.as_bytes()),
    }
}

/// Writes a new file with mode 0600, which gets its name when it is complete.
fn into_file<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    let fault = |error: io::Error| cannot_write(&config::display_path(path), &error);
    if path.exists() {
        return Err(fault(io::ErrorKind::AlreadyExists.into()));
    }
    let mut draft = files::draft(files::folder_of(path), ".export-").map_err(fault)?;
    let mut file = BufWriter::new(draft.as_file_mut());
    let written = write(&mut file)?;
    file.flush().map_err(fault)?;
    drop(file);
    files::publish(draft, path).map_err(fault)?;
    Ok(written)
}

fn cannot_write(name: &str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => Error::refused(format!("{name} exists already"))
            .with_hint("name a file that does not exist yet"),
        _ => Error::fault(format!("cannot write {name}: {error}")),
    }
}
