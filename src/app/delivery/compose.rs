//! Composes the message of an outbox entry, from the games as they stood after the events that the
//! entry names.

use crate::app::access::link::Link;
use crate::app::access::signing;
use crate::app::access::tokens::Tokens;
use crate::app::delivery::{reminders, titles};
use crate::app::effects::challenges::news_and_words;
use crate::app::effects::outbox::MAX_DIGEST_BOARDS;
use crate::app::effects::{offers, outages};
use crate::app::views::game::names;
use crate::app::views::time::TimeView;
use crate::app::views::{challenge as challenges, comments};
use crate::app::{Env, Error, find};
use crate::config::SubjectStyle;
use crate::mail::token::Token;
use crate::mail::transport::Message;
use crate::mail::{
    ChallengeContext, Composer, GameContext, MessageContext, ReplyAddress, Section, TimeContext,
    Waiting,
};
use crate::store::{Db, OutboxEntry, Store};
use outflank_model::log::Game;
use outflank_model::mail::{MailContent, MessageKind, Occasion, Subject, Topic, Trait};
use outflank_model::preferences::BoardStyle;
use outflank_model::time_control::Clocks;
use outflank_model::{HeldCommands, HeldLine, Moment, StoredChallenge, StoredGame};
use outflank_rules::Color;

/// Composes the message of an outbox entry. A fault of its game or template concerns only this
/// message.
pub(crate) fn compose(
    store: &Store,
    env: &Env,
    composer: &Composer,
    entry: &OutboxEntry,
) -> Result<Message, Error> {
    let (parts, addresses, attachments) = store.read(|db| {
        let tokens = &Tokens::of(db, entry.player.as_ref().map(|player| player.id))?;
        let reader = Reader { db, env, entry, tokens };
        let parts = reader.parts()?;
        let addresses = reader.addresses(&parts)?;
        let attachments = match entry.content.kind {
            MessageKind::Answer => db.attachments(entry.id)?,
            _ => Vec::new(),
        };
        Ok::<_, Error>((parts, addresses, attachments))
    })?;
    let Parts { page, sections, text, title, challenge, challenges, suggested, portable } = parts;
    let is_answerable = env.config.receive.enabled;
    let sections = sections.iter().enumerate();
    let sections: Vec<_> = sections
        .map(|(number, page)| page.section(is_answerable, number < MAX_DIGEST_BOARDS))
        .collect();
    let context = MessageContext {
        event: entry.content.kind.word(),
        name: entry.player.as_ref().map(|player| player.name.as_str()),
        address: &addresses.to,
        message_id: &entry.message_id,
        date: entry.made_at(),
        game: page.as_ref().map(Page::context),
        text: text.as_deref(),
        answer: Some(entry.content.text())
            .filter(|text| !text.is_empty() && entry.content.kind.has(Trait::CarriesAnswer)),
        offers_page: env.config.web.url.is_some()
            && entry.player.is_some()
            && (entry.content.kind.has(Trait::OffersPage)
                || suggested.iter().any(|it| it == "challenges")),
        portable: portable.as_deref(),
        attachments: &attachments,
        has_markup: entry.content.kind.has(Trait::HasMarkup),
        suggested: &suggested,
        challenges: &challenges,
        challenge: challenge.as_ref().map(ChallengePart::context),
        sections: &sections,
        in_reply_to: entry.is_reply.then_some(entry.in_reply_to.as_deref()),
        reply_to: Some(addresses.replies.as_ref()).filter(|_| is_answerable),
        unsubscribe: addresses.unsubscribe.as_ref().map(Address::as_ref),
        one_click: addresses.one_click.as_deref(),
        title: title.as_deref(),
        subject: if entry.says_turn { SubjectStyle::Turn } else { SubjectStyle::Constant },
        style: entry.player.as_ref().map_or_else(BoardStyle::default, |it| it.preferences.style),
        host: &env.host(),
        return_path: &addresses.bounces,
    };
    composer.compose(&context).map_err(Error::fault)
}

