//! The letter of the club: what happened in the week before a Monday, as its reader may see it. Games of players
//! who do not want to be named are left out, except the reader's own.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::app::views::game::{manner, title};
use crate::app::views::hint::signed;
use crate::app::views::rating;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::text::mail_text;
use crate::app::views::time;
use crate::app::views::{season, tournament};
use crate::app::{Error, Reply, find};
use crate::store::{Db, GameSummary};
use outflank_model::log::Reason;
use outflank_model::preferences::Switch;
use outflank_model::rating::{List, Rating};
use outflank_model::tournament::{Format, Plan, Tournament, TournamentState};
use outflank_model::words::{counted, joined};
use outflank_model::{Player, PlayerId};
use outflank_rules::Color;

/// The most finished games and the most new members of a week that a letter reads: the latest games.
const MAX_READ: u32 = 500;
/// The most games, and the most new members, that it lists.
const MAX_LISTED: usize = 20;
/// The most changes in the standings that it lists.
const MAX_CHANGES: usize = 10;
/// The most tournaments in each state that it lists.
const MAX_TOURNAMENTS: u32 = 10;

/// A letter of the club.
pub(super) struct Letter {
    /// Its text, with markup.
    pub text: String,
    /// The keys of those whom it names, without the reader and the opponents of the reader's own games.
    pub named: String,
}

/// Returns the letter that is due on this Monday; `None` if nothing happened in the week before, or if the next
/// letter is due.
pub(super) fn of_week(
    db: &Db,
    reader: &Player,
    monday: NaiveDate,
    now: DateTime<Utc>,
) -> Result<Option<Letter>, Error> {
    let zone = reader.preferences.clock.zone;
    let [first, next] = [-1, 1].map(|weeks| monday + TimeDelta::weeks(weeks));
    if zone.start_of(next) <= now {
        return Ok(None);
    }
    let [from, until] = [first, monday].map(|day| zone.start_of(day));
    let (known, named) = (HashMap::new(), BTreeSet::new());
    let mut week = Week { db, reader, from, until, known, named };
    let Some(reply) = week.reply(&time::short_days((first, monday - TimeDelta::days(1))))? else {
        return Ok(None);
    };
    let named: Vec<_> = week.named.iter().map(ToString::to_string).collect();
    Ok(Some(Letter { text: mail_text(&reply, reader), named: named.join(" ") }))
}

