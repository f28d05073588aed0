//! The mails about tournaments.

use chrono::{DateTime, Utc};

use crate::app::run::session::Writing;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::text::mail_text;
use crate::app::views::tournament::Standing;
use crate::app::{Error, Reply};
use outflank_model::Player;
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::tournament::{Fixture, MAX_AT_ONCE, Pairing, Participation, Tournament};
use outflank_model::words::counted;

/// How equal points are decided, in a sentence.
const TIES: &str = "A win is one point, a draw half a point. Equal points are decided by the Brightwell \
    quotient (BQ), then by the discs, then by the games between those who are equal.";

/// Queues a mail that begins with its Subject and suggests these commands.
fn send(
    writing: &mut Writing,
    to: &Player,
    reply: &Reply,
    suggested: Vec<String>,
) -> Result<(), Error> {
    let content = MailContent::of_text(MessageKind::Tournament, None, mail_text(reply, to));
    writing.outbox.mail(to, MailContent { suggested, ..content }).map(drop)
}

/// Tells the players that a tournament has started: whom they meet, the clock and how ties are decided.
pub(super) fn started(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let name = &standing.tournament.plan.name;
    for (number, entrant) in standing.entrants.iter().enumerate() {
        let games = standing.games_of(number).count();
        let reply = Reply::default()
            .text(format!("The tournament {name} has started."))
            .text(standing.facts().join("\n"))
            .text(format!(
                "You play {}, at most {MAX_AT_ONCE} at once. Each begins by itself, and you are mailed \
                 when it does.",
                counted(games, "game")
            ))
            .table(opponents(standing, number), "")
            .text(TIES);
        let suggested = vec![format!("tournament {name}"), format!("withdraw {name}")];
        send(writing, &entrant.player, &reply, suggested)?;
    }
    Ok(())
}

/// Returns whom a player meets, with which colour.
fn opponents(standing: &Standing, number: usize) -> Table {
    let other = |fixture: &Fixture| (!fixture.color_of(number)).pick(fixture.players);
    Table::of(
        standing.games_of(number),
        &[
            (Column::Number("Round"), &|(pairing, _): &(&Pairing, &Fixture)| pairing.round.into()),
            (Column::Text("Opponent"), &|(_, fixture)| {
                Entry::player(standing.name(other(fixture)))
            }),
            (Column::Text("You are"), &|(_, it)| it.color_of(number).to_string().into()),
        ],
    )
}

/// Tells the players that the start is put off until this time.
pub(super) fn postponed(
    writing: &mut Writing,
    standing: &Standing,
    until: DateTime<Utc>,
) -> Result<(), Error> {
    let name = &standing.tournament.plan.name;
    let joined = counted(standing.entrants.len(), "player");
    for entrant in &standing.entrants {
        let day = entrant.player.preferences.clock.zone.shown(until);
        let reply = Reply::default()
            .text(format!("The tournament {name} starts later."))
            .text(format!("It needs three players and has {joined}, so it starts on {day}."));
        send(writing, &entrant.player, &reply, Vec::new())?;
    }
    Ok(())
}

/// Tells the players that a tournament does not take place, and why.
pub(super) fn cancelled(
    writing: &mut Writing,
    tournament: &Tournament,
    why: &str,
) -> Result<(), Error> {
    let name = &tournament.plan.name;
    for entrant in writing.tx.entrants(tournament.id)? {
        let reply =
            Reply::default().text(format!("The tournament {name} does not take place.")).text(why);
        send(writing, &entrant.player, &reply, Vec::new())?;
    }
    Ok(())
}

/// Tells a player who has lost on time that the tournament is over for them.
pub(super) fn withdrawn(
    writing: &mut Writing,
    standing: &Standing,
    number: usize,
) -> Result<(), Error> {
    let name = &standing.tournament.plan.name;
    let player = &standing.entrants[number].player;
    let reply = Reply::default()
        .text(format!("You are out of the tournament {name} after a loss on time."))
        .text("Your games in it that are not over are lost.");
    send(writing, player, &reply, vec![format!("tournament {name}")])
}

/// Tells the players that a tournament is over, with the table and their places.
pub(super) fn ended(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let name = &standing.tournament.plan.name;
    let first: Vec<_> = standing.rows.iter().filter(|row| row.place == Some(1)).collect();
    for row in &standing.rows {
        let player = &standing.entrants[row.player].player;
        let news = match row.place {
            _ if row.participation != Participation::Active => {
                "You have not played it to the end.".to_owned()
            }
            Some(1) if first.len() == 1 => "You have won it.".to_owned(),
            Some(1) => "You share the first place.".to_owned(),
            Some(place) => format!("Your place is {place} of {}.", standing.rows.len()),
            None => continue,
        };
        let reply = Reply::default()
            .text(format!("The tournament {name} is over."))
            .text(news)
            .table(standing.table(), "")
            .text(TIES);
        send(writing, player, &reply, vec![format!("tournament {name}")])?;
    }
    Ok(())
}