/// The addresses of a mail.
struct Addresses {
    to: String,
    replies: Address,
    /// For ending the mails of its game; `None` without incoming mail, and where that means nothing.
    unsubscribe: Option<Address>,
    /// The link that does the same.
    one_click: Option<String>,
    bounces: String,
}

/// What a mail is composed of besides addresses.
#[derive(Default)]
struct Parts {
    /// The game that the mail shows.
    page: Option<Page>,
    /// The games of a digest, or of a reminder of several.
    sections: Vec<Page>,
    /// The text that the templates of the kind put into the mail.
    text: Option<String>,
    /// What the Subject says in place of the game.
    title: Option<String>,
    /// The challenge that the mail is about.
    challenge: Option<ChallengePart>,
    /// A line for each challenge that a digest lists.
    challenges: Vec<String>,
    /// Commands that the mail suggests.
    suggested: Vec<String>,
    /// The game as a signed block of text.
    portable: Option<String>,
}

/// A challenge that a mail is about.
struct ChallengePart {
    challenge: StoredChallenge,
    /// The name of the other person.
    other: String,
    is_open: bool,
    facts: Vec<String>,
    comments: Vec<String>,
}

impl ChallengePart {
    fn context(&self) -> ChallengeContext<'_> {
        let Self { challenge, other, is_open, facts, comments } = self;
        let StoredChallenge { id, thread, .. } = challenge;
        ChallengeContext { id: *id, other, is_open: *is_open, facts, comments, thread }
    }
}

/// A game that a mail shows.
struct Page {
    stored: StoredGame,
    /// The game at the moment that the mail shows.
    game: Game,
    /// The colour of the recipient; `None` for one who watches the game.
    to: Option<Color>,
    reply_to: Address,
    time: Option<TimeContext>,
    waiting: Option<Waiting>,
    comments: Vec<String>,
    /// Whether an open offer could be accepted.
    can_accept: bool,
    /// The link to its page for the recipient.
    link: Option<String>,
}

/// An address for replies. Where it cannot carry a token, the text does.
#[derive(Clone)]
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

/// Reads the contents of an outbox entry.
struct Reader<'a> {
    db: &'a Db<'a>,
    env: &'a Env,
    entry: &'a OutboxEntry,
    tokens: &'a Tokens<'a>,
}

