//! Codes that let an answer be known for what it is, wherever it comes from.
//!
//! A code says whom it was given to and for what, and bears a code of authentication (HMAC-SHA256
//! with the secret of whom it was given to) that nobody else can make. It stands in the address
//! that a mail is answered to, so it is short, and read in either case.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use data_encoding::{Encoding, Specification};
use ring::hmac;
use subtle::ConstantTimeEq;

/// What codes are made with: known to this installation alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

/// Shows nothing of it.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What a code is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Commands of a player, first of all moves in a game.
    Play,
    /// To hear no more of a player's turns in a game.
    Unsubscribe,
    /// To report that a mail could not be delivered.
    Bounce,
    /// To say that a command was really given.
    Confirm,
}

impl Purpose {
    const ALL: [Self; 4] = [Self::Play, Self::Unsubscribe, Self::Bounce, Self::Confirm];

    const fn number(self) -> u8 {
        match self {
            Self::Play => 1,
            Self::Unsubscribe => 2,
            Self::Bounce => 3,
            Self::Confirm => 4,
        }
    }
}

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// What it is good for.
    pub purpose: Purpose,
    /// The key of the player it was given to; `None` for somebody who is no player yet.
    pub player: Option<i64>,
    /// The game, or for a bounce the mail, or for a confirmation what is to be confirmed; 0 when
    /// there is nothing of the kind.
    pub number: i64,
    /// How many moves the game had.
    pub ply: usize,
}

/// A code. Whether it is genuine is for [`Token::is_valid`] to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    claims: Claims,
    mac: [u8; MAC],
}

/// What was written is no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is no code")]
pub struct BadToken;

/// The bytes that are kept of the HMAC: 80 bits.
const MAC: usize = 10;
const VERSION: u8 = 1;

/// Base32 of RFC 4648 without padding, written in lower case, read in either.
static BASE32: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str("abcdefghijklmnopqrstuvwxyz234567");
    specification.translate.from.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    specification.translate.to.push_str("abcdefghijklmnopqrstuvwxyz");
    specification.encoding().unwrap_or(data_encoding::BASE32_NOPAD)
});

impl Token {
    /// The most characters that a code has while numbers fit into 32 bits.
    pub const MAX_LEN: usize = 40;
    /// The fewest.
    pub const MIN_LEN: usize = 24;

    /// The code that says this.
    #[must_use]
    pub fn new(claims: Claims, secret: &Secret) -> Self {
        Self { claims, mac: mac(&claims, secret) }
    }

    /// What it says, genuine or not.
    #[must_use]
    pub const fn claims(&self) -> &Claims {
        &self.claims
    }

    /// Whether it was made with this secret. Takes the same time however wrong it is.
    #[must_use]
    pub fn is_valid(&self, secret: &Secret) -> bool {
        mac(&self.claims, secret).ct_eq(&self.mac).into()
    }

