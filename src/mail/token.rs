//! Reply tokens, which identify the player who replies.
//!
//! A token contains its owner, its purpose, the last event that its mail knew, and a message
//! authentication code (HMAC-SHA256 with the owner's secret). Two bytes of the code are for the history
//! that the token was made from: after a backup is restored, numbers of games and of events come again.
//! A token is part of the address for replies, so it is short and either case is valid.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};
use ring::hmac;
use subtle::ConstantTimeEq;

/// The key of a player's tokens, which only this installation knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

/// Does not show the key.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The purpose of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Purpose {
    /// Stopping a player's turn mails for a game, or the mails of one that the player watches.
    Unsubscribe = 2,
    /// Reporting that a mail could not be delivered.
    Bounce = 3,
    /// Confirming held commands.
    Confirm = 4,
    /// Running commands of a player, such as moves in a position of a game.
    Play = 5,
    /// Signing up, in a reply to a mail to somebody who is not signed up.
    Join = 6,
    /// The same as [`Self::Play`], in a reply to a digest.
    Digest = 7,
    /// Answering a challenge.
    Challenge = 8,
    /// Reading, and no longer watching a game, in a reply to a mail about it.
    Watch = 10,
    /// Playing a game on its page.
    Page = 11,
    /// Following a game on its page that the player watches.
    Board = 12,
    /// The page of a player, with games, challenges and settings.
    Desk = 13,
    /// Answering a question of `doctor`, once.
    Probe = 14,
    /// Recognizing a reply to a mail to the host, which has no effect.
    Host = 15,
    /// Stopping a player's digests.
    StopDigests = 16,
    /// Stopping a player's reminders.
    StopReminders = 17,
    /// Stopping a player's letters of the club.
    StopLetters = 18,
    /// Reading the calendar of a player.
    Calendar = 19,
}

impl Purpose {
    const ALL: [Self; 17] = [
        Self::Play,
        Self::Digest,
        Self::Unsubscribe,
        Self::Bounce,
        Self::Confirm,
        Self::Join,
        Self::Challenge,
        Self::Watch,
        Self::Page,
        Self::Board,
        Self::Desk,
        Self::Probe,
        Self::Host,
        Self::StopDigests,
        Self::StopReminders,
        Self::StopLetters,
        Self::Calendar,
    ];

    /// Returns the purpose with this number in tokens.
    fn numbered(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&known| known as u8 == number)
    }

    /// Reads the byte of a token with its purpose, and whether its mail asks.
    fn read(byte: u8) -> Option<(Self, bool)> {
        Some((Self::numbered(byte & !ASKS)?, byte & ASKS != 0))
    }

    /// Returns whether it is that of replies to mails: not that of pages, of bounces or of questions of
    /// `doctor`.
    pub const fn is_of_replies(self) -> bool {
        match self {
            Self::Play
            | Self::Digest
            | Self::Unsubscribe
            | Self::Confirm
            | Self::Join
            | Self::Challenge
            | Self::Watch
            | Self::Host
            | Self::StopDigests
            | Self::StopReminders
            | Self::StopLetters => true,
            Self::Bounce | Self::Page | Self::Board | Self::Desk | Self::Probe | Self::Calendar => {
                false
            }
        }
    }
}

/// The content of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// Its purpose.
    pub purpose: Purpose,
    /// The database key of its owner; `None` if the owner is not a player.
    pub player: Option<i64>,
    /// The number of the game or challenge, of the digest, of the mail that bounced or is replied to, or of
    /// the held commands; 0 if none.
    pub number: i64,
    /// The number of the last event that changed the position of the game; 0 before it.
    pub event: usize,
    /// What the mail knew: the number of the last event of the game or, without a game, the time at
    /// which the mail was made, in seconds since 1970. `None` for other purposes than commands and the
    /// page of a player, and in the first tokens, which did not have it.
    pub known: Option<u64>,
    /// Whether the mail showed exactly one open question of another player, and none of that player's
    /// words. Only then a plain yes or no in the reply answers it.
    pub asks: bool,
}

/// A reply token. Only [`Token::is_authentic`] shows whether it is forged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    claims: Claims,
    version: u8,
    mac: [u8; MAC],
}

/// An error in parsing a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid reply token")]
pub struct BadToken;

