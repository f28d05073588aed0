//! Replies that players have planned: they are played when their branch comes true.

use crate::app::Error;
use crate::store::{StoredPlan, Tx};
use outflank_model::StoredGame;
use outflank_model::log::{Game, Plan};
use outflank_rules::{Color, Move};

/// Returns a stored plan, if it is still valid.
pub(crate) fn tree(game: &Game, owner: Color, plan: &StoredPlan) -> Option<Plan> {
    Plan::new(&game.after(plan.event)?, owner, &plan.branches).ok()
}

/// Returns the moves made since an event, without automatic passes.
fn made_since(game: &Game, event: usize) -> Vec<Move> {
    let plies = game.plies().iter().filter(|ply| ply.event > event && !ply.auto);
    plies.map(|ply| ply.mv).collect()
}

/// Makes the moves that the players' plans decide, alternately if both have one, and keeps the
/// branches that are still possible. After a takeback all plans are deleted. Returns the news for
/// their owners.
pub(crate) fn carry_out(
    tx: &Tx,
    stored: &StoredGame,
    game: &mut Game,
) -> Result<Vec<(Color, String)>, Error> {
    let id = stored.id;
    let owned = tx.plans(id)?.into_iter().filter_map(|plan| {
        let owner = stored.color_of(plan.player)?;
        Some((owner, plan))
    });
    let owned: Vec<_> = owned.collect();
    if game.taken_back().len() > stored.game.taken_back().len() {
        let why = "Your plan for this game was deleted, because moves were taken back.";
        let notices = owned.into_iter().map(|(owner, plan)| {
            tx.delete_plan(id, plan.player)?;
            Ok((owner, why.to_owned()))
        });
        return notices.collect();
    }
    let trees: Vec<_> = owned
        .iter()
        .filter_map(|(owner, plan)| Some((*owner, plan.event, tree(game, *owner, plan)?)))
        .collect();
    let before = game.plies().len();
    while let Some(turn) = game.turn() {
        let reply = trees.iter().find_map(|(owner, event, tree)| {
            tree.reply(*owner, &made_since(game, *event)).filter(|_| *owner == turn)
        });
        if reply.is_none_or(|mv| game.play(mv).is_err()) {
            break;
        }
    }
    let lattice = game.lattice();
    for (owner, plan) in &owned {
        let tree = trees.iter().find(|(of, ..)| of == owner);
        let rest = tree.and_then(|(_, event, tree)| tree.rest(&made_since(game, *event)));
        match rest.filter(|_| game.turn().is_some()) {
            Some(rest) => {
                tx.set_plan(id, plan.player, game.events().len(), &rest.label(lattice))?;
            }
            None => tx.delete_plan(id, plan.player)?,
        }
    }
    let planned = |owner: Color| {
        let made =
            (1..).zip(game.plies()).skip(before).filter(|(_, ply)| ply.by == owner && !ply.auto);
        let made: Vec<_> =
            made.map(|(number, ply)| format!("{number}.{}", lattice.move_label(ply.mv))).collect();
        (!made.is_empty()).then(|| format!("Your plan replied for you: {}.", made.join(" ")))
    };
    Ok(Color::BOTH.into_iter().filter_map(|owner| Some((owner, planned(owner)?))).collect())
}
