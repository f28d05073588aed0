//! Makes the tokens that mails carry, and checks those of incoming mails and of visitors of pages.

use chrono::{DateTime, Utc};

use crate::app::access::link::Link;
use crate::app::access::stopping::Stoppable;
use crate::app::{Env, Error, access::history};
use crate::mail::token::{Claims, Purpose, Secret, Token};
use crate::store::{self, Db, MailId};
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MessageKind, Topic};
use outflank_model::{Moment, PlayerId};

/// Makes the tokens of one player, or those for people who are not signed up.
pub(crate) struct Tokens<'a> {
    db: &'a Db<'a>,
    player: Option<PlayerId>,
    /// `None` while there is no installation.
    secret: Option<Secret>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn of(db: &'a Db<'a>, player: Option<PlayerId>) -> Result<Self, Error> {
        Ok(Self { db, player, secret: secret(db, player)? })
    }

    /// Returns the token for replies to a mail that shows a game at this moment. `position` is the
    /// last event before it that changed the position. `None` if the recipient is not signed up.
    pub(crate) fn for_game(
        &self,
        at: Moment,
        position: usize,
        asks: bool,
    ) -> Result<Option<Token>, Error> {
        let (purpose, known) = (Purpose::Play, Some(at.events as u64));
        let Some(player) = self.player else { return Ok(None) };
        let player = Some(player.0);
        self.sign(Claims { purpose, player, number: at.game.0, event: position, known, asks })
    }

    /// Returns the token for replies to a mail about a challenge.
    pub(crate) fn for_challenge(&self, id: GameId, asks: bool) -> Result<Option<Token>, Error> {
        let (purpose, player) = (Purpose::Challenge, self.player.map(|player| player.0));
        self.sign(Claims { purpose, player, number: id.0, event: 0, known: None, asks })
    }

    /// Returns the token for replies to a mail about a game that the recipient watches.
    pub(crate) fn for_watching(&self, game: GameId) -> Result<Option<Token>, Error> {
        self.make(Purpose::Watch, game.0, 0, None)
    }

    /// Returns the token for replies to this mail, made at this time, that is about no game or
    /// several.
    pub(crate) fn without_game(
        &self,
        id: MailId,
        content: &MailContent,
        made_at: DateTime<Utc>,
    ) -> Result<Option<Token>, Error> {
        let known = Some(made_at.timestamp().unsigned_abs());
        if let Some(held) = content.held {
            return self.make(Purpose::Confirm, held.0, 0, None);
        }
        if let Some(id) = content.challenge {
            return self.for_challenge(id, false);
        }
        match (content.kind.topic(), self.player) {
            (Topic::Challenge, _) => self.make(Purpose::Challenge, 0, 0, None),
            (Topic::FormerAddress, _) => Ok(None),
            (Topic::Club, _) => self.make(Purpose::Host, id.0, 0, None),
            (Topic::Delivery, _) => self.make(Purpose::Probe, id.0, 0, known),
            (Topic::WaitingGames | Topic::EndingGames, Some(_)) => {
                self.make(Purpose::Digest, id.0, 0, known)
            }
            (Topic::Game | Topic::WatchedGame | Topic::Held | Topic::Membership, Some(_)) => {
                self.make(Purpose::Play, 0, 0, known)
            }
            (
                Topic::Game
                | Topic::WatchedGame
                | Topic::WaitingGames
                | Topic::EndingGames
                | Topic::Held
                | Topic::Membership,
                None,
            ) => self.make(Purpose::Join, id.0, 0, None),
        }
    }

    /// Returns the token that ends the mails of a game: the turn mails of a player, or all to one who
    /// watches it.
    pub(crate) fn for_unsubscribing(&self, game: GameId) -> Result<Option<Token>, Error> {
        self.make(Purpose::Unsubscribe, game.0, 0, None)
    }

    /// Returns the token that ends all mails of this kind to a player, from a mail made at this time; `None` for
    /// a kind that is not ended so.
    pub(crate) fn for_stopping(
        &self,
        kind: MessageKind,
        made_at: DateTime<Utc>,
    ) -> Result<Option<Token>, Error> {
        let Some(stoppable) = Stoppable::of_kind(kind) else { return Ok(None) };
        self.for_player(stoppable.purpose, 0, 0, Some(made_at.timestamp().unsigned_abs()))
    }

    /// Returns the token of the page of a game, for a player or for one who watches it. It is the same in
    /// all mails. `None` if the recipient is not signed up.
    pub(crate) fn for_page(&self, link: Link, game: GameId) -> Result<Option<Token>, Error> {
        self.for_player(link.purpose(), game.0, 0, None)
    }

    /// Returns the token of the player's own page, from a mail made at this time.
    pub(crate) fn for_own_page(&self, made_at: DateTime<Utc>) -> Result<Option<Token>, Error> {
        let known = Some(made_at.timestamp().unsigned_abs());
        self.for_player(Link::Me.purpose(), 0, 0, known)
    }

    /// Returns the token of the player's calendar. It stays the same until it is revoked.
    pub(crate) fn for_calendar(&self) -> Result<Option<Token>, Error> {
        self.for_player(Link::Calendar.purpose(), 0, 0, None)
    }

    /// Returns the token for the return path of a mail.
    pub(crate) fn for_bounces(&self, mail: MailId) -> Result<Option<Token>, Error> {
        self.make(Purpose::Bounce, mail.0, 0, None)
    }

    fn for_player(
        &self,
        purpose: Purpose,
        number: i64,
        event: usize,
        known: Option<u64>,
    ) -> Result<Option<Token>, Error> {
        self.player.map_or(Ok(None), |_| self.make(purpose, number, event, known))
    }

    fn make(
        &self,
        purpose: Purpose,
        number: i64,
        event: usize,
        known: Option<u64>,
    ) -> Result<Option<Token>, Error> {
        let player = self.player.map(|player| player.0);
        self.sign(Claims { purpose, player, number, event, known, asks: false })
    }

    fn sign(&self, claims: Claims) -> Result<Option<Token>, Error> {
        let Some(secret) = &self.secret else { return Ok(None) };
        let histories = history::of_token(self.db, &claims)?;
        Ok(histories.first().map(|history| Token::new(claims, secret, history)))
    }
}

