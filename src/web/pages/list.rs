//! The public lists: games, players, standings, and the games of a player.

use minijinja::context;

use crate::web::pages::blocks::parts;
use crate::web::pages::menu::menu;
use crate::web::pages::templates::{render, value};
use crate::web::pages::{List, ListPage};

/// The columns whose entries are the names of players.
const NAMES: [&str; 4] = ["Player", "Black", "White", "Against"];

/// Returns a public list.
pub fn list(page: &ListPage) -> String {
    let ListPage { site, list, reply, is_first, next } = *page;
    let prefix = &site.prefix;
    let link = |title: &str, text: &str| match title {
        "Game" => Some(format!("{prefix}/game/{text}")),
        // A computer player has no page, and a colour or a record is not a name.
        title if NAMES.contains(&title) && is_name(text) => Some(format!("{prefix}/player/{text}")),
        _ => None,
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

/// Returns whether a player can have this name. Where the column has records, they begin with a digit.
fn is_name(text: &str) -> bool {
    text.parse::<crate::command::Name>().is_ok()
}
