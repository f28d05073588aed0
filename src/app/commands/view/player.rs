use chrono::NaiveDate;
use clap::Args;
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::player::{ListRecord, Page, in_time};
use crate::app::views::rating::{ListJson, RatingJson};
use crate::app::views::reply::json_time;
use crate::app::views::time;
use crate::app::{Error, Reply, Session, UseCase, find};
use crate::command::PlayerRef;
use crate::rating::Rating;
use crate::store::{Absence, Record};

/// Show a player's ratings, results and games
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: player alice")]
pub struct PlayerPage {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
}

#[derive(Serialize)]
struct PlayerJson {
    player: String,
    since: String,
    timezone: String,
    absences: Vec<AbsenceJson>,
    turns: u32,
    turns_in_time: u32,
    records: Vec<ListRecordJson>,
    bots: Vec<BotRecordJson>,
    with_you: Option<Record>,
    games: Vec<i64>,
}

#[derive(Serialize)]
struct AbsenceJson {
    from: String,
    to: String,
}

#[derive(Serialize)]
struct ListRecordJson {
    #[serde(flatten)]
    list: ListJson,
    rating: Option<RatingJson>,
    black: Record,
    white: Record,
    history: Vec<PointJson>,
}

#[derive(Serialize)]
struct PointJson {
    day: String,
    rating: i32,
    games: u32,
}

#[derive(Serialize)]
struct BotRecordJson {
    bot: String,
    #[serde(flatten)]
    record: Record,
}

impl UseCase for PlayerPage {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_mail = session.front_end.is_mail;
        session.front_end.refuse_address(&self.player)?;
        let page = session.read(|Reading { db, env, actor, .. }| {
            let player = find::player(db, &self.player)?;
            let reader = actor.player().map(|named| find::player(db, named)).transpose()?;
            Page::read(db, player, reader.as_ref(), env.now())
        })?;
        Ok(page.add_to(Reply::new(&PlayerJson::of(&page)), is_mail))
    }
}

impl PlayerJson {
    fn of(page: &Page) -> Self {
        let zone = page.player.preferences.clock.zone;
        let absence = |absence: &Absence| {
            let (from, to) = time::absent_days(absence, zone);
            AbsenceJson { from: from.to_string(), to: to.to_string() }
        };
        let record = |record: &ListRecord| ListRecordJson {
            list: ListJson::of(record.list),
            rating: record.present.map(|present| present.json(page.now)),
            black: record.black,
            white: record.white,
            history: record.history.iter().map(PointJson::of).collect(),
        };
        let bot =
            |(bot, record): &(String, Record)| BotRecordJson { bot: bot.clone(), record: *record };
        Self {
            player: page.player.name.clone(),
            since: json_time(page.since),
            timezone: zone.to_string(),
            absences: page.absences.iter().map(absence).collect(),
            turns: page.turns.all,
            turns_in_time: in_time(page.turns),
            records: page.records.iter().map(record).collect(),
            bots: page.bots.iter().map(bot).collect(),
            with_you: page.with_reader,
            games: page.games.iter().map(|game| game.id.0).collect(),
        }
    }
}

impl PointJson {
    fn of((day, rating): &(NaiveDate, Rating)) -> Self {
        Self { day: day.to_string(), rating: rating.rounded(), games: rating.games }
    }
}
