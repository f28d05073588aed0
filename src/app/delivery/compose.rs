//! Composes the message of an outbox entry, from the games as they stood after the events that the
//! entry names.

use crate::app::delivery::{reminders, titles};
use crate::app::effects::challenges::news_and_words;
use crate::app::effects::outages;
use crate::app::effects::outbox::MAX_DIGEST_BOARDS;
use crate::app::link::Link;
use crate::app::tokens::Tokens;
use crate::app::views::game::names;
use crate::app::views::time::TimeView;
use crate::app::views::{challenge as challenges, comments};
use crate::app::{Env, Error, find};
use crate::config::SubjectStyle;
use crate::log::{Game, GameId};
use crate::mail::token::Token;
use crate::mail::transport::Message;
use crate::mail::{
    ChallengeContext, Composer, GameContext, MessageContext, ReplyAddress, Section, TimeContext,
    Waiting,
};
use crate::preferences::BoardStyle;
use crate::store::{
    Db, HeldId, HeldLine, MailContent, Moment, Occasion, OutboxEntry, Store, StoredChallenge,
    StoredGame,
};
use outflank_rules::Color;

/// Composes the message of an outbox entry. A fault of its game or template concerns only this
/// message.
pub(crate) fn compose(
    store: &Store,
    env: &Env,
    composer: &Composer,
    entry: &OutboxEntry,
) -> Result<Message, Error> {
    let (parts, reply_to, stop, bounce) = store.read(|db| {
        let tokens = &Tokens::of(db, entry.player.as_ref().map(|player| player.id))?;
        let parts = Reader { db, env, entry, tokens }.parts()?;
        let reply_to = match parts.page.as_ref().map(|page| page.reply_to.clone()) {
            Some(of_game) => of_game,
            None => {
                let token = tokens.without_game(entry.id, &entry.content, entry.created_at)?;
                Address::of(env, token)?
            }
        };
        let stop = match entry.content {
            MailContent::Started(at)
            | MailContent::Turn(at)
            | MailContent::Receipt(at)
            | MailContent::Watched(at)
            | MailContent::WatchedOver(at)
            | MailContent::WatchedAnalysis { game: at, .. } => tokens.for_unsubscribing(at.game)?,
            _ => None,
        };
        Ok::<_, Error>((parts, reply_to, stop, tokens.for_bounces(entry.id)?))
    })?;
    let address = entry.address.as_deref();
    let address = address.ok_or_else(|| Error::fault("the recipient has no address"))?;
    let Parts { page, sections, text, title, challenge, challenges, suggested } = parts;
    let receive = &env.config.receive;
    let reply_to = reply_to.as_ref();
    // The record in the outbox has no token.
    let address = match entry.content {
        MailContent::Probe { .. } if env.is_own_address(address) => reply_to.address,
        _ => address,
    };
    let has_stop = stop.is_some() && receive.enabled;
    let one_click = env.unsubscribe_link(stop.as_ref());
    let unsubscribe = Address::of(env, stop)?;
    let bounce = bounce.filter(|_| receive.enabled);
    let sections = sections.iter().enumerate();
    let sections: Vec<_> = sections
        .map(|(number, page)| page.section(receive.enabled, number < MAX_DIGEST_BOARDS))
        .collect();
    let context = MessageContext {
        event: entry.content.kind().word(),
        name: entry.player.as_ref().map(|player| player.name.as_str()),
        address,
        message_id: &entry.message_id,
        date: entry.made_at(),
        game: page.as_ref().map(Page::context),
        text: text.as_deref(),
        suggested: &suggested,
        challenges: &challenges,
        challenge: challenge.as_ref().map(ChallengePart::context),
        sections: &sections,
        in_reply_to: entry.is_reply.then_some(entry.in_reply_to.as_deref()),
        reply_to: Some(reply_to).filter(|_| receive.enabled),
        unsubscribe: Some(unsubscribe.as_ref()).filter(|_| has_stop),
        one_click: one_click.as_deref().filter(|_| has_stop),
        title: title.as_deref(),
        subject: if entry.says_turn { SubjectStyle::Turn } else { SubjectStyle::Constant },
        style: entry.player.as_ref().map_or_else(BoardStyle::default, |it| it.preferences.style),
        host: &env.host(),
        return_path: &env.address_with(bounce.as_ref())?,
    };
    composer.compose(&context).map_err(Error::fault)
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
        let Self { challenge: StoredChallenge { id, thread, .. }, .. } = self;
        let Self { other, is_open, facts, comments, .. } = self;
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

/// Reads what an outbox entry carries.
struct Reader<'a> {
    db: &'a Db<'a>,
    env: &'a Env,
    entry: &'a OutboxEntry,
    tokens: &'a Tokens<'a>,
}

