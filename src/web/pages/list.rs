//! The public lists: games, players, standings, and the games of a player.

use minijinja::context;

use crate::app::{Entry, PublicList, Reply};
use crate::web::pages::Site;
use crate::web::pages::blocks::parts;
use crate::web::pages::menu::menu;
use crate::web::pages::templates::{render, value};

/// Returns a part of a public list from the reply of the command that lists it. `next` is the key of the
/// next part.
pub fn list(
    site: &Site,
    list: &PublicList,
    reply: &Reply,
    is_first: bool,
    next: Option<&str>,
) -> String {
    let prefix = &site.prefix;
    let link = |entry: &Entry| match entry {
        Entry::Game(id) => Some(format!("{prefix}/game/{id}")),
        Entry::Player(name) => Some(format!("{prefix}/player/{name}")),
        Entry::Text(_) | Entry::Urgent(_) | Entry::Time(_) => None,
    };
    let (title, label) = match list {
        PublicList::Games => ("Games", "Games"),
        PublicList::GamesOf(name) => (name.as_str(), "Games"),
        PublicList::Players => ("Players", "Players"),
        PublicList::Standings => ("Standings", "Standings"),
    };
    let values = context! {
        menu => value(menu(site, Some(list))),
        title,
        label,
        // Links to parts are relative to the page.
        is_first,
        next,
        blocks_of => value(parts(reply, "List", &link)),
    };
    render("list.html", site, values)
}
