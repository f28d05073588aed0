//! Commands as they are held: with the effect that they have now.

use crate::app::commands::offers::respond;
use crate::app::commands::settings::leave::Leave;
use crate::app::commands::settings::new_address;
use crate::app::views::game::names;
use crate::app::{Error, PlayerCommand, find};
use crate::store::Db;
use outflank_model::render::news;
use outflank_model::{About, HeldLine, Player};

/// Returns a line with the same effect as the command has now: a move without a number gets the
/// number of the game's next move, and an answer is for the offer that is open now.
///
/// # Errors
/// A refusal of an answer to an unused number: another game could have the number when the yes comes.
pub(crate) fn bound_to_now(
    db: &Db,
    player: &Player,
    command: &PlayerCommand,
    words: &str,
) -> Result<HeldLine, Error> {
    let concerns = command.concerns();
    let stored = concerns.game().map(|game| db.game(game)).transpose()?.flatten();
    let own = stored.as_ref().and_then(|stored| stored.color_of(player.id));
    match command {
        PlayerCommand::Leave(_) => return Ok(Leave::line()),
        PlayerCommand::Set(set) if let Some(Ok(address)) = set.new_address() => {
            return Ok(new_address::line(&address));
        }
        _ => {}
    }
    let line = HeldLine::other(words.to_owned());
    let Some(stored) = stored else {
        return Ok(match (command, concerns.game()) {
            (PlayerCommand::Accept(_) | PlayerCommand::Decline(_), Some(id)) => {
                let challenge = db.challenge(id)?.ok_or_else(|| find::no_game(id))?;
                let sentence = respond::asked_about(&challenge);
                HeldLine { about: Some(About { events: None, sentence }), ..line }
            }
            _ => line,
        });
    };
    let game = &stored.game;
    Ok(match (concerns.play(), command, own) {
        (Some(play), ..) => {
            let ply = own.map(|_| game.plies().len() + 1);
            HeldLine { words: play.to_command(game.lattice(), ply), ..line }
        }
        (None, PlayerCommand::Accept(_) | PlayerCommand::Decline(_), Some(own)) => {
            let sentence = match game.offer() {
                None => "no offer is open".to_owned(),
                Some((by, offer)) if by == own => format!("your own {}", offer.noun()),
                Some((by, offer)) => {
                    let names = names(&stored);
                    news::offered(game, by, offer, names).trim_end_matches('.').to_owned()
                }
            };
            HeldLine { about: Some(About { events: Some(game.events().len()), sentence }), ..line }
        }
        _ => line,
    })
}
