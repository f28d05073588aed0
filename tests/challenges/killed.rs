use std::thread;
use std::time::{Duration, Instant};

use super::club;
use crate::harness::{Running, TestEnvironment};

const ROUNDS: usize = 30;

/// Kills commands at random moments, about half of them before they end.
struct Killer<'a> {
    env: &'a TestEnvironment,
    rng: fastrand::Rng,
    span: Duration,
}

impl Killer<'_> {
    fn run(&mut self, words: &str) {
        let running = Running::start(self.env.command(words));
        thread::sleep(self.span.mul_f64(self.rng.f64()));
        let ran = running.kill();
        assert!(matches!(ran.status, None | Some(0)), "{words}: {ran:?}");
        // The next commit decides whether a transaction in the log counts.
        self.env
            .sqlite()
            .execute("UPDATE installation SET created_at = created_at + 1", [])
            .unwrap();
        self.span = self.span.mul_f64(if ran.status.is_some() { 0.8 } else { 1.25 });
    }
}

fn count(env: &TestEnvironment, what: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {what}");
    env.sqlite().query_row(&sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_killed_challenge_or_answer_is_done_completely_or_not_at_all() {
    let env = club();
    // A busy machine may be many times slower than another.
    let begin = Instant::now();
    env.ok("set challenges 1000 --as bob");
    let mut killer =
        Killer { env: &env, rng: fastrand::Rng::with_seed(7), span: 2 * begin.elapsed() };
    let (mut asked, mut begun) = (0, 0);
    for round in 0..ROUNDS {
        // A player makes few challenges in a day.
        env.later(24 * 60);
        killer.run("challenge bob mini --as alice");
        let now = env.now().timestamp();
        let questions =
            format!("outbox WHERE text LIKE '% challenges you %' AND created_at = {now}");
        let open = count(&env, "challenge WHERE state = 'open'");
        assert_eq!(count(&env, &questions), open, "round {round}: a mail for each challenge");
        if open == 0 {
            continue;
        }
        asked += 1;
        let last =
            "challenge JOIN sqlite_sequence ON name = 'game' AND id = seq AND state = 'open'";
        assert_eq!(count(&env, last), 1, "round {round}: it has the last number");
        let number = env.json("challenges --as bob")["challenges"][0]["challenge"].clone();
        killer.run(&format!("accept {number} --as bob"));
        let games = count(&env, &format!("game WHERE id = {number}"));
        assert_eq!(count(&env, "challenge WHERE state = 'open'"), 1 - games, "round {round}");
        let about = format!("outbox WHERE kind = 'started' AND game = {number}");
        assert_eq!(count(&env, &about), 2 * games, "round {round}");
        begun += games;
        if games == 0 {
            env.ok(&format!("decline {number} --as alice"));
        }
    }
    assert!((1..ROUNDS as i64).contains(&asked) && (1..asked).contains(&begun), "{asked}, {begun}");
}
