//! The public lists: games, players, standings, and the games of a player.

use minijinja::context;

use crate::app::Entry;
use crate::web::pages::blocks::parts;
use crate::web::pages::menu::menu;
use crate::web::pages::templates::{render, value};
use crate::web::pages::{List, ListPage};

/// Returns a public list.
pub fn list(page: &ListPage) -> String {
    let ListPage { site, list, reply, is_first, next } = *page;
    let prefix = &site.prefix;
    let link = |entry: &Entry| match entry {
        Entry::Game(id) => Some(format!("{prefix}/game/{id}")),
        Entry::Player(name) => Some(format!("{prefix}/player/{name}")),
        Entry::Text(_) | Entry::Urgent(_) | Entry::Time(_) => None,
    };
    let title = match list {
        List::Games => "Games".to_owned(),
        List::GamesOf(name) => name.to_owned(),
        List::Players => "Players".to_owned(),
        List::Standings => "Standings".to_owned(),
    };
    let values = context! {
        site => value(site),
        menu => value(menu(site, Some(list))),
        preview => (),
        title => title,
        label => match list {
            List::Games | List::GamesOf(_) => "Games",
            List::Players => "Players",
            List::Standings => "Standings",
        },
        // Links to parts are relative to the page.
        is_first,
        next,
        blocks_of => value(parts(reply, "List", &link)),
    };
    render("list.html", values)
}
