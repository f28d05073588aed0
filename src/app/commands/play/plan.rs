use clap::Args;
use serde_json::json;

use crate::app::commands::play::moves::check_position;
use crate::app::effects::change::Asked;
use crate::app::effects::plans;
use crate::app::run::session::{Reading, Writing};
use crate::app::{Concerns, Error, Heading, Place, Reply, Session, Shown, Traits, UseCase, find};
use crate::store::Db;
use outflank_model::StoredGame;
use outflank_model::log::{BadPlan, Game, GameId, Plan as Tree, Planned};
use outflank_model::render::plan_tree;
use outflank_rules::{Color, Move, Transcript};

/// Decide your replies in advance, look at them, or delete them with off
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Each branch begins with a move of the opponent and ends with one of yours; /
separates branches. A branch that comes true is played at once. Only you see
your plan.

Example: plan 12 \"d3 c5 / f5 d6 c3 d3\"")]
pub struct Plan {
    /// The number of the game
    game: GameId,
    /// Branches of moves, or off [default: show the plan]
    #[arg(value_name = "MOVES")]
    branches: Vec<String>,
    /// The event of the position that the plan was meant for.
    #[arg(skip)]
    position: Option<usize>,
}

const NOTHING_PLANNED: &str = "nothing was planned";
/// The word in place of moves that deletes the plan.
const OFF: &str = "off";

impl UseCase for Plan {
    const TRAITS: Traits = Traits {
        done: Some("Your plan was changed."),
        ..Traits::new("plan", Heading::Play).by("whose plan it is").button(
            Place::Apart,
            "Write a plan",
            "Branches of moves, each from a move of your opponent to one of yours",
        )
    };

    fn concerns(&self) -> Concerns {
        Concerns::About(self.game)
    }

    fn bind(&mut self, to: Shown) {
        if let Some(at) = to.position_for(None) {
            self.position = Some(at.events);
        }
    }

    fn check(&self, asked: &Asked) -> Result<(), Error> {
        let (stored, own) = (asked.stored, asked.change.author()?);
        let branch = stored.game.turn().filter(|turn| *turn != own);
        let branch = branch.and_then(|_| any_branch(&stored.game, own));
        tree(stored, own, &[branch.unwrap_or_default()]).map(drop)
    }

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        match self.text().trim() {
            "" => session.read(|Reading { db, actor, .. }| {
                let stored = find::game(db, self.game)?;
                let own = find::acting_color(db, &stored, actor)?;
                let plan = stored_plan(db, &stored, own)?;
                Ok(reply(&stored, own, plan.as_ref()))
            }),
            // A mail program may have wrapped the plan behind the slash.
            text if session.front_end.is_mail && text.ends_with('/') => {
                Err(Error::refused("your plan ends with a slash, so a branch is missing")
                    .with_hint(NOTHING_PLANNED))
            }
            text => session.write(|writing| self.set(writing, text)),
        }
    }
}

impl Plan {
    /// Returns the moves as they were typed. A mail may have the quotation marks of a shell.
    fn text(&self) -> String {
        self.branches.join(" ").trim_matches('"').to_owned()
    }

    /// Returns whether the text consists of moves and slashes only.
    pub(crate) fn is_only_moves(&self) -> bool {
        branches(&self.text()).is_ok()
    }

    /// Returns whether the command plans moves, rather than showing or deleting a plan.
    pub(crate) fn has_moves(&self) -> bool {
        let text = self.text();
        !text.trim().is_empty() && !text.trim().eq_ignore_ascii_case(OFF)
    }

    /// Refuses a plan if the opponent has moved since the position that it was meant for.
    fn check_position(&self, stored: &StoredGame, own: Color) -> Result<(), Error> {
        let (id, game) = (stored.id, &stored.game);
        check_position(stored, Some(own), self.position, "plan")?;
        let has_moved = |event: usize| {
            game.plies().iter().any(|ply| ply.event > event && ply.by != own && !ply.auto)
        };
        if self.position.is_some_and(has_moved) {
            let message = format!("{} has moved since in game {id}", stored.name(!own));
            return Err(Error::stale(message).with_hint(format!("see `outflank show {id}`")));
        }
        Ok(())
    }

    fn set(&self, writing: &Writing, text: &str) -> Result<Reply, Error> {
        let tx = writing.tx;
        let stored = find::game(tx, self.game)?;
        let own = find::acting_color(tx, &stored, writing.actor)?;
        let (id, owner) = (stored.id, find::acting(tx, writing.actor)?.id);
        if text.eq_ignore_ascii_case(OFF) {
            tx.delete_plan(id, owner)?;
            return Ok(reply(&stored, own, None));
        }
        self.check_position(&stored, own)?;
        let plan = tree(&stored, own, &branches(text)?)?;
        let lattice = stored.game.lattice();
        tx.set_plan(id, owner, stored.game.events().len(), &plan.label(lattice))?;
        Ok(reply(&stored, own, Some(&plan)))
    }
}

/// Returns the plan with these branches, or refuses it.
fn tree(stored: &StoredGame, own: Color, branches: &[Vec<Move>]) -> Result<Tree, Error> {
    let id = stored.id;
    Tree::new(&stored.game, own, branches).map_err(|bad| match bad {
        BadPlan::OwnTurn => Error::refused(format!("it is your own turn in game {id}"))
            .with_hint("move first; a plan begins with a move of the opponent"),
        BadPlan::Over => Error::refused(format!("game {id} is over")),
        bad => Error::refused(bad).with_hint(NOTHING_PLANNED),
    })
}

/// Returns a possible branch of a plan of this player; `None` if no move of the opponent leaves one.
fn any_branch(game: &Game, own: Color) -> Option<Vec<Move>> {
    game.legal().into_iter().find_map(|mv| {
        let mut then = game.clone();
        then.play(mv).ok()?;
        then.turn().filter(|turn| *turn == own)?;
        Some(vec![mv, then.legal().into_iter().next()?])
    })
}

/// Parses branches, separated by slashes.
fn branches(text: &str) -> Result<Vec<Vec<Move>>, Error> {
    let branch = |(number, text): (usize, &str)| {
        let moves = text.trim().parse::<Transcript>();
        let refused = |why: String| {
            Error::refused(format!("branch {number}: {why}"))
                .with_hint("write branches such as d3 c5 / f5 d6 c3 d3")
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
    let (id, lattice) = (stored.id, stored.game.lattice());
    let branches = plan.map_or(&[][..], Tree::branches);
    let labels = |branch: &Vec<_>| -> Vec<String> {
        branch.iter().map(|it: &Planned| lattice.move_label(it.mv)).collect()
    };
    let branches: Vec<_> = branches.iter().map(labels).collect();
    let reply = Reply::new(&json!({ "game": id.0, "branches": branches }));
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
pub(crate) fn stored_plan(db: &Db, stored: &StoredGame, own: Color) -> Result<Option<Tree>, Error> {
    let plans = db.plans(stored.id)?;
    let own_plan = plans.iter().find(|plan| Some(plan.player) == stored.side(own).id());
    Ok(own_plan.and_then(|plan| plans::tree(&stored.game, own, plan)))
}
