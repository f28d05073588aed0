//! What stands in a letter of the club, from the tables: docs/club.md, The letter of the club.

use std::collections::{BTreeMap, BTreeSet};

use chrono::DateTime;

use super::super::games::figure;
use super::super::list_rows::zone_of;
use super::super::lists::manner;
use super::super::mail_texts::flat;
use super::super::rows::{name_of, of_player, title};
use super::super::scores::Division;
use super::super::tournament_tables::Cup;
use crate::simulator::replay::Replayed;
use crate::simulator::tables::{Tables, number};

/// The most games, and the most new members, that a letter lists.
const MAX_LISTED: usize = 20;
/// The most changes in the standings.
const MAX_CHANGES: usize = 10;
/// The most tournaments in each state.
const MAX_TOURNAMENTS: usize = 10;
/// The first rating.
const FIRST: i64 = 1500;

/// The week of a reader.
pub(super) struct Week<'a> {
    tables: &'a Tables,
    reader: i64,
    from: i64,
    until: i64,
    /// The ratings in each list, by player, in the order of their games.
    ratings: BTreeMap<(&'a str, i64), Vec<Rated>>,
    /// The games that ended in it, the latest first.
    ended: Vec<Ended>,
}

/// When a rating changed, by which game, and the rating.
type Rated = (i64, i64, i64);

/// A finished game. The colours are 0 and 1.
struct Ended {
    id: i64,
    at: i64,
    people: [Option<i64>; 2],
    names: [String; 2],
    winner: Option<usize>,
    reason: String,
    discs: [i64; 2],
}

/// A row of a table: what is first in it, and its words in the order of the alphabet, since cells are wrapped.
type Row = (String, Vec<String>);

/// A part of a letter.
type Part<'a> = fn(&Week<'a>, &str) -> Result<(), String>;

impl<'a> Week<'a> {
    /// What a letter has, each with its name.
    pub(super) const PARTS: [(&'static str, Part<'a>); 7] = [
        ("letters_have_the_own_week", Self::has_own_games),
        ("letters_have_the_games_of_others", Self::has_games_of_others),
        ("letters_name_the_greatest_upset", Self::names_the_upset),
        ("letters_show_the_closest_game", Self::shows_the_closest),
        ("letters_have_the_greatest_changes", Self::has_the_changes),
        ("letters_list_the_tournaments", Self::lists_tournaments),
        ("letters_name_new_members", Self::names_new_members),
    ];

    pub(super) fn of(tables: &'a Tables, reader: i64, [from, until]: [i64; 2]) -> Option<Self> {
        if tables.columns("recalculation", ["list"]).next().is_some() {
            return None;
        }
        let mut ratings: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let columns = ["list", "player", "ended_at", "game", "rating"];
        for [list, player, at, game, rating] in tables.columns("rating", columns) {
            let rating = rating?.parse::<f64>().ok()?.round() as i64;
            let of = ratings.entry((list?, number(player)?)).or_default();
            of.push((number(at)?, number(game)?, rating));
        }
        ratings.values_mut().for_each(|it| it.sort_unstable());
        let games = tables.columns("game", ["id", "turn", "reason", "local", "since"]);
        let games = games.filter(|[_, turn, reason, local, since]| {
            let counts = reason.is_some_and(|it| !matches!(it, "annulled" | "declined"));
            let is_in_week = number(*since).is_some_and(|at| (from..until).contains(&at));
            turn.is_none() && counts && *local == Some("0") && is_in_week
        });
        let mut ended: Vec<_> =
            games.filter_map(|[id, ..]| Ended::of(tables, number(id)?)).collect();
        ended.sort_unstable_by_key(|it| std::cmp::Reverse((it.at, it.id)));
        Some(Self { tables, reader, from, until, ratings, ended })
    }

    /// Returns whether a letter about it has nothing to say.
    pub(super) fn is_empty(&self) -> bool {
        let is_in_week = |at: Option<&str>| number(at).is_some_and(|at| self.contains(at));
        let mut tournaments = self.tables.columns("tournament", ["created_at", "ended_at"]);
        let has_tournaments = tournaments.any(|times| times.into_iter().any(is_in_week));
        !self.has_people() && !has_tournaments
    }

    /// Returns whether somebody whom the letter may name has ended a game, has another rating or joined the club in it.
    fn has_people(&self) -> bool {
        let has_games = self.own().next().is_some() || !self.visible().is_empty();
        has_games || !self.new_members().is_empty() || !self.changes().is_empty()
    }

