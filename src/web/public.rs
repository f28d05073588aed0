//! The pages that everybody may see.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use serde::Deserialize;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::app::PublicList;
use crate::command::Name;
use crate::web::limits::MAX_WAIT;
use crate::web::origin::Peer;
use crate::web::pages::{self, Failure};
use crate::web::parts::{Part, game_number, page_part};
use crate::web::shared::{Access, Shared};
use crate::web::streams::Watched;
use outflank_model::log::GameId;

/// A picture, and a page that nobody follows, can be a little old.
const BRIEFLY: &str = "public, max-age=60";
/// The page of a game that is played is asked for again when it has changed.
const NEVER: &str = "public, no-cache";

/// Returns the pages below this path.
pub(super) fn router(prefix: &str) -> Router<Arc<Shared>> {
    let route = |path: &str| format!("{prefix}{path}");
    let games = || get(|shared, part| list(shared, PublicList::Games, part));
    let router = Router::new()
        .route(&route("/"), games())
        .route(&route("/players"), get(|shared, part| list(shared, PublicList::Players, part)))
        .route(&route("/standings"), get(|shared, part| list(shared, PublicList::Standings, part)))
        .route(
            &route("/tournaments"),
            get(|shared, part| list(shared, PublicList::Tournaments, part)),
        )
        .route(&route("/tournament/{name}"), get(tournament))
        .route(&route("/player/{name}"), get(games_of))
        .route(&route("/game/{game}"), get(game))
        .route(&route("/game/{game}/board.png"), get(picture))
        .route(&route("/game/{game}/{part}"), get(part));
    match prefix {
        "" => router,
        prefix => router.route(prefix, games()),
    }
}

/// The part of a list to show.
#[derive(Deserialize)]
struct Key {
    /// The variant; all of them without one.
    variant: Option<String>,
    /// The key of the part; the first part without one.
    after: Option<String>,
}

type PartQuery = Result<Query<Key>, QueryRejection>;

async fn games_of(
    shared: State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
    part: PartQuery,
) -> Result<Html<String>, Failure> {
    list(shared, PublicList::GamesOf(name_in(path)?), part).await
}

async fn tournament(
    shared: State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
    part: PartQuery,
) -> Result<Html<String>, Failure> {
    list(shared, PublicList::Tournament(name_in(path)?), part).await
}

/// Returns the name of a player or a tournament in the path of its page.
fn name_in(path: Result<Path<String>, PathRejection>) -> Result<Name, Failure> {
    let Path(name) = path.map_err(|_| Failure::NotFound)?;
    name.parse().map_err(|_| Failure::NotFound)
}

async fn list(
    State(shared): State<Arc<Shared>>,
    list: PublicList,
    part: PartQuery,
) -> Result<Html<String>, Failure> {
    let Query(Key { variant, after }) = part.map_err(|_| Failure::NotFound)?;
    let all = Arc::clone(&shared);
    let page = shared.with_app(Access::Read, move |app| {
        let part = app.public_list(&list, variant.as_deref(), after.as_deref())?;
        Ok(pages::list(&all.site, &list, &part, variant.as_deref(), after.is_none()))
    });
    page.await.map(Html)
}

async fn game(
    shared: State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Failure> {
    let Path(game) = path.map_err(|_| Failure::NotFound)?;
    show(&shared, game_number(&game)?, None).await
}

async fn part(
    shared: State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Failure> {
    let Path((game, part)) = path.map_err(|_| Failure::NotFound)?;
    let game = game_number(&game)?;
    match Part::parse(&part).ok_or(Failure::NotFound)? {
        Part::Events => stream(&shared, game, peer).await,
        part => show(&shared, game, Some(part)).await,
    }
}

/// Returns the event stream of a game that is played.
async fn stream(
    shared: &Arc<Shared>,
    game: GameId,
    peer: Option<IpAddr>,
) -> Result<Response, Failure> {
    let stage = shared.with_app(Access::Read, move |app| app.stage(game, false)).await?;
    let stage = stage.filter(|stage| !stage.is_over).ok_or(Failure::NotFound)?;
    shared.streams.open(Watched::Public(game), peer, stage).ok_or(Failure::TooMany)
}

/// Shows a part below the page of a game, or the game as it stands.
async fn show(shared: &Arc<Shared>, game: GameId, part: Option<Part>) -> Result<Response, Failure> {
    let all = Arc::clone(shared);
    let page = shared.with_app(Access::Read, move |app| {
        let live = app.shown_game(game, None)?;
        let path = format!("{}/game/{game}", all.site.prefix);
        let part = part.unwrap_or(Part::After(live.game.plies().len()));
        let cached = if live.game.turn().is_some() { NEVER } else { BRIEFLY };
        Ok((page_part(&all.site, app, &path, &live, part, true)?, cached))
    });
    let (page, cached) = page.await?;
    Ok(([(CACHE_CONTROL, cached)], page.ok_or(Failure::NotFound)?).into_response())
}

/// Returns the picture that others show beside a link to a game.
async fn picture(
    State(shared): State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Failure> {
    let Path(game) = path.map_err(|_| Failure::NotFound)?;
    let game = game_number(&game)?;
    let live = shared.with_app(Access::Read, move |app| app.shown_game(game, None)).await?;
    // Drawn one at a time, and beside the database, so that many pictures delay no page.
    let permit = timeout(MAX_WAIT, shared.pictures.acquire()).await;
    let permit = permit.ok().and_then(Result::ok).ok_or(Failure::Unavailable)?;
    let drawn = spawn_blocking(move || pages::preview(&live)).await;
    drop(permit);
    let drawn = drawn.ok().flatten().ok_or(Failure::Unavailable)?;
    Ok(([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, BRIEFLY)], drawn).into_response())
}
