//! The pages behind a token.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Form, Router};
use serde::Deserialize;
use tokio::time::timeout;

use crate::app::{
    App, Aside, Error, Kind, Link, LiveGame, PlayerCommand, Submitted, UNSUBSCRIBE_PATH,
    Unsubscription, Visit,
};
use crate::command::PlayerRef;
use crate::web::limits::MAX_WAIT;
use crate::web::origin::{self, Peer};
use crate::web::pages::{self, DeskPage, Failure, Message, PlayPage};
use crate::web::parts::{Part, game_number, page_part};
use crate::web::shared::{Access, Shared};
use crate::web::streams::Watched;
use outflank_model::log::{Game, GameId};
use outflank_rules::{Move, Transcript, shortened};

/// No token is longer.
const MAX_TOKEN_BYTES: usize = 64;

/// Returns the pages below this path.
pub(super) fn router(prefix: &str) -> Router<Arc<Shared>> {
    let path = |first: &str| format!("{prefix}/{first}/{{token}}");
    let mut router = Router::new()
        .route(&path(Link::Me.path()), get(desk).post(act_at_desk))
        .route(&format!("{}/{{game}}", path(Link::Me.path())), get(show_game).post(act))
        .route(&format!("{}/{{game}}/{{part}}", path(Link::Me.path())), get(show_part))
        .route(&path(Link::Calendar.path()), get(calendar))
        .route(&path(UNSUBSCRIBE_PATH), get(show_unsubscribing).post(unsubscribe));
    for link in [Link::Play, Link::Watch] {
        router = router
            .route(&path(link.path()), get(show_game).post(act))
            .route(&format!("{}/{{part}}", path(link.path())), get(show_part));
    }
    router
}

/// The path of a page with a token.
struct Address {
    /// The path up to the token.
    home: String,
    /// The path up to the token or, on the page of a game opened from the own page, to the game.
    path: String,
    /// That game.
    game: Option<GameId>,
    /// The kind of the link; `None` for the page that stops mails.
    link: Option<Link>,
    /// The token, in lower case.
    token: String,
    /// The rest of the path.
    part: String,
}

impl FromRequestParts<Arc<Shared>> for Address {
    type Rejection = Failure;

    async fn from_request_parts(
        request: &mut Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, Failure> {
        let prefix = &shared.site.prefix;
        let below = request.uri.path().strip_prefix(prefix).and_then(|it| it.strip_prefix('/'));
        let mut segments = below.ok_or(Failure::NotFound)?.splitn(3, '/');
        let mut next = || segments.next().unwrap_or_default();
        let (first, token, part) = (next(), next(), next());
        let link = Link::ALL.into_iter().find(|link| link.path() == first);
        let token = match link {
            Some(Link::Calendar) => token.strip_suffix(".ics").ok_or(Failure::NotFound)?,
            _ => token,
        };
        if token.len() > MAX_TOKEN_BYTES || !token.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return Err(Failure::NotFound);
        }
        // Either case is valid, and counts as the same token.
        let token = token.to_ascii_lowercase();
        let home = format!("{prefix}/{first}/{token}");
        let (game, part) = match link {
            Some(Link::Me) if !part.is_empty() => {
                let (game, part) = part.split_once('/').unwrap_or((part, ""));
                (Some(game_number(game)?), part)
            }
            _ => (None, part),
        };
        let path = game.map_or_else(|| home.clone(), |game| format!("{home}/{game}"));
        Ok(Self { home, path, game, link, token, part: part.to_owned() })
    }
}

impl Address {
    /// Does the work for the visitor.
    async fn visited<T: Send + 'static>(
        self,
        shared: &Arc<Shared>,
        access: Access,
        work: impl FnOnce(&Self, &Shared, &mut App, &Visit) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Failure> {
        let link = self.link.ok_or(Failure::NotFound)?;
        let game = self.game;
        let find = move |app: &mut App, token: &str| {
            let visit = app.visit(token)?.filter(|it| it.kind == link);
            match (visit, game) {
                (Some(visit), Some(game)) => app.visit_of_game(visit, game),
                (visit, _) => Ok(visit),
            }
        };
        let token = self.token.clone();
        let work =
            move |shared: &Shared, app: &mut App, visit: Visit| work(&self, shared, app, &visit);
        shared.with_token(access, &token, find, work).await
    }
}

