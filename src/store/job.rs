//! Work that takes time. A job is queued in the transaction that causes it, and done after that: a
//! process claims it, works without a transaction, and stores the result in a transaction that
//! checks that the claim still holds.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::Row;

use super::job_order::{self, Candidate, JobRank};
use super::outbox::ClaimRequest;
use super::{Db, Result, Tx, get, only, parsed, seconds};
use outflank_model::PlayerId;
use outflank_model::log::GameId;
use outflank_model::words;

/// The key of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobId(pub i64);

words! {
    /// A kind of work.
    JobKind {
        /// A computer player makes its move.
        Move = "move",
        /// A computer player accepts or declines a draw.
        Answer = "answer",
        /// A player wants the values of the moves.
        Hint = "hint",
        /// A player wants to know where a finished game turned.
        Analysis = "analysis",
    }
}

const INSERT: &str = "INSERT INTO job (kind, game, event, player, rank, queued_at, due_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";

impl JobKind {
    /// Returns whether it is the work of a computer player, rather than the request of a person.
    pub const fn is_of_bot(self) -> bool {
        matches!(self, Self::Move | Self::Answer)
    }
}

/// Among which jobs to look for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jobs {
    /// All.
    All,
    /// Those of levels that answer at once, except of players whose jobs come last.
    Quick,
    /// The work of the computer players of a game.
    OfBots(GameId),
    /// The hints and analyses of a game.
    Asked(GameId),
}

/// Which jobs to claim, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct JobRequest<'a> {
    /// The claim.
    pub claim: ClaimRequest<'a>,
    /// Among which jobs to look.
    pub jobs: Jobs,
    /// The processor time within an hour after which the jobs of a player come last.
    pub share: TimeDelta,
}

/// A job to be queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewJob {
    /// What is to be done.
    pub kind: JobKind,
    /// The number of the last event that changed the position it is for; 0 is the start.
    pub event: usize,
    /// The player that it is charged to, as in [`Job`].
    pub player: Option<PlayerId>,
    /// How soon it is done.
    pub rank: JobRank,
}

/// A job that this process has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// The key.
    pub id: JobId,
    /// What is to be done.
    pub kind: JobKind,
    /// The game.
    pub game: GameId,
    /// The number of the last event that changed the position it is for; 0 is the start.
    pub event: usize,
    /// The player that it is charged to: the one who asked for it, or who plays against the computer player.
    /// `None` if there is no such person.
    pub player: Option<PlayerId>,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// How often it has failed.
    pub failures: u32,
    /// The claim: no other process does the job until it ends.
    lease: String,
}

/// The jobs that are queued.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WaitingJobs {
    /// How many there are.
    pub queued: u32,
    /// When the next one is due or its claim ends.
    pub next: Option<DateTime<Utc>>,
}

/// A job in the queue, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedJob {
    /// What is to be done.
    pub kind: JobKind,
    /// The game.
    pub game: GameId,
    /// The name of the player who asked for it; `None` if nobody did.
    pub player: Option<String>,
    /// When it was queued.
    pub queued_at: DateTime<Utc>,
    /// When it can be done, or tried again.
    pub due_at: DateTime<Utc>,
    /// How often it has failed.
    pub failures: u32,
    /// Why it failed last.
    pub last_error: Option<String>,
}

fn queued_job(row: &Row) -> Result<QueuedJob> {
    Ok(QueuedJob {
        kind: parsed(row, "kind")?,
        game: get(row, "game")?,
        player: row.get("name")?,
        queued_at: get(row, "queued_at")?,
        due_at: get(row, "due_at")?,
        failures: row.get("failures")?,
        last_error: row.get("last_error")?,
    })
}

