//! A seat at a board: who acts there, and a connection to the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::app::delivery::deliver::CLAIM_MAILS;
use crate::app::jobs::Thinking;
use crate::app::line;
use crate::app::live::board::{LiveGame, actor, own};
use crate::app::live::open::{Opened, Opener, Play, User, open_most_urgent, play_against};
use crate::app::run::session::Reading;
use crate::app::views::game::View;
use crate::app::{
    Actor, App, Error, FrontEnd, PlayerCommand, Progress, Reader, Reply, Session, Thinks, Zone,
    contain, find,
};
use crate::clock::Deadline;
use crate::command::PlayerRef;
use crate::store::{Jobs, Listing};
use outflank_model::bot::Bot;
use outflank_model::log::GameId;

/// Opens the application once more, for a thread.
pub type OpenApp = Arc<dyn Fn() -> Result<App, Error> + Send + Sync>;

/// A seat at a board.
pub struct Seat {
    open: OpenApp,
    app: Option<App>,
    /// The player who acts here; `None` for a user who is no player yet.
    player: Option<PlayerRef>,
    /// The user of the system, if both sides of games at one keyboard are played here.
    user: Option<User>,
    /// Who ran the last command.
    last: Option<Actor>,
    /// The version of the database when it was last asked for.
    version: Option<i64>,
}

/// Returns who opens a game at a seat of this user or player.
fn opener<'a>(user: Option<&'a User>, player: Option<&'a PlayerRef>) -> Result<Opener<'a>, Error> {
    let remote = player.map(Opener::Remote);
    user.map(|user| Opener::User(user, player))
        .or(remote)
        .ok_or_else(|| Error::fault("nobody has this seat"))
}

/// The most time that mails are delivered after a command.
const MAX_DELIVERY: Duration = Duration::from_secs(2);

impl Seat {
    /// Takes the seat that the arguments of `play` ask for, and begins a game where none is open.
    /// Returns it with the number of the game. `named` is the player of `--as`.
    ///
    /// # Errors
    /// [`Error`] that says why there is nothing to play.
    pub fn take(
        open: OpenApp,
        play: &Play,
        named: Option<&PlayerRef>,
        user: &User,
    ) -> Result<(Self, GameId), Error> {
        let by = named.map_or(Opener::User(user, None), |named| Opener::Named(named, user));
        Self::taken(open, by, |session| play.open(session, by))
    }

    /// Takes the seat of a player who comes over ssh: at the most urgent game that waits, or else as
    /// `play` without arguments does.
    ///
    /// # Errors
    /// [`Error`] that says why there is nothing to play.
    pub fn take_over_ssh(open: OpenApp, player: &PlayerRef) -> Result<(Self, GameId), Error> {
        let by = Opener::Remote(player);
        Self::taken(open, by, |session| open_most_urgent(session, by))
    }

    fn taken(
        open: OpenApp,
        by: Opener,
        opened: impl FnOnce(&mut Session) -> Result<Opened, Error>,
    ) -> Result<(Self, GameId), Error> {
        let user = by.shared_by().cloned();
        let mut seat = Self { open, app: None, player: None, user, last: None, version: None };
        let game = seat.opened(opened)?;
        Ok((seat, game))
    }

    /// Opens the game that the words behind `play` ask for, and returns its number.
    ///
    /// # Errors
    /// [`Error`] that says why there is nothing to play.
    pub fn play(&mut self, play: &Play) -> Result<GameId, Error> {
        let (user, player) = (self.user.clone(), self.player.clone());
        let by = opener(user.as_ref(), player.as_ref())?;
        self.opened(|session| play.open(session, by))
    }