/// The bit in the byte of the purpose that is set if the mail asks.
const ASKS: u8 = 0x40;
/// The length of the message authentication code, in bytes.
const MAC: usize = 10;
/// How many of them, at its end, are for the history.
const OF_HISTORY: usize = 2;
/// The version of the tokens that are made.
const VERSION: u8 = 2;
/// The first version, which is bound to no history.
const UNBOUND_VERSION: u8 = 1;

/// Base32 of RFC 4648 in lower case without padding; reads either case.
static BASE32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
    specification.translate.from.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    specification.translate.to.push_str("abcdefghijklmnopqrstuvwxyz");
    specification.encoding().unwrap_or(data_encoding::BASE32_NOPAD)
});

impl Token {
    /// The maximum length while the numbers of players, games and digests fit into 28 bits, and those
    /// of other things into 32.
    pub const MAX_LEN: usize = 40;
    /// The minimum length.
    pub const MIN_LEN: usize = 24;

    /// Creates a token that is bound to this history, and signs it with this secret.
    pub fn new(claims: Claims, secret: &Secret, history: &[u8]) -> Self {
        let mut mac: [u8; MAC] = mac_of(&payload(&claims, VERSION), secret);
        let (_, end) = mac.split_at_mut(MAC - OF_HISTORY);
        end.copy_from_slice(&mac_of_history(&claims, history, secret));
        Self { claims, version: VERSION, mac }
    }

    /// Returns the claims, valid or not.
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// Returns whether the claims were signed with this secret, in constant time.
    pub fn is_authentic(&self, secret: &Secret) -> bool {
        let length = if self.is_unbound() { MAC } else { MAC - OF_HISTORY };
        let mac: [u8; MAC] = mac_of(&payload(&self.claims, self.version), secret);
        mac[..length].ct_eq(&self.mac[..length]).into()
    }

    /// Returns whether the token was made from this history, in constant time. It was if it is
    /// [unbound](Token::is_unbound).
    pub fn is_of(&self, history: &[u8], secret: &Secret) -> bool {
        let mac = mac_of_history(&self.claims, history, secret);
        self.is_unbound() || mac.ct_eq(&self.mac[MAC - OF_HISTORY..]).into()
    }

    /// Returns whether the token is of the first version, which is bound to no history.
    pub const fn is_unbound(&self) -> bool {
        self.version == UNBOUND_VERSION
    }

    /// Replaces all tokens in a text with `...`, even cut-off ones and those after an escape such as
    /// `%2B`.
    pub fn redact(text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let begin = (0..word.len()).find(|&at| {
                let rest = &word[at..];
                rest.len() >= MIN_CUT && begins(rest)
            });
            match begin {
                Some(at) => {
                    shown.push_str(&word[..at]);
                    shown.push_str("...");
                    shown.push_str(&piece[word.len()..]);
                }
                None => shown.push_str(piece),
            }
        }
        shown
    }

    /// Returns the distinct tokens among the words of a text, valid or not, at most `max`.
    pub fn find_all(text: &str, max: usize) -> Vec<Self> {
        let mut found = Vec::new();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let fits = |word: &&str| (Self::MIN_LEN..=Self::MAX_LEN).contains(&word.len());
        for token in words.filter(fits).filter_map(|word| word.parse().ok()) {
            if found.len() < max && !found.contains(&token) {
                found.push(token);
            }
        }
        found
    }
}

/// The length from which on a cut-off token is redacted. A shorter one is useless, and words such as
/// `Aegypten` begin like a token.
const MIN_CUT: usize = 16;

/// Returns whether a word begins like a token.
fn begins(word: &str) -> bool {
    let first = word.as_bytes().get(..8).and_then(|first| BASE32.decode(first).ok());
    first.is_some_and(|first| match first[..] {
        [UNBOUND_VERSION | VERSION, purpose, ..] => Purpose::read(purpose).is_some(),
        _ => false,
    })
}

fn mac_of_history(claims: &Claims, history: &[u8], secret: &Secret) -> [u8; OF_HISTORY] {
    // No version is 0, so that no claims have this code.
    mac_of(&[&[0], &*payload(claims, VERSION), history].concat(), secret)
}

