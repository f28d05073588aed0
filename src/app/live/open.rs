//! Opens a game for `play`: an existing one, or a new one.

use clap::{Args, FromArgMatches};

use crate::app::access::sign_up::sign_up;
use crate::app::commands::play::begin::{Beginning, begin};
use crate::app::commands::play::options::{StartOptions, check_suitable};
use crate::app::line;
use crate::app::live::board::own;
use crate::app::run::session::{Reading, Writing};
use crate::app::{Env, Error, Reply, Session, find};
use crate::command::{COMPUTER, Name, PlayerRef, names_bot};
use crate::store::{Db, Listing, Tx};
use outflank_model::bot::{self, Bot, named_levels};
use outflank_model::log::{Game, GameId};
use outflank_model::{Agreement, Player, PlayerId, Side, StoredGame};
use outflank_rules::{Color, Variant, quoted};

/// Play at a board in the terminal: against the computer, a game of yours, or with two at one keyboard
#[derive(Debug, Clone, Default, Args)]
#[command(after_help = "\
Without arguments, it continues the newest open game that it began against a
computer player, or begins one. `play mini`, `play novice` and `play mini
novice` name a variant, a computer player, or both. With a computer player or
options, it continues the newest such game against that player with the same
rules, or begins one; with a start position or moves it always begins one.
Nobody is mailed about these games, which have no clock and are not rated.

Without --as, you play as the player whom you were last; at first, a new player
without mail is signed up for you.

Example: outflank play bot:6 --variant oddthello --white")]
pub struct Play {
    /// A game, a variant, a computer player such as novice, or two people, Black first
    #[arg(value_name = "GAME|VARIANT|bot:NAME|NAME NAME", num_args = 0..=2)]
    pub(crate) what: Vec<String>,
    /// The variant of a new game [default: othello]
    #[arg(long, value_name = "VARIANT")]
    pub(crate) variant: Option<String>,
    #[command(flatten)]
    pub(crate) start: StartOptions,
    /// Play the white discs, and let the computer begin
    #[arg(long)]
    pub(crate) white: bool,
    /// Begin a new game, even if one is open
    #[arg(long)]
    pub(crate) new: bool,
}

/// The user of the system who plays.
#[derive(Debug, Clone)]
pub struct User {
    /// The number of the user.
    pub id: u32,
    /// The name, from which that of a new player is made.
    pub name: String,
}

/// Who opens a game.
#[derive(Clone, Copy)]
pub(crate) enum Opener<'a> {
    /// The user of the system, as the player at the seat, or else as the one whom the user last played as.
    User(&'a User, Option<&'a PlayerRef>),
    /// This player; the user plays as this player from now on.
    Named(&'a PlayerRef, &'a User),
    /// This player, who comes over ssh.
    Remote(&'a PlayerRef),
}

/// A game that was opened.
pub(crate) struct Opened {
    /// The player who opened it; `None` for a user who is no player yet.
    pub player: Option<Player>,
    pub game: GameId,
}

/// The meaning of the words behind `play`.
enum Wanted {
    Game(GameId),
    Against(Bot),
    Between(PlayerRef, PlayerRef),
}

