//! Whether a move is taken back at once or the opponent is asked: docs/playing.md, Taking a move back.

use super::replies::{New, new_events};
use super::{Change, tournaments, violated};
use crate::simulator::replay::{Replayed, opponent};
use crate::simulator::tables::{Tables, number};
use crate::simulator::{DAY, Violation};

/// How long it is known which mails were sent.
const MAILS_KNOWN_FOR: i64 = 8 * DAY;

/// The last move of a player before a takeback, as the opponent has it.
struct Last<'a> {
    game: i64,
    opponent: &'a str,
    event: i64,
    made_at: i64,
    /// Whether the opponent has moved since.
    is_answered: bool,
}

impl<'a> Last<'a> {
    /// Returns the move that an event takes back or offers to take back; `None` if there is none, or if the
    /// opponent is nobody who gets mail.
    fn of(change: &Change<'a>, it: &New) -> Option<Self> {
        let (game, own) = (number(Some(it.game))?, it.event.author.chars().next()?);
        let [black, white, local] =
            change.after.columns_of("game", game, ["black", "white", "local"]).next()?;
        let opponent_id = if own == 'b' { white? } else { black? };
        let names = ["address", "left_at"];
        let reader =
            change.before.columns_of("player", number(Some(opponent_id))?, names).next()?;
        if local == Some("1") || reader[0].is_none() || reader[1].is_some() {
            return None;
        }
        let then = Replayed::of(change.after, game, it.event.number - 1).ok()?;
        let (at, _) = then.own(own).next_back()?;
        let event = *then.made_at.get(at)?;
        let mut log = change.before.columns_of("event", game, ["at"]).skip(event - 1);
        let made_at = number(log.next()?[0])?;
        let is_answered = then.own(opponent(own)).next_back().is_some_and(|(other, _)| other > at);
        Some(Self {
            game,
            opponent: opponent_id,
            event: i64::try_from(event).ok()?,
            made_at,
            is_answered,
        })
    }

    /// Returns the mails to the opponent about the move: each with its state, the end of its grace, how often it was
    /// tried, and whether it becomes part of a digest.
    fn mails(&self, tables: &'a Tables) -> Vec<[Option<&'a str>; 4]> {
        let listed = tables.columns("digest_game", ["mail", "game", "events"]);
        let in_digests: Vec<_> = listed
            .filter(|[_, game, events]| {
                number(*game) == Some(self.game) && number(*events) >= Some(self.event)
            })
            .map(|[mail, ..]| mail)
            .collect();
        let names =
            ["id", "game", "player", "events", "state", "not_before", "tries", "for_digest"];
        let mails = tables.columns("outbox", names).filter(|[id, game, player, events, ..]| {
            let is_about = number(*game) == Some(self.game) && number(*events) >= Some(self.event);
            *player == Some(self.opponent) && (is_about || in_digests.contains(id))
        });
        mails.map(|[_, _, _, _, mail @ ..]| mail).collect()
    }
}

/// As long as the opponent has neither moved nor been notified, a move is taken back at once. A mail about it that
/// was tried counts as sent, even if it could not be delivered yet.
pub fn untold_moves_are_taken_back_at_once(change: &Change) -> Result<(), Violation> {
    const OF: &str = "untold_moves_are_taken_back_at_once";
    if change.words.is_empty() {
        return Ok(());
    }
    let now = change.now.timestamp();
    for it in new_events(change) {
        let is_asked = it.event.action == "offer takeback";
        if it.player.is_none() || !is_asked && it.event.action != "takeback" {
            continue;
        }
        let is_in_tournament =
            number(Some(it.game)).is_some_and(|game| tournaments::has(change.after, game));
        if is_asked && is_in_tournament {
            return violated(OF, format!("a takeback in game {} of a tournament", it.game));
        }
        let Some(last) = Last::of(change, &it) else { continue };
        let mails = last.mails(change.before);
        let is_tried = |[state, _, tries, for_digest]: &[Option<&str>; 4]| {
            matches!(state, Some("queued" | "failed"))
                && *for_digest == Some("0")
                && number(*tries) > Some(0)
        };
        let is_untold = |[state, not_before, tries, for_digest]: &[Option<&str>; 4]| match state {
            Some("paused") => true,
            Some("superseded") => *for_digest == Some("0"),
            // Other settings can have held it back since.
            Some("queued") => number(*not_before) > Some(now) && number(*tries) == Some(0),
            _ => false,
        };
        let is_known = now - last.made_at < MAILS_KNOWN_FOR && last.made_at <= now;
        let is_wrong = match is_asked {
            true => is_known && !last.is_answered && mails.iter().all(is_untold),
            false => last.is_answered || mails.iter().any(is_tried),
        };
        if is_wrong {
            let found = format!("{} of game {} after {mails:?}", it.event.action, it.game);
            return violated(OF, format!("{found}, move {} at {}", last.event, last.made_at));
        }
    }
    Ok(())
}