    /// Begins a game again with this computer player in place of the one that has played it, and returns the
    /// number of the new game.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn play_against(&mut self, game: GameId, bot: &Bot) -> Result<GameId, Error> {
        let (user, player) = (self.user.clone(), self.player.clone());
        let by = opener(user.as_ref(), player.as_ref())?;
        self.opened(|session| play_against(session, by, game, bot))
    }

    /// Opens a game, and takes the seat of the player who opened it.
    fn opened(
        &mut self,
        open: impl FnOnce(&mut Session) -> Result<Opened, Error>,
    ) -> Result<GameId, Error> {
        let Opened { player, game } = self.session(Actor::Host, FrontEnd::none(), open)?;
        self.player = player.map(|player| PlayerRef::Name(player.name));
        Ok(game)
    }

    /// Returns the player who acts here; `None` for a user who is no player yet.
    pub const fn player(&self) -> Option<&PlayerRef> {
        self.player.as_ref()
    }

    /// Lets this player act here.
    pub fn sit(&mut self, player: Option<PlayerRef>) {
        self.player = player;
    }

    /// Takes the same seat with another connection, for a thread.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub fn another(&self) -> Result<Self, Error> {
        Ok(Self {
            open: Arc::clone(&self.open),
            app: Some((self.open)()?),
            player: self.player.clone(),
            user: self.user.clone(),
            last: None,
            version: None,
        })
    }

    /// Returns a game as it stands.
    ///
    /// # Errors
    /// When there is no such game, or others play it.
    pub fn game(&mut self, id: GameId) -> Result<LiveGame, Error> {
        let (player, is_shared) = (self.player.clone(), self.user.is_some());
        // In one transaction: the possible commands belong to the position.
        self.read(|Reading { db, env, .. }| LiveGame::read(db, env, id, player.as_ref(), is_shared))
    }

    /// Returns the reply of `show` about a game, but with the moves after the first `known` ones in place of
    /// the title and of the last move.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn moves_after(&mut self, known: usize, id: GameId) -> Result<Reply, Error> {
        self.read(|Reading { db, env, .. }| {
            let (stored, now) = (find::game(db, id)?, env.now());
            let view = View::present(db, &stored, &stored.game, now)?;
            Ok(View { known: Some(known), ..view }.untitled())
        })
    }

    /// Runs a command as the player who acts here; at one keyboard, one about this game as the one to move.
    /// `stop` ends a search of the engine, and `progress` shows how far it is.
    ///
    /// # Errors
    /// [`Error`] that says why it was not carried out.
    pub fn run(
        &mut self,
        game: GameId,
        command: &PlayerCommand,
        stop: &Arc<AtomicBool>,
        progress: Progress,
    ) -> Result<Reply, Error> {
        let (player, is_shared) = (self.player.clone(), self.user.is_some());
        let actor = self.read(|Reading { db, .. }| {
            let stored = find::game(db, game)?;
            let known = player.as_ref().map(|named| find::player(db, named)).transpose()?;
            let own = own(&stored, known.as_ref(), is_shared)?;
            // Two people are at the keyboard, and neither must change the other's settings unseen.
            let is_of_both = own == [true; 2] && command.concerns().game() != Some(game);
            Ok(match is_of_both {
                true => player.map_or(Actor::Host, Actor::Player),
                false => actor(&stored, own, command),
            })
        })?;
        self.last = Some(actor.clone());
        let stop = || Ok(Arc::clone(stop));
        let thinks = Thinks { stop: &stop, progress };
        let front_end = FrontEnd {
            help: line::help_at_board,
            claims: Some(CLAIM_MAILS),
            thinks: Some(thinks),
            ..FrontEnd::none()
        };
        self.session(actor, front_end, |session| {
            let is_sign_of_life = session.check_actor("see `outflank players`")?;
            let reply = command.run(session)?;
            if is_sign_of_life {
                let actor = session.actor.clone();
                // The command has succeeded even if this fails.
                let _ = session.app()?.record_sign_of_life(&actor);
            }
            Ok(reply)
        })
    }

    /// Gives the boards of a reply the player's style, and returns the zone of its times.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn styled(&mut self, reply: &mut Reply) -> Result<Zone, Error> {
        let player = self.player.clone().map(Actor::Player);
        let actor = player.or_else(|| self.last.clone()).unwrap_or(Actor::Host);
        self.session(actor, FrontEnd::none(), |session| session.styled(reply))
    }

    /// Returns the next game that waits for the player, after this one in the order of urgency; behind
    /// the last one comes the first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn next_waiting(&mut self, after: GameId) -> Result<Option<GameId>, Error> {
        let Some(player) = self.player.clone() else { return Ok(None) };
        let waiting = self.read(|Reading { db, .. }| {
            let player = find::player(db, &player)?;
            Ok(db.list(Listing::ToMove(player.id), None)?)
        })?;
        let behind = waiting.iter().position(|&game| game == after).map_or(0, |at| at + 1);
        let mut others = waiting.iter().cycle().skip(behind).take(waiting.len());
        Ok(others.find(|&&game| game != after).copied())
    }

    /// Returns whether another connection has changed the database since this was last asked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_changed(&mut self) -> Result<bool, Error> {
        let before = self.version;
        let (is_replaced, version) = self.session(Actor::Host, FrontEnd::none(), |session| {
            let app = session.app()?;
            let is_replaced = app.store.is_replaced();
            app.reopen()?;
            Ok((is_replaced, app.store.data_version()?))
        })?;
        self.version = Some(version);
        Ok(is_replaced || before != self.version)
    }

    /// Runs the job of a computer player in this game, until it is done or `stop` is set. Returns the reply
    /// with the mails that it queued, if anything was done.
    ///
    /// # Errors
    /// When the computer player fails: it is tried again later.
    pub fn think(&mut self, game: GameId, stop: &AtomicBool) -> Result<Option<Reply>, Error> {
        let is_stopped = || stop.load(Ordering::Relaxed);
        self.session(Actor::Host, FrontEnd::none(), |session| {
            let thinking = Thinking::unseen(&is_stopped);
            let done = session.app()?.do_next_job(Jobs::OfBots(game), Some(game), &thinking)?;
            Ok(done.map(|mails| Reply::default().with_mails(mails)))
        })
    }

    /// Delivers the mails of a reply, for two seconds at most; `send` delivers the rest.
    pub fn deliver(&self, reply: &mut Reply) {
        if reply.mails.is_empty() {
            return;
        }
        // The change is made, even if this fails.
        let _ = contain(|| {
            // Another connection, since this changes how long the connection waits for other processes.
            let mut app = (self.open)()?;
            app.deliver_and_report(reply, Deadline::after(MAX_DELIVERY), Reader::Nobody);
            Ok(())
        });
    }

    fn read<T>(&mut self, work: impl FnOnce(Reading) -> Result<T, Error>) -> Result<T, Error> {
        self.session(Actor::Host, FrontEnd::none(), |session| session.read(work))
    }

    /// Does the work in a session, with the connection of this seat. A replaced database is opened again.
    fn session<T>(
        &mut self,
        actor: Actor,
        front_end: FrontEnd,
        work: impl FnOnce(&mut Session) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut app = self.app.take();
        if let Some(app) = &mut app {
            app.reopen()?;
        }
        let mut open = || app.take().map_or_else(|| (self.open)(), Ok);
        let mut session = Session::new(actor, front_end, &mut open);
        let done = work(&mut session);
        self.app = session.into_app().or(app);
        done
    }
}
