use chrono::NaiveDate;
use clap::Args;
use serde_json::{Value, json};

use crate::app::run::session::Reading;
use crate::app::views::json::{array, json_time, merged};
use crate::app::views::player::{ListRecord, Profile, in_time};
use crate::app::views::rating::list_to_json;
use crate::app::views::season::Season;
use crate::app::views::time;
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::PlayerRef;
use crate::store::Record;
use outflank_model::rating::Rating;
use outflank_model::tournament::Participation;

/// Show a player's games, ratings and results
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
        let profile = session.read(|Reading { db, env, actor, .. }| {
            let player = find::player(db, &self.player)?;
            let reader = find::actor(db, actor)?;
            Profile::read(db, player, reader.as_ref(), env.now())
        })?;
        Ok(profile.add_to(Reply::new(&to_json(&profile)), is_mail))
    }
}

fn to_json(profile: &Profile) -> Value {
    let zone = profile.player.preferences.clock.zone;
    let absences = profile.absences.iter().map(|absence| time::absence_to_json(absence, zone));
    let point = |(day, rating): &(NaiveDate, Rating)| json!({ "day": day.to_string(), "rating": rating.rounded(), "games": rating.games });
    let record = |record: &ListRecord| {
        let results = json!({
            "rating": record.present.map(|present| present.json(profile.now)),
            "black": record.black,
            "white": record.white,
            "history": array(record.history.iter().map(point)),
        });
        merged([list_to_json(record.list), results])
    };
    let bot = |(bot, record): &(String, Record)| merged([json!({ "bot": bot }), json!(record)]);
    let tournament = |it: &Season| {
        let row = it.group.as_ref().and_then(|group| group.row_of(profile.player.id));
        json!({
            "tournament": it.tournament.plan.name,
            "season": it.in_league().map(|[season, _]| season),
            "division": it.in_league().map(|[_, division]| division),
            "state": it.state().word(),
            "place": row.and_then(|row| row.place),
            "players": it.group.as_ref().map_or(0, |group| group.rows.len()),
            "withdrawn": row.is_some_and(|row| row.participation != Participation::Active),
        })
    };
    json!({
        "player": profile.player.name,
        "since": json_time(profile.since),
        "timezone": zone.to_string(),
        "absences": array(absences),
        "turns": profile.turns.all,
        "turns_in_time": in_time(profile.turns),
        "records": array(profile.records.iter().map(record)),
        "bots": array(profile.bots.iter().map(bot)),
        "with_you": profile.with_reader,
        "games": array(profile.games.iter().map(|game| game.id.0)),
        "tournaments": array(profile.last_seasons().iter().map(tournament)),
        "titles": profile.titles(),
    })
}
