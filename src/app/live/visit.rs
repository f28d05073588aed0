//! Visits of pages with the links of mails: the visitors, and all that they can see and do.

use chrono::TimeDelta;

use crate::app::access::link::Link;
use crate::app::access::tokens::{self, STOP_DIGESTS, STOP_REMINDERS, Tokens};
use crate::app::commands::play::plan::stored_plan;
use crate::app::commands::settings::mute::Mute;
use crate::app::commands::settings::set::ShownSetting;
use crate::app::commands::view::watch::Unwatch;
use crate::app::commands::words::note::{Note, notes};
use crate::app::commands::words::say::{self, Say};
use crate::app::delivery::deliver::CLAIM_MAILS;
use crate::app::effects::bounces::record_sign_of_life;
use crate::app::effects::flags;
use crate::app::effects::mails;
use crate::app::effects::outbox::Outbox;
use crate::app::live::board::{self, LiveGame};
use crate::app::run::session::Access;
use crate::app::{
    Actor, App, Env, Error, FrontEnd, Known, Line, PlayerCommand, Reply, Session, Shown, Traits,
    access::history, find, line,
};
use crate::command::PlayerRef;
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Challenges, Db, Listing, Tx};
use outflank_model::StoredChallenge;
use outflank_model::log::GameId;
use outflank_model::preferences::{MailMode, Preferences, Switch};
use outflank_model::{Moment, Player, PlayerId, StoredGame};
use outflank_rules::quoted;

/// A visitor with a link, and the rights that its token gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// What the link opens.
    pub kind: Link,
    /// The player who was mailed it, by name.
    pub player: PlayerRef,
    /// The game; `None` for the page of a player.
    pub game: Option<GameId>,
    /// Whether nothing can be done there.
    pub is_read_only: bool,
}

/// The mails that a link stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoppedMails {
    /// Those about turns in a game.
    Turns(GameId),
    /// Those about a game that the player watches.
    Watched(GameId),
    /// The digests, and with them all about turns.
    Digests,
    /// The reminders.
    Reminders,
}

/// Who stops mails with a link, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsubscription {
    /// The player, by name.
    pub player: PlayerRef,
    /// Which mails.
    pub mails: StoppedMails,
    /// Whether they are stopped already.
    pub is_done: bool,
}

/// The part of a game's page that only its player sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aside {
    /// The notes, oldest first.
    pub notes: Vec<String>,
    /// The plan as it is typed; `None` without one.
    pub plan: Option<String>,
    /// When the opponent reads a comment that the player writes now.
    pub read_when: Option<String>,
}

/// The contents of a player's page besides the name.
#[derive(Debug)]
pub struct Desk {
    /// The reply of `games`: those that wait for the player first, the most urgent first.
    pub games: Reply,
    /// The reply of `challenges`.
    pub challenges: Reply,
    /// The settings that can be changed there.
    pub settings: Vec<ShownSetting>,
    /// The active games of the player with the tokens of their pages, in the same order.
    pub pages: Vec<(GameId, String)>,
    /// The open challenges.
    pub open: Vec<OpenChallenge>,
}

/// An open challenge on the page of a player.
#[derive(Debug, Clone)]
pub struct OpenChallenge {
    /// Its number.
    pub id: GameId,
    /// Its history, which forms send back.
    pub history: String,
    /// The words of the commands that answer it.
    pub answers: &'static [&'static str],
    /// Whether it is the player's own.
    pub is_own: bool,
}

/// How long a game can be changed on its page after its end.
const CHANGEABLE_FOR: TimeDelta = TimeDelta::days(30);
/// How long the link to the page of a player is valid.
const DESK_VALID_FOR: TimeDelta = TimeDelta::days(30);
const SHOWN_NOW: &str = "the page shows it as it stands now";
/// The most waiting games, and the most other games, that a page has tokens for.
const MAX_PAGES: u32 = 500;

