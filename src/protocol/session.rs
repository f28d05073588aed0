use std::io;
use std::time::Duration;

use super::Inbox;
use outflank_engine::Level;
use outflank_engine::{Engine, Evaluated, Limits};
use outflank_rules::Position;

/// The engine's end of a dialogue: the engine, the lines in and out, and the time.
pub struct EngineSession<'a> {
    /// The engine, which keeps its transposition table during the dialogue.
    pub engine: Engine,
    /// How strong it plays.
    pub level: Level,
    /// The seed for the choice among moves of about the same value.
    pub seed: u64,
    /// The lines of the other side.
    pub inbox: Inbox,
    /// Returns the time since a fixed moment.
    pub now: &'a (dyn Fn() -> Duration + Sync),
    /// Prints a line at once.
    pub print: &'a mut dyn FnMut(&str) -> io::Result<()>,
}

/// The first depth of a hint, and how much deeper each next search is.
const STEP: u32 = 4;

impl EngineSession<'_> {
    pub(super) fn next_line(&self) -> Option<String> {
        self.inbox.next()
    }

    pub(super) fn say(&mut self, line: impl AsRef<str>) -> io::Result<()> {
        (self.print)(line.as_ref())
    }

    /// Returns the engine's move, `None` if the game is over, and the time it took. `made` is the
    /// number of moves so far. The search is no deeper than `depth` and no longer than `time`.
    pub(super) fn choose(
        &mut self,
        position: &Position,
        made: usize,
        depth: Option<u32>,
        time: Option<Duration>,
    ) -> (Option<Evaluated>, Duration) {
        let begun = (self.now)();
        let time = [time, self.level.time_limit()].into_iter().flatten().min();
        let (inbox, now) = (&self.inbox, self.now);
        let stop = || inbox.is_interrupted() || time.is_some_and(|time| now() - begun >= time);
        let found = match depth {
            Some(depth) if self.level.nodes() > 0 => {
                let nodes = self.level.nodes_for(position);
                let limits = Limits { nodes, depth, stop: &stop };
                self.engine.best(position, &limits)
            }
            _ => {
                let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(made as u64);
                self.engine.play(position, self.level, seed, &stop)
            }
        };
        (found, (self.now)() - begun)
    }

    /// Evaluates every legal move deeper and deeper, and shows each result, best move first.
    pub(super) fn rank(
        &mut self,
        position: &Position,
        depth: Option<u32>,
        mut show: impl FnMut(&mut Self, &[Evaluated]) -> io::Result<()>,
    ) -> io::Result<()> {
        let deepest = depth.unwrap_or(u32::MAX);
        let nodes = self.level.nodes_for(position).max(1);
        let mut depth = STEP.min(deepest);
        loop {
            let inbox = self.inbox.clone();
            let stop = || inbox.is_interrupted();
            let ranked = self.engine.all(position, &Limits { nodes, depth, stop: &stop });
            show(self, &ranked)?;
            let is_done = ranked.iter().all(|found| found.is_exact() || found.depth < depth);
            if is_done || depth == deepest || self.inbox.is_interrupted() {
                return Ok(());
            }
            depth = depth.saturating_add(STEP).min(deepest);
        }
    }
}
