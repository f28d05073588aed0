//! Finds the games, players and variants that a command names, or refuses the name.

use crate::app::{Actor, Env, Error, text::similar};
use crate::command::{PlayerRef, SideRef, names_bot};
use crate::store::{Db, Error as StoreError, Listing};
use outflank_engine::Level;
use outflank_model::bot::Bot;
use outflank_model::log::GameId;
use outflank_model::mail::MailContent;
use outflank_model::tournament::Tournament;
use outflank_model::words::joined;
use outflank_model::{ChallengeState, Challenged, Player, PlayerId, StoredChallenge, StoredGame};
use outflank_rules::{Color, VARIANTS, Variant, quoted, shortened};

/// The most names before, and after, an unknown name in the alphabet that are compared with it.
const MAX_NEAR_NAMES: u32 = 200;

/// Returns the variant with this name, or refuses the name.
pub(crate) fn variant(name: &str) -> Result<&'static Variant, Error> {
    Variant::named(name).map_err(|unknown| {
        let names: Vec<_> = VARIANTS.iter().flat_map(Variant::names).collect();
        let hint = match similar::most_similar(name, &names) {
            Some(name) => format!("did you mean {name}?"),
            None => format!("the variants are {}", joined(&names, "and")),
        };
        Error::refused(unknown).with_hint(hint)
    })
}

/// Returns the player with this name, or refuses an address.
pub(crate) fn player_by_name(db: &Db, named: &PlayerRef) -> Result<Player, Error> {
    refuse_address(named)?;
    player(db, named)
}

/// Refuses an address, known or not, where a player is named by name.
pub(crate) fn refuse_address(named: &PlayerRef) -> Result<(), Error> {
    match named {
        PlayerRef::Name(_) => Ok(()),
        PlayerRef::Address(_) => {
            let error = Error::refused("a player is named by name here, not by address");
            Err(error.with_hint("see `outflank players`"))
        }
    }
}

/// Returns the tournament with this name.
pub(crate) fn tournament(db: &Db, name: &str) -> Result<Tournament, Error> {
    db.tournament_named(name)?.ok_or_else(|| {
        let error = Error::refused(format!("there is no tournament {}", quoted(name)));
        error.with_hint("see `outflank tournaments`")
    })
}

/// Returns the game with this number.
pub(crate) fn game(db: &Db, id: GameId) -> Result<StoredGame, Error> {
    match db.game(id)? {
        Some(game) => Ok(game),
        None => Err(match db.challenge(id)? {
            Some(challenge) => no_game_yet(&challenge),
            None => no_game(id),
        }),
    }
}

/// Returns the error for a number that neither a game nor a challenge has.
pub(crate) fn no_game(id: GameId) -> Error {
    Error::refused(format!("there is no game {id}")).with_hint("see `outflank games --all`")
}

/// Returns the challenge that a mail is about.
pub(crate) fn challenge_of(db: &Db, content: &MailContent) -> Result<StoredChallenge, Error> {
    let id = content.challenge.ok_or_else(|| Error::fault("a mail without its challenge"))?;
    db.challenge(id)?.ok_or_else(|| no_game(id))
}

/// Returns the error for a challenge without a game yet.
pub(crate) fn no_game_yet(challenge: &StoredChallenge) -> Error {
    let id = challenge.id;
    let end = match challenge.state {
        ChallengeState::Open => {
            let message = format!("challenge {id} waits for {}", challenged(&challenge.to));
            return Error::refused(message).with_hint(format!("see `outflank show {id}`"));
        }
        ChallengeState::Accepted => format!("game {id} has begun"),
        ChallengeState::Declined => format!("{} declined it", challenged(&challenge.to)),
        ChallengeState::Withdrawn => format!("{} withdrew it", challenge.challenger.name),
        ChallengeState::Expired => "nobody accepted it in time".to_owned(),
    };
    let error = Error::refused(format!("challenge {id} is over: {end}"));
    error.with_hint(match challenge.state {
        ChallengeState::Accepted => format!("see `outflank show {id}`"),
        _ => "see `outflank challenges`".to_owned(),
    })
}

