//! What a mail of ours has shown to its reader: the games with their logs up to some event. This is read from
//! the outbox when the mail server has accepted the mail, since its record is deleted later.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::tables::Tables;

/// What a mail has shown.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The kind of the mail.
    pub kind: String,
    /// Its game, or the games of a digest in their order.
    pub games: Vec<ShownGame>,
    /// The secret of its reader, if that is a player: another one makes its token invalid.
    pub secret: Option<String>,
    /// When it was tried first.
    pub at: i64,
}

/// A game as a mail has shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownGame {
    pub game: String,
    /// How many events it had.
    pub events: usize,
    /// A hash of these.
    pub history: u64,
}

impl Shown {
    /// Reads what the mail with this Message-ID has shown; `None` if the outbox does not have it any more.
    pub fn read(tables: &Tables, message_id: &str) -> Option<Self> {
        let columns = ["message_id", "id", "kind", "player", "game", "events", "first_try_at"];
        let found = tables.columns("outbox", columns).find(|[it, ..]| *it == Some(message_id));
        let [_, id, kind, player, game, events, at] = found?;
        let shown_game = |game: Option<&str>, events: Option<&str>| {
            let (game, events) = (game?, events?.parse().ok()?);
            let history = history(&log(tables, game), events)?;
            Some(ShownGame { game: game.to_owned(), events, history })
        };
        let mut drawn: Vec<_> = tables
            .columns("digest_game", ["mail", "number", "game", "events"])
            .filter(|[mail, ..]| *mail == id)
            .collect();
        drawn.sort_by_key(|[_, number, ..]| number.and_then(|it| it.parse::<u32>().ok()));
        let drawn = drawn.into_iter().filter_map(|[_, _, game, events]| shown_game(game, events));
        let secrets = tables.columns("player", ["id", "secret"]);
        let secret = secrets.filter(|[id, _]| id.is_some() && *id == player);
        Some(Self {
            kind: kind?.to_owned(),
            games: shown_game(game, events).into_iter().chain(drawn).collect(),
            secret: secret.filter_map(|[_, secret]| secret.map(str::to_owned)).next(),
            at: at.and_then(|at| at.parse().ok()).unwrap_or(i64::MAX),
        })
    }
}

/// An event of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event<'a> {
    pub number: usize,
    pub at: i64,
    pub author: &'a str,
    pub action: &'a str,
}

/// Returns the events of a game in their order.
pub fn log<'a>(tables: &'a Tables, game: &str) -> Vec<Event<'a>> {
    let rows = tables.columns("event", ["game", "number", "at", "author", "action"]);
    let mut log: Vec<_> = rows.filter(|[it, ..]| *it == Some(game)).filter_map(event).collect();
    log.sort_unstable_by_key(|event| event.number);
    log
}

fn event([_, number, at, author, action]: [Option<&str>; 5]) -> Option<Event<'_>> {
    Some(Event {
        number: number?.parse().ok()?,
        at: at?.parse().ok()?,
        author: author?,
        action: action?,
    })
}

/// Returns a hash of what was done in the first events of a log, without the words of people and the times;
/// `None` if it is shorter. After a restore, the same can be done again.
pub fn history(log: &[Event], events: usize) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    for event in log.get(..events)? {
        let mut words = event.action.split(' ');
        let offer = words.clone().nth(1).filter(|_| event.action.starts_with("offer "));
        (event.author, words.next(), offer).hash(&mut hasher);
    }
    Some(hasher.finish())
}

/// Returns the numbers of the events that have made the position: moves and passes that were not taken back.
pub fn moves(log: &[Event]) -> Vec<usize> {
    let mut made: Vec<(usize, &str)> = Vec::new();
    let mut offer = None;
    for event in log {
        let asker = match event.action {
            "takeback" => Some(event.author),
            "accept" => {
                offer.take().filter(|(action, _)| *action == "offer takeback").map(|it| it.1)
            }
            action if action.starts_with("offer ") => {
                offer = Some((action, event.author));
                None
            }
            action => {
                if is_move(action) {
                    made.push((event.number, event.author));
                }
                None
            }
        };
        if let Some(asker) = asker
            && let Some(last) = made.iter().rposition(|(number, author)| {
                let is_automatic =
                    log.iter().any(|it| it.number == *number && it.action == "auto-pass");
                *author == asker && !is_automatic
            })
        {
            made.truncate(last);
        }
    }
    made.into_iter().map(|(number, _)| number).collect()
}

/// Returns whether an action is a move: a cell or a pass, chosen by a player or given.
pub fn is_move(action: &str) -> bool {
    let action = action.strip_prefix("given ").unwrap_or(action);
    let is_cell = action.starts_with(|it: char| it.is_ascii_alphabetic())
        && action.ends_with(|it: char| it.is_ascii_digit())
        && !action.contains(' ');
    is_cell || matches!(action, "pass" | "auto-pass")
}
