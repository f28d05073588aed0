//! The key with which this club signs games, and the clubs whose keys it knows.

use crate::app::{Env, Error, one_line};
use crate::portable::{self, ClubKey, PublicKey};
use crate::store::Db;
use outflank_model::StoredGame;

/// Returns the key of this club; `None` while there is no installation, and so no game.
pub(crate) fn own_key(db: &Db) -> Result<Option<ClubKey>, Error> {
    Ok(db.installation_secret()?.as_ref().and_then(ClubKey::of))
}

/// Returns a game as a signed block of text, an imported one as it came.
///
/// # Errors
/// When a game was imported that was not signed.
pub(crate) fn portable(db: &Db, env: &Env, stored: &StoredGame) -> Result<String, Error> {
    if stored.is_imported() {
        let error = Error::refused(format!("game {} was imported without a signature", stored.id));
        let letters = db.signed_game(stored.id)?;
        return letters.map(|letters| portable::text(&letters)).ok_or(error);
    }
    let key = own_key(db)?.ok_or_else(|| Error::fault("there is no installation yet"))?;
    portable::write(&key, club_name(env), stored).map_err(Error::fault)
}

/// Returns a sentence about the signature of an imported game; `None` if it has none.
pub(crate) fn about_game(db: &Db, env: &Env, stored: &StoredGame) -> Result<Option<String>, Error> {
    let letters = stored.is_imported().then(|| db.signed_game(stored.id)).transpose()?.flatten();
    let Some((game, key)) = letters.and_then(|it| portable::read(&it).ok()) else {
        return Ok(None);
    };
    let by = signed_by(signer(db, env, key)?.as_deref());
    Ok(Some(one_line(&format!("This was game {} of {}, {by}.", game.id, game.club))))
}

/// Returns who has signed a game, in words.
pub(crate) fn signed_by(club: Option<&str>) -> String {
    format!("signed by {}", club.unwrap_or("an unknown key"))
}

/// Returns a sentence with the public key of this club; `None` while it has none.
pub(crate) fn about(db: &Db, env: &Env) -> Result<Option<String>, Error> {
    let about =
        |key: ClubKey| format!("{} signs its games with the key {}", club_name(env), key.public());
    Ok(own_key(db)?.map(about))
}

/// Returns the name of this club: that of its sender, or else the domain of its address.
pub(crate) fn club_name(env: &Env) -> &str {
    let from = &env.config.mail.from;
    from.name.as_deref().unwrap_or_else(|| from.email.domain())
}
/// Returns the club with this key, by its own name or the one that the host has given it; `None` if the key is
/// unknown.
pub(crate) fn signer(db: &Db, env: &Env, key: PublicKey) -> Result<Option<String>, Error> {
    match own_key(db)? {
        Some(own) if own.public() == key => Ok(Some(club_name(env).to_owned())),
        _ => Ok(db.club_with_key(&key.0)?),
    }
}