/// Returns whether all players whom a letter names still want to be named.
pub(super) fn may_name(db: &Db, named: Option<&str>) -> Result<bool, Error> {
    for id in named.unwrap_or_default().split_whitespace() {
        let id = id.parse().map_err(Error::fault)?;
        if db.player(PlayerId(id))?.preferences.named == Switch::Off {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A week of the club, for a reader.
struct Week<'a> {
    db: &'a Db<'a>,
    reader: &'a Player,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    /// The players of the games, by name.
    known: HashMap<String, Player>,
    named: BTreeSet<i64>,
}

/// A finished game of two people.
struct Finished {
    game: GameSummary,
    players: [Player; 2],
    /// What it changed; `None` if it was not rated.
    rated: Option<Rated>,
}

/// What a game changed: the ratings of both players, before and after it.
struct Rated {
    list: List,
    before: [Option<Rating>; 2],
    after: [Rating; 2],
}

/// What a week has changed in the standings.
struct Change {
    player: Player,
    list: List,
    rating: Rating,
    before: Option<Rating>,
    /// The places before and after the week.
    places: [Option<usize>; 2],
}

impl Finished {
    fn is_of(&self, player: &Player) -> bool {
        self.players.iter().any(|it| it.id == player.id)
    }

    /// Returns the colours of the winner and the loser; of a draw those of Black and White.
    fn colors(&self) -> [Color; 2] {
        let first = self.game.winner.unwrap_or(Color::Black);
        [first, !first]
    }

    /// Returns the result in words: `ann beat bob 40-24`.
    fn result(&self) -> String {
        let [first, second] = self.colors().map(|color| self.game.name(color));
        let how = how(&self.game, self.colors()[0]);
        match self.game.winner {
            Some(_) => format!("{first} beat {second}{how}"),
            None => format!("{first} and {second} drew{how}"),
        }
    }

    /// Returns the changes of both ratings, in the order of the result: `+12, -9`.
    fn changes(&self) -> Entry {
        Entry::of(self.rated.as_ref().map(|rated| {
            let change = |color: Color| change(color.pick(rated.after), color.pick(rated.before));
            self.colors().map(change).join(", ")
        }))
    }

    /// Returns the ratings of the winner and the loser before it; `None` if it was drawn or they had none.
    fn ratings_before(&self) -> Option<[i32; 2]> {
        let before = self.rated.as_ref().filter(|_| self.game.winner.is_some())?.before;
        let [winner, loser] = self.colors().map(|color| color.pick(before));
        Some([winner?.rounded(), loser?.rounded()])
    }
}

/// Returns by how much a rating has changed: `+12`, or `new`.
fn change(after: Rating, before: Option<Rating>) -> String {
    before.map_or("new".to_owned(), |before| signed(after.rounded() - before.rounded()))
}

impl Week<'_> {
    /// Returns the letter about these days; `None` if nothing happened.
    fn reply(&mut self, days: &str) -> Result<Option<Reply>, Error> {
        let (db, reader) = (self.db, self.reader);
        let games = self.games()?;
        let changes = self.changes(&games)?;
        let is_visible =
            |it: &&Finished| it.is_of(reader) || it.players.iter().all(|it| self.may_name(it));
        let visible: Vec<_> = games.iter().filter(is_visible).collect();
        let reply = Reply::default().text(format!("The club {days}"));
        let reply = self.own(reply, &games, &changes)?;
        let reply = self.others(reply, &visible);
        let reply = self.highlights(reply, &visible)?;
        let reply = self.standings(reply, &changes);
        let reply = self.ended(reply)?;
        let reply = self.new_members(reply)?;
        let open = tournaments(db, TournamentState::Open)?;
        if reply.blocks.len() == 1 && !open.iter().any(|it| self.contains(it.created_at)) {
            return Ok(None);
        }
        let reply = self.open(reply, &open)?;
        Ok(Some(reply.text("To get no more letters, write `set letter off`.")))
    }

    fn contains(&self, time: DateTime<Utc>) -> bool {
        (self.from..self.until).contains(&time)
    }

    /// Returns the last seconds before the week and of the week.
    fn ends(&self) -> [DateTime<Utc>; 2] {
        [self.from, self.until].map(|time| time - TimeDelta::seconds(1))
    }

    fn may_name(&self, player: &Player) -> bool {
        player.preferences.named == Switch::On || player.id == self.reader.id
    }

    /// Records that the letter names these players.
    fn name<'p>(&mut self, players: impl IntoIterator<Item = &'p Player>) {
        let others = players.into_iter().filter(|it| it.id != self.reader.id);
        self.named.extend(others.map(|it| it.id.0));
    }

    /// Records that the letter names the players of a game, which its own players may know.
    fn name_players(&mut self, it: &Finished) {
        if !it.is_of(self.reader) {
            self.name(&it.players);
        }
    }

    /// Returns the games of two people that ended in the week, the latest first.
    fn games(&mut self) -> Result<Vec<Finished>, Error> {
        let db = self.db;
        let games = db.summaries(db.counted_between(None, self.from, self.until, MAX_READ)?)?;
        let mut finished = Vec::new();
        for game in games {
            let [Some(black), Some(white)] = [self.player(&game.black)?, self.player(&game.white)?]
            else {
                continue;
            };
            let rated = rated(db, &game, [black.id, white.id])?;
            finished.push(Finished { game, players: [black, white], rated });
        }
        Ok(finished)
    }

    fn player(&mut self, name: &str) -> Result<Option<Player>, Error> {
        if !self.known.contains_key(name) {
            let Some(player) = self.db.player_named(name)? else { return Ok(None) };
            self.known.insert(name.to_owned(), player);
        }
        Ok(self.known.get(name).cloned())
    }

    /// Returns what these games have changed in the standings for members who may be named, the greatest
    /// change first.
    fn changes(&self, games: &[Finished]) -> Result<Vec<Change>, Error> {
        let (db, ends) = (self.db, self.ends());
        let (mut changes, mut places) = (Vec::<Change>::new(), HashMap::new());
        for Finished { players, rated, .. } in games {
            let Some(list) = rated.as_ref().map(|it| it.list) else { continue };
            let key = list.to_string();
            if !places.contains_key(&key) {
                let [before, after] = ends.map(|end| rating::places(db, list, end));
                places.insert(key.clone(), [before?, after?]);
            }
            for player in players.iter().filter(|it| it.left_at.is_none() && self.may_name(it)) {
                if changes.iter().any(|it| it.list == list && it.player.id == player.id) {
                    continue;
                }
                let [before, after] = ends.map(|end| rating::at(db, list, player.id, end));
                let Some(rating) = after? else { continue };
                let places = places[&key].each_ref().map(|it| it.get(&player.name).copied());
                let player = player.clone();
                changes.push(Change { player, list, rating, before: before?, places });
            }
        }
        changes.sort_by_key(|it| Reverse(it.difference()));
        Ok(changes)
    }

    /// Adds the reader's own games, also those against computer players and against players who do not want
    /// to be named.
    fn own(&self, reply: Reply, games: &[Finished], changes: &[Change]) -> Result<Reply, Error> {
        let (db, reader) = (self.db, self.reader);
        let ids = db.counted_between(Some(reader.id), self.from, self.until, MAX_READ)?;
        let own = db.summaries(ids)?;
        if own.is_empty() {
            return Ok(reply);
        }
        let color = |game: &GameSummary| match game.black == reader.name {
            true => Color::Black,
            false => Color::White,
        };
        let results = [
            ("won", own.iter().filter(|it| it.winner == Some(color(it))).count()),
            ("lost", own.iter().filter(|it| it.winner == Some(!color(it))).count()),
            ("drawn", own.iter().filter(|it| it.winner.is_none()).count()),
        ];
        let results = results.iter().filter(|(_, count)| *count > 0);
        let results: Vec<_> = results.map(|(result, count)| format!("{count} {result}")).collect();
        let finished = counted(own.len(), "game");
        let head = format!("You finished {finished}: {}.", joined(&results, "and"));
        let ratings = changes.iter().filter(|it| it.player.id == reader.id);
        let ratings = ratings.map(|it| it.sentence(self.until));
        let lines: Vec<_> = [head].into_iter().chain(ratings).collect();
        let rating = |game: &GameSummary| {
            let rated = games.iter().find(|it| it.game.id == game.id)?.rated.as_ref()?;
            let own = color(game);
            Some(change(own.pick(rated.after), own.pick(rated.before)))
        };
        let (listed, rest) = first(&own);
        let reply = reply.text(lines.join("\n")).table(
            Table::of(
                listed,
                &[
                    (Column::Number("Game"), &|game| Entry::Game(game.id)),
                    (Column::Prose("Variant"), &|game| title(game).into()),
                    (Column::Prose("Against"), &|game| Entry::player(game.name(!color(game)))),
                    (Column::Prose("Result"), &|game| own_result(game, color(game)).into()),
                    (Column::Number("Rating"), &|game| Entry::of(rating(game))),
                ],
            ),
            "",
        );
        Ok(match rest {
            0 => reply,
            _ => reply.text(format!("And {rest} more; see `games --finished`.")),
        })
    }

    /// Adds the games of others.
    fn others(&mut self, reply: Reply, visible: &[&Finished]) -> Reply {
        let others = visible.iter().copied().filter(|it| !it.is_of(self.reader));
        let others: Vec<_> = others.collect();
        if others.is_empty() {
            return reply;
        }
        let (listed, rest) = first(&others);
        self.name(listed.iter().flat_map(|it| &it.players));
        let table = Table::of(
            listed,
            &[
                (Column::Number("Game"), &|it| Entry::Game(it.game.id)),
                (Column::Prose("Variant"), &|it| title(&it.game).into()),
                (Column::Prose("Result"), &|it| it.result().into()),
                (Column::Text("Ratings"), &|it| it.changes()),
            ],
        );
        let head = format!("Others played {} to the end.", counted(others.len(), "game"));
        let reply = reply.text(head).table(table, "");
        if rest == 0 { reply } else { reply.text(format!("And {rest} more.")) }
    }

    /// Adds the greatest upset by rating, and the game with the closest score on a full board.
    fn highlights(&mut self, mut reply: Reply, visible: &[&Finished]) -> Result<Reply, Error> {
        let upsets = visible.iter().filter_map(|it| Some((it, it.ratings_before()?)));
        let upset = upsets.max_by_key(|(_, [winner, loser])| loser - winner);
        if let Some((it, [winner, loser])) = upset.filter(|(_, [winner, loser])| loser > winner) {
            self.name_players(it);
            let [worse, better] = it.colors().map(|color| it.game.name(color));
            reply = reply.text(format!(
                "The greatest upset was game {}: {worse} ({winner}) beat {better} ({loser}).",
                it.game.id
            ));
        }
        let by_discs = visible.iter().filter(|it| it.game.reason() == Some(Reason::Discs));
        let closest = by_discs.min_by_key(|it| it.game.discs.0.abs_diff(it.game.discs.1));
        if let Some(it) = closest
            && let Some(stored) = find::intact_game(self.db, it.game.id)?
        {
            self.name_players(it);
            let (id, result) = (it.game.id, it.result());
            let text = format!("The closest game was game {id}: {result}.");
            reply = reply.text(text).board(&stored.game, &[]);
        }
        Ok(reply)
    }

    /// Adds the greatest changes in the standings.
    fn standings(&mut self, reply: Reply, changes: &[Change]) -> Reply {
        let changes = &changes[..changes.len().min(MAX_CHANGES)];
        self.name(changes.iter().map(|it| &it.player));
        let until = self.until;
        let table = Table::of(
            changes,
            &[
                (Column::Prose("Name"), &|it| Entry::player(&it.player.name)),
                (Column::Prose("Variant"), &|it| rating::title(it.list).into()),
                (Column::Number("Rating"), &|it| it.rating.number_at(until).into()),
                (Column::Number("Change"), &|it| change(it.rating, it.before).into()),
                (Column::Text("Place"), &|it| Entry::of(it.place())),
            ],
        );
        let has_changes = !table.rows.is_empty();
        let reply = if has_changes { reply.text("Changes in the standings:") } else { reply };
        reply.table(table, "")
    }

    /// Adds the tournaments and seasons that ended, with their winners.
    fn ended(&mut self, reply: Reply) -> Result<Reply, Error> {
        let mut lines = Vec::new();
        for &state in TournamentState::ALL {
            for tournament in tournaments(self.db, state)? {
                if tournament.ended_season() > 0
                    && tournament.ended_at.is_some_and(|at| self.contains(at))
                {
                    lines.extend(self.won(&tournament)?);
                }
            }
        }
        Ok(list(reply, "Tournaments that ended:", &lines))
    }

    /// Returns the line about the winners of the tournament or season that ended last.
    fn won(&mut self, tournament: &Tournament) -> Result<Option<String>, Error> {
        let Tournament { plan: Plan { name, format, .. }, .. } = tournament;
        let season = tournament.ended_season();
        let group = find::intact(season::group(self.db, tournament, [season, 1]))?;
        let Some(group) = group else { return Ok(None) };
        let winners: Vec<_> =
            group.winners().map(|number| group.entrants[number].player.clone()).collect();
        let title = match format {
            Format::League => format!("- {name}, season {season}"),
            Format::RoundRobin | Format::Swiss => format!("- {name}"),
        };
        if winners.is_empty() || !winners.iter().all(|it| self.may_name(it)) {
            return Ok(Some(title));
        }
        self.name(&winners);
        let winners: Vec<_> = winners.iter().map(|it| &it.name).collect();
        Ok(Some(format!("{title}, won by {}", joined(&winners, "and"))))
    }

    /// Adds the tournaments that are open now.
    fn open(&self, reply: Reply, open: &[Tournament]) -> Result<Reply, Error> {
        let mut lines = Vec::new();
        for Tournament { id, plan, season, .. } in open {
            let starts = plan.starts_at.map_or(String::new(), |at| {
                let day = self.reader.preferences.clock.zone.local(at).date();
                format!("; it starts on {}", time::day(day))
            });
            let (next, title) = (season + 1, tournament::title(plan));
            let joined = self.db.count_entrants(*id, next)?;
            let Plan { name, places, .. } = plan;
            lines.push(match season {
                0 => format!("- {name} ({title}): {joined} of {places} have joined{starts}"),
                _ => format!("- {name}, season {next} ({title}): {joined} have joined{starts}"),
            });
        }
        Ok(list(reply, "Open tournaments, which `join NAME` enters:", &lines))
    }

    /// Adds the new members but the reader.
    fn new_members(&mut self, reply: Reply) -> Result<Reply, Error> {
        let mut members = self.db.new_members(self.from, self.until, MAX_READ)?;
        members.retain(|(id, _)| *id != self.reader.id);
        if members.is_empty() {
            return Ok(reply);
        }
        let (listed, rest) = first(&members);
        self.named.extend(listed.iter().map(|(id, _)| id.0));
        let names = listed.iter().map(|(_, name)| name.clone());
        let others = (rest > 0).then(|| format!("{rest} more"));
        let names: Vec<_> = names.chain(others).collect();
        Ok(reply.text(format!("New members: {}.", joined(&names, "and"))))
    }
}

