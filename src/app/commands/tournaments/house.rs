//! What `send` does for tournaments: it starts them and their seasons, pairs their rounds, begins their games,
//! withdraws players who do not play, and ends them. Each is a transaction.

use chrono::TimeDelta;
use tracing::info;

use crate::app::commands::play::begin::{Beginning, begin};
use crate::app::commands::tournaments::days::next_monday;
use crate::app::commands::tournaments::{mails, seeding};
use crate::app::effects::change::{ACTOR, Author, Change, change_in};
use crate::app::effects::outages;
use crate::app::run::session::{Reading, Writing};
use crate::app::views::season;
use crate::app::views::tournament::Standing;
use crate::app::{Error, Reply, Session, contain_part, find};
use outflank_model::log::{Action, Event, Game, GameId, Reason};
use outflank_model::tournament::{
    Format, Group, NewsKind, Pairing, Plan, State, SwissRound, Tournament, TournamentId,
    TournamentState, Withdrawal, next, swiss,
};
use outflank_model::{PlayerId, Side};

/// By how much a start is put off while there are too few players.
const POSTPONED_BY: TimeDelta = TimeDelta::weeks(1);
/// How often it is put off. Then the tournament is cancelled.
const MAX_POSTPONED: u32 = 2;
/// After so many losses on time a player is withdrawn.
const MAX_LOSSES_ON_TIME: usize = 2;
/// After a fault in a tournament, it is looked at again after this time.
const AFTER_FAULT: TimeDelta = TimeDelta::hours(1);

/// Does what is due in tournaments, in a transaction for each start, round, game, withdrawal and end. Returns a line
/// for each tournament that failed.
pub(crate) fn keep(
    session: &mut Session,
    is_active: &dyn Fn() -> bool,
) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    while is_active() {
        let is_due = |Reading { db, env, .. }: Reading| {
            let now = env.now();
            // Nothing begins by a clock that seems to be far ahead.
            Ok(db.due_tournament(now)?.is_some() && outages::doubted(db, now)?.is_none())
        };
        if !session.read(is_due)? {
            break;
        }
        session.write(|writing| {
            // Another process may have done it meanwhile.
            let now = writing.env.now();
            let tx = writing.tx;
            let Some(id) = tx.due_tournament(now)? else { return Ok(Reply::default()) };
            if let Err(error) = contain_part(tx, || step(writing, id))? {
                tx.set_tournament_due(id, Some(now + AFTER_FAULT))?;
                let name = tx.tournament(id).map_or_else(|_| id.0.to_string(), |it| it.plan.name);
                problems.push(format!("tournament {name} failed: {error}"));
            }
            Ok(Reply::default())
        })?;
    }
    Ok(problems)
}

/// Does one thing that is due in a tournament. When nothing is left, it is not due any more.
fn step(writing: &mut Writing, id: TournamentId) -> Result<(), Error> {
    let tournament = writing.tx.tournament(id)?;
    match tournament.state {
        TournamentState::Open => open(writing, &Standing::read(writing.tx, tournament)?),
        TournamentState::Running => running(writing, tournament),
        TournamentState::Finished | TournamentState::Cancelled => {
            Ok(writing.tx.set_tournament_due(id, None)?)
        }
    }
}

/// Starts a tournament or the next season of a league, puts it off or cancels it.
fn open(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, plan: Plan { places, starts_at, .. }, season, postponed, .. } =
        standing.tournament;
    let players = standing.joined.len();
    let date = starts_at.filter(|&at| at <= now);
    match date {
        _ if players >= places && season == 0 => start(writing, standing),
        // A player has withdrawn from a tournament that was full.
        None => Ok(tx.set_tournament_due(id, starts_at)?),
        Some(_) if players >= Plan::MIN_PLAYERS => start(writing, standing),
        Some(mut at) if season > 0 || postponed < MAX_POSTPONED => {
            if season > 0 {
                at = next_monday(now)?;
            }
            while at <= now {
                at += POSTPONED_BY;
            }
            tx.postpone_tournament(id, at)?;
            match (season, postponed) {
                // A league has said that it rests.
                (1.., 1..) => Ok(()),
                _ => mails::tell(writing, NewsKind::Postponed, standing),
            }
        }
        Some(_) => {
            mails::cancelled(writing, standing, "Fewer than three have joined it.")?;
            cancel(writing, standing)
        }
    }
}

