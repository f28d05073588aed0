use clap::Args;
use serde_json::json;

use crate::app::effects::change::refuse_finished;
use crate::app::run::session::Writing;
use crate::app::views::game::names;
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use outflank_model::log::GameId;
use outflank_model::preferences::{MailMode, Watchers};
use outflank_model::{Player, Side, StoredGame};

/// Get the mails of a game that others play
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
You get mail about its moves, its end and its analysis, according to your
settings. Both players must allow it with `set watchers all`, and see in
`show` that you watch. What they say and offer each other is not mailed to
you.

Example: watch 12")]
pub struct Watch {
    /// The number of the game
    game: GameId,
}

/// Get no more mails of a game that others play
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: unwatch 12")]
pub struct Unwatch {
    /// The number of the game
    pub(crate) game: GameId,
}

/// The most people who watch a game, since each of its moves queues a mail to each.
const MAX_WATCHERS: u32 = 50;

impl UseCase for Watch {
    const TRAITS: Traits = Traits::new("watch", Heading::Look).by("who watches the game");

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let id = self.game;
        session.write(|Writing { tx, actor, .. }| {
            let (stored, player) = (find::game(tx, id)?, find::acting(tx, actor)?);
            find::refuse_without_address(&player, &format!("`outflank show {id}` shows the game"))?;
            refuse_player(&stored, &player, "its mails come to you anyway")?;
            find::refuse_local(&stored)?;
            refuse_finished(id, names(&stored), &stored.game)?;
            tx.set_watching(player.id, id, true)?;
            if !tx.is_watching(player.id, id)? {
                return Err(refusal(&stored));
            }
            if tx.count_watchers(id)? > MAX_WATCHERS {
                let error = Error::refused(format!("game {id} has {MAX_WATCHERS} watchers"));
                return Err(error.with_hint("no more can watch it"));
            }
            let mails = match player.preferences.mail {
                MailMode::Each => "mails about its moves, its end and its analysis",
                MailMode::Digest(_) => {
                    "its moves in the daily mail, and mails about its end and its analysis"
                }
                MailMode::None => {
                    "mails about its end and its analysis, but none about its moves; see `set mail`"
                }
            };
            let name = &player.name;
            let text = format!("{name} watches game {id} until `unwatch {id}`, and gets {mails}.");
            Ok(reply(id, name, true).text(text))
        })
    }
}

impl UseCase for Unwatch {
    const TRAITS: Traits = Traits {
        for_watchers: true,
        ..Traits::new("unwatch", Heading::Look).by("who watches the game")
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let id = self.game;
        session.write(|Writing { tx, actor, .. }| {
            let (stored, player) = (find::game(tx, id)?, find::acting(tx, actor)?);
            refuse_player(&stored, &player, &format!("`outflank mute {id}` stops its turn mails"))?;
            tx.set_watching(player.id, id, false)?;
            let text = format!("{} does not watch game {id}.", player.name);
            Ok(reply(id, &player.name, false).text(text))
        })
    }
}

fn reply(id: GameId, player: &str, watching: bool) -> Reply {
    Reply::new(&json!({ "game": id.0, "player": player, "watching": watching }))
}

/// Refuses a player of the game: only others can watch it.
fn refuse_player(stored: &StoredGame, player: &Player, hint: &str) -> Result<(), Error> {
    match stored.color_of(player.id) {
        Some(_) => Err(Error::refused(format!("you play in game {}", stored.id)).with_hint(hint)),
        None => Ok(()),
    }
}

/// Returns the error for a reader who may not watch, because of a player of the game.
fn refusal(stored: &StoredGame) -> Error {
    let mut people = stored.sides().into_iter().filter_map(Side::person);
    match people.find(|player| player.preferences.watchers == Watchers::None) {
        Some(Player { name, .. }) => Error::refused(format!("{name} allows no watchers"))
            .with_hint(format!("{name} can allow them with `outflank set watchers all`")),
        None => Error::refused(format!("a player of game {} has blocked you", stored.id)),
    }
}
