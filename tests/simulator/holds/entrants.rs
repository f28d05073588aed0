//! Who joins tournaments and leaves them, and in which order their games begin: docs/tournaments.md.

use std::collections::{BTreeMap, BTreeSet};

use super::commands::{Given, Member};
use super::tournaments::{self, MAX_AT_ONCE};
use super::{Change, replies, schedules, violated};
use crate::simulator::Violation;
use crate::simulator::shown::Shown;
use crate::simulator::tables::{Tables, number};

/// Who plays in a season: the tournament, the season, the player, and how many games were over at the withdrawal.
type Entrant = [Option<i64>; 4];

fn entrants(tables: &Tables) -> BTreeSet<Entrant> {
    let rows = tables.columns("entrant", ["tournament", "season", "player", "withdrawn"]);
    rows.map(|row| row.map(number)).collect()
}

/// Players join a tournament, and leave it, by their own command or with their membership. Only `send` and the host
/// withdraw others. Who has withdrawn has not joined the next season.
pub fn entrants_are_those_who_want_it(change: &Change) -> Result<(), Violation> {
    const OF: &str = "entrants_are_those_who_want_it";
    let Change { before, after, words, .. } = *change;
    let Some(word) = words.first() else { return Ok(()) };
    let is_unknown = word == "receive" && change.incoming.is_none();
    if is_unknown || after.is_same(before, "entrant") {
        return joins_and_withdrawals_are_done(change);
    }
    let author = match change.incoming {
        Some(mail) => replies::author(mail, change),
        None => Member::named(before, change.actor).map(|it| it.id),
    };
    let (author, is_others) = (number(author), matches!(&**word, "send" | "tournament"));
    let has_left = |player: i64| {
        Member::with_id(after, &player.to_string()).is_some_and(|member| member.has_left)
    };
    let (old, new) = (entrants(before), entrants(after));
    for row in old.symmetric_difference(&new) {
        let is_theirs = row[2] == author || row[2].is_some_and(has_left);
        if !is_others && !is_theirs {
            return violated(OF, format!("{row:?} changed: {} gave {words:?}", change.actor));
        }
    }
    for &[id, season, player, withdrawn] in new.difference(&old) {
        let next = season.map(|it| it + 1);
        let is_in = |row: &Entrant| row[..3] == [id, next, player];
        if withdrawn.is_some() && change.incoming.is_none() && new.iter().any(is_in) {
            return violated(OF, format!("player {player:?} is out of {id:?}, and in {next:?}"));
        }
    }
    joins_and_withdrawals_are_done(change)
}

/// Who joins is in the next season. Who withdraws is not, and is out of the season if games are left in it.
fn joins_and_withdrawals_are_done(change: &Change) -> Result<(), Violation> {
    const OF: &str = "joins_and_withdrawals_are_done";
    let given = Given::of(change).filter(|_| change.status == 0);
    let Some(given) = given.filter(|it| matches!(it.word, "join" | "withdraw")) else {
        return Ok(());
    };
    let (Some(actor), Some(name)) = (given.actor, given.rest.first()) else { return Ok(()) };
    let names = ["id", "name", "season"];
    let mut rows = change.before.columns("tournament", names);
    let row = rows.find(|[_, it, _]| it.is_some_and(|it| it.eq_ignore_ascii_case(name)));
    let Some([id, _, season]) = row.map(|it| it.map(number)) else { return Ok(()) };
    let (player, next) = (number(Some(actor.id)), season.map(|it| it + 1));
    let now = entrants(change.after);
    let is_next = now.iter().any(|row| row[..3] == [id, next, player]);
    let is_out = now.iter().any(|row| row[..3] == [id, season, player] && row[3].is_some());
    let was_playing = tournaments::plays(change.before, name, actor.id);
    let is_right = match given.word {
        "join" => is_next,
        _ => !is_next && (is_out || !was_playing),
    };
    match is_right {
        true => Ok(()),
        false => violated(
            OF,
            format!("{} gave {:?}: next {is_next}, out {is_out}", actor.name, change.words),
        ),
    }
}

