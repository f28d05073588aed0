//! What tournaments decide: who plays in which division, who meets whom in which round, and who is out. Each is
//! found again as `docs/tournaments.md` says.

use std::collections::BTreeSet;

use super::rows::name_of;
use super::scores::{Division, Entrant, Fixture, Verdict};
use super::tournaments::rating;
use super::{Change, violated};
use crate::simulator::Violation;
use crate::simulator::replay::Replayed;
use crate::simulator::shown::is_move;
use crate::simulator::tables::{Tables, number};

/// The fewest players of the last division of a league, unless it is the only one.
const MIN_DIVISION: usize = 4;
/// All pairings are tried for so many players.
const MAX_TRIED: usize = 8;
/// After so many losses on time a player is out.
const MAX_LATE: usize = 2;

/// A pairing of a Swiss round, by the places of the players in a field; the bye has no second one.
type Pair = (usize, Option<usize>);

/// Returns a number in the row of a tournament.
fn of_row(tables: &Tables, id: i64, column: &str) -> Option<i64> {
    number(tables.columns_of("tournament", id, [column]).next()?[0])
}

fn format_of(tables: &Tables, id: i64) -> &str {
    tables.columns_of("tournament", id, ["format"]).next().and_then(|[it]| it).unwrap_or_default()
}

/// A season begins with those who have joined it, in the divisions and in the order that ratings and the season
/// before say, and its games are those of the Berger tables. Each round of a Swiss tournament is one of the best.
pub fn schedules_are_made_as_they_should(change: &Change) -> Result<(), Violation> {
    let Change { before, after, .. } = *change;
    for id in after.changed(before, "pairing") {
        let [old, season] = [before, after].map(|it| of_row(it, id, "season").unwrap_or_default());
        if old + 1 == season {
            seasons_begin_in_order(change, id, season)?;
            for division in Division::all(after, id, season).iter().filter(|it| !it.is_swiss) {
                schedules_are_berger_tables(after, id, division)?;
            }
        }
        let divisions = Division::all(after, id, season);
        for division in divisions.iter().filter(|it| it.is_swiss) {
            let known = if old == season { Division::all(before, id, season) } else { Vec::new() };
            let known = known.iter().flat_map(|it| &it.fixtures).map(|it| it.round).max();
            let last = division.fixtures.iter().map(|it| it.round).max();
            if last == Some(known.unwrap_or(0) + 1) {
                rounds_are_the_best(division, last.unwrap_or_default())?;
            }
        }
        games_are_those_of_the_tournament(change, id)?;
    }
    swiss_tournaments_have_their_rounds(change)
}

/// Checks the order in which the players of a new season stand.
fn seasons_begin_in_order(change: &Change, id: i64, season: i64) -> Result<(), Violation> {
    const OF: &str = "seasons_begin_in_order";
    let Change { before, after, .. } = *change;
    let divisions = Division::all(after, id, season);
    let order: Vec<_> = divisions.iter().flat_map(|it| &it.entrants).map(|it| it.player).collect();
    let rows = before.columns_of("entrant", id, ["season", "player"]);
    let joined: BTreeSet<_> = rows
        .filter(|[at, _]| number(*at) == Some(season))
        .filter_map(|[_, player]| number(player))
        .collect();
    if joined != order.iter().copied().collect() {
        return violated(OF, format!("{joined:?} have joined tournament {id}, {order:?} play"));
    }
    let is_league = format_of(after, id) == "league";
    let sizes: Vec<_> = divisions.iter().map(|it| it.entrants.len()).collect();
    let expected = match is_league {
        true => cut(order.len(), of_row(after, id, "division_size")),
        false => vec![order.len()],
    };
    if sizes != expected {
        return violated(OF, format!("the divisions of {id} have {sizes:?}, not {expected:?}"));
    }
    let stay = match season {
        2.. => those_who_stay(before, id, season - 1, &joined),
        _ => Vec::new(),
    };
    if !order.starts_with(&stay) {
        return violated(OF, format!("{order:?} play in {id}, and {stay:?} stay"));
    }
    let is_settled = after.is_same(before, "rating") && after.is_same(before, "recalculation");
    let new = order[stay.len()..].iter().filter_map(|it| rating(after, id, *it));
    let new: Vec<_> = new.collect();
    if format_of(after, id) == "round-robin" || !is_settled || new.is_sorted_by(|a, b| a >= b) {
        return Ok(());
    }
    violated(OF, format!("{order:?} play in {id}, the new ones with the ratings {new:?}"))
}

