use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use serde_json::{Value, json};

use crate::app::run::session::Reading;
use crate::app::views::game::names;
use crate::app::views::json::{array, json_time};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, Zone, find};
use crate::store::OutboxEntry;
use outflank_model::StoredGame;
use outflank_model::log::{Action, Event, Game, GameId, Offer};
use outflank_model::mail::MailState;
use outflank_model::render::words::Names;
use outflank_model::time_control::Span;
use outflank_rules::{Color, Lattice};

/// Show everything that happened in a game, and the mails about it
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
What players said or noted is not shown, only that they did. The records of
mails are kept for ten days after they were sent.

Example: outflank log 12")]
pub struct Log {
    /// The number of the game
    game: GameId,
}

impl UseCase for Log {
    const TRAITS: Traits = Traits::new("log", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let (stored, mails) = session.read(|Reading { db, .. }| {
            Ok((find::game(db, self.game)?, db.mails_with(self.game)?))
        })?;
        let events = Described::all(&stored)?;
        let json = json!({
            "game": stored.id.0,
            "started": json_time(stored.started),
            "events": array(events.iter().map(|event| event.to_json(&stored))),
            "mails": array(mails.iter().map(|mail| mail_to_json(mail, self.game))),
        });
        let started =
            format!("Game {} started at {}.", stored.id, Zone::Local.shown(stored.started));
        let reply = Reply::new(&json)
            .text(started)
            .table(events_table(&events, &stored), "Nothing has happened since.");
        Ok(reply.table(mails_table(&mails, self.game), "No mail about it is recorded."))
    }
}

/// An event in words.
struct Described<'a> {
    /// Its number, from 1.
    number: usize,
    at: DateTime<Utc>,
    event: &'a Event,
    text: String,
}

impl<'a> Described<'a> {
    fn all(stored: &'a StoredGame) -> Result<Vec<Self>, Error> {
        let names = names(stored);
        let lattice = stored.game.lattice();
        let mut game = Game::restore(stored.game.start().clone());
        let mut described = Vec::new();
        for ((number, event), at) in (1..).zip(stored.game.events()).zip(&stored.times) {
            described.push(Self {
                number,
                at: *at,
                event,
                text: text(event, game.offer(), names, lattice),
            });
            game.apply(event.clone()).map_err(Error::fault)?;
        }
        Ok(described)
    }

    /// Returns who caused the event: a colour, the host or the clock.
    const fn author(&self) -> &'static str {
        match (self.event.by, &self.event.action) {
            (Some(Color::Black), _) => "black",
            (Some(Color::White), _) => "white",
            (None, Action::Flag(_) | Action::TimeOut(_) | Action::Outage { .. }) => "clock",
            (None, _) => "host",
        }
    }

    fn to_json(&self, stored: &StoredGame) -> Value {
        let label = self.event.action.label(stored.game.lattice());
        let is_move = matches!(self.event.action, Action::Move(_));
        let word = label.split(' ').next().unwrap_or_default();
        json!({
            "event": self.number,
            "at": json_time(self.at),
            "by": self.author(),
            "player": self.event.by.map(|color| stored.name(color)),
            "what": if is_move { "move" } else { word },
            "text": self.text,
        })
    }
}

