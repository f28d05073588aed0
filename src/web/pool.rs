//! Connections to the database.

use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::app::{App, Error, OpenApp, contain};
use crate::web::limits::MAX_WAIT;

/// A pool of applications with a database connection each, used on blocking threads.
#[derive(Clone)]
pub(super) struct Pool(Arc<Shared>);

struct Shared {
    open: OpenApp,
    /// The applications that are not in use.
    idle: Mutex<Vec<App>>,
    /// As many permits as applications.
    permits: Arc<Semaphore>,
    /// How long each waits for other processes that write.
    lock_timeout: Duration,
}

impl Pool {
    /// Returns a pool of `size` applications, which are opened when they are needed.
    pub(super) fn new(open: OpenApp, size: usize, lock_timeout: Duration) -> Self {
        let permits = Arc::new(Semaphore::new(size));
        Self(Arc::new(Shared { open, idle: Mutex::default(), permits, lock_timeout }))
    }

    /// Does the work with an application, as soon as one is idle.
    ///
    /// # Errors
    /// As [`Pool::turn`] and [`Turn::run`].
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut App) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.turn().await?.run(work).await
    }

    /// Waits until an application is idle.
    ///
    /// # Errors
    /// A fault if that takes too long.
    pub(super) async fn turn(&self) -> Result<Turn, Error> {
        let shared = Arc::clone(&self.0);
        let permit = Arc::clone(&shared.permits).acquire_owned();
        let permit = timeout(MAX_WAIT, permit).await.map_err(|_| {
            let seconds = MAX_WAIT.as_secs();
            Error::fault(format!("no connection to the database was free for {seconds} s"))
        })?;
        let permit = permit.map_err(|_| Error::fault("the server stops"))?;
        Ok(Turn { shared, permit })
    }
}

/// The right to use an application of a pool.
pub(super) struct Turn {
    shared: Arc<Shared>,
    permit: OwnedSemaphorePermit,
}

impl Turn {
    /// Does the work to its end, even if the caller stops waiting.
    ///
    /// # Errors
    /// The error of the work; a fault if it panics.
    pub(super) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut App) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let Self { shared, permit } = self;
        let run = move || {
            let done = shared.run(work);
            drop(permit);
            done
        };
        match spawn_blocking(run).await {
            Ok(done) => done,
            // The runtime is being shut down, and drops this task, too.
            Err(error) if error.is_cancelled() => pending().await,
            Err(_) => Err(Error::fault("the database could not be opened")),
        }
    }
}

impl Shared {
    fn run<T>(&self, work: impl FnOnce(&mut App) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut app = match idle {
            Some(app) => app,
            None => (self.open)()?,
        };
        app.limit_waiting(self.lock_timeout);
        let done = contain(|| {
            app.reopen()?;
            app.must_exist()?;
            work(&mut app)
        });
        // After a fault, another connection may work. Litestream waits for the end of one to a replica.
        if !app.is_followed() && done.as_ref().err().is_none_or(|error| !error.is_fault()) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(app);
        }
        done
    }
}
