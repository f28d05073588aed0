//! Which games a digest has: docs/mail.md, docs/settings.md.

use super::super::rows::Game;
use super::{Change, Row, Waiting, away_until, is_muted, violated};
use crate::simulator::Violation;
use crate::simulator::tables::{Tables, number};

/// A digest that is tried for the first time has exactly the games that wait for its reader then: not muted ones, nor
/// those whose mail a grace or an absence holds back. Games that the step has changed are not judged.
pub(super) fn digests_have_what_waits(change: &Change) -> Result<(), Violation> {
    let now = change.now.timestamp();
    for id in change.after.new_rows("outbox", change.before) {
        let row = Row::with_id(change.after, id);
        let was_tried = Row::with_id(change.before, id).is_some_and(|it| it.first_try_at.is_some());
        let is_first = |it: &Row| it.kind == "digest" && it.first_try_at == Some(now) && !was_tried;
        let Some(row) = row.filter(is_first) else { continue };
        let rows = change.after.columns_of("digest_game", id, ["game"]);
        let listed: Vec<_> = rows.filter_map(|[game]| number(game)).collect();
        let games = change.after.columns("game", ["id", "to_move"]);
        let own = games.filter(|[_, to_move]| number(*to_move) == Some(row.player));
        for game in own.filter_map(|[id, _]| number(id)) {
            let Some(expected) = is_expected(change, &row, game) else { continue };
            if listed.contains(&game) != expected {
                let found = format!("{row:?} has {listed:?}, and game {game} must be there:");
                return violated("digests_have_what_waits", format!("{found} {expected}"));
            }
        }
    }
    Ok(())
}

/// Returns whether a game in which it is the reader's turn belongs in a digest; `None` if that has changed in the step.
fn is_expected(change: &Change, row: &Row, id: i64) -> Option<bool> {
    let [was, is] = [change.before, change.after].map(|tables| {
        let game = Waiting::of(tables, id).filter(|it| it.player == row.player)?;
        let held = is_held(tables, row, &game, change.now.timestamp());
        let is_in = !game.is_local && !held && !is_muted(tables, id, row.player);
        Some((Game::of(tables, id)?.events, game.deadline, is_in))
    });
    let (events, deadline, is_in) = is?;
    // An outage moves a deadline that has passed.
    (was == Some((events, deadline, is_in)) && deadline > change.now.timestamp()).then_some(is_in)
}

/// Returns whether a mail about the turn waits for the end of a grace or an absence.
fn is_held(tables: &Tables, row: &Row, game: &Waiting, now: i64) -> bool {
    let is_away = game.has_absences && away_until(tables, row.player, now).is_some();
    Row::all(tables).iter().any(|it| {
        it.player == row.player
            && it.game == Some(game.id)
            && it.kind == "turn"
            && it.state == "queued"
            && !it.is_prompt
            && (is_away || it.not_before.is_some_and(|at| at > now))
    })
}
