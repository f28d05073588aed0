//! Composes the message of an outbox entry, from the games as they stood after the events that the
//! entry names.

use crate::app::effects::outbox::MAX_DIGEST_BOARDS;
use crate::app::tokens::Tokens;
use crate::app::views::comments;
use crate::app::views::game::names;
use crate::app::views::time::TimeView;
use crate::app::{Env, Error, find};
use crate::log::Game;
use crate::mail::token::Token;
use crate::mail::transport::Message;
use crate::mail::{Composer, GameContext, MessageContext, ReplyAddress, Section, TimeContext};
use crate::preferences::BoardStyle;
use crate::store::{Db, HeldId, MailContent, Moment, OutboxEntry, Store, StoredGame};
use outflank_rules::Color;

/// Composes the message of an outbox entry. A fault of its game or template concerns only this
/// message.
pub(crate) fn compose(
    store: &Store,
    env: &Env,
    composer: &Composer,
    entry: &OutboxEntry,
) -> Result<Message, Error> {
    let (tokens, Parts { page, sections, text }) = store.read(|db| {
        let tokens = Tokens::of(db, entry.player.as_ref().map(|player| player.id))?;
        let parts = Reader { db, env, entry, tokens: &tokens }.parts()?;
        Ok::<_, Error>((tokens, parts))
    })?;
    let receive = &env.config.receive;
    let without_game;
    let reply_to = match &page {
        Some(page) => page.reply_to.as_ref(),
        None => {
            let token = tokens.without_game(entry.id, &entry.content, entry.created_at);
            without_game = Address::of(env, token)?;
            without_game.as_ref()
        }
    };
    let stop = match entry.content {
        MailContent::Started(at) | MailContent::Turn(at) | MailContent::Receipt(at) => {
            tokens.for_unsubscribing(at.game)
        }
        _ => None,
    };
    let has_stop = stop.is_some() && receive.enabled;
    let unsubscribe = Address::of(env, stop)?;
    let bounce = tokens.for_bounces(entry.id).filter(|_| receive.enabled);
    let sections: Vec<_> = sections.iter().map(|page| page.section(receive.enabled)).collect();
    let context = MessageContext {
        event: entry.content.kind().word(),
        name: entry.player.as_ref().map(|player| player.name.as_str()),
        address: &entry.address,
        message_id: &entry.message_id,
        date: entry.made_at(),
        game: page.as_ref().map(Page::context),
        text: text.as_deref(),
        suggested: entry.content.suggested(),
        sections: &sections,
        in_reply_to: entry.is_reply.then_some(entry.in_reply_to.as_deref()),
        reply_to: Some(reply_to).filter(|_| receive.enabled),
        unsubscribe: Some(unsubscribe.as_ref()).filter(|_| has_stop),
        subject: env.config.mail.subject,
        style: entry.player.as_ref().map_or_else(BoardStyle::default, |it| it.preferences.style),
        return_path: &env.address_with(bounce.as_ref())?,
    };
    composer.compose(&context).map_err(Error::fault)
}

/// What a mail is composed of besides addresses.
#[derive(Default)]
struct Parts {
    /// The game that the mail shows.
    page: Option<Page>,
    /// The games of a digest that it shows.
    sections: Vec<Page>,
    /// The text that the templates of the kind put into the mail.
    text: Option<String>,
}

/// A game that a mail shows.
struct Page {
    stored: StoredGame,
    /// The game at the moment that the mail shows.
    game: Game,
    to: Color,
    reply_to: Address,
    time: Option<TimeContext>,
    comments: Vec<String>,
}

/// An address for replies. Where it cannot carry a token, the text does.
struct Address {
    address: String,
    token: Option<String>,
}

impl Address {
    fn of(env: &Env, token: Option<Token>) -> Result<Self, Error> {
        let address = env.address_with(token.as_ref())?;
        let in_text = token.filter(|_| !env.config.receive.plus_addressing);
        Ok(Self { address, token: in_text.map(|token| token.to_string()) })
    }

    fn as_ref(&self) -> ReplyAddress<'_> {
        ReplyAddress { address: &self.address, token: self.token.as_deref() }
    }
}

