//! Digests: one mail a day with every game that waits for its reader.

use crate::app::effects::notify::Cause;
use crate::app::effects::notify::Outbox;
use crate::app::tokens::Tokens;
use crate::app::views::comments;
use crate::app::views::game::names;
use crate::app::views::time::TimeView;
use crate::app::{App, Env, Error, find};
use crate::log::{Game, GameId};
use crate::mail::{GameContext, ReplyAddress, Section, TimeContext};
use crate::store::{
    Listing, MailId, MessageKind, Moment, NewOutboxEntry, OutboxEntry, PlayerId, Recipient, Store,
    StoredGame, Tx,
};
use outflank_rules::Color;

/// The most digests that are queued in one transaction.
const BATCH: u32 = 100;
/// The most games that a digest lists.
const MOST_GAMES: usize = 200;
/// The most games of which a digest shows the board.
const MOST_BOARDS: usize = 10;

impl App {
    /// Queues the digests that are due, each once, however many processes do this at the same time.
    pub(crate) fn queue_digests(&mut self) -> Result<(), Error> {
        let now = self.env.now();
        while self.store.read(|db| db.is_digest_due(now))? {
            let env = &self.env;
            self.store.write(|tx| {
                let players = tx.players_with_due_digests(now, BATCH)?;
                players.into_iter().try_for_each(|player| queue(env, tx, player))
            })?;
        }
        Ok(())
    }
}

/// Replaces the turn mails of a player that wait for a digest with one.
fn queue(env: &Env, tx: &Tx, id: PlayerId) -> Result<(), Error> {
    tx.supersede_mails_for_digest(id)?;
    let mut games = Vec::new();
    for game in tx.games(Listing::ToMove(id), None)? {
        if tx.is_subscribed(id, game.id)? {
            games.push(game.moment());
        }
    }
    if games.is_empty() {
        return Ok(());
    }
    games.truncate(MOST_GAMES);
    let player = tx.player(id)?;
    let entry = NewOutboxEntry {
        kind: MessageKind::Digest,
        to: Recipient::Player(&player),
        moment: None,
        text: Some(&write(&games)),
        held: None,
        in_reply_to: None,
    };
    let mut outbox = Outbox::new(env, tx);
    outbox.add(&entry, Cause::COMMAND)?;
    let brings = |mail: &MailId| {
        let shown = games.iter().take(MOST_BOARDS);
        shown.copied().try_for_each(|moment| tx.attach_comments(*mail, moment.game, id))
    };
    Ok(outbox.queued.iter().try_for_each(brings)?)
}

/// Writes the games of a digest as the text of its outbox entry: a line for each, with the number of
/// events that it has.
fn write(games: &[Moment]) -> String {
    let lines = games.iter().map(|moment| format!("{} {}", moment.game, moment.events));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the games of a digest, each with the number of its events.
fn parse(text: &str) -> Vec<(GameId, usize)> {
    let game = |line: &str| {
        let (game, events) = line.split_once(' ')?;
        Some((game.parse().ok()?, events.parse().ok()?))
    };
    text.lines().filter_map(game).collect()
}

/// A game of a digest, with what its context refers to.
pub(crate) struct Page {
    stored: StoredGame,
    game: Game,
    to: Color,
    address: String,
    token: Option<String>,
    time: Option<TimeContext>,
    comments: Vec<String>,
}

/// Reads the first games of a digest. Returns them and the numbers of the others, with commas.
pub(crate) fn read(
    env: &Env,
    store: &Store,
    entry: &OutboxEntry,
) -> Result<(Vec<Page>, String), Error> {
    let (Some(player), Some(text)) = (&entry.player, &entry.text) else {
        return Ok((Vec::new(), String::new()));
    };
    let mut games = parse(text);
    let others = games.split_off(games.len().min(MOST_BOARDS));
    let others: Vec<_> = others.iter().map(|(game, _)| game.to_string()).collect();
    let pages = store.read(|db| {
        let tokens = Tokens::of(db, Some(player.id))?;
        let page = |(id, events)| {
            let stored = find::game(db, id)?;
            let missing = || Error::fault(format!("game {id} has no such event or player"));
            let game = stored.game.after(events).ok_or_else(missing)?;
            let to = stored.color_of(player.id).ok_or_else(missing)?;
            let token = tokens.for_replies(Some(Moment::of_position(id, &game)), None);
            let address = env.address_with(token.as_ref())?;
            let in_text = token.filter(|_| !env.config.receive.plus_addressing);
            let token = in_text.map(|token| token.to_string());
            let view = TimeView::new(&stored, &stored.clocks_of(&game, None), entry.created_at);
            let time = view.map(|view| view.context(to, &stored));
            let comments = comments::in_mail(db, &stored, player.id, entry.id)?;
            Ok(Page { stored, game, to, address, token, time, comments })
        };
        games.into_iter().map(page).collect::<Result<Vec<_>, Error>>()
    })?;
    Ok((pages, others.join(", ")))
}

impl Page {
    /// Returns the section that shows the game; it can be answered unless incoming mail is disabled.
    pub(crate) fn section(&self, is_answerable: bool) -> Section<'_> {
        let reply_to = ReplyAddress { address: &self.address, token: self.token.as_deref() };
        let game = GameContext {
            id: self.stored.id,
            variant: &self.stored.variant,
            game: &self.game,
            names: names(&self.stored.black, &self.stored.white),
            to: self.to,
            thread: &self.stored.thread,
            comments: &self.comments,
            time: self.time.as_ref(),
        };
        Section { game, reply_to: Some(reply_to).filter(|_| is_answerable) }
    }
}