/// Returns the beginning of the HMAC of these bytes.
fn mac_of<const LENGTH: usize>(bytes: &[u8], secret: &Secret) -> [u8; LENGTH] {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &secret.0), bytes);
    let mut mac = [0; LENGTH];
    mac.iter_mut().zip(tag.as_ref()).for_each(|(byte, &of_tag)| *byte = of_tag);
    mac
}

/// Encodes claims: a byte each for version and purpose, the latter with whether the mail asks, then the
/// numbers in LEB128. `known`, which can be missing, is written as its difference to `event`, and without
/// `event` for a digest.
fn payload(claims: &Claims, version: u8) -> Vec<u8> {
    let asks = if claims.asks { ASKS } else { 0 };
    let mut bytes = vec![version, claims.purpose as u8 | asks];
    let event = claims.event as u64;
    let numbers = [claims.player.unwrap_or(0), claims.number].map(i64::unsigned_abs);
    let (event, known) = match claims.purpose {
        Purpose::Digest => (None, claims.known),
        _ => (Some(event), claims.known.map(|known| known.saturating_sub(event))),
    };
    for mut number in numbers.into_iter().chain(event).chain(known) {
        while number >= 0x80 {
            bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    bytes
}

/// Takes a number in its shortest encoding off the front of a payload.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return (byte != 0 || shift == 0).then_some(number);
        }
    }
    None
}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Self, BadToken> {
        let read = || {
            let bytes = BASE32.decode(text.as_bytes()).ok()?;
            let (payload, mac) = bytes.split_last_chunk::<MAC>()?;
            let [version @ (UNBOUND_VERSION | VERSION), purpose, numbers @ ..] = payload else {
                return None;
            };
            let (purpose, asks) = Purpose::read(*purpose)?;
            let mut left = numbers;
            let player = i64::try_from(number(&mut left)?).ok()?;
            let number_of = i64::try_from(number(&mut left)?).ok()?;
            let event = match purpose {
                Purpose::Digest => 0,
                _ => number(&mut left)?,
            };
            let known = match left {
                [] => None,
                _ => Some(event.checked_add(number(&mut left)?)?),
            };
            let event = usize::try_from(event).ok()?;
            let player = Some(player).filter(|&player| player != 0);
            let claims = Claims { purpose, player, number: number_of, event, known, asks };
            left.is_empty().then_some(Self { claims, version: *version, mac: *mac })
        };
        read().ok_or(BadToken)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = payload(&self.claims, self.version);
        bytes.extend(self.mac);
        f.write_str(&BASE32.encode(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: Secret = Secret([7; 32]);
    const BOB: Secret = Secret([8; 32]);
    const HISTORY: &[u8] = b"history";
    const CLAIMS: Claims = Claims {
        purpose: Purpose::Play,
        player: Some(3),
        number: 12,
        event: 300,
        known: Some(310),
        asks: false,
    };

    #[test]
    fn a_token_keeps_its_claims_in_either_case() {
        let text = Token::new(CLAIMS, &ALICE, HISTORY).to_string();
        for written in [text.clone(), text.to_uppercase()] {
            let token: Token = written.parse().unwrap();
            assert_eq!(token.claims(), &CLAIMS);
            assert!(token.is_authentic(&ALICE) && !token.is_authentic(&BOB));
            assert!(token.is_of(HISTORY, &ALICE) && !token.is_of(b"another", &ALICE));
        }
        let digest = Claims { purpose: Purpose::Digest, event: 0, ..CLAIMS };
        let token: Token = Token::new(digest, &ALICE, HISTORY).to_string().parse().unwrap();
        assert_eq!(token.claims(), &digest);
        assert!(!format!("{ALICE:?}").contains('7'));
    }

    #[test]
    fn changed_claims_are_not_valid() {
        let token = Token::new(CLAIMS, &ALICE, HISTORY);
        for claims in [
            Claims { purpose: Purpose::Confirm, ..CLAIMS },
            Claims { player: Some(4), ..CLAIMS },
            Claims { player: None, ..CLAIMS },
            Claims { number: 13, ..CLAIMS },
            Claims { event: 301, ..CLAIMS },
            Claims { known: Some(311), ..CLAIMS },
            Claims { known: None, ..CLAIMS },
            Claims { asks: true, ..CLAIMS },
        ] {
            let changed = Token { claims, ..token.clone() };
            assert!(!changed.is_authentic(&ALICE) && !changed.is_of(HISTORY, &ALICE), "{claims:?}");
        }
        let text = token.to_string();
        for at in 0..text.len() {
            for letter in "abcdefghijklmnopqrstuvwxyz234567".chars() {
                let mut other = text.clone();
                other.replace_range(at..=at, &letter.to_string());
                let is_valid = other
                    .parse::<Token>()
                    .is_ok_and(|token| token.is_authentic(&ALICE) && token.is_of(HISTORY, &ALICE));
                assert_eq!(is_valid, other == text, "{other}");
            }
        }
    }

    #[test]
    fn other_texts_are_not_tokens() {
        let text = Token::new(CLAIMS, &ALICE, HISTORY).to_string();
        for bad in ["", "a", "d3", &text[1..], &text[..text.len() - 1], &format!("{text}a"), "é"] {
            assert_eq!(bad.parse::<Token>(), Err(BadToken), "{bad}");
        }
        for bytes in [&[0; 40][..], &[1, 1, 0x80, 0, 0, 0][..], &[1, 1], &[1, 9, 1, 1, 1]] {
            let text = BASE32.encode(&[bytes, &[0; MAC]].concat());
            assert_eq!(text.parse::<Token>(), Err(BadToken), "{bytes:?}");
        }
    }

    #[test]
    fn the_length_is_bounded() {
        let (most, now) = (i64::from(u32::MAX), Some(u64::from(u32::MAX)));
        let length = |claims| Token::new(claims, &ALICE, HISTORY).to_string().len();
        let digest = Claims {
            purpose: Purpose::Digest,
            player: Some(most >> 4),
            number: most >> 4,
            event: 0,
            known: now,
            asks: false,
        };
        assert!(length(digest) <= Token::MAX_LEN);
        for purpose in Purpose::ALL.into_iter().filter(|&it| it != Purpose::Digest) {
            let long = Claims {
                purpose,
                player: Some(most),
                number: most,
                event: 0,
                known: None,
                asks: false,
            };
            assert!(length(long) <= Token::MAX_LEN);
            let game = Claims { player: Some(most >> 4), number: most >> 4, ..long };
            let late = Claims { event: 99 * 99, known: Some(2 * 99 * 99), ..game };
            assert!(length(late) <= Token::MAX_LEN);
            assert!(length(Claims { number: 0, known: now, ..long }) <= Token::MAX_LEN);
            let short = Claims { player: None, number: 0, ..long };
            assert_eq!(length(short), Token::MIN_LEN);
        }
    }

    /// Tokens are in mails that players reply to months later.
    #[test]
    fn tokens_of_the_first_version_stay_valid() {
        let token: Token = "aecqgdfmak3z66axjipxsdhpx4".parse().unwrap();
        assert_eq!(token.claims(), &Claims { known: None, ..CLAIMS });
        assert!(token.is_authentic(&ALICE) && token.is_of(b"any", &ALICE));
        let bound = Token::new(*token.claims(), &ALICE, HISTORY).to_string();
        assert_eq!(bound.len(), token.to_string().len());
    }

    #[test]
    fn tokens_are_found_and_redacted() {
        let [a, b] = [1, 2].map(|number| Token::new(Claims { number, ..CLAIMS }, &ALICE, HISTORY));
        let text = format!("> Reply token: {b}, or <outflank+{a}@x.example>\n{b} and d3");
        assert_eq!(Token::find_all(&text, 9), [b.clone(), a.clone()]);
        assert_eq!(Token::find_all(&text, 1), std::slice::from_ref(&b));
        let hidden = Token::redact(&text);
        assert_eq!(hidden, "> Reply token: ..., or <outflank+...@x.example>\n... and d3");
        let cut = &a.to_string()[..20];
        assert_eq!(Token::redact(&format!("outflank%2B{cut}")), "outflank%2B...");
        let link = format!("See https://club.example/othello/play/{a}#b or /me/{b}.");
        assert_eq!(Token::redact(&link), "See https://club.example/othello/play/...#b or /me/....");
        for harmless in [
            "550 5.1.1 <alice@example.org>: 4cMbzX0lPRz1pKs rejected",
            "Wir fahren nach Aegypten. Maedchens, praegnanter!",
        ] {
            assert_eq!(Token::redact(harmless), harmless);
        }
    }
}