/// `send` takes nobody out but those who have lost on time, and puts nobody in but the players of a season of a league
/// that begins, into the next one. Who has left the club is out.
pub fn members_play_on(change: &Change) -> Result<(), Violation> {
    const OF: &str = "members_play_on";
    let Change { before, after, .. } = *change;
    if change.words.is_empty()
        || after.is_same(before, "entrant") && after.is_same(before, "player")
    {
        return Ok(());
    }
    let (old, new) = (entrants(before), entrants(after));
    let running = after.columns("tournament", ["id", "season", "state", "format"]);
    for [id, season, state, format] in running.filter(|row| row[2] != Some("cancelled")) {
        let (id, season) = (number(id), number(season));
        let seasons = [before, after].map(|tables| {
            let row = tables.columns_of("tournament", id.unwrap_or_default(), ["season"]).next();
            row.and_then(|[it]| number(it))
        });
        let next = season.map(|it| it + 1);
        let players = |rows: &BTreeSet<Entrant>, of: Option<i64>| -> BTreeSet<Option<i64>> {
            rows.iter().filter(|row| row[..2] == [id, of]).map(|row| row[2]).collect()
        };
        let has_left = |player: &Option<i64>| {
            let player = player.unwrap_or_default().to_string();
            Member::with_id(after, &player).is_some_and(|it| it.has_left)
        };
        let is_open = matches!(state, Some("open" | "running"));
        if let Some(left) = players(&new, next).iter().find(|it| is_open && has_left(it)) {
            return violated(OF, format!("{left:?} has left, and plays the next season of {id:?}"));
        }
        let is_league = format == Some("league");
        if change.words != ["send"] || change.status != 0 || !is_league {
            continue;
        }
        // Who has lost on time is out at the latest when the season is over.
        let late =
            schedules::late_players(after, id.unwrap_or_default(), season.unwrap_or_default());
        let is_late = |it: &Option<i64>| it.is_some_and(|it| late.contains(&it));
        let mut expected: BTreeSet<_> = match seasons[0] == seasons[1] {
            true => {
                let is_out = |it: &&Option<i64>| {
                    let row = |rows: &BTreeSet<Entrant>| {
                        rows.iter().find(|row| row[..3] == [id, season, **it]).map(|row| row[3])
                    };
                    row(&old) != row(&new)
                };
                let next = players(&old, next);
                next.iter().filter(|it| !is_out(it)).copied().collect()
            }
            false => players(&new, season),
        };
        let mut found = players(&new, next);
        let is_over = state == Some("open") && season > Some(0) && was_running(before, id);
        let stays = |it: &&Option<i64>| is_late(it) && new.contains(&[id, season, **it, None]);
        if let Some(late) = found.iter().find(stays).filter(|_| is_over) {
            let found = format!("{late:?} has lost on time in {id:?}, and plays season {next:?}");
            return violated(OF, found);
        }
        expected.retain(|it| !is_late(it));
        found.retain(|it| !is_late(it));
        if found != expected {
            let found = format!("in season {next:?} of {id:?} play {found:?}, not {expected:?}");
            return violated(OF, found);
        }
    }
    Ok(())
}

/// Returns whether a tournament was running.
fn was_running(before: &Tables, id: Option<i64>) -> bool {
    let mut rows = before.columns_of("tournament", id.unwrap_or_default(), ["state"]);
    rows.next() == Some([Some("running")])
}

