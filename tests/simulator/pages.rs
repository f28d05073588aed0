//! Pages: a request of a browser, answered by the program's own router in this process, and what is read from
//! a page.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::http::header::LOCATION;
use axum::http::{self, Method};
use html5gum::{StartTag, Token, Tokenizer};
use outflank::app::{Error, OpenApp};
use outflank::clock;
use outflank::web::{Connection, Web};
use tokio::runtime::Builder;
use tower::ServiceExt as _;

use super::tables::{Tables, number};

/// The address of the site.
pub const SITE: &str = "https://club.example";

/// A request of a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub path: String,
    /// The fields of a form that is sent, encoded; `None` if a page is opened.
    pub form: Option<String>,
    /// Whether the browser says that a page of another site sends it.
    pub is_foreign: bool,
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// Where the browser is sent.
    pub location: Option<String>,
    pub body: String,
    /// What the server reports to the host.
    pub problems: Vec<String>,
}

/// Lets a new server answer a request and do what follows from it. `answered` is called before that, if the
/// server says that it has done something.
pub fn answer(open: &OpenApp, request: &Request, answered: impl FnOnce()) -> Result<Answer, Error> {
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let report = Arc::clone(&reported);
    let print =
        move |problem: &str| report.lock().expect("is not poisoned").push(problem.to_owned());
    // One thread reads and writes, so that everything happens in the same order each time.
    let mut runtime = Builder::new_current_thread();
    runtime.enable_all().max_blocking_threads(1).on_thread_start(clock::stop_passing);
    runtime.build().expect("a runtime starts").block_on(async {
        let web = Web::start(open, Box::new(print))?;
        let response = web.router().oneshot(request.to_http()).await;
        let (head, body) = response.unwrap_or_else(|never| match never {}).into_parts();
        let body = to_bytes(body, usize::MAX).await.expect("the body is there");
        if request.form.is_some() && head.status.as_u16() < 400 {
            answered();
        }
        web.idle().await;
        let location =
            head.headers.get(LOCATION).and_then(|it| it.to_str().ok()).map(str::to_owned);
        let problems = reported.lock().expect("is not poisoned").clone();
        let body = String::from_utf8_lossy(&body).into_owned();
        Ok(Answer { status: head.status.as_u16(), location, body, problems })
    })
}

impl Request {
    fn to_http(&self) -> http::Request<Body> {
        let method = if self.form.is_some() { Method::POST } else { Method::GET };
        let from = if self.is_foreign { "cross-site" } else { "same-origin" };
        let body = self.form.clone().unwrap_or_default();
        let mut request = http::Request::builder()
            .method(method)
            // As a browser writes the values of a form that only reads.
            .uri(self.path.replace(' ', "+"))
            .header("sec-fetch-site", from)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(body))
            .expect("the path is valid");
        request.extensions_mut().insert(Connection([127, 0, 0, 1].into()));
        request
    }
}

/// A form of a page.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// The path that it is sent to.
    pub path: String,
    pub is_post: bool,
    /// The fields that nobody types, with their values.
    pub hidden: Vec<(String, String)>,
    /// The name of the field for text.
    pub text: Option<String>,
    /// The lists from which something is chosen, with their values.
    pub choices: Vec<(String, Vec<String>)>,
    /// The buttons with a value of their own.
    pub buttons: Vec<(String, String)>,
    /// The boxes that somebody can tick, with their values.
    pub boxes: Vec<(String, String)>,
}

impl Form {
    /// Returns the value of a field that nobody types.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.hidden.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether this is what it sends, and nobody types or chooses anything.
    pub fn sends(&self, fields: &str) -> bool {
        let is_fixed = self.text.is_none() && self.choices.is_empty();
        is_fixed && self.encoded(None, |_| 0) == fields
    }