/// Returns the sizes of the divisions of so many players.
fn cut(players: usize, size: Option<i64>) -> Vec<usize> {
    let size = size.and_then(|it| usize::try_from(it).ok()).unwrap_or(1).max(1);
    let (mut left, mut sizes) = (players, Vec::new());
    while left >= size + MIN_DIVISION {
        sizes.push(size);
        left -= size;
    }
    sizes.extend((left > 0).then_some(left));
    sizes
}

/// Returns the division in which the first player for whom this holds would play, by the place in the order of the
/// next season, in which there are so many players.
pub(super) fn division_at(
    tables: &Tables,
    id: i64,
    players: usize,
    is_it: impl Fn(usize) -> bool,
) -> Option<i64> {
    let sizes = cut(players, of_row(tables, id, "division_size"));
    let divisions = (1..).zip(sizes).flat_map(|(number, size)| vec![number; size]);
    divisions.enumerate().find(|(at, _)| is_it(*at)).map(|(_, number)| number)
}

/// Returns the players of a season who go on to the next one, in its order: the last of each division have
/// changed places with the first of the division below.
pub(super) fn those_who_stay(
    tables: &Tables,
    id: i64,
    season: i64,
    joined: &BTreeSet<i64>,
) -> Vec<i64> {
    let divisions = Division::all(tables, id, season);
    let table = |it: &Division| it.table().iter().map(|row| row.player).collect::<Vec<_>>();
    let mut tables_of: Vec<_> = divisions.iter().map(table).collect();
    let moved = of_row(tables, id, "moved").and_then(|it| usize::try_from(it).ok()).unwrap_or(2);
    for lower in 1..tables_of.len() {
        let moved = moved.min(tables_of[lower - 1].len()).min(tables_of[lower].len());
        for at in 0..moved {
            let upper_at = tables_of[lower - 1].len() - moved + at;
            let (up, down) = (tables_of[lower][at], tables_of[lower - 1][upper_at]);
            (tables_of[lower][at], tables_of[lower - 1][upper_at]) = (down, up);
        }
    }
    let is_out = |player: &i64| {
        let mut entrants = divisions.iter().flat_map(|it| &it.entrants);
        entrants.any(|it| it.player == *player && it.withdrawn.is_some())
    };
    let stays = |player: &i64| joined.contains(player) && !is_out(player);
    tables_of.into_iter().flatten().filter(stays).collect()
}

/// Checks that the games of a division are those of the Berger tables, and each twice if the tournament says so.
fn schedules_are_berger_tables(
    tables: &Tables,
    id: i64,
    division: &Division,
) -> Result<(), Violation> {
    let players: Vec<_> = division.entrants.iter().map(|it| it.player).collect();
    let is_double = of_row(tables, id, "doubled") == Some(1);
    let rounds = berger(players.len());
    let mut expected = BTreeSet::new();
    for (round, pairs) in (1..).zip(&rounds) {
        for [black, white] in pairs {
            let pair = [players[*black], players[*white]];
            expected.insert((round, pair));
            if is_double {
                let second = round + i64::try_from(rounds.len()).unwrap_or_default();
                expected.insert((second, [pair[1], pair[0]]));
            }
        }
    }
    let made: BTreeSet<_> = division.fixtures.iter().map(|it| (it.round, it.players)).collect();
    if made == expected && division.fixtures.len() == expected.len() {
        return Ok(());
    }
    let found = format!("the games of {id} are {made:?}, not {expected:?}");
    violated("schedules_are_berger_tables", found)
}

