//! The content of a mail at a try, with a fingerprint that later tries compare, or the decision that it
//! does not go any more.

use crate::app::commands::tournaments;
use crate::app::delivery::letter::{self, Letter};
use crate::app::delivery::reminders;
use crate::app::effects::challenges::news_and_words;
use crate::app::effects::due::wants;
use crate::app::effects::{absences, digests, mails, ratings};
use crate::app::views::challenge::{about_challenger, acceptable, next_steps};
use crate::app::views::text::mail_text;
use crate::app::{Env, Error, find};
use crate::store::{CurrentGame, Db, OutboxEntry};
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MessageKind, Occasion};
use outflank_model::tournament::News;
use outflank_model::{Challenged, Moment, Player, PlayerId};

/// The content of a mail as it is now.
pub(crate) struct Current {
    pub content: MailContent,
    /// The part of it that must still hold at a later try; `None` if it is sent in any case.
    pub shown: Option<String>,
}

/// A try of a mail to a player.
pub(crate) struct Try<'a> {
    pub env: &'a Env,
    pub db: &'a Db<'a>,
    pub entry: &'a OutboxEntry,
    pub player: &'a Player,
}

impl Try<'_> {
    /// Returns the present content of the mail; `None` if it is not sent any more.
    pub(crate) fn current(&self) -> Result<Option<Current>, Error> {
        let Self { env, db, entry, player } = *self;
        let content = &entry.content;
        let watched = content.game.filter(|_| content.is_for_watcher());
        let is_watching = |at: Moment| db.is_watching(player.id, at.game);
        if !wants(player, content.kind) || !watched.map_or(Ok(true), is_watching)? {
            return Ok(None);
        }
        match entry.content.kind {
            MessageKind::Turn => {
                let game = self.game()?;
                let is_current = game.is_turn && game.is_subscribed;
                Ok(is_current.then(|| self.with_moment(game.moment, Some(game.shown()))))
            }
            MessageKind::Watched => {
                let game = self.game()?;
                let (is_current, shown) = (game.has_moves(), game.shown_to_watcher());
                Ok(is_current.then(|| self.with_moment(game.moment, Some(shown))))
            }
            MessageKind::Started => {
                let (game, at) = (self.game()?, self.moment()?);
                // It waited for a computer player, and the mail about the end went before it.
                if !game.is_active && entry.not_before.is_some() && entry.first_try_at.is_none() {
                    return Ok(None);
                }
                // In the position of the start it has the present deadline.
                let is_start = game.is_active && game.position_event <= at.events;
                Ok(Some(self.with_moment(if is_start { game.moment } else { at }, None)))
            }
            MessageKind::Over => self.over(),
            MessageKind::Reminder => self.reminder(),
            MessageKind::Digest => self.digest(),
            MessageKind::Notice => self.notice(),
            MessageKind::Challenge => self.challenge(),
            MessageKind::Letter => self.letter(),
            MessageKind::Tournament => self.of_tournament(),
            // The host may have taken the pages away.
            MessageKind::OwnPage => Ok(self.unchanged_if(env.config.web.url.is_some())),
            // In a pause, nobody can claim the game.
            MessageKind::Flagged => Ok(self.unchanged_if(!self.game()?.is_paused)),
            MessageKind::Receipt
            | MessageKind::Paused
            | MessageKind::WatchedOver
            | MessageKind::WatchedAnalysis
            | MessageKind::Answer
            | MessageKind::Mismatch
            | MessageKind::Confirm
            | MessageKind::NewAddress
            | MessageKind::Farewell
            | MessageKind::Moved
            | MessageKind::Host
            | MessageKind::Probe => Ok(self.unchanged_if(true)),
        }
    }

    /// Returns the content of the mail unchanged if this holds; otherwise `None`: the mail is not sent.
    fn unchanged_if(&self, holds: bool) -> Option<Current> {
        let OutboxEntry { content, shown, .. } = self.entry;
        holds.then(|| Current { content: content.clone(), shown: shown.clone() })
    }

    /// Returns that the mail shows its game at another moment.
    fn with_moment(&self, at: Moment, shown: Option<String>) -> Current {
        Current { content: MailContent { game: Some(at), ..self.entry.content.clone() }, shown }
    }

    /// Returns the moment of the game that the mail is about.
    fn moment(&self) -> Result<Moment, Error> {
        self.entry.content.game.ok_or_else(|| Error::fault("a mail without its game"))
    }

    /// Returns that game as it is now.
    fn game(&self) -> Result<CurrentGame, Error> {
        Ok(self.db.current_game(self.moment()?.game, self.player.id)?)
    }

    /// Returns the content of a mail about the end of a game. What the first try said holds, whatever happens to
    /// the rating and the opponent later.
    fn over(&self) -> Result<Option<Current>, Error> {
        let Self { db, entry, player, .. } = *self;
        if entry.first_try_at.is_some() {
            return Ok(self.unchanged_if(true));
        }
        let game = self.moment()?.game;
        let stored = find::game(db, game)?;
        let opponent = stored.color_of(player.id).and_then(|own| stored.player(!own));
        let has_left = opponent.is_some_and(|it| it.left_at.is_some());
        let can_again = !has_left && stored.tournament.is_none();
        let rematch = can_again.then(|| "rematch".to_owned()).into_iter();
        let suggested = rematch.chain(next_steps()).collect();
        let content = MailContent { suggested, ..entry.content.clone() };
        Ok(Some(Current { content, shown: ratings::result(db, game, player.id)? }))
    }

    fn reminder(&self) -> Result<Option<Current>, Error> {
        let (ends, games): (Vec<_>, Vec<_>) =
            reminders::ends(self.db, self.entry, self.env.now())?.into_iter().unzip();
        let ends: Vec<_> = ends.iter().map(|end| end.timestamp().to_string()).collect();
        self.with_games(games, ends.join(" "))
    }

    fn digest(&self) -> Result<Option<Current>, Error> {
        let (db, player, now) = (self.db, self.player, self.env.now());
        let queued = self.entry.content.games.iter().map(|at| at.game);
        let games = digests::games(db, player, queued, now)?;
        self.with_games(games, acceptable(db, player, now)?.join("; "))
    }

    /// Returns that the mail has these games and shows something else besides; `None` without games.
    fn with_games(&self, games: Vec<Moment>, besides: String) -> Result<Option<Current>, Error> {
        if games.is_empty() {
            return Ok(None);
        }
        let besides = Some(besides).filter(|besides| !besides.is_empty());
        let shown = [self.shown_of(&games)?].into_iter().chain(besides).collect::<Vec<_>>();
        let content = MailContent::of_games(self.entry.content.kind, games);
        Ok(Some(Current { content, shown: Some(shown.join("; ")) }))
    }

    /// Returns the part of a fingerprint that stands for these games of a digest or a reminder.
    fn shown_of(&self, games: &[Moment]) -> Result<String, Error> {
        let shown = games.iter().map(|at| {
            let game = self.db.current_game(at.game, self.player.id)?;
            let is_watched = self.db.moment(at.game, self.player.id)?.is_none();
            let shown = if is_watched { game.shown_to_watcher() } else { game.shown() };
            Ok(format!("{}: {shown}", at.game))
        });
        Ok(shown.collect::<Result<Vec<_>, Error>>()?.join(", "))
    }

    /// Returns a mail about a tournament. News that were not tried are composed.
    fn of_tournament(&self) -> Result<Option<Current>, Error> {
        let Self { db, entry, player, .. } = *self;
        let Some(news) = News::parse(entry.content.text()) else {
            return Ok(self.unchanged_if(true));
        };
        Ok(tournaments::mails::compose(db, news, player)?.map(|(reply, suggested)| {
            let text = mail_text(&reply, player);
            let content = MailContent::of_text(MessageKind::Tournament, None, text);
            Current { content: MailContent { suggested, ..content }, shown: None }
        }))
    }

    /// Returns the letter of the club. At a later try it goes if all whom it names still want that.
    fn letter(&self) -> Result<Option<Current>, Error> {
        let Self { db, entry, player, .. } = *self;
        let Some(monday) = entry.content.monday() else {
            // It was written for a try for which no time was left, and the next one is due.
            let is_over = db.letter_at(player.id)?.is_some_and(|next| next <= self.env.now());
            if entry.first_try_at.is_none() && is_over {
                return Ok(None);
            }
            return Ok(self.unchanged_if(letter::may_name(db, entry.shown.as_deref())?));
        };
        let letter = letter::of_week(db, player, monday, self.env.now())?;
        Ok(letter.map(|Letter { text, named }| Current {
            content: MailContent::of_text(MessageKind::Letter, None, text),
            shown: Some(named),
        }))
    }

    fn notice(&self) -> Result<Option<Current>, Error> {
        let Self { db, entry, player, .. } = *self;
        let holds = match entry.content.occasion {
            Some(Occasion::Offer(event)) => return self.offer(event),
            Some(Occasion::Comment) => !self.game()?.has_blocked,
            Some(Occasion::Claim) => self.game()?.is_claimable,
            // The reader can claim the game, in which a pause is over.
            Some(Occasion::Answer) if !entry.content.suggested.is_empty() => {
                let at = self.moment()?;
                let game = find::game(db, at.game)?.game;
                let is_same_turn = game.turn().is_some() && game.position_event() <= at.events;
                is_same_turn && !game.is_paused() && game.flagged().is_some()
            }
            Some(
                Occasion::Absence(absent) | Occasion::Return(absent) | Occasion::Absences(absent),
            ) => return self.absences(absent),
            Some(Occasion::Gathered(by)) => !db.is_blocked(player.id, by)?,
            Some(Occasion::Answer | Occasion::DeletedPlan | Occasion::Challenge) | None => true,
        };
        Ok(self.unchanged_if(holds))
    }

    /// Returns the content of a mail about the absences of an opponent, which the first try fixes.
    fn absences(&self, absent: PlayerId) -> Result<Option<Current>, Error> {
        let Self { env, db, entry, player } = *self;
        let absent = db.player(absent)?;
        if absent.left_at.is_some() {
            return Ok(None);
        }
        if entry.first_try_at.is_some() {
            return Ok(self.unchanged_if(true));
        }
        let text = absences::present_news(db, &entry.content, &absent, player.id, env.now())?;
        Ok(text.map(|text| {
            let content = MailContent { text: Some(text), ..entry.content.clone() };
            Current { content, shown: None }
        }))
    }

    /// Returns the content of a mail about the offer with this event.
    fn offer(&self, event: usize) -> Result<Option<Current>, Error> {
        let Self { db, entry, player, .. } = *self;
        let (game, at) = (self.game()?, self.moment()?);
        if game.offer_event != Some(event) {
            return Ok(None);
        }
        let shown = Some(game.shown());
        if game.moment == at || shown == entry.shown {
            return Ok(Some(Current { content: entry.content.clone(), shown }));
        }
        if self.is_in_grace(at.game)? {
            // The mail must not show a move before its turn mail does.
            return Ok(self.unchanged_if(true));
        }
        let notice = mails::notice_of_offer(&find::game(db, at.game)?, player.id);
        Ok(notice.map(|content| Current { content, shown }))
    }

    /// Returns whether a turn mail of a game waits for the end of the opponent's grace.
    fn is_in_grace(&self, game: GameId) -> Result<bool, Error> {
        let mut mails = self.db.queued_turn_mails(self.player.id)?.into_iter();
        Ok(mails.any(|mail| {
            mail.content.game.is_some_and(|at| at.game == game)
                && mail.not_before.is_some_and(|at| at > self.env.now())
        }))
    }

    /// Returns the content of a mail about a challenge. A question goes as long as the challenge is open, and
    /// comments unless the player has blocked their author.
    fn challenge(&self) -> Result<Option<Current>, Error> {
        let (db, player, content) = (self.db, self.player.id, &self.entry.content);
        let challenge = find::challenge_of(db, content)?;
        let has_blocked = match &challenge.to {
            Challenged::Player(opponent) => {
                db.is_blocked(player, challenge.challenger.id)?
                    || db.is_blocked(player, opponent.id)?
            }
            Challenged::Anyone | Challenged::Bot(_) => false,
        };
        let (news, words) = news_and_words(content.text());
        let holds = match content.occasion {
            Some(Occasion::Challenge) => challenge.is_open(self.env.now()),
            Some(Occasion::Comment) => !has_blocked,
            None if has_blocked && !words.is_empty() => {
                let text = Some(news.to_owned());
                let content = MailContent { text: text.clone(), ..content.clone() };
                return Ok(Some(Current { content, shown: text }));
            }
            None
            | Some(
                Occasion::Offer(_)
                | Occasion::Answer
                | Occasion::Absence(_)
                | Occasion::Return(_)
                | Occasion::Absences(_)
                | Occasion::Claim
                | Occasion::DeletedPlan
                | Occasion::Gathered(_),
            ) => true,
        };
        // Later tries say the same of the challenger, whatever games end meanwhile, and the same of whether
        // the challenge is open: nothing is said of the challenger if it is not.
        let now = self.env.now();
        let shown = match (content.occasion, self.entry.first_try_at) {
            (Some(Occasion::Challenge | Occasion::Comment), None) => match challenge.is_open(now) {
                true => Some(about_challenger(db, &challenge, now)?),
                false => None,
            },
            _ => self.entry.shown.clone(),
        };
        Ok(holds.then(|| Current { content: content.clone(), shown }))
    }
}
