//! Signed games in mails, and the keys of the clubs that sign them.

use ring::digest::{SHA256, digest};
use serde_json::json;

use crate::app::access::signing;
use crate::app::run::session::Writing;
use crate::app::{Error, Reply, Session, one_line};
use crate::mail::read::texts;
use crate::portable::{self, BadKey, PortableGame, PublicKey, Unreadable};
use crate::store::NewGame;
use outflank_model::words::counted;
use outflank_model::{Agreement, Side};

/// Imports the games in a mail that is called `name`.
pub(super) fn import(session: &mut Session, name: &str, mail: &[u8]) -> Result<Reply, Error> {
    let games = in_mail(name, mail)?;
    session.write_or_create(|Writing { tx, env, outbox, .. }| {
        let (mut reply, mut json) = (Reply::default(), Vec::new());
        for Signed { letters, game, key } in &games {
            let PortableGame { club, id, variant, custom_start, names, started, times, .. } = game;
            let agreement = Agreement { custom_start: *custom_start, ..Agreement::on(variant) };
            let [black, white] = &names.clone().map(|name| Side::Guest(one_line(&name)));
            let mark = &env.rng.mark();
            let game = &game.game;
            let new = NewGame { agreement: &agreement, game, black, white, local: false, mark };
            let digest = digest(&SHA256, letters.as_bytes());
            let (now, thread) = (env.now(), outbox.thread()?);
            let times: Vec<_> = times.iter().map(|at| now.min(*at)).collect();
            let new = tx.import_game(&new, thread, digest.as_ref(), now.min(*started), &times)?;
            if let Some(new) = new {
                tx.add_signed_game(new, letters)?;
            }
            let by = signing::signer(tx, env, *key)?;
            let signed = signing::signed_by(by.as_deref());
            let known = match new {
                Some(new) => format!("is game {new} now"),
                None => "is known already".to_owned(),
            };
            let [black, white] = names;
            let text = format!("Game {id} of {club}, {black} against {white}, {known}: {signed}.");
            reply = reply.text(one_line(&text));
            json.push(json!({ "game": new.map(|id| id.0), "club": club, "number": id.0, "signed_by": by }));
        }
        Ok(Reply { json: Reply::new(&json!({ "games": json })).json, ..reply })
    })
}

/// Stores the keys of clubs in a file that is called `name`, and deletes those that it takes back.
pub(super) fn add_keys(session: &mut Session, name: &str, bytes: &[u8]) -> Result<Reply, Error> {
    let keys = keys_in(name, bytes)?;
    session.write_or_create(|Writing { tx, .. }| {
        let mut clubs = Vec::new();
        for (key, club) in &keys {
            match club {
                Some(club) => tx.set_club_key(&key.0, club)?,
                None => tx.delete_club_key(&key.0)?,
            }
            clubs.push(json!({ "key": key.to_string(), "club": club }));
        }
        let known = keys.iter().filter(|(_, club)| club.is_some()).count();
        let counts = [(known, "known"), (keys.len() - known, "forgotten")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let text: Vec<_> =
            counts.map(|(count, what)| format!("{} {what}", counted(count, "key"))).collect();
        Ok(Reply::new(&json!({ "keys": clubs })).text(format!("{}.", text.join(", "))))
    })
}

/// A signed game.
struct Signed {
    letters: String,
    game: PortableGame,
    key: PublicKey,
}

impl Signed {
    /// Reads the letters of a block.
    fn read(letters: &str) -> Result<Self, Unreadable> {
        let (game, key) = portable::read(letters)?;
        Ok(Self { letters: letters.to_owned(), game, key })
    }
}

/// Returns the finished games in a mail, or in another text, that is called `name`.
fn in_mail(name: &str, mail: &[u8]) -> Result<Vec<Signed>, Error> {
    let hint = format!("a game stands below the line {}", portable::BEGIN);
    let mut failure = Error::refused(format!("{name} has no signed game")).with_hint(hint);
    // HTML has the same game once more, and one of the two may have suffered on its way.
    for blocks in texts(mail).iter().map(|text| portable::blocks(text)) {
        if blocks.is_empty() {
            continue;
        }
        match blocks.iter().map(|letters| Signed::read(letters)).collect::<Result<Vec<_>, _>>() {
            Ok(games) => return games.into_iter().map(finished).collect(),
            Err(Unreadable::Altered) => {
                let hint = "import the mail as the club has sent it";
                failure = Error::refused(format!("the game in {name} is altered")).with_hint(hint);
            }
            Err(newer) => failure = Error::refused(format!("the game in {name} is {newer}")),
        }
    }
    Err(failure)
}

/// Refuses a game that is not over.
fn finished(signed: Signed) -> Result<Signed, Error> {
    if signed.game.game.turn().is_none() {
        return Ok(signed);
    }
    let PortableGame { club, id, .. } = &signed.game;
    let error = Error::refused(one_line(&format!("game {id} of {club} is not over")));
    Err(error.with_hint("import the mail about its end"))
}

/// Returns the keys in a file that is called `name`, each with the name of its club; `None` if it is to be
/// forgotten.
fn keys_in(name: &str, bytes: &[u8]) -> Result<Vec<(PublicKey, Option<String>)>, Error> {
    let text = String::from_utf8_lossy(bytes);
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let keys = lines.map(|(number, line)| {
        let refused = |why: String| Error::refused(format!("line {number} of {name}: {why}"));
        let (line, is_known) = match line.trim().strip_prefix('-') {
            Some(rest) => (rest.trim_start(), false),
            None => (line.trim(), true),
        };
        let (key, club) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let key = key.parse().map_err(|error: BadKey| refused(error.to_string()))?;
        match club.trim() {
            _ if !is_known => Ok((key, None)),
            "" => Err(refused("the name of the club is missing".to_owned())
                .with_hint("write the key and then the name")),
            club => Ok((key, Some(one_line(club)))),
        }
    });
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    match keys.is_empty() {
        true => Err(Error::refused(format!("{name} has no key"))),
        false => Ok(keys),
    }
}