impl App {
    /// Returns who visits with this token; `None` for a token that is not valid, of another purpose,
    /// expired or revoked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn visit(&mut self, token: &str) -> Result<Option<Visit>, Error> {
        let Ok(token) = token.parse::<Token>() else { return Ok(None) };
        let purpose = token.claims().purpose;
        let Some(kind) = Link::ALL.into_iter().find(|link| link.purpose() == purpose) else {
            return Ok(None);
        };
        let now = self.env.now();
        self.store.read(|db| {
            let Some((claims, player)) = owner(db, &token)? else { return Ok(None) };
            let game = GameId(claims.number);
            let (is_valid, is_read_only) = match kind {
                Link::Play => {
                    let ended_at = db.ended_at(game)?;
                    let is_late = ended_at.is_some_and(|ended_at| now >= ended_at + CHANGEABLE_FOR);
                    (db.moment(game, player.id)?.is_some(), is_late)
                }
                Link::Watch => (db.is_watching(player.id, game)?, true),
                Link::Me => {
                    let made_at = claims.known.and_then(|known| i64::try_from(known).ok());
                    let age = made_at.map(|made_at| now.timestamp().saturating_sub(made_at));
                    (age.is_some_and(|age| age < DESK_VALID_FOR.num_seconds()), false)
                }
            };
            let game = Some(game).filter(|_| kind != Link::Me);
            let player = PlayerRef::Name(player.name);
            Ok(is_valid.then_some(Visit { kind, player, game, is_read_only }))
        })
    }

    /// Returns the game as the visitor may see it, and the part that only the visitor sees. One who watches
    /// it sees no words, offers or commands.
    ///
    /// # Errors
    /// When there is no such game, or the visitor may not see it.
    pub fn visited_game(&mut self, visit: &Visit) -> Result<(LiveGame, Aside), Error> {
        let id = visit.game.ok_or_else(|| Error::refused("this link opens no game"))?;
        if visit.kind != Link::Play {
            return Ok((self.shown_game(id, None)?, Aside::default()));
        }
        let Self { store, env, .. } = self;
        // In one transaction: the possible commands belong to the position.
        store.read(|db| {
            let (stored, player) = (find::game(db, id)?, find::player(db, &visit.player)?);
            let flagged = flags::after_flag(db, env, &stored)?;
            let after_flag = flagged.as_ref().unwrap_or(&stored);
            let own = own(after_flag, &player)?;
            let mut live = LiveGame::of_player(db, env, after_flag, own)?;
            if !visit.is_read_only {
                let is_here = |traits: &Traits| traits.on_page.is_some();
                live.find_possible(db, env, [&stored, after_flag], is_here)?;
            }
            let own = find::color_of(db, &stored, &visit.player)?;
            let lattice = stored.game.lattice();
            let notes = notes(&stored, Some(own)).into_iter().map(str::to_owned).collect();
            let plan = stored_plan(db, &stored, own)?.map(|plan| plan.label(lattice));
            let is_over = stored.game.outcome().is_some();
            let read_when = Some(say::answer(&stored, own, false, is_over));
            Ok((live, Aside { notes, plan, read_when }))
        })
    }

    /// Returns the game as the visitor may see it, without commands.
    ///
    /// # Errors
    /// As [`App::visited_game`].
    pub fn replayed_game(&mut self, visit: &Visit) -> Result<LiveGame, Error> {
        let game = visit.game.ok_or_else(|| Error::refused("this link opens no game"))?;
        self.shown_game(game, Some(&visit.player).filter(|_| visit.kind == Link::Play))
    }

    /// Returns a game without commands: for a player of it, or as everybody may see it, without words and
    /// offers.
    ///
    /// # Errors
    /// When there is no such game.
    pub fn shown_game(
        &mut self,
        id: GameId,
        player: Option<&PlayerRef>,
    ) -> Result<LiveGame, Error> {
        self.check_database()?;
        let Self { store, env, .. } = self;
        store.read(|db| {
            let stored = shown(db, env, id)?;
            let Some(player) = player else { return LiveGame::of_onlooker(db, env, &stored) };
            let player = find::player(db, player)?;
            LiveGame::of_player(db, env, &stored, own(&stored, &player)?)
        })
    }

    /// Returns the token of the page of a game that the visitor of the own page plays; `None` for visitors of
    /// other pages: their tokens allow only their own game.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn page_token(&self, visit: &Visit, game: GameId) -> Result<Option<String>, Error> {
        if visit.kind != Link::Me {
            return Ok(None);
        }
        self.store.read(|db| {
            let player = find::player(db, &visit.player)?;
            let token = Tokens::of(db, Some(player.id))?.for_page(Link::Play, game)?;
            Ok(token.map(|token| token.to_string()))
        })
    }

    /// Runs a line of the visitor, such as `d3`, `resign` or `say Good game!`, on a page that showed the game
    /// with this [history](LiveGame::history). Behind `say` and `note`, the rest of the text is words, which
    /// can have several lines. On the page of a player, `known` is the history of the challenge that it
    /// answers.
    ///
    /// The caller delivers the mails of the reply, and lets its computer players act.
    ///
    /// # Errors
    /// [`Kind::Stale`](crate::app::Kind::Stale) if the game has other events by now, before anything runs;
    /// otherwise [`Error`] that says why it was not carried out.
    pub fn run_for(&mut self, visit: &Visit, line: &str, known: &str) -> Result<Reply, Error> {
        let Some(game) = visit.game else {
            return self.run_as(&visit.player, |_, db, _| {
                let command = own_command(line)?;
                if let Some(id) = command.concerns().game()
                    && history::of_challenge(db, id)?.is_some_and(|now| now != known)
                {
                    let message = format!("challenge {id} is not the one that this page showed");
                    return Err(Error::stale(message).with_hint(SHOWN_NOW));
                }
                Ok(command)
            });
        };
        if visit.kind != Link::Play {
            return Err(Error::refused("nothing can be done on this page"));
        }
        if visit.is_read_only {
            let days = CHANGEABLE_FOR.num_days();
            let message = format!("game {game} ended more than {days} days ago");
            return Err(Error::refused(message).with_hint("its page only shows it"));
        }
        self.run_as(&visit.player, |env, db, player| {
            let now = db.moment(game, player.id)?.ok_or_else(|| find::no_game(game))?;
            // A flag that fell since then is for the command to record.
            let (stored, shown) = (find::game(db, game)?, shown(db, env, game)?);
            if history::of_page(db, &stored)? != known && history::of_page(db, &shown)? != known {
                let message = format!("game {game} has changed since this page was shown");
                return Err(Error::stale(message).with_hint(SHOWN_NOW));
            }
            game_command(line, Moment { events: db.position_event(game)?, ..now })
        })
    }

    /// Runs the command that `parse` returns as this player, all in one transaction.
    fn run_as(
        &mut self,
        player: &PlayerRef,
        parse: impl FnOnce(&Env, &Db, &Player) -> Result<PlayerCommand, Error>,
    ) -> Result<Reply, Error> {
        self.run_as_and(player, parse, |_, _| Ok(()))
    }

    /// Runs a command like [`App::run_as`], and does something else in its transaction.
    fn run_as_and(
        &mut self,
        player: &PlayerRef,
        parse: impl FnOnce(&Env, &Db, &Player) -> Result<PlayerCommand, Error>,
        and: impl FnOnce(&mut Outbox, &Player) -> Result<(), Error>,
    ) -> Result<Reply, Error> {
        let Self { store, env, .. } = self;
        let work = |tx: &Tx| {
            let mut player = find::player(tx, player)?;
            find::refuse_left(&player)?;
            let command = match parse(env, tx, &player) {
                Err(error) if !error.is_fault() => return Ok(Err(error)),
                parsed => parsed?,
            };
            let access = Access::Shared { env, tx, mail: None };
            let done = command.run(&mut session_of(&player, access));
            match done {
                Err(error) if error.is_fault() => Err(error),
                // A flag that has fallen stays recorded.
                Err(refused) => Ok(Err(refused)),
                Ok(reply) => {
                    let mut outbox = Outbox::new(env, tx);
                    record_sign_of_life(&mut outbox, &mut player)?;
                    and(&mut outbox, &player)?;
                    let mut reply = reply.with_mails(outbox.queued);
                    reply.claim(CLAIM_MAILS, env, tx)?;
                    Ok(Ok(reply))
                }
            }
        };
        store.write(|tx| env.at_one_time(|| work(tx)))?
    }

    /// Returns the contents of a player's page.
    ///
    /// # Errors
    /// When the visit is not one of such a page.
    pub fn desk(&mut self, visit: &Visit) -> Result<Desk, Error> {
        if visit.kind != Link::Me {
            return Err(Error::refused("this link opens no such page"));
        }
        let Self { store, env, .. } = self;
        store.read(|db| {
            let player = find::player(db, &visit.player)?;
            let tokens = Tokens::of(db, Some(player.id))?;
            let mut pages = Vec::new();
            for listing in [Listing::ToMove(player.id), Listing::ToWait(player.id)] {
                for game in db.list(listing, Some(MAX_PAGES))? {
                    let token = tokens.for_page(Link::Play, game)?;
                    pages.extend(token.map(|token| (game, token.to_string())));
                }
            }
            let (id, after) = (player.id, env.now() - StoredChallenge::OPEN_FOR);
            let mut open = Vec::new();
            for (which, answers) in [
                (Challenges::To(id), &["accept", "decline"][..]),
                (Challenges::By(id), &["decline"]),
                (Challenges::ToAnyone(id), &["accept"]),
            ] {
                let is_own = matches!(which, Challenges::By(_));
                for id in db.open_challenges(which, after, None)? {
                    let history = history::of_challenge(db, id)?;
                    open.extend(history.map(|history| OpenChallenge {
                        id,
                        history,
                        answers,
                        is_own,
                    }));
                }
            }
            Ok(Desk {
                games: read_as(env, db, &player, "games")?,
                challenges: read_as(env, db, &player, "challenges")?,
                settings: ShownSetting::of(&player),
                pages,
                open,
            })
        })
    }

    /// Returns the player and the mails that this token stops; `None` for a token that is not valid, of
    /// another purpose or revoked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unsubscription(&mut self, token: &str) -> Result<Option<Unsubscription>, Error> {
        let Ok(token) = token.parse::<Token>() else { return Ok(None) };
        self.store.read(|db| {
            let Some((claims, player)) = owner(db, &token)? else { return Ok(None) };
            let game = GameId(claims.number);
            let Preferences { mail, reminders, .. } = player.preferences;
            let (mails, is_done) = match claims.purpose {
                Purpose::Unsubscribe if db.moment(game, player.id)?.is_none() => {
                    (StoppedMails::Watched(game), !db.is_watching(player.id, game)?)
                }
                Purpose::Unsubscribe => {
                    (StoppedMails::Turns(game), !db.is_subscribed(player.id, game)?)
                }
                Purpose::StopDigests => (StoppedMails::Digests, mail == MailMode::None),
                Purpose::StopReminders => (StoppedMails::Reminders, reminders == Switch::Off),
                _ => return Ok(None),
            };
            let player = PlayerRef::Name(player.name);
            Ok(Some(Unsubscription { player, mails, is_done }))
        })
    }

    /// Stops the mails. To do it again changes nothing. A mail says that no more digests or reminders come.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn unsubscribe(&mut self, from: &Unsubscription) -> Result<Reply, Error> {
        let &Unsubscription { mails, is_done, .. } = from;
        let (command, again) = match mails {
            StoppedMails::Turns(game) => (PlayerCommand::Mute(Mute { game }), None),
            StoppedMails::Watched(game) => (PlayerCommand::Unwatch(Unwatch { game }), None),
            StoppedMails::Digests => {
                (parsed(STOP_DIGESTS, None)?, Some(("digests", "set mail digest 18:00")))
            }
            StoppedMails::Reminders => {
                (parsed(STOP_REMINDERS, None)?, Some(("reminders", "set reminders on")))
            }
        };
        self.run_as_and(
            &from.player,
            |_, _, _| Ok(command),
            |outbox, player| match again.filter(|_| !is_done) {
                Some((what, again)) => {
                    let text =
                        format!("You get no more {what}. To get them again, write `{again}`.");
                    mails::notice(outbox, player, None, &text)
                }
                None => Ok(()),
            },
        )
    }
}

