//! The queue: each job is done once, although processes are killed and positions change.

use chrono::TimeDelta;
use outflank::store::{ClaimRequest, Job, JobRequest, Jobs};
use outflank_model::PlayerId;

use super::{claimed, events, jobs, with_alice};
use crate::harness::{ALICE, Running, TestEnvironment, until};
use crate::reliability::state;

/// Claims the next job as another process does.
fn claim(env: &TestEnvironment) -> Job {
    claim_any(env).expect("a job")
}

fn claim_any(env: &TestEnvironment) -> Option<Job> {
    claim_of(env, Jobs::All)
}

fn claim_of(env: &TestEnvironment, jobs: Jobs) -> Option<Job> {
    let now = env.now();
    let (until, longest) = (now + TimeDelta::minutes(2), TimeDelta::minutes(5));
    let claim = ClaimRequest { lease: "thinking", now, until, longest };
    let request = JobRequest { claim, jobs, share: TimeDelta::minutes(10) };
    state::store(env).write(|tx| tx.claim_job(&request)).unwrap()
}

/// Starts a command and waits until it has claimed a job.
fn start_thinking(env: &TestEnvironment, words: &str) -> Running {
    let running = env.start(words);
    until("a job is claimed", || claimed(env) > 0);
    running
}

/// Returns whether a claim still holds.
fn holds(env: &TestEnvironment, job: &Job) -> bool {
    state::store(env).read(|db| db.holds_job(job)).unwrap()
}

#[test]
fn no_job_runs_while_mail_is_received() {
    let env = with_alice();
    env.ok("new othello alice bot:0");
    let mail = env.mail_to(ALICE);
    env.receive(&mail.reply("d3"));
    assert_eq!(env.plies(1), 1);
    assert_eq!(jobs(&env), ["move 1 1"]);
    env.mails();
    env.ok("send");
    assert_eq!(env.plies(1), 2);
    assert!(env.last_mail_to(ALICE).text.contains("bot:0"));
}

#[test]
fn a_takeback_discards_a_running_job() {
    let env = with_alice();
    env.ok("new othello alice bot:friend");
    env.ok("move 1 d3");
    let thinking = claim(&env);
    assert!(holds(&env, &thinking));
    env.ok("note 1 hm --as alice");
    assert!(holds(&env, &thinking), "a note does not change the position");
    env.ok("takeback 1 --as alice");
    assert!(!holds(&env, &thinking));
    env.ok("move 1 d3");
    assert!(!holds(&env, &thinking), "the claim was for an earlier event");
    assert_eq!(jobs(&env), ["move 1 4"]);
    env.ok("send");
    assert_eq!(events(&env, 1).len(), 5, "d3, the note, the takeback, d3 and one move");
}

#[test]
fn a_job_is_done_by_one_process_and_again_after_its_lease() {
    let env = with_alice();
    env.ok("new othello alice bot:friend");
    env.ok("move 1 d3");
    let killed = claim(&env);
    // Another process has claimed the job.
    assert_eq!(env.ok("send"), "0 sent. 1 job waits until 2026-11-21 10:02Z.\n");
    assert_eq!(env.json("send")["jobs"]["waiting"], 1);
    env.later(3);
    env.ok("send");
    assert_eq!(env.plies(1), 2);
    // If the first process was only slow, its result is too late.
    assert!(!holds(&env, &killed));
}

