//! The comments in a game, for those who may read them.

use crate::app::views::game::names;
use crate::app::{Actor, Error, find};
use crate::store::{Db, MailId};
use outflank_model::log::{Action, Game};
use outflank_model::render::comment;
use outflank_model::render::words::Names;
use outflank_model::{PlayerId, StoredGame};
use outflank_rules::Color;

/// Says that words in an unverified mail, which a stranger may have written, were dropped.
pub(crate) const NOT_KEPT: &str = "\
A comment or note was not kept, because the mail with it could not be verified. To send it again, \
write it in a reply to a mail about the game.";

/// What a player said in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Comment<'a> {
    /// The number of its event.
    pub event: usize,
    pub by: Color,
    pub text: &'a str,
}

impl Comment<'_> {
    /// Returns how many moves the game had when it was made, without those that were taken back.
    pub(crate) fn ply(&self, game: &Game) -> usize {
        game.plies().iter().take_while(|ply| ply.event < self.event).count()
    }

    /// Returns it as lines.
    pub(crate) fn shown(&self, names: Names) -> String {
        comment(names.of(self.by), self.text)
    }
}

/// Returns everything that was said in a game.
pub(crate) fn all(game: &Game) -> impl Iterator<Item = Comment<'_>> {
    (1..).zip(game.events()).filter_map(|(event, it)| match (&it.action, it.by) {
        (Action::Say(text), Some(by)) => Some(Comment { event, by, text }),
        _ => None,
    })
}

/// Returns the comments that the actor may read: all for the host, all but those of a blocked opponent for a
/// player of the game, and none for others.
pub(crate) fn readable<'g>(
    db: &Db,
    actor: &Actor,
    stored: &'g StoredGame,
) -> Result<Vec<Comment<'g>>, Error> {
    let comments = all(&stored.game);
    let Actor::Player(named) = actor else { return Ok(comments.collect()) };
    let player = find::player(db, named)?;
    let Some(own) = stored.color_of(player.id) else { return Ok(Vec::new()) };
    let is_blocked = is_blocked(db, stored, own)?;
    Ok(comments.filter(|comment| comment.by == own || !is_blocked).collect())
}

/// Returns whether the player of this colour has blocked the opponent.
fn is_blocked(db: &Db, stored: &StoredGame, own: Color) -> Result<bool, Error> {
    match (stored.side(own).id(), stored.side(!own).id()) {
        (Some(reader), Some(author)) => Ok(db.is_blocked(reader, author)?),
        _ => Ok(false),
    }
}

/// Returns those of the comments that were made since the last move but one of the game, as lines.
pub(crate) fn recent(comments: &[Comment], stored: &StoredGame) -> Option<String> {
    let plies = stored.game.plies();
    let since = plies.len().checked_sub(2).map_or(0, |before| plies[before].event);
    let names = names(stored);
    let recent = comments.iter().filter(|comment| comment.event > since);
    let shown: Vec<_> = recent.map(|comment| comment.shown(names)).collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}

/// Returns the comments as lines, below how many moves the game had when they were made.
pub(crate) fn by_move(comments: &[Comment], stored: &StoredGame) -> Option<String> {
    let names = names(stored);
    let mut blocks = Vec::new();
    let mut last = None;
    for comment in comments {
        let ply = comment.ply(&stored.game);
        if last != Some(ply) {
            blocks.push(if ply == 0 {
                "Before the first move:".to_owned()
            } else {
                format!("After move {ply}:")
            });
        }
        last = Some(ply);
        blocks.push(comment.shown(names));
    }
    (!blocks.is_empty()).then(|| blocks.join("\n"))
}

/// Returns the comments that a mail brings to a player of the game as lines; none if the player has
/// blocked their author.
pub(crate) fn in_mail(
    db: &Db,
    stored: &StoredGame,
    reader: PlayerId,
    mail: MailId,
) -> Result<Vec<String>, Error> {
    let events = db.comments_of(mail, stored.id)?;
    let Some(own) = stored.color_of(reader).filter(|_| !events.is_empty()) else {
        return Ok(Vec::new());
    };
    if is_blocked(db, stored, own)? {
        return Ok(Vec::new());
    }
    let names = names(stored);
    let said = all(&stored.game).filter(|comment| events.contains(&comment.event));
    Ok(said.map(|comment| comment.shown(names)).collect())
}
