//! The menu of the public pages.

use serde::Serialize;

use crate::app::PublicList;
use crate::web::pages::Site;

/// A link of the menu.
#[derive(Serialize)]
pub(super) struct Item {
    name: &'static str,
    href: String,
    is_here: bool,
}

/// Returns the menu; `here` is the list that the page shows.
pub(super) fn menu(site: &Site, here: Option<&PublicList>) -> Vec<Item> {
    let items = [
        ("Games", "/", PublicList::Games),
        ("Players", "/players", PublicList::Players),
        ("Standings", "/standings", PublicList::Standings),
        ("Tournaments", "/tournaments", PublicList::Tournaments),
    ];
    let item = |(name, path, list)| {
        let href = format!("{}{path}", site.prefix);
        Item { name, href, is_here: here == Some(&list) }
    };
    items.map(item).into()
}