impl Db<'_> {
    /// Returns the first jobs of the queue, at most `most`.
    pub fn queued_jobs(&self, most: u32) -> Result<Vec<QueuedJob>> {
        let sql = "SELECT kind, game, name, queued_at, due_at, job.failures AS failures, last_error
             FROM job LEFT JOIN player ON player.id = player AND kind IN ('hint', 'analysis')
             ORDER BY kind IN ('hint', 'analysis'), due_at, job.id LIMIT ?1";
        self.all(sql, [most], queued_job)
    }

    /// Returns whether one of these jobs is due that no process has claimed.
    pub fn is_job_due(&self, request: &JobRequest) -> Result<bool> {
        Ok(self.due_job(request)?.is_some())
    }

    /// Returns whether a job is due after this time.
    pub fn is_job_due_after(&self, time: DateTime<Utc>) -> Result<bool> {
        self.one("SELECT EXISTS (SELECT 1 FROM job WHERE due_at > ?1)", [seconds(time)], only)
    }

    /// Returns how many jobs that a player has asked for wait, those that are being done included.
    pub fn waiting_jobs_of(&self, player: PlayerId) -> Result<u32> {
        let sql = "SELECT count(*) FROM job WHERE player = ?1 AND kind IN ('hint', 'analysis')";
        self.one(sql, [player.0], only)
    }

    /// Returns how many jobs wait, those that are being done included.
    pub fn waiting_jobs(&self) -> Result<WaitingJobs> {
        self.one("SELECT count(*), min(max(due_at, lease_until)) FROM job", [], |row| {
            Ok(WaitingJobs { queued: row.get(0)?, next: get(row, 1)? })
        })
    }

    /// Returns whether the process still has its claim. It has not when the position has changed
    /// or another process has claimed the job after the end of the lease.
    pub fn holds_job(&self, job: &Job) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE id = ?1 AND lease = ?2)";
        self.one(sql, (job.id.0, &job.lease), only)
    }

    /// Returns whether a computer player must act in a game.
    pub fn has_bot_job(&self, game: GameId) -> Result<bool> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM job WHERE game = ?1 AND kind IN ('move', 'answer'))";
        self.one(sql, [game.0], only)
    }

    /// Returns whether a process is doing the job of a computer player of a game.
    pub fn is_job_claimed(&self, game: GameId, now: DateTime<Utc>) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE game = ?1 AND kind IN ('move', 'answer')
                 AND lease_until > ?2)";
        self.one(sql, (game.0, seconds(now)), only)
    }

    /// Returns the next job that no process is doing.
    fn due_job(&self, request: &JobRequest) -> Result<Option<JobId>> {
        let claim = &request.claim;
        match request.jobs {
            Jobs::All | Jobs::Quick => self.next_job(request),
            Jobs::OfBots(game) => self.due_job_of(claim, game, true),
            Jobs::Asked(game) => self.due_job_of(claim, game, false),
        }
    }

    /// Returns the job of the queue that is done next, of all or of the quick ones.
    fn next_job(&self, request: &JobRequest) -> Result<Option<JobId>> {
        let claim = &request.claim;
        let mut candidates = self.job_candidates(claim)?;
        let mut busy = Vec::new();
        let sql =
            "SELECT id, player, lease, lease_until, due_at, rank FROM job INDEXED BY job_lease
             WHERE lease IS NOT NULL AND lease_until BETWEEN ?1 + 1 AND ?2";
        let mut select = self.prepare(sql)?;
        let mut claimed = select.query((seconds(claim.now), claim.latest()))?;
        while let Some(job) = claimed.next()? {
            let player: Option<PlayerId> = get(job, "player")?;
            let id = job.get("id")?;
            let lease: Option<String> = job.get("lease")?;
            if self.holds(lease.as_deref(), job.get("lease_until")?, claim) {
                busy.extend(player);
                continue;
            }
            let (rank, due_at) = (job.get("rank")?, job.get("due_at")?);
            candidates.push(Candidate { id, player, rank, due_at });
        }
        let last = self.players_past(request.share, claim.now)?;
        if request.jobs == Jobs::Quick {
            // They take so little time that a player can have one beside a slow job.
            busy.clear();
            let is_last = |it: &Candidate| it.player.is_some_and(|player| last.contains(&player));
            candidates.retain(|it| it.rank == JobRank::Quick.number() && !is_last(it));
        }
        Ok(job_order::next(&candidates, &busy, &last, self.claimed_jobs()?).map(JobId))
    }

    /// Returns a job of a game, of its computer players or of those who asked, that no process is doing.
    fn due_job_of(
        &self,
        request: &ClaimRequest,
        game: GameId,
        is_of_bots: bool,
    ) -> Result<Option<JobId>> {
        let sql =
            "SELECT id, lease_until, iif(lease_until BETWEEN ?1 + 1 AND ?2, lease, NULL) AS lease
             FROM job
             WHERE due_at <= ?1 AND game = ?3 AND (kind IN ('move', 'answer')) = ?4
             ORDER BY due_at, id";
        let mut select = self.prepare(sql)?;
        let parameters = (seconds(request.now), request.latest(), game.0, is_of_bots);
        let mut jobs = select.query(parameters)?;
        while let Some(job) = jobs.next()? {
            let lease: Option<String> = job.get("lease")?;
            if !self.holds(lease.as_deref(), job.get("lease_until")?, request) {
                return Ok(Some(JobId(job.get("id")?)));
            }
        }
        Ok(None)
    }
}