impl Reader<'_> {
    /// Reads the parts of a mail, with a title if it does not have the Subject of its game.
    fn parts(&self) -> Result<Parts, Error> {
        let content = &self.entry.content;
        let parts = self.content()?;
        // What the opponent says is part of the thread of the game.
        let is_comment = content.occasion == Some(Occasion::Comment);
        let title = match content.kind.subject() {
            _ if parts.title.is_some() => parts.title,
            Subject::GameOrText | Subject::GameOr(_) if content.game.is_some() => None,
            Subject::Text if is_comment => None,
            Subject::Text | Subject::GameOrText => Some(titles::text(content.game, content.text())),
            Subject::Fixed(title) | Subject::GameOr(title) => Some(title.to_owned()),
            Subject::Composed | Subject::Game => None,
        };
        Ok(Parts { title, ..parts })
    }

    /// Returns the addresses of the mail with these parts.
    fn addresses(&self, parts: &Parts) -> Result<Addresses, Error> {
        let Self { env, tokens, .. } = *self;
        let OutboxEntry { id, content, created_at, address, .. } = self.entry;
        let replies = match parts {
            Parts { page: Some(page), .. } => page.reply_to.clone(),
            Parts { challenge: Some(part), suggested, .. } => {
                let asks = !suggested.is_empty() && part.comments.is_empty();
                Address::of(env, tokens.for_challenge(part.challenge.id, asks)?)?
            }
            _ => Address::of(env, tokens.without_game(*id, content, *created_at)?)?,
        };
        let to = address.as_ref().ok_or_else(|| Error::fault("the recipient has no address"))?;
        // The record in the outbox has no token.
        let is_own = content.kind.topic() == Topic::Delivery && env.is_own_address(to);
        let to = if is_own { &replies.address } else { to }.clone();
        let is_enabled = env.config.receive.enabled;
        let game = content.game.filter(|_| content.kind.has(Trait::Stoppable));
        let stop = match game {
            _ if !is_enabled => None,
            Some(at) => tokens.for_unsubscribing(at.game)?,
            None => tokens.for_stopping(content.kind, *created_at)?,
        };
        let one_click = env.unsubscribe_link(stop.as_ref());
        let unsubscribe = stop.map(|stop| Address::of(env, Some(stop))).transpose()?;
        let bounces = tokens.for_bounces(*id)?.filter(|_| is_enabled);
        let bounces = env.address_with(bounces.as_ref())?;
        Ok(Addresses { to, replies, unsubscribe, one_click, bounces })
    }

    /// Reads the parts that differ from kind to kind.
    fn content(&self) -> Result<Parts, Error> {
        let Self { db, env, entry, tokens } = *self;
        let MailContent { game, text, suggested, .. } = &entry.content;
        let page = game.map(|at| self.page(at)).transpose()?;
        let (text, suggested) = (text.clone(), suggested.clone());
        let parts = Parts { page, text, suggested, ..Parts::default() };
        match entry.content.kind {
            MessageKind::Answer if entry.content.challenge.is_some() => self.question_again(parts),
            MessageKind::Started
            | MessageKind::Turn
            | MessageKind::Receipt
            | MessageKind::Flagged
            | MessageKind::Answer
            | MessageKind::Notice
            | MessageKind::Mismatch
            | MessageKind::Farewell
            | MessageKind::Moved
            | MessageKind::Host
            | MessageKind::Probe
            | MessageKind::Watched
            | MessageKind::WatchedOver
            | MessageKind::WatchedAnalysis
            | MessageKind::Tournament
            | MessageKind::Letter => Ok(parts),
            // The text is about the rating.
            MessageKind::Over => {
                let after = |page: &Page| page.stored.after(page.game.clone(), entry.made_at());
                let portable = parts.page.as_ref().map(after);
                let portable = portable.map(|it| signing::portable(db, env, &it)).transpose()?;
                Ok(Parts { text: entry.shown.clone(), portable, ..parts })
            }
            MessageKind::Paused => {
                let opponent = parts.page.as_ref().map(|page| page.opponent().to_owned());
                Ok(Parts { text: opponent, ..parts })
            }
            MessageKind::Reminder => self.reminder(parts),
            MessageKind::Digest => self.digest(),
            MessageKind::Challenge => self.challenge(),
            MessageKind::OwnPage => {
                let token = tokens.for_own_page(entry.created_at)?;
                let link = env.link(Link::Me, token.as_ref());
                let link = link.ok_or_else(|| Error::fault("there are no pages"))?;
                Ok(Parts { text: Some(link), ..parts })
            }
            MessageKind::NewAddress => {
                let player = self.held()?.player;
                let player = player.ok_or_else(|| Error::fault("the held address is gone"))?;
                let name = db.player(player)?.name;
                Ok(Parts { title: Some(titles::new_address(&name)), text: Some(name), ..parts })
            }
            MessageKind::Confirm => {
                let (title, text) = held_commands(self.held()?);
                Ok(Parts { title: Some(title), text: Some(text), ..parts })
            }
        }
    }

    /// Reads the held commands or the held new address.
    fn held(&self) -> Result<HeldCommands, Error> {
        let held = self.entry.content.held.map(|held| self.db.held(held)).transpose()?.flatten();
        held.ok_or_else(|| Error::fault("the held commands are gone"))
    }

    fn digest(&self) -> Result<Parts, Error> {
        let parts = self.several()?;
        let own = parts.sections.iter().filter(|page| page.to.is_some()).count();
        let title = Some(titles::digest(own, parts.sections.len() - own));
        let challenges = match &self.entry.player {
            Some(player) => challenges::acceptable(self.db, player, self.entry.made_at())?,
            None => Vec::new(),
        };
        Ok(Parts { title, challenges, ..parts })
    }

    /// Reads a challenge. The player who can accept it learns who challenges, and how to answer.
    fn challenge(&self) -> Result<Parts, Error> {
        let content = &self.entry.content;
        let challenge = find::challenge_of(self.db, content)?;
        let id = challenge.id;
        let reader = self.entry.player.as_ref();
        let zone = reader.map(|player| player.preferences.clock.zone);
        // What the first try said of the challenger, if the challenge was open then. Other mails are about
        // its end.
        let can_ask = matches!(content.occasion, Some(Occasion::Challenge | Occasion::Comment));
        let about = self.entry.shown.clone().filter(|_| can_ask);
        let is_open = about.is_some();
        let mut facts = challenges::facts(&challenge, is_open, zone.unwrap_or_default());
        let mut suggested = Vec::new();
        if challenge.has_own_start() {
            facts.push(format!("The game begins in another position; `show {id}` draws it."));
        }
        let is_challenged = reader.map(|it| it.id) != Some(challenge.challenger.id);
        if let Some(about) = about.filter(|_| is_challenged) {
            facts.push(about);
            suggested.extend(challenges::answers(id));
        }
        let (news, said) = news_and_words(content.text());
        let comments = Some(said.to_owned()).filter(|said| !said.is_empty()).into_iter().collect();
        let other = match is_challenged {
            true => challenge.challenger.name.clone(),
            false => find::challenged(&challenge.to),
        };
        Ok(Parts {
            text: Some(news.to_owned()),
            title: Some(titles::challenge(&challenge)),
            challenge: Some(ChallengePart { challenge, other, is_open, facts, comments }),
            suggested,
            ..Parts::default()
        })
    }

    /// Reads the challenge that an answer asks about once more.
    fn question_again(&self, parts: Parts) -> Result<Parts, Error> {
        let challenge = find::challenge_of(self.db, &self.entry.content)?;
        let (title, other) = (titles::challenge(&challenge), challenge.challenger.name.clone());
        let (is_open, facts, comments) = (true, Vec::new(), Vec::new());
        let challenge = ChallengePart { challenge, other, is_open, facts, comments };
        Ok(Parts { title: Some(title), challenge: Some(challenge), ..parts })
    }

    /// Reads a reminder; `single` shows its game if there is only one.
    fn reminder(&self, single: Parts) -> Result<Parts, Error> {
        let mut parts = if single.page.is_some() { single } else { self.several()? };
        let first = parts.page.as_ref().or(parts.sections.first());
        let first = first.ok_or_else(|| Error::fault("a reminder without games"))?;
        let others = parts.sections.len().saturating_sub(1);
        let (id, opponent) = (first.stored.id, first.opponent());
        let left = first.waiting.as_ref().map(|waiting| &waiting.left);
        parts.title = left.map(|left| titles::reminder(left, id, opponent, others));
        Ok(parts)
    }

    /// Reads several games.
    fn several(&self) -> Result<Parts, Error> {
        let games = self.entry.content.games.iter();
        let sections = games.map(|at| self.page(*at)).collect::<Result<_, _>>()?;
        Ok(Parts { sections, ..Parts::default() })
    }

    /// Returns whether the text of a mail about a game has no words of another player. Answers can have some,
    /// but not those that ask whether the reader accepts.
    fn has_no_words(&self) -> bool {
        let MailContent { kind, game, occasion, suggested, .. } = &self.entry.content;
        match kind {
            MessageKind::Answer => {
                game.is_some_and(|at| suggested.starts_with(&challenges::answers(at.game)))
            }
            MessageKind::Mismatch => false,
            _ => *occasion != Some(Occasion::Comment),
        }
    }

    /// Reads a game as the recipient sees it at a moment.
    fn page(&self, at: Moment) -> Result<Page, Error> {
        let Self { db, env, entry, tokens } = *self;
        let stored = find::game(db, at.game)?;
        let missing = || Error::fault(format!("game {} has no such event or player", at.game));
        let game = stored.game.after(at.events).ok_or_else(missing)?;
        let player = entry.player.as_ref().ok_or_else(missing)?;
        let to = stored.color_of(player.id);
        let topic = entry.content.kind.topic();
        let comments = comments::in_mail(db, &stored, player.id, entry.id)?;
        let is_offered = game.offer().is_some_and(|(by, _)| to == Some(!by));
        let asks = is_offered && comments.is_empty() && self.has_no_words();
        let token = match to {
            Some(_) => tokens.for_game(at, game.position_event(), asks)?,
            None if [Topic::WatchedGame, Topic::WaitingGames].contains(&topic) => {
                tokens.for_watching(at.game)?
            }
            None => return Err(missing()),
        };
        let clocks = self.clocks(&stored, &game)?;
        let time = TimeView::new(&stored, &clocks, entry.made_at());
        let time = time.map(|view| view.context(to, player.preferences.clock.zone));
        let waiting = match to {
            Some(to) => reminders::waiting(db, entry, &stored, &clocks, to)?,
            None => None,
        };
        let can_accept = offers::can_be_accepted(&stored, &game, entry.made_at());
        let link = if to.is_some() { Link::Play } else { Link::Watch };
        let link = env.link(link, tokens.for_page(link, at.game)?.as_ref());
        let reply_to = Address::of(env, token)?;
        Ok(Page { reply_to, stored, game, to, time, waiting, comments, can_accept, link })
    }

    /// Returns the clocks of a game at the moment that the mail shows. In the present position a mail that was
    /// first tried in an outage of the mail server has the deadline that holds if it ends the outage.
    fn clocks(&self, stored: &StoredGame, game: &Game) -> Result<Clocks, Error> {
        let now = self.env.now();
        let is_present = game.events().len() == stored.game.events().len();
        let first_try_at = self.entry.first_try_at;
        if is_present
            && let Some(after) = outages::after_mail_outage(self.db, stored, first_try_at, now)?
        {
            return Ok(stored.clocks_of(&after, Some(now)));
        }
        Ok(stored.clocks_of(game, None))
    }
}

