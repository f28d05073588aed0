use clap::Args;

use crate::app::access::sign_up::sign_up;
use crate::app::commands::play::begin::{Beginning, begin};
use crate::app::commands::play::options::{GameOptions, check_suitable};
use crate::app::run::session::Writing;
use crate::app::views::game::View;
use crate::app::views::reply::Drawing;
use crate::app::{Env, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::{Address, Name, PlayerRef, SideRef};
use crate::config;
use crate::store::Tx;
use outflank_model::bot::LEVELS;
use outflank_model::render::rulebook;
use outflank_model::time_control::TimeControl;
use outflank_model::{Agreement, Player, Side, StoredGame};
use outflank_rules::Color;

/// Start a game and notify both players
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
An unknown address signs a new player up.

Example: outflank new othello alice bob@example.org --size 10x10")]
pub struct New {
    #[arg(help = rulebook::variants())]
    variant: String,
    /// The player who moves first: a name, an address, or a computer player, such as bot:novice
    black: SideRef,
    /// The player who moves second
    white: SideRef,
    #[command(flatten)]
    options: GameOptions,
    /// Count the result for the players' ratings
    #[arg(long, conflicts_with_all = ["from", "position", "moves"])]
    rated: bool,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for New {
    const TRAITS: Traits = Traits::new("new", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let variant = find::variant(&self.variant)?;
        let beginning = self.options.beginning(session, variant, self.rated)?;
        session.write_or_create(|writing| {
            let Writing { tx, env, .. } = *writing;
            let mut signed_up = Vec::new();
            let black = side(env, tx, &self.black, &mut signed_up)?;
            let white = side(env, tx, &self.white, &mut signed_up)?;
            for bot in [&black, &white].into_iter().filter_map(Side::bot) {
                check_suitable(env, bot, &beginning.game)?;
            }
            check_players(&beginning, &black, &white)?;
            let stored = begin(writing, beginning, [&black, &white])?;
            let view = View::present(tx, &stored, &stored.game, env.now())?;
            let is_clubs = env.check_club(tx).is_ok();
            let next = signed_up.into_iter().chain(next_steps(&stored, env, is_clubs));
            let next = next.collect::<Vec<_>>().join("\n");
            let reply = view.reply(false).drawn(self.drawing);
            Ok(if next.is_empty() { reply } else { reply.text(next) })
        })
    }
}

/// Refuses players who cannot play each other, or not on these terms.
fn check_players(beginning: &Beginning, black: &Side, white: &Side) -> Result<(), Error> {
    let Agreement { terms, rated, .. } = beginning.agreement;
    let has_no_address = |side: &&Side| side.person().is_some_and(|it| it.address.is_none());
    let (message, hint) = if black.id().is_some() && black.id() == white.id() {
        (format!("{} cannot play both black and white", black.name()), "name two players")
    } else if terms.control != TimeControl::None && black.id().or(white.id()).is_none() {
        ("a clock is for people, and computer players have none".to_owned(), "leave out --clock")
    } else if rated && black.id().and(white.id()).is_none() {
        ("only games between two people can be rated".to_owned(), "leave out --rated")
    } else if let Some(side) = [black, white].into_iter().find(has_no_address).filter(|_| rated) {
        let name = side.name();
        (format!("{name} has no address, so the game cannot be rated"), "leave out --rated")
    } else {
        return Ok(());
    };
    Err(Error::refused(message).with_hint(hint))
}

/// Suggests the host's next steps, in lines. With the configuration of another club, no mail is delivered.
fn next_steps(stored: &StoredGame, env: &Env, is_clubs: bool) -> Vec<String> {
    let StoredGame { id, game, .. } = stored;
    let turn = game.turn().filter(|&turn| stored.player(turn).is_some());
    let first = turn.and(game.legal().first().copied()).map(|first| {
        let label = game.lattice().move_label(first);
        format!("To move: outflank move {id} {label}")
    });
    let has_mail = Color::BOTH.into_iter().any(|color| stored.player(color).is_some());
    let maildir = (has_mail && is_clubs && env.config.transport.is_none()).then(|| {
        let maildir = config::maildir_beside(&env.database);
        format!("Mail goes to {}", config::display_path(&maildir))
    });
    first.into_iter().chain(maildir).collect()
}

/// Returns the person or computer player with this name or address.
fn side(env: &Env, tx: &Tx, named: &SideRef, signed_up: &mut Vec<String>) -> Result<Side, Error> {
    match named {
        SideRef::Person(person) => player(env, tx, person, signed_up).map(Side::from),
        SideRef::Bot(bot) => {
            find::known_program(env, bot)?;
            Ok(bot.clone().into())
        }
    }
}

/// Returns the player with this name or address. An unknown address signs a new player up, and adds a
/// sentence about that to `signed_up`.
fn player(
    env: &Env,
    tx: &Tx,
    named: &PlayerRef,
    signed_up: &mut Vec<String>,
) -> Result<Player, Error> {
    let PlayerRef::Address(text) = named else {
        return find::player(tx, named).map_err(|error| {
            if named.as_str().to_ascii_lowercase().starts_with("bot") {
                return error.with_hint(format!("for a computer player, use {LEVELS}"));
            }
            let hint = error.hint().unwrap_or_default();
            let or = if hint.ends_with('?') { " Or" } else { ", or" };
            let hint = format!("{hint}{or} give an address to sign a new player up");
            error.with_hint(hint)
        });
    };
    if let Some(known) = tx.player_at(text)? {
        return Ok(known);
    }
    let address: Address = text.parse()?;
    let name = Name::from_local_part(address.local_part(), |name| {
        tx.player_named(name.as_str()).map(|known| known.is_some())
    })?;
    let player = sign_up(env, tx, &name, Some(&address))?;
    signed_up.push(format!("Signed up {name} for {address}."));
    signed_up.extend(why_not_local_part(&name, address.local_part()));
    Ok(player)
}

/// Returns a sentence that says why a new player's name is not the local part of the address; `None` if
/// it is.
fn why_not_local_part(name: &Name, local_part: &str) -> Option<String> {
    let why = match local_part.parse::<Name>() {
        Ok(own) if own == *name => return None,
        Ok(taken) => format!("{taken} is taken"),
        Err(bad) => bad.reason(),
    };
    Some(format!("{why}, so the name is {name}."))
}