/// Returns the rounds of a Berger table: in each, all but the last player go on by half of their number.
fn berger(players: usize) -> Vec<Vec<[usize; 2]>> {
    let all = players + players % 2;
    let mut round: Vec<_> = (0..all / 2).map(|at| [at, all - 1 - at]).collect();
    let mut rounds = Vec::new();
    for _ in 1..all {
        let is_game = |pair: &&[usize; 2]| pair.iter().all(|it| *it < players);
        rounds.push(round.iter().filter(is_game).copied().collect());
        let next = |player: usize| match player {
            last if last == all - 1 => last,
            player => (player + all / 2) % (all - 1),
        };
        round.iter_mut().for_each(|pair| *pair = pair.map(next));
        // The last player has black in one round and white in the next.
        round[0].swap(0, 1);
    }
    rounds
}

/// A player before a round of a Swiss tournament.
struct Contender {
    player: i64,
    /// In half points.
    points: i64,
    /// The games with black, less those with white.
    balance: i64,
    met: BTreeSet<i64>,
    has_had_bye: bool,
}

/// Returns the players who are paired in this round, in the order of their numbers.
fn field(division: &Division, round: i64) -> Vec<Contender> {
    let earlier: Vec<_> = division.fixtures.iter().filter(|it| it.round < round).collect();
    let contender = |entrant: &super::scores::Entrant| {
        let player = entrant.player;
        let own: Vec<_> = earlier.iter().filter(|it| it.players.contains(&player)).collect();
        let points = own.iter().map(|it| match it.verdict {
            Verdict::Counts(points, _) => points[usize::from(it.players[1] == player)],
            Verdict::Open | Verdict::Void => 0,
        });
        let has_had_bye = entrant.bye.is_some_and(|bye| bye < round);
        Contender {
            player,
            points: points.sum::<i64>() + if has_had_bye { 2 } else { 0 },
            balance: own.iter().map(|it| if it.players[0] == player { 1 } else { -1 }).sum(),
            met: own.iter().flat_map(|it| it.players).filter(|it| *it != player).collect(),
            has_had_bye,
        }
    };
    let is_in = |it: &&super::scores::Entrant| it.withdrawn.is_none();
    division.entrants.iter().filter(is_in).map(contender).collect()
}

/// Returns what a pairing costs: the squares of the differences in points, how uneven the colours get, and how
/// far it is from the fold.
fn cost(field: &[Contender], pairs: &[Pair]) -> [i64; 3] {
    let mut costs = [0; 3];
    for (one, other) in pairs {
        let own = &field[*one];
        let equal: Vec<_> = (0..field.len()).filter(|at| field[*at].points == own.points).collect();
        let place = |at: usize| equal.iter().position(|it| *it == at).unwrap_or_default() as i64;
        let size = equal.len() as i64;
        let Some(other) = *other else {
            costs[0] += own.points.pow(2);
            costs[1] += own.balance.abs();
            costs[2] += size - 1 - place(*one);
            continue;
        };
        let it = &field[other];
        costs[0] += (own.points - it.points).pow(2);
        let uneven = |black: i64, white: i64| (black + 1).abs() + (white - 1).abs();
        costs[1] += uneven(own.balance, it.balance).min(uneven(it.balance, own.balance));
        if own.points == it.points {
            costs[2] += ((place(*one) - place(other)).abs() - size / 2).abs();
        }
    }
    costs
}

/// Returns the cost of the best pairing of these players in which nobody meets twice or has a second bye.
fn best(field: &[Contender], free: &[usize], pairs: &mut Vec<Pair>) -> Option<[i64; 3]> {
    let Some((&one, rest)) = free.split_first() else { return Some(cost(field, pairs)) };
    let is_odd = free.len() % 2 == 1;
    let mut least: Option<[i64; 3]> = None;
    let mut take = |found: Option<[i64; 3]>| {
        least = [least, found].into_iter().flatten().min();
    };
    if is_odd && !field[one].has_had_bye {
        pairs.push((one, None));
        take(best(field, rest, pairs));
        pairs.pop();
    }
    for &other in rest.iter().filter(|other| !field[one].met.contains(&field[**other].player)) {
        let left: Vec<_> = rest.iter().copied().filter(|it| *it != other).collect();
        pairs.push((one, Some(other)));
        take(best(field, &left, pairs));
        pairs.pop();
    }
    least
}

