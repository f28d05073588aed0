//! The pages as browsers, mail programs and attackers ask for them.

mod calendar;
mod desk;
mod forms;
mod hostile;
mod pages;
mod process;
mod public;
mod safety;
mod steps;
mod streams;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use chrono::{DateTime, Utc};
use outflank::app::{App, OpenApp, Rng, load_config};
use outflank::clock::Clock;
use outflank::mail::token::Claims;
use outflank::web::{Connection, Web};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

use crate::harness::{CAROL, Purpose, TestEnvironment, first_version};

/// The settings of a club with pages behind a path.
const WEB: &str = "[web]\nurl = 'https://club.example/othello'";
/// The origin of its pages.
const ORIGIN: &str = "https://club.example";

/// A clock that stands still until a test moves it.
#[derive(Clone, Default)]
struct PagesClock(Arc<AtomicI64>);

impl Clock for PagesClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::Relaxed), 0).unwrap()
    }
}

/// The pages of game 1, which alice (black) plays against bob and carol watches.
struct Pages {
    env: TestEnvironment,
    clock: PagesClock,
    runtime: Runtime,
    /// Its tasks run until it is dropped.
    _web: Web,
    router: Router,
    problems: Arc<Mutex<Vec<String>>>,
}

/// An answer of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: String,
}

impl Pages {
    /// Returns the pages of a club with these settings.
    fn with(settings: &str) -> Self {
        let env = TestEnvironment::new().config(settings).with_game();
        env.ok(&format!("signup carol {CAROL}"));
        env.ok("--as alice set watchers all");
        env.ok("--as bob set watchers all");
        env.ok("--as carol watch 1");
        env.mails();
        Self::of(env)
    }

    fn new() -> Self {
        Self::with(WEB)
    }

    /// Returns the pages of this club.
    fn of(env: TestEnvironment) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Self::on(runtime, env)
    }

    /// Returns the pages of this club, served by this runtime.
    fn on(runtime: Runtime, env: TestEnvironment) -> Self {
        let clock = PagesClock::default();
        clock.0.store(env.now().timestamp(), Ordering::Relaxed);
        let (database, config) = (env.database(), env.config_file());
        let opened = clock.clone();
        let open: OpenApp = Arc::new(move || {
            let (config, clock) = (load_config(Some(&config))?, Box::new(opened.clone()));
            let app = App::open(&database, false, config, clock, Rng::seeded(1))?;
            Ok(app.expecting_database(true))
        });
        let problems: Arc<Mutex<Vec<String>>> = Arc::default();
        let printed = Arc::clone(&problems);
        let print = Box::new(move |problem: &str| printed.lock().unwrap().push(problem.to_owned()));
        let entered = runtime.enter();
        let web = Web::start(&open, print).unwrap();
        drop(entered);
        let router = web.router();
        Self { env, clock, runtime, _web: web, router, problems }
    }

    /// Moves the clock forward by `days`.
    fn later(&self, days: i64) {
        self.env.later(days * 24 * 60);
        self.clock.0.store(self.env.now().timestamp(), Ordering::Relaxed);
    }

    /// Returns a token with this purpose for game 1, or for the page of a player.
    fn token(&self, purpose: Purpose, player: &str) -> String {
        let known = (purpose == Purpose::Desk).then(|| self.env.now().timestamp().unsigned_abs());
        let number = i64::from(purpose != Purpose::Desk);
        let player_id = Some(self.env.player_id(player));
        let claims = Claims { purpose, player: player_id, number, event: 0, known, asks: false };
        first_version(claims, self.env.secret(player))
    }

    /// Returns the path of this player's page of game 1.
    fn play(&self, player: &str) -> String {
        format!("/othello/play/{}", self.token(Purpose::Page, player))
    }

    /// Returns the path of carol's page of game 1, which she watches.
    fn watch(&self) -> String {
        format!("/othello/watch/{}", self.token(Purpose::Board, "carol"))
    }

    /// Returns the path of the player's own page.
    fn desk(&self, player: &str) -> String {
        format!("/othello/me/{}", self.token(Purpose::Desk, player))
    }

    fn history(&self) -> String {
        self.env.history(1)
    }

    /// Sends a request, and returns the response without its body.
    fn respond(&self, request: Request<Body>) -> Response<Body> {
        self.runtime.block_on(self.router.clone().oneshot(request)).unwrap()
    }

    /// Sends a request.
    fn send(&self, request: Request<Body>) -> Answer {
        self.answer(self.respond(request))
    }

    /// Reads a response to its end.
    fn answer(&self, response: Response<Body>) -> Answer {
        let (head, body) = response.into_parts();
        let body = self.runtime.block_on(to_bytes(body, usize::MAX)).unwrap();
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer { status: head.status, headers: head.headers, body }
    }

    fn get(&self, path: &str) -> Answer {
        self.send(request(Method::GET, path, &[], ""))
    }

    /// Sends a form of the page at this path.
    fn post(&self, path: &str, form: &str) -> Answer {
        self.send(request(Method::POST, path, &[("sec-fetch-site", "same-origin")], form))
    }

    /// Runs a command with the fields of the page at this path.
    fn act(&self, path: &str, command: &str, text: &str) -> Answer {
        let page = self.get(path).body;
        let field = page.split_once(r#"name="history" value=""#).map_or("", |(_, after)| after);
        let history = field.split_once('"').map_or("0", |(history, _)| history);
        self.post(path, &format!("history={history}&command={command}&text={text}"))
    }

    /// Returns everything that the database holds.
    fn content(&self) -> Vec<String> {
        content(&self.env)
    }
}

/// A problem that a test does not expect fails it.
impl Drop for Pages {
    fn drop(&mut self) {
        let problems = self.problems.lock().unwrap();
        if !std::thread::panicking() {
            assert_eq!(*problems, [""; 0]);
        } else if !problems.is_empty() {
            eprintln!("problems: {problems:#?}");
        }
    }
}

/// Returns a request as a reverse proxy forwards it.
fn request(method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    if !body.is_empty() {
        request = request.header("content-type", "application/x-www-form-urlencoded");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    request.extensions_mut().insert(Connection("127.0.0.1".parse().unwrap()));
    request
}

/// Returns everything that a database holds, row by row.
fn content(env: &TestEnvironment) -> Vec<String> {
    let sqlite = env.sqlite();
    let mut tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let tables: Vec<String> =
        tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let rows = tables.iter().flat_map(|table| {
        let mut select = sqlite.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = select.column_count();
        let row = |row: &rusqlite::Row| {
            let value = |column| format!("{:?}", row.get_ref(column).unwrap());
            Ok(format!("{table} {}", (0..columns).map(value).collect::<Vec<_>>().join(" ")))
        };
        select.query_map([], row).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    });
    rows.collect()
}
