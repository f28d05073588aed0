use clap::Args;
use serde_json::Value;

use crate::app::commands::view::games::none_waits;
use crate::app::session::Reading;
use crate::app::views::comments;
use crate::app::views::game::View;
use crate::app::views::reply::Drawing;
use crate::app::views::time::Away;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::store::Listing;

/// Show your most urgent game: the least time left, or the longest waiting
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: next")]
pub struct Next {
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Next {
    const TRAITS: Traits = Traits::new("next", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (player, stored, now) = session.read(|reading| {
            let Reading { db, env, actor, .. } = reading;
            let player = actor.player().map(|actor| find::player(db, actor)).transpose()?;
            let listing = player.as_ref().map_or(Listing::Active, |it| Listing::ToMove(it.id));
            let first = db.list(listing, Some(1))?.pop();
            let Some(id) = first else { return Ok((player, None, env.now())) };
            let stored = find::game(db, id)?;
            let said =
                comments::recent(&comments::readable(reading.db, reading.actor, &stored)?, &stored);
            Ok((player, Some((stored, said, Away::at(db, env.now())?)), env.now()))
        })?;
        Ok(match stored {
            Some((stored, said, away)) => {
                let view = View::new(&stored, &stored.game).timed(&stored, &stored.clocks(), now);
                let view = view.with_away(away);
                said.into_iter().fold(view.reply(false).drawn(self.drawing), Reply::text)
            }
            None => Reply::new(&Value::Null).text(none_waits(player.map(|_| "you"))),
        })
    }
}
