//! Visits of pages with the links of mails: the visitors, and all that they can see and do.

use chrono::{DateTime, TimeDelta, Utc};

use crate::app::access::link::Link;
use crate::app::access::stopping::Stoppable;
use crate::app::access::tokens::{self, Tokens};
use crate::app::commands::play::plan::stored_plan;
use crate::app::commands::settings::mute::Mute;
use crate::app::commands::settings::set::{ShownSetting, settings_of};
use crate::app::commands::time::away::Away;
use crate::app::commands::tournaments::list;
use crate::app::commands::view::{bots, games, watch::Unwatch};
use crate::app::commands::words::note::{Note, notes};
use crate::app::commands::words::say::{self, Say};
use crate::app::delivery::deliver::CLAIM_MAILS;
use crate::app::effects::bounces::record_sign_of_life;
use crate::app::effects::flags;
use crate::app::effects::mails;
use crate::app::effects::outbox::Outbox;
use crate::app::live::board::{self, LiveGame, MAX_COMMENTS};
use crate::app::run::session::Access;
use crate::app::views::comments;
use crate::app::views::game::title;
use crate::app::{
    Actor, App, Env, Error, FrontEnd, Known, Line, PlayerCommand, Reply, Session, Shown, Traits,
    Zone, access::history, find, line,
};
use crate::command::PlayerRef;
use crate::mail::token::{Claims, Purpose, Token};
use crate::store::{Absence, Challenges, Db, Listing, Tx};
use outflank_model::StoredChallenge;
use outflank_model::log::{Game, GameId};
use outflank_model::{Moment, Player, PlayerId, StoredGame};
use outflank_rules::quoted;

/// A visitor with a link, and the rights that its token gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// What the link opens.
    pub kind: Link,
    /// The player who was mailed it, by name.
    pub player: PlayerRef,
    /// The game; `None` for the page of a player. Beside [`Link::Me`], it is a game opened from that page.
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
    /// All of a kind.
    All(&'static Stoppable),
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
    /// When the opponent reads a comment that the player writes now, and one that is mailed at once.
    pub read_when: [String; 2],
    /// The comments before those of [`LiveGame::words`], as lines.
    pub earlier: Option<String>,
    /// Another game that waits for the player, and the opponent there; only for one who has opened this game
    /// from the own page.
    pub next: Option<(GameId, String)>,
}

/// What a visitor has typed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Submitted<'a> {
    /// The line of a command, such as `d3`, `resign` or `say Good game!`.
    pub line: &'a str,
    /// What the visitor says to the opponent with that command; nothing if empty.
    pub words: &'a str,
    /// Whether `say` mails its words at once.
    pub at_once: bool,
}

impl<'a> From<&'a str> for Submitted<'a> {
    fn from(line: &'a str) -> Self {
        Self { line, ..Self::default() }
    }
}

