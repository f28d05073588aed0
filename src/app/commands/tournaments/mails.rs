//! The mails about tournaments. Most are composed when they are sent: what they say holds then.

use crate::app::commands::tournaments::seeding;
use crate::app::run::session::Writing;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::text::mail_text;
use crate::app::views::tournament::{Standing, table};
use crate::app::{Error, Reply};
use crate::store::Db;
use outflank_model::mail::{MailContent, MessageKind};
use outflank_model::tournament::{
    Fixture, Format, Group, MAX_AT_ONCE, News, NewsKind, Pairing, Participation, Plan, Row,
    Tournament, TournamentState,
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

/// Queues mails with these news to the players of the season or, if it has not begun, to those who have joined.
pub(super) fn tell(
    writing: &mut Writing,
    kind: NewsKind,
    standing: &Standing,
) -> Result<(), Error> {
    let round = match kind {
        NewsKind::Paired => standing.groups.first().map_or(0, Group::round),
        NewsKind::Started | NewsKind::Over | NewsKind::Postponed => 0,
    };
    let Standing { tournament: Tournament { id, .. }, season, groups, joined } = standing;
    let news = News { kind, tournament: *id, season: *season, round };
    let playing = || groups.iter().flat_map(|group| &group.entrants);
    let readers: Vec<_> = match kind {
        NewsKind::Started | NewsKind::Over => playing().collect(),
        NewsKind::Paired => playing().filter(|it| it.withdrawn.is_none()).collect(),
        NewsKind::Postponed => joined.iter().collect(),
    };
    for entrant in readers {
        let content = MailContent::of_text(MessageKind::Tournament, None, news.to_string());
        writing.outbox.mail(&entrant.player, content)?;
    }
    Ok(())
}

/// Returns the mail about news for a player as they are now, with the commands that it suggests; `None` if they
/// are out of date.
pub(crate) fn compose(
    db: &Db,
    news: News,
    player: &Player,
) -> Result<Option<(Reply, Vec<String>)>, Error> {
    let News { kind, tournament, season, round } = news;
    let standing = Standing::of_season(db, db.tournament(tournament)?, season)?;
    let Tournament { ref plan, state, season: last, .. } = standing.tournament;
    let seat = standing.seat_of(player.id);
    let is_running = state == TournamentState::Running && last == season;
    let playing =
        seat.filter(|(group, number)| is_running && group.entrants[*number].withdrawn.is_none());
    let reply = match kind {
        NewsKind::Started => playing.map(|(group, number)| started(&standing, group, number)),
        NewsKind::Paired => playing
            .filter(|(group, _)| group.round() == round)
            .map(|(group, number)| paired(&plan.name, group, number)),
        NewsKind::Over => {
            let ended = seat.filter(|_| standing.tournament.ended_season() >= season);
            ended.map(|(group, number)| over(db, &standing, group, number)).transpose()?
        }
        NewsKind::Postponed => {
            let is_waiting = state == TournamentState::Open && last == season;
            (is_waiting && standing.has_joined(player.id)).then(|| postponed(&standing, player))
        }
    };
    let words: &[&str] = match kind {
        NewsKind::Started | NewsKind::Paired => &["tournament", "withdraw"],
        NewsKind::Over => &["tournament"],
        NewsKind::Postponed => &[],
    };
    let suggested: Vec<_> = words.iter().map(|word| format!("{word} {}", plan.name)).collect();
    Ok(reply.map(|reply| (reply, suggested)))
}

/// Says that a tournament or a season has started: whom the player meets, the clock and how ties are decided.
fn started(standing: &Standing, group: &Group, number: usize) -> Reply {
    let reply = Reply::default()
        .text(format!("{} has started.", standing.title_of_season()))
        .text(standing.facts().join("\n"));
    let format = standing.tournament.plan.format;
    let reply = match format {
        Format::RoundRobin => with_games(reply, group, number, ""),
        Format::League => {
            let (division, all) = (group.division, standing.groups.len());
            let of = format!(" in division {division} of {all}");
            with_games(reply, group, number, &of)
        }
        Format::Swiss => {
            let how = "You play one game in each round, and meet nobody twice. Players with about the same \
                points meet.";
            reply.text(how).text(in_round(group, number))
        }
    };
    reply.text(ties(format))
}

/// Adds the games of a player.
fn with_games(reply: Reply, group: &Group, number: usize, of: &str) -> Reply {
    let count = group.games_of(number).count();
    let games = counted(count, "game");
    let at_once = if count > MAX_AT_ONCE {
        format!(", at most {MAX_AT_ONCE} at once")
    } else {
        String::new()
    };
    reply
        .text(format!(
            "You play {games}{of}{at_once}. Each begins by itself, and you are mailed when it does."
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

/// Says whom a player of a Swiss tournament meets in the round that was paired last.
fn paired(name: &str, group: &Group, number: usize) -> Reply {
    Reply::default()
        .text(format!("Round {} of the tournament {name} has started.", group.round()))
        .text(in_round(group, number))
        .table(table(group), "")
}

/// Says that the start is put off. A league rests until there are enough players.
fn postponed(standing: &Standing, player: &Player) -> Reply {
    let Standing { tournament: Tournament { plan, .. }, season, joined, .. } = standing;
    let name = &plan.name;
    let joined = joined.len();
    match (season, plan.starts_at) {
        (0, Some(at)) => {
            let day = player.preferences.clock.zone.shown(at);
            Reply::default()
                .text(format!("The tournament {name} starts later."))
                .text(format!("It needs three players and has {joined}. It starts on {day}."))
        }
        _ => Reply::default().text(format!("The league {name} rests.")).text(format!(
            "It needs three players and has {joined}. The next season starts on the first Monday with three."
        )),
    }
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
            .text(format!("You are out of the tournament {name} after losing on time."))
            .text("Your games in it that are not over are lost."),
        Format::League => reply
            .text(format!("You are out of the league {name} after losing on time."))
            .text(format!(
                "Your games in it that are not over are lost. With `join {name}` you play in the next season."
            )),
    };
    send(writing, player, &reply, vec![format!("tournament {name}")])
}

/// Says that a tournament or a season is over, with the table, the player's place and what it means.
fn over(db: &Db, standing: &Standing, group: &Group, number: usize) -> Result<Reply, Error> {
    let Tournament { plan, season, state, .. } = &standing.tournament;
    let player = &group.entrants[number].player;
    let is_next = *state == TournamentState::Open && *season == standing.season;
    let news = match group.row(number) {
        Some(row) if row.participation == Participation::Active => match plan.format {
            Format::League => {
                let next = if is_next { seeding::divisions(db, standing)? } else { Vec::new() };
                place_in_league(&next, group, row, player)
            }
            Format::RoundRobin | Format::Swiss => place(group, row),
        },
        _ => "You have not played it to the end.".to_owned(),
    };
    let mut reply = Reply::default()
        .text(format!("{} is over.", standing.title_of_season()))
        .text(news)
        .table(table(group), "")
        .text(ties(plan.format));
    if group.has_more_rounds() {
        let round = group.round();
        let why = "some players would have met twice.";
        reply = reply.text(format!("It ended after round {round}, because {why}"));
    }
    if let Some(at) = plan.starts_at.filter(|_| is_next) {
        let when = standing.when_next(at, player.preferences.clock.zone);
        let next = match standing.has_joined(player.id) {
            true => format!("You play in it unless you `withdraw {}` before.", plan.name),
            false => format!("You do not play in it unless you `join {}`.", plan.name),
        };
        reply = reply.text(format!("Season {} {when}. {next}", season + 1));
    }
    Ok(reply)
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
