//! Background work after a command: delivers mail and runs computer players.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender, WeakSender};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::{App, Error, OpenApp, Reader, Reply};
use crate::clock::Deadline;
use crate::web::pool::Pool;
use crate::web::report::Report;
use outflank_model::log::GameId;

/// How long the delivery of a command's mails may take. `send` delivers the rest.
const MAX_DELIVERY: Duration = Duration::from_secs(2);
/// How long to wait for other processes that write.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// The most commands that wait for their mails or computer players. `send` does the rest.
const MAX_QUEUE: usize = 200;

/// The queues of work that follows commands.
pub(super) struct Background {
    mails: Sender<Item<Reply>>,
    /// Games where computer players may have to move.
    games: Sender<Item<GameId>>,
    /// Games where players may have asked for a hint or an analysis.
    asked: Sender<Item<GameId>>,
    /// Has a receiver for each item that is queued or being worked on.
    work: watch::Sender<()>,
    stop: Arc<AtomicBool>,
}

/// What is queued. The receiver is dropped when the work is done.
type Item<T> = (T, watch::Receiver<()>);

impl Background {
    /// Starts the tasks. An analysis takes long, so that computer players have a task of their own.
    pub(super) fn start(open: &OpenApp, report: &Arc<Report>, tasks: &mut JoinSet<()>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (mails, to_deliver) = mpsc::channel(MAX_QUEUE);
        let (games, of_bots) = mpsc::channel(MAX_QUEUE);
        let (asked, of_askers) = mpsc::channel(MAX_QUEUE);
        let pool = || Pool::new(Arc::clone(open), 1, LOCK_TIMEOUT);
        tasks.spawn(deliver(pool(), to_deliver, Arc::clone(&stop), Arc::clone(report)));
        for (work, games) in
            [(App::let_bots_play as Work, of_bots), (App::do_what_was_asked, of_askers)]
        {
            let (mails, stop) = (mails.downgrade(), Arc::clone(&stop));
            tasks.spawn(think(pool(), work, games, mails, stop, Arc::clone(report)));
        }
        Self { mails, games, asked, work: watch::Sender::new(()), stop }
    }

    /// Queues the work that follows a command in this game.
    pub(super) fn follow(&self, game: Option<GameId>, reply: Reply) {
        let games = reply.bots.iter().copied().chain(game);
        // `send` does the work that does not fit into a queue.
        games.for_each(|game| {
            let _ = self.games.try_send((game, self.work.subscribe()));
            let _ = self.asked.try_send((game, self.work.subscribe()));
        });
        if !reply.mails.is_empty() {
            let _ = self.mails.try_send((reply, self.work.subscribe()));
        }
    }

    /// Waits until nothing is queued and no work goes on.
    pub(super) async fn idle(&self) {
        self.work.closed().await;
    }

    /// Ends the searches of computer players, which begin again later, and the delivery of mails.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

async fn deliver(
    pool: Pool,
    mut replies: Receiver<Item<Reply>>,
    stop: Arc<AtomicBool>,
    report: Arc<Report>,
) {
    while let Some((mut reply, _working)) = replies.recv().await {
        if stop.load(Ordering::Relaxed) {
            continue;
        }
        let delivered = pool.run(move |app| {
            Ok(app.deliver_and_report(&mut reply, Deadline::after(MAX_DELIVERY), Reader::Nobody))
        });
        match delivered.await {
            Ok(mailed) => mailed.problem.iter().for_each(|problem| report.problem(problem)),
            Err(error) => report.problem(&error.to_string()),
        }
    }
}

/// The work of a task in a game, until it must stop.
type Work = fn(&mut App, GameId, &AtomicBool) -> Result<Reply, Error>;

async fn think(
    pool: Pool,
    work: Work,
    mut games: Receiver<Item<GameId>>,
    mails: WeakSender<Item<Reply>>,
    stop: Arc<AtomicBool>,
    report: Arc<Report>,
) {
    while let Some((game, working)) = games.recv().await {
        let stop = Arc::clone(&stop);
        match pool.run(move |app| work(app, game, &stop)).await {
            Ok(reply) if reply.mails.is_empty() => {}
            Ok(reply) => {
                if let Some(mails) = mails.upgrade() {
                    let _ = mails.try_send((reply, working));
                }
            }
            Err(error) => report.problem(&error.to_string()),
        }
    }
}
