//! The pages that everybody may see.

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::app::PublicList;
use crate::command::Name;
use crate::web::limits::MAX_WAIT;
use crate::web::pages::{self, Failure, List, ListPage};
use crate::web::parts::{Part, page_part};
use crate::web::shared::{Access, Shared};
use outflank_model::log::GameId;

/// A page or a picture of a game can be a little late.
const BRIEFLY: &str = "public, max-age=60";

/// Returns the pages below this path.
pub(super) fn router(prefix: &str) -> Router<Arc<Shared>> {
    let route = |path: &str| format!("{prefix}{path}");
    let router = Router::new()
        .route(&route("/"), get(games))
        .route(&route("/players"), get(players))
        .route(&route("/standings"), get(standings))
        .route(&route("/player/{name}"), get(games_of))
        .route(&route("/game/{game}"), get(game))
        .route(&route("/game/{game}/board.png"), get(picture))
        .route(&route("/game/{game}/{part}"), get(part));
    match prefix {
        "" => router,
        prefix => router.route(prefix, get(games)),
    }
}

/// Which part of a long list to show: the first, or the one with this key.
#[derive(Deserialize)]
struct Key {
    after: Option<String>,
}

type Asked = Result<Query<Key>, QueryRejection>;

async fn games(shared: State<Arc<Shared>>, part: Asked) -> Result<Html<String>, Failure> {
    list(&shared, PublicList::Games, part).await
}

async fn players(shared: State<Arc<Shared>>, part: Asked) -> Result<Html<String>, Failure> {
    list(&shared, PublicList::Players, part).await
}

async fn standings(shared: State<Arc<Shared>>, part: Asked) -> Result<Html<String>, Failure> {
    list(&shared, PublicList::Standings, part).await
}

async fn games_of(
    shared: State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
    part: Asked,
) -> Result<Html<String>, Failure> {
    let Path(name) = path.map_err(|_| Failure::NotFound)?;
    let name = name.parse::<Name>().map_err(|_| Failure::NotFound)?;
    list(&shared, PublicList::GamesOf(name), part).await
}

async fn list(
    shared: &Arc<Shared>,
    list: PublicList,
    part: Asked,
) -> Result<Html<String>, Failure> {
    let Query(Key { after }) = part.map_err(|_| Failure::NotFound)?;
    let all = Arc::clone(shared);
    let page = shared.with_app(Access::Read, move |app| {
        let (reply, next) = &app.public_list(&list, after.as_deref())?;
        let list = match &list {
            PublicList::Games => List::Games,
            PublicList::GamesOf(name) => List::GamesOf(name.as_str()),
            PublicList::Players => List::Players,
            PublicList::Standings => List::Standings,
        };
        let (is_first, next) = (after.is_none(), next.as_deref());
        Ok(pages::list(&ListPage { site: &all.site, list, reply, is_first, next }))
    });
    page.await.map(Html)
}

/// Returns the number of a game in a path: one address for a game.
fn game_number(text: &str) -> Result<GameId, Failure> {
    let game = text.parse::<GameId>().ok().filter(|game| game.to_string() == text);
    game.ok_or(Failure::NotFound)
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
    path: Result<Path<(String, String)>, PathRejection>,
) -> Result<Response, Failure> {
    let Path((game, part)) = path.map_err(|_| Failure::NotFound)?;
    let part: Part = part.parse().map_err(|_| Failure::NotFound)?;
    show(&shared, game_number(&game)?, Some(part)).await
}

/// Shows what is below the page of a game, or the game as it stands.
async fn show(shared: &Arc<Shared>, game: GameId, part: Option<Part>) -> Result<Response, Failure> {
    let all = Arc::clone(shared);
    let page = shared.with_app(Access::Read, move |app| {
        let live = app.public_game(game)?;
        let path = format!("{}/game/{game}", all.site.prefix);
        let part = part.unwrap_or(Part::After(live.game.plies().len()));
        page_part(&all.site, app, &path, &live, part, true)
    });
    let page = page.await?.ok_or(Failure::NotFound)?;
    Ok(([(CACHE_CONTROL, BRIEFLY)], page).into_response())
}

/// Returns the picture that others show beside a link to a game.
async fn picture(
    State(shared): State<Arc<Shared>>,
    path: Result<Path<String>, PathRejection>,
) -> Result<Response, Failure> {
    let Path(game) = path.map_err(|_| Failure::NotFound)?;
    let game = game_number(&game)?;
    let live = shared.with_app(Access::Read, move |app| app.public_game(game)).await?;
    // Drawn one at a time, and beside the database, so that many pictures delay no page.
    let permit = timeout(MAX_WAIT, shared.pictures.acquire()).await;
    let permit = permit.ok().and_then(Result::ok).ok_or(Failure::Unavailable)?;
    let drawn = spawn_blocking(move || pages::preview(&live)).await;
    drop(permit);
    let drawn = drawn.ok().flatten().ok_or(Failure::Unavailable)?;
    Ok(([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, BRIEFLY)], drawn).into_response())
}