/// Describes an event; `open` is the offer that was open then, with its author. Words of players are left
/// out.
fn text(event: &Event, open: Option<(Color, Offer)>, names: Names, lattice: Lattice) -> String {
    let offer = || open.map_or_else(|| "offer".to_owned(), |(_, offer)| offer.noun());
    let span = |seconds: i64| Span(TimeDelta::seconds(seconds)).words();
    let time = |seconds: i64| {
        let at = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
        Zone::Local.shown(at)
    };
    let because = |text: String, reason: &str| match reason {
        "" => text,
        reason => format!("{text}: {reason}"),
    };
    match &event.action {
        Action::Move(mv) => lattice.move_label(*mv),
        Action::AutoPass => "passes automatically".to_owned(),
        Action::Given(mv) => format!("is given {}", lattice.move_label(*mv)),
        Action::Resign => "resigns".to_owned(),
        Action::TakeBack => "takes the last move back".to_owned(),
        Action::Offer(made) => match made {
            Offer::Draw | Offer::Rematch => format!("makes an {}", made.noun()),
            Offer::TakeBack | Offer::Pause => format!("makes a {}", made.noun()),
        },
        Action::Accept => format!("accepts the {}", offer()),
        Action::Decline if open.map(|(by, _)| by) == event.by => {
            format!("withdraws the {}", offer())
        }
        Action::Decline => format!("declines the {}", offer()),
        Action::Unpause => "ends the pause".to_owned(),
        Action::Claim => "claims the game".to_owned(),
        Action::Flag(color) => format!("the time of {} is over", names.with_color(*color)),
        Action::TimeOut(color) => {
            format!("the time of {} is over, and the game is lost", names.with_color(*color))
        }
        Action::Away { from, until } => {
            format!("is away from {} until {}", time(*from), time(*until))
        }
        Action::Back => "is back, or will not be away".to_owned(),
        Action::Settings(settings) => format!("sets the clock: {settings}"),
        Action::Hint => "gets a hint".to_owned(),
        Action::Say(_) => "says something".to_owned(),
        Action::Note(_) => "writes a private note".to_owned(),
        Action::Outage { since, of_mail: false } => {
            format!("the turn ends later, since no `send` ran from {} on", time(*since))
        }
        Action::Outage { since, of_mail: true } => {
            format!("the turn ends later, since no mail could be sent from {} on", time(*since))
        }
        Action::Extend { player, span: more, reason } => {
            because(format!("gives {} {} more", names.with_color(*player), span(*more)), reason)
        }
        Action::Annul { reason } => because("annuls the game".to_owned(), reason),
        Action::Forfeit { player, reason } => {
            because(format!("declares the game lost for {}", names.with_color(*player)), reason)
        }
    }
}

fn events_table(events: &[Described], stored: &StoredGame) -> Table {
    let names = names(stored);
    let who = |event: &Described| match event.event.by {
        Some(color) => names.with_color(color),
        None => format!("the {}", event.author()),
    };
    Table::of(
        events,
        &[
            (Column::Number("Event"), &|event| event.number.into()),
            (Column::Prose("When"), &|event| Entry::Time(event.at)),
            (Column::Prose("Who"), &|event| who(event).into()),
            (Column::Prose("What"), &|event| (&event.text).into()),
        ],
    )
}

/// Returns how many events the game had when this mail showed it.
fn known(mail: &OutboxEntry, game: GameId) -> Option<usize> {
    mail.content.game.filter(|at| at.game == game).map(|at| at.events)
}

/// Returns when a mail was sent, if it was.
fn sent(mail: &OutboxEntry) -> Option<DateTime<Utc>> {
    (mail.state == MailState::Sent).then_some(mail.due_at)
}

fn mails_table(mails: &[OutboxEntry], game: GameId) -> Table {
    Table::of(
        mails,
        &[
            (Column::Number("Mail"), &|mail| mail.id.into()),
            (Column::Number("Event"), &|mail| Entry::of(known(mail, game))),
            (Column::Text("About"), &|mail| mail.content.kind.word().into()),
            (Column::Prose("To"), &|mail| Entry::of(mail.player.as_ref().map(|it| &it.name))),
            (Column::Text("State"), &|mail| mail.state.word().into()),
            (Column::Number("Tries"), &|mail| mail.tries.into()),
            (Column::Prose("Queued"), &|mail| Entry::Time(mail.created_at)),
            (Column::Prose("Sent"), &|mail| sent(mail).map_or(Entry::NONE, Entry::Time)),
            (Column::Prose("Last error"), &|mail| Entry::of(mail.last_error.as_ref())),
        ],
    )
}

fn mail_to_json(mail: &OutboxEntry, game: GameId) -> Value {
    json!({
        "id": mail.id.0,
        "event": known(mail, game),
        "about": mail.content.kind.word(),
        "to": mail.player.as_ref().map(|player| &player.name),
        "state": mail.state.word(),
        "tries": mail.tries,
        "queued": json_time(mail.created_at),
        "sent": sent(mail).map(json_time),
        "error": mail.last_error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_players_are_left_out() {
        let names = Names { black: "alice", white: "bob" };
        let lattice = Lattice::Hex;
        for action in [Action::Say("my words".into()), Action::Note("my words".into())] {
            let text = text(&Event::by_host(action), None, names, lattice);
            assert!(!text.contains("my words"), "{text}");
        }
    }
}
