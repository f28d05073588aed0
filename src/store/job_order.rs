//! The order of jobs: which one is done next.

use chrono::{DateTime, TimeDelta, Utc};

use super::outbox::ClaimRequest;
use super::{Db, Result, Tx, get, only, seconds};
use outflank_model::PlayerId;

/// How long the processor time of a job counts.
const COUNTED_FOR: TimeDelta = TimeDelta::hours(1);
/// Every third job is the oldest one, whatever its rank.
const OLDEST_EACH: u64 = 3;

/// How soon jobs are done. The database has the place in this list, so the order must not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobRank {
    /// A level of the computer player that answers at once.
    Quick = 0,
    /// A stronger level, or an external program.
    Slow = 1,
    /// A hint or an analysis.
    Asked = 2,
}

impl JobRank {
    /// Returns the number that is stored.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// The first due job of a player and a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub id: i64,
    /// The player that it is charged to; `None` if there is none.
    pub player: Option<PlayerId>,
    pub rank: u8,
    pub due_at: i64,
}

/// Returns the job that is done next, after `claimed` others. A busy player, with a job that is being
/// done, has to wait. Jobs of the players in `last` come after all others.
pub(super) fn next(
    candidates: &[Candidate],
    busy: &[PlayerId],
    last: &[PlayerId],
    claimed: u64,
) -> Option<i64> {
    let is_oldest = claimed % OLDEST_EACH == OLDEST_EACH - 1;
    let is_in = |players: &[PlayerId], it: &Candidate| {
        it.player.is_some_and(|player| players.contains(&player))
    };
    let rank = |it: &Candidate| if is_oldest { 0 } else { it.rank };
    let order = |it: &&Candidate| (is_in(last, it), rank(it), it.due_at, it.id);
    let free = candidates.iter().filter(|it| !is_in(busy, it));
    free.min_by_key(order).map(|it| it.id)
}

impl Db<'_> {
    /// Returns the first due job of each player and rank, of those whose claim has ended at this time or
    /// was made by a clock that was ahead.
    pub(super) fn job_candidates(&self, request: &ClaimRequest) -> Result<Vec<Candidate>> {
        let parameters = (seconds(request.now), request.latest());
        let sql = "SELECT player, rank, id, min(due_at) AS due_at
             FROM job INDEXED BY job_order
             WHERE due_at <= ?1 AND lease_until NOT BETWEEN ?1 + 1 AND ?2
             GROUP BY player, rank";
        self.all(sql, parameters, |row| {
            Ok(Candidate {
                id: row.get("id")?,
                player: get(row, "player")?,
                rank: row.get("rank")?,
                due_at: row.get("due_at")?,
            })
        })
    }

    /// Returns the players whose jobs took this processor time or more within the last hour.
    pub(super) fn players_past(
        &self,
        share: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlayerId>> {
        let sql = "SELECT player FROM job_time WHERE ended_at > ?1
             GROUP BY player HAVING sum(milliseconds) >= ?2";
        self.all(sql, (seconds(now - COUNTED_FOR), share.num_milliseconds()), only)
    }

    /// Returns how many jobs were claimed from the whole queue.
    pub(super) fn claimed_jobs(&self) -> Result<u64> {
        self.one("SELECT coalesce(max(claimed), 0) FROM job_count", [], only)
    }
}

impl Tx<'_> {
    /// Counts a job that was claimed from the whole queue.
    pub(super) fn count_claimed_job(&self) -> Result<()> {
        let sql = "INSERT INTO job_count (id, claimed) VALUES (1, 1)
             ON CONFLICT DO UPDATE SET claimed = claimed + 1";
        self.run(sql, [])
    }

    /// Charges the processor time of a job to its player, and forgets time that does not count any more.
    pub fn add_job_time(
        &self,
        player: PlayerId,
        used: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let old = "DELETE FROM job_time WHERE ended_at <= ?1";
        self.execute(old, [seconds(now - COUNTED_FOR)])?;
        let sql = "INSERT INTO job_time (player, ended_at, milliseconds) VALUES (?1, ?2, ?3)";
        self.run(sql, (player.0, seconds(now), used.num_milliseconds()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Option<PlayerId> = Some(PlayerId(1));
    const BEN: Option<PlayerId> = Some(PlayerId(2));

    /// Returns the number of the next of these jobs, which are due in their order.
    fn first(
        jobs: &[(Option<PlayerId>, JobRank)],
        busy: &[PlayerId],
        last: &[PlayerId],
        claimed: u64,
    ) -> i64 {
        let candidate = |(due_at, &(player, rank)): (i64, _)| Candidate {
            id: due_at,
            player,
            rank: JobRank::number(rank),
            due_at,
        };
        let candidates: Vec<_> = (1..).zip(jobs).map(candidate).collect();
        next(&candidates, busy, last, claimed).unwrap_or_default()
    }

    #[test]
    fn quick_levels_go_first_and_each_third_job_is_the_oldest() {
        use JobRank::{Asked, Quick, Slow};
        let jobs = [(ANN, Asked), (ANN, Slow), (BEN, Quick)];
        let order: Vec<_> = (0..6).map(|claimed| first(&jobs, &[], &[], claimed)).collect();
        assert_eq!(order, [3, 3, 1, 3, 3, 1]);
        assert_eq!(first(&jobs[..2], &[], &[], 0), 2);
    }

    #[test]
    fn a_player_has_one_job_at_a_time_and_comes_last_after_much_time() {
        use JobRank::{Quick, Slow};
        let jobs = [(ANN, Quick), (BEN, Slow), (None, Slow)];
        let last = &[PlayerId(1)];
        for claimed in 0..3 {
            assert_eq!(first(&jobs, &[], last, claimed), 2);
            assert_eq!(first(&jobs, &[PlayerId(2)], last, claimed), 3);
            assert_eq!(first(&jobs[..1], &[], last, claimed), 1, "nobody is refused");
            assert_eq!(first(&jobs[..1], &[PlayerId(1)], last, claimed), 0);
        }
    }
}