/// Checks that a round of a Swiss tournament is one of the best.
fn rounds_are_the_best(division: &Division, round: i64) -> Result<(), Violation> {
    const OF: &str = "rounds_are_the_best";
    let field = field(division, round);
    // Somebody may have withdrawn since it was paired.
    let new: Vec<&Fixture> = division.fixtures.iter().filter(|it| it.round == round).collect();
    let bye = division.entrants.iter().find(|it| it.bye == Some(round));
    let at = |player: i64| field.iter().position(|it| it.player == player);
    let games = new.iter().map(|it| Some((at(it.players[0])?, Some(at(it.players[1])?))));
    let byes = bye.map(|it| Some((at(it.player)?, None)));
    let Some(pairs) = games.chain(byes).collect::<Option<Vec<Pair>>>() else { return Ok(()) };
    if 2 * new.len() + usize::from(bye.is_some()) != field.len() || field.len() > MAX_TRIED {
        return match field.len() > MAX_TRIED {
            true => Ok(()),
            false => violated(OF, format!("not all play in round {round}: {pairs:?}")),
        };
    }
    for (one, other) in &pairs {
        let own = &field[*one];
        let is_right = match other {
            // The one who had black less often is black.
            Some(other) => {
                !own.met.contains(&field[*other].player) && own.balance <= field[*other].balance
            }
            None => !own.has_had_bye,
        };
        if !is_right {
            return violated(OF, format!("{:?} of round {round} should not be", (one, other)));
        }
    }
    let (made, free) = (cost(&field, &pairs), (0..field.len()).collect::<Vec<_>>());
    match best(&field, &free, &mut Vec::new()) {
        Some(best) if best < made => {
            violated(OF, format!("round {round}, {pairs:?}, costs {made:?}, the best {best:?}"))
        }
        _ => Ok(()),
    }
}

/// A Swiss tournament has one round more than a knockout, or as many as the host has said, but fewer than
/// players. It ends earlier only if nobody can be paired.
fn swiss_tournaments_have_their_rounds(change: &Change) -> Result<(), Violation> {
    const OF: &str = "swiss_tournaments_have_their_rounds";
    let Change { before, after, .. } = *change;
    for id in after.changed(before, "tournament") {
        let state = |tables: &Tables| {
            let state = tables.columns_of("tournament", id, ["state"]).next();
            state.and_then(|[state]| state.map(str::to_owned)).unwrap_or_default()
        };
        let Some(division) = Division::all(after, id, 1).pop().filter(|it| it.is_swiss) else {
            continue;
        };
        let players = division.entrants.len();
        let rounds = of_row(after, id, "rounds").and_then(|it| usize::try_from(it).ok());
        let asked = of_row(before, id, "rounds").and_then(|it| usize::try_from(it).ok());
        if state(before) == "open" && state(after) != "open" {
            let usual = players.next_power_of_two().trailing_zeros() as usize + 1;
            let expected = asked.unwrap_or(usual).min(players - 1);
            if rounds != Some(expected) {
                return violated(OF, format!("{id} has {rounds:?} rounds, not {expected}"));
            }
        }
        let made = division.fixtures.iter().map(|it| it.round).max().unwrap_or_default();
        if state(before) == "running" && state(after) == "finished" && players <= MAX_TRIED {
            let field = field(&division, made + 1);
            let free: Vec<_> = (0..field.len()).collect();
            let is_last = usize::try_from(made).ok() == rounds;
            let can_go_on = field.len() > 1 && best(&field, &free, &mut Vec::new()).is_some();
            if !is_last && can_go_on {
                return violated(OF, format!("{id} ends after {made} of {rounds:?} rounds"));
            }
        }
    }
    Ok(())
}