impl<'a> Opener<'a> {
    /// Returns the user who plays both sides of a game between two people where it is opened; `None` where a
    /// player is named, who plays only one.
    pub(crate) const fn shared_by(self) -> Option<&'a User> {
        match self {
            Self::User(user, _) => Some(user),
            Self::Named(..) | Self::Remote(_) => None,
        }
    }

    /// Returns the player; `None` for a user who is no player yet.
    fn player(self, db: &Db) -> Result<Option<Player>, Error> {
        let (named, hint) = match self {
            Self::User(user, None) => return Ok(db.player_of_user(user.id)?),
            Self::Named(named, _) | Self::User(_, Some(named)) => {
                (named, "leave out --as, and unset OUTFLANK_AS")
            }
            Self::Remote(named) => (named, "ask the host to sign you up"),
        };
        let player = find::player_or(db, named, hint)?;
        find::refuse_left(&player).map(|()| Some(player))
    }

    /// Stores that the user plays as this player.
    fn remember(self, tx: &Tx, player: PlayerId) -> Result<(), Error> {
        match self {
            Self::User(user, _) | Self::Named(_, user) => {
                Ok(tx.set_player_of_user(user.id, player)?)
            }
            Self::Remote(_) => Ok(()),
        }
    }

    /// Returns the player, who is signed up without an address if the user is no player yet.
    fn player_or_new(self, env: &Env, tx: &Tx) -> Result<Player, Error> {
        let player = match (self.player(tx)?, self) {
            (Some(player), _) => player,
            (None, Self::User(User { name, .. }, _)) => {
                let is_taken = |name: &Name| tx.player_named(name.as_str()).map(|it| it.is_some());
                sign_up(env, tx, &Name::from_local_part(name, is_taken)?, None)?
            }
            (None, Self::Named(..) | Self::Remote(_)) => return Err(Error::fault("no player")),
        };
        self.remember(tx, player.id).map(|()| player)
    }
}

impl Play {
    /// Parses the words behind `play` at a board.
    ///
    /// # Errors
    /// [`Error`] that says what is wrong with them.
    pub(crate) fn parse(words: &str) -> Result<Self, Error> {
        let parser = Self::augment_args(clap::Command::new("play").no_binary_name(true));
        let words = line::with_positions(&words.split_whitespace().collect::<Vec<_>>());
        let matches = parser.try_get_matches_from(words);
        matches.and_then(|matches| Self::from_arg_matches(&matches)).map_err(|error| {
            let hint = "write `play`, `play mini` or `play bot:5`";
            Error::refused(line::one_line(&error, None)).with_hint(hint)
        })
    }

    /// Opens a game: the one that the words name, or else the newest one like it that `play` has begun,
    /// or else a new one.
    pub(crate) fn open(&self, session: &mut Session, by: Opener) -> Result<Opened, Error> {
        self.spelled_out(session)?.open_spelled_out(session, by)
    }

    /// Returns the same with an option for a variant, and a computer player for a level or `computer`. A
    /// player who has such a name is meant.
    fn spelled_out(&self, session: &mut Session) -> Result<Self, Error> {
        let mut play = Self { what: Vec::new(), ..self.clone() };
        for word in &self.what {
            let lower = word.to_ascii_lowercase();
            let variant = Variant::named(word).ok();
            let bot = named_levels().find(|level| *level == lower);
            let is_of_play = variant.is_some() || bot.is_some() || lower == COMPUTER;
            let is_player = is_of_play
                && session.app()?.store.must_exist().is_ok()
                && session.read(|Reading { db, .. }| Ok(db.player_named(word)?.is_some()))?;
            match (variant, bot) {
                _ if is_player || !is_of_play => play.what.push(word.clone()),
                (Some(variant), _) if play.variant.is_none() => {
                    play.variant = Some(variant.name.to_owned());
                }
                (Some(variant), _) => {
                    let message = format!("{} is one variant too many", variant.name);
                    return Err(Error::usage(message).with_hint("name one variant"));
                }
                (None, Some(level)) => play.what.push(format!("bot:{level}")),
                (None, None) => {}
            }
        }
        Ok(play)
    }

    fn open_spelled_out(&self, session: &mut Session, by: Opener) -> Result<Opened, Error> {
        let wanted = self.wanted()?;
        if let Wanted::Game(id) = wanted {
            return self.open_game(session, by, id);
        }
        let variant = find::variant(self.variant.as_deref().unwrap_or("othello"))?;
        let beginning = local(self.start.beginning(session, variant)?);
        let mut opened = None;
        session.write_or_create(|writing| {
            opened = Some(match &wanted {
                Wanted::Between(black, white) => {
                    self.open_between(writing, by, beginning, [black, white])?
                }
                Wanted::Against(bot) => self.open_against(writing, by, beginning, bot)?,
                Wanted::Game(_) => return Err(Error::fault("the game is there")),
            });
            Ok(Reply::default())
        })?;
        opened.ok_or_else(|| Error::fault("no game was opened"))
    }

