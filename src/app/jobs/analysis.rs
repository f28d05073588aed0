//! Computes and stores the analysis of a finished game.

use crate::app::effects::outbox::Outbox;
use crate::app::effects::watchers;
use crate::app::jobs::study::Effort;
use crate::app::{Error, views};
use crate::store::{AnalyzedPly, Db};
use outflank_engine::{self as engine, Engine, Judgement, Proof};
use outflank_model::{PlayerId, StoredGame};

/// The most nodes for a position of the middle game.
const MAX_MIDDLE_NODES: u64 = 400_000;
/// The most nodes for a position near the end, where there is a special search of endings.
const MAX_ENDING_NODES: u64 = 60_000_000;
/// The most nodes for a position near the end of other games.
const MAX_ENDING_NODES_ELSEWHERE: u64 = 3_000_000;

/// Analyzes a game. Returns `None` if it was stopped. `show` gets the number of moves that are done.
pub(crate) fn think(
    engine: &mut Engine,
    stored: &StoredGame,
    effort: Effort,
    stop: &(dyn Fn() -> bool + Sync),
    hurry: &(dyn Fn() -> bool + Sync),
    show: impl FnMut(usize),
) -> Option<Vec<Judgement>> {
    // The host's limit replaces the usual one.
    let nodes = |usual| if effort.is_special() { u64::MAX } else { usual };
    let effort = engine::Effort {
        middle: nodes(MAX_MIDDLE_NODES),
        ending: nodes(MAX_ENDING_NODES),
        ending_elsewhere: nodes(MAX_ENDING_NODES_ELSEWHERE),
        depth: effort.depth.unwrap_or(u32::MAX),
        stop,
        hurry,
    };
    let (start, moves) = (stored.game.start(), stored.game.moves().collect::<Vec<_>>());
    let given = stored.game.given().len();
    engine::analyze(engine, start, &moves, given, &effort, show)
}

/// Stores an analysis. The first one of a game is mailed to those who watch it, except this player,
/// who gets it in another way.
pub(crate) fn save(
    outbox: &mut Outbox,
    stored: &StoredGame,
    judged: &[Judgement],
    asked_by: Option<PlayerId>,
) -> Result<(), Error> {
    if outbox.tx.analysis(stored.id)?.is_none() {
        let reply = views::analysis::reply(stored, judged, false);
        watchers::queue_analysis(outbox, stored, &reply, asked_by)?;
    }
    let plies = judged.iter().map(|it| {
        let Judgement { best, choices, value, best_value, depth, proof, ref line, .. } = *it;
        let (exact, decided) = (proof == Proof::Score, proof == Proof::Winner);
        AnalyzedPly { best, choices, value, best_value, depth, exact, decided, line: line.clone() }
    });
    let now = outbox.env.now();
    Ok(outbox.tx.set_analysis(stored, &plies.collect::<Vec<_>>(), now)?)
}

/// Returns the stored analysis of a game.
pub(crate) fn judged(db: &Db, stored: &StoredGame) -> Result<Option<Vec<Judgement>>, Error> {
    let Some(analyzed) = db.analysis(stored.id)? else { return Ok(None) };
    let judged = stored.game.plies().iter().zip(analyzed).map(|(ply, analyzed)| {
        let AnalyzedPly { best, choices, value, best_value, depth, exact, decided, line } =
            analyzed;
        let proof = match (exact, decided) {
            (true, _) => Proof::Score,
            (false, true) => Proof::Winner,
            (false, false) => Proof::None,
        };
        let (by, mv) = (ply.by, ply.mv);
        Judgement { by, mv, best, choices, value, best_value, depth, proof, line }
    });
    Ok(Some(judged.collect()))
}
