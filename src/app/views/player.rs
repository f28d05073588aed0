//! The profile of a player: results, ratings, games under way.

use std::cmp::Reverse;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::app::Error;
use crate::app::views::game::title;
use crate::app::views::rating::{self, Present};
use crate::app::views::reply::{Block, Reply};
use crate::app::views::season::Season;
use crate::app::views::table::{Column, Entry, Table};
use crate::app::views::time;
use crate::app::views::tournament;
use crate::store::{Absence, Db, GameSummary, Listing, Record, RecordAbout, Turns};
use outflank_model::rating::{List, Rating};
use outflank_model::render;
use outflank_model::{Player, PlayerId};
use outflank_rules::Color;

/// The most games under way that are listed.
const MAX_GAMES: u32 = 20;
/// The most seasons of tournaments that are listed.
const MAX_SEASONS: usize = 10;
/// The most seasons of tournaments in which titles are looked for.
const MAX_WITH_TITLES: u32 = 50;
/// The columns of the plot of a rating. Each is searched for, which costs more in a large database.
const COLUMNS: i32 = 40;

/// A player's results and rating under one set of rules.
pub(crate) struct ListRecord {
    pub list: List,
    pub black: Record,
    pub white: Record,
    pub present: Option<Present>,
    pub history: Vec<(NaiveDate, Rating)>,
}

/// The profile of a player.
pub(crate) struct Profile {
    pub player: Player,
    pub since: DateTime<Utc>,
    pub absences: Vec<Absence>,
    pub turns: Turns,
    pub records: Vec<ListRecord>,
    /// The plot of the rating in the list with the most rated games.
    curve: Option<(List, Block)>,
    pub bots: Vec<(String, Record)>,
    /// The reader's results against the player.
    pub with_reader: Option<Record>,
    pub games: Vec<GameSummary>,
    /// The last seasons of the player in tournaments.
    pub seasons: Vec<Season>,
    pub now: DateTime<Utc>,
}

impl Profile {
    /// Reads a player's profile, for this reader or for the host.
    pub(crate) fn read(
        db: &Db,
        player: Player,
        reader: Option<&Player>,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        let id = player.id;
        let with_reader = match reader {
            Some(reader) if reader.id != id => {
                Some(db.record(reader.id, &RecordAbout::Player(id))?)
            }
            _ => None,
        };
        let mut games = db.list(Listing::ToMove(id), Some(MAX_GAMES))?;
        games.extend(db.list(Listing::ToWait(id), Some(MAX_GAMES))?);
        games.truncate(MAX_GAMES as usize);
        let records = records(db, id, now)?;
        let rated = |record: &&ListRecord| record.present.map_or(0, |it| it.rating.games);
        let most = records.iter().max_by_key(rated).filter(|record| rated(record) > 1);
        let curve =
            most.map(|record| Ok::<_, Error>((record.list, curve(db, record.list, id, now)?)));
        let (since, turns) = db.member_since(id)?;
        Ok(Self {
            since,
            absences: db.absences(id, now)?,
            turns,
            curve: curve.transpose()?,
            records,
            bots: db.records_against_bots(id)?,
            with_reader,
            games: db.summaries(games)?,
            seasons: Season::all_of(db, id, MAX_WITH_TITLES)?,
            player,
            now,
        })
    }

    /// Adds it to a reply, without the plot for a mail.
    pub(crate) fn add_to(&self, reply: Reply, is_mail: bool) -> Reply {
        let mut reply = reply.text(self.head());
        if !self.records.is_empty() {
            reply =
                reply.text("Results (won-drawn-lost) and ratings:").table(self.records_table(), "");
        }
        if !self.bots.is_empty() {
            reply = reply.text("Against computer players:").table(bots_table(&self.bots), "");
        }
        if let Some((list, curve)) = &self.curve {
            reply = reply.text(format!("The rating in {} over time:", rating::title(*list)));
            reply = match is_mail {
                true => reply.table(self.history_table(*list), ""),
                false => reply.block(curve.clone()),
            };
        }
        if !self.seasons.is_empty() {
            reply = reply.text("Tournaments:").table(self.tournaments_table(), "");
        }
        let titles = self.titles();
        if !titles.is_empty() {
            reply = reply.text(format!("Titles: {}", titles.join("; ")));
        }
        if !self.games.is_empty() {
            reply = reply.text("Games under way:").table(self.games_table(), "");
        }
        reply
    }

    /// Returns lines about the player.
    fn head(&self) -> String {
        let Self { player, since, absences, turns, with_reader, games, .. } = self;
        let (name, zone) = (&player.name, player.preferences.clock.zone);
        let since = time::day(zone.local(*since).date());
        let mut lines = vec![format!("{name}, member since {since}"), format!("Time zone: {zone}")];
        lines.extend(absences.iter().map(|it| format!("Away {}", time::absence(it, zone))));
        if let Turns { all: all @ 1.., .. } = *turns {
            let share = f64::from(in_time(*turns)) * 100.0 / f64::from(all);
            lines.push(format!(
                "Moves in time: {share:.0} % of {all} in finished games with a clock"
            ));
        }
        let with_reader = with_reader.filter(|record| record.games() > 0);
        if let Some(Record { won, drawn, lost }) = with_reader {
            lines
                .push(format!("Against {name} you have won {won}, drawn {drawn} and lost {lost}."));
        }
        if games.is_empty() {
            lines.push(format!("{name} plays no game now."));
        }
        lines.join("\n")
    }

