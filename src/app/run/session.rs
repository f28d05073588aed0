use crate::app::effects::outbox::Outbox;
use crate::app::{Actor, App, Env, Error, FrontEnd, Part, Reply, Rest, Zone, find};
use crate::store::{Db, InReplyTo, Listing, Tx};
use outflank_model::log::GameId;

/// One command of one actor.
pub struct Session<'a> {
    /// Who gives the command.
    pub actor: Actor,
    /// Where it is given.
    pub front_end: FrontEnd<'a>,
    database: Access<'a>,
}

/// A command's access to the database.
pub(crate) enum Access<'a> {
    /// Opened when it is first needed.
    Own { open: &'a mut dyn FnMut() -> Result<App, Error>, opened: Option<Box<App>> },
    /// A transaction with other commands: those of the same mail or of a batch.
    Shared { env: &'a Env, tx: &'a Tx<'a>, mail: Option<InReplyTo<'a>> },
    /// A transaction that only reads: a command that writes fails.
    ReadOnly { env: &'a Env, db: &'a Db<'a> },
}

/// What a command reads from.
pub(crate) struct Reading<'a> {
    pub db: &'a Db<'a>,
    pub env: &'a Env,
    pub actor: &'a Actor,
    /// The most rows of a list that the reply can hold; `None` without a limit.
    pub most: Option<u32>,
}

/// The most rows of a list that are read for a mail; fewer fit into it.
const MAX_ROWS_OF_A_MAIL: u32 = 1000;

/// What a command writes to.
pub(crate) struct Writing<'a> {
    pub tx: &'a Tx<'a>,
    pub env: &'a Env,
    pub actor: &'a Actor,
    pub outbox: Outbox<'a>,
    /// The mail that contains the command, if one does.
    pub mail: Option<InReplyTo<'a>>,
}

impl<'a> Session<'a> {
    /// Begins a session; `open` opens the application when the command needs it.
    pub const fn new(
        actor: Actor,
        front_end: FrontEnd<'a>,
        open: &'a mut dyn FnMut() -> Result<App, Error>,
    ) -> Self {
        Self { actor, front_end, database: Access::Own { open, opened: None } }
    }

    /// Begins a session with this access to the database.
    pub(crate) const fn with_access(
        actor: Actor,
        front_end: FrontEnd<'a>,
        database: Access<'a>,
    ) -> Self {
        Self { actor, front_end, database }
    }

    /// Returns the application, for a command of the host that needs more than one transaction.
    pub(crate) fn app(&mut self) -> Result<&mut App, Error> {
        let Access::Own { open, opened } = &mut self.database else {
            return Err(Error::fault("this command needs a transaction of its own"));
        };
        opened_by(open, opened)
    }

    /// Opens the application a second time, for a thread.
    pub(crate) fn another_app(&mut self) -> Result<App, Error> {
        let Access::Own { open, .. } = &mut self.database else {
            return Err(Error::fault("this command needs a database of its own"));
        };
        open()
    }

    /// Ends the session and returns the application, if the command has opened it.
    pub fn into_app(self) -> Option<App> {
        let Access::Own { opened, .. } = self.database else { return None };
        opened.map(|app| *app)
    }

    /// Reads the next part of a reply's list; `None` at its end.
    pub fn next_part(&mut self, rest: &mut dyn Rest) -> Result<Option<Part>, Error> {
        self.read(|Reading { db, .. }| rest.next(db))
    }

    /// Gives the boards of a reply the style that the actor has set. Returns the zone for its times: that
    /// of the actor, or else that of this machine.
    pub fn styled(&mut self, reply: &mut Reply) -> Result<Zone, Error> {
        let is_styled = reply.has_times_or_boards();
        let Some(named) = self.actor.player().filter(|_| is_styled).cloned() else {
            return Ok(Zone::Local);
        };
        let player = self.read(|Reading { db, .. }| find::player(db, &named))?;
        reply.style(player.preferences.style);
        Ok(match Zone::of(&player) {
            Zone::Utc => Zone::Local,
            zone => zone,
        })
    }

