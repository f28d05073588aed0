use std::ops::Range;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::json;

use crate::app::run::session::Reading;
use crate::app::views::json::{array, merged};
use crate::app::views::rating::{self, Present, list_to_json};
use crate::app::views::table::{Column, Entry, Table};
use crate::app::{Error, Heading, Reply, Session, Traits, UseCase, find};
use crate::command::RuleOptions;
use crate::store::Db;
use outflank_model::rating::{List, Standing};
use outflank_rules::Overrides;

/// List the players by rating
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
    /// How many players to list: a number or `all`. Without it, the first 50 are listed and, if they are
    /// further down, you and your neighbours
    #[arg(long, value_name = "N")]
    count: Option<Count>,
}

/// The number of players of a part of a public list.
const PLAYERS_PER_PART: usize = 500;

/// Returns the part of a list behind this many players as everybody may see it, and the number behind which
/// the next part begins, if there is one.
pub(crate) fn public_part(
    db: &Db,
    now: DateTime<Utc>,
    list: List,
    passed: usize,
) -> Result<(Reply, Option<usize>), Error> {
    let mut rows = rows(db, list, now)?;
    rows.retain(|row| row.standing != Standing::Inactive);
    let end = passed.saturating_add(PLAYERS_PER_PART);
    let part = &rows[passed.min(rows.len())..end.min(rows.len())];
    let title = rating::title(list);
    let mut reply = Reply::default();
    if !part.is_empty() {
        reply = reply.text(format!("Ratings in {title}"));
    }
    if db.recalculation(list)?.is_some() {
        reply = reply.text(RECALCULATING);
    }
    let reply = reply.table(table(part, now), &format!("Nobody is listed in {title}."));
    Ok((reply, (end < rows.len()).then_some(end)))
}

const RECALCULATING: &str = "These ratings are being calculated again and may change.";

/// How many players are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Count {
    First(usize),
    All,
}

impl FromStr for Count {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            _ if text == "all" => Ok(Self::All),
            Ok(count) if count > 0 => Ok(Self::First(count)),
            _ => Err("--count needs a number from 1 on, or `all`"),
        }
    }
}

/// How many players are listed without an option.
const FIRST: usize = 50;
/// How many players above and below the reader's are listed then.
const NEIGHBOURS: usize = 2;

/// A player of the list.
struct Row {
    /// Among those with established ratings.
    place: Option<usize>,
    name: String,
    standing: Standing,
    present: Present,
}

/// The shown part of a list.
struct Shown {
    rows: Vec<Row>,
    /// How many players are inactive.
    inactive: usize,
    /// Whether ratings are being calculated again.
    is_recalculating: bool,
    /// The rating of the reader.
    own: Option<String>,
    /// The row of the reader.
    own_row: Option<usize>,
    lists: Vec<List>,
    now: DateTime<Utc>,
}

impl UseCase for Standings {
    const TRAITS: Traits = Traits::new("standings", Heading::Look);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        let variant = find::variant(&self.variant)?;
        let list = List::of(&variant.rules(&Overrides::from(&self.rules))?);
        let shown = session.read(|Reading { db, env, actor, most }| {
            let now = env.now();
            let reader = find::actor(db, actor)?;
            let mut rows = rows(db, list, now)?;
            let own = reader.as_ref().map(|reader| {
                let row = rows.iter().find(|row| row.name == reader.name);
                rating::in_words(row.map(|row| row.present.rating), now)
            });
            let inactive = rows.iter().filter(|row| row.standing == Standing::Inactive).count();
            rows.retain(|row| self.all || row.standing != Standing::Inactive);
            rows.truncate(most.map_or(usize::MAX, |most| most as usize));
            let own_row =
                reader.and_then(|reader| rows.iter().position(|row| row.name == reader.name));
            let is_recalculating = db.recalculation(list)?.is_some();
            let lists = db.rating_lists()?;
            Ok(Shown { rows, inactive, is_recalculating, own, own_row, lists, now })
        })?;
        Ok(self.reply(list, &shown, session.front_end.program()))
    }
}

impl Standings {
    fn reply(&self, list: List, shown: &Shown, program: &str) -> Reply {
        let Shown { rows, inactive, is_recalculating, own, own_row, lists, now } = shown;
        let players = rows.iter().map(|row| {
            let player = json!({ "place": row.place, "player": row.name });
            merged([player, row.present.json(*now)])
        });
        let players = json!({
            "recalculating": is_recalculating,
            "players": array(players),
            "inactive": inactive,
            "lists": array(lists.iter().copied().map(list_to_json)),
        });
        let json = merged([list_to_json(list), players]);
        let title = rating::title(list);
        let mut reply = Reply::new(&json);
        if !rows.is_empty() {
            reply = reply.text(format!("Ratings in {title}"));
        }
        let (first, around) = self.listed(rows.len(), *own_row);
        let nobody = format!("Nobody is listed in {title}.");
        reply = reply.table(table(&rows[..first], *now), &nobody);
        if !around.is_empty() {
            reply = reply.text("Around you:").table(table(&rows[around.clone()], *now), &nobody);
        }
        let mut lines = Vec::new();
        let others = rows.len() - first - around.len();
        if others > 0 {
            let are = if others == 1 { "player is" } else { "players are" };
            lines.push(format!(
                "{others} more {are} not listed; see `{program}standings {} --count all`.",
                list.arguments()
            ));
        }
        if *is_recalculating {
            lines.push(RECALCULATING.to_owned());
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

    /// Returns how many of the first of these rows are listed, and which others around the reader's.
    fn listed(&self, rows: usize, own: Option<usize>) -> (usize, Range<usize>) {
        let first = match self.count {
            Some(Count::First(count)) => count,
            None if !self.all => FIRST,
            _ => rows,
        };
        let first = first.min(rows);
        let around = match own.filter(|own| *own >= first && self.count.is_none()) {
            Some(own) => {
                own.saturating_sub(NEIGHBOURS).max(first)..(own + NEIGHBOURS + 1).min(rows)
            }
            None => first..first,
        };
        (first, around)
    }
}

/// Returns the players of a list: established ratings first, then provisional ones, then those of
/// inactive players, the highest of each first.
fn rows(db: &Db, list: List, now: DateTime<Utc>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for (name, rating, before) in db.ratings(list, Present::compared_at(now), None)? {
        let present = Present::new(rating, before);
        rows.push(Row { place: None, name, standing: rating.standing_at(now), present });
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
    Table::of(
        rows,
        &[
            (Column::Number("Place"), &|row| Entry::of(row.place)),
            (Column::Text("Name"), &|row| Entry::player(&row.name)),
            (Column::Number("Rating"), &|row| row.present.rating.number_at(now).into()),
            (Column::Number("Played"), &|row| row.present.rating.games.into()),
            (Column::Number("30 days"), &|row| row.present.change().into()),
            (Column::Text("Standing"), &|row| row.standing.word().into()),
        ],
    )
}