    /// Returns whether a letter that was queued after it has something to say.
    pub(super) fn has_news(&self, queued_at: i64) -> bool {
        queued_at >= self.until && self.has_people()
    }

    fn contains(&self, at: i64) -> bool {
        (self.from..self.until).contains(&at)
    }

    fn may_name(&self, player: i64) -> bool {
        player == self.reader || of_player(self.tables, player, "named") == Some("on")
    }

    fn own(&self) -> impl Iterator<Item = &Ended> {
        self.ended.iter().filter(|it| it.people.contains(&Some(self.reader)))
    }

    /// Returns the games of two people, the reader's own and those whose players may be named.
    fn visible(&self) -> Vec<&Ended> {
        let is_visible = |it: &&Ended| {
            let [Some(black), Some(white)] = it.people else { return false };
            let people = [black, white];
            people.contains(&self.reader) || people.iter().all(|it| self.may_name(*it))
        };
        self.ended.iter().filter(is_visible).collect()
    }

    /// Returns the rating of a player before and after a rated game.
    fn rated(&self, game: i64, player: i64) -> Option<(Option<i64>, i64)> {
        let of_player = self.ratings.iter().filter(|((_, it), _)| *it == player);
        let mut of_player = of_player.map(|(_, ratings)| ratings);
        of_player.find_map(|ratings| {
            let at = ratings.iter().position(|it| it.1 == game)?;
            Some((at.checked_sub(1).map(|at| ratings[at].2), ratings[at].2))
        })
    }

    fn has_own_games(&self, text: &str) -> Result<(), String> {
        let own: Vec<_> = self.own().collect();
        let color = |it: &Ended| usize::from(it.people[0] != Some(self.reader));
        let row = |it: &&Ended| {
            let own = color(it);
            let result = match it.winner {
                Some(winner) if winner == own => "won",
                Some(_) => "lost",
                None => "drawn",
            };
            let rated = self.rated(it.id, self.reader).filter(|_| it.people[1 - own].is_some());
            let change = rated.map_or(String::new(), change);
            let (against, how) = (&it.names[1 - own], it.how(own));
            self.row(it, &format!("{against} {result}{how} {change}"))
        };
        let count = |won: Option<bool>| {
            own.iter().filter(|it| it.winner.map(|winner| winner == color(it)) == won).count()
        };
        let counts = [(Some(true), "won"), (Some(false), "lost"), (None, "drawn")];
        let counts = counts.map(|(won, word)| (count(won), word));
        let counts = counts.iter().filter(|it| it.0 > 0).map(|it| format!("{} {}", it.0, it.1));
        let counts = joined(&counts.collect::<Vec<_>>());
        let head = format!("You finished {}: {counts}.", counted(own.len()));
        self.lists(text, ("You finished ", &head), own.iter().map(row).collect())?;
        self.has_own_ratings(&flat(text), !own.is_empty())
    }

    /// Below the heading of the own games stands each own rating that has changed. The title of the list is not
    /// compared.
    fn has_own_ratings(&self, text: &str, has_games: bool) -> Result<(), String> {
        let name = name_of(self.tables, self.reader).unwrap_or_default();
        let own = self.changes().into_iter().filter(|it| it.0 == name && has_games);
        let mut expected: Vec<_> = own.map(|(_, row, _)| row).collect();
        let sentences = text.split("Your rating in ").skip(1);
        let rating = |it: &str| {
            let (_, rest) = it.split_once(": ")?;
            let (rating, rest) = rest.split_once(" \u{b1} ")?;
            Some([rating.to_owned(), rest.split_once('(')?.1.split_once(')')?.0.to_owned()])
        };
        let mut found: Vec<_> = sentences.filter_map(rating).collect();
        expected.sort_unstable();
        found.sort_unstable();
        match found == expected {
            true => Ok(()),
            false => Err(format!("the own ratings are {found:?}, not {expected:?}")),
        }
    }

    fn has_games_of_others(&self, text: &str) -> Result<(), String> {
        let visible = self.visible().into_iter();
        let others = visible.filter(|it| !it.people.contains(&Some(self.reader)));
        let row = |it: &Ended| {
            let [first, second] = it.colors();
            let change = |at: usize| self.rated(it.id, it.people[at]?).map(change);
            let changes = [first, second].into_iter().filter_map(change).collect::<Vec<_>>();
            self.row(it, &format!("{} {}", it.result(), changes.join(", ")))
        };
        let rows: Vec<_> = others.map(row).collect();
        let head = format!("Others played {} to the end.", counted(rows.len()));
        self.lists(text, ("Others played ", &head), rows)
    }

