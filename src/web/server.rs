//! Listens, and passes each connection's requests to the pages.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tower_service::Service;
use tracing::info;

use crate::app::{Error, OpenApp};
use crate::web::limits::{
    MAX_CONNECTIONS, MAX_CONNECTIONS_OF_A_PEER, MAX_HEADER_BYTES, MAX_HEADER_WAIT, MAX_HEADERS,
    MAX_REFUSAL_WAIT, MAX_REFUSALS, Slot, Slots,
};
use crate::web::patient::Patient;
use crate::web::report::Printer;
use crate::web::routes::{Connection, Web};

/// How long after a signal to stop the requests in hand may take.
const MAX_STOPPING: Duration = Duration::from_secs(25);
/// How long mails and searches may take after that.
const MAX_ENDING: Duration = Duration::from_secs(3);
/// The pause after a connection that could not be accepted, for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(200);
/// How long an idle thread lives. It keeps the parser of commands that it has built.
const THREAD_KEEP_ALIVE: Duration = Duration::from_secs(3600);

/// Serves the pages at this address until SIGINT or SIGTERM, then finishes the requests in hand.
/// `listening` gets the address once requests are accepted, and `print` the problems of the server.
///
/// # Errors
/// When the address cannot be used, or the database or the configuration cannot be read.
pub fn serve(
    address: SocketAddr,
    open: &OpenApp,
    listening: impl FnOnce(SocketAddr),
    print: Printer,
) -> Result<(), Error> {
    let failed = |error: io::Error| Error::fault(format!("cannot listen on {address}: {error}"));
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .thread_keep_alive(THREAD_KEEP_ALIVE)
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let web = Web::start(open, print)?;
        let address = listener.local_addr().map_err(failed)?;
        listening(address);
        info!(port = address.port(), "listening");
        let signal = async || {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        run(web, listener, signal).await;
        info!("stopped");
        Ok(())
    });
    runtime.shutdown_timeout(MAX_ENDING);
    served
}

/// Serves until `signal` completes, then finishes the requests in hand.
async fn run(web: Web, listener: TcpListener, mut signal: impl AsyncFnMut()) {
    let graceful = GracefulShutdown::new();
    tokio::select! {
        () = accept(&web, &listener, &graceful) => {}
        () = signal() => {}
    }
    drop(listener);
    web.close();
    tokio::select! {
        _ = timeout(MAX_STOPPING, graceful.shutdown()) => {}
        // A second signal ends the server at once.
        () = signal() => {}
    }
    web.finish();
}

/// Accepts connections until it is dropped.
async fn accept(web: &Web, listener: &TcpListener, graceful: &GracefulShutdown) {
    let pages = Handler { router: web.router(), header_wait: MAX_HEADER_WAIT, keep_alive: true };
    let refusal =
        Handler { router: web.refusal(), header_wait: MAX_REFUSAL_WAIT, keep_alive: false };
    let slots = Slots::new(MAX_CONNECTIONS, MAX_CONNECTIONS_OF_A_PEER);
    let refusals = Slots::new(MAX_REFUSALS, MAX_REFUSALS);
    loop {
        let (stream, peer) = match listener.accept().await {
            Ok((stream, address)) => (stream, address.ip()),
            Err(error) => {
                web.report(&format!("a connection was not accepted: {error}"));
                sleep(PAUSE).await;
                continue;
            }
        };
        // A reverse proxy has the connections of many peers.
        match slots.take(Some(peer).filter(|_| !web.is_proxy(peer))) {
            Some(slot) => pages.spawn(stream, peer, graceful, slot),
            None => {
                web.report("too many connections: requests get the status 503");
                if let Some(slot) = refusals.take(None) {
                    refusal.spawn(stream, peer, graceful, slot);
                }
            }
        }
    }
}

/// Answers the requests of connections.
struct Handler {
    router: Router,
    /// How long a connection may wait for a request.
    header_wait: Duration,
    /// Whether a connection may have several requests.
    keep_alive: bool,
}

impl Handler {
    /// Serves the requests of a connection, in a task that holds the slot.
    fn spawn(&self, stream: TcpStream, peer: IpAddr, graceful: &GracefulShutdown, slot: Slot) {
        // A response is written at once, and must not wait for the client's acknowledgement.
        let _ = stream.set_nodelay(true);
        let router = self.router.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            let mut router = router.clone();
            request.extensions_mut().insert(Connection(peer));
            async move {
                let response = router.call(request.map(Body::new)).await;
                response.map_err(|never: Infallible| match never {})
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .keep_alive(self.keep_alive)
            .header_read_timeout(self.header_wait)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(Patient::new(stream)), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // An error is the client's: it went away, or sent something that is not HTTP.
            let _ = connection.await;
            drop(slot);
        });
    }
}