    fn records_table(&self) -> Table {
        let rating = |it: &ListRecord| it.present.map(|present| present.rating);
        Table::of(
            &self.records,
            &[
                (Column::Prose("Rules"), &|it| rating::title(it.list).into()),
                (Column::Text("Black"), &|it| words_of(&it.black).into()),
                (Column::Text("White"), &|it| words_of(&it.white).into()),
                (Column::Number("Rating"), &|it| {
                    Entry::of(rating(it).map(|rating| rating.number_at(self.now)))
                }),
                (Column::Number("Rated"), &|it| Entry::of(rating(it).map(|rating| rating.games))),
                (Column::Number("30 days"), &|it| {
                    Entry::of(it.present.as_ref().map(Present::change))
                }),
                (Column::Text("Standing"), &|it| {
                    Entry::of(rating(it).map(|rating| rating.standing_at(self.now).word()))
                }),
            ],
        )
    }

    fn history_table(&self, list: List) -> Table {
        let record = self.records.iter().find(|record| record.list == list);
        Table::of(
            record.map_or(&[][..], |record| &record.history),
            &[
                (Column::Text("Day"), &|(day, _)| day.into()),
                (Column::Number("Rating"), &|(_, rating)| rating.into()),
                (Column::Number("Rated"), &|(_, rating)| rating.games.into()),
            ],
        )
    }

    /// Returns what the player has won: `spring`, `club, season 2`.
    pub(crate) fn titles(&self) -> Vec<String> {
        let won = self.seasons.iter().filter(|it| it.is_won_by(self.player.id));
        let title = |it: &Season| {
            let name = &it.tournament.plan.name;
            it.in_league().map_or(name.clone(), |[season, _]| format!("{name}, season {season}"))
        };
        won.map(title).collect()
    }

    /// Returns the last seasons.
    pub(crate) fn last_seasons(&self) -> &[Season] {
        &self.seasons[..self.seasons.len().min(MAX_SEASONS)]
    }

    fn tournaments_table(&self) -> Table {
        Table::of(
            self.last_seasons(),
            &[
                (Column::Text("Tournament"), &|it| {
                    Entry::Tournament(it.tournament.plan.name.clone())
                }),
                (Column::Prose("Game"), &|it| tournament::title(&it.tournament.plan).into()),
                (Column::Text("State"), &|it| it.state().into()),
                (Column::Prose("Place"), &|it| it.finish_of(self.player.id).into()),
            ],
        )
    }

    fn games_table(&self) -> Table {
        let own = |game: &GameSummary| match game.black == self.player.name {
            true => Color::Black,
            false => Color::White,
        };
        Table::of(
            &self.games,
            &[
                (Column::Number("Game"), &|game| game.id.into()),
                (Column::Prose("Variant"), &|game| title(game).into()),
                (Column::Text("Plays"), &|game| own(game).into()),
                (Column::Text("Against"), &|game| game.name(!own(game)).into()),
                (Column::Number("Moves"), &|game| game.ply.into()),
            ],
        )
    }
}

/// Returns in how many turns the time did not run out.
pub(crate) const fn in_time(turns: Turns) -> u32 {
    turns.all.saturating_sub(turns.late)
}

/// Returns a record in short: `5-1-2`, or nothing without a game.
fn words_of(record: &Record) -> String {
    let Record { won, drawn, lost } = record;
    if *record == Record::default() { String::new() } else { format!("{won}-{drawn}-{lost}") }
}

fn bots_table(bots: &[(String, Record)]) -> Table {
    Table::of(
        bots,
        &[
            (Column::Text("Name"), &|(bot, _)| bot.into()),
            (Column::Number("Won"), &|(_, record)| record.won.into()),
            (Column::Number("Drawn"), &|(_, record)| record.drawn.into()),
            (Column::Number("Lost"), &|(_, record)| record.lost.into()),
        ],
    )
}

/// Returns the results of a player by rules, those with the most games first.
fn records(db: &Db, player: PlayerId, now: DateTime<Utc>) -> Result<Vec<ListRecord>, Error> {
    let black = db.records_by_list(player, Color::Black)?;
    let white = db.records_by_list(player, Color::White)?;
    let of = |records: &[(List, Record)], list| {
        records.iter().find(|(known, _)| *known == list).map(|(_, record)| *record)
    };
    let mut records = Vec::new();
    let only_white = white.iter().filter(|(list, _)| of(&black, *list).is_none());
    for &(list, _) in black.iter().chain(only_white) {
        let [black, white] = [&black, &white].map(|records| of(records, list).unwrap_or_default());
        let present = Present::of(db, list, player, now)?;
        let history = rating::history(db, list, player, now)?;
        records.push(ListRecord { list, black, white, present, history });
    }
    let games = |it: &ListRecord| it.black.games() + it.white.games();
    records.retain(|record| games(record) > 0);
    records.sort_by_key(|record| Reverse(games(record)));
    Ok(records)
}

/// Returns a player's rating in a list over time.
fn curve(db: &Db, list: List, player: PlayerId, now: DateTime<Utc>) -> Result<Block, Error> {
    let first = db.first_rated(list, player)?.unwrap_or(now);
    let step = ((now - first) / (COLUMNS - 1)).max(TimeDelta::zero());
    let mut values = Vec::new();
    for column in (0..COLUMNS).rev() {
        let rating = rating::at(db, list, player, now - step * column)?;
        values.push(rating.map(|rating| rating.rounded()));
    }
    let days = [first, now].map(|time| time.date_naive().to_string());
    let labels = days.each_ref().map(String::as_str);
    let [lines, ascii] = [false, true].map(|ascii| render::curve(&values, labels, ascii));
    Ok(Block::Plot { lines, ascii, values: values.into_iter().flatten().collect() })
}
