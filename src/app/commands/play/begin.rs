//! Begins games: those that the host starts, and rematches.

use crate::app::effects::clocks::log_start;
use crate::app::session::Writing;
use crate::app::{Error, effects, find};
use crate::log::Game;
use crate::store::{NewGame, Side, StoredGame};
use crate::time_control::{Clocks, Terms};
use outflank_rules::{Position, Variant};

/// What a game begins with, besides its players.
pub(crate) struct Beginning {
    /// Its variant.
    pub(crate) variant: &'static Variant,
    /// The game, with the moves that are made already.
    pub(crate) game: Game,
    /// Whether it begins in a position other than the one of the rules.
    pub(crate) custom_start: bool,
    /// What the players agree on about time.
    pub(crate) terms: Terms,
    /// Whether its result counts for the players' ratings.
    pub(crate) rated: bool,
}

/// Stores a game that begins now, and notifies both players.
pub(crate) fn begin(
    writing: &mut Writing,
    beginning: Beginning,
    [black, white]: [&Side; 2],
) -> Result<(StoredGame, Clocks), Error> {
    let Beginning { variant, mut game, custom_start, terms, rated } = beginning;
    let now = writing.env.now();
    [black, white].into_iter().filter_map(Side::person).try_for_each(find::refuse_left)?;
    // The games of players without an address are never rated.
    let gets_mail = |side: &&Side| side.person().is_none_or(|player| player.address.is_some());
    let rated = rated && [black, white].iter().all(gets_mail);
    log_start(writing.tx, &mut game, &terms, [black, white], now)?;
    let new = NewGame { variant, game: &game, custom_start, black, white, terms, rated };
    let id = effects::store_new(&mut writing.outbox, &new, now)?;
    let stored = find::game(writing.tx, id)?;
    let clocks = stored.clocks();
    Ok((stored, clocks))
}

/// Starts the same game again with the other colours. Returns a sentence about it.
pub(crate) fn rematch(writing: &mut Writing, of: &StoredGame) -> Result<String, Error> {
    let variant = Variant::named(&of.variant).map_err(Error::fault)?;
    let position = of.game.start();
    let custom_start = position.to_string() != Position::start(*position.rules()).to_string();
    let beginning = Beginning {
        variant,
        game: Game::new(position.clone()),
        custom_start,
        terms: of.terms,
        rated: of.rated,
    };
    let players = [&of.white, &of.black];
    let (started, _) = begin(writing, beginning, players)?;
    let [black, white] = players.map(Side::name);
    Ok(format!("Game {} has begun: {black} (black) - {white} (white).", started.id))
}
