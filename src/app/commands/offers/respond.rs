//! Answers to challenges, and words about them: `accept`, `decline` and `say` with the number of a
//! challenge instead of a game.

use crate::app::commands::offers::challenge_limits::refuse_blocked;
use crate::app::commands::play::begin::{begin_challenged, has_begun};
use crate::app::effects::challenges;
use crate::app::effects::outbox::Cause;
use crate::app::effects::quota::{self, Quota};
use crate::app::run::session::{Reading, Writing};
use crate::app::views::challenge::{title, to_json};
use crate::app::views::game::View;
use crate::app::{Error, Known, Reply, Session, find};
use crate::store::Db;
use outflank_model::log::GameId;
use outflank_model::mail::Occasion;
use outflank_model::render::comment;
use outflank_model::{ChallengeState, Challenged, Player, Side, StoredChallenge};

const SEE_OTHERS: &str = "see `outflank challenges` for others";

/// Accepts a challenge and begins its game. Returns `None` if the command is about a game.
pub(crate) fn accept(
    session: &mut Session,
    id: GameId,
    known: Option<Known>,
) -> Result<Option<Reply>, Error> {
    respond(session, id, known, |writing, challenge, player| {
        let StoredChallenge { challenger, to, .. } = challenge;
        if challenger.id == player.id {
            let error = Error::refused(format!("challenge {id} is your own"));
            return Err(error.with_hint(format!("`outflank decline {id}` withdraws it")));
        }
        match to {
            Challenged::Player(opponent) if opponent.id != player.id => {
                return Err(not_yours(challenge));
            }
            Challenged::Anyone => refuse_blocked(writing.tx, challenger, player, SEE_OTHERS)?,
            _ => {}
        }
        writing.tx.supersede_challenge_mails(id)?;
        let stored = begin_challenged(writing, challenge, &Side::from(player.clone()))?;
        let accepted = format!("You accepted the challenge by {}.", challenger.name);
        let mut sentence = format!("{accepted} {}", has_begun(&stored));
        if challenge.agreement.rated && !stored.agreement.rated {
            sentence.push_str(" It is not rated, because you have no address.");
        }
        let view = View::present(writing.tx, &stored, &stored.game, writing.env.now())?;
        let reply = view.brief(&sentence);
        Ok(Reply { begun: Some(stored.id), ..reply })
    })
}

/// Declines a challenge, or withdraws the player's own. Returns `None` if the command is about a game.
pub(crate) fn decline(
    session: &mut Session,
    id: GameId,
    known: Option<Known>,
) -> Result<Option<Reply>, Error> {
    respond(session, id, known, |writing, challenge, player| {
        let (state, sentence) = match &challenge.to {
            _ if challenge.challenger.id == player.id => {
                let to = find::challenged(&challenge.to);
                (ChallengeState::Withdrawn, format!("You withdrew challenge {id} to {to}."))
            }
            Challenged::Player(opponent) if opponent.id == player.id => {
                let by = &challenge.challenger.name;
                (ChallengeState::Declined, format!("You declined the challenge by {by}."))
            }
            Challenged::Anyone => {
                let error = Error::refused(format!("challenge {id} is to anyone"));
                return Err(error.with_hint("nobody has to decline it"));
            }
            _ => return Err(not_yours(challenge)),
        };
        challenges::close(&mut writing.outbox, challenge, state)?;
        let now = writing.tx.challenge(id)?;
        let json = to_json(now.as_ref().unwrap_or(challenge));
        Ok(Reply::new(&json).said(sentence))
    })
}