    fn row(&self, it: &Ended, rest: &str) -> Row {
        let title = title(self.tables, "game", it.id).unwrap_or_default();
        (it.id.to_string(), words(&format!("{} {title} {rest}", it.id)))
    }

    /// The first of these rows stand below the heading, in their order, and then how many more there are.
    fn lists(&self, text: &str, (begin, head): (&str, &str), rows: Vec<Row>) -> Result<(), String> {
        let listed = table_below(text, begin, |line| {
            let first = line.split_whitespace().next().unwrap_or_default();
            first.parse::<i64>().is_ok()
        });
        if rows.is_empty() {
            return if listed.is_empty() { Ok(()) } else { Err(format!("lists {listed:?}")) };
        }
        let rest = rows.len().saturating_sub(MAX_LISTED);
        let more = if rest > 0 { format!("And {rest} more") } else { String::new() };
        let expected = &rows[..rows.len() - rest];
        let flat = flat(text);
        match listed == expected && flat.contains(head) && flat.contains(&more) {
            true => Ok(()),
            false => Err(format!("lists {listed:?}, not {head:?} {expected:?} {more:?}")),
        }
    }

    fn names_the_upset(&self, text: &str) -> Result<(), String> {
        let upsets = self.visible().into_iter().filter_map(|it| {
            let winner = it.winner?;
            let before = |at: usize| self.rated(it.id, it.people[at]?)?.0;
            let [better, worse] = [before(1 - winner)?, before(winner)?];
            let [names, other] = [&it.names[winner], &it.names[1 - winner]];
            let said = format!("game {}: {names} ({worse}) beat {other} ({better}).", it.id);
            Some((better - worse, said))
        });
        let upsets: Vec<_> = upsets.filter(|(by, _)| *by > 0).collect();
        let greatest = upsets.iter().map(|it| it.0).max();
        let expected: Vec<_> = upsets.iter().filter(|it| Some(it.0) == greatest).collect();
        one_of(text, "The greatest upset was ", expected.iter().map(|it| &*it.1))
    }

    fn shows_the_closest(&self, text: &str) -> Result<(), String> {
        let by_discs = self.visible().into_iter().filter(|it| it.reason == "discs");
        let apart = |it: &Ended| (it.discs[0] - it.discs[1]).abs();
        let by_discs: Vec<_> = by_discs.map(|it| (apart(it), it)).collect();
        let least = by_discs.iter().map(|it| it.0).min();
        let closest = by_discs.iter().filter(|it| Some(it.0) == least).map(|it| it.1);
        let said = |it: &Ended| format!("game {}: {}.", it.id, it.result());
        let closest: Vec<_> = closest.map(|it| (said(it), it)).collect();
        one_of(text, "The closest game was ", closest.iter().map(|it| &*it.0))?;
        let all = flat(text);
        let Some((_, it)) = closest.iter().find(|it| all.contains(&it.0)) else { return Ok(()) };
        let position = Replayed::of(self.tables, it.id, usize::MAX)?.board.position_string();
        let position = position.trim_matches(['(', ')']).split_once(' ').map_or("", |it| it.1);
        let below = text.split("The closest game was ").nth(1).unwrap_or_default();
        match figure(below).filter(|shown| shown != position) {
            Some(shown) => Err(format!("game {} is {position}, not {shown}", it.id)),
            None => Ok(()),
        }
    }

    /// Returns by how much ratings have changed: the names, what a row says, and the points.
    fn changes(&self) -> Vec<(&'a str, [String; 2], i64)> {
        let of_two = self.ended.iter().filter(|it| it.people.iter().all(Option::is_some));
        let games: BTreeSet<_> = of_two.map(|it| it.id).collect();
        let changes = self.ratings.iter().filter_map(|((_, player), ratings)| {
            let is_here = of_player(self.tables, *player, "left_at").is_none();
            let mut games = ratings.iter().map(|it| games.contains(&it.1));
            if !is_here || !self.may_name(*player) || !games.any(|it| it) {
                return None;
            }
            let at = |end: i64| ratings.iter().rfind(|it| it.0 < end).map(|it| it.2);
            let (before, after) = (at(self.from), at(self.until)?);
            let row = [after.to_string(), change((before, after))];
            let points = (after - before.unwrap_or(FIRST)).abs();
            Some((name_of(self.tables, *player)?, row, points))
        });
        changes.collect()
    }