impl Reader<'_> {
    fn parts(&self) -> Result<Parts, Error> {
        let about = |game: Option<Moment>, text: &str| {
            let page = game.map(|at| self.page(at)).transpose()?;
            Ok(Parts { page, text: Some(text.to_owned()), ..Parts::default() })
        };
        let Self { env, entry, tokens, .. } = *self;
        match &entry.content {
            MailContent::Over(at) => {
                let page = self.page(*at)?;
                let opponent = page.to.and_then(|to| page.stored.player(!to));
                let has_left = opponent.is_some_and(|it| it.left_at.is_some());
                let rematch = (!has_left).then(|| "rematch".to_owned()).into_iter();
                let suggested = rematch.chain(challenges::next_steps()).collect();
                // The text is about the rating.
                let text = self.entry.shown.clone();
                Ok(Parts { page: Some(page), text, suggested, ..Parts::default() })
            }
            MailContent::Started(at)
            | MailContent::Turn(at)
            | MailContent::Receipt(at)
            | MailContent::Flagged(at)
            | MailContent::Watched(at)
            | MailContent::WatchedOver(at) => {
                Ok(Parts { page: Some(self.page(*at)?), ..Parts::default() })
            }
            MailContent::Paused(at) => {
                let page = self.page(*at)?;
                let opponent = page.opponent().to_owned();
                Ok(Parts { page: Some(page), text: Some(opponent), ..Parts::default() })
            }
            MailContent::Reminder(games) => self.reminder(games),
            MailContent::Digest(games) => {
                let parts = self.several(games)?;
                let own = parts.sections.iter().filter(|page| page.to.is_some()).count();
                let title = Some(titles::digest(own, parts.sections.len() - own));
                let challenges = match &self.entry.player {
                    Some(player) => challenges::acceptable(self.db, player, self.entry.made_at())?,
                    None => Vec::new(),
                };
                Ok(Parts { title, challenges, ..parts })
            }
            MailContent::Notice { game, text, occasion } => {
                // What the opponent says is part of the thread of the game.
                let title =
                    (*occasion != Some(Occasion::Comment)).then(|| titles::notice(*game, text));
                Ok(Parts { title, ..about(*game, text)? })
            }
            MailContent::Answer { game, text, suggested, .. } => {
                Ok(Parts { suggested: suggested.clone(), ..about(*game, text)? })
            }
            MailContent::Challenge { challenge, text, .. } => self.challenge(*challenge, text),
            MailContent::WatchedAnalysis { game, text } => about(Some(*game), text),
            MailContent::NewAddress(held) => {
                let name = self.name_of(*held)?;
                Ok(Parts { title: Some(titles::new_address(&name)), ..about(None, &name)? })
            }
            MailContent::OwnPage => {
                let token = tokens.for_own_page(entry.created_at)?;
                let link = env.link(Link::Me, token.as_ref());
                let link = link.ok_or_else(|| Error::fault("there are no pages"))?;
                Ok(Parts { title: Some(titles::OWN_PAGE.to_owned()), ..about(None, &link)? })
            }
            MailContent::Farewell { text } => {
                Ok(Parts { title: Some(titles::notice(None, text)), ..about(None, text)? })
            }
            MailContent::Moved { text } => {
                Ok(Parts { title: Some(titles::notice(None, text)), ..about(None, text)? })
            }
            MailContent::Host { text } => {
                Ok(Parts { title: Some(titles::HOST.to_owned()), ..about(None, text)? })
            }
            MailContent::Probe { text } => {
                Ok(Parts { title: Some(titles::PROBE.to_owned()), ..about(None, text)? })
            }
            MailContent::Mismatch { game, sender } => about(*game, sender),
            MailContent::Confirm(held) => {
                let (title, text) = self.held_commands(*held)?;
                Ok(Parts { title: Some(title), ..about(None, &text)? })
            }
        }
    }

    /// Reads a challenge. The player who can accept it learns who challenges, and how to answer.
    fn challenge(&self, id: GameId, text: &str) -> Result<Parts, Error> {
        let challenge = self.db.challenge(id)?.ok_or_else(|| find::no_game(id))?;
        let reader = self.entry.player.as_ref();
        let zone = reader.map(|player| player.preferences.clock.zone);
        let mut facts = challenges::facts(&challenge, zone.unwrap_or_default());
        let mut suggested = Vec::new();
        if challenges::has_own_start(&challenge) {
            facts.push(format!("The game begins in another position; `show {id}` draws it."));
        }
        let is_challenged = reader.map(|it| it.id) != Some(challenge.challenger.id);
        let is_open = challenges::is_open(&challenge, self.entry.made_at());
        if is_challenged && is_open {
            facts.push(challenges::about_challenger(self.db, &challenge, self.entry.made_at())?);
            suggested.extend(["accept", "decline"].map(|word| format!("{word} {id}")));
        }
        let (news, said) = news_and_words(text);
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

    fn reminder(&self, games: &[Moment]) -> Result<Parts, Error> {
        let Some((first, others)) = games.split_first() else {
            return Err(Error::fault("a reminder without games"));
        };
        let mut parts = match others {
            [] => Parts { page: Some(self.page(*first)?), ..Parts::default() },
            _ => self.several(games)?,
        };
        let first = parts.page.as_ref().or(parts.sections.first());
        parts.title = first.and_then(|page| {
            let (left, opponent) = (&page.waiting.as_ref()?.left, page.opponent());
            Some(titles::reminder(left, page.stored.id, opponent, others.len()))
        });
        Ok(parts)
    }

    /// Reads several games.
    fn several(&self, games: &[Moment]) -> Result<Parts, Error> {
        let sections = games.iter().map(|at| self.page(*at)).collect::<Result<_, _>>()?;
        Ok(Parts { sections, ..Parts::default() })
    }

    /// Returns the name of the player whose commands or new address are held.
    fn name_of(&self, held: HeldId) -> Result<String, Error> {
        let player = self.db.held(held)?.and_then(|held| held.player);
        let player = player.ok_or_else(|| Error::fault("the held address is gone"))?;
        Ok(self.db.player(player)?.name)
    }

    /// Returns a title and the held commands, and in a second paragraph that words of their mail were
    /// not kept.
    fn held_commands(&self, held: HeldId) -> Result<(String, String), Error> {
        let held = self.db.held(held)?.ok_or_else(|| Error::fault("the held commands are gone"))?;
        let lines = held.lines.iter().map(HeldLine::shown).collect::<Vec<_>>().join("\n");
        let not_kept = held.had_words.then(|| format!("\n\n{}", comments::NOT_KEPT));
        let words: Vec<_> = held.lines.into_iter().map(|line| line.words).collect();
        Ok((titles::question(&words), lines + &not_kept.unwrap_or_default()))
    }

    /// Reads a game as the recipient sees it at a moment.
    fn page(&self, at: Moment) -> Result<Page, Error> {
        let Self { db, env, entry, tokens } = *self;
        let stored = find::game(db, at.game)?;
        let player = entry.player.as_ref().map(|player| player.id);
        let missing = || Error::fault(format!("game {} has no such event or player", at.game));
        let game = stored.game.after(at.events).ok_or_else(missing)?;
        let player = player.ok_or_else(missing)?;
        let to = stored.color_of(player);
        let may_watch = matches!(entry.content, MailContent::Digest(_));
        let token = match to {
            Some(_) => tokens.for_game(at, game.position_event())?,
            None if may_watch || entry.content.is_for_watcher() => tokens.for_watching(at.game)?,
            None => return Err(missing()),
        };
        // The deadline that holds if the mail is accepted after an outage of the mail server.
        let is_present = game.events().len() == stored.game.events().len();
        let after_outage = match is_present {
            true => outages::after_mail_outage(db, &stored, env.now())?,
            false => None,
        };
        let clocks = match after_outage {
            Some(after_outage) => stored.clocks_of(&after_outage, Some(env.now())),
            None => stored.clocks_of(&game, None),
        };
        let time = TimeView::new(&stored, &clocks, entry.made_at());
        let zone = entry.player.as_ref().map(|it| it.preferences.clock.zone).unwrap_or_default();
        let time = time.map(|view| view.context(to, zone));
        let waiting = match (&entry.content, to) {
            (MailContent::Reminder(_) | MailContent::Digest(_), Some(to)) => {
                reminders::waiting(db, entry, &stored, &clocks, to)?
            }
            _ => None,
        };
        let comments = comments::in_mail(db, &stored, player, entry.id)?;
        let link = if to.is_some() { Link::Play } else { Link::Watch };
        let link = env.link(link, tokens.for_page(link, at.game)?.as_ref());
        let reply_to = Address::of(env, token)?;
        Ok(Page { reply_to, stored, game, to, time, waiting, comments, link })
    }
}

impl Page {
    /// Returns the name of the recipient's opponent; empty for one who watches the game.
    fn opponent(&self) -> &str {
        self.to.map_or("", |to| self.stored.name(!to))
    }

    fn context(&self) -> GameContext<'_> {
        GameContext {
            id: self.stored.id,
            variant: &self.stored.variant,
            game: &self.game,
            names: names(&self.stored.black, &self.stored.white),
            to: self.to,
            bot: self.to.map(|to| !to).filter(|&other| self.stored.side(other).bot().is_some()),
            thread: &self.stored.thread,
            comments: &self.comments,
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
