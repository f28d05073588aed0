use clap::Args;

use crate::app::effects::flags;
use crate::app::session::Reading;
use crate::app::views::game::View;
use crate::app::views::picture::Picture;
use crate::app::views::reply::Drawing;
use crate::app::views::time::Away;
use crate::app::views::{challenge, comments};
use crate::app::{Concerns, Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::GameAt;
use crate::store::Db;
use outflank_model::log::GameId;
use outflank_model::time_control::TimeZone;
use outflank_model::{ChallengeState, Player, PlayerId, StoredGame};

/// Show a game: the board, the last move, the score and whose turn it is; or a challenge
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: show 12#4")]
pub struct Show {
    /// The number of the game; with #PLY as it stood after so many moves
    #[arg(value_name = "GAME[#PLY]")]
    game: GameAt,
    /// Draw the last move with arrows, as the rules do
    #[arg(long)]
    arrows: bool,
    #[command(flatten)]
    drawing: Drawing,
    #[command(flatten)]
    picture: Picture,
}

impl UseCase for Show {
    const TRAITS: Traits = Traits { synonyms: &["board"], ..Traits::new("show", Heading::Look) };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        self.picture.check(session.front_end.is_shell())?;
        if self.game.ply.is_none()
            && !self.picture.is_wanted()
            && let Some(challenge) = challenge(session, self.game.game)?
        {
            return Ok(challenge);
        }
        // A database that cannot be written can still be read.
        let mails = flags::record_alone(session, self.game.game).unwrap_or_default();
        let (stored, said, away, watchers, reader, now) = session.read(|reading| {
            let stored = find::game(reading.db, self.game.game)?;
            let said =
                comments::recent(&comments::readable(reading.db, reading.actor, &stored)?, &stored);
            let now = reading.env.now();
            let reader =
                reading.actor.player().map(|named| find::player(reading.db, named)).transpose()?;
            let reader = reader.map(|reader| reader.id);
            let watchers = watchers(reading.db, reader, &stored)?;
            Ok((stored, said, Away::at(reading.db, now)?, watchers, reader, now))
        })?;
        if self.picture.is_wanted() {
            let reply = match self.game.ply {
                Some(ply) => {
                    let at = stored.game.at(ply).ok_or_else(|| find::no_such_ply(&stored, ply))?;
                    self.picture.reply(&View::new(&stored, &at))
                }
                None => self.picture.reply(&View::new(&stored, &stored.game)),
            };
            return reply.map(|reply| reply.with_mails(mails));
        }
        let Some(ply) = self.game.ply else {
            let view = View::new(&stored, &stored.game).timed(&stored, &stored.clocks(), now);
            let view = view.with_away(away).with_watchers(watchers).read_by(reader, &stored);
            let reply = view.reply(self.arrows).drawn(self.drawing).with_mails(mails);
            return Ok(said.into_iter().fold(reply, Reply::text));
        };
        let earlier = stored.game.at(ply).ok_or_else(|| find::no_such_ply(&stored, ply))?;
        let view = View::new(&stored, &earlier).read_by(reader, &stored);
        Ok(view.reply(self.arrows).drawn(self.drawing).with_mails(mails))
    }
}

/// Returns the names of those who watch a game, for its players and the host. A watcher only learns
/// of watching it.
fn watchers(db: &Db, reader: Option<PlayerId>, stored: &StoredGame) -> Result<Vec<String>, Error> {
    let plays = |reader| stored.color_of(reader).is_some();
    let may_know = |it: &Player| reader.is_none_or(|reader| it.id == reader || plays(reader));
    let watchers = db.watchers(stored.id)?.into_iter();
    Ok(watchers.filter(may_know).map(|it| it.name).collect())
}

/// Returns the challenge with this number; `None` if a game has the number.
fn challenge(session: &mut Session, id: GameId) -> Result<Option<Reply>, Error> {
    session.read(|Reading { db, actor, .. }| {
        let found = db.challenge(id)?.filter(|it| it.state != ChallengeState::Accepted);
        let Some(found) = found else { return Ok(None) };
        let zone = match actor.player() {
            Some(named) => find::player(db, named)?.preferences.clock.zone,
            None => TimeZone::default(),
        };
        Ok(Some(challenge::reply(&found, zone)))
    })
}
