//! A game as a board shows it that stays open.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};

use crate::app::effects::change::{Asked, Change};
use crate::app::effects::flags;
use crate::app::views::comments;
use crate::app::views::game::View;
use crate::app::views::game::names;
use crate::app::{Actor, Env, Error, Line, Place, PlayerCommand, Traits, access::history, find};
use crate::command::PlayerRef;
use crate::store::{Db, Listing};
use outflank_engine::Level;
use outflank_model::bot::Bot;
use outflank_model::log::{Game, GameId};
use outflank_model::render::news;
use outflank_model::render::words::{self, Names};
use outflank_model::time_control::TimeZone;
use outflank_model::{Moment, Player, StoredGame};
use outflank_rules::Color;

/// A game as it stands, for one reader.
#[derive(Debug, Clone)]
pub struct LiveGame {
    /// Its number.
    pub id: GameId,
    /// Its variant and size: `Othello 10x10 misère`.
    pub title: String,
    /// The game.
    pub game: Game,
    /// The names of the players, Black first.
    pub names: [String; 2],
    /// Whether the reader plays Black, and White: both at one keyboard, neither where others play.
    pub own: [bool; 2],
    /// Whether Black, and White, is a computer player.
    pub bots: [bool; 2],
    /// Whether there is a block of it that a club has signed.
    pub is_signed: bool,
    /// Lines about clocks, absences and pauses.
    pub time: Vec<String>,
    /// When the time of the player to move is over; `None` if no clock runs.
    pub deadline: Option<DateTime<Utc>>,
    /// What was said lately, the latest last, as lines.
    pub words: Vec<String>,
    /// The open offer in a sentence.
    pub offer: Option<String>,
    /// The colour of who made the open offer.
    pub offered_by: Option<Color>,
    /// The result in a sentence.
    pub result: Option<String>,
    /// The words of the commands that would not be refused now: `takeback`, `hint` and so on.
    pub possible: Vec<&'static str>,
    /// Whether a computer player must act now.
    pub bot_is_due: bool,
    /// How many other games wait for the reader.
    pub others_waiting: usize,
    /// A digest of its number and of all events that the reader may know of. It differs from each other history
    /// that a game with this number has had.
    pub history: String,
    /// What a line that is typed now refers to.
    pub moment: Moment,
}

/// The commands that boards and pages offer, in the order of a page. What they check depends neither on the
/// number of the game nor on the words behind it.
static OFFERED: LazyLock<Vec<PlayerCommand>> = LazyLock::new(|| {
    let is_offered =
        |it: &&&Traits| it.on_board || it.on_page.is_some_and(|it| it.place != Place::Squares);
    let mut offered: Vec<_> = PlayerCommand::ALL.iter().filter(is_offered).collect();
    offered.sort_by_key(|traits| traits.on_page.map(|it| it.place) == Some(Place::LastButtons));
    let parse = |traits: &&Traits| {
        let words = traits.words.map_or("", |_| "hello");
        match Line::parse(&format!("{} 1 {words}", traits.word), None) {
            Line::Command(command) => Some(*command),
            _ => None,
        }
    };
    offered.into_iter().filter_map(parse).collect()
});

/// The most comments that a board shows.
pub(crate) const MAX_COMMENTS: usize = 8;

