//! Whom a player can challenge, and how often.

use chrono::TimeDelta;

use crate::app::Error;
use crate::app::run::session::Writing;
use crate::store::{Challenges, Db, Results};
use outflank_model::StoredChallenge;
use outflank_model::{Challenged, Player, PlayerId};

/// The most open challenges of a player.
const MAX_OPEN: usize = 10;
/// The most challenges that a player makes in a day, computer players included.
const MAX_A_DAY: u32 = 20;
/// The same before the player's first finished game.
const MAX_A_DAY_AT_FIRST: u32 = 5;
/// The least time between two challenges to a player who has declined one.
const MIN_AFTER_DECLINE: TimeDelta = TimeDelta::days(7);

/// Where to find other opponents.
pub(crate) const OTHERS: &str = "see `outflank players`, or write `outflank challenge anyone`";

/// Refuses a challenge that the limits or the opponent's settings do not allow.
pub(crate) fn check(writing: &Writing, player: &Player, to: &Challenged) -> Result<(), Error> {
    if let Challenged::Player(opponent) = to {
        check_opponent(writing, player, opponent)?;
    }
    let Writing { tx, env, .. } = *writing;
    let now = env.now();
    let is_open = !matches!(to, Challenged::Bot(_));
    if is_open && own(tx, player.id, writing)? >= MAX_OPEN {
        let message = format!("you have {MAX_OPEN} open challenges, which is the limit");
        return Err(Error::refused(message)
            .with_hint("`outflank challenges` lists them; `outflank decline` withdraws one"));
    }
    let Results { won, lost, drawn, .. } = tx.results_of(player.id)?;
    let (limit, until) = match won + lost + drawn {
        0 => (MAX_A_DAY_AT_FIRST, " until you have finished a game"),
        _ => (MAX_A_DAY, ""),
    };
    if tx.challenges_since(player.id, now - TimeDelta::days(1))? >= limit {
        let message = format!("limit of {limit} challenges a day{until} reached");
        return Err(Error::refused(message).with_hint("try again tomorrow"));
    }
    Ok(())
}

fn check_opponent(writing: &Writing, player: &Player, opponent: &Player) -> Result<(), Error> {
    let Writing { tx, env, .. } = *writing;
    let (name, now) = (&opponent.name, env.now());
    if player.id == opponent.id {
        return Err(Error::refused("you cannot challenge yourself").with_hint(OTHERS));
    }
    refuse_blocked(tx, opponent, player, OTHERS)?;
    let waiting = tx
        .open_challenges(Challenges::To(opponent.id), now - StoredChallenge::OPEN_FOR, None)?
        .len();
    let waiting = waiting + own(tx, opponent.id, writing)?;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    // Nobody waits for moves in local games, and those of tournaments are not chosen one by one.
    let others = count(tx.open_local_games(opponent.id)?.len())
        .saturating_add(tx.count_tournament_games(opponent.id)?);
    let games = tx.results_of(opponent.id)?.active.saturating_sub(others);
    let open = games.saturating_add(count(waiting));
    if !opponent.preferences.challenges.allows(open) {
        return Err(Error::refused(format!("{name} takes no challenges now")).with_hint(OTHERS));
    }
    let last = tx.challenged_after_decline(player.id, opponent.id)?;
    if let Some(next) = last.map(|last| last + MIN_AFTER_DECLINE).filter(|&next| next > now) {
        let message = format!("{name} has declined a challenge of yours");
        let next = player.preferences.clock.zone.shown(next);
        return Err(Error::refused(message).with_hint(format!("try again after {next}")));
    }
    Ok(())
}

/// Refuses a game with somebody who has blocked the player.
pub(crate) fn refuse_blocked(
    db: &Db,
    opponent: &Player,
    player: &Player,
    hint: &str,
) -> Result<(), Error> {
    match db.is_blocked(opponent.id, player.id)? {
        true => Err(Error::refused(format!("{} has blocked you", opponent.name)).with_hint(hint)),
        false => Ok(()),
    }
}

/// Counts the open challenges that a player has made.
fn own(db: &Db, player: PlayerId, writing: &Writing) -> Result<usize, Error> {
    let after = writing.env.now() - StoredChallenge::OPEN_FOR;
    Ok(db.open_challenges(Challenges::By(player), after, None)?.len())
}
