//! The mails about tournaments.

use chrono::{DateTime, Utc};

use crate::app::commands::tournaments::seeding;
use crate::app::run::session::Writing;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::text::mail_text;
use crate::app::views::tournament::{Standing, table};
use crate::app::{Error, Reply};
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::tournament::{
    Fixture, Format, Group, MAX_AT_ONCE, Pairing, Participation, Plan, Row, Tournament,
};
use outflank_model::words::counted;
use outflank_model::{Player, PlayerId};

/// Says how equal points are decided.
fn ties(format: Format) -> String {
    let last = match format {
        Format::RoundRobin | Format::Swiss => "",
        Format::League => ", then by the order at the start of the season",
    };
    format!(
        "A win is one point, a draw half a point. Equal points are decided by the Brightwell quotient (BQ), \
         then by the discs, then by the games between those who are equal{last}."
    )
}

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

/// The commands that a mail about a running tournament suggests.
fn look_or_leave(standing: &Standing) -> Vec<String> {
    ["tournament", "withdraw"]
        .map(|word| format!("{word} {}", standing.tournament.plan.name))
        .into()
}

/// Tells the players that a tournament or a season has started: whom they meet, the clock and how ties are
/// decided.
pub(super) fn started(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    for group in &standing.groups {
        for (number, entrant) in group.entrants.iter().enumerate() {
            let reply = Reply::default()
                .text(format!("{} has started.", standing.title_of_season()))
                .text(standing.facts().join("\n"));
            let reply = match standing.tournament.plan.format {
                Format::RoundRobin => with_games(reply, group, number, ""),
                Format::League => {
                    let (division, all) = (group.division, standing.groups.len());
                    let of = format!(" in division {division} of {all}");
                    with_games(reply, group, number, &of)
                }
                Format::Swiss => {
                    let how = "You play one game in each round, and meet nobody twice. Players with about \
                        the same points meet.";
                    reply.text(how).text(in_round(group, number))
                }
            };
            let reply = reply.text(ties(standing.tournament.plan.format));
            send(writing, &entrant.player, &reply, look_or_leave(standing))?;
        }
    }
    Ok(())
}

/// Adds the games of a player.
fn with_games(reply: Reply, group: &Group, number: usize, of: &str) -> Reply {
    let games = counted(group.games_of(number).count(), "game");
    reply
        .text(format!(
            "You play {games}{of}, at most {MAX_AT_ONCE} at once. Each begins by itself, and you are mailed \
             when it does."
        ))
        .table(opponents(group, number), "")
}

/// Returns whom a player meets, with which colour.
fn opponents(group: &Group, number: usize) -> Table {
    Table::of(
        group.games_of(number),
        &[
            (Column::Number("Round"), &|(pairing, _): &(&Pairing, &Fixture)| pairing.round.into()),
            (Column::Text("Opponent"), &|(_, it)| Entry::player(opponent(group, number, it))),
            (Column::Text("You are"), &|(_, it)| it.color_of(number).to_string().into()),
        ],
    )
}

/// Returns the name of a player's opponent in a game.
fn opponent<'a>(group: &'a Group, number: usize, fixture: &Fixture) -> &'a str {
    group.name((!fixture.color_of(number)).pick(fixture.players))
}

/// Says whom a player meets in the last round that was paired.
fn in_round(group: &Group, number: usize) -> String {
    let round = group.round();
    match group.games_of(number).find(|(pairing, _)| pairing.round == round) {
        Some((_, fixture)) => {
            let (opponent, own) = (opponent(group, number, fixture), fixture.color_of(number));
            format!("In round {round} you play {opponent}, and you are {own}.")
        }
        None => {
            format!("In round {round} you have no opponent. That counts as a win without a game.")
        }
    }
}

/// Tells the players of a Swiss tournament whom they meet in the round that was paired last.
pub(super) fn round(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let name = &standing.tournament.plan.name;
    for group in &standing.groups {
        let players = group.entrants.iter().enumerate();
        for (number, entrant) in players.filter(|(_, it)| it.withdrawn.is_none()) {
            let reply = Reply::default()
                .text(format!("Round {} of the tournament {name} has started.", group.round()))
                .text(in_round(group, number))
                .table(table(group), "");
            send(writing, &entrant.player, &reply, look_or_leave(standing))?;
        }
    }
    Ok(())
}

