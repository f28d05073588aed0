//! The routes of the server, and the common parts of all responses.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use tokio::task::JoinSet;
use tracing::info;

use crate::app::{Error, Link, OpenApp, UNSUBSCRIBE_PATH};
use crate::clock::Stopwatch;
use crate::web::limits::MAX_FORM_BYTES;
use crate::web::pages::{self, Failure};
use crate::web::report::Printer;
use crate::web::shared::Shared;
use crate::web::{headers, origin, public, visit};

/// The pages, and the tasks behind them.
pub struct Web {
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
}

/// The address from which a connection comes, in the extensions of its requests.
#[derive(Debug, Clone, Copy)]
pub struct Connection(pub IpAddr);

impl Web {
    /// Opens the database, and starts the tasks. Must be called in a runtime. `print` gets the problems of
    /// the server, for the host.
    ///
    /// # Errors
    /// When the database or the configuration cannot be read.
    pub fn start(open: &OpenApp, print: Printer) -> Result<Self, Error> {
        let mut tasks = JoinSet::new();
        let shared = Shared::start(open, print, &mut tasks)?;
        Ok(Self { shared, tasks })
    }

    /// Returns the service that answers requests. Each has a [`Connection`].
    pub fn router(&self) -> Router {
        let shared = &self.shared;
        let prefix = &shared.site.prefix;
        let mut router = Router::new()
            .route(&format!("{prefix}/style.css"), embedded("text/css", &pages::STYLE))
            .route(&format!("{prefix}/script.js"), embedded("text/javascript", &pages::SCRIPT))
            .merge(if shared.is_replica { Router::new() } else { visit::router(prefix) });
        if shared.site.is_public {
            router = router.merge(public::router(prefix));
        }
        let missing = if shared.is_replica { Failure::NotPublic } else { Failure::NotFound };
        let router = router
            .fallback(async || missing)
            .method_not_allowed_fallback(|| async { Failure::NotFound })
            .layer(DefaultBodyLimit::max(MAX_FORM_BYTES))
            .with_state(Arc::clone(shared));
        // Around the whole router, which adds headers of its own to some responses.
        Router::new()
            .fallback_service(router)
            .layer(middleware::from_fn_with_state(Arc::clone(shared), limit))
            .layer(middleware::from_fn_with_state(Arc::clone(shared), complete))
    }

    /// Returns the service that answers each request of a connection too many.
    pub(super) fn refusal(&self) -> Router {
        let shared = Arc::clone(&self.shared);
        Router::new()
            .fallback(|| async { Failure::Unavailable })
            .layer(middleware::from_fn_with_state(shared, complete))
    }

    /// Returns whether a connection comes from a reverse proxy, which has many.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.shared.settings.is_proxy(peer)
    }

    /// Reports a problem of the server.
    pub(super) fn report(&self, problem: &str) {
        self.shared.report.problem(problem);
    }

    /// Ends the event streams and the searches, so that nothing goes on for long.
    pub(super) fn close(&self) {
        self.shared.streams.close();
        self.shared.background.stop();
    }

    /// Waits until the mails and the computer players' work that requests have caused so far are done.
    pub async fn idle(&self) {
        self.shared.background.idle().await;
    }

    /// Stops the tasks behind the pages. The mail that is being sent, and the job that is being given back,
    /// are finished with the runtime.
    pub(super) fn finish(self) {
        drop(self.tasks);
    }
}

/// The response in place of a page. [`complete`] writes its text, which needs the site.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::NotFound | Self::NotPublic => StatusCode::NOT_FOUND,
            Self::Refused => StatusCode::FORBIDDEN,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable | Self::Uncertain | Self::Moved(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Completes a response with the text of a failure and the headers of all responses.
async fn complete(shared: State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let stopwatch = Stopwatch::start();
    let method = METHODS.into_iter().find(|method| *method == request.method().as_str());
    let page = page(request.uri().path(), &shared.site.prefix);
    let mut response = next.run(request).await;
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        let text = pages::failure(&shared.site, &failure);
        response = (response.status(), Html(text)).into_response();
        if matches!(failure, Failure::TooMany | Failure::Unavailable) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
    }
    headers::complete(response.headers_mut());
    let (status, ms) = (response.status().as_u16(), stopwatch.elapsed().as_millis() as u64);
    info!(method = method.unwrap_or("other"), page, status, ms, "request");
    response
}

/// The methods that the log names.
const METHODS: [&str; 4] = ["GET", "HEAD", "POST", "OPTIONS"];

/// The pages that the log names.
const PAGES: [&str; 8] =
    ["style.css", "script.js", "players", "standings", "player", "game", UNSUBSCRIBE_PATH, ""];

/// Returns the name of the page at a path. The rest of the path has tokens, which are not logged.
fn page(path: &str, prefix: &str) -> &'static str {
    let path = path.strip_prefix(prefix).unwrap_or(path);
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let mut pages = PAGES.into_iter().chain(Link::ALL.map(Link::path));
    pages.find(|page| *page == first).unwrap_or("other")
}

/// Refuses the requests of a peer that sends too many.
async fn limit(
    shared: State<Arc<Shared>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let connection = request.extensions().get::<Connection>();
    let connection = connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |it| it.0);
    let peer = origin::peer(connection, request.headers(), &shared.settings);
    request.extensions_mut().insert(origin::Peer(peer));
    match shared.limits.allows_peer(peer.unwrap_or(connection)) {
        true => Ok(next.run(request).await),
        false => Err(Failure::TooMany),
    }
}

/// Returns the route of a file that is the same for everybody until the program is replaced.
fn embedded(kind: &str, text: &'static str) -> MethodRouter<Arc<Shared>> {
    let kind = format!("{kind}; charset=utf-8");
    get(async move || {
        ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "public, max-age=3600".to_owned())], text)
    })
}