impl Change {
    /// Returns by how many points a rating has changed, which begins at 1500.
    fn difference(&self) -> u32 {
        let before = self.before.map_or(Rating::FIRST, |before| before.rounded());
        self.rating.rounded().abs_diff(before)
    }

    /// Returns the place: `3 (was 5)`; `None` without one.
    fn place(&self) -> Option<String> {
        let [before, after] = self.places;
        let was = before.filter(|_| before != after).map(|before| format!(" (was {before})"));
        after.map(|after| format!("{after}{}", was.unwrap_or_default()))
    }

    /// Returns it in a sentence for the player.
    fn sentence(&self, until: DateTime<Utc>) -> String {
        let (title, rating) = (rating::title(self.list), self.rating.number_at(until));
        let place = self.place().map_or(String::new(), |place| format!(", place {place}"));
        format!("Your rating in {title}: {rating} ({}){place}.", change(self.rating, self.before))
    }
}

/// Returns what a game has changed; `None` if it was not rated.
fn rated(db: &Db, game: &GameSummary, players: [PlayerId; 2]) -> Result<Option<Rated>, Error> {
    let [black, white] = players.map(|player| db.rating_after(game.id, player));
    let (Some((list, place, black)), Some((_, _, white))) = (black?, white?) else {
        return Ok(None);
    };
    let [before_black, before_white] = players.map(|player| db.rating(list, player, Some(place)));
    Ok(Some(Rated { list, before: [before_black?, before_white?], after: [black, white] }))
}