/// Tells the players that the start is put off until this time. A league rests until there are enough.
pub(super) fn postponed(
    writing: &mut Writing,
    standing: &Standing,
    until: DateTime<Utc>,
) -> Result<(), Error> {
    let Tournament { plan: Plan { name, .. }, season, .. } = &standing.tournament;
    let joined = counted(standing.joined.len(), "player");
    for entrant in &standing.joined {
        let day = entrant.player.preferences.clock.zone.shown(until);
        let reply = match season {
            0 => Reply::default()
                .text(format!("The tournament {name} starts later."))
                .text(format!("It needs three players and has {joined}, so it starts on {day}.")),
            _ => Reply::default().text(format!("The league {name} rests.")).text(format!(
                "It needs three players and has {joined}, so the next season starts on the first Monday \
                 with three."
            )),
        };
        send(writing, &entrant.player, &reply, Vec::new())?;
    }
    Ok(())
}

/// Tells the players that a tournament does not take place, or that a league has ended, and why.
pub(super) fn cancelled(
    writing: &mut Writing,
    standing: &Standing,
    why: &str,
) -> Result<(), Error> {
    let Tournament { plan: Plan { name, .. }, season, .. } = &standing.tournament;
    for entrant in &standing.joined {
        let news = match season {
            0 => format!("The tournament {name} does not take place."),
            _ => format!("The league {name} has no more seasons."),
        };
        let reply = Reply::default().text(news).text(why);
        send(writing, &entrant.player, &reply, Vec::new())?;
    }
    Ok(())
}

/// Tells a player who has lost on time that the tournament is over for them.
pub(super) fn withdrawn(
    writing: &mut Writing,
    tournament: &Tournament,
    player: &Player,
) -> Result<(), Error> {
    let Plan { name, format, .. } = &tournament.plan;
    let reply = Reply::default();
    let reply = match format {
        Format::RoundRobin | Format::Swiss => reply
            .text(format!("You are out of the tournament {name} after losses on time."))
            .text("Your games in it that are not over are lost."),
        Format::League => reply
            .text(format!("You are out of the league {name} after losses on time."))
            .text(format!(
                "Your games in it that are not over are lost. With `join {name}` you play in the next season."
            )),
    };
    send(writing, player, &reply, vec![format!("tournament {name}")])
}

/// Tells the players that a tournament or a season is over, with the table, their places and what these mean.
pub(super) fn ended(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let Tournament { plan, season, .. } = &standing.tournament;
    let divisions = match plan.format {
        Format::League => seeding::divisions(writing.tx, standing)?,
        Format::RoundRobin | Format::Swiss => Vec::new(),
    };
    for group in &standing.groups {
        for row in &group.rows {
            let player = &group.entrants[row.player].player;
            let news = match plan.format {
                _ if row.participation != Participation::Active => {
                    "You have not played it to the end.".to_owned()
                }
                Format::League => place_in_league(&divisions, group, row, player),
                Format::RoundRobin | Format::Swiss => place(group, row),
            };
            let mut reply = Reply::default()
                .text(format!("{} is over.", standing.title_of_season()))
                .text(news)
                .table(table(group), "")
                .text(ties(plan.format));
            if group.has_more_rounds() {
                let round = group.round();
                let why = "no pairing was left in which nobody meets twice.";
                reply = reply.text(format!("It ended after round {round}, since {why}"));
            }
            if let (Format::League, Some(at)) = (plan.format, plan.starts_at) {
                let when = standing.when_next(at, player.preferences.clock.zone);
                let next = match standing.has_joined(player.id) {
                    true => format!("You play in it unless you `withdraw {}` before.", plan.name),
                    false => format!("You do not play in it unless you `join {}`.", plan.name),
                };
                reply = reply.text(format!("Season {} {when}. {next}", season + 1));
            }
            send(writing, player, &reply, vec![format!("tournament {}", plan.name)])?;
        }
    }
    Ok(())
}

/// Says which place a player has in a tournament.
fn place(group: &Group, row: &Row) -> String {
    match (group.winners().any(|it| it == row.player), group.winners().count()) {
        (true, 1) => "You have won it.".to_owned(),
        (true, _) => "You share the first place.".to_owned(),
        (false, _) => {
            let place = row.place.unwrap_or(group.rows.len());
            format!("Your place is {place} of {}.", group.rows.len())
        }
    }
}

/// Says which place a player has in a division, and whether the player moves up or down, given the divisions of
/// the next season if it began now.
fn place_in_league(
    divisions: &[Vec<PlayerId>],
    group: &Group,
    row: &Row,
    player: &Player,
) -> String {
    let own = group.division;
    let place = match row.place {
        Some(_) if own == 1 && group.winners().next() == Some(row.player) => {
            "You are the champion.".to_owned()
        }
        place => {
            let (place, all) = (place.unwrap_or(group.rows.len()), group.rows.len());
            format!("Your place is {place} of {all} in division {own}.")
        }
    };
    let next = divisions.iter().position(|it| it.contains(&player.id)).map(|at| at + 1);
    match next {
        Some(next) if next < own => format!("{place} You move up to division {next}."),
        Some(next) if next > own => format!("{place} You move down to division {next}."),
        Some(_) | None => place,
    }
}
