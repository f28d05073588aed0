//! What holds of challenges and of the games that begin: their terms, who may answer, and for how long.

mod asked;
mod positions;

use std::collections::BTreeSet;

use chrono::DateTime;

use self::asked::Asked;
pub use self::positions::starts_are_those_asked_for;
use super::commands::{Given, Member};
use super::{Change, replies, tournaments, violated};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// Days after which a challenge expires.
const OPEN_DAYS: i64 = 14;
const MAX_OPEN: usize = 10;
const MAX_A_DAY: usize = 20;
const MAX_A_DAY_AT_FIRST: usize = 5;
/// Days between two challenges to a player who has declined one.
const AFTER_DECLINE_DAYS: i64 = 7;

/// The terms that a challenge and its game share.
const TERMS: [&str; 14] = [
    "opening",
    "variant",
    "board_rows",
    "board_columns",
    "misere",
    "anywhere",
    "stuck",
    "supply",
    "start",
    "frame",
    "clock",
    "free_weekends",
    "flag",
    "absences",
];

/// A row of the table `challenge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Challenge<'a> {
    challenger: Option<&'a str>,
    opponent: Option<&'a str>,
    bot: Option<&'a str>,
    color: Option<&'a str>,
    rated: Option<&'a str>,
    created_at: i64,
    state: &'a str,
}