    /// Returns its fields, encoded, with what is typed and chosen: a number below that of the values.
    pub fn encoded(&self, typed: Option<&str>, mut choose: impl FnMut(usize) -> usize) -> String {
        let hidden = self.hidden.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let full = self.choices.iter().filter(|(_, values)| !values.is_empty());
        let chosen: Vec<_> =
            full.map(|(name, values)| (name.as_str(), &*values[choose(values.len())])).collect();
        let ticked = self.boxes.iter().filter(|_| choose(2) == 1);
        let ticked = ticked.map(|(name, value)| (name.as_str(), value.as_str()));
        encode(hidden.chain(self.text.as_deref().zip(typed)).chain(chosen).chain(ticked))
    }
}

/// Returns the path of a page for everybody: a list, perhaps of one variant, or the page of a player, a tournament
/// or a game, if there is one.
pub fn public_path(tables: &Tables, rng: &mut fastrand::Rng) -> String {
    const LISTS: [&str; 4] = ["/", "/players", "/standings", "/tournaments"];
    const VARIANTS: [&str; 6] = ["", "", "othello", "mini", "twente", "oddthello"];
    let of_variant = match VARIANTS[rng.usize(..VARIANTS.len())] {
        "" => String::new(),
        variant => format!("?variant={variant}"),
    };
    let columns =
        [("player", "name"), ("tournament", "name"), ("game", "id"), ("analysis", "game")];
    let (table, column) = columns[rng.usize(..columns.len())];
    let values: Vec<_> = tables.columns(table, [column]).filter_map(|[value]| value).collect();
    match (table, rng.choice(values).filter(|_| rng.bool() || table == "analysis")) {
        (_, None) => format!("{}{of_variant}", LISTS[rng.usize(..LISTS.len())]),
        ("player", Some(name)) => format!("/player/{name}{of_variant}"),
        ("tournament", Some(name)) => format!("/tournament/{name}"),
        (_, Some(id)) => {
            let plies =
                number(Some(id)).and_then(|id| tables.columns_of("game", id, ["ply"]).next());
            let plies = plies.and_then(|[ply]| ply?.parse().ok()).unwrap_or(0);
            match rng.u8(..8) {
                0 => format!("/game/{id}"),
                1 => format!("/game/{id}/game.json"),
                2 => format!("/game/{id}/game.txt"),
                _ => format!("/game/{id}/{}", rng.u32(..=plies)),
            }
        }
    }
}

thread_local! {
    /// The last page that was read, which is asked for different things one after the other.
    static LAST_READ: RefCell<(String, Rc<[Token<()>]>)> = RefCell::new((String::new(), Rc::new([])));
}

/// Returns the tags and texts of a page.
fn tokens(page: &str) -> Rc<[Token<()>]> {
    LAST_READ.with_borrow_mut(|(last, tokens)| {
        if last != page {
            page.clone_into(last);
            *tokens = Tokenizer::new(page).map(|Ok(token)| token).collect();
        }
        Rc::clone(tokens)
    })
}

