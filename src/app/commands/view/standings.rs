use chrono::{DateTime, Utc};
use clap::Args;
use serde::Serialize;

use crate::app::session::Reading;
use crate::app::views::game::RulesJson;
use crate::app::views::rating::{self, ListJson, Present, RatingJson};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Reply, Session, UseCase, find};
use crate::command::RuleOptions;
use crate::rating::{List, Standing};
use crate::store::Db;
use outflank_rules::Overrides;

/// List the ratings of the players
///
/// Each set of rules has a list of its own. A rating is established if its deviation is at most 110, and
/// provisional before that.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Example: standings mini --all")]
pub struct Standings {
    /// The variant
    #[arg(default_value = "othello", hide_default_value = true)]
    variant: String,
    #[command(flatten)]
    rules: RuleOptions,
    /// List players, too, who have finished no rated game for half a year
    #[arg(long)]
    all: bool,
}

#[derive(Serialize)]
struct StandingsJson {
    variant: &'static str,
    rules: RulesJson,
    recalculating: bool,
    players: Vec<PlayerJson>,
    inactive: usize,
    lists: Vec<ListJson>,
}

#[derive(Serialize)]
struct PlayerJson {
    place: Option<usize>,
    player: String,
    #[serde(flatten)]
    rating: RatingJson,
}

/// A player of the list.
struct Row {
    /// Among those with established ratings.
    place: Option<usize>,
    name: String,
    standing: Standing,
    present: Present,
}

/// What is shown of a list.
struct Shown {
    rows: Vec<Row>,
    /// How many players are inactive.
    inactive: usize,
    /// Whether ratings are being calculated again.
    is_recalculating: bool,
    /// The rating of the reader.
    own: Option<String>,
    lists: Vec<List>,
    now: DateTime<Utc>,
}

impl UseCase for Standings {
    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let variant = find::variant(&self.variant)?;
        let list = List::of(&variant.rules(&Overrides::from(&self.rules))?);
        let shown = session.read(|Reading { db, env, actor, most }| {
            let now = env.now();
            let mut rows = rows(db, list, now)?;
            let inactive = rows.iter().filter(|row| row.standing == Standing::Inactive).count();
            rows.retain(|row| self.all || row.standing != Standing::Inactive);
            rows.truncate(most.map_or(usize::MAX, |most| most as usize));
            let own = actor.player().map(|named| {
                let player = find::player(db, named)?;
                rating::short(db, list, player.id, now)
            });
            let is_recalculating = db.recalculation(list)?.is_some();
            let lists = db.rating_lists()?;
            let own = own.transpose()?;
            Ok(Shown { rows, inactive, is_recalculating, own, lists, now })
        })?;
        Ok(self.reply(list, &shown, session.front_end.program()))
    }
}

impl Standings {
    fn reply(&self, list: List, shown: &Shown, program: &str) -> Reply {
        let Shown { rows, inactive, is_recalculating, own, lists, now } = shown;
        let players = rows.iter().map(|row| PlayerJson {
            place: row.place,
            player: row.name.clone(),
            rating: row.present.json(*now),
        });
        let json = StandingsJson {
            variant: list.variant().name,
            rules: RulesJson::of(list.rules()),
            recalculating: *is_recalculating,
            players: players.collect(),
            inactive: *inactive,
            lists: lists.iter().copied().map(ListJson::of).collect(),
        };
        let title = rating::title(list);
        let mut reply = Reply::new(&json);
        if !rows.is_empty() {
            reply = reply.text(format!("Ratings in {title}"));
        }
        reply = reply.table(table(rows, *now), &format!("Nobody is listed in {title}."));
        let mut lines = Vec::new();
        if *is_recalculating {
            lines.push("These ratings are being calculated again and may change.".to_owned());
        }
        lines.extend(own.as_ref().map(|own| format!("You: {own}.")));
        if *inactive > 0 && !self.all {
            let (players, are) = if *inactive == 1 { ("player", "is") } else { ("players", "are") };
            lines.push(format!(
                "{inactive} inactive {players} {are} not listed; see `{program}standings {} --all`.",
                list.arguments()
            ));
        }
        let others = lists.iter().filter(|other| **other != list);
        let others = others.map(|other| format!("`{program}standings {}`", other.arguments()));
        let others: Vec<_> = others.collect();
        if !others.is_empty() {
            lines.push(format!("Other lists: {}.", others.join(", ")));
        }
        if lines.is_empty() { reply } else { reply.text(lines.join("\n")) }
    }
}

/// Returns the players of a list: established ratings first, then provisional ones, then those of
/// inactive players, the highest of each first.
fn rows(db: &Db, list: List, now: DateTime<Utc>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (player, name) in db.rated_players(list)? {
        let Some(present) = Present::of(db, list, player, now)? else { continue };
        let standing = present.rating.standing_at(now);
        rows.push(Row { place: None, name, standing, present });
    }
    rows.sort_by(|a, b| {
        let by_rating = b.present.rating.rating.total_cmp(&a.present.rating.rating);
        a.standing.cmp(&b.standing).then(by_rating).then_with(|| a.name.cmp(&b.name))
    });
    for (place, row) in (1..).zip(&mut rows) {
        row.place = Some(place).filter(|_| row.standing == Standing::Established);
    }
    Ok(rows)
}

fn table(rows: &[Row], now: DateTime<Utc>) -> Table {
    let row = |row: &Row| {
        vec![
            row.place.map_or(Entry::NONE, Entry::from),
            (&row.name).into(),
            row.present.rating.number_at(now).into(),
            row.present.rating.games.into(),
            row.present.change().into(),
            row.standing.word().into(),
        ]
    };
    let columns = vec![
        Column::Number("Place"),
        Column::Text("Player"),
        Column::Number("Rating"),
        Column::Number("Games"),
        Column::Number("30 days"),
        Column::Text("Standing"),
    ];
    Table { columns, rows: rows.iter().map(row).collect() }
}