/// Returns a game as its page shows it: a flag that has fallen counts before it is recorded.
fn shown(db: &Db, env: &Env, game: GameId) -> Result<StoredGame, Error> {
    flags::recorded(db, env, find::game(db, game)?)
}

/// Returns which sides of a game a player plays.
fn own(stored: &StoredGame, player: &Player) -> Result<[bool; 2], Error> {
    board::own(stored, Some(player), false)
}

/// Returns the claims of a token and its owner; `None` if it is not valid, of another history, or if its
/// owner has left.
fn owner(db: &Db, token: &Token) -> Result<Option<(Claims, Player)>, Error> {
    let token = tokens::first_valid(db, [token])?.filter(|token| token.is_of_history);
    let Some(claims) = token.map(|token| token.claims) else { return Ok(None) };
    let Some(player) = claims.player.map(PlayerId) else { return Ok(None) };
    let player = db.player(player)?;
    Ok(Some((claims, player)).filter(|(_, player)| player.left_at.is_none()))
}

/// Begins a session of a player on a page.
fn session_of<'a>(player: &Player, access: Access<'a>) -> Session<'a> {
    let front_end = FrontEnd { help: line::help, ..FrontEnd::none() };
    Session::with_access(Actor::named(&player.name), front_end, access)
}

/// Returns the first part of a command's list for a player.
fn read_as(env: &Env, db: &Db, player: &Player, line: &str) -> Result<Reply, Error> {
    let command = parsed(line, None)?;
    let reply = command.run(&mut session_of(player, Access::ReadOnly { env, db }))?;
    Ok(Reply { rest: None, ..reply })
}