#[test]
fn several_processes_share_the_queue() {
    let env = with_alice();
    for game in 0..12 {
        env.ok(&format!("new mini bot:{} bot:2", game % 3));
        env.ok("new mini bot:friend alice");
    }
    for ran in env.run_at_once(&vec!["send".to_owned(); 4]) {
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    assert_eq!(jobs(&env), [""; 0]);
    for game in 1..=24 {
        let expected = if game % 2 == 0 { 1 } else { env.plies(game) };
        assert_eq!(env.plies(game), expected, "game {game}");
        assert!(game % 2 == 0 || env.game(game)["status"] == "finished", "game {game}");
    }
    // Each turn was mailed once.
    assert_eq!(env.count("alice started sent"), 12);
    state::check(&env.database());
}

#[test]
fn a_watch_lets_computer_players_move_and_stops_during_a_job() {
    let env = with_alice();
    let watch = env.start("send --watch");
    env.ok("new othello alice bot:friend");
    env.run("move 1 d3");
    until("it moves", || env.plies(1) == 2);
    until("alice is mailed", || env.count("alice turn sent") == 1);
    env.ok("new othello bot:sleeper alice");
    until("a job is claimed", || claimed(&env) > 0);
    env.ok("new othello alice zed@example.org");
    until("zed is mailed during the job", || env.count("zed started sent") == 1);
    let printed = watch.stop("TERM").ok();
    assert!(printed.contains(", 1 job done."), "{printed}");
    assert_eq!(claimed(&env), 0, "the unfinished job is given back");
    assert_eq!(jobs(&env), ["move 2 0"]);
}

#[test]
fn a_takeback_does_not_wait_for_a_running_job() {
    let env = with_alice();
    env.ok("new othello alice bot:sleeper");
    env.ok("move 1 d3");
    let sending = start_thinking(&env, "send");
    env.ok("takeback 1 --as alice");
    assert_eq!(jobs(&env), [""; 0]);
    env.ok("move 1 c4");
    assert_eq!(jobs(&env), ["move 1 3"]);
    sending.stop("TERM").ok();
    assert_eq!(events(&env, 1), ["b d3", "b takeback", "b c4"]);
}

#[test]
fn a_program_is_ended_when_the_position_has_changed() {
    for (new, change) in [
        ("new othello alice bot:sleeper --moves d3", "takeback 1 --as alice"),
        ("new othello bot:sleeper alice", "resign 1 --as alice"),
        ("new othello bot:sleeper alice", "annul 1"),
    ] {
        let env = with_alice();
        env.ok(new);
        let sending = start_thinking(&env, "send");
        env.ok(change);
        sending.finish().ok();
        assert_eq!(jobs(&env), [""; 0], "{new}");
    }
}

#[test]
fn the_next_job_runs_after_a_discarded_one() {
    let env = with_alice();
    env.ok("new othello bot:sleeper alice");
    env.ok("new othello bot:friend alice");
    let sending = start_thinking(&env, "send");
    env.ok("resign 1 --as alice");
    sending.finish().ok();
    assert_eq!((env.plies(1), env.plies(2)), (0, 1));
}

#[test]
fn a_damaged_game_does_not_block_the_others() {
    let env = with_alice();
    for _ in 0..3 {
        env.ok("new mini bot:1 bot:1");
    }
    env.sqlite()
        .execute(
            "INSERT INTO event (game, number, at, author, action) VALUES (1, 1, 0, 'b', 'a1')",
            [],
        )
        .unwrap();
    let line = env.fails(3, "send");
    assert!(line.contains("a job of game 1 failed: the stored game 1 is inconsistent"), "{line}");
    assert_eq!(jobs(&env), ["move 1 0"]);
    assert_eq!(env.game(2)["status"], "finished");
    assert_eq!(env.game(3)["status"], "finished");
    assert!(env.ok("send").starts_with("0 sent. 1 job waits until"));
}

#[test]
fn mail_that_cannot_be_sent_prevents_no_move() {
    let env = with_alice();
    env.ok("new mini bot:1 bot:1");
    env.configure(
        "[transport]\nkind = 'smtp'\nhost = 'localhost'\nuser = 'x'\npassword_file = '/pigeon'",
    );
    let line = env.fails(3, "send");
    assert!(line.contains("pigeon"), "{line}");
    assert_eq!(env.game(1)["status"], "finished");
}

#[test]
fn a_quick_level_waits_for_no_queue_of_strong_ones_and_a_player_has_one_job_at_a_time() {
    let env = with_alice();
    env.ok("signup bob bob@example.org");
    for _ in 0..3 {
        env.ok("new othello bot:9 alice");
    }
    env.ok("new othello bob bot:9 --moves f5");
    // A move by mail does not make its job a foreground job.
    env.ok("new othello bob bot:1");
    env.receive(&env.last_mail_to("bob@example.org").reply("f5"));
    let game = |job: Option<Job>| job.map(|job| job.game.0);
    let [quick, first] = [claim(&env), claim(&env)];
    assert_eq!((quick.game.0, first.game.0), (5, 1));
    // Both players have a running job.
    assert_eq!(game(claim_any(&env)), None);
    state::store(&env).write(|tx| tx.finish_job(&first)).unwrap();
    // A player who has used much time comes last, even with the oldest job, but still gets a turn.
    state::store(&env).write(|tx| tx.finish_job(&quick)).unwrap();
    let used = TimeDelta::minutes(10);
    let alice = first.player.unwrap();
    state::store(&env).write(|tx| tx.add_job_time(alice, used, env.now())).unwrap();
    assert_eq!(game(claim_any(&env)), Some(4));
    assert_eq!(game(claim_any(&env)), Some(2));
}

/// Returns whose jobs `send` does, in this order, if alice has used this processor time before. Two
/// older jobs are hers and one is bob's.
fn order_of_jobs(settings: &str, used: i64) -> String {
    let env = with_alice();
    let config = std::fs::read_to_string(env.config_file()).unwrap();
    env.write_config(&format!("{config}\n{settings}\n"));
    env.ok("signup bob bob@example.org");
    for player in ["alice", "alice", "bob"] {
        env.ok(&format!("new othello {player} bot:friend --moves f5"));
    }
    let used = TimeDelta::seconds(used);
    state::store(&env).write(|tx| tx.add_job_time(PlayerId(1), used, env.now())).unwrap();
    env.ok("send");
    assert_eq!(jobs(&env), [""; 0], "nobody is refused");
    let sql = "SELECT group_concat(name, ' ') FROM (SELECT name FROM job_time
               JOIN player ON player.id = player ORDER BY job_time.id LIMIT -1 OFFSET 1)";
    env.sqlite().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn the_share_of_a_player_is_limited_only_while_a_job_of_another_waits() {
    assert_eq!(order_of_jobs("[engine]\nseconds_per_hour = 20", 20), "bob alice alice");
    assert_eq!(order_of_jobs("[engine]\nseconds_per_hour = 60", 20), "alice alice bob");
    assert_eq!(order_of_jobs("", 599), "alice alice bob");
    assert_eq!(order_of_jobs("", 600), "bob alice alice");
}

#[test]
fn a_job_of_a_killed_process_comes_last_as_well_if_its_player_has_used_the_share() {
    let env = with_alice();
    env.ok("signup bob bob@example.org");
    env.ok("new othello alice bot:friend --moves f5");
    let killed = claim(&env);
    env.ok("new othello bob bot:friend --moves f5");
    let used = TimeDelta::minutes(10);
    let alice = killed.player.unwrap();
    state::store(&env).write(|tx| tx.add_job_time(alice, used, env.now())).unwrap();
    env.later(3);
    assert_eq!([claim(&env).game.0, claim(&env).game.0], [2, 1]);
}

#[test]
fn a_quick_level_answers_while_strong_ones_think() {
    let env = with_alice();
    env.ok("signup bob bob@example.org");
    env.ok("signup carol carol@example.org");
    for player in ["alice", "carol", "alice", "carol", "alice"] {
        env.ok(&format!("new othello bot:sleeper {player}"));
    }
    env.ok("new othello bob bot:1");
    env.ok("new othello alice bot:1");
    let mails = ["bob@example.org", ALICE].map(|address| env.last_mail_to(address));
    let watch = start_thinking(&env, "send --watch");
    for (game, (name, mail)) in (6..).zip(["bob", "alice"].into_iter().zip(mails)) {
        env.receive(&mail.reply("f5"));
        until("it answers", || env.plies(game) == 2);
        until("the player is mailed", || env.count(&format!("{name} turn sent")) == 1);
    }
    assert_eq!(claimed(&env), 1, "the program still thinks about alice's first game");
    let printed = watch.stop("TERM").ok();
    assert!(printed.contains(", 2 jobs done."), "{printed}");
    assert_eq!(jobs(&env).len(), 5);
}

#[test]
fn the_quick_queue_is_for_players_who_have_not_used_their_share() {
    let env = with_alice();
    env.ok("new othello bot:friend alice");
    env.ok("new othello alice bot:1");
    env.receive(&env.last_mail_to(ALICE).reply("f5"));
    let game = |job: Option<Job>| job.map(|job| job.game.0);
    let quick = claim_of(&env, Jobs::Quick).unwrap();
    assert_eq!(quick.game.0, 2);
    state::store(&env).write(|tx| tx.release_job(&quick)).unwrap();
    let used = TimeDelta::minutes(10);
    state::store(&env).write(|tx| tx.add_job_time(PlayerId(1), used, env.now())).unwrap();
    assert_eq!(game(claim_of(&env, Jobs::Quick)), None);
    assert_eq!(game(claim_any(&env)), Some(2));
}

#[test]
fn the_time_of_a_job_is_counted_to_the_person_who_plays() {
    let env = with_alice();
    env.ok("new othello alice bot:friend --moves f5");
    env.ok("send");
    let rows =
        "SELECT count(*) FROM job_time JOIN player ON player.id = player WHERE name = 'alice'";
    assert_eq!(env.sqlite().query_row(rows, [], |row| row.get::<_, u32>(0)).unwrap(), 1);
}