/// A request that a page of this site sends: only then may it change anything.
struct OwnPage;

impl FromRequestParts<Arc<Shared>> for OwnPage {
    type Rejection = Failure;

    async fn from_request_parts(
        request: &mut Parts,
        shared: &Arc<Shared>,
    ) -> Result<Self, Failure> {
        match origin::is_own_page(&request.headers, &shared.settings) {
            true => Ok(Self),
            false => Err(Failure::Refused),
        }
    }
}

/// The query of a page.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Shown {
    /// A move that was chosen.
    choose: String,
    /// The word of the command that was carried out.
    done: String,
    /// Not empty if words were mailed at once.
    now: String,
    /// The moves so far of a branch of a plan that is being made.
    plan: Option<String>,
    /// The key of a part of a list.
    after: Option<String>,
}

impl Shown {
    fn of(query: Result<Query<Self>, QueryRejection>) -> Self {
        query.map(|Query(shown)| shown).unwrap_or_default()
    }

    fn message(&self) -> Option<Message> {
        word(&self.done).map(|word| match self.now.is_empty() {
            true => Message::Done(word),
            false => Message::Mailed,
        })
    }
}

/// The fields of a form.
#[derive(Default)]
struct Fields {
    /// The history that the page showed.
    history: String,
    /// The word of a command, and the word of a setting, if it has one.
    command: String,
    /// Its arguments, each from a field of its own.
    text: String,
    /// What the player says with a move.
    say: String,
    /// Whether the words are mailed at once.
    now: bool,
}

impl Fields {
    /// Returns the fields; `None` if one comes twice that can come only once.
    fn of(pairs: Vec<(String, String)>) -> Option<Self> {
        let mut fields = Self::default();
        for (name, value) in pairs {
            let field = match &*name {
                "history" => &mut fields.history,
                "command" => &mut fields.command,
                "say" => &mut fields.say,
                "now" => {
                    fields.now = true;
                    continue;
                }
                "text" if value.is_empty() => continue,
                "text" => {
                    let space = if fields.text.is_empty() { "" } else { " " };
                    fields.text.push_str(&format!("{space}{value}"));
                    continue;
                }
                _ => continue,
            };
            if !field.is_empty() {
                return None;
            }
            *field = value;
        }
        Some(fields)
    }
}

/// A form with the word of its command.
struct Action {
    word: &'static str,
    fields: Fields,
}

impl FromRequest<Arc<Shared>> for Action {
    type Rejection = Failure;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Failure> {
        let form = timeout(MAX_WAIT, Form::from_request(request, shared)).await;
        let form = form.map_err(|_| Failure::Unavailable)?;
        let Form(pairs): Form<Vec<(String, String)>> = form.map_err(|_| Failure::Refused)?;
        let fields = Fields::of(pairs).ok_or(Failure::Refused)?;
        let word = fields.command.split(' ').next().and_then(word).ok_or(Failure::Refused)?;
        Ok(Self { word, fields })
    }
}

/// Returns the word of a command of players.
fn word(text: &str) -> Option<&'static str> {
    PlayerCommand::words().find(|word| *word == text)
}

async fn show_game(
    State(shared): State<Arc<Shared>>,
    address: Address,
    query: Result<Query<Shown>, QueryRejection>,
) -> Result<Html<String>, Failure> {
    let shown = Shown::of(query);
    let page = address.visited(&shared, Access::Read, move |address, shared, app, visit| {
        let (live, aside) = &app.visited_game(visit)?;
        let chosen = chosen(live, visit, &shown.choose);
        let message = match &shown.choose {
            choice if chosen.is_none() && !choice.is_empty() => Some(not_legal(choice)),
            _ => shown.message(),
        };
        let branch = shown.plan.as_deref().and_then(|text| branch(live, text));
        Ok(pages::play(&PlayPage {
            chosen,
            branch: branch.as_ref(),
            message: message.as_ref(),
            ..play_page(address, shared, live, visit, aside)
        }))
    });
    page.await.map(Html)
}

