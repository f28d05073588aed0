//! Plans: the lines that they accept, and their replies.

use outflank_model::log::{Game, Plan};
use outflank_rules::{Color, Move, Overrides, Position, Size, Stuck, Variant};

fn random_game(rng: &mut fastrand::Rng) -> Game {
    let size = Size::new(rng.usize(4..7), rng.usize(4..7)).ok();
    let stuck = if rng.bool() { Stuck::AutoPass } else { Stuck::MustPass };
    let overrides = Overrides { size, stuck: Some(stuck), ..Overrides::default() };
    let rules = Variant::named("othello").unwrap().rules(&overrides).unwrap();
    let mut game = Game::new(Position::start(rules));
    for _ in 0..rng.usize(0..24) {
        let Some(&mv) = rng.choice(&game.legal()) else { break };
        game.play(mv).unwrap();
    }
    game
}

/// Adds lines that begin with `line`: a reply to each of some moves of the opponent.
fn add_lines(
    rng: &mut fastrand::Rng,
    game: &Game,
    owner: Color,
    line: &[Move],
    lines: &mut Vec<Vec<Move>>,
) {
    let Some(turn) = game.turn() else { return };
    let legal = game.legal();
    let most = if turn == owner { 1 } else { 2 };
    for &mv in legal.iter().take(most) {
        let mut after = game.clone();
        after.play(mv).unwrap();
        let mut line = [line, &[mv]].concat();
        if after.plies().last().is_some_and(|last| last.auto) && rng.bool() {
            line.push(Move::Pass);
        }
        if turn == owner {
            lines.push(line.clone());
        }
        if line.len() < 8 && rng.u8(..4) > 0 {
            add_lines(rng, &after, owner, &line, lines);
        }
    }
}

/// Returns the moves since a ply, without automatic passes.
fn made(game: &Game, since: usize) -> Vec<Move> {
    game.plies()[since..].iter().filter(|ply| !ply.auto).map(|ply| ply.mv).collect()
}

#[test]
fn a_plan_replies_with_the_moves_of_its_lines() {
    let mut replies = 0;
    for seed in 0..500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let start = random_game(&mut rng);
        let Some(turn) = start.turn() else { continue };
        let owner = !turn;
        let mut lines = Vec::new();
        add_lines(&mut rng, &start, owner, &[], &mut lines);
        let plan = Plan::new(&start, owner, &lines).unwrap();
        assert!(Plan::new(&start, turn, &lines).is_err());
        let (mut game, since) = (start.clone(), start.plies().len());
        for _ in 0..8 {
            let Some(turn) = game.turn() else { break };
            let made = made(&game, since);
            let reply = plan.reply(owner, &made);
            let rest = plan.rest(&made);
            assert_eq!(reply, rest.as_ref().and_then(|rest| rest.reply(owner, &[])));
            let next = |line: &Vec<Move>| {
                let mut at = start.clone();
                for &mv in line {
                    let before = at.clone();
                    if at.play(mv).is_err() {
                        // This line includes an automatic pass.
                        at = before;
                        continue;
                    }
                    if before.plies().len() == game.plies().len() {
                        return (before.plies() == game.plies()).then_some((before.turn(), mv));
                    }
                }
                None
            };
            let expected = lines.iter().filter_map(next).find(|(by, _)| *by == Some(owner));
            assert_eq!(reply, expected.map(|(_, mv)| mv), "seed {seed}: {lines:?} after {made:?}");
            replies += usize::from(reply.is_some());
            let mv = reply.filter(|_| turn == owner).unwrap_or(game.legal()[0]);
            game.play(mv).unwrap();
        }
    }
    assert!(replies > 300, "only {replies} replies");
}
