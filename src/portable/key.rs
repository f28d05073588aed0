use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER_PERMISSIVE;
use ring::hkdf::{HKDF_SHA256, Salt};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

use outflank_rules::quoted;

/// The key with which a club signs games.
pub struct ClubKey(Ed25519KeyPair);

/// A public key, by which the games of a club are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(pub [u8; 32]);

/// A text is not a public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a key; a key has 64 hexadecimal digits", quoted(.0))]
pub struct BadKey(pub String);

impl ClubKey {
    /// Returns the key that follows from the secret of the installation (HKDF, RFC 5869). A restored backup
    /// has the same one. `None` is not to be expected: ring takes every seed of this length.
    pub fn of(secret: &[u8; 32]) -> Option<Self> {
        let mut seed = [0; 32];
        let secret = Salt::new(HKDF_SHA256, &[]).extract(secret);
        secret.expand(&[b"outflank signed games"], HKDF_SHA256).ok()?.fill(&mut seed).ok()?;
        Ed25519KeyPair::from_seed_unchecked(&seed).ok().map(Self)
    }

    /// Returns its public part.
    pub fn public(&self) -> PublicKey {
        let mut key = [0; 32];
        key.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(key)
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).as_ref().to_owned()
    }
}

impl PublicKey {
    pub(super) fn has_signed(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(bytes, signature).is_ok()
    }
}

/// Writes 64 hexadecimal digits.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER_PERMISSIVE.encode(&self.0))
    }
}

impl FromStr for PublicKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok();
        let key = bytes.and_then(|bytes| bytes.try_into().ok());
        key.map(Self).ok_or_else(|| BadKey(text.to_owned()))
    }
}