/// Returns the name of who is challenged, or `anyone`.
pub(crate) fn challenged(to: &Challenged) -> String {
    match to {
        Challenged::Player(player) => player.name.clone(),
        Challenged::Anyone => "anyone".to_owned(),
        Challenged::Bot(bot) => bot.to_string(),
    }
}

/// Returns the game with this number; `None` if there is none, or if its log is damaged. Its commands
/// report the damage, which must not stop the work on other games.
pub(crate) fn intact_game(db: &Db, id: GameId) -> Result<Option<StoredGame>, Error> {
    Ok(intact(db.game(id))?.flatten())
}

/// Returns what was read of a game or a tournament; `None` if it is damaged, which must not stop the work on
/// others.
pub(crate) fn intact<T>(read: Result<T, StoreError>) -> Result<Option<T>, Error> {
    match read {
        Err(error) if error.is_of_one() => Ok(None),
        other => Ok(other.map(Some)?),
    }
}

/// Returns the active games of a player: those that wait for the player first.
pub(crate) fn active_games(db: &Db, player: PlayerId) -> Result<Vec<GameId>, Error> {
    let mut games = db.list(Listing::ToMove(player), None)?;
    games.extend(db.list(Listing::ToWait(player), None)?);
    Ok(games)
}

/// Returns the error for a move that a game does not have.
pub(crate) fn no_such_ply(stored: &StoredGame, ply: usize) -> Error {
    let (id, made) = (stored.id, stored.game.plies().len());
    let message = match made {
        0 => format!("game {id} has no moves"),
        _ => format!("game {id} has no move #{ply}; its last one is #{made}"),
    };
    Error::refused(message).with_hint(format!("see `outflank history {id}`"))
}

/// Returns the player with this name or address.
pub(crate) fn player(db: &Db, named: &PlayerRef) -> Result<Player, Error> {
    player_or(db, named, "see `outflank players`")
}

/// Returns the player with this name or address. `hint` is used if no name is similar.
pub(crate) fn player_or(db: &Db, named: &PlayerRef, hint: &str) -> Result<Player, Error> {
    let found = match named {
        PlayerRef::Name(name) if names_bot(name) => {
            let message = format!("{} is a computer player, not a person", shortened(name));
            return Err(Error::refused(message).with_hint("see `outflank players`"));
        }
        PlayerRef::Name(name) => db.player_named(name)?,
        PlayerRef::Address(address) => db.player_at(address)?,
    };
    match found {
        Some(player) => Ok(player),
        None => {
            let names = db.names_near(named.as_str(), MAX_NEAR_NAMES)?;
            let hint = match similar::most_similar(named.as_str(), names) {
                Some(name) => format!("did you mean {name}?"),
                None => hint.to_owned(),
            };
            Err(Error::refused(format!("there is no player {}", quoted(named.as_str())))
                .with_hint(hint))
        }
    }
}

/// Refuses a player who has left.
pub(crate) fn refuse_left(player: &Player) -> Result<(), Error> {
    match player.left_at {
        Some(_) => {
            let error = Error::refused(format!("{} has left", player.name));
            Err(error.with_hint("see `outflank players`"))
        }
        None => Ok(()),
    }
}

/// Refuses a player who gets no mail.
pub(crate) fn refuse_without_address(player: &Player, hint: &str) -> Result<(), Error> {
    match player.address {
        Some(_) => Ok(()),
        None => {
            let error = Error::refused(format!("{} has no address for mails", player.name));
            Err(error.with_hint(hint))
        }
    }
}

/// Refuses a local game, since nobody is mailed about it.
pub(crate) fn refuse_local(stored: &StoredGame) -> Result<(), Error> {
    if !stored.local {
        return Ok(());
    }
    let id = stored.id;
    let message = format!("nobody is mailed about game {id}, which `play` began");
    Err(Error::refused(message).with_hint(format!("see `outflank show {id}`")))
}