    /// A text without the codes in it, for those who are not to know them: also those that are
    /// cut off, or stand behind an escape like `%2B`.
    #[must_use]
    pub fn redact(text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for piece in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            match (0..word.len()).find(|&at| begins(&word[at..])) {
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

    /// The codes that stand as words in a text, in its order, each once. Whether they are genuine
    /// is another matter; at most so many are found.
    #[must_use]
    pub fn find_all(text: &str, most: usize) -> Vec<Self> {
        let mut found = Vec::new();
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let fits = |word: &&str| (Self::MIN_LEN..=Self::MAX_LEN).contains(&word.len());
        for token in words.filter(fits).filter_map(|word| word.parse().ok()) {
            if found.len() == most {
                break;
            }
            if !found.contains(&token) {
                found.push(token);
            }
        }
        found
    }
}

/// Whether a word begins as codes do.
fn begins(word: &str) -> bool {
    let first = word.as_bytes().get(..8).and_then(|first| BASE32.decode(first).ok());
    first.is_some_and(|first| match first[..] {
        [VERSION, purpose, ..] => Purpose::ALL.iter().any(|known| known.number() == purpose),
        _ => false,
    })
}

fn mac(claims: &Claims, secret: &Secret) -> [u8; MAC] {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &secret.0);
    let tag = hmac::sign(&key, &payload(claims));
    let mut mac = [0; MAC];
    mac.iter_mut().zip(tag.as_ref()).for_each(|(byte, &of_tag)| *byte = of_tag);
    mac
}

/// Version and purpose, a byte each, then the numbers, seven bits to a byte.
fn payload(claims: &Claims) -> Vec<u8> {
    let mut bytes = vec![VERSION, claims.purpose.number()];
    let numbers = [claims.player.unwrap_or(0), claims.number];
    let numbers = numbers.map(i64::unsigned_abs).into_iter().chain([claims.ply as u64]);
    for mut number in numbers {
        while number >= 0x80 {
            bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
    }
    bytes
}

/// Takes a number off the front of a payload; only in the way in which it is written.
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
            let [VERSION, purpose, numbers @ ..] = payload else { return None };
            let purpose = Purpose::ALL.into_iter().find(|known| known.number() == *purpose)?;
            let mut left = numbers;
            let player = i64::try_from(number(&mut left)?).ok()?;
            let number_of = i64::try_from(number(&mut left)?).ok()?;
            let ply = usize::try_from(number(&mut left)?).ok()?;
            let player = Some(player).filter(|&player| player != 0);
            let claims = Claims { purpose, player, number: number_of, ply };
            left.is_empty().then_some(Self { claims, mac: *mac })
        };
        read().ok_or(BadToken)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = payload(&self.claims);
        bytes.extend(self.mac);
        f.write_str(&BASE32.encode(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: Secret = Secret([7; 32]);
    const BOB: Secret = Secret([8; 32]);
    const CLAIMS: Claims = Claims { purpose: Purpose::Play, player: Some(3), number: 12, ply: 300 };

    #[test]
    fn a_code_says_what_it_was_made_for_in_either_case() {
        let text = Token::new(CLAIMS, &ALICE).to_string();
        for written in [text.clone(), text.to_uppercase()] {
            let token: Token = written.parse().unwrap();
            assert_eq!(token.claims(), &CLAIMS);
            assert!(token.is_valid(&ALICE) && !token.is_valid(&BOB));
        }
        assert!(!format!("{ALICE:?}").contains('7'));
    }

    #[test]
    fn no_other_claim_fits_a_code() {
        let token = Token::new(CLAIMS, &ALICE);
        for claims in [
            Claims { purpose: Purpose::Confirm, ..CLAIMS },
            Claims { player: Some(4), ..CLAIMS },
            Claims { player: None, ..CLAIMS },
            Claims { number: 13, ..CLAIMS },
            Claims { ply: 301, ..CLAIMS },
        ] {
            assert!(!Token { claims, mac: token.mac }.is_valid(&ALICE), "{claims:?}");
        }
        let text = token.to_string();
        for at in 0..text.len() {
            for letter in "abcdefghijklmnopqrstuvwxyz234567".chars() {
                let mut other = text.clone();
                other.replace_range(at..=at, &letter.to_string());
                let genuine = other.parse::<Token>().is_ok_and(|token| token.is_valid(&ALICE));
                assert_eq!(genuine, other == text, "{other}");
            }
        }
    }

    #[test]
    fn what_is_no_code_is_not_read() {
        let text = Token::new(CLAIMS, &ALICE).to_string();
        for bad in ["", "a", "d3", &text[1..], &text[..text.len() - 1], &format!("{text}a"), "é"] {
            assert_eq!(bad.parse::<Token>(), Err(BadToken), "{bad}");
        }
        for bytes in [&[0; 40][..], &[1, 1, 0x80, 0, 0, 0][..], &[1, 1], &[1, 9, 1, 1, 1]] {
            let text = BASE32.encode(&[bytes, &[0; MAC]].concat());
            assert_eq!(text.parse::<Token>(), Err(BadToken), "{bytes:?}");
        }
    }

    #[test]
    fn the_length_has_bounds() {
        let most = i64::from(u32::MAX);
        for purpose in Purpose::ALL {
            let long = Claims { purpose, player: Some(most), number: most, ply: 99 * 99 };
            assert!(Token::new(long, &ALICE).to_string().len() <= Token::MAX_LEN);
            let short = Claims { purpose, player: None, number: 0, ply: 0 };
            assert_eq!(Token::new(short, &ALICE).to_string().len(), Token::MIN_LEN);
        }
    }

    #[test]
    fn codes_are_found_in_a_text() {
        let [a, b] = [1, 2].map(|number| Token::new(Claims { number, ..CLAIMS }, &ALICE));
        let text = format!("> Code: {b}, or <outflank+{a}@x.example>\n{b} and d3");
        assert_eq!(Token::find_all(&text, 9), [b.clone(), a.clone()]);
        assert_eq!(Token::find_all(&text, 1), [b]);
        let hidden = Token::redact(&text);
        assert_eq!(hidden, "> Code: ..., or <outflank+...@x.example>\n... and d3");
        let cut = &a.to_string()[..20];
        assert_eq!(Token::redact(&format!("outflank%2B{cut}")), "outflank%2B...");
        let harmless = "550 5.1.1 <alice@example.org>: 4cMbzX0lPRz1pKs rejected";
        assert_eq!(Token::redact(harmless), harmless);
    }
}
