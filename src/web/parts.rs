//! The parts below the page of a game: the game after some of its moves, and documents about it.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};

use crate::app::{App, Error, LiveGame};
use crate::web::pages::{self, Failure, ReplayPage, Site};
use outflank_model::log::GameId;
use outflank_model::render::{LastMove, svg};
use outflank_rules::parse_digits;

/// A part below the page of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The event stream.
    Events,
    /// The game after this number of moves.
    After(usize),
    /// Its moves, as text.
    Transcript,
    /// Its moves, as JSON.
    Json,
    /// The game as a signed block of text.
    Portable,
    /// The board as a picture: as it stands, or after this number of moves.
    Picture(Option<usize>),
}

impl Part {
    /// Parses the last segment of a path.
    pub(super) fn parse(text: &str) -> Option<Self> {
        // One address for a page: no zeros in front.
        let ply = |text: &str| parse_digits(text).filter(|ply: &usize| ply.to_string() == text);
        match text {
            "events" => Some(Self::Events),
            "game.txt" => Some(Self::Transcript),
            "game.json" => Some(Self::Json),
            "portable.txt" => Some(Self::Portable),
            "game.svg" => Some(Self::Picture(None)),
            _ => match text.strip_suffix(".svg") {
                Some(number) => ply(number).map(|ply| Self::Picture(Some(ply))),
                None => ply(text).map(Self::After),
            },
        }
    }
}

/// Returns the number of a game in a path: one address for a game.
pub(super) fn game_number(text: &str) -> Result<GameId, Failure> {
    let game = text.parse::<GameId>().ok().filter(|game| game.to_string() == text);
    game.ok_or(Failure::NotFound)
}

/// Returns a part below the page of this game at `path`; `None` if it has no such move.
///
/// # Errors
/// When the database cannot be read.
pub(super) fn page_part(
    site: &Site,
    app: &App,
    path: &str,
    live: &LiveGame,
    part: Part,
    is_public: bool,
) -> Result<Option<Response>, Error> {
    Ok(match part {
        Part::Events => None,
        Part::After(ply) if ply > live.game.plies().len() => None,
        Part::After(ply) => {
            let analysis = app.analysis(live.id)?;
            let analysis = analysis.as_ref();
            let page = ReplayPage { site, path, live, ply, analysis, is_public };
            Some(Html(pages::replay(&page)).into_response())
        }
        Part::Transcript => {
            let text = app.record(live.id)?.transcript + "\n";
            Some(document(live, "text/plain; charset=utf-8", "txt", text))
        }
        Part::Json => Some(document(live, "application/json", "json", app.record(live.id)?.json)),
        Part::Portable => {
            let text = app.portable(live.id)? + "\n";
            Some(document(live, "text/plain; charset=utf-8", "portable.txt", text))
        }
        Part::Picture(ply) => {
            let ply = ply.unwrap_or(live.game.plies().len());
            let game = live.game.right_after(ply);
            game.map(|game| {
                let title = format!("Game {} after move {ply}", live.id);
                let drawn = svg(game.position(), LastMove::of(&game).as_ref(), &title);
                document(live, "image/svg+xml", "svg", drawn)
            })
        }
    })
}

/// Returns a document with the name of its file.
fn document(live: &LiveGame, kind: &'static str, ending: &str, text: String) -> Response {
    let name = format!("inline; filename=\"game-{}.{ending}\"", live.id);
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, name)], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_one_address() {
        for (text, part) in [
            ("0", Part::After(0)),
            ("34", Part::After(34)),
            ("34.svg", Part::Picture(Some(34))),
            ("game.svg", Part::Picture(None)),
        ] {
            assert_eq!(Part::parse(text), Some(part), "{text}");
        }
        for text in ["", "034", "+1", "-1", "1e3", "99999999999999999999", ".svg", "34.svg.svg"] {
            assert_eq!(Part::parse(text), None, "{text}");
        }
    }
}