/// Refuses an imported game, since no player of the club has played it.
pub(crate) fn refuse_imported(stored: &StoredGame) -> Result<(), Error> {
    if !stored.is_imported() {
        return Ok(());
    }
    let id = stored.id;
    let message = format!("game {id} was imported: it was played elsewhere and counts for nobody");
    Err(Error::refused(message).with_hint(format!("see `outflank show {id}`")))
}

/// Returns the actor's colour in the game; `None` for the host, who acts for the player to move.
pub(crate) fn own_color(db: &Db, game: &StoredGame, actor: &Actor) -> Result<Option<Color>, Error> {
    actor.player().map(|named| color_of(db, game, named)).transpose()
}

/// Returns the colour of the player who acts in a game.
pub(crate) fn acting_color(db: &Db, game: &StoredGame, actor: &Actor) -> Result<Color, Error> {
    own_color(db, game, actor)?.ok_or_else(no_player)
}

/// Returns the colour of this player in a game.
pub(crate) fn color_of(db: &Db, game: &StoredGame, named: &PlayerRef) -> Result<Color, Error> {
    let player = player(db, named)?;
    refuse_imported(game)?;
    game.color_of(player.id).ok_or_else(|| does_not_play(&player.name, game.id))
}

fn does_not_play(name: &str, id: GameId) -> Error {
    let error = Error::refused(format!("{name} does not play in game {id}"));
    error.with_hint(format!("see `outflank show {id}`"))
}

/// Returns the colour of this person or computer player in a game.
pub(crate) fn color_of_side(db: &Db, game: &StoredGame, named: &SideRef) -> Result<Color, Error> {
    let bot = match named {
        SideRef::Person(player) => return color_of(db, game, player),
        SideRef::Bot(bot) => bot,
    };
    let plays = |color: &Color| game.side(*color).bot() == Some(bot);
    let colors: Vec<_> = Color::BOTH.into_iter().filter(plays).collect();
    match colors[..] {
        [color] => Ok(color),
        [] => Err(does_not_play(&bot.to_string(), game.id)),
        _ => {
            let error = Error::refused(format!("{bot} plays both sides of game {}", game.id));
            Err(error.with_hint(format!("see `outflank show {}`", game.id)))
        }
    }
}

/// Refuses an external program that the configuration does not name.
pub(crate) fn known_program(env: &Env, bot: &Bot) -> Result<(), Error> {
    match bot {
        Bot::Program(name) if !env.config.bots.contains_key(name.as_str()) => {
            let error = Error::refused(format!("there is no computer player {bot}"));
            let levels = Level::all().map(|level| level.to_string());
            Err(error.with_hint(match similar::most_similar(name, levels) {
                Some(level) => format!("did you mean bot:{level}? See `outflank bots`"),
                None => "see `outflank bots`".to_owned(),
            }))
        }
        _ => Ok(()),
    }
}

/// Refuses the host where a player must act. `purpose` completes "to say ...".
pub(crate) fn check_actor(actor: &Actor, command: &str, purpose: &str) -> Result<(), Error> {
    match actor {
        Actor::Host => Err(Error::usage(format!("`{command}` needs --as NAME, to say {purpose}"))),
        Actor::Player(_) => Ok(()),
    }
}

/// Returns the player who acts; `None` for the host.
pub(crate) fn actor(db: &Db, actor: &Actor) -> Result<Option<Player>, Error> {
    actor.player().map(|named| player(db, named)).transpose()
}

/// Returns the refusal of a command that needs a player and has none. Most traits refuse it earlier.
pub(crate) fn no_player() -> Error {
    Error::usage("a player must do this")
}

/// Returns the player who acts.
///
/// # Errors
/// When the host acts.
pub(crate) fn acting(db: &Db, actor: &Actor) -> Result<Player, Error> {
    self::actor(db, actor)?.ok_or_else(no_player)
}