/// Returns the first tournaments in this state.
fn tournaments(db: &Db, state: TournamentState) -> Result<Vec<Tournament>, Error> {
    let tournaments = db.tournaments(state, Some(MAX_TOURNAMENTS))?.into_iter();
    tournaments.filter_map(|id| find::intact(db.tournament(id)).transpose()).collect()
}

/// Returns how a game was decided: by the discs, those of this colour first, or otherwise.
fn how(game: &GameSummary, first: Color) -> String {
    let (black, white) = game.discs;
    let [own, other] = [first, !first].map(|color| color.pick([black, white]));
    match game.reason() {
        None | Some(Reason::Discs) => format!(" {own}-{other}"),
        Some(reason) => manner(reason).to_owned(),
    }
}

/// Returns the result of a game for the player of this colour: `won 40-24`.
fn own_result(game: &GameSummary, own: Color) -> String {
    let result = match game.winner {
        Some(winner) if winner == own => "won",
        Some(_) => "lost",
        None => "drawn",
    };
    format!("{result}{}", how(game, own))
}

/// Returns the first things of a list, and how many others there are.
fn first<T>(all: &[T]) -> (&[T], usize) {
    let (listed, rest) = all.split_at(all.len().min(MAX_LISTED));
    (listed, rest.len())
}

/// Adds a list below a heading, unless it is empty.
fn list(reply: Reply, heading: &str, lines: &[String]) -> Reply {
    match lines {
        [] => reply,
        _ => reply.text(heading).text(lines.join("\n")),
    }
}