    fn has_the_changes(&self, text: &str) -> Result<(), String> {
        let listed = table_below(text, "Changes in the standings:", |line| !line.starts_with(' '));
        let mut left = self.changes();
        let count = left.len().min(MAX_CHANGES);
        let mut points = Vec::new();
        for (name, words) in &listed {
            let is_it = |it: &(&str, [String; 2], i64)| {
                it.0 == name && it.1.iter().all(|word| words.contains(word))
            };
            // The title of a list is not compared. Of two lists, the greater change comes first.
            let of_name = (0..left.len()).filter(|at| is_it(&left[*at]));
            let Some(at) = of_name.max_by_key(|at| left[*at].2) else {
                return Err(format!("{name} {words:?} is none of {left:?}"));
            };
            points.push(left.remove(at).2);
        }
        let greater = left.iter().find(|it| Some(&it.2) > points.last());
        match points.is_sorted_by(|one, other| one >= other) && points.len() == count {
            true if greater.is_none() || count < MAX_CHANGES => Ok(()),
            _ => Err(format!("lists {listed:?}, and leaves out {left:?}")),
        }
    }

    fn lists_tournaments(&self, text: &str) -> Result<(), String> {
        let columns = ["id", "name", "format", "state", "season", "ended_at"];
        let (mut ended, mut open) = (BTreeSet::new(), BTreeSet::new());
        for [id, name, format, state, season, ended_at] in
            self.tables.columns("tournament", columns)
        {
            let (Some(id), Some(name), Some(season)) = (number(id), name, number(season)) else {
                continue;
            };
            let over = season - i64::from(state == Some("running"));
            let is_in_week = number(ended_at).is_some_and(|at| self.contains(at));
            if over > 0 && is_in_week {
                let season = if format == Some("league") { over } else { 0 };
                ended.insert(titled(name, season) + &self.winners(id, over));
            }
            if state == Some("open") {
                open.extend(self.open(id, name, season));
            }
        }
        let listed = items_below(text, "Open tournaments, ").into_iter();
        let listed: BTreeSet<_> = listed.collect();
        if listed != open && open.len() <= MAX_TOURNAMENTS {
            return Err(format!("the open ones are {open:?}, not {listed:?}"));
        }
        let listed = items_below(text, "Tournaments that ended:").into_iter().collect();
        match ended == listed || ended.len() > MAX_TOURNAMENTS {
            true => Ok(()),
            false => Err(format!("{ended:?} have ended, not {listed:?}")),
        }
    }

    /// Returns what is said of an open tournament: what is played, how many have joined and when it starts.
    fn open(&self, id: i64, name: &str, season: i64) -> Option<String> {
        let cup = Cup::of(self.tables, id)?;
        let (facts, joined) = (cup.facts()?, cup.joined().len());
        let game = facts[0].strip_prefix("Game: ")?.to_owned();
        let zone = zone_of(self.tables, &self.reader.to_string());
        let day = |at: i64| {
            let at = DateTime::from_timestamp(at, 0).unwrap_or_default().with_timezone(&zone);
            format!("; it starts on {}", at.format("%A, %-d %B %Y"))
        };
        let starts = cup.starts_at.map_or_else(String::new, day);
        let places = self.tables.columns_of("tournament", id, ["places"]).next()?[0]?;
        let of = if season > 0 { String::new() } else { format!(" of {places}") };
        let name = titled(name, if season > 0 { season + 1 } else { 0 });
        Some(format!("{name} ({game}): {joined}{of} have joined{starts}"))
    }

    /// Returns who has won a season, if they may be named.
    fn winners(&self, tournament: i64, season: i64) -> String {
        let first = Division::all(self.tables, tournament, season).into_iter().next();
        let winners = first.map(|it| it.winners()).unwrap_or_default();
        if winners.is_empty() || !winners.iter().all(|it| self.may_name(*it)) {
            return String::new();
        }
        let names = winners.iter().filter_map(|it| name_of(self.tables, *it)).map(str::to_owned);
        format!(", won by {}", joined(&names.collect::<Vec<_>>()))
    }

    fn new_members(&self) -> Vec<String> {
        let columns = ["id", "name", "created_at", "left_at", "named"];
        let new = self.tables.columns("player", columns).filter_map(|row| {
            let [id, name, created_at, left_at, named] = row;
            let (id, at) = (number(id)?, number(created_at)?);
            let is_new = self.contains(at) && left_at.is_none() && named == Some("on");
            (is_new && id != self.reader).then(|| (at, id, name.unwrap_or_default().to_owned()))
        });
        let new: BTreeSet<_> = new.collect();
        new.into_iter().map(|(.., name)| name).collect()
    }

