//! The common parts of `hint` and `analyze`: their limits, and their place in the queue.

use std::time::Duration;

use serde_json::json;

use crate::app::run::session::Writing;
use crate::app::{Env, Error, Reply, Searched, find};
use crate::clock::Deadline;
use crate::store::{JobKind, JobRank, NewJob, Tx};
use outflank_engine::Engine;
use outflank_model::PlayerId;
use outflank_model::log::GameId;

/// How long the engine may think; the host can limit it.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Effort {
    /// Look so many moves ahead; for the host only
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=99))]
    pub depth: Option<u32>,
    /// Think for so many seconds at most; for the host only
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub time: Option<u32>,
}

/// The most hints and analyses of a player that may wait.
const MAX_WAITING: u32 = 2;

impl Effort {
    /// Returns whether the host has set a limit.
    pub(crate) const fn is_special(self) -> bool {
        self.depth.is_some() || self.time.is_some()
    }

    /// Refuses options of the host from a player who is not at the shell.
    pub(crate) fn check(self, is_shell: bool) -> Result<(), Error> {
        if is_shell || !self.is_special() {
            return Ok(());
        }
        let error = Error::refused("only the host can say how long the engine thinks");
        Err(error.with_hint("leave out --depth and --time"))
    }

    /// Returns when the engine must stop, if the host has set a time.
    pub(crate) fn deadline(self) -> Option<Deadline> {
        self.time.map(|seconds| Deadline::after(Duration::from_secs(seconds.into())))
    }
}

/// Returns an engine with the memory and threads that the configuration allows.
pub(crate) fn engine(env: &Env) -> Engine {
    let settings = env.config.engine;
    let memory = usize::try_from(u64::from(settings.memory_mb) << 20).unwrap_or(usize::MAX);
    Engine::new(memory, usize::try_from(threads(env)).unwrap_or(1))
}

/// Returns how many threads a search uses. Each counts as a processor.
pub(crate) fn threads(env: &Env) -> u32 {
    env.config.engine.threads.max(1)
}

/// Returns how many positions an engine has searched.
pub(crate) fn searched(engine: &Engine) -> Searched {
    Searched { nodes: engine.counter(), estimate: None }
}

/// Refuses a request of a player who has too many waiting.
pub(crate) fn check_waiting(tx: &Tx, player: PlayerId) -> Result<(), Error> {
    if tx.waiting_jobs_of(player)? < MAX_WAITING {
        return Ok(());
    }
    let error =
        Error::refused(format!("{MAX_WAITING} hints or analyses are being worked on for you"));
    Err(error.with_hint("ask again when you were mailed the first"))
}

/// Queues a request of the player who acts; the result is mailed.
pub(crate) fn queue(
    writing: &Writing,
    kind: JobKind,
    game: GameId,
    event: usize,
) -> Result<Reply, Error> {
    let Writing { tx, env, actor, .. } = *writing;
    find::check_actor(actor, kind.word(), "who wants it")?;
    let player = find::acting(tx, actor)?;
    if player.address.is_none() {
        let error =
            Error::refused(format!("the result is mailed, and {} has no address", player.name));
        return Err(error.with_hint("ask in a shell with --as"));
    }
    check_waiting(tx, player.id)?;
    let job = NewJob { kind, event, player: Some(player.id), rank: JobRank::Asked };
    tx.queue_job(game, job, env.now())?;
    let what = match kind {
        JobKind::Hint => format!("The moves in game {game} are being evaluated"),
        _ => format!("Game {game} is being analyzed"),
    };
    let text = format!("{what}. You will be mailed the result.");
    Ok(Reply::new(&json!({ "game": game.0, "queued": true })).text(text))
}
