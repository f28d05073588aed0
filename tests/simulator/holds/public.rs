//! What the public lists show: docs/web.md.

use std::collections::BTreeMap;

use serde_json::Value;

use super::own_pages::{games_on, player};
use super::results::list_of;
use super::views::Asked;
use super::{Opened, violated};
use crate::simulator::Violation;
use crate::simulator::pages::{self, Answer};
use crate::simulator::tables::Tables;

/// The most rows of a page.
const ROWS: usize = 500;

/// A public list has all games, players or ratings that it is about, those of a variant if its address names one,
/// and no others: the active games first, then the finished ones, the latest on top.
pub fn public_lists_have_what_stands(opened: &Opened) -> Result<(), Violation> {
    let &Opened { request, answer, tables, now, .. } = opened;
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let fields: BTreeMap<_, _> = query.split('&').filter_map(|it| it.split_once('=')).collect();
    if fields.contains_key("after") {
        return Ok(());
    }
    let variant = fields.get("variant").map(|it| it.replace('+', " "));
    let asked = Asked::by(tables, now, ["", ""]);
    let (found, expected) = match path {
        "/players" => (column(answer, "Name"), members(tables)),
        "/standings" => {
            let Some(expected) = ratings(&asked, variant.as_deref()) else { return Ok(()) };
            (rated(answer), expected)
        }
        "/" => {
            let asked = Asked { reader: None, ..asked };
            (games_on(&answer.body), games(&asked, variant.as_deref()))
        }
        _ => {
            let Some(name) = path.strip_prefix("/player/") else { return Ok(()) };
            let Some(own) = player(tables, name) else { return Ok(()) };
            let asked = Asked::by(tables, now, own);
            (games_on(&answer.body), games(&asked, variant.as_deref()))
        }
    };
    match found == expected {
        true => Ok(()),
        false => violated(
            "public_lists_have_what_stands",
            format!("{} has {found:?}, not {expected:?}", request.path),
        ),
    }
}

/// Returns the cells of a column.
fn column(answer: &Answer, title: &str) -> Vec<String> {
    let rows = pages::rows(&answer.body).into_iter();
    rows.filter_map(|row| Some(row.get(title)?.trim().to_owned())).collect()
}

/// Returns the names of the members.
fn members(tables: &Tables) -> Vec<String> {
    let rows = tables.columns("player", ["name", "left_at"]);
    let names = rows.filter(|[_, left_at]| left_at.is_none()).filter_map(|[name, _]| name);
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort_unstable_by_key(|name| name.to_lowercase());
    names.truncate(ROWS);
    names
}

/// Returns the numbers of the games that are asked about: all of them, or those of a variant.
fn games(asked: &Asked, variant: Option<&str>) -> Vec<String> {
    let all = [asked.active(), asked.finished()].concat().into_iter();
    let own = all.filter(|it| variant.is_none_or(|variant| it["variant"] == variant));
    own.map(|it| it["game"].to_string()).take(ROWS).collect()
}

/// Returns the rows of a list of ratings: who is in it, with the rating, the games, and how sure it is.
fn ratings(asked: &Asked, variant: Option<&str>) -> Option<Vec<String>> {
    let shown = asked.standings(&list(variant.unwrap_or("othello"))?, false)?;
    let row = |it: &Value| {
        let [name, standing] = ["player", "standing"].map(|key| it[key].as_str());
        let place = it["place"].as_i64().map_or_else(String::new, |place| place.to_string());
        Some(format!("{place} {} {} {} {}", name?, it["rating"], it["games"], standing?))
    };
    shown["players"].as_array()?.iter().take(ROWS).map(row).collect()
}

/// Returns such rows of a page.
fn rated(answer: &Answer) -> Vec<String> {
    let row = |row: BTreeMap<String, String>| {
        let cell = |title: &str| row.get(title).map(|it| it.trim());
        let rating = cell("Rating")?.split(' ').next()?;
        let place = cell("Place").unwrap_or_default();
        let [name, played, standing] = ["Name", "Played", "Standing"].map(cell);
        Some(format!("{place} {} {rating} {} {}", name?, played?, standing?))
    };
    pages::rows(&answer.body).into_iter().filter_map(row).collect()
}

/// Returns the list of ratings of a variant with its options, as the address of a page has them.
fn list(variant: &str) -> Option<String> {
    let mut words = variant.split(' ');
    let (mut size, mut stuck, mut supply) = (Some(("8", "8")), "auto", None);
    match words.next()? {
        "othello" => {}
        "mini" => size = Some(("4", "4")),
        "twente" => stuck = "explicit",
        "oddthello" => (size, stuck, supply) = (None, "loses", Some("32")),
        _ => return None,
    }
    let [mut misere, mut anywhere] = [None; 2];
    while let Some(option) = words.next() {
        match option {
            "--size" => size = Some(words.next()?.split_once('x')?),
            "--misere" => misere = Some("1"),
            "--anywhere" => anywhere = Some("1"),
            "--pass" => stuck = words.next()?,
            _ => return None,
        }
    }
    let (rows, columns) = size.unzip();
    Some(list_of([rows, columns, misere, anywhere, Some(stuck), supply]))
}