/// Returns a title and the held commands, and in a second paragraph that words of their mail were not
/// kept.
fn held_commands(held: HeldCommands) -> (String, String) {
    let lines = held.lines.iter().map(HeldLine::shown).collect::<Vec<_>>().join("\n");
    let not_kept = held.had_words.then(|| format!("\n\n{}", comments::NOT_KEPT));
    let words: Vec<_> = held.lines.into_iter().map(|line| line.words).collect();
    (titles::question(&words), lines + &not_kept.unwrap_or_default())
}

impl Page {
    /// Returns the name of the recipient's opponent; empty for one who watches the game.
    fn opponent(&self) -> &str {
        self.to.map_or("", |to| self.stored.name(!to))
    }

    fn context(&self) -> GameContext<'_> {
        GameContext {
            id: self.stored.id,
            variant: &self.stored.agreement.variant,
            is_rated: self.stored.agreement.rated,
            tournament: self.stored.tournament.as_ref(),
            game: &self.game,
            names: names(&self.stored),
            to: self.to,
            bot: self.to.map(|to| !to).filter(|&other| self.stored.side(other).bot().is_some()),
            thread: &self.stored.thread,
            comments: &self.comments,
            can_accept: self.can_accept,
            time: self.time.as_ref(),
            waiting: self.waiting.as_ref(),
            page_link: self.link.as_deref(),
        }
    }

    /// Returns the section of a digest; it can be answered unless incoming mail is disabled.
    fn section(&self, is_answerable: bool, is_drawn: bool) -> Section<'_> {
        let reply_to = Some(self.reply_to.as_ref()).filter(|_| is_answerable);
        Section { game: self.context(), reply_to, is_drawn }
    }
}