/// Reads what an outbox entry carries.
struct Reader<'a> {
    db: &'a Db<'a>,
    env: &'a Env,
    entry: &'a OutboxEntry,
    tokens: &'a Tokens,
}

impl Reader<'_> {
    fn parts(&self) -> Result<Parts, Error> {
        let about = |game: Option<Moment>, text: &str| {
            let page = game.map(|at| self.page(at)).transpose()?;
            Ok(Parts { page, text: Some(text.to_owned()), ..Parts::default() })
        };
        match &self.entry.content {
            MailContent::Started(at)
            | MailContent::Turn(at)
            | MailContent::Over(at)
            | MailContent::Receipt(at)
            | MailContent::Flagged(at) => {
                Ok(Parts { page: Some(self.page(*at)?), ..Parts::default() })
            }
            MailContent::Paused(at) => {
                let page = self.page(*at)?;
                let opponent = page.stored.name(!page.to).to_owned();
                Ok(Parts { page: Some(page), text: Some(opponent), ..Parts::default() })
            }
            MailContent::Reminder(text) => about(None, text),
            MailContent::Digest(games) => self.digest(games),
            MailContent::Notice { game, text, .. } | MailContent::Answer { game, text, .. } => {
                about(*game, text)
            }
            MailContent::Mismatch { game, sender } => about(*game, sender),
            MailContent::Confirm(held) => about(None, &self.held_commands(*held)?),
        }
    }

    /// Reads the first games of a digest. The text lists the numbers of the others, with commas.
    fn digest(&self, games: &[Moment]) -> Result<Parts, Error> {
        let (shown, others) = games.split_at(games.len().min(MAX_DIGEST_BOARDS));
        let sections = shown.iter().map(|at| self.page(*at)).collect::<Result<_, _>>()?;
        let others: Vec<_> = others.iter().map(|at| at.game.to_string()).collect();
        let text = Some(others.join(", ")).filter(|others| !others.is_empty());
        Ok(Parts { page: None, sections, text })
    }

    /// Returns the held commands, and in a second paragraph that words of their mail were not kept.
    fn held_commands(&self, held: HeldId) -> Result<String, Error> {
        let held = self.db.held(held)?.ok_or_else(|| Error::fault("the held commands are gone"))?;
        let lines = held.lines().map(|line| line.shown()).collect::<Vec<_>>().join("\n");
        let not_kept = held.had_words.then(|| format!("\n\n{}", comments::NOT_KEPT));
        Ok(lines + &not_kept.unwrap_or_default())
    }

    /// Reads a game as the recipient sees it at a moment.
    fn page(&self, at: Moment) -> Result<Page, Error> {
        let Self { db, env, entry, tokens } = *self;
        let stored = find::game(db, at.game)?;
        let player = entry.player.as_ref().map(|player| player.id);
        let missing = || Error::fault(format!("game {} has no such event or player", at.game));
        let game = stored.game.after(at.events).ok_or_else(missing)?;
        let reader = player.and_then(|player| Some((player, stored.color_of(player)?)));
        let (player, to) = reader.ok_or_else(missing)?;
        let token = tokens.for_game(at, game.position_event());
        let view = TimeView::new(&stored, &stored.clocks_of(&game, None), entry.made_at());
        let time = view.map(|view| view.context(to, &stored));
        let comments = comments::in_mail(db, &stored, player, entry.id)?;
        Ok(Page { reply_to: Address::of(env, token)?, stored, game, to, time, comments })
    }
}

impl Page {
    fn context(&self) -> GameContext<'_> {
        GameContext {
            id: self.stored.id,
            variant: &self.stored.variant,
            game: &self.game,
            names: names(&self.stored.black, &self.stored.white),
            to: self.to,
            bot: self.stored.side(!self.to).bot().map(|_| !self.to),
            thread: &self.stored.thread,
            comments: &self.comments,
            time: self.time.as_ref(),
        }
    }

    /// Returns the section of a digest; it can be answered unless incoming mail is disabled.
    fn section(&self, is_answerable: bool) -> Section<'_> {
        let reply_to = Some(self.reply_to.as_ref()).filter(|_| is_answerable);
        Section { game: self.context(), reply_to }
    }
}