/// The contents of a player's page besides the name.
#[derive(Debug)]
pub struct Desk {
    /// The reply of `games`: those that wait for the player first, the most urgent first.
    pub games: Reply,
    /// The first of these games.
    pub boards: Vec<(GameId, Game)>,
    /// A part of the finished games, the latest first, and the key of the next part.
    pub finished: (Reply, Option<String>),
    /// The reply of `challenges`.
    pub challenges: Reply,
    /// The open challenges.
    pub open: Vec<OpenChallenge>,
    /// The list of `tournaments`, and the names of those that the player can join.
    pub tournaments: (Reply, Vec<String>),
    /// The computer players, the weakest first, each with how it plays.
    pub bots: Vec<(String, &'static str)>,
    /// The first names of other players, as `players` lists them.
    pub players: Vec<String>,
    /// The reply of `away`.
    pub absence: Reply,
    /// The token of the calendar.
    pub calendar: Option<String>,
    /// The absence that `away off` ends or cancels, as its form carries it.
    pub ended: Option<String>,
    /// The settings that can be changed there.
    pub settings: Vec<ShownSetting>,
    /// The time zone of the player.
    pub zone: Zone,
}

/// The calendar of a player.
#[derive(Debug)]
pub struct PlayerCalendar {
    /// The name of the player.
    pub name: String,
    /// The deadlines and absences.
    pub entries: Vec<CalendarEntry>,
    /// When it was read.
    pub at: DateTime<Utc>,
}

/// An entry in a calendar.
#[derive(Debug)]
pub struct CalendarEntry {
    /// What distinguishes it from all entries of all calendars. It stays the same while the turn or the absence
    /// lasts.
    pub uid: String,
    /// What happens then.
    pub summary: String,
    /// When it begins.
    pub from: DateTime<Utc>,
    /// The first moment after it; `None` for a deadline.
    pub until: Option<DateTime<Utc>>,
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
/// The most games that a page draws.
const MAX_BOARDS: u32 = 24;
/// The most names of players that a page offers.
const MAX_NAMES: u32 = 500;

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
                Link::Play => (db.moment(game, player.id)?.is_some(), is_late(db, game, now)?),
                Link::Watch => (db.is_watching(player.id, game)?, true),
                Link::Me => {
                    let made_at = claims.known.and_then(|known| i64::try_from(known).ok());
                    let age = made_at.map(|made_at| now.timestamp().saturating_sub(made_at));
                    (age.is_some_and(|age| age < DESK_VALID_FOR.num_seconds()), false)
                }
                Link::Calendar => (true, true),
            };
            let game = match kind {
                Link::Play | Link::Watch => Some(game),
                Link::Me | Link::Calendar => None,
            };
            let player = PlayerRef::Name(player.name);
            Ok(is_valid.then_some(Visit { kind, player, game, is_read_only }))
        })
    }

    /// Returns the visit of a game that the visitor of the own page plays; `None` for other visitors, whose
    /// tokens allow only their own game, and for other games.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn visit_of_game(&self, visit: Visit, game: GameId) -> Result<Option<Visit>, Error> {
        let now = self.env.now();
        self.store.read(|db| {
            let player = find::player(db, &visit.player)?;
            if visit.kind != Link::Me || db.moment(game, player.id)?.is_none() {
                return Ok(None);
            }
            let is_read_only = is_late(db, game, now)?;
            Ok(Some(Visit { game: Some(game), is_read_only, ..visit }))
        })
    }

    /// Returns the game as the visitor may see it, and the part that only the visitor sees. One who watches
    /// it sees no words, offers or commands.
    ///
    /// # Errors
    /// When there is no such game, or the visitor may not see it.
    pub fn visited_game(&mut self, visit: &Visit) -> Result<(LiveGame, Aside), Error> {
        let id = visit.game.ok_or_else(|| Error::refused("this link opens no game"))?;
        let Self { store, env, .. } = self;
        if visit.kind == Link::Watch {
            return store.read(|db| {
                let zone = find::player(db, &visit.player)?.preferences.clock.zone;
                let live = LiveGame::of_onlooker(db, env, &shown(db, env, id)?, Some(zone))?;
                Ok((live, Aside::default()))
            });
        }
        // In one transaction: the possible commands belong to the position.
        store.read(|db| {
            let (stored, player) = (find::game(db, id)?, find::player(db, &visit.player)?);
            let flagged = flags::after_flag(db, env, &stored)?;
            let after_flag = flagged.as_ref().unwrap_or(&stored);
            let own = own(after_flag, &player)?;
            let zone = Some(player.preferences.clock.zone);
            let mut live = LiveGame::of_player(db, env, after_flag, own, zone)?;
            if !visit.is_read_only {
                let is_here = |traits: &Traits| traits.on_page.is_some();
                live.find_possible(db, env, [&stored, after_flag], is_here)?;
            }
            let own = find::color_of(db, &stored, &visit.player)?;
            let lattice = stored.game.lattice();
            let notes = notes(&stored, Some(own)).into_iter().map(str::to_owned).collect();
            let plan = stored_plan(db, &stored, own)?.map(|plan| plan.label(lattice));
            let is_over = stored.game.outcome().is_some();
            let read_when =
                [false, true].map(|at_once| say::answer(&stored, own, at_once, is_over));
            let said = comments::readable(db, &Actor::named(&player.name), &stored)?;
            let earlier = &said[..said.len().saturating_sub(MAX_COMMENTS)];
            let earlier = comments::by_move(earlier, &stored);
            let next = match visit.kind {
                Link::Me => next(db, &player, id)?,
                Link::Play | Link::Watch | Link::Calendar => None,
            };
            Ok((live, Aside { notes, plan, read_when, earlier, next }))
        })
    }

    /// Returns the game as the visitor may see it, without commands.
    ///
    /// # Errors
    /// As [`App::visited_game`].
    pub fn replayed_game(&mut self, visit: &Visit) -> Result<LiveGame, Error> {
        let game = visit.game.ok_or_else(|| Error::refused("this link opens no game"))?;
        self.shown_game(game, Some(&visit.player).filter(|_| visit.kind != Link::Watch))
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
            let Some(player) = player else { return LiveGame::of_onlooker(db, env, &stored, None) };
            let player = find::player(db, player)?;
            LiveGame::of_player(db, env, &stored, own(&stored, &player)?, None)
        })
    }

    /// Runs what the visitor has typed on a page that showed the game with this [history](LiveGame::history).
    /// Behind `say` and `note`, the rest of the line is words, which can have several lines. On the page of a
    /// player, `known` is the history of the challenge that the line answers, or the absence that it
    /// ends.
    ///
    /// The caller delivers the mails of the reply, and lets its computer players act.
    ///
    /// # Errors
    /// [`Kind::Stale`](crate::app::Kind::Stale) if the game has other events by now, before anything runs;
    /// otherwise [`Error`] that says why it was not carried out.
    pub fn run_for<'a>(
        &mut self,
        visit: &Visit,
        typed: impl Into<Submitted<'a>>,
        known: &str,
    ) -> Result<Reply, Error> {
        let typed = typed.into();
        let Some(game) = visit.game else {
            if visit.is_read_only {
                return Err(Error::refused("nothing can be done on this page"));
            }
            return self.run_as(&visit.player, |env, db, player| {
                let command = own_command(typed.line)?;
                if let PlayerCommand::Away(away) = &command
                    && away.is_end()
                    && Away::ended(db, player, env.now())?.is_some_and(|ended| ended != known)
                {
                    let message = "your absence is not the one that this page showed";
                    return Err(Error::stale(message).with_hint(SHOWN_NOW));
                }
                if let Some(id) = command.concerns().game()
                    && history::of_challenge(db, id)?.is_some_and(|now| now != known)
                {
                    let message = format!("challenge {id} is not the one that this page showed");
                    return Err(Error::stale(message).with_hint(SHOWN_NOW));
                }
                Ok(vec![command])
            });
        };
        if visit.kind == Link::Watch {
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
            let at = Moment { events: db.position_event(game)?, ..now };
            let command = game_command(typed, at)?;
            // The words come first, so that the mail about the command brings them.
            let said = Some(typed.words).filter(|words| !words.trim().is_empty());
            let said =
                said.map(|words| PlayerCommand::Say(Say::new(game, words.to_owned(), false)));
            Ok(said.into_iter().chain([command]).collect())
        })
    }

    /// Runs the commands that `parse` returns as this player, all in one transaction, all or none.
    fn run_as(
        &mut self,
        player: &PlayerRef,
        parse: impl FnOnce(&Env, &Db, &Player) -> Result<Vec<PlayerCommand>, Error>,
    ) -> Result<Reply, Error> {
        self.run_as_and(player, parse, |_, _| Ok(()))
    }

    /// Runs commands like [`App::run_as`], and does something else in their transaction.
    fn run_as_and(
        &mut self,
        player: &PlayerRef,
        parse: impl FnOnce(&Env, &Db, &Player) -> Result<Vec<PlayerCommand>, Error>,
        and: impl FnOnce(&mut Outbox, &Player) -> Result<(), Error>,
    ) -> Result<Reply, Error> {
        let Self { store, env, .. } = self;
        let work = |tx: &Tx| {
            let mut player = find::player(tx, player)?;
            find::refuse_left(&player)?;
            let commands = match parse(env, tx, &player) {
                Err(error) if !error.is_fault() => return Ok(Err(error)),
                parsed => parsed?,
            };
            let run = |before: Reply, command: &PlayerCommand| {
                let access = Access::Shared { env, tx, mail: None };
                let reply: Result<_, Error> = command.run(&mut session_of(&player, access));
                Ok(reply?.with_mails(before.mails))
            };
            let done: Result<Reply, Error> = match &commands[..] {
                [command] => run(Reply::default(), command),
                commands => tx.part(|| commands.iter().try_fold(Reply::default(), run)),
            };
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

    /// Returns the calendar of the visitor.
    ///
    /// # Errors
    /// When the link opens no calendar, or the database cannot be read.
    pub fn calendar(&mut self, visit: &Visit) -> Result<PlayerCalendar, Error> {
        if visit.kind != Link::Calendar {
            return Err(Error::refused("this link opens no calendar"));
        }
        let Self { store, env, .. } = self;
        store.read(|db| {
            let (player, at) = (find::player(db, &visit.player)?, env.now());
            let domain = env.config.mail.from.email.domain();
            let mut entries = Vec::new();
            for game in db.games(Listing::ToMove(player.id), None)? {
                let Some(from) = game.deadline else { continue };
                let (id, opponent) = (game.id, game.opponent_of(&player.name));
                let uid = format!("game-{id}-move-{}@{domain}", game.ply + 1);
                let summary =
                    format!("{} #{id}: your move against {opponent} is due", title(&game));
                entries.push(CalendarEntry { uid, summary, from, until: None });
            }
            for Absence { from, until } in db.absences(player.id, at)? {
                let uid = format!("absence-{}-{}@{domain}", player.name, from.timestamp());
                let summary = "Away: your clocks stand still".to_owned();
                entries.push(CalendarEntry { uid, summary, from, until: Some(until) });
            }
            Ok(PlayerCalendar { name: player.name, entries, at })
        })
    }

    /// Returns the contents of a player's page, with the finished games behind this key.
    ///
    /// # Errors
    /// When the visit is not one of such a page, or the finished games have no such part.
    pub fn desk(&mut self, visit: &Visit, key: Option<&str>) -> Result<Desk, Error> {
        if visit.kind != Link::Me || visit.game.is_some() {
            return Err(Error::refused("this link opens no such page"));
        }
        let Self { store, env, .. } = self;
        store.read(|db| {
            let player = find::player(db, &visit.player)?;
            let (id, now) = (player.id, env.now());
            let mut active = db.list(Listing::ToMove(id), Some(MAX_BOARDS))?;
            active.extend(db.list(Listing::ToWait(id), Some(MAX_BOARDS))?);
            active.truncate(MAX_BOARDS as usize);
            let board = |game| Ok((game, shown(db, env, game)?.game));
            let after = now - StoredChallenge::OPEN_FOR;
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
            let read = |line| read_as(env, db, &player, line);
            let players = db.results(None, Some(MAX_NAMES))?.into_iter().map(|it| it.name);
            let tournaments = list::listed(db)?;
            Ok(Desk {
                games: read("games")?,
                boards: active.into_iter().map(board).collect::<Result<_, Error>>()?,
                finished: games::finished_part(db, now, &player, key)?,
                challenges: read("challenges")?,
                open,
                tournaments: (
                    list::reply(&tournaments),
                    list::joinable(db, &tournaments, &player)?,
                ),
                bots: bots::known(env),
                players: players.filter(|name| *name != player.name).collect(),
                absence: read("away")?,
                calendar: Tokens::of(db, Some(id))?.for_calendar()?.map(|it| it.to_string()),
                ended: Away::ended(db, &player, now)?,
                settings: ShownSetting::of(&player),
                zone: Zone::of(&player),
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
            let (mails, is_done) = match claims.purpose {
                Purpose::Unsubscribe if db.moment(game, player.id)?.is_none() => {
                    (StoppedMails::Watched(game), !db.is_watching(player.id, game)?)
                }
                Purpose::Unsubscribe => {
                    (StoppedMails::Turns(game), !db.is_subscribed(player.id, game)?)
                }
                _ => match Stoppable::of_token(&claims) {
                    Some(all) => (StoppedMails::All(all), all.is_stopped(&settings_of(&player))),
                    None => return Ok(None),
                },
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
        let command = match mails {
            StoppedMails::Turns(game) => PlayerCommand::Mute(Mute { game }),
            StoppedMails::Watched(game) => PlayerCommand::Unwatch(Unwatch { game }),
            StoppedMails::All(all) => parsed(&all.command(), None)?,
        };
        self.run_as_and(
            &from.player,
            |_, _, _| Ok(vec![command]),
            |outbox, player| match mails {
                StoppedMails::All(all) if !is_done => {
                    let (name, back) = (all.name, all.command_back());
                    let text =
                        format!("You get no more {name}. To get them again, write `{back}`.");
                    mails::notice(outbox, player, None, &text)
                }
                _ => Ok(()),
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

/// Returns whether a game has ended so long ago that its page only shows it.
fn is_late(db: &Db, game: GameId, now: DateTime<Utc>) -> Result<bool, Error> {
    Ok(db.ended_at(game)?.is_some_and(|ended_at| now >= ended_at + CHANGEABLE_FOR))
}

/// Returns the most urgent game that waits for a player besides this one, and the opponent there.
fn next(db: &Db, player: &Player, besides: GameId) -> Result<Option<(GameId, String)>, Error> {
    let waiting = db.list(Listing::ToMove(player.id), Some(2))?;
    let next = db.summaries(waiting.into_iter().find(|game| *game != besides))?.pop();
    Ok(next.map(|game| (game.id, game.opponent_of(&player.name).clone())))
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
fn game_command(typed: Submitted, at: Moment) -> Result<PlayerCommand, Error> {
    use PlayerCommand as C;
    let line = typed.line.trim_start();
    let (word, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word {
        // Without a text, these show no more than the page.
        "note" | "plan" if words.trim().is_empty() => {
            return Err(
                Error::refused(format!("nothing stands behind {word}")).with_hint("write it first")
            );
        }
        // The words of a person are no arguments.
        "say" => return Ok(C::Say(Say::new(at.game, words.to_owned(), typed.at_once))),
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