/// Starts a tournament or the next season of a league: puts its players into divisions, numbers them and makes
/// the schedule.
pub(super) fn start(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, ref plan, ref mark, season, .. } = standing.tournament;
    let season = season + 1;
    let joined = || standing.joined.iter().map(|it| it.player.id).collect::<Vec<_>>();
    let (divisions, rounds) = match plan.format {
        Format::RoundRobin => {
            let mut players = joined();
            players.sort_by_cached_key(|player| seeding::lot(mark, *player));
            (vec![players], None)
        }
        Format::Swiss => {
            let players = joined();
            let rounds = plan.rounds_for(players.len());
            (vec![seeding::by_rating(tx, standing, players)?], Some(rounds))
        }
        Format::League => (seeding::divisions(tx, standing)?, None),
    };
    for (division, players) in (1..).zip(&divisions) {
        let division = [season, division];
        tx.number_entrants(id, division, players)?;
        for (number, fixture) in (1..).zip(plan.schedule(players.len())) {
            let players = fixture.players.map(|it| players[it]);
            tx.add_pairing(id, division, number, fixture.round, players)?;
        }
    }
    if plan.format == Format::League {
        // Those who do not withdraw play in the season after it, too.
        divisions.iter().flatten().try_for_each(|it| tx.add_entrant(id, season + 1, *it, now))?;
    }
    tx.begin_season(id, season, rounds, now)?;
    tx.wake_tournament(id)?;
    info!(tournament = plan.name, season, "started");
    let begun = Standing::read(tx, tx.tournament(id)?)?;
    for group in begun.groups.iter().filter(|it| it.has_more_rounds()) {
        pair(writing, &begun, group)?;
    }
    mails::tell(writing, NewsKind::Started, &begun)
}

/// Pairs the next round of a Swiss tournament. Returns whether that was possible.
fn pair(writing: &Writing, standing: &Standing, group: &Group) -> Result<bool, Error> {
    let (tx, id) = (writing.tx, standing.tournament.id);
    let division = [standing.tournament.season, group.division];
    let entrants = || group.entrants.iter().enumerate();
    let active = entrants().filter(|(_, entrant)| entrant.withdrawn.is_none());
    let points = |player| group.row(player).map(|row| row.points).unwrap_or_default();
    let contenders: Vec<_> = active.map(|(player, _)| (player, points(player))).collect();
    let byes: Vec<_> =
        entrants().filter(|(_, it)| it.bye.is_some()).map(|(player, _)| player).collect();
    let Some(SwissRound { games, bye }) = swiss(&contenders, &group.fixtures, &byes) else {
        return Ok(false);
    };
    let round = group.round() + 1;
    let player = |number: usize| group.entrants[number].player.id;
    for (number, players) in (group.pairings.len() + 1..).zip(games) {
        tx.add_pairing(id, division, number, round, players.map(player))?;
    }
    if let Some(bye) = bye {
        tx.set_bye(id, player(bye), round)?;
    }
    Ok(true)
}

/// Ends a tournament that has not started, or a league between two seasons.
pub(super) fn cancel(writing: &Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, season, ended_at, .. } = standing.tournament;
    if season == 0 {
        return Ok(tx.end_tournament(id, TournamentState::Cancelled, now)?);
    }
    for entrant in &standing.joined {
        tx.remove_entrant(id, season + 1, entrant.player.id)?;
    }
    Ok(tx.end_tournament(id, TournamentState::Finished, ended_at.unwrap_or(now))?)
}

