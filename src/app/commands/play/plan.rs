use clap::Args;
use serde::Serialize;

use crate::app::effects::change::Change;
use crate::app::session::Reading;
use crate::app::session::Writing;
use crate::app::{Concerns, Error, Reply, Session, UseCase, find};
use crate::log::{BadPlan, Game, GameId, Plan as Tree, Planned};
use crate::render::plan_tree;
use crate::store::{Db, StoredGame, StoredPlan};
use outflank_rules::{Color, Move, Transcript};

/// Decide your replies in advance, show them, or delete them with off
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Each branch begins with a move of the opponent and ends with one of yours; /
separates branches. A branch that comes true is played at once. Only you see
your plan.

Example: plan 12 \"d3 c5 / c4 e3 f5 d6\"")]
pub struct Plan {
    /// The number of the game
    game: GameId,
    /// Branches of moves, or off [default: show the plan]
    #[arg(value_name = "MOVES")]
    branches: Vec<String>,
}

#[derive(Serialize)]
struct PlanJson {
    game: i64,
    branches: Vec<Vec<String>>,
}

const PURPOSE: &str = "whose plan it is";

impl UseCase for Plan {
    fn concerns(&self) -> Concerns {
        Concerns::Tells(self.game)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        find::acting(&session.actor, "plan", PURPOSE)?;
        match self.branches.join(" ").trim() {
            "" => session.read(|Reading { db, actor, .. }| {
                let stored = find::game(db, self.game)?;
                let own = find::own_color(db, &stored, actor)?;
                let own = own.ok_or_else(|| Error::usage(PURPOSE))?;
                let plan = stored_plan(db, &stored, own)?;
                Ok(reply(&stored, own, plan.as_ref()))
            }),
            text => session.write(|writing| self.set(writing, text)),
        }
    }
}

impl Plan {
    fn set(&self, writing: &Writing, text: &str) -> Result<Reply, Error> {
        let tx = writing.tx;
        let stored = find::game(tx, self.game)?;
        let own = find::own_color(tx, &stored, writing.actor)?;
        let own = own.ok_or_else(|| Error::usage(PURPOSE))?;
        let id = stored.id;
        let owner = stored.side(own).id().ok_or_else(|| Error::usage(PURPOSE))?;
        if text.eq_ignore_ascii_case("off") {
            tx.delete_plan(id, owner)?;
            return Ok(reply(&stored, own, None));
        }
        let plan = Tree::new(&stored.game, own, &branches(text)?).map_err(|bad| match bad {
            BadPlan::OwnTurn => {
                let message = format!("it is your own turn in game {id}");
                Error::refused(message)
                    .with_hint("move first; a plan begins with the opponent's move")
            }
            BadPlan::Over => Error::refused(format!("game {id} is over")),
            bad => Error::refused(bad).with_hint("nothing was planned"),
        })?;
        let lattice = stored.game.start().rules().lattice;
        tx.set_plan(id, owner, stored.game.events().len(), &plan.label(lattice))?;
        Ok(reply(&stored, own, Some(&plan)))
    }
}

/// Parses branches, separated by slashes.
fn branches(text: &str) -> Result<Vec<Vec<Move>>, Error> {
    let branch = |(number, text): (usize, &str)| {
        let moves = text.trim().parse::<Transcript>();
        let refused = |why: String| {
            Error::refused(format!("branch {number}: {why}"))
                .with_hint("write branches such as d3 c5 / c4 e3 f5 d6")
        };
        match moves {
            Ok(Transcript(moves)) if moves.is_empty() => {
                Err(refused("there is no move".to_owned()))
            }
            Ok(Transcript(moves)) => Ok(moves),
            Err(bad) => Err(refused(bad.to_string())),
        }
    };
    (1..).zip(text.trim().trim_end_matches('/').split('/')).map(branch).collect()
}

fn reply(stored: &StoredGame, own: Color, plan: Option<&Tree>) -> Reply {
    let (id, lattice) = (stored.id, stored.game.start().rules().lattice);
    let branches = plan.map_or(&[][..], Tree::branches);
    let labels = |branch: &Vec<_>| -> Vec<String> {
        branch.iter().map(|it: &Planned| lattice.move_label(it.mv)).collect()
    };
    let json = PlanJson { game: id.0, branches: branches.iter().map(labels).collect() };
    let reply = Reply::new(&json);
    match plan {
        None => reply.text(format!("You have no plan for game {id}.")),
        Some(plan) => {
            let other = stored.name(!own);
            reply
                .text(format!("Your plan for game {id} ({other}: you), which only you see:"))
                .text(plan_tree(plan, own, lattice))
        }
    }
}

/// Returns the plan of a player.
fn stored_plan(db: &Db, stored: &StoredGame, own: Color) -> Result<Option<Tree>, Error> {
    let plans = db.plans(stored.id)?;
    let own_plan = plans.iter().find(|plan| Some(plan.player) == stored.side(own).id());
    Ok(own_plan.and_then(|plan| tree(&stored.game, own, plan)))
}

/// Returns a stored plan, if it is still valid.
fn tree(game: &Game, owner: Color, plan: &StoredPlan) -> Option<Tree> {
    Tree::new(&game.after(plan.event)?, owner, &plan.branches).ok()
}

/// Returns the moves made since an event, without automatic passes.
fn made_since(game: &Game, event: usize) -> Vec<Move> {
    let plies = game.plies().iter().filter(|ply| ply.event > event && !ply.auto);
    plies.map(|ply| ply.mv).collect()
}

/// Makes the moves that the players' plans decide, alternately if both have one, and keeps the
/// branches that are still possible. After a takeback all plans are deleted. Returns what to tell
/// the owners.
pub(crate) fn carry_out(change: &Change, game: &mut Game) -> Result<Vec<(Color, String)>, Error> {
    let Change { tx, stored, .. } = *change;
    let id = stored.id;
    let owned = tx.plans(id)?.into_iter().filter_map(|plan| {
        let owner = stored.color_of(plan.player)?;
        Some((owner, plan))
    });
    let owned: Vec<_> = owned.collect();
    if game.taken_back().len() > stored.game.taken_back().len() {
        let why = "Your plan for this game was deleted, because moves were taken back.";
        let told = owned.into_iter().map(|(owner, plan)| {
            tx.delete_plan(id, plan.player)?;
            Ok((owner, why.to_owned()))
        });
        return told.collect();
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
    let lattice = game.start().rules().lattice;
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
