use clap::Args;
use serde_json::json;

use crate::app::effects::change::Asked;
use crate::app::effects::mails;
use crate::app::run::session::Writing;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase, find};
use outflank_model::log::GameId;
use outflank_model::mail::MessageKind;

/// Get turn mails for a game again
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: unmute 12")]
pub struct Unmute {
    /// The number of the game
    game: GameId,
}

/// Stop turn mails for a game
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: mute 12")]
pub struct Mute {
    /// The number of the game
    pub(crate) game: GameId,
}

impl UseCase for Unmute {
    const TRAITS: Traits = Traits {
        aliases: &["subscribe"],
        done: Some("You get mails again when it is your turn in this game."),
        ..Traits::new("unmute", Heading::Settings).by("who unmutes the game").button(
            Place::LastButtons,
            "Start the mails about my turns",
            "You get a mail again when it is your turn in this game.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn check(&self, asked: &Asked) -> Result<(), Error> {
        check(asked, true)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        set_subscribed(session, self.game, true)
    }
}

impl UseCase for Mute {
    const TRAITS: Traits = Traits {
        aliases: &["unsubscribe"],
        done: Some("You get no more mails when it is your turn in this game."),
        ..Traits::new("mute", Heading::Settings).by("who mutes the game").button(
            Place::LastButtons,
            "Stop the mails about my turns",
            "You get no more mails when it is your turn in this game.",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn check(&self, asked: &Asked) -> Result<(), Error> {
        check(asked, false)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        set_subscribed(session, self.game, false)
    }
}

/// Refuses a change that would have no effect.
fn check(asked: &Asked, wanted: bool) -> Result<(), Error> {
    let &Asked { ref change, stored } = asked;
    find::refuse_local(stored)?;
    if stored.game.turn().is_none() {
        return Err(Error::refused("the game is over"));
    }
    let player = stored.player(change.author()?);
    match player.map(|it| change.db.is_subscribed(it.id, stored.id)).transpose()? {
        Some(is_subscribed) if is_subscribed != wanted => Ok(()),
        _ => Err(Error::refused("nothing would change")),
    }
}

fn set_subscribed(session: &mut Session, id: GameId, wanted: bool) -> Result<Reply, Error> {
    session.write(|writing| {
        let Writing { tx, actor, .. } = *writing;
        let stored = find::game(tx, id)?;
        let own = find::own_color(tx, &stored, actor)?;
        find::refuse_local(&stored)?;
        let player = find::acting(tx, actor)?;
        let outbox = &mut writing.outbox;
        let is_new = tx.set_subscribed(player.id, id, wanted)?;
        let is_turn = wanted && is_new && own == stored.game.turn();
        if is_turn && !tx.is_turn_told(player.id, id)? && !tx.is_start_queued(id, player.id)? {
            // Sends the mail that the muted turn did not cause.
            mails::about(outbox, &stored, MessageKind::Turn, &player, None)?;
        }
        let player = player.name;
        let text = if wanted {
            format!("{player} gets turn mails for game {id}.")
        } else {
            format!("{player} gets no turn mails for game {id} until `unmute {id}`.")
        };
        let json = json!({ "game": id.0, "player": player, "subscribed": wanted });
        Ok(Reply::new(&json).text(text))
    })
}
