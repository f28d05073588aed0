//! Links to pages: the mails with links, and the permissions of their tokens.

mod games;
mod lines;
mod mails;
mod own_page;
mod unsubscribing;
mod visits;

use outflank::app::{App, Visit};
use outflank::mail::token::Claims;
use rusqlite::Row;
use rusqlite::types::Value;

use crate::harness::{CAROL, Mail, Purpose, TestEnvironment, first_version};

/// The settings of a club with pages.
const WEB: &str = "[web]\nurl = 'https://club.example/othello/'";
/// The address of its pages.
const PAGES: &str = "https://club.example/othello";

/// Returns an environment with pages and game 1, which carol watches.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new().config(WEB).with_game();
    env.ok(&format!("signup carol {CAROL}"));
    env.ok("--as alice set watchers all");
    env.ok("--as bob set watchers all");
    env.ok("--as carol watch 1");
    env
}

/// Returns the content of all tables.
fn tables(env: &TestEnvironment) -> Vec<String> {
    let sqlite = env.sqlite();
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut names = sqlite.prepare(names).unwrap();
    let names: Vec<String> =
        names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let rows = |name: &String| {
        let mut select = sqlite.prepare(&format!("SELECT * FROM {name}")).unwrap();
        let columns = select.column_count();
        let row = |row: &Row| {
            let values = (0..columns).map(|at| row.get::<_, Value>(at));
            Ok(format!("{name}: {:?}", values.collect::<Result<Vec<_>, _>>()?))
        };
        select.query_map([], row).unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    names.iter().flat_map(rows).collect()
}

/// Opens the application as the server of the pages does.
fn app(env: &TestEnvironment) -> App {
    env.app()
}

/// Returns the visit with this token, which must be valid.
#[track_caller]
fn visit(env: &TestEnvironment, token: &str) -> Visit {
    app(env).visit(token).unwrap().expect("a valid token")
}

/// Returns a token of the first version with this value of `known`.
fn knowing(
    env: &TestEnvironment,
    purpose: Purpose,
    player: &str,
    number: i64,
    known: Option<u64>,
) -> String {
    let player_id = Some(env.player_id(player));
    let claims = Claims { purpose, player: player_id, number, event: 0, known, asks: false };
    first_version(claims, env.secret(player))
}

/// Returns the token of a player's own page, made now.
fn own_token(env: &TestEnvironment, player: &str) -> String {
    knowing(env, Purpose::Desk, player, 0, Some(env.now().timestamp().unsigned_abs()))
}

/// Returns the tokens of the links with this path in the text of a mail, and checks that the HTML has them,
/// too.
#[track_caller]
fn tokens_of(mail: &Mail, path: &str) -> Vec<String> {
    let begin = format!("{PAGES}/{path}/");
    let html = mail.html().unwrap();
    let links = mail.text.split(&begin).skip(1);
    let tokens = links.map(|rest| rest.split_whitespace().next().unwrap_or_default().to_owned());
    let tokens: Vec<_> = tokens.collect();
    for token in &tokens {
        assert!(html.contains(&format!("href=\"{begin}{token}\"")), "{html}");
    }
    tokens
}
