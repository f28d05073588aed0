use clap::Args;

use crate::app::effects::alarms::MIN_BETWEEN_REMINDERS;
use crate::app::effects::change::{Change, Decision, change, refuse_finished};
use crate::app::effects::outages;
use crate::app::views::reply::Drawing;
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Traits, UseCase};
use outflank_model::log::{Action, Event, GameId};
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
    const TRAITS: Traits = Traits::offered("claim", Heading::Time)
        .by("who claims the game")
        .button(Place::Buttons, "Claim the win", "Your opponent's time is over.");

    fn concerns(&self) -> Concerns {
        Concerns::Changes(self.game)
    }

    fn decide(&self, change: &Change) -> Result<Decision, Error> {
        refuse_finished(change.stored.id, change.names, &change.stored.game)?;
        let own = change.author()?;
        refuse_early(change, own)?;
        change.decide(Event::by(own, Action::Claim))
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let reply = change(session, self.game, false, |change| self.decide(change))?;
        Ok(reply.drawn(self.drawing))
    }
}

/// Refuses a claim before its time.
fn refuse_early(change: &Change, own: Color) -> Result<(), Error> {
    let &Change { db, env, stored, names, .. } = change;
    let (id, late) = (stored.id, !own);
    let refused = |message: String| {
        Err(Error::refused(message).with_hint(format!("see `outflank show {id}`")))
    };
    if stored.local {
        return refused(format!("game {id} was begun by `play`, so it has no clock"));
    }
    if stored.game.is_paused() {
        return Err(Error::refused(format!("game {id} is paused"))
            .with_hint(format!("`outflank unpause {id}` ends the pause")));
    }
    if stored.game.turn() == Some(own) {
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
            let what = match outages::covers_of_server(db, deadline, env.now())? {
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
    match db.delivered_reminders(id, clocks.turn_event())?[..] {
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
