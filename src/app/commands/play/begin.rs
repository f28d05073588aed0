//! Begins games: those that the host starts, accepted challenges, and rematches.

use std::collections::HashSet;

use crate::app::effects::clocks::log_start;
use crate::app::run::session::Writing;
use crate::app::{Error, effects, find};
use crate::store::NewGame;
use outflank_engine::mix;
use outflank_model::log::Game;
use outflank_model::{Agreement, Opening, Side, StoredChallenge, StoredGame};
use outflank_rules::{Color, Transcript};

/// The agreement and the start of a new game.
pub(crate) struct Beginning {
    /// The players' agreement.
    pub(crate) agreement: Agreement,
    /// The game, with the moves that are made already.
    pub(crate) game: Game,
    /// Whether `play` begins it. Nobody is mailed about it.
    pub(crate) local: bool,
}

/// Stores a game that begins now, and notifies both players.
pub(crate) fn begin(
    writing: &mut Writing,
    beginning: Beginning,
    sides: [&Side; 2],
) -> Result<StoredGame, Error> {
    store(writing, beginning, sides, None)
}

/// Stores the game of a challenge that is accepted now, and notifies both players.
pub(crate) fn begin_challenged(
    writing: &mut Writing,
    challenge: &StoredChallenge,
    opponent: &Side,
) -> Result<StoredGame, Error> {
    let StoredChallenge { challenger, agreement, game, color, .. } = challenge;
    let (agreement, game) = (agreement.clone(), game.clone());
    let beginning = Beginning { agreement, game, local: false };
    let challenger = &Side::from(challenger.clone());
    let rng = &writing.env.rng;
    let sides = match color.unwrap_or_else(|| rng.either(Color::Black, Color::White)) {
        Color::Black => [challenger, opponent],
        Color::White => [opponent, challenger],
    };
    store(writing, beginning, sides, Some(challenge))
}

/// Returns the sentence that a game has begun.
pub(crate) fn has_begun(started: &StoredGame) -> String {
    let [black, white] = started.sides().map(Side::name);
    format!("Game {} has begun: {black} (black) - {white} (white).", started.id)
}

fn store(
    writing: &mut Writing,
    beginning: Beginning,
    [black, white]: [&Side; 2],
    challenge: Option<&StoredChallenge>,
) -> Result<StoredGame, Error> {
    let Beginning { mut agreement, mut game, local } = beginning;
    let now = writing.env.now();
    [black, white].into_iter().filter_map(Side::person).try_for_each(find::refuse_left)?;
    // The games of players without an address are never rated.
    let gets_mail = |side: &&Side| side.person().is_none_or(|player| player.address.is_some());
    agreement.rated &= [black, white].iter().all(gets_mail);
    let mark = match challenge {
        Some(challenge) => writing.tx.challenge_mark(challenge.id)?.unwrap_or_default(),
        None => writing.env.rng.mark(),
    };
    // The second game of a pair has the opening of the first.
    if let Some(opening) = agreement.opening.filter(|_| game.given().is_empty()) {
        give(&mut game, opening, &mark, &writing.tx.openings_of([black, white])?)?;
    }
    log_start(writing.tx, &mut game, &agreement.terms, [black, white], now)?;
    let new = NewGame { agreement: &agreement, game: &game, black, white, local, mark: &mark };
    effects::store_new(&mut writing.outbox, &new, challenge, now)
}

/// Gives a game the moves of an opening. The mark of the game draws it among those that its players have not
/// `had`.
fn give(game: &mut Game, opening: Opening, mark: &str, had: &HashSet<String>) -> Result<(), Error> {
    let random = mark.bytes().fold(0, |random, byte| mix(random, byte.into()));
    let moves: Transcript = opening.draw(random, had).parse().map_err(Error::fault)?;
    moves.0.into_iter().try_for_each(|mv| game.give(mv)).map_err(Error::fault)
}

/// Starts the same game again with the other colours, and with another opening if openings are drawn.
pub(crate) fn rematch(writing: &mut Writing, of: &StoredGame) -> Result<StoredGame, Error> {
    let (agreement, game) = (of.agreement.clone(), Game::new(of.game.start().clone()));
    let beginning = Beginning { agreement, game, local: of.local };
    begin(writing, beginning, [&of.white, &of.black])
}