impl Tx<'_> {
    /// Queues a job for a player, who has asked for it.
    pub fn queue_job(&self, game: GameId, job: NewJob, now: DateTime<Utc>) -> Result<()> {
        self.insert_job(INSERT, game, job, now).map(drop)
    }

    /// Returns whether the statement has added or changed a job.
    fn insert_job(&self, sql: &str, game: GameId, job: NewJob, now: DateTime<Utc>) -> Result<bool> {
        let NewJob { kind, event, player, rank } = job;
        let player = player.map(|player| player.0);
        self.changes(sql, (kind.word(), game.0, event, player, rank.number(), seconds(now)))
    }

    /// Claims the next of these jobs that is due. Each claim needs a [lease](super::Lease) of its own.
    pub fn claim_job(&self, request: &JobRequest) -> Result<Option<Job>> {
        let Some(id) = self.due_job(request)? else { return Ok(None) };
        let claim = &request.claim;
        if request.jobs == Jobs::All {
            self.count_claimed_job()?;
        }
        let sql = "UPDATE job SET lease = ?2, lease_until = ?3, tries = tries + 1 WHERE id = ?1
             RETURNING id, kind, game, event, player, queued_at, failures";
        self.first(sql, (id.0, claim.lease, seconds(claim.until)), |row| {
            Ok(Job {
                id,
                kind: parsed(row, "kind")?,
                game: get(row, "game")?,
                event: row.get("event")?,
                player: get(row, "player")?,
                queued_at: get(row, "queued_at")?,
                failures: row.get("failures")?,
                lease: claim.lease.to_owned(),
            })
        })
    }

    /// Makes the jobs due that are due after this time.
    pub fn hasten_jobs(&self, after: DateTime<Utc>, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE job SET due_at = ?2 WHERE due_at > ?1";
        self.run(sql, (seconds(after), seconds(now)))
    }

    /// Deletes a job that is done. Returns whether the process still had its claim; if not, the
    /// result must be discarded.
    pub fn finish_job(&self, job: &Job) -> Result<bool> {
        let sql = "DELETE FROM job WHERE id = ?1 AND lease = ?2";
        self.changes(sql, (job.id.0, &job.lease))
    }

    /// Gives a claimed job back, for any process to do it at once. Returns whether the process still
    /// had its claim.
    pub fn release_job(&self, job: &Job) -> Result<bool> {
        let sql = "UPDATE job SET lease = NULL, lease_until = 0 WHERE id = ?1 AND lease = ?2";
        self.changes(sql, (job.id.0, &job.lease))
    }

    /// Records that a job failed, and when to try it again. Returns whether the process still had
    /// its claim.
    pub fn defer_job(&self, job: &Job, error: &str, due_at: DateTime<Utc>) -> Result<bool> {
        let sql = "UPDATE job SET lease = NULL, lease_until = 0, failures = failures + 1,
                 last_error = ?3, due_at = ?4
             WHERE id = ?1 AND lease = ?2";
        self.changes(sql, (job.id.0, &job.lease, error, seconds(due_at)))
    }

    /// Queues the work of a computer player in a game after its last change of the position; `None` if
    /// there is none. Work for an earlier position is no longer queued. Returns whether the job is new.
    pub fn set_bot_job(
        &self,
        game: GameId,
        job: Option<NewJob>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let Some(job) = job else {
            let sql = "DELETE FROM job WHERE game = ?1 AND kind IN ('move', 'answer')";
            return self.run(sql, [game.0]).map(|()| false);
        };
        let sql = format!(
            "{INSERT}
             ON CONFLICT (game) WHERE kind IN ('move', 'answer') DO UPDATE
             SET kind = excluded.kind, event = excluded.event, rank = excluded.rank, queued_at = excluded.queued_at,
                 due_at = excluded.due_at, lease = NULL, lease_until = 0, tries = 0, failures = 0,
                 last_error = NULL
             WHERE kind <> excluded.kind OR event <> excluded.event"
        );
        self.insert_job(&sql, game, job, now)
    }
}