/// Mails words about a challenge to the other of its two people. Returns `None` if the command is about
/// a game.
pub(crate) fn say(session: &mut Session, id: GameId, words: &str) -> Result<Option<Reply>, Error> {
    respond(session, id, None, |writing, challenge, player| {
        let tx = writing.tx;
        let (challenger, opponent) = match &challenge.to {
            Challenged::Player(opponent) => (&challenge.challenger, &**opponent),
            Challenged::Anyone | Challenged::Bot(_) => {
                let error = Error::refused(format!("challenge {id} is to anyone"));
                return Err(error.with_hint("you can talk once the game has begun"));
            }
        };
        let reader = match player.id {
            author if author == challenger.id => opponent,
            author if author == opponent.id => challenger,
            _ => return Err(not_yours(challenge)),
        };
        quota::refuse_unread(tx, reader, player)?;
        if reader.address.is_none() {
            return Err(Error::refused(format!("{} gets no mail", reader.name))
                .with_hint("you can talk once the game has begun"));
        }
        let now = writing.env.now();
        Quota { db: tx, by: player.id, to: reader.id, now }.check(&reader.name)?;
        let news = format!("{} says something about challenge {id}.", player.name);
        let text = challenges::with_words(news, &comment(&player.name, words));
        let occasion = Some(Occasion::Comment);
        challenges::notify(&mut writing.outbox, reader, id, text, occasion, Cause::of(player.id))?;
        let json = serde_json::json!({
            "at_once": true, "challenge": id.0, "player": player.name, "said": words,
        });
        let answer = format!("{} is mailed what you said about challenge {id}.", reader.name);
        Ok(Reply::new(&json).text(answer))
    })
}

/// Returns the sentence that asks a player to confirm an answer to an open challenge.
pub(crate) fn asked_about(challenge: &StoredChallenge) -> String {
    let (by, to) = (&challenge.challenger.name, find::challenged(&challenge.to));
    format!("the challenge by {by} to {to}, a game of {}", title(challenge))
}

/// Handles a command about an open challenge in one transaction. Returns `None` if it is about a game:
/// if no challenge has the number, or if the actor plays in the game that has begun, unless the command
/// replies to a mail about the challenge.
fn respond(
    session: &mut Session,
    id: GameId,
    known: Option<Known>,
    work: impl FnOnce(&mut Writing, &StoredChallenge, &Player) -> Result<Reply, Error>,
) -> Result<Option<Reply>, Error> {
    let Some(named) = session.actor.player().cloned() else { return Ok(None) };
    let is_challenge = session.read(|Reading { db, .. }| {
        Ok(match db.challenge(id)? {
            None => known == Some(Known::Challenge) && db.game(id)?.is_none(),
            Some(challenge) if challenge.state == ChallengeState::Accepted => {
                let player = find::player(db, &named)?;
                known == Some(Known::Challenge) || !plays(db, id, &player)?
            }
            Some(_) => true,
        })
    })?;
    if !is_challenge {
        return Ok(None);
    }
    let reply = session.write(|writing| {
        let player = find::player(writing.tx, &named)?;
        let challenge = writing.tx.challenge(id)?.ok_or_else(|| find::no_game(id))?;
        if !challenge.is_open(writing.env.now()) {
            return Err(over(writing.tx, challenge, &player)?);
        }
        work(writing, &challenge, &player)
    })?;
    Ok(Some(reply))
}

fn plays(db: &Db, id: GameId, player: &Player) -> Result<bool, Error> {
    Ok(db.moment(id, player.id)?.is_some())
}

/// Returns the error for a challenge that cannot be answered any more, for this player.
fn over(db: &Db, challenge: StoredChallenge, player: &Player) -> Result<Error, Error> {
    let id = challenge.id;
    if challenge.state == ChallengeState::Open {
        return Ok(find::no_game_yet(&StoredChallenge {
            state: ChallengeState::Expired,
            ..challenge
        }));
    }
    let is_taken = challenge.state == ChallengeState::Accepted
        && challenge.to == Challenged::Anyone
        && !plays(db, id, player)?;
    let Some(game) = is_taken.then(|| db.game(id)).transpose()?.flatten() else {
        return Ok(find::no_game_yet(&challenge));
    };
    let [black, white] = game.sides();
    let faster = if black.id() == Some(challenge.challenger.id) { white } else { black };
    let message = format!("{} was faster: game {id} has begun", faster.name());
    Ok(Error::refused(message).with_hint(SEE_OTHERS))
}

fn not_yours(challenge: &StoredChallenge) -> Error {
    let StoredChallenge { id, challenger, to, .. } = challenge;
    let message = format!("challenge {id} is by {} to {}", challenger.name, find::challenged(to));
    Error::refused(message).with_hint(SEE_OTHERS)
}
