use chrono::NaiveDate;
use clap::Args;
use serde_json::{Value, json};

use crate::app::session::Reading;
use crate::app::views::json::{array, json_time, merged};
use crate::app::views::player::{ListRecord, Page, in_time};
use crate::app::views::rating::list_to_json;
use crate::app::views::time;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::PlayerRef;
use crate::store::Record;
use outflank_model::rating::Rating;

/// Show a player's ratings, results and games
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: player alice")]
pub struct PlayerPage {
    /// The player
    #[arg(value_name = "NAME")]
    player: PlayerRef,
}

impl UseCase for PlayerPage {
    const TRAITS: Traits = Traits::new("player", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let is_mail = session.front_end.is_mail;
        session.front_end.refuse_address(&self.player)?;
        let page = session.read(|Reading { db, env, actor, .. }| {
            let player = find::player(db, &self.player)?;
            let reader = actor.player().map(|named| find::player(db, named)).transpose()?;
            Page::read(db, player, reader.as_ref(), env.now())
        })?;
        Ok(page.add_to(Reply::new(&to_json(&page)), is_mail))
    }
}

fn to_json(page: &Page) -> Value {
    let zone = page.player.preferences.clock.zone;
    let absences = page.absences.iter().map(|absence| time::absence_to_json(absence, zone));
    let point = |(day, rating): &(NaiveDate, Rating)| json!({ "day": day.to_string(), "rating": rating.rounded(), "games": rating.games });
    let record = |record: &ListRecord| {
        let results = json!({
            "rating": record.present.map(|present| present.json(page.now)),
            "black": record.black,
            "white": record.white,
            "history": array(record.history.iter().map(point)),
        });
        merged([list_to_json(record.list), results])
    };
    let bot = |(bot, record): &(String, Record)| merged([json!({ "bot": bot }), json!(record)]);
    json!({
        "player": page.player.name,
        "since": json_time(page.since),
        "timezone": zone.to_string(),
        "absences": array(absences),
        "turns": page.turns.all,
        "turns_in_time": in_time(page.turns),
        "records": array(page.records.iter().map(record)),
        "bots": array(page.bots.iter().map(bot)),
        "with_you": page.with_reader,
        "games": array(page.games.iter().map(|game| game.id.0)),
    })
}
