//! The links of pages: the paths of the web front end that mails name, each with a token.

use crate::app::Env;
use crate::config::BaseUrl;
use crate::mail::token::{Purpose, Token};

/// What a link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// A game, for one of its players.
    Play,
    /// A game, for somebody who watches it.
    Watch,
    /// The games, challenges and settings of a player.
    Me,
    /// The deadlines and absences of a player, for programs that show calendars.
    Calendar,
}

/// The path of the page that stops the mails of a game. The token behind it is that of the address for
/// unsubscribing.
pub const UNSUBSCRIBE_PATH: &str = "unsubscribe";

impl Link {
    /// All links.
    pub const ALL: [Self; 4] = [Self::Play, Self::Watch, Self::Me, Self::Calendar];

    /// Returns the path in front of the token: `play` in `…/play/TOKEN`.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Play => "play",
            Self::Watch => "watch",
            Self::Me => "me",
            Self::Calendar => "calendar",
        }
    }

    /// Returns the purpose of its tokens.
    pub(crate) const fn purpose(self) -> Purpose {
        match self {
            Self::Play => Purpose::Page,
            Self::Watch => Purpose::Board,
            Self::Me => Purpose::Desk,
            Self::Calendar => Purpose::Calendar,
        }
    }
}

impl Env {
    /// Returns the address of the pages; `None` without one in the configuration.
    fn pages(&self) -> Option<&BaseUrl> {
        self.config.web.url.as_ref()
    }

    /// Returns the whole link with a token; `None` without pages.
    pub(crate) fn link(&self, link: Link, token: Option<&Token>) -> Option<String> {
        Some(format!("{}/{}/{}", self.pages()?, link.path(), token?))
    }

    /// Returns the link for unsubscribing by one click, which RFC 8058 wants with `https`; `None` without
    /// such pages.
    pub(crate) fn unsubscribe_link(&self, token: Option<&Token>) -> Option<String> {
        let pages = self.pages().filter(|pages| pages.is_https())?;
        Some(format!("{pages}/{UNSUBSCRIBE_PATH}/{}", token?))
    }
}