impl LiveGame {
    /// Returns the names of the players.
    pub fn names(&self) -> Names<'_> {
        Names { black: &self.names[0], white: &self.names[1] }
    }

    /// Returns whether the reader plays this colour.
    pub const fn owns(&self, color: Color) -> bool {
        match color {
            Color::Black => self.own[0],
            Color::White => self.own[1],
        }
    }

    /// Returns whether the command with this word would not be refused now.
    pub fn can(&self, word: &str) -> bool {
        self.possible.contains(&word)
    }

    /// Returns the computer player that is one level stronger than the one who has played this game; `None`
    /// before the end, without such a player, and after a game against the strongest.
    pub fn stronger(&self) -> Option<Bot> {
        let bot = self.bots.iter().position(|is_bot| *is_bot);
        let name = bot.filter(|_| self.game.outcome().is_some()).map(|at| &self.names[at])?;
        let Ok(Bot::Level(level)) = name.parse() else { return None };
        Level::all().find(|other| *other > level).map(Bot::Level)
    }

    /// Reads a game for a player; with `is_shared`, one between two people at one keyboard for both.
    pub(crate) fn read(
        db: &Db,
        env: &Env,
        id: GameId,
        player: Option<&PlayerRef>,
        is_shared: bool,
    ) -> Result<Self, Error> {
        let stored = find::game(db, id)?;
        let player = player.map(|named| find::player(db, named)).transpose()?;
        let own = own(&stored, player.as_ref(), is_shared)?;
        let mut live = Self::of_player(db, env, &stored, own, None)?;
        let waiting = match &player {
            Some(player) => db.list(Listing::ToMove(player.id), None)?,
            None => Vec::new(),
        };
        live.others_waiting = waiting.into_iter().filter(|&other| other != id).count();
        let flagged = flags::after_flag(db, env, &stored)?;
        let after_flag = flagged.as_ref().unwrap_or(&stored);
        live.find_possible(db, env, [&stored, after_flag], |traits| traits.on_board)?;
        Ok(live)
    }

    /// Returns a game for one who plays these sides, without commands. On a page, times are in the zone of its
    /// reader.
    pub(crate) fn of_player(
        db: &Db,
        env: &Env,
        stored: &StoredGame,
        own: [bool; 2],
        page_in: Option<TimeZone>,
    ) -> Result<Self, Error> {
        let mut live = Self::of_onlooker(db, env, stored, page_in)?;
        let names = names(stored);
        let said = comments::readable(db, &reader(stored, own), stored)?;
        let latest = &said[said.len().saturating_sub(MAX_COMMENTS)..];
        let shown = latest.iter().map(|comment| comment.shown(names));
        live.words = shown.collect::<Vec<_>>().join("\n").lines().map(str::to_owned).collect();
        let offer = stored.game.offer();
        live.offer = offer.map(|(by, offer)| news::offered(&stored.game, by, offer, names));
        live.offered_by = offer.map(|(by, _)| by);
        live.own = own;
        live.history = history::of_page(db, stored)?;
        Ok(live)
    }

    /// Returns a game for one who does not play it: without words, offers and commands. On a page, times are in
    /// the zone of its reader.
    pub(crate) fn of_onlooker(
        db: &Db,
        env: &Env,
        stored: &StoredGame,
        page_in: Option<TimeZone>,
    ) -> Result<Self, Error> {
        let (id, now) = (stored.id, env.now());
        let view = View::present(db, stored, &stored.game, now)?;
        let view = page_in.into_iter().fold(view, View::for_reader);
        let imported = if stored.is_imported() { " This game was imported." } else { "" };
        let mut time = if stored.game.turn().is_some() { view.time_lines() } else { Vec::new() };
        time.extend(view.pause_line().map(|line| match page_in {
            // Pages have a button for the command.
            Some(_) => "Paused: the clocks stand still".to_owned(),
            None => line,
        }));
        Ok(Self {
            id,
            title: words::title(&stored.agreement.variant, stored.game.start().rules()),
            game: stored.game.clone(),
            names: stored.sides().map(|side| side.name().to_owned()),
            own: [false; 2],
            bots: stored.sides().map(|side| side.bot().is_some()),
            is_signed: !stored.is_imported() || db.signed_game(id)?.is_some(),
            time,
            deadline: view.deadline(),
            words: Vec::new(),
            offer: None,
            offered_by: None,
            result: words::result(&stored.game, view.names).map(|result| result + imported),
            possible: Vec::new(),
            bot_is_due: db.has_bot_job(id)?,
            others_waiting: 0,
            history: history::of_public_page(db, stored)?,
            moment: Moment::of_position(id, &stored.game),
        })
    }

    /// Finds those of these commands that would not be refused now, in the game as it is stored and after a
    /// flag that has fallen.
    pub(crate) fn find_possible(
        &mut self,
        db: &Db,
        env: &Env,
        [stored, after_flag]: [&StoredGame; 2],
        is_here: impl Fn(&Traits) -> bool,
    ) -> Result<(), Error> {
        let names = names(stored);
        for command in OFFERED.iter().filter(|command| is_here(command.traits())) {
            let own = color(stored, self.own, command);
            let change = Change { db, env, stored: after_flag, names, own: Some(own) };
            let has_left = stored.player(own).is_some_and(|player| player.left_at.is_some());
            match command.check(&Asked { change, stored }) {
                Err(error) if error.is_fault() => return Err(error),
                Ok(()) if !has_left => self.possible.push(command.traits().word),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns who gives a command about the game at a board where these sides are played.
pub(crate) fn actor(stored: &StoredGame, own: [bool; 2], command: &PlayerCommand) -> Actor {
    Actor::named(stored.name(color(stored, own, command)))
}

/// Returns the colour of who gives a command about the game at a board where these sides are played: at one
/// keyboard, the player to move, or the author of the last move to take it back.
fn color(stored: &StoredGame, own: [bool; 2], command: &PlayerCommand) -> Color {
    let game = &stored.game;
    let color = match (own, command) {
        ([true, false], _) => Some(Color::Black),
        ([false, true], _) => Some(Color::White),
        (_, PlayerCommand::Takeback(_)) => {
            game.plies().iter().rfind(|ply| ply.is_chosen()).map(|ply| ply.by)
        }
        _ => None,
    };
    color.or(game.turn()).unwrap_or(Color::Black)
}

/// Returns whether Black, and White, is played where a game is opened by this player; with `is_shared`,
/// both sides of a game between two people at one keyboard.
///
/// # Errors
/// When others play the game.
pub(crate) fn own(
    stored: &StoredGame,
    player: Option<&Player>,
    is_shared: bool,
) -> Result<[bool; 2], Error> {
    let [black, white] = stored.sides();
    if is_shared && stored.local && stored.sides().iter().all(|side| side.person().is_some()) {
        return Ok([true, true]);
    }
    let color = player.and_then(|player| stored.color_of(player.id));
    match color {
        Some(color) => Ok(Color::BOTH.map(|side| side == color)),
        None => {
            find::refuse_imported(stored)?;
            let (id, [black, white]) = (stored.id, [black, white].map(|side| side.name()));
            let message = match player {
                Some(player) => format!("{} does not play in game {id}", player.name),
                None => format!("you do not play in game {id} yet"),
            };
            let names = format!("{black} plays against {white}");
            Err(Error::refused(message).with_hint(match is_shared {
                true => format!("{names}: add --as NAME if you are one of them"),
                false => names,
            }))
        }
    }
}

/// Returns the reader of the comments in a game with these sides played here.
fn reader(stored: &StoredGame, own: [bool; 2]) -> Actor {
    match own {
        [true, false] => Actor::named(stored.name(Color::Black)),
        [false, true] => Actor::named(stored.name(Color::White)),
        _ => Actor::Host,
    }
}
