//! The public lists: games, players, standings, and the games of a player.

use minijinja::context;

use crate::app::{Entry, PublicList, PublicPart, Zone};
use crate::web::pages::Site;
use crate::web::pages::blocks::{Part, parts};
use crate::web::pages::menu::menu;
use crate::web::pages::templates::{render, value};

/// Returns a part of a public list: of this variant, if there is one. `is_first` says whether it is the first
/// part.
pub fn list(
    site: &Site,
    list: &PublicList,
    part: &PublicPart,
    variant: Option<&str>,
    is_first: bool,
) -> String {
    let prefix = &site.prefix;
    let link = |entry: &Entry| match entry {
        Entry::Game(id) | Entry::Result(_, id) => Some(format!("{prefix}/game/{id}")),
        Entry::Player(name) => Some(format!("{prefix}/player/{name}")),
        Entry::Tournament(name) => Some(format!("{prefix}/tournament/{name}")),
        Entry::Text(_) | Entry::Urgent(_) | Entry::Time(_) => None,
    };
    let (title, label) = match list {
        PublicList::Games => ("Games", "Games"),
        PublicList::GamesOf(name) => (name.as_str(), "Games"),
        PublicList::Players => ("Players", "Players"),
        PublicList::Standings => ("Standings", "Standings"),
        PublicList::Tournaments => ("Tournaments", "Tournaments"),
        PublicList::Tournament(name) => (name.as_str(), "Tournament"),
    };
    let mut blocks_of = parts(&part.reply, "List", Zone::Utc, &link);
    if let PublicList::Tournament(_) = list {
        for block in &mut blocks_of {
            let Part::Table(table) = block else { continue };
            table.is_narrow = table.fits;
        }
    }
    // Links to parts are relative to the page. Spaces are the only characters that need an escape.
    let of_variant = |key: &str| format!("?variant={}", key.replace(' ', "+"));
    let variants = part.variants.iter().map(|(name, key)| {
        context! {
            name,
            href => of_variant(key),
            is_here => variant == Some(key),
        }
    });
    let first = variant.map_or_else(|| "?".to_owned(), of_variant);
    let next = part.next.as_ref().map(|next| match variant {
        Some(_) => format!("{first}&after={next}"),
        None => format!("?after={next}"),
    });
    let values = context! {
        menu => value(menu(site, Some(list))),
        title,
        label,
        // The standings are always those of one list.
        has_all => *list != PublicList::Standings,
        is_all => variant.is_none(),
        variants => variants.collect::<Vec<_>>(),
        first => (!is_first).then_some(first),
        next,
        blocks_of => value(blocks_of),
    };
    render("list.html", site, values)
}
