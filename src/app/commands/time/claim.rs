use clap::Args;

use crate::app::effects::alarms::MIN_BETWEEN_REMINDERS;
use crate::app::effects::change::{Change, change, refuse_finished};
use crate::app::effects::outages;
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::log::{Action, Event, Game, GameId};
use outflank_rules::Color;

/// Win a game whose time is over for the opponent
///
/// A game without a clock can be claimed after 60 days without a move and two reminders.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: claim 12")]
pub struct Claim {
    /// The number of the game
    game: GameId,
    #[command(flatten)]
    drawing: Drawing,
}

impl UseCase for Claim {
    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        const PURPOSE: &str = "who claims the game";
        find::acting(&session.actor, "claim", PURPOSE)?;
        let reply = change(session, self.game, false, |changing, game| {
            refuse_finished(self.game, changing.names, game)?;
            let own = changing.own.ok_or_else(|| Error::usage(PURPOSE))?;
            self.check(changing, own, game)?;
            game.apply(Event::by(own, Action::Claim)).map_err(Error::refused)
        })?;
        Ok(reply.drawn(self.drawing))
    }
}

impl Claim {
    /// Refuses a claim before its time.
    fn check(&self, changing: &Change, own: Color, game: &Game) -> Result<(), Error> {
        let Change { tx, env, stored, names, .. } = *changing;
        let (id, late) = (self.game, !own);
        let refused = |message: String| {
            Err(Error::refused(message).with_hint(format!("see `outflank show {id}`")))
        };
        if stored.local {
            return refused(format!("game {id} was begun by `play`, so it has no clock"));
        }
        if game.turn() == Some(own) {
            return refused(format!("it is your own turn in game {id}"));
        }
        if stored.player(late).is_none() {
            return refused(format!("{} is a computer player and has no clock", names.of(late)));
        }
        let clocks = stored.clocks();
        if clocks.flagged() == Some(late) {
            return Ok(());
        }
        let (name, zone) = (names.of(late), stored.clock_settings(own).zone);
        if let Some(deadline) = clocks.deadline() {
            let shown = zone.shown_at(deadline, env.now());
            return refused(if deadline > env.now() {
                format!("{name} has time until {shown}")
            } else {
                let what = match outages::covers_of_server(tx, deadline, env.now())? {
                    true => "the server",
                    false => "the mail server",
                };
                format!(
                    "the time of {name} ran out on {shown}, while {what} was down, so it will be extended"
                )
            });
        }
        let Some(end) = clocks.idle_end() else {
            return refused(format!("game {id} is paused"));
        };
        if end > env.now() {
            let rule = "a game without a clock can be claimed after 60 days without a move";
            return refused(format!("{rule}: from {} on", zone.shown_at(end, env.now())));
        }
        match tx.delivered_reminders(id, clocks.turn_event())?[..] {
            [first, second] if second - first >= MIN_BETWEEN_REMINDERS => Ok(()),
            ref delivered => refused(format!(
                "{name} must be reminded twice first, 7 days apart; {} delivered so far",
                match delivered.len() {
                    0 => "no reminder was",
                    1 => "one reminder was",
                    _ => "the second one came too early; both were",
                }
            )),
        }
    }
}