/// A game of a tournament has its players and its terms. With drawn openings, the second game of two players
/// has the one of the first.
fn games_are_those_of_the_tournament(change: &Change, id: i64) -> Result<(), Violation> {
    const OF: &str = "games_are_those_of_the_tournament";
    const TERMS: [&str; 12] = [
        "variant",
        "board_rows",
        "board_columns",
        "misere",
        "anywhere",
        "stuck",
        "clock",
        "free_weekends",
        "flag",
        "absences",
        "rated",
        "opening",
    ];
    let Change { before, after, .. } = *change;
    let terms = after.columns_of("tournament", id, TERMS).next();
    let rows = |tables: &Tables| -> BTreeSet<[Option<i64>; 4]> {
        let rows = tables.columns_of("pairing", id, ["black", "white", "season", "game"]);
        rows.map(|row| row.map(number)).collect()
    };
    let all = rows(after);
    for row in all.difference(&rows(before)) {
        let [black, white, season, Some(game)] = *row else { continue };
        let players = after.columns_of("game", game, ["black", "white"]).next();
        if players.map(|it| it.map(number)) != Some([black, white]) {
            return violated(OF, format!("{players:?} play game {game}, not {row:?}"));
        }
        let own = after.columns_of("game", game, TERMS).next();
        if own != terms {
            return violated(OF, format!("game {game} of {id} has {own:?}, not {terms:?}"));
        }
        let is_other = |it: &&[Option<i64>; 4]| it[..3] == [white, black, season];
        let other = all.iter().find(is_other).and_then(|it| it[3]);
        let given = |game: i64| {
            let replayed = Replayed::of(after, game, usize::MAX).ok()?;
            let moves = replayed.plies.iter().take(replayed.given).map(|it| it.mv);
            Some(moves.collect::<Vec<_>>())
        };
        if let Some(other) = other.filter(|other| given(*other) != given(game)) {
            return violated(OF, format!("games {other} and {game} have two openings"));
        }
    }
    Ok(())
}