impl<'a> Challenge<'a> {
    const COLUMNS: [&'static str; 7] =
        ["challenger", "opponent", "bot", "color", "rated", "created_at", "state"];

    fn read([challenger, opponent, bot, color, rated, at, state]: [Option<&'a str>; 7]) -> Self {
        let (created_at, state) = (number(at).unwrap_or_default(), state.unwrap_or_default());
        Self { challenger, opponent, bot, color, rated, created_at, state }
    }

    fn of(tables: &'a Tables, id: i64) -> Option<Self> {
        tables.columns_of("challenge", id, Self::COLUMNS).next().map(Self::read)
    }

    fn all(tables: &'a Tables) -> impl Iterator<Item = Self> {
        tables.columns("challenge", Self::COLUMNS).map(Self::read)
    }

    fn is_open(&self, now: i64) -> bool {
        self.state == "open" && now < self.created_at + OPEN_DAYS * DAY
    }
}

/// Returns the games that are new.
fn new_games(change: &Change) -> impl Iterator<Item = i64> {
    change.after.added("game", change.before).into_iter()
}

fn terms(tables: &Tables, table: &str, id: i64) -> Option<[Option<String>; 14]> {
    let row = tables.columns_of(table, id, TERMS).next()?;
    Some(row.map(|value| value.map(str::to_owned)))
}

/// A challenge ends once: it is accepted or declined by the one whom it challenges, withdrawn by its author, or
/// expires after its days. All else of it stays.
pub fn challenges_end_as_they_may(change: &Change) -> Result<(), Violation> {
    const OF: &str = "challenges_end_as_they_may";
    let now = change.now.timestamp();
    let author = match change.incoming {
        Some(mail) => replies::author(mail, change),
        None => Member::named(change.before, change.actor).map(|it| it.id),
    };
    let is_known = change.incoming.is_some()
        || change.words.first().is_some_and(|it| it != "receive" && it != "page");
    for id in change.after.changed(change.before, "challenge") {
        let Some(old) = Challenge::of(change.before, id) else { continue };
        let Some(new) = Challenge::of(change.after, id) else {
            return violated(OF, format!("challenge {id} is gone"));
        };
        let stays = [change.before, change.after].map(|tables| {
            let columns = ["thread", "mark", "moves"];
            (terms(tables, "challenge", id), tables.columns_of("challenge", id, columns).next())
        });
        let closed = change.after.columns_of("challenge", id, ["closed_at"]).next();
        let closed_at = closed.and_then(|[at]| number(at));
        let is_over = now >= old.created_at + OPEN_DAYS * DAY;
        let game = change.after.columns_of("game", id, ["black", "white"]).next();
        let has_left = |player: Option<&str>| {
            player.and_then(|id| Member::with_id(change.after, id)).is_some_and(|it| it.has_left)
        };
        let is_by = |player: Option<&str>| {
            !is_known || author.is_some() && player == author || has_left(player)
        };
        let is_right = match new.state {
            "accepted" => {
                let is_theirs = game.is_some_and(|people| is_by_one(old, people, author, is_known));
                !is_over && is_theirs
            }
            "declined" => {
                has_left(old.opponent) || !is_over && old.opponent.is_some() && is_by(old.opponent)
            }
            "withdrawn" => !is_over && is_by(old.challenger) || has_left(old.challenger),
            "expired" => is_over,
            _ => false,
        };
        if stays[0] != stays[1]
            || (Challenge { state: old.state, ..new }) != old
            || old.state != "open"
            || closed_at.is_none_or(|at| at > now)
            || !is_right
        {
            let found = format!("{id} {old:?} becomes {new:?} at {}", change.now);
            return violated(OF, format!("{found}, by {author:?}: {:?}", change.words));
        }
    }
    // `send` lets challenges expire.
    let is_send = change.words.first().is_some_and(|it| it == "send") && change.status == 0;
    let is_late = |it: &Challenge| it.state == "open" && now >= it.created_at + OPEN_DAYS * DAY;
    let late = is_send.then(|| Challenge::all(change.after).find(is_late)).flatten();
    late.map_or(Ok(()), |late| violated(OF, format!("{late:?} is open at {}", change.now)))
}

/// Returns whether a player accepts a challenge who may: the one who is challenged, or anybody but its author.
fn is_by_one(
    it: Challenge,
    people: [Option<&str>; 2],
    author: Option<&str>,
    is_known: bool,
) -> bool {
    let other = people.into_iter().flatten().find(|id| Some(*id) != it.challenger);
    it.bot.is_none()
        && people.contains(&it.challenger)
        && other.is_some()
        && it.opponent.is_none_or(|id| other == Some(id))
        && (!is_known || other == author)
}

/// Returns whether a player may accept, decline or talk about the challenge with this number: `None` if it is
/// a game, and `Some(None)` if this model does not know.
pub fn may_answer(given: &Given, id: i64) -> Option<Option<bool>> {
    if given.tables.columns_of("game", id, ["id"]).next().is_some() {
        return None;
    }
    let it = Challenge::of(given.tables, id)?;
    let Some(actor) = given.actor else { return Some(None) };
    let is_own = it.challenger == Some(actor.id);
    let is_other = it.opponent == Some(actor.id);
    let is_blocked = it.challenger.is_some_and(|by| given.is_blocked(by, actor.id));
    let is_open = it.is_open(given.now);
    Some(match given.word {
        "accept" if it.opponent.is_none() && is_open && !is_own => Some(!is_blocked),
        "accept" => Some(is_open && is_other),
        "decline" => Some(is_open && (is_own || is_other)),
        "say" if !is_open || !is_own && !is_other => Some(false),
        "say" => {
            let reader = if is_own { it.opponent } else { it.challenger };
            let is_unread = reader.is_some_and(|reader| given.is_blocked(reader, actor.id));
            is_unread.then_some(false)
        }
        _ => None,
    })
}

/// Returns whether the docs allow a challenge; `None` if this model does not know.
pub fn may_challenge(given: &Given) -> Option<bool> {
    let (actor, to) = (given.actor?, given.rest.first()?.as_str());
    let asked = Asked::parse(&given.rest[1..])?;
    if asked.needs_clock && asked.clock == "none" || asked.has_no_opening {
        return Some(false);
    }
    let (tables, now) = (given.tables, given.now);
    let open = |count: &dyn Fn(&Challenge) -> bool| {
        Challenge::all(tables).filter(|it| it.is_open(now) && it.bot.is_none() && count(it)).count()
    };
    let by = |id: &str| open(&|it| it.challenger == Some(id));
    let made = Challenge::all(tables)
        .filter(|it| it.challenger == Some(actor.id) && it.created_at > now - DAY)
        .count();
    let results = tables.columns_of("player", actor.id.parse().ok()?, ["won", "drawn", "lost"]);
    let has_finished = results.flatten().any(|it| it != Some("0"));
    if made >= if has_finished { MAX_A_DAY } else { MAX_A_DAY_AT_FIRST } {
        return Some(false);
    }
    if to.starts_with("bot:") {
        return matches!(to, "bot:novice" | "bot:learner" | "bot:0" | "bot:1").then_some(true);
    }
    if by(actor.id) >= MAX_OPEN {
        return Some(false);
    }
    if to == "anyone" {
        return Some(true);
    }
    let Some(opponent) = Member::named(tables, to).filter(|it| !it.has_left) else {
        return Some(false);
    };
    if opponent.id == actor.id || given.is_blocked(opponent.id, actor.id) {
        return Some(false);
    }
    let row = tables.columns_of("player", opponent.id.parse().ok()?, ["challenges"]).next();
    let waiting = open(&|it| it.opponent == Some(opponent.id)) + by(opponent.id);
    let games = tables.columns("game", ["id", "black", "white", "turn", "local"]);
    // Games of tournaments and those at one board do not count.
    let active = games.filter(|[id, black, white, turn, local]| {
        turn.is_some()
            && [black, white].contains(&&Some(opponent.id))
            && *local == Some("0")
            && !number(*id).is_some_and(|id| tournaments::has(tables, id))
    });
    let most = row.and_then(|[it]| it?.parse().ok()).unwrap_or(0);
    if waiting + active.count() >= most {
        return Some(false);
    }
    let columns = ["challenger", "opponent", "state", "closed_at", "id", "created_at"];
    let both: Vec<_> = tables
        .columns("challenge", columns)
        .filter(|row| row[..2] == [Some(actor.id), Some(opponent.id)])
        .collect();
    let answered = both.iter().filter(|row| matches!(row[2], Some("accepted" | "declined")));
    let last = answered.max_by_key(|row| (number(row[3]), number(row[4])));
    let newest = both.iter().filter_map(|row| number(row[5])).max().unwrap_or(i64::MIN);
    let is_declined = last.is_some_and(|row| row[2] == Some("declined"));
    Some(!(is_declined && newest > now - AFTER_DECLINE_DAYS * DAY))
}

/// Returns whether the host may begin this game; `None` if this model does not know.
pub fn may_begin(given: &Given) -> Option<bool> {
    let [variant, black, white, options @ ..] = given.rest else { return None };
    let asked = Asked::parse(&[&[variant.clone()][..], options].concat())?;
    let is_other = options.iter().any(|it| matches!(it.as_str(), "--color" | "--unrated"));
    let bots = ["bot:novice", "bot:beginner", "bot:learner", "bot:0", "bot:1", "bot:2"];
    let is_bot = |name: &String| bots.contains(&name.as_str());
    let is_known = |name: &String| is_bot(name) || Member::named(given.tables, name).is_some();
    if given.actor.is_some() || is_other || ![black, white].into_iter().all(is_known) {
        return None;
    }
    if asked.needs_clock && asked.clock == "none" || asked.has_no_opening {
        return Some(false);
    }
    let members = [black, white].map(|name| Member::named(given.tables, name));
    let has_left = members.iter().flatten().any(|it| it.has_left);
    let are_same = black.eq_ignore_ascii_case(white) && !is_bot(black);
    // Games against computer players and of people without an address are not rated.
    let has_addresses = members.iter().all(|it| it.is_some_and(|it| it.address.is_some()));
    match asked.is_rated == Some(true) && !has_addresses {
        true => None,
        false => Some(!has_left && !are_same),
    }
}

/// A challenge has the opponent and the terms that its command names.
pub fn challenges_are_what_was_asked_for(change: &Change) -> Result<(), Violation> {
    const OF: &str = "challenges_are_what_was_asked_for";
    let given = Given::of(change).filter(|it| it.word == "challenge" && change.status == 0);
    let Some((given, to)) = given.and_then(|it| Some((it, it.rest.first()?))) else {
        return Ok(());
    };
    let Some(asked) = Asked::parse(&given.rest[1..]) else { return Ok(()) };
    let new = change.after.new_rows("challenge", change.before);
    let is_new = |id: &&i64| Challenge::of(change.before, **id).is_none();
    let new: Vec<_> = new.iter().filter(is_new).copied().collect();
    let [id] = new[..] else { return violated(OF, format!("{new:?} after {:?}", change.words)) };
    let Some(it) = Challenge::of(change.after, id) else { return Ok(()) };
    let opponent = Member::named(change.before, to).map(|it| it.id);
    let is_bot = to.starts_with("bot:");
    let gets_mail = |id: Option<&str>| {
        let member = id.and_then(|id| Member::with_id(change.before, id));
        member.is_none_or(|it| it.address.is_some())
    };
    let can_be_rated = !is_bot && gets_mail(it.challenger) && gets_mail(it.opponent);
    let expected = Challenge {
        challenger: given.actor.map(|it| it.id),
        opponent: if to == "anyone" { None } else { opponent },
        bot: is_bot.then_some(to),
        color: asked.color.as_deref().filter(|it| *it != "random"),
        rated: Some(if asked.is_rated.unwrap_or(true) && can_be_rated { "1" } else { "0" }),
        created_at: given.now,
        state: if is_bot { "accepted" } else { "open" },
    };
    if it != expected {
        return violated(OF, format!("{id} is {it:?}, not {expected:?}"));
    }
    asked
        .differs(change.after, "challenge", id)
        .map_or(Ok(()), |found| violated(OF, format!("{found}: {:?}", change.words)))
}

/// A challenge that comes by mail has the terms that the mail names, however the mail program wraps its line.
pub fn mailed_challenges_are_what_was_asked_for(change: &Change) -> Result<(), Violation> {
    const OF: &str = "mailed_challenges_are_what_was_asked_for";
    let Some(mail) = change.incoming else { return Ok(()) };
    let lines: Vec<_> = mail.written.lines().filter(|it| it.starts_with("challenge ")).collect();
    let new = change.after.new_rows("challenge", change.before);
    let ([line], [id]) = (&lines[..], &new[..]) else { return Ok(()) };
    // Another line can have the rest of the command.
    let is_option = |line: &str| line.trim_start().starts_with("--");
    if mail.written.lines().any(is_option) || line.split(' ').next_back().is_some_and(is_option) {
        return Ok(());
    }
    let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
    let asked = Asked::parse(words.get(2..).unwrap_or_default());
    match asked.and_then(|asked| asked.differs(change.after, "challenge", *id)) {
        Some(found) if Challenge::of(change.before, *id).is_none() => {
            violated(OF, format!("{found}: {line}"))
        }
        _ => Ok(()),
    }
}

/// A game that was begun by an accepted challenge has its number, terms, thread and colours.
pub fn games_have_the_terms_of_their_challenges(change: &Change) -> Result<(), Violation> {
    const OF: &str = "games_have_the_terms_of_their_challenges";
    for id in new_games(change) {
        let Some(it) = Challenge::of(change.after, id) else { continue };
        let shared = |table| {
            let row = change.after.columns_of(table, id, ["thread", "mark"]).next();
            (terms(change.after, table, id), row)
        };
        let columns = ["black", "white", "black_bot", "white_bot", "rated"];
        let row = change.after.columns_of("game", id, columns).next().unwrap_or_default();
        let [black, white, black_bot, white_bot, rated] = row;
        let is_black = black == it.challenger;
        let own = if is_black { "black" } else { "white" };
        let other = if is_black { (white, white_bot) } else { (black, black_bot) };
        // A player can be removed by another process in the same step.
        let mails = [change.before, change.after].map(|tables| {
            let has_address =
                |id| Member::with_id(tables, id).is_some_and(|it| it.address.is_some());
            [black, white].into_iter().flatten().all(has_address)
        });
        let is_right = it.state == "accepted"
            && [black, white].contains(&it.challenger)
            && it.color.is_none_or(|color| color == own)
            && it.opponent.is_none_or(|id| other.0 == Some(id))
            && it.bot == other.1
            && mails.iter().any(|&mails| rated == if mails { it.rated } else { Some("0") });
        let moves = change.after.columns_of("challenge", id, ["moves"]).next();
        let moves = moves.and_then(|[it]| it).unwrap_or_default();
        let log = change.after.columns_of("event", id, ["action"]).flatten().flatten();
        let log: Vec<_> = log.filter(|it| *it != "auto-pass").collect();
        let made = moves.split_whitespace().filter(|it| *it != "auto-pass").count();
        if !is_right || shared("game") != shared("challenge") || log.len() < made {
            let found = format!("game {id}, {row:?}, does not follow from {it:?}");
            return violated(
                OF,
                format!("{found}: {:?}, {:?}", shared("game"), shared("challenge")),
            );
        }
    }
    Ok(())
}

/// A game or challenge takes the next number: that of a challenge that came to nothing is not used again.
pub fn numbers_are_the_next(change: &Change) -> Result<(), Violation> {
    let Change { before, after, .. } = *change;
    let new = |table| after.added(table, before).into_iter();
    let is_new = |id: &i64| before.columns_of("challenge", *id, ["id"]).next().is_none();
    let taken: BTreeSet<_> = new("challenge").chain(new("game").filter(is_new)).collect();
    let Some(first) = taken.first().filter(|_| !change.words.is_empty()) else { return Ok(()) };
    let known = ["challenge", "game"].into_iter().flat_map(|it| before.columns(it, ["id"]));
    let next = known.filter_map(|[id]| number(id)).max().unwrap_or(0) + 1;
    let last = next + i64::try_from(taken.len()).unwrap_or_default() - 1;
    match *first == next && taken.last() == Some(&last) {
        true => Ok(()),
        false => violated("numbers_are_the_next", format!("{taken:?} are new, the next is {next}")),
    }
}

/// With so many challenges that name no colour, each colour was drawn for some challengers.
const MANY_DRAWN: usize = 24;

/// The colours of a game are drawn if its challenge names none.
pub fn colours_are_drawn(change: &Change) -> Result<(), Violation> {
    if new_games(change).next().is_none() {
        return Ok(());
    }
    let drawn = Challenge::all(change.after).zip(change.after.columns("challenge", ["id"]));
    let drawn = drawn.filter(|(it, _)| it.state == "accepted" && it.color.is_none());
    let is_black = drawn.filter_map(|(it, [id])| {
        let [black] = change.after.columns_of("game", number(id)?, ["black"]).next()?;
        Some(black == it.challenger)
    });
    let is_black: Vec<_> = is_black.collect();
    let has_both = is_black.contains(&true) && is_black.contains(&false);
    match is_black.len() < MANY_DRAWN || has_both {
        true => Ok(()),
        false => violated("colours_are_drawn", format!("{is_black:?}")),
    }
}

/// A game whose opening is drawn begins with eight given moves, which its players have not had before, unless they
/// meet twice in a tournament; no other has any.
pub fn openings_are_new_to_their_players(change: &Change) -> Result<(), Violation> {
    const OF: &str = "openings_are_new_to_their_players";
    let given = |id| {
        let log = change.after.columns_of("event", id, ["action"]).flatten().flatten();
        log.filter(|it| it.starts_with("given ")).collect::<Vec<_>>()
    };
    let sides = |id| {
        let columns = ["black", "black_bot", "white", "white_bot"];
        let row = change.after.columns_of("game", id, columns).next().unwrap_or_default();
        BTreeSet::from([(row[0], row[1]), (row[2], row[3])])
    };
    for id in new_games(change) {
        let opening = change.after.columns_of("game", id, ["opening"]).next();
        let is_drawn = opening.is_some_and(|[opening]| opening.is_some());
        let (own, pair) = (given(id), sides(id));
        if own.len() != if is_drawn { 8 } else { 0 } {
            return violated(OF, format!("game {id}, {opening:?}, begins with {own:?}"));
        }
        let others = change.after.columns("game", ["id"]).filter_map(|[it]| number(it));
        let is_new = is_drawn && !tournaments::has(change.after, id);
        let mut others = others.filter(|it| is_new && *it != id && sides(*it) == pair);
        if let Some(other) = others.find(|it| given(*it) == own) {
            return violated(OF, format!("games {other} and {id} begin with {own:?}"));
        }
    }
    Ok(())
}

/// A game that the host begins has the players and the terms that the command names.
pub fn new_games_are_what_was_asked_for(change: &Change) -> Result<(), Violation> {
    const OF: &str = "new_games_are_what_was_asked_for";
    let given = Given::of(change).filter(|it| it.word == "new" && change.status == 0);
    let Some([variant, black, white, options @ ..]) = given.map(|it| it.rest) else {
        return Ok(());
    };
    let new: Vec<_> = new_games(change).collect();
    let [id] = new[..] else { return violated(OF, format!("{new:?} after {:?}", change.words)) };
    let words = [&[variant.clone()][..], options].concat();
    let Some(asked) = Asked::parse(&words) else { return Ok(()) };
    let columns = ["black", "white", "black_bot", "white_bot", "rated"];
    let row = change.after.columns_of("game", id, columns).next();
    let of = |name: &str| Member::named(change.after, name).map(|it| it.id);
    let bot = |name| Some(name).filter(|it: &&String| it.starts_with("bot:")).map(String::as_str);
    let rated = if asked.is_rated == Some(true) { "1" } else { "0" };
    let expected = [of(black), of(white), bot(black), bot(white), Some(rated)];
    if ![black, white].iter().any(|it| it.contains('@')) && row != Some(expected) {
        return violated(OF, format!("game {id} is {row:?}, not {expected:?}"));
    }
    asked
        .differs(change.after, "game", id)
        .map_or(Ok(()), |found| violated(OF, format!("{found}: {:?}", change.words)))
}

/// A rematch has the terms of the game before it, with the other colours.
pub fn rematches_have_the_same_terms(change: &Change) -> Result<(), Violation> {
    let is_given = |word| change.words.first().is_some_and(|it| it == word);
    if is_given("new") {
        return Ok(());
    }
    let events = || replies::new_events(change).into_iter();
    for id in new_games(change) {
        let is_other =
            Challenge::of(change.after, id).is_some() || tournaments::has(change.after, id);
        if change.words.is_empty() || is_other {
            continue;
        }
        let columns = ["black", "white", "black_bot", "white_bot", "rated"];
        let of = |game: i64| {
            let row = change.after.columns_of("game", game, columns).next();
            (terms(change.after, "game", game), row)
        };
        let (new_terms, new) = of(id);
        let is_before = |game: i64| {
            let (terms, row) = of(game);
            let swapped = row.map(|[a, b, c, d, rated]| [b, a, d, c, rated]);
            terms == new_terms && swapped == new
        };
        let accepted = events().filter(|it| it.event.action == "accept");
        let offered = events().filter(|it| it.event.action == "offer rematch");
        let mut games = accepted.chain(offered).filter_map(|it| it.game.parse().ok());
        if !games.any(is_before) {
            let at = DateTime::from_timestamp(change.now.timestamp(), 0).unwrap_or_default();
            let found = format!("game {id} at {at}: {new:?} {new_terms:?}: {:?}", change.words);
            return violated("rematches_have_the_same_terms", found);
        }
    }
    Ok(())
}