/// Withdraws a player, begins the next game, or goes on after the last one.
fn running(writing: &mut Writing, tournament: Tournament) -> Result<(), Error> {
    let tx = writing.tx;
    let mut is_decided = true;
    for division in 1..=tx.count_divisions(tournament.id, tournament.season)? {
        let group = season::group(tx, &tournament, [tournament.season, division])?;
        let is_in = |number: usize| group.is_playing(number);
        if let Some(number) = absent(writing, &group, &is_in)? {
            withdraw_for(writing, &tournament, &group, number, Why::LossesOnTime)?;
            return mails::withdrawn(writing, &tournament, &group.entrants[number].player);
        }
        if let Some(&index) = next(&group.fixtures, &group.withdrawals).first() {
            return begin_game(writing, &tournament, &group, &group.pairings[index]);
        }
        is_decided &= group.is_decided();
    }
    if is_decided {
        return complete(writing, &Standing::read(tx, tournament)?);
    }
    Ok(tx.set_tournament_due(tournament.id, None)?)
}

/// Pairs the next round, ends the season, or ends the tournament after its last game.
fn complete(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, ref plan, season, .. } = standing.tournament;
    if plan.format == Format::League {
        for group in &standing.groups {
            // A player who has lost the last games on time does not play on.
            let stays = |number: usize| standing.has_joined(group.entrants[number].player.id);
            if let Some(number) = absent(writing, group, &stays)? {
                let player = &group.entrants[number].player;
                tx.remove_entrant(id, season + 1, player.id)?;
                return mails::withdrawn(writing, &standing.tournament, player);
            }
        }
        tx.end_season(id, now, now + Plan::BETWEEN_SEASONS)?;
        info!(tournament = plan.name, season, "season ended");
        return mails::tell(writing, NewsKind::Over, standing);
    }
    for group in standing.groups.iter().filter(|it| it.has_more_rounds()) {
        if pair(writing, standing, group)? {
            return mails::tell(
                writing,
                NewsKind::Paired,
                &Standing::read(tx, tx.tournament(id)?)?,
            );
        }
    }
    tx.end_tournament(id, TournamentState::Finished, now)?;
    info!(tournament = plan.name, "ended");
    mails::tell(writing, NewsKind::Over, standing)
}

/// Returns the number of a player who has lost on time without an own move, or twice, has not withdrawn and
/// passes this test.
fn absent(
    writing: &Writing,
    group: &Group,
    is_in: &dyn Fn(usize) -> bool,
) -> Result<Option<usize>, Error> {
    let players = 0..group.entrants.len();
    let players = players.filter(|it| group.entrants[*it].withdrawn.is_none() && is_in(*it));
    for number in players {
        let lost = group.games_of(number).filter_map(|(pairing, fixture)| {
            let State::Finished(outcome) = fixture.state else { return None };
            let own = fixture.color_of(number);
            let is_lost = outcome.reason == Reason::Time && outcome.winner == Some(!own);
            pairing.game.filter(|_| is_lost).map(|game| (game, own))
        });
        let lost: Vec<_> = lost.collect();
        if lost.len() >= MAX_LOSSES_ON_TIME {
            return Ok(Some(number));
        }
        for (game, own) in lost {
            // A damaged game does not stop the others.
            let game = find::intact_game(writing.tx, game)?;
            if game.is_some_and(|stored| !stored.game.has_moved(own)) {
                return Ok(Some(number));
            }
        }
    }
    Ok(None)
}

/// Begins a game of the schedule. The second game of a pair has the opening of the first.
fn begin_game(
    writing: &mut Writing,
    tournament: &Tournament,
    group: &Group,
    pairing: &Pairing,
) -> Result<(), Error> {
    let Tournament { id, ref plan, season, .. } = *tournament;
    let mut game = Game::new(plan.start.clone());
    let is_other = |it: &&Pairing| it.players == [pairing.players[1], pairing.players[0]];
    if let Some(other) = group.pairings.iter().find(is_other).and_then(|it| it.game)
        && plan.agreement.opening.is_some()
        && let Some(other) = find::intact_game(writing.tx, other)?
    {
        for ply in other.game.given() {
            game.give(ply.mv).map_err(Error::fault)?;
        }
    }
    let beginning = Beginning { agreement: plan.agreement.clone(), game, local: false };
    let [black, white] = pairing.players.map(|player| writing.tx.player(player).map(Side::from));
    let begun = begin(writing, beginning, [&black?, &white?])?;
    let division = [season, group.division];
    Ok(writing.tx.set_pairing_game(id, division, pairing.number, begun.id)?)
}

