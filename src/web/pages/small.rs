//! The pages with one sentence.

use minijinja::context;

use crate::app::{StoppedMails, Unsubscription};
use crate::web::pages::command::capitalized;
use crate::web::pages::templates::render;
use crate::web::pages::{Failure, Site};

/// Returns the page at this path with the button that stops mails. Its form has no fields.
pub fn unsubscribe(site: &Site, path: &str, from: &Unsubscription) -> String {
    let (title, mails, rest) = match from.mails {
        StoppedMails::Turns(game) => (
            format!("Mails about game {game}"),
            "that say it is your turn in this game",
            "The mail about its end still comes.",
        ),
        StoppedMails::Watched(game) => (
            format!("Mails about game {game}"),
            "about this game, which you watch",
            "You no longer watch it.",
        ),
        StoppedMails::All(all) => {
            (capitalized(all.name), all.about, "A mail says how to get them again.")
        }
    };
    let values = context! { path, title, mails, rest, is_done => from.is_done };
    render("unsubscribe.html", site, values)
}

/// Returns a page that says why there is no other.
pub fn failure(site: &Site, failure: &Failure) -> String {
    let (title, text) = match failure {
        Failure::NotFound => (
            "There is no such page",
            "The link may be cut off, or no longer valid. The latest mail about your game has a new one. \
             A mail to the server with the word \"page\" gets you a new link to your own page.",
        ),
        Failure::NotPublic => (
            "There is no such page here",
            "This server has a copy of the club with its public pages. Open your link at the club's own address.",
        ),
        Failure::Refused => (
            "This request was not accepted",
            "Open the page again with the link in your mail, and use its buttons.",
        ),
        Failure::TooMany => ("Too many requests", "Wait a minute, and open the page again."),
        Failure::Unavailable => {
            ("The page cannot be shown now", "Nothing was done. Try again in a few minutes.")
        }
        Failure::Moved(moved) => {
            let text = format!(
                "{}. Nothing was done, and nothing can be changed here any more.",
                capitalized(moved)
            );
            return render("failure.html", site, context! { title => "The club has moved", text });
        }
        Failure::Uncertain => (
            "This may have been done",
            "The server failed while it carried out what you sent. Open the page again with the link in your \
             mail, and look whether it was done before you send it again.",
        ),
    };
    render("failure.html", site, context! { title, text })
}