    fn names_new_members(&self, text: &str) -> Result<(), String> {
        let mut new = self.new_members();
        let rest = new.len().saturating_sub(MAX_LISTED);
        new.truncate(MAX_LISTED);
        new.extend((rest > 0).then(|| format!("{rest} more")));
        let said = format!("{}.", joined(&new));
        one_of(text, "New members: ", (!new.is_empty()).then_some(&*said).into_iter())
    }
}

impl Ended {
    fn of(tables: &Tables, id: i64) -> Option<Self> {
        let columns = ["since", "black", "white", "black_bot", "white_bot", "winner", "reason"];
        let [at, black, white, black_bot, white_bot, winner, reason] =
            tables.columns_of("game", id, columns).next()?;
        let discs = tables.columns_of("game", id, ["black_discs", "white_discs"]).next()?;
        let [black_discs, white_discs] = discs.map(number);
        let people = [number(black), number(white)];
        let name = |at: usize, bot: Option<&str>| match people[at] {
            Some(player) => name_of(tables, player).map(str::to_owned),
            None => bot.map(str::to_owned),
        };
        Some(Self {
            id,
            at: number(at)?,
            people,
            names: [name(0, black_bot)?, name(1, white_bot)?],
            winner: winner.map(|it| usize::from(it == "white")),
            reason: reason?.to_owned(),
            discs: [black_discs?, white_discs?],
        })
    }

    /// Returns the colours of the winner and the loser; of a draw, Black comes first.
    fn colors(&self) -> [usize; 2] {
        let first = self.winner.unwrap_or(0);
        [first, 1 - first]
    }

    /// Returns how it was decided, with the discs of this colour first.
    fn how(&self, own: usize) -> String {
        match &*self.reason {
            "discs" => format!(" {}-{}", self.discs[own], self.discs[1 - own]),
            reason => match manner(reason) {
                "" => format!(" {reason}"),
                manner => manner.to_owned(),
            },
        }
    }

    fn result(&self) -> String {
        let [first, second] = self.colors();
        let [one, other] = [&self.names[first], &self.names[second]];
        let how = self.how(first);
        match self.winner {
            Some(_) => format!("{one} beat {other}{how}"),
            None => format!("{one} and {other} drew{how}"),
        }
    }
}

/// Returns by how much a rating has changed.
fn change((before, after): (Option<i64>, i64)) -> String {
    match before.map(|before| after - before) {
        None => "new".to_owned(),
        Some(0) => "0".to_owned(),
        Some(points) => format!("{points:+}"),
    }
}

fn counted(games: usize) -> String {
    format!("{games} game{}", if games == 1 { "" } else { "s" })
}

fn titled(name: &str, season: i64) -> String {
    if season > 0 { format!("{name}, season {season}") } else { name.to_owned() }
}

fn joined(items: &[String]) -> String {
    match items.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

/// Returns the words of a text in the order of the alphabet.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
    words.sort_unstable();
    words
}

/// Returns the rows of the table below the paragraph that begins like this.
fn table_below(text: &str, heading: &str, begins: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut paragraphs = text.split("\n\n").skip_while(|it| !it.starts_with(heading)).skip(1);
    let mut rows: Vec<String> = Vec::new();
    for line in paragraphs.next().unwrap_or_default().lines().skip(1) {
        match rows.last_mut() {
            Some(last) if !begins(line) => last.extend([" ", line]),
            _ => rows.push(line.to_owned()),
        }
    }
    let first = |row: &String| row.split_whitespace().next().unwrap_or_default().to_owned();
    rows.iter().map(|row| (first(row), words(row))).collect()
}

/// Returns the items of the list below the paragraph that begins like this.
fn items_below(text: &str, heading: &str) -> Vec<String> {
    let mut paragraphs = text.split("\n\n").skip_while(|it| !it.starts_with(heading)).skip(1);
    let list = flat(paragraphs.next().unwrap_or_default());
    let items = list.strip_prefix("- ").unwrap_or_default().split(" - ");
    items.filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// A sentence that begins like this goes on with one of these; without any, there is none.
fn one_of<'t>(
    text: &str,
    begin: &str,
    mut ends: impl Iterator<Item = &'t str> + Clone,
) -> Result<(), String> {
    let text = flat(text);
    let rest = text.split_once(begin).map(|it| it.1);
    let is_right = match rest {
        Some(rest) => ends.clone().any(|end| rest.starts_with(end)),
        None => ends.next().is_none(),
    };
    match is_right {
        true => Ok(()),
        false => {
            Err(format!("{begin:?} goes on with {rest:?}, not {:?}", ends.collect::<Vec<_>>()))
        }
    }
}
