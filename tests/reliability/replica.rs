//! A club under load is killed, and goes on elsewhere from the replica that the real Litestream has made.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use outflank_rules::Color;
use tempfile::TempDir;

use crate::doctor::parsed;
use crate::harness::sshd::{Sshd, free_port, has_sshd};
use crate::harness::{InboundMessage, Purpose, Server, TestEnvironment, run, skipped, until};

/// How long a club plays before it is killed: longer than a move may be missing.
const LOAD: Duration = Duration::from_secs(7);
/// What was confirmed this long before the end is in the replica.
const MAX_LOST: Duration = Duration::from_secs(5);
/// The pause between two moves in each of three games: ten moves a second.
const PACE: Duration = Duration::from_millis(300);
/// Rounds unless `OUTFLANK_STANDBY_ROUNDS` says how many. The last of three uses SFTP.
const ROUNDS: u32 = 3;

/// A process that is killed when it is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the program, if it is there; otherwise reports a skipped test.
fn litestream(test: &str) -> Option<PathBuf> {
    let own = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/litestream/bin"));
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders = [own].into_iter().chain(env::split_paths(&path));
    let found =
        folders.find_map(|folder| Some(folder.join("litestream")).filter(|it| it.is_file()));
    if found.is_none() {
        skipped(test, "needs Litestream, which .ci/run installs");
    }
    found
}

/// A club with a replica in a folder elsewhere.
struct Standby {
    env: TestEnvironment,
    program: PathBuf,
    elsewhere: TempDir,
    _sshd: Option<Sshd>,
}

/// The front end by which a game is played.
#[derive(Debug, Clone, Copy)]
enum By {
    Shell,
    Mail,
    Page,
}

impl By {
    const ALL: [Self; 3] = [Self::Shell, Self::Mail, Self::Page];

    /// The number of its game.
    const fn game(self) -> i64 {
        self as i64 + 1
    }
}

/// A confirmed move.
struct Confirmed {
    at: Instant,
    by: By,
    /// The number of moves in the game, at least.
    plies: usize,
}

fn address(player: &str) -> String {
    format!("{player}@example.org")
}

impl Standby {
    /// Returns a club with two players and a game for each front end.
    fn new(program: PathBuf, with_sftp: bool) -> Self {
        let env = TestEnvironment::new().with_ticking_clock();
        let elsewhere = tempfile::tempdir().unwrap();
        env.configure(&format!("[host]\nreplica = '{}'", env.path("litestream.yml").display()));
        for player in ["alice", "bob"] {
            env.ok(&format!("signup {player} {}", address(player)));
        }
        for _ in By::ALL {
            env.ok("new othello alice bob");
        }
        env.ok("send");
        let folder = elsewhere.path().display();
        let (replica, sshd) = if with_sftp {
            let port = free_port();
            let sshd = Sshd::start(&env, port, "internal-sftp");
            let user = Command::new("id").arg("-un").output().unwrap().stdout;
            let user = String::from_utf8(user).unwrap();
            let key = env.path("own_key");
            let known = fs::read_to_string(env.path("host_key.pub")).unwrap();
            let settings = format!(
                "type: sftp\n      host: 127.0.0.1:{port}\n      user: {}\n      key-path: {}\n      \
                 host-key: {}\n      path: {folder}",
                user.trim(),
                key.display(),
                known.trim()
            );
            (settings, Some(sshd))
        } else {
            (format!("path: {folder}"), None)
        };
        let database = env.database();
        let settings =
            format!("dbs:\n  - path: {}\n    replica:\n      {replica}\n", database.display());
        fs::write(env.path("litestream.yml"), settings).unwrap();
        Self { env, program, elsewhere, _sshd: sshd }
    }

    /// Returns a command of Litestream, whose output goes to a file.
    fn litestream(&self, words: &[&str]) -> Command {
        let log = File::options().create(true).append(true).open(self.env.path("litestream.log"));
        let mut command = Command::new(&self.program);
        command.args(words).arg("-config").arg(self.env.path("litestream.yml"));
        command.stdin(Stdio::null()).stdout(log.as_ref().unwrap().try_clone().unwrap());
        command.stderr(log.unwrap());
        command
    }

    /// Starts Litestream, and waits until the replica has files.
    fn replicate(&self) -> Killed {
        let running = Killed(self.litestream(&["replicate"]).spawn().unwrap());
        let levels = self.elsewhere.path().join("ltx/0");
        until("the replica has a file", || {
            fs::read_dir(&levels).is_ok_and(|mut files| files.next().is_some())
        });
        running
    }