    /// Returns the only game that waits for the actor, or for anybody if the actor is the host.
    pub fn only_waiting_game(&mut self) -> Result<Option<GameId>, Error> {
        let games = self.read(|Reading { db, actor, .. }| {
            let player = find::actor(db, actor)?;
            let listing = player.map_or(Listing::Active, |player| Listing::ToMove(player.id));
            Ok(db.list(listing, Some(2))?)
        })?;
        Ok(if let [game] = games[..] { Some(game) } else { None })
    }

    /// Makes the player act whom `play` has stored for the user of the system with this number, and returns
    /// the name; `None` if there is none, or the database cannot be read.
    pub fn act_as_player_of(&mut self, user: u32) -> Option<String> {
        let player = self.read(|Reading { db, .. }| Ok(db.player_of_user(user)?)).ok()??;
        self.actor = Actor::named(&player.name);
        Some(player.name)
    }

    /// Refuses an actor who has left, and an unknown player with this hint. Returns whether mail to the
    /// actor has failed: then the command must be recorded as a sign of life.
    pub fn check_actor(&mut self, hint: &str) -> Result<bool, Error> {
        let Some(player) = self.actor.player().cloned() else { return Ok(false) };
        self.read(|Reading { db, .. }| {
            let player = find::player_or(db, &player, hint)?;
            find::refuse_left(&player)?;
            Ok(player.has_failed())
        })
    }

    /// Reads in one transaction.
    pub(crate) fn read<T>(
        &mut self,
        work: impl FnOnce(Reading) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let actor = &self.actor;
        let most = self.front_end.is_mail.then_some(MAX_ROWS_OF_A_MAIL);
        match &mut self.database {
            Access::Own { open, opened } => {
                let app = opened_by(open, opened)?;
                app.check_database()?;
                let App { store, env, .. } = app;
                store.read(|db| work(Reading { db, env, actor, most }))
            }
            Access::Shared { env, tx, .. } => work(Reading { db: tx, env, actor, most }),
            Access::ReadOnly { env, db } => work(Reading { db, env, actor, most }),
        }
    }

    /// Writes in one transaction, unless the actor has left. The reply lists the mails that were queued.
    pub(crate) fn write(
        &mut self,
        work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        self.write_to(false, work)
    }

    /// Writes as [`Session::write`] does, but creates the database if there is none: for a command that
    /// begins a club.
    pub(crate) fn write_or_create(
        &mut self,
        work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        self.write_to(true, work)
    }

    fn write_to(
        &mut self,
        creates: bool,
        work: impl FnOnce(&mut Writing) -> Result<Reply, Error>,
    ) -> Result<Reply, Error> {
        let actor = &self.actor;
        let run = |env: &Env, tx: &Tx, mail: Option<InReplyTo>| {
            if let Some(named) = actor.player() {
                find::refuse_left(&find::player(tx, named)?)?;
            }
            let mut writing = Writing { tx, env, actor, outbox: Outbox::new(env, tx), mail };
            let reply = work(&mut writing)?;
            let Outbox { queued, bots, .. } = writing.outbox;
            Ok(reply.with_mails(queued).with_bots(bots))
        };
        match &mut self.database {
            Access::Own { open, opened } => {
                let App { store, env, .. } = opened_by(open, opened)?;
                // A new database is written as a whole, and its leases have no locks before that.
                let claims = self.front_end.claims.filter(|_| store.must_exist().is_ok());
                let run = |tx: &Tx| {
                    let mut reply = env.at_one_time(|| run(env, tx, None))?;
                    if let Some(claims) = claims {
                        reply.claim(claims, env, tx)?;
                    }
                    Ok(reply)
                };
                if creates { store.write_or_create(run) } else { store.write(run) }
            }
            Access::Shared { env, tx, mail } => env.at_one_time(|| tx.part(|| run(env, tx, *mail))),
            Access::ReadOnly { .. } => Err(Error::fault("this command writes")),
        }
    }
}

fn opened_by<'o>(
    open: &mut dyn FnMut() -> Result<App, Error>,
    opened: &'o mut Option<Box<App>>,
) -> Result<&'o mut App, Error> {
    match opened {
        Some(app) => Ok(app),
        None => Ok(opened.insert(Box::new(open()?))),
    }
}