/// Parses a line on a page that shows a game at this moment, if it shows one.
fn parsed(line: &str, at: Option<Moment>) -> Result<PlayerCommand, Error> {
    match Line::parse(line, at) {
        Line::Command(command) => Ok(*command),
        Line::Refused(error) => Err(error),
        Line::Signup(_) | Line::Unknown | Line::Blank | Line::End => Err(not_here(line)),
    }
}

/// Returns the error for a line that a page does not accept.
fn not_here(line: &str) -> Error {
    let word = line.split_whitespace().next().unwrap_or_default();
    Error::refused(format!("{} cannot be used on this page", quoted(word)))
}

/// Parses a line on the page of a game, which was checked to show the position of this moment.
fn game_command(line: &str, at: Moment) -> Result<PlayerCommand, Error> {
    use PlayerCommand as C;
    let typed = line.trim_start();
    let (word, words) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    match word {
        // Without a text, these show no more than the page.
        "note" | "plan" if words.trim().is_empty() => {
            return Err(
                Error::refused(format!("nothing stands behind {word}")).with_hint("write it first")
            );
        }
        // The words of a person are no arguments.
        "say" => return Ok(C::Say(Say::new(at.game, words.to_owned(), false))),
        "note" => return Ok(C::Note(Note::new(at.game, words.to_owned()))),
        _ => {}
    }
    let command = parsed(line, Some(at))?;
    let is_allowed = command.traits().on_page.is_some();
    match is_allowed && command.concerns().game() == Some(at.game) {
        true => Ok(command),
        false => Err(not_here(line)),
    }
}

/// Parses a line on the page of a player. Neither leaving nor a new address is possible there: whoever has
/// the link could take the player's place.
fn own_command(line: &str) -> Result<PlayerCommand, Error> {
    let mut command = parsed(line, None)?;
    // The page lists challenges, but no offers in games.
    command.bind(Shown::Offer(Known::Challenge));
    let is_allowed = match &command {
        PlayerCommand::Set(set) => set.is_for_pages(),
        command => command.traits().on_own_page,
    };
    if is_allowed { Ok(command) } else { Err(not_here(line)) }
}