    /// Makes a legal move, the `choice`th of them. Returns how many moves there are then, at least; `None` after
    /// the end of the game.
    fn play(&self, by: By, choice: usize, server: &Server) -> Option<usize> {
        let (env, number) = (&self.env, by.game());
        let game = env.stored(number).game;
        let (mover, legal) = (game.turn()?, game.legal());
        let mv = game.start().rules().lattice.move_label(legal[choice % legal.len()]);
        let player = if mover == Color::Black { "alice" } else { "bob" };
        let events = game.events().len();
        match by {
            By::Shell => drop(env.ok(&format!("move {number} {mv} --as {player}"))),
            By::Mail => {
                let to = env.token_address(Purpose::Play, player, number, events);
                let mail = InboundMessage::new(&address(player), &mv).to(&to);
                assert_eq!(env.receive(&mail), "done");
            }
            By::Page => {
                let form = format!("history={}&command=move&text={mv}", env.history(number));
                let path = format!("/play/{}", env.token(Purpose::Page, player, number, 0));
                assert_eq!(post(server, &path, &form), "HTTP/1.1 303 See Other");
            }
        }
        Some(game.plies().len() + 1)
    }

    /// Plays by all front ends until the club is killed. Returns the confirmed moves, and when it was killed.
    fn play_until_killed(&self, round: usize) -> (Vec<Confirmed>, Instant) {
        let litestream = self.replicate();
        let send = self.env.start("send --watch");
        let server = Server::start(&self.env);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let playing = By::ALL.map(|by| {
                let (is_over, server) = (&is_over, &server);
                scope.spawn(move || {
                    let mut confirmed = Vec::new();
                    let mut next = Instant::now();
                    while !is_over.load(Ordering::Relaxed)
                        && let Some(plies) = self.play(by, round + confirmed.len() * 7, server)
                    {
                        confirmed.push(Confirmed { at: Instant::now(), by, plies });
                        next += PACE;
                        thread::sleep(next.saturating_duration_since(Instant::now()));
                    }
                    confirmed
                })
            });
            thread::sleep(LOAD);
            let killed_at = Instant::now();
            drop(litestream);
            is_over.store(true, Ordering::Relaxed);
            let confirmed = playing.into_iter().flat_map(|it| it.join().unwrap()).collect();
            send.kill();
            (confirmed, killed_at)
        })
    }

    /// Removes all that was on the disk of the club, except the two configurations and the key of SFTP.
    fn lose_the_machine(&self) {
        for name in ["outflank.db", "outflank.db-wal", "outflank.db-shm", "outflank.db-lock"] {
            fs::remove_file(self.env.path(name)).unwrap();
        }
        fs::remove_dir_all(self.env.path(".outflank.db-litestream")).unwrap();
        let _ = fs::remove_file(self.env.path("outflank.db-claims"));
    }

    fn restore(&self) {
        let mut restore = self.litestream(&["restore"]);
        let done = restore.arg(self.env.database()).status().unwrap();
        let log = || fs::read_to_string(self.env.path("litestream.log"));
        assert!(done.success(), "{:?}", log());
    }
}

#[test]
fn public_pages_follow_a_replica() {
    let Some(program) = litestream("public_pages_follow_a_replica") else { return };
    let standby = Standby::new(program, false);
    let env = &standby.env;
    let _litestream = standby.replicate();
    let config = "[web]\npublic = true";
    fs::write(env.path("pages.toml"), config).unwrap();
    let mut follow = standby.litestream(&["restore"]);
    follow.args(["-f", "-o", "followed.db"]).arg(env.database()).current_dir(env.folder());
    let _following = Killed(follow.spawn().unwrap());
    until("the replica is restored", || env.path("followed.db").exists());
    let words = "--config pages.toml --db followed.db web --read-only --listen 127.0.0.1:0";
    let server = Server::start_as(env, words);
    let shows = |page: &str, text: &str| server.page(page).contains(text);
    let page = server.page("/game/1/game.json");
    assert!(page.contains("\"moves\":[]"), "{page}");
    for ply in 1..=5 {
        env.ok(&format!("move 1 {}", env.legal(1)));
        until("the page has the move", || shows("/game/1/game.json", &format!("\"ply\":{ply}")));
    }
    // Visitors see a whole state at any time, and Litestream is not kept from writing.
    thread::scope(|scope| {
        let visits = scope.spawn(|| {
            let pages = ["/", "/players", "/standings", "/game/2", "/player/alice"];
            let statuses = pages.iter().cycle().take(150).map(|page| server.status(page));
            statuses.filter(|status| status != "HTTP/1.1 200 OK").collect::<Vec<_>>()
        });
        for _ in 0..20 {
            env.ok(&format!("move 2 {}", env.legal(2)));
        }
        assert_eq!(visits.join().unwrap(), [""; 0]);
    });
    until("the page has all moves", || shows("/game/2/game.json", "\"ply\":20"));
}