/// Why a player withdraws from a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The player wants it.
    OwnWish,
    /// The player has lost games on time.
    LossesOnTime,
}

/// Withdraws a player who wants that, also from the next season of a league. Returns the games that are resigned
/// by it.
pub(crate) fn withdraw(
    writing: &mut Writing,
    standing: &Standing,
    player: PlayerId,
) -> Result<Vec<GameId>, Error> {
    let Tournament { id, state, season, .. } = standing.tournament;
    writing.tx.remove_entrant(id, season + 1, player)?;
    match standing.seat_of(player) {
        Some((group, number))
            if state == TournamentState::Running
                && group.entrants[number].withdrawn.is_none()
                && group.is_playing(number) =>
        {
            withdraw_for(writing, &standing.tournament, group, number, Why::OwnWish)
        }
        // Nothing is left to lose.
        _ => Ok(Vec::new()),
    }
}

/// Withdraws a player from all tournaments that are open or running. Returns the games that are resigned by
/// it.
pub(crate) fn withdraw_from_all(
    writing: &mut Writing,
    player: PlayerId,
) -> Result<Vec<GameId>, Error> {
    let mut resigned = Vec::new();
    for id in writing.tx.tournaments_of(player)? {
        let tx = writing.tx;
        let read = tx.tournament(id).and_then(|tournament| Standing::read(tx, tournament));
        if let Some(standing) = find::intact(read)? {
            resigned.extend(withdraw(writing, &standing, player)?);
        }
    }
    Ok(resigned)
}

/// Withdraws a player from a running tournament: the games under way are lost. Returns those that are
/// resigned.
fn withdraw_for(
    writing: &mut Writing,
    tournament: &Tournament,
    group: &Group,
    number: usize,
    why: Why,
) -> Result<Vec<GameId>, Error> {
    let tx = writing.tx;
    let Tournament { id, ref plan, season, .. } = *tournament;
    let player = group.entrants[number].player.id;
    let withdrawal = Withdrawal::of(number, &group.fixtures, &group.withdrawals);
    tx.withdraw_entrant(id, season, player, withdrawal.ended)?;
    tx.remove_entrant(id, season + 1, player)?;
    let under_way = group.games_of(number).filter(|(_, it)| it.state == State::UnderWay);
    let mut lost = Vec::new();
    for (pairing, fixture) in under_way {
        let (Some(game), own) = (pairing.game, fixture.color_of(number)) else { continue };
        // The log of a damaged game cannot be continued.
        if find::intact_game(tx, game)?.is_none() {
            continue;
        }
        let (author, event) = match why {
            Why::OwnWish => (Author::Side(own), Event::by(own, Action::Resign)),
            Why::LossesOnTime => {
                let name = &group.entrants[number].player.name;
                let reason = format!("{name} has lost on time in {} and is withdrawn", plan.name);
                (ACTOR, Event::by_host(Action::Forfeit { player: own, reason }))
            }
        };
        let decide = |change: &Change| match change.stored.game.turn() {
            // The time of a player was over.
            None => Ok(change.stored.game.clone().into()),
            Some(_) => change.decide(event),
        };
        let (_, decided) = change_in(writing, game, author, decide)?;
        let last = decided.game.events().last().map(|event| &event.action);
        lost.extend(matches!(last, Some(Action::Resign)).then_some(game));
    }
    tx.wake_tournament(id)?;
    Ok(lost)
}