/// Who withdraws during a tournament resigns all games in it, and it is noted how many were over before. After
/// `send`, nobody plays on who has lost a game on time without a move, or two games on time.
pub fn withdrawals_are_as_they_should(change: &Change) -> Result<(), Violation> {
    const OF: &str = "withdrawals_are_as_they_should";
    let Change { before, after, .. } = *change;
    let is_withdrawal = change.words.first().is_some_and(|word| word == "withdraw");
    let is_sent = change.words == ["send"] && change.status == 0;
    let is_doubted = after.columns("clock_doubt", ["id"]).next().is_some();
    if is_withdrawal && change.status == 0 {
        for id in after.changed(before, "entrant") {
            let season = of_row(after, id, "season").unwrap_or_default();
            let [old, new] = [before, after].map(|it| Division::all(it, id, season));
            for (old, new) in old.iter().zip(&new) {
                withdrawal_is_noted(change, old, new)?;
            }
        }
    }
    let running = |[id, season, state]: [Option<&str>; 3]| {
        Some((number(id)?, number(season)?)).filter(|_| state == Some("running"))
    };
    let all = after.columns("tournament", ["id", "season", "state"]);
    for (id, season) in all.filter_map(running).filter(|_| is_sent && !is_doubted) {
        let known = Division::all(before, id, season);
        for division in Division::all(after, id, season) {
            let old = known.iter().find(|it| it.number == division.number);
            old.map_or(Ok(()), |old| late_players_are_out(change, old, &division))?;
            for entrant in division.entrants.iter().filter(|it| it.withdrawn.is_none()) {
                let player = entrant.player;
                let mut own = division.fixtures.iter().filter(|it| it.players.contains(&player));
                let is_playing = own.any(|it| matches!(it.verdict, Verdict::Open));
                if is_playing && is_late(after, &division, player) {
                    let name = name_of(after, player);
                    return violated(
                        OF,
                        format!("{name:?} still plays in {id} after losing on time"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Returns whether a player of a division has lost a game on time without a move, or so often that the player is out.
fn is_late(tables: &Tables, division: &Division, player: i64) -> bool {
    let own = division.fixtures.iter().filter(|it| it.players.contains(&player));
    let lost: Vec<_> = own.filter_map(|it| has_lost_on_time(tables, it, player)).collect();
    lost.len() >= MAX_LATE || lost.contains(&false)
}

/// Returns the players of a season who have lost on time so often that they are out.
pub(super) fn late_players(tables: &Tables, id: i64, season: i64) -> BTreeSet<i64> {
    let mut late = BTreeSet::new();
    for division in Division::all(tables, id, season) {
        for entrant in &division.entrants {
            late.extend(is_late(tables, &division, entrant.player).then_some(entrant.player));
        }
    }
    late
}

/// `send` withdraws only those who have lost a game on time without a move, or two games on time, and notes how many
/// of their games were over by then.
fn late_players_are_out(change: &Change, old: &Division, new: &Division) -> Result<(), Violation> {
    const OF: &str = "late_players_are_out";
    for (was, is) in old.entrants.iter().zip(&new.entrants) {
        let (None, Some(noted)) = (was.withdrawn, is.withdrawn) else { continue };
        let player = is.player;
        let own = |it: &&Fixture| it.players.contains(&player);
        let is_over = |it: &&Fixture| !matches!(it.verdict, Verdict::Open);
        let before = old.fixtures.iter().filter(own).filter(is_over).count();
        // The withdrawal itself ends the others.
        let is_forfeited = |it: &&Fixture| {
            let names = ["reason", "winner"];
            let row = it.game.and_then(|game| change.after.columns_of("game", game, names).next());
            let at = usize::from(it.players[0] == player);
            let is_out =
                |entrant: &Entrant| entrant.player == it.players[at] && entrant.withdrawn.is_some();
            match row {
                Some(row) => row == [Some("forfeited"), Some(["black", "white"][at])],
                // One that has not begun can have ended by the withdrawal of the opponent before.
                None => !new.entrants.iter().any(is_out),
            }
        };
        let both = old.fixtures.iter().zip(&new.fixtures).filter(|(_, it)| own(it));
        let ended =
            both.filter(|(was, it)| is_over(was) || is_over(it) && !is_forfeited(it)).count();
        let noted = usize::try_from(noted).unwrap_or_default();
        let is_late = is_late(change.after, new, player);
        if !is_late || noted < before || noted > ended {
            let name = name_of(change.after, player).unwrap_or_default();
            let found =
                format!("{name} is out, late: {is_late}, noted {noted}, {before} to {ended}");
            return violated(OF, found);
        }
    }
    Ok(())
}

/// Returns whether a player moved in a game that the player has lost on time; `None` in others.
fn has_lost_on_time(tables: &Tables, fixture: &Fixture, player: i64) -> Option<bool> {
    let game = fixture.game?;
    let [reason, winner] = tables.columns_of("game", game, ["reason", "winner"]).next()?;
    let (own, other) = if fixture.players[0] == player { ("b", "white") } else { ("w", "black") };
    let is_late = reason == Some("time") && winner == Some(other);
    let mut events = tables.columns_of("event", game, ["author", "action"]);
    let mut has_moved = || {
        events.any(|[author, action]| {
            let is_chosen = |it: &str| is_move(it) && !it.contains(' ') && it != "auto-pass";
            author == Some(own) && action.is_some_and(is_chosen)
        })
    };
    is_late.then(&mut has_moved)
}

/// Checks the withdrawal of the actor from a division.
fn withdrawal_is_noted(change: &Change, old: &Division, new: &Division) -> Result<(), Violation> {
    const OF: &str = "withdrawal_is_noted";
    for (was, is) in old.entrants.iter().zip(&new.entrants) {
        let (None, Some(noted)) = (was.withdrawn, is.withdrawn) else { continue };
        let player = is.player;
        let name = name_of(change.after, player).unwrap_or_default();
        if !name.eq_ignore_ascii_case(change.actor) {
            return violated(OF, format!("{name} is withdrawn by {}", change.actor));
        }
        let own = |it: &&Fixture| it.players.contains(&player);
        let is_over = |it: &&Fixture| !matches!(it.verdict, Verdict::Open);
        let over = old.fixtures.iter().filter(own).filter(is_over).count();
        // A flag that had fallen counts first.
        let is_flag = |it: &&Fixture| {
            has_lost_on_time(change.after, it, it.players[0]).is_some()
                || has_lost_on_time(change.after, it, it.players[1]).is_some()
        };
        let flags = new.fixtures.iter().filter(own).filter(is_flag).count();
        let noted = usize::try_from(noted).unwrap_or_default();
        if noted < over || noted > over + flags {
            return violated(OF, format!("{name}: {noted} games were over, not {over}"));
        }
        if let Some(open) = new.fixtures.iter().filter(own).find(|it| !is_over(it)) {
            return violated(OF, format!("{name} still plays {:?}", open.game));
        }
    }
    Ok(())
}