/// Posts a form, and returns the status line.
pub(super) fn post(server: &Server, path: &str, form: &str) -> String {
    let mut stream = server.connect();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    )
    .unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    line.trim().to_owned()
}

/// Kills a club, restores it and plays on.
fn round(program: PathBuf, round: usize, with_sftp: bool) {
    let standby = Standby::new(program, with_sftp);
    let env = &standby.env;
    let (confirmed, killed_at) = standby.play_until_killed(round);
    assert!(confirmed.len() > 20, "{} moves are not a load", confirmed.len());
    assert!(env.ok("verify").contains("Nothing is wrong"));
    // The last move is not in the replica, but its mail was sent.
    let lost = env.legal(By::Mail.game());
    let mail_game = env.stored(By::Mail.game()).game;
    let opponent = if mail_game.turn() == Some(Color::Black) { "bob" } else { "alice" };
    env.ok(&format!("move {} {lost}", By::Mail.game()));
    env.ok("send");
    let mail = env.last_mail_to(&address(opponent));
    let reply = mail.reply(&env.legal(By::Mail.game()));
    let played = By::ALL.map(|by| env.moves(by.game()));

    standby.lose_the_machine();
    standby.restore();
    assert!(env.ok("verify").contains("Nothing is wrong"));
    let restored = By::ALL.map(|by| env.moves(by.game()));
    for (restored, played) in restored.iter().zip(&played) {
        assert!(played.starts_with(restored), "{restored:?} {played:?}");
    }
    for Confirmed { at, by, plies } in confirmed {
        let kept = restored[by as usize].len();
        let age = killed_at.saturating_duration_since(at);
        assert!(kept >= plies || age <= MAX_LOST, "move {plies} by {by:?}, {age:?} before the end");
    }

    assert_eq!(env.receive(&reply), "ignored: a reply to what was lost with a restore");
    env.ok("send");
    env.last_mail_to(&address(opponent))
        .says("was lost when this server was restored from a backup");
    let _litestream = standby.replicate();
    for by in By::ALL {
        let game = env.stored(by.game()).game;
        let Some(mover) = game.turn() else { continue };
        let player = if mover == Color::Black { "alice" } else { "bob" };
        let to = env.token_address(Purpose::Play, player, by.game(), game.events().len());
        let mail = InboundMessage::new(&address(player), &env.legal(by.game())).to(&to);
        assert_eq!(env.receive(&mail), "done");
        assert!(env.plies(by.game()) > game.plies().len() as u64);
    }
    env.ok("send");
    // The replica goes on, too.
    let played = By::ALL.map(|by| env.moves(by.game()));
    until("the replica has the new moves", || {
        let copy = env.path("copy.db");
        let _ = fs::remove_file(&copy);
        let words = ["restore", "-o", copy.to_str().unwrap()];
        standby.litestream(&words).arg(env.database()).status().unwrap().success()
            && By::ALL.iter().all(|by| {
                let shown = env.json(&format!("--db {} show {}", copy.display(), by.game()));
                shown["ply"] == played[*by as usize].len()
            })
    });
    assert!(env.ok("verify").contains("Nothing is wrong"));
    let mut doctor = env.command("--json doctor");
    doctor.env("PATH", standby.program.parent().unwrap());
    let lines = parsed(run(doctor));
    let is_new = lines.iter().any(|line| line.check == "replica" && line.outcome == "ok");
    assert!(is_new, "{lines:#?}");
}

#[test]
fn a_killed_club_goes_on_from_its_replica() {
    let Some(program) = litestream("a_killed_club_goes_on_from_its_replica") else { return };
    let rounds = env::var("OUTFLANK_STANDBY_ROUNDS");
    let rounds = rounds.map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    for number in 0..rounds {
        let with_sftp = number % ROUNDS == ROUNDS - 1 && has_sshd();
        round(program.clone(), number as usize, with_sftp);
    }
}