    /// Parses the words.
    fn wanted(&self) -> Result<Wanted, Error> {
        let words: Vec<_> = self.what.iter().map(String::as_str).collect();
        match words[..] {
            [] => bot::FIRST.parse().map(Wanted::Against).map_err(Error::fault),
            [word] if names_bot(word) => word.parse().map(Wanted::Against).map_err(Error::refused),
            [word] if word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.parse().map(Wanted::Game).map_err(Error::refused)
            }
            [name] => {
                let message =
                    format!("{} is not a game, a variant or a computer player", quoted(name));
                Err(Error::refused(message).with_hint(format!(
                    "to play a person, write `outflank challenge {name}`, or two names at one keyboard"
                )))
            }
            [black, white, ..] => {
                if let Some(bot) = [black, white].into_iter().find(|word| names_bot(word)) {
                    let message = "a computer player is named alone";
                    let hint = format!("`outflank play {bot} --as NAME` says who plays against it");
                    return Err(Error::usage(message).with_hint(hint));
                }
                let (Ok(black), Ok(white)) = (black.parse(), white.parse());
                Ok(Wanted::Between(black, white))
            }
        }
    }

    /// Returns whether options describe a new game.
    fn has_options(&self) -> bool {
        self.variant.is_some() || !self.start.to_string().is_empty() || self.white
    }

    fn open_game(&self, session: &mut Session, by: Opener, id: GameId) -> Result<Opened, Error> {
        if self.has_options() || self.new {
            let error = Error::usage("the options are for a new game");
            return Err(error.with_hint(format!("`outflank play {id}` opens game {id}")));
        }
        let player = session.read(|Reading { db, .. }| {
            let player = by.player(db)?;
            own(&find::game(db, id)?, player.as_ref(), by.shared_by().is_some())?;
            Ok(player)
        })?;
        if let (Opener::Named(..), Some(player)) = (by, &player) {
            session.write(|Writing { tx, .. }| {
                by.remember(tx, player.id).map(|()| Reply::default())
            })?;
        }
        Ok(Opened { player, game: id })
    }

    fn open_against(
        &self,
        writing: &mut Writing,
        by: Opener,
        beginning: Beginning,
        bot: &Bot,
    ) -> Result<Opened, Error> {
        let Writing { tx, env, .. } = *writing;
        let player = by.player_or_new(env, tx)?;
        let is_any = self.what.is_empty() && !self.has_options();
        let known = self.continued(tx, &beginning, player.id, |stored| {
            let bots: Vec<_> = stored.sides().into_iter().filter_map(Side::bot).collect();
            let has_seat = !self.white || stored.color_of(player.id) == Some(Color::White);
            has_seat && if is_any { !bots.is_empty() } else { bots == [bot] }
        })?;
        let game = match known {
            Some(game) => game,
            None => {
                find::known_program(env, bot)?;
                check_suitable(env, bot, &beginning.game)?;
                let (own, other) = (player.clone().into(), bot.clone().into());
                let sides = if self.white { [&other, &own] } else { [&own, &other] };
                begin(writing, beginning, sides)?.id
            }
        };
        Ok(Opened { player: Some(player), game })
    }

    fn open_between(
        &self,
        writing: &mut Writing,
        by: Opener,
        beginning: Beginning,
        people: [&PlayerRef; 2],
    ) -> Result<Opened, Error> {
        let Writing { tx, env, .. } = *writing;
        if by.shared_by().is_none() {
            let error = Error::usage("two people at one keyboard are named without --as");
            return Err(error.with_hint("leave out --as, and unset OUTFLANK_AS"));
        }
        if self.white {
            let error = Error::usage("--white is for a game against a computer player");
            return Err(error.with_hint("name the player with the black discs first"));
        }
        let [black, white] = people.map(|named| person(env, tx, named).map(Side::from));
        let (black, white) = (black?, white?);
        if black == white {
            let message = format!("{} cannot play both black and white", black.name());
            return Err(Error::refused(message).with_hint("name two players"));
        }
        let known = match black.id() {
            Some(player) => {
                self.continued(tx, &beginning, player, |stored| stored.sides() == [&black, &white])?
            }
            None => None,
        };
        let game = match known {
            Some(game) => game,
            None => begin(writing, beginning, [&black, &white])?.id,
        };
        Ok(Opened { player: by.player(tx)?, game })
    }

    /// Returns the newest open game of a player that `play` began and that is meant, unless a new one is
    /// wanted. With options, it has the same rules.
    fn continued(
        &self,
        db: &Db,
        like: &Beginning,
        player: PlayerId,
        is_meant: impl Fn(&StoredGame) -> bool,
    ) -> Result<Option<GameId>, Error> {
        if self.new || self.start.has_start() {
            return Ok(None);
        }
        let has_any_rules =
            self.what.first().is_none_or(|word| !names_bot(word)) && !self.has_options();
        let rules = like.game.start().rules();
        for id in db.open_local_games(player)? {
            if let Some(stored) = find::intact_game(db, id)?
                && (has_any_rules || stored.game.start().rules() == rules)
                && is_meant(&stored)
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}

/// Returns the beginning of a game that is played at a board.
fn local(mut beginning: Beginning) -> Beginning {
    // Without a clock, absences mean nothing.
    beginning.agreement.terms.absences = false;
    Beginning { local: true, ..beginning }
}

/// Begins this game of the opener again, against this computer player in place of the other one.
pub(crate) fn play_against(
    session: &mut Session,
    by: Opener,
    game: GameId,
    bot: &Bot,
) -> Result<Opened, Error> {
    let mut opened = None;
    session.write(|writing| {
        let stored = find::game(writing.tx, game)?;
        let player = by.player_or_new(writing.env, writing.tx)?;
        let agreement = Agreement {
            custom_start: stored.agreement.custom_start,
            opening: stored.agreement.opening,
            ..Agreement::on(find::variant(&stored.agreement.variant)?)
        };
        let game = Game::new(stored.game.start().clone());
        let bot = Side::from(bot.clone());
        let sides = stored.sides().map(|side| if side.bot().is_some() { &bot } else { side });
        let begun = begin(writing, local(Beginning { agreement, game, local: true }), sides)?;
        opened = Some(Opened { player: Some(player), game: begun.id });
        Ok(Reply::default())
    })?;
    opened.ok_or_else(|| Error::fault("no game was begun"))
}

/// Opens the most urgent game that waits for the opener, or else opens one as `play` without arguments does.
pub(crate) fn open_most_urgent(session: &mut Session, by: Opener) -> Result<Opened, Error> {
    let waiting = session.read(|Reading { db, .. }| {
        let Some(player) = by.player(db)? else { return Ok(None) };
        let first = db.list(Listing::ToMove(player.id), Some(1))?.pop();
        Ok(first.map(|game| Opened { player: Some(player), game }))
    })?;
    match waiting {
        Some(opened) => Ok(opened),
        None => Play::default().open(session, by),
    }
}

/// Returns the player with this name. An unknown name signs a new player up, without an address.
fn person(env: &Env, tx: &Tx, named: &PlayerRef) -> Result<Player, Error> {
    match named {
        PlayerRef::Name(text) if tx.player_named(text)?.is_none() => {
            let name = text.parse::<Name>().map_err(Error::refused)?;
            sign_up(env, tx, &name, None)
        }
        named => find::player_by_name(tx, named),
    }
}