/// A reply to a mail without a game from before the start of a tournament does not resign the games in it.
pub fn late_withdrawals_resign_nothing(change: &Change) -> Result<(), Violation> {
    let Some(mail) = change.incoming else { return Ok(()) };
    let answered = mail.answers.and_then(|at| change.accepted.get(at)?.shown.as_ref());
    // A mail about a challenge knows nothing of others.
    let is_bound = |it: &&Shown| it.games.is_empty() && it.kind != "challenge";
    let Some(shown) = answered.filter(is_bound) else { return Ok(()) };
    let written = mail.written.to_lowercase();
    let says = |word: &str| written.contains(word);
    let is_question = matches!(&*shown.kind, "confirm" | "address");
    if is_question || !says("withdraw") || says("resign") || says("leave") {
        return Ok(());
    }
    for it in replies::new_events(change).iter().filter(|it| it.event.action == "resign") {
        let rows = change.before.columns("pairing", ["tournament", "game"]);
        let mut rows = rows.filter(|[_, game]| *game == Some(it.game));
        let id = rows.next().and_then(|[id, _]| number(id)).unwrap_or_default();
        let began = change.before.columns_of("tournament", id, ["began_at"]).next();
        let began = began.and_then(|[at]| number(at));
        if began.is_some_and(|began| began > shown.at) {
            let found = format!("game {} of {id}, which began at {began:?}: {shown:?}", it.game);
            return violated("late_withdrawals_resign_nothing", found);
        }
    }
    Ok(())
}

/// The games of a tournament begin round by round, as soon as both players have fewer than four.
pub fn games_begin_in_order(change: &Change) -> Result<(), Violation> {
    let Change { before, after, .. } = *change;
    if change.words != ["send"] || change.status != 0 || after.is_same(before, "pairing") {
        return Ok(());
    }
    let is_open = |tables: &Tables, game: i64| {
        tables.columns_of("game", game, ["turn"]).next().is_some_and(|[turn]| turn.is_some())
    };
    for id in after.changed(before, "pairing") {
        let names = ["season", "division", "number", "round", "black", "white", "game"];
        let rows = |tables: &Tables| -> BTreeMap<[Option<i64>; 3], [Option<i64>; 4]> {
            let rows = tables.columns_of("pairing", id, names).map(|row| row.map(number));
            rows.map(|[a, b, c, rest @ ..]| ([a, b, c], rest)).collect()
        };
        let (old, new) = (rows(before), rows(after));
        let game_before = |key: &[Option<i64>; 3]| old.get(key).and_then(|row| row[3]);
        // A game that ends lets others begin, and a withdrawal ends some.
        let has_ended = old
            .values()
            .filter_map(|row| row[3])
            .any(|game| is_open(before, game) && !is_open(after, game));
        let is_of = |row: &Entrant| row[0] == Some(id) && row[3].is_some();
        let withdrawals = |tables| entrants(tables).into_iter().filter(is_of).count();
        if has_ended || withdrawals(before) != withdrawals(after) {
            continue;
        }
        let has_withdrawn = |season: Option<i64>, player: Option<i64>| {
            entrants(after).iter().any(|row| is_of(row) && row[1..3] == [season, player])
        };
        let mut waiting: Vec<_> =
            new.iter().filter(|(key, _)| game_before(key).is_none()).collect();
        waiting.sort_by_key(|(key, row)| (key[0], key[1], row[0], key[2]));
        let mut busy: BTreeMap<_, usize> = BTreeMap::new();
        for [_, black, white, game] in new.values().copied() {
            let was_begun = game.is_some_and(|it| is_open(before, it) && is_open(after, it));
            for player in [black, white].into_iter().filter(|_| was_begun) {
                *busy.entry(player).or_default() += 1;
            }
        }
        for (key, [round, black, white, game]) in waiting {
            let players = [*black, *white];
            let is_free = |player: &Option<i64>| {
                busy.get(player).copied().unwrap_or_default() < MAX_AT_ONCE
                    && !has_withdrawn(key[0], *player)
            };
            let begins = players.iter().all(is_free);
            if begins != game.is_some() {
                let found = format!("round {round:?} of {id}, {players:?}: {game:?}, {busy:?}");
                return violated("games_begin_in_order", found);
            }
            for player in players.into_iter().filter(|_| begins) {
                *busy.entry(player).or_default() += 1;
            }
        }
    }
    Ok(())
}
