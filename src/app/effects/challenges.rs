//! What becomes of challenges, and the mails about that.

use crate::app::effects::outbox::{Cause, Outbox};
use crate::app::views::challenge::title;
use crate::app::{App, Error, contain_part, find};
use crate::store::NewOutboxEntry;
use outflank_model::log::GameId;
use outflank_model::mail::{MailContent, MessageKind, Occasion};
use outflank_model::{ChallengeState, Challenged, Player, StoredChallenge};

/// The most challenges that expire in one transaction. Other processes can write between two of them.
const MAX_CHALLENGES: u32 = 50;

/// Queues a mail about a challenge.
pub(crate) fn notify(
    outbox: &mut Outbox,
    to: &Player,
    challenge: GameId,
    text: String,
    occasion: Option<Occasion>,
    cause: Cause,
) -> Result<(), Error> {
    let content = MailContent::of_text(MessageKind::Challenge, None, text);
    let content = MailContent { challenge: Some(challenge), occasion, ..content };
    outbox.add(&NewOutboxEntry::to(to, content), cause).map(drop)
}

/// Queues the mail that asks a player to answer a challenge.
pub(crate) fn ask(
    outbox: &mut Outbox,
    challenge: &StoredChallenge,
    cause: Cause,
) -> Result<(), Error> {
    let Challenged::Player(opponent) = &challenge.to else { return Ok(()) };
    let by = &challenge.challenger.name;
    let text = format!("{by} challenges you to a game of {}.", title(challenge));
    notify(outbox, opponent, challenge.id, text, Some(Occasion::Challenge), cause)
}

/// Notifies a player of the end of a challenge. The mail carries comments of the other player that were
/// not mailed yet. Without them, a player who has not heard of the challenge gets no mail.
fn report_end(
    outbox: &mut Outbox,
    to: &Player,
    challenge: GameId,
    news: String,
    has_heard: bool,
    cause: Cause,
) -> Result<(), Error> {
    let mails = outbox.tx.supersede_challenge_comments(challenge, to.id)?;
    if mails.is_empty() && !has_heard {
        return Ok(());
    }
    let words: Vec<_> = mails.iter().map(|text| news_and_words(text).1).collect();
    let text = with_words(news, &words.join("\n"));
    notify(outbox, to, challenge, text, None, cause)
}

/// Separates the news about a challenge from the comments on it.
const ABOVE_WORDS: &str = "\n\n";

/// Returns the text of a mail about a challenge: the news, and comments.
pub(crate) fn with_words(news: String, words: &str) -> String {
    if words.is_empty() { news } else { format!("{news}{ABOVE_WORDS}{words}") }
}

/// Splits the text of a mail about a challenge into the news and the comments.
pub(crate) fn news_and_words(text: &str) -> (&str, &str) {
    text.split_once(ABOVE_WORDS).unwrap_or((text, ""))
}

/// Ends an open challenge without a game, and notifies those of its two people who have not ended it
/// and have heard of it.
pub(crate) fn close(
    outbox: &mut Outbox,
    challenge: &StoredChallenge,
    state: ChallengeState,
) -> Result<(), Error> {
    let &StoredChallenge { id, ref challenger, ref to, .. } = challenge;
    outbox.tx.close_challenge(id, state, outbox.env.now())?;
    let is_unheard = outbox.tx.supersede_challenge_mails(id)?;
    let opponent = match to {
        Challenged::Player(opponent) => Some(&**opponent),
        Challenged::Anyone | Challenged::Bot(_) => None,
    };
    let (by, title) = (&challenger.name, title(challenge));
    let to_opponent = |outbox: &mut Outbox, text: String| match opponent {
        Some(opponent) => {
            report_end(outbox, opponent, id, text, !is_unheard, Cause::of(challenger.id))
        }
        None => Ok(()),
    };
    match state {
        ChallengeState::Open | ChallengeState::Accepted => Ok(()),
        ChallengeState::Declined => {
            let who = find::challenged(to);
            let text = match opponent.is_some_and(|opponent| opponent.left_at.is_some()) {
                true => format!("{who} has left, so your challenge to a game of {title} is over."),
                false => format!("{who} declined your challenge to a game of {title}."),
            };
            let cause = opponent.map_or(Cause::COMMAND, |opponent| Cause::of(opponent.id));
            report_end(outbox, challenger, id, text, true, cause)
        }
        ChallengeState::Withdrawn => {
            to_opponent(outbox, format!("{by} withdrew the challenge to a game of {title}."))
        }
        ChallengeState::Expired => {
            let days = StoredChallenge::OPEN_FOR.num_days();
            let text = format!("Nobody accepted your challenge within {days} days.");
            report_end(outbox, challenger, id, text, true, Cause::COMMAND)?;
            to_opponent(outbox, format!("The challenge by {by} to a game of {title} has expired."))
        }
    }
}

impl App {
    /// Ends the challenges that nobody has answered in time, each once, however many processes do this.
    /// Returns a line for each for which that failed.
    pub(crate) fn expire_challenges(&mut self) -> Result<Vec<String>, Error> {
        let (env, mut problems) = (&self.env, Vec::new());
        let last = env.now() - StoredChallenge::OPEN_FOR;
        while !self.store.read(|db| db.challenges_until(last, 1))?.is_empty() {
            let expired = self.store.write(|tx| {
                let outbox = &mut Outbox::new(env, tx);
                let mut expired = 0;
                for id in tx.challenges_until(last, MAX_CHALLENGES)? {
                    let done = contain_part(tx, || match tx.challenge(id)? {
                        Some(challenge) => close(outbox, &challenge, ChallengeState::Expired),
                        None => Ok(()),
                    })?;
                    match done {
                        Ok(()) => expired += 1,
                        Err(error) => problems.push(format!("challenge {id} failed: {error}")),
                    }
                }
                Ok::<_, Error>(expired)
            })?;
            if expired == 0 {
                break;
            }
        }
        Ok(problems)
    }
}
