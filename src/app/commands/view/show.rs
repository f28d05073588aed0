use clap::Args;

use crate::app::access::signing;
use crate::app::effects::{flags, offers};
use crate::app::formats;
use crate::app::run::session::Reading;
use crate::app::views::comments::Comment;
use crate::app::views::game::View;
use crate::app::views::picture::Picture;
use crate::app::views::reply::Drawing;
use crate::app::views::{challenge, comments};
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::GameAt;
use crate::store::Db;
use outflank_model::log::GameId;
use outflank_model::render::words;
use outflank_model::time_control::TimeZone;
use outflank_model::{ChallengeState, Player, PlayerId, StoredGame};

/// Show a game or a challenge: the board, the last move, the score and whose turn it is
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: show 12#4")]
pub struct Show {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    /// Draw the last move with arrows, as the rules do
    #[arg(long)]
    arrows: bool,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    text: AsText,
    #[command(flatten)]
    picture: Picture,
}

/// The game as a text that other commands and programs read, in place of the board.
#[derive(Debug, Clone, Args)]
#[group(multiple = false, conflicts_with_all = ["arrows", "compact", "picture"])]
struct AsText {
    /// Print the position as `new --position` reads it
    #[arg(long)]
    position: bool,
    /// Print the moves as `new --moves` reads them
    #[arg(long)]
    moves: bool,
    /// Print the game as GGF, for NBoard and Edax
    #[arg(long)]
    ggf: bool,
}

impl AsText {
    /// Returns whether a text is wanted.
    const fn is_wanted(&self) -> bool {
        self.position || self.moves || self.ggf
    }

    /// Returns the text of a game, with these comments in GGF.
    ///
    /// # Errors
    /// When GGF cannot hold the game.
    fn of(&self, stored: &StoredGame, comments: &[Comment]) -> Result<String, Error> {
        if self.ggf {
            return formats::as_ggf(stored, comments);
        }
        let game = &stored.game;
        Ok(if self.position { game.position().to_string() } else { words::transcript(game) })
    }
}

impl Show {
    /// Returns whether it shows the present board as usual, which the mail that answers a player draws.
    pub(crate) const fn is_present(&self) -> bool {
        self.game.ply.is_none()
            && !self.arrows
            && !self.text.is_wanted()
            && !self.picture.is_wanted()
    }
}

impl UseCase for Show {
    const TRAITS: Traits = Traits { synonyms: &["board"], ..Traits::new("show", Heading::Look) };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        self.picture.check(session.front_end.is_shell())?;
        if self.game.ply.is_none()
            && !self.picture.is_wanted()
            && let Some(challenge) = challenge(session, self.game.game)?
        {
            return Ok(challenge);
        }
        // A database that cannot be written can still be read.
        let mails = flags::record_alone(session, self.game.game).unwrap_or_default();
        let is_mail = session.front_end.is_mail;
        let is_document = session.front_end.prints_documents;
        let reply = session.read(|Reading { db, env, actor, .. }| {
            let stored = find::game(db, self.game.game)?;
            let reader = find::actor(db, actor)?.map(|reader| reader.id);
            let earlier = |ply| stored.game.at(ply).ok_or_else(|| find::no_such_ply(&stored, ply));
            let earlier = self.game.ply.map(earlier).transpose()?;
            let game = earlier.as_ref().unwrap_or(&stored.game);
            if self.text.is_wanted() {
                // A mail or page that wraps a comment could make a command of its words.
                let comments = match earlier {
                    None if is_document => comments::readable(db, actor, &stored)?,
                    _ => Vec::new(),
                };
                let shown = StoredGame { game: game.clone(), ..stored.clone() };
                let text = self.text.of(&shown, &comments)?;
                let document = is_document.then(|| format!("{text}\n").into_bytes());
                // A line that is one move would be a command in the reply to a mail.
                let text = match self.text.moves {
                    true if text.is_empty() => "No move has been made.".to_owned(),
                    true => format!("Transcript: {text}"),
                    false => text,
                };
                return Ok(Reply { document, ..View::new(&stored, game).brief(&text) });
            }
            if self.picture.is_wanted() {
                return self.picture.reply(&View::new(&stored, game));
            }
            let (view, said) = if earlier.is_some() {
                (View::new(&stored, game), None)
            } else {
                let said = comments::recent(&comments::readable(db, actor, &stored)?, &stored);
                let watchers = watchers(db, reader, &stored)?;
                (View { watchers, ..View::present(db, &stored, game, env.now())? }, said)
            };
            let view = offers::answerable(view, reader, &stored, env.now());
            let is_own = reader.is_some_and(|reader| stored.color_of(reader).is_some());
            let reply = match is_mail && is_own && self.is_present() {
                true => view.beside_board(),
                false => view.reply(self.arrows).drawn(self.drawing),
            };
            let signed = signing::about_game(db, env, &stored)?;
            Ok(said.into_iter().chain(signed).fold(reply, Reply::text))
        })?;
        Ok(reply.with_mails(mails))
    }
}

/// Returns the names of those who watch a game, for its players and the host. A watcher only learns
/// of watching it.
fn watchers(db: &Db, reader: Option<PlayerId>, stored: &StoredGame) -> Result<Vec<String>, Error> {
    let plays = |reader| stored.color_of(reader).is_some();
    let may_know = |it: &Player| reader.is_none_or(|reader| it.id == reader || plays(reader));
    let watchers = db.watchers(stored.id)?.into_iter();
    Ok(watchers.filter(may_know).map(|it| it.name).collect())
}

/// Returns the challenge with this number; `None` if a game has the number.
fn challenge(session: &mut Session, id: GameId) -> Result<Option<Reply>, Error> {
    session.read(|Reading { db, actor, .. }| {
        let found = db.challenge(id)?.filter(|it| it.state != ChallengeState::Accepted);
        let Some(found) = found else { return Ok(None) };
        let zone = match actor.player() {
            Some(named) => find::player(db, named)?.preferences.clock.zone,
            None => TimeZone::default(),
        };
        Ok(Some(challenge::reply(&found, zone)))
    })
}
