//! Games that outlive their server: a game as a block of text that its club has signed, and the way back.
//!
//! A block has one byte for the version of the format, the public key of the club, the game in the
//! [format of postcard](https://postcard.jamesmunns.com/wire-format), zeros up to a whole number of groups, and
//! the signature (Ed25519, RFC 8032) over all that stands before it.

mod block;
mod key;
mod record;

pub use block::{BEGIN, blocks, text};
pub use key::{BadKey, ClubKey, PublicKey};
pub use record::PortableGame;

use outflank_model::StoredGame;

/// The version of the format.
const VERSION: u8 = 1;

/// The bytes of a signature.
const SIGNATURE: usize = 64;

/// Why a block is not a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is not as its club signed it, or it is cut off.
    #[error("altered")]
    Altered,
    /// A newer version of the program signed it.
    #[error("of a newer version of Outflank")]
    Newer,
}

/// Returns a game as a block of text between two marked lines, signed by the club of this name. Comments, notes,
/// offers and moves that were taken back are not in it.
///
/// # Errors
/// When it cannot be encoded, which is not to be expected.
pub fn write(key: &ClubKey, club: &str, stored: &StoredGame) -> Result<String, postcard::Error> {
    let mut bytes = vec![VERSION];
    bytes.extend(key.public().0);
    bytes.extend(postcard::to_stdvec(&record::of(club, stored))?);
    let length = (bytes.len() + SIGNATURE).next_multiple_of(block::WHOLE_BYTES);
    bytes.resize(length - SIGNATURE, 0);
    bytes.extend(key.sign(&bytes));
    Ok(text(&block::letters(&bytes)))
}

/// Returns the game in the letters of a block and the key that signed it.
///
/// # Errors
/// [`Unreadable`] if the signature is not valid, or the version of the format is not known.
pub fn read(letters: &str) -> Result<(PortableGame, PublicKey), Unreadable> {
    let bytes = block::bytes(letters).ok_or(Unreadable::Altered)?;
    let (signed, signature) = bytes.split_last_chunk::<SIGNATURE>().ok_or(Unreadable::Altered)?;
    let (&version, rest) = signed.split_first().ok_or(Unreadable::Altered)?;
    let (key, rest) = rest.split_first_chunk().ok_or(Unreadable::Altered)?;
    let key = PublicKey(*key);
    if !key.has_signed(signed, signature) {
        return Err(Unreadable::Altered);
    }
    if version != VERSION {
        return Err(Unreadable::Newer);
    }
    // The owner of the key can have signed anything.
    let (record, _) = postcard::take_from_bytes(rest).map_err(|_| Unreadable::Altered)?;
    Ok((record::game(record).ok_or(Unreadable::Altered)?, key))
}
