//! The state that all requests share.

use std::num::NonZero;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::app::{App, Error, Kind, OpenApp};
use crate::config::WebSettings;
use crate::web::background::Background;
use crate::web::limits::Limits;
use crate::web::pages::{Failure, Site};
use crate::web::pool::Pool;
use crate::web::report::{Printer, Report};
use crate::web::streams::Streams;

/// How long a request waits for other processes that write.
const LOCK_TIMEOUT: Duration = Duration::from_secs(15);

/// The state that all requests share.
pub(super) struct Shared {
    pub site: Site,
    /// Whether it has only the public pages of a replica.
    pub is_replica: bool,
    pub settings: WebSettings,
    pub limits: Limits,
    pub streams: Streams,
    pub background: Background,
    /// The permit to draw a picture, which takes longer than any other page.
    pub pictures: Semaphore,
    /// For work that only reads, and never waits for a lock.
    readers: Pool,
    /// For work that may write.
    writers: Pool,
    pub report: Arc<Report>,
}

/// How a request uses the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It only reads.
    Read,
    /// It may write, one request at a time.
    Write,
}

impl Shared {
    /// Opens the database, and starts the tasks behind the pages.
    ///
    /// # Errors
    /// When the database cannot be opened or does not exist.
    pub(super) fn start(
        open: &OpenApp,
        print: Printer,
        tasks: &mut JoinSet<()>,
    ) -> Result<Arc<Self>, Error> {
        let app = open()?;
        app.must_exist()?;
        let settings = app.web_settings().clone();
        let is_replica = app.is_followed();
        if is_replica && !settings.public {
            let error =
                Error::refused("`web --read-only` has only the public pages, which are off");
            return Err(error.with_hint("set public = true in [web]"));
        }
        let url = settings.url.as_ref();
        let site = Site {
            prefix: url.map_or(String::new(), |url| url.path().to_owned()),
            url: url.map_or(String::new(), ToString::to_string),
            is_public: settings.public,
        };
        let pool = |size| Pool::new(Arc::clone(open), size, LOCK_TIMEOUT);
        let report = Arc::new(Report::new(print));
        let shared = Arc::new(Self {
            site,
            is_replica,
            settings,
            limits: Limits::new(),
            streams: Streams::new(),
            background: Background::start(open, &report, tasks),
            pictures: Semaphore::new(1),
            readers: pool(available_parallelism().map_or(2, NonZero::get)),
            writers: pool(1),
            report,
        });
        let (watching, pool) = (Arc::clone(&shared), pool(1));
        tasks.spawn(async move { watching.streams.watch(&pool).await });
        Ok(shared)
    }

    /// Does the work with the database.
    pub(super) async fn with_app<T: Send + 'static>(
        &self,
        access: Access,
        work: impl FnOnce(&mut App) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Failure> {
        let pool = match access {
            Access::Read => &self.readers,
            Access::Write => &self.writers,
        };
        let failed = |error: &Error, failure| {
            self.report.problem(&error.to_string());
            failure
        };
        let turn = pool.turn().await.map_err(|error| failed(&error, Failure::Unavailable))?;
        turn.run(work).await.map_err(|error| match (error.kind(), access) {
            (Kind::Refused | Kind::Stale | Kind::Usage, _) => Failure::NotFound,
            (Kind::Moved, _) => Failure::Moved(error.to_string()),
            (Kind::Locked, _) | (Kind::Fault, Access::Read) => failed(&error, Failure::Unavailable),
            (Kind::Fault, Access::Write) => failed(&error, Failure::Uncertain),
        })
    }

    /// Does the work for a token. `find` returns its meaning, such as a visit, or `None` if it is not valid.
    pub(super) async fn with_token<F, T: Send + 'static>(
        self: &Arc<Self>,
        access: Access,
        token: &str,
        find: impl FnOnce(&mut App, &str) -> Result<Option<F>, Error> + Send + 'static,
        work: impl FnOnce(&Self, &mut App, F) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Failure> {
        let (shared, token) = (Arc::clone(self), token.to_owned());
        let done = self.with_app(access, move |app| {
            let Some(found) = find(app, &token)? else { return Ok(Err(Failure::NotFound)) };
            if !shared.limits.allows_token(&token) {
                return Ok(Err(Failure::TooMany));
            }
            work(&shared, app, found).map(Ok)
        });
        done.await?
    }
}