/// Returns the page of a game as it stands, without a message.
fn play_page<'a>(
    address: &'a Address,
    shared: &'a Shared,
    live: &'a LiveGame,
    visit: &'a Visit,
    aside: &'a Aside,
) -> PlayPage<'a> {
    let (site, path, home) = (&shared.site, &*address.path, &*address.home);
    let (chosen, branch, typed, message) = (None, None, None, None);
    PlayPage { site, path, home, live, visit, aside, chosen, branch, typed, message }
}

/// Returns the game after these moves of a plan; `None` if nothing can be planned or they cannot be made.
fn branch(live: &LiveGame, text: &str) -> Option<Game> {
    let Transcript(moves) = text.parse().ok().filter(|_| live.can("plan"))?;
    let mut game = live.game.clone();
    moves.into_iter().try_for_each(|mv| game.play(mv).map(drop)).ok()?;
    Some(game)
}

/// Returns the move that was chosen, if it can be made now.
fn chosen(live: &LiveGame, visit: &Visit, text: &str) -> Option<Move> {
    let mv = text.parse::<Move>().ok()?;
    let is_own_turn = live.game.turn().is_some_and(|turn| live.owns(turn));
    (is_own_turn && !visit.is_read_only && live.game.legal().contains(&mv)).then_some(mv)
}

/// Returns the message about a square that cannot be chosen.
fn not_legal(choice: &str) -> Message {
    let hint = "choose one of the marked squares".to_owned();
    Message::Refused(format!("{} is not a legal move now", shortened(choice)), Some(hint))
}

/// Returns a game after some of its moves, a document about it, or its event stream.
async fn show_part(
    State(shared): State<Arc<Shared>>,
    Extension(Peer(peer)): Extension<Peer>,
    address: Address,
) -> Result<Response, Failure> {
    let part = Part::parse(&address.part).ok_or(Failure::NotFound)?;
    if part == Part::Events {
        return stream(&shared, address, peer).await;
    }
    let response = address.visited(&shared, Access::Read, move |address, shared, app, visit| {
        let live = app.replayed_game(visit)?;
        page_part(&shared.site, app, &address.path, &live, part, false)
    });
    response.await?.ok_or(Failure::NotFound)
}

async fn stream(
    shared: &Arc<Shared>,
    address: Address,
    peer: Option<IpAddr>,
) -> Result<Response, Failure> {
    let link = address.link.ok_or(Failure::NotFound)?;
    let page = Watched::Token(address.token.clone(), link, address.game);
    let stage = address.visited(shared, Access::Read, move |_, _, app, visit| match visit.game {
        Some(game) => app.stage(game, link != Link::Watch),
        None => Ok(None),
    });
    let stage = stage.await?.filter(|stage| !stage.is_over).ok_or(Failure::NotFound)?;
    shared.streams.open(page, peer, stage).ok_or(Failure::TooMany)
}

/// Returns the message about an error of the visitor, and the status of the page with it.
fn refusal(error: &Error) -> (StatusCode, Message) {
    match error.kind() {
        Kind::Stale => (StatusCode::CONFLICT, Message::Stale),
        _ => {
            // A command is for a shell or a mail; the page has buttons.
            let hint = error.hint().filter(|hint| !hint.contains('`')).map(str::to_owned);
            (StatusCode::UNPROCESSABLE_ENTITY, Message::Refused(error.to_string(), hint))
        }
    }
}

async fn act(
    own: OwnPage,
    shared: State<Arc<Shared>>,
    address: Address,
    action: Action,
) -> Result<Response, Failure> {
    run(own, shared, address, action, |address, shared, app, visit, action, message| {
        let (live, aside) = &app.visited_game(visit)?;
        let Action { word, fields: Fields { text, say, .. } } = action;
        let typed = if say.is_empty() { (*word, &**text) } else { ("say", &**say) };
        Ok(pages::play(&PlayPage {
            typed: Some(typed),
            message: Some(message),
            ..play_page(address, shared, live, visit, aside)
        }))
    })
    .await
}

/// Returns the page with the reason why an action was refused.
type RefusedPage =
    fn(&Address, &Shared, &mut App, &Visit, &Action, &Message) -> Result<String, Error>;