/// Returns the forms of a page that can be seen.
pub fn forms(page: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    let mut is_open = false;
    for token in &*tokens(page) {
        match token {
            Token::StartTag(tag) if &**tag.name == b"form" => {
                if attribute(tag, "hidden").is_some() {
                    continue;
                }
                let is_post = attribute(tag, "method") == Some("post".to_owned());
                let path = attribute(tag, "action").unwrap_or_default();
                forms.push(Form { path, is_post, ..Form::default() });
                is_open = true;
            }
            Token::EndTag(tag) if &**tag.name == b"form" => is_open = false,
            Token::StartTag(tag) if is_open => {
                let Some(form) = forms.last_mut() else { continue };
                if let (b"option", Some((_, values))) = (&**tag.name, form.choices.last_mut()) {
                    values.extend(attribute(tag, "value"));
                }
                let Some(name) = attribute(tag, "name") else { continue };
                let value = attribute(tag, "value").unwrap_or_default();
                match &**tag.name {
                    b"button" => form.buttons.push((name, value)),
                    b"input" if attribute(tag, "type").as_deref() == Some("hidden") => {
                        form.hidden.push((name, value));
                    }
                    b"input" if attribute(tag, "type").as_deref() == Some("checkbox") => {
                        form.boxes.push((name, value));
                    }
                    b"input" | b"textarea" => form.text = Some(name),
                    b"select" => form.choices.push((name, Vec::new())),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    forms
}

/// Returns the paths of the links of a page to this site.
pub fn links(page: &str) -> Vec<String> {
    hrefs(page).into_iter().filter(|link| link.starts_with('/')).collect()
}

/// Returns where all links of a page lead.
pub fn hrefs(page: &str) -> Vec<String> {
    let tokens = tokens(page);
    let links = tokens.iter().filter_map(|token| match token {
        Token::StartTag(tag) if &**tag.name == b"a" => attribute(tag, "href"),
        _ => None,
    });
    links.collect()
}

/// Returns the links of a page to parts of itself, which begin with `?`.
pub fn parts(page: &str) -> Vec<String> {
    hrefs(page).into_iter().filter(|link| link.starts_with('?')).collect()
}

/// Returns the texts between the tags of a page.
pub fn texts(page: &str) -> Vec<String> {
    let tokens = tokens(page);
    let texts = tokens.iter().filter_map(|token| match token {
        Token::String(text) => Some(String::from_utf8_lossy(text).trim().to_owned()),
        _ => None,
    });
    texts.filter(|text| !text.is_empty()).collect()
}

/// Returns the rows of the tables of a page: the text of each cell by the title of its column.
pub fn rows(page: &str) -> Vec<BTreeMap<String, String>> {
    let mut rows: Vec<BTreeMap<String, String>> = Vec::new();
    let mut title = None;
    for token in &*tokens(page) {
        match token {
            Token::StartTag(tag) if &**tag.name == b"tr" => rows.push(BTreeMap::new()),
            Token::StartTag(tag) if &**tag.name == b"td" => title = attribute(tag, "data-title"),
            Token::EndTag(tag) if &**tag.name == b"td" => title = None,
            Token::String(text) => {
                let Some((row, title)) = rows.last_mut().zip(title.clone()) else { continue };
                row.entry(title).or_default().push_str(&String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }
    rows
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Encodes the fields of a form.
fn encode<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let fields = fields.into_iter().map(|(name, value)| format!("{name}={}", escape(value)));
    fields.collect::<Vec<_>>().join("&")
}

/// Writes all bytes but letters and digits as `%XX`.
fn escape(value: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    value.bytes().map(byte).collect()
}

/// Returns the text that was encoded so.
pub fn unescaped(value: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), value.as_bytes());
    while let [first, after @ ..] = rest {
        let code = value.get(value.len() - after.len()..).and_then(|it| it.get(..2));
        let code = code.filter(|_| *first == b'%').and_then(|it| u8::from_str_radix(it, 16).ok());
        bytes.push(code.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A cell of a table.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub class: String,
    pub text: String,
}

/// Returns the cells of each row of the tables of a page that has any.
pub fn cells(page: &str) -> Vec<Vec<Cell>> {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut is_open = false;
    for token in &*tokens(page) {
        match token {
            Token::StartTag(tag) if &**tag.name == b"tr" => rows.push(Vec::new()),
            Token::StartTag(tag) if &**tag.name == b"td" => {
                let class = attribute(tag, "class").unwrap_or_default();
                is_open = true;
                if let Some(row) = rows.last_mut() {
                    row.push(Cell { class, text: String::new() });
                }
            }
            Token::EndTag(tag) if &**tag.name == b"td" => is_open = false,
            Token::String(text) if is_open => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                    cell.text.push_str(&String::from_utf8_lossy(text));
                }
            }
            _ => {}
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// Returns the value of an attribute of the main part of a page.
pub fn of_main(page: &str, name: &str) -> Option<String> {
    tokens(page).iter().find_map(|token| match token {
        Token::StartTag(tag) if &**tag.name == b"main" => attribute(tag, name),
        _ => None,
    })
}