fn secret(db: &Db, player: Option<PlayerId>) -> Result<Option<Secret>, store::Error> {
    let bytes = match player {
        Some(player) => db.secret(player)?,
        None => db.installation_secret()?,
    };
    Ok(bytes.map(Secret))
}

/// The claims of a valid token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Valid {
    pub claims: Claims,
    /// Whether the database has the history that it was made from. Otherwise a backup was restored, and its
    /// numbers mean something else.
    pub is_of_history: bool,
}

/// Returns the first valid one of these tokens.
pub(crate) fn first_valid<'t>(
    db: &Db,
    tokens: impl IntoIterator<Item = &'t Token>,
) -> Result<Option<Valid>, Error> {
    for token in tokens {
        let claims = *token.claims();
        let secret = secret(db, claims.player.map(PlayerId))?;
        if let Some(secret) = secret.filter(|secret| token.is_authentic(secret)) {
            let histories = history::of_token(db, &claims)?;
            let is_of_history =
                token.is_unbound() || histories.iter().any(|history| token.is_of(history, &secret));
            return Ok(Some(Valid { claims, is_of_history }));
        }
    }
    Ok(None)
}

/// The longest local part (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL_PART_BYTES: usize = 64;

impl Env {
    /// Returns whether an address is this installation's, with or without a token.
    pub(crate) fn is_own_address(&self, address: &str) -> bool {
        let own = &self.config.mail.from.email;
        address.rsplit_once('@').is_some_and(|(local, domain)| {
            let local = local.to_lowercase();
            let rest = local.strip_prefix(&own.user().to_lowercase());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('+'))
                && domain.eq_ignore_ascii_case(own.domain())
        })
    }

    /// Returns this installation's address with a token, or the plain one where addresses carry
    /// no token.
    pub(crate) fn address_with(&self, token: Option<&Token>) -> Result<String, Error> {
        let from = &self.config.mail.from.email;
        let receive = &self.config.receive;
        let Some(token) = token.filter(|_| receive.enabled && receive.plus_addressing) else {
            return Ok(from.to_string());
        };
        let local = format!("{}+{token}", from.user());
        if local.len() > MAX_LOCAL_PART_BYTES {
            let max = MAX_LOCAL_PART_BYTES - 1 - Token::MAX_LEN;
            let message = format!(
                "{from} is too long to carry reply tokens: at most {max} characters can stand \
                 before the @"
            );
            let hint = "or set `plus_addressing = false` in [receive] of the configuration";
            return Err(Error::fault(message).with_hint(hint));
        }
        Ok(format!("{local}@{}", from.domain()))
    }
}
