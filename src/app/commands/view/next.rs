use clap::Args;
use serde_json::Value;

use crate::app::commands::view::games::none_waits;
use crate::app::effects::offers;
use crate::app::run::session::Reading;
use crate::app::views::comments;
use crate::app::views::game::View;
use crate::app::views::reply::Drawing;
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
        let is_mail = session.front_end.is_mail;
        session.read(|Reading { db, env, actor, .. }| {
            let player = find::actor(db, actor)?;
            let listing = player.as_ref().map_or(Listing::Active, |it| Listing::ToMove(it.id));
            let Some(id) = db.list(listing, Some(1))?.pop() else {
                return Ok(Reply::new(&Value::Null).text(none_waits(player.map(|_| "you"))));
            };
            let stored = find::game(db, id)?;
            let said = comments::recent(&comments::readable(db, actor, &stored)?, &stored);
            let view = View::present(db, &stored, &stored.game, env.now())?;
            let reader = player.map(|player| player.id);
            let reply = offers::answerable(view, reader, &stored, env.now()).reply(false);
            let reply = said.into_iter().fold(reply.drawn(self.drawing), Reply::text);
            let first = stored.game.legal().first().map(|&mv| stored.game.lattice().move_label(mv));
            Ok(match first.filter(|_| is_mail) {
                Some(first) => reply.text(format!(
                    "Reply `move {id} {first}` to move, or `show {id}` for the board with links."
                )),
                None => reply,
            })
        })
    }
}
