//! What `send` does for tournaments: it starts them, begins their games, withdraws players who do not play,
//! and ends them. Each is a transaction.

use chrono::TimeDelta;
use tracing::info;

use crate::app::commands::play::begin::{Beginning, begin};
use crate::app::commands::tournaments::mails;
use crate::app::effects::change::{ACTOR, Author, Change, change_in};
use crate::app::effects::outages;
use crate::app::run::session::{Reading, Writing};
use crate::app::views::tournament::Standing;
use crate::app::{Error, Reply, Session, contain_part, find};
use outflank_engine::mix;
use outflank_model::log::{Action, Event, Game, GameId, Reason};
use outflank_model::tournament::{
    Entrant, Pairing, Plan, State, Tournament, TournamentId, TournamentState, Withdrawal, next,
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

/// Does what is due in tournaments, in a transaction for each start, game, withdrawal and end. Returns a line
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
    let standing = Standing::read(writing.tx, writing.tx.tournament(id)?)?;
    match standing.tournament.state {
        TournamentState::Open => open(writing, &standing),
        TournamentState::Running => running(writing, &standing),
        TournamentState::Finished | TournamentState::Cancelled => {
            Ok(writing.tx.set_tournament_due(id, None)?)
        }
    }
}

/// Starts a tournament, puts its start off or cancels it.
fn open(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, plan: Plan { places, starts_at, .. }, postponed, .. } =
        standing.tournament;
    let players = standing.entrants.len();
    let date = starts_at.filter(|&at| at <= now);
    match date {
        _ if players >= places => start(writing, standing),
        // A player has withdrawn from a tournament that was full.
        None => Ok(tx.set_tournament_due(id, starts_at)?),
        Some(_) if players >= Plan::MIN_PLAYERS => start(writing, standing),
        Some(mut at) if postponed < MAX_POSTPONED => {
            while at <= now {
                at += POSTPONED_BY;
            }
            tx.postpone_tournament(id, at)?;
            mails::postponed(writing, standing, at)
        }
        Some(_) => {
            mails::cancelled(writing, &standing.tournament, "Fewer than three have joined it.")?;
            cancel(writing, &standing.tournament)
        }
    }
}

/// Starts a tournament: numbers its players by lot and makes the schedule.
pub(super) fn start(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, now) = (writing.tx, writing.env.now());
    let Tournament { id, ref plan, ref mark, .. } = standing.tournament;
    let mut players: Vec<_> = standing.entrants.iter().map(|it| it.player.id).collect();
    players.sort_by_cached_key(|player| lot(mark, *player));
    tx.number_entrants(id, players.iter().copied())?;
    for (number, fixture) in (1..).zip(plan.schedule(players.len())) {
        tx.add_pairing(id, number, fixture.round, fixture.players.map(|it| players[it]))?;
    }
    tx.set_tournament_state(id, TournamentState::Running, now)?;
    tx.wake_tournament(id)?;
    info!(tournament = plan.name, "started");
    mails::started(writing, &Standing::read(tx, tx.tournament(id)?)?)
}

/// Returns a number that is drawn for a player.
fn lot(mark: &str, player: PlayerId) -> u64 {
    mark.bytes().fold(player.0.cast_unsigned(), |lot, byte| mix(lot, byte.into()))
}

/// Cancels a tournament that has not started.
pub(super) fn cancel(writing: &Writing, tournament: &Tournament) -> Result<(), Error> {
    let state = TournamentState::Cancelled;
    writing.tx.set_tournament_state(tournament.id, state, writing.env.now())?;
    Ok(writing.tx.set_tournament_due(tournament.id, None)?)
}

/// Withdraws a player, begins the next game or ends the tournament.
fn running(writing: &mut Writing, standing: &Standing) -> Result<(), Error> {
    let (tx, id) = (writing.tx, standing.tournament.id);
    if let Some(number) = absent(writing, standing)? {
        withdraw_for(writing, standing, number, Why::LossesOnTime)?;
        return mails::withdrawn(writing, standing, number);
    }
    if let Some(&index) = next(&standing.fixtures, &standing.withdrawals).first() {
        return begin_game(writing, standing, &standing.pairings[index]);
    }
    tx.set_tournament_due(id, None)?;
    if !standing.is_decided() {
        return Ok(());
    }
    tx.set_tournament_state(id, TournamentState::Finished, writing.env.now())?;
    info!(tournament = standing.tournament.plan.name, "ended");
    mails::ended(writing, standing)
}

/// Returns the number of a player who has lost on time without an own move, or twice, has not withdrawn and
/// has games that are not over.
fn absent(writing: &Writing, standing: &Standing) -> Result<Option<usize>, Error> {
    let players = standing.entrants.iter().enumerate();
    let is_in = |(number, entrant): &(usize, &Entrant)| {
        entrant.withdrawn.is_none() && standing.has_open_games(*number)
    };
    for (number, _) in players.filter(is_in) {
        let lost = standing.games_of(number).filter_map(|(pairing, fixture)| {
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
fn begin_game(writing: &mut Writing, standing: &Standing, pairing: &Pairing) -> Result<(), Error> {
    let Tournament { id, ref plan, .. } = standing.tournament;
    let mut game = Game::new(plan.start.clone());
    let is_other = |it: &&Pairing| it.players == [pairing.players[1], pairing.players[0]];
    if let Some(other) = standing.pairings.iter().find(is_other).and_then(|it| it.game)
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
    Ok(writing.tx.set_pairing_game(id, pairing.number, begun.id)?)
}

/// Why a player withdraws from a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The player wants it.
    OwnWish,
    /// The player has lost games on time.
    LossesOnTime,
}

/// Withdraws a player who wants that. Returns the games that are resigned by it.
pub(crate) fn withdraw(
    writing: &mut Writing,
    standing: &Standing,
    number: usize,
) -> Result<Vec<GameId>, Error> {
    let (tx, id) = (writing.tx, standing.tournament.id);
    match standing.tournament.state {
        TournamentState::Open => {
            tx.remove_entrant(id, standing.entrants[number].player.id)?;
            Ok(Vec::new())
        }
        TournamentState::Running if standing.has_open_games(number) => {
            withdraw_for(writing, standing, number, Why::OwnWish)
        }
        // Nothing is left to lose.
        TournamentState::Running | TournamentState::Finished | TournamentState::Cancelled => {
            Ok(Vec::new())
        }
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
        let standing = Standing::read(writing.tx, writing.tx.tournament(id)?)?;
        if let Some(number) = standing.number_of(player) {
            resigned.extend(withdraw(writing, &standing, number)?);
        }
    }
    Ok(resigned)
}

/// Withdraws a player from a running tournament: the games under way are lost. Returns those that are
/// resigned.
fn withdraw_for(
    writing: &mut Writing,
    standing: &Standing,
    number: usize,
    why: Why,
) -> Result<Vec<GameId>, Error> {
    let tx = writing.tx;
    let Tournament { id, ref plan, .. } = standing.tournament;
    let player = standing.entrants[number].player.id;
    let withdrawal = Withdrawal::of(number, &standing.fixtures, &standing.withdrawals);
    tx.withdraw_entrant(id, player, withdrawal.ended)?;
    let under_way = standing.games_of(number).filter(|(_, it)| it.state == State::UnderWay);
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
                let name = &standing.entrants[number].player.name;
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