/// Runs a command for the visitor, and queues the work that follows it.
async fn run(
    _: OwnPage,
    State(shared): State<Arc<Shared>>,
    address: Address,
    action: Action,
    page: RefusedPage,
) -> Result<Response, Failure> {
    let (home, path, word) = (address.home.clone(), address.path.clone(), action.word);
    let (is_own_page, now) = (address.link == Some(Link::Me), action.fields.now);
    let ran = address.visited(&shared, Access::Write, move |address, shared, app, visit| {
        let Fields { history, command, text, say: words, now: at_once } = &action.fields;
        let line = format!("{command} {text}");
        let typed = Submitted { line: line.trim_end(), words, at_once: *at_once };
        match app.run_for(visit, typed, history) {
            Ok(reply) => Ok(Ok((visit.game, reply))),
            Err(error) if error.is_fault() => Err(error),
            Err(error) => {
                let (status, message) = refusal(&error);
                Ok(Err((status, page(address, shared, app, visit, &action, &message)?)))
            }
        }
    });
    match ran.await? {
        Ok((game, reply)) => {
            let begun = reply.begun.filter(|_| is_own_page);
            shared.background.follow(game, reply);
            let path = begun.map_or(path, |game| format!("{home}/{game}"));
            let now = if now { "&now=yes" } else { "" };
            Ok(Redirect::to(&format!("{path}?done={word}{now}")).into_response())
        }
        Err((status, page)) => Ok((status, Html(page)).into_response()),
    }
}

async fn desk(
    State(shared): State<Arc<Shared>>,
    address: Address,
    query: Result<Query<Shown>, QueryRejection>,
) -> Result<Html<String>, Failure> {
    let shown = Shown::of(query);
    let page = address.visited(&shared, Access::Read, move |address, shared, app, visit| {
        let after = shown.after.as_deref();
        desk_page(address, shared, app, visit, after, shown.message().as_ref())
    });
    page.await.map(Html)
}

async fn calendar(
    State(shared): State<Arc<Shared>>,
    address: Address,
) -> Result<Response, Failure> {
    let read = address.visited(&shared, Access::Read, |_, _, app, visit| app.calendar(visit));
    let text = pages::calendar(&read.await?);
    Ok(([(CONTENT_TYPE, "text/calendar; charset=utf-8")], text).into_response())
}

fn desk_page(
    address: &Address,
    shared: &Shared,
    app: &mut App,
    visit: &Visit,
    after: Option<&str>,
    message: Option<&Message>,
) -> Result<String, Error> {
    let name = match &visit.player {
        PlayerRef::Name(name) | PlayerRef::Address(name) => name,
    };
    let desk = app.desk(visit, after)?;
    let (site, path, is_first) = (&shared.site, &*address.path, after.is_none());
    Ok(pages::desk(&DeskPage { site, path, name, desk: &desk, is_first, message }))
}

async fn act_at_desk(
    own: OwnPage,
    shared: State<Arc<Shared>>,
    address: Address,
    action: Action,
) -> Result<Response, Failure> {
    run(own, shared, address, action, |address, shared, app, visit, _, message| {
        desk_page(address, shared, app, visit, None, Some(message))
    })
    .await
}

/// Asks before it stops the mails: mail programs and scanners open links by themselves.
async fn show_unsubscribing(
    State(shared): State<Arc<Shared>>,
    address: Address,
) -> Result<Html<String>, Failure> {
    let show = |_: &Shared, _: &mut App, from| Ok(from);
    let from = shared.with_token(Access::Read, &address.token, App::unsubscription, show).await?;
    Ok(Html(pages::unsubscribe(&shared.site, &address.path, &from)))
}

/// Stops the mails. The one-click request of a mail program (RFC 8058) comes from no page.
async fn unsubscribe(
    State(shared): State<Arc<Shared>>,
    address: Address,
) -> Result<Html<String>, Failure> {
    let stop = |_: &Shared, app: &mut App, from| Ok((app.unsubscribe(&from)?, from));
    let (reply, from) =
        shared.with_token(Access::Write, &address.token, App::unsubscription, stop).await?;
    shared.background.follow(None, reply);
    let from = Unsubscription { is_done: true, ..from };
    Ok(Html(pages::unsubscribe(&shared.site, &address.path, &from)))
}
