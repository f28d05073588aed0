//! Plans as trees.

use crate::log::{Plan, Planned};
use outflank_rules::{Color, Lattice};

/// A step of a plan: moves of the opponent and the reply, then the steps that may follow.
struct Step {
    moves: String,
    next: Vec<Step>,
}

/// Returns a plan as a tree, a line for each step: `d3: c5` is a move of the opponent and the reply.
pub fn plan_tree(plan: &Plan, owner: Color, lattice: Lattice) -> String {
    let mut steps = Vec::new();
    for branch in plan.branches() {
        add(&mut steps, branch, owner, lattice);
    }
    let mut lines = Vec::new();
    draw(&steps, "", &mut lines);
    lines.join("\n")
}

fn add(steps: &mut Vec<Step>, branch: &[Planned], owner: Color, lattice: Lattice) {
    if branch.is_empty() {
        return;
    }
    let theirs = branch.iter().take_while(|planned| planned.by != owner).count();
    let replies = branch[theirs..].iter().take_while(|planned| planned.by == owner).count();
    let labels = |moves: &[Planned]| {
        let labels: Vec<_> = moves.iter().map(|planned| lattice.move_label(planned.mv)).collect();
        labels.join(" ")
    };
    let (asked, rest) = branch.split_at(theirs + replies);
    let moves = format!("{}: {}", labels(&asked[..theirs]), labels(&asked[theirs..]));
    let at = steps.iter().position(|step| step.moves == moves).unwrap_or_else(|| {
        steps.push(Step { moves, next: Vec::new() });
        steps.len() - 1
    });
    add(&mut steps[at].next, rest, owner, lattice);
}

fn draw(steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    for (number, step) in (1..).zip(steps) {
        let (corner, below) = if number == steps.len() { ("`- ", "   ") } else { ("+- ", "|  ") };
        lines.push(format!("{indent}{corner}{}", step.moves));
        draw(&step.next, &format!("{indent}{below}"), lines);
    }
}
