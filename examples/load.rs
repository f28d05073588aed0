//! Measures the capacity of one machine: moves, outgoing and incoming mails and web requests a second, and
//! the wait of players who move at the same time. It works on a copy of a database with games, such as one of
//! the example `grow`.
//!
//! ```text
//! cargo build --release
//! cargo run --release --example grow -- club.db 100000 --players 1000
//! cargo run --release --example load -- club.db
//! ```
//!
//! It measures the program `outflank` beside its own folder, or `--program`.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use outflank::app::{self, Actor, AnyCommand, App, FrontEnd, Session};
use outflank::clock::{Clock, SystemClock};
use outflank::config::Config;
use outflank::store::{self, Listing, Store};
use outflank_model::log::GameId;

/// Measures the capacity of one machine
#[derive(clap::Parser)]
#[command(name = "load")]
struct Arguments {
    /// The database, which is copied first
    database: PathBuf,
    /// The working folder; put it on the disk that is to be measured
    #[arg(long, default_value = ".")]
    folder: PathBuf,
    /// The program
    #[arg(long)]
    program: Option<PathBuf>,
    /// How long to measure each
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// How many threads send web requests
    #[arg(long, default_value_t = 8)]
    clients: usize,
    /// How many processes move at once, one measurement each
    #[arg(long, value_delimiter = ',', default_value = "48,200")]
    writers: Vec<usize>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    App(#[from] app::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("`outflank {0}` has failed")]
    Command(String),
    #[error("the database has no active game of two people; make it with `grow`, without --resign")]
    NoGame,
    #[error("the web server did not start")]
    NoServer,
}

/// A command.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// The files of a club, and its program.
struct Club {
    folder: tempfile::TempDir,
    program: PathBuf,
}

/// The settings of the club.
const CONFIG: &str = "[mail]\nfrom = 'Outflank <outflank@club.example>'\n[receive]\n\
    [web]\nurl = 'http://127.0.0.1'\npublic = true\n";

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("load: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), Failure> {
    let beside = std::env::current_exe()?.with_file_name("../outflank");
    let program = arguments.program.clone().unwrap_or(beside);
    let folder =
        tempfile::Builder::new().prefix(".outflank-load-").tempdir_in(&arguments.folder)?;
    let club = Club { folder, program };
    let now = SystemClock.now();
    Store::open(&arguments.database, false)?.backup(&club.database(), "load", now)?;
    fs::write(club.path("config.toml"), CONFIG)?;
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(club.path("inbox").join(part))?;
    }
    let span = Duration::from_secs(arguments.seconds);
    // Earlier mails do not count, and are not delivered.
    club.run(["mail", "adopt"])?;
    club.run(["send"])?;
    fs::remove_dir_all(club.path("club.maildir")).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })?;

    let games = club.active_games()?;
    let begun = Instant::now();
    let moves = club.moves(&games, span)?;
    report("moves, in one process", moves, begun.elapsed());

    let begun = Instant::now();
    club.run(["send"])?;
    let spent = begun.elapsed();
    report("mails sent, to a Maildir", club.mails()?.len(), spent);

    let replies = club.write_replies()?;
    let begun = Instant::now();
    club.run(["receive".as_ref(), "--maildir".as_ref(), club.path("inbox").as_os_str()])?;
    report("mails received", replies, begun.elapsed());

    // Otherwise a command would also deliver the remaining mails.
    club.run(["send"])?;
    let begun = Instant::now();
    let commands = club.commands(&games, span)?;
    report("moves, a process and two mails each", commands, begun.elapsed());

    for &writers in &arguments.writers {
        // Otherwise a command would also deliver the remaining mails.
        club.run(["send"])?;
        club.writers(&games, writers, span)?.report(writers);
    }

    let begun = Instant::now();
    let requests = club.requests(&games, arguments.clients, span)?;
    report("web pages of games", requests, begun.elapsed());
    Ok(())
}

fn report(what: &str, number: usize, spent: Duration) {
    let seconds = spent.as_secs_f64();
    println!("{what}: {:.0} a second ({number} in {seconds:.1} s)", number as f64 / seconds);
}

/// The times of moves that many processes made at once.
struct Waited {
    /// The median time of a single move.
    alone: Duration,
    /// All that were made, the fastest first.
    made: Vec<Duration>,
    refused: usize,
}

impl Waited {
    /// Reports the times, also as a multiple of the same moves one after the other.
    fn report(&self, writers: usize) {
        let at = |percent: usize| {
            let index = (self.made.len() * percent / 100).min(self.made.len().saturating_sub(1));
            self.made.get(index).copied().unwrap_or_default().as_secs_f64()
        };
        let (alone, p99) = (self.alone.as_secs_f64(), at(99));
        println!(
            "{writers} writers at once: {} moves, {} refused; {:.3} s alone, median {:.2} s, \
             99th percentile {p99:.2} s = {:.2} x {writers} x alone",
            self.made.len(),
            self.refused,
            alone,
            at(50),
            p99 / (alone * writers as f64),
        );
    }
}

impl Club {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn database(&self) -> PathBuf {
        self.path("club.db")
    }

    fn command<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--db").arg(self.database()).arg("--config").arg(self.path("config.toml"));
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// Runs a command of the program.
    fn run<S: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = S>) -> Result<(), Failure> {
        let mut command = self.command(words);
        let name = command.get_args().nth(4).unwrap_or_default().to_string_lossy().into_owned();
        if command.status()?.success() { Ok(()) } else { Err(Failure::Command(name)) }
    }

    /// Returns active games of two people.
    fn active_games(&self) -> Result<Vec<GameId>, Failure> {
        const MAX_GAMES: u32 = 5000;
        let store = Store::open(&self.database(), false)?;
        let games = store.read(|db| db.games(Listing::Active, Some(MAX_GAMES)))?;
        let games: Vec<_> = games.into_iter().map(|game| game.id).collect();
        if games.is_empty() { Err(Failure::NoGame) } else { Ok(games) }
    }

    /// Returns a legal move of a game; `None` when it is over.
    fn legal(&self, store: &Store, id: GameId) -> Result<Option<String>, Failure> {
        let stored = store.read(|db| db.game(id))?;
        Ok(stored.and_then(|stored| {
            let lattice = stored.game.start().rules().lattice;
            stored.game.legal().first().map(|&mv| lattice.move_label(mv))
        }))
    }

    /// Makes moves for some time, each with its mail in one transaction. Returns how many.
    fn moves(&self, games: &[GameId], span: Duration) -> Result<usize, Failure> {
        let store = Store::open(&self.database(), false)?;
        let (clock, rng) = (Box::new(SystemClock), app::Rng::seeded(1));
        let mut app = App::open(&self.database(), false, Config::default(), clock, rng)?;
        let (begun, mut made) = (Instant::now(), 0);
        for &game in games.iter().cycle() {
            if begun.elapsed() > span {
                break;
            }
            let Some(mv) = self.legal(&store, game)? else { continue };
            let line = Line::parse_from(["outflank", "move", &game.to_string(), &mv]);
            let mut given = Some(app);
            let mut open = || Ok(given.take().expect("a command opens the application once"));
            let mut session = Session::new(Actor::Host, FrontEnd::none(), &mut open);
            line.command.run(&mut session)?;
            app = session.into_app().expect("the command has opened the application");
            made += 1;
        }
        Ok(made)
    }

    /// Makes moves for some time as people in shells do: each is a process, which delivers its mails.
    fn commands(&self, games: &[GameId], span: Duration) -> Result<usize, Failure> {
        let store = Store::open(&self.database(), false)?;
        let (begun, mut made) = (Instant::now(), 0);
        for &game in games.iter().cycle() {
            if begun.elapsed() > span {
                break;
            }
            if let Some(mv) = self.legal(&store, game)? {
                self.run(["move", &game.to_string(), &mv, "--receipt"])?;
                made += 1;
            }
        }
        Ok(made)
    }

    /// Makes moves for some time, as many processes at once as there are writers. Each writer has its own games
    /// and makes at least one move.
    fn writers(&self, games: &[GameId], writers: usize, span: Duration) -> Result<Waited, Failure> {
        let timed = |store: &Store, game: GameId| -> Result<Option<(bool, Duration)>, Failure> {
            let Some(mv) = self.legal(store, game)? else { return Ok(None) };
            let mut command = self.command(["move", &game.to_string(), &mv]);
            let begun = Instant::now();
            let is_made = command.stderr(Stdio::null()).status()?.success();
            Ok(Some((is_made, begun.elapsed())))
        };
        let store = Store::open(&self.database(), false)?;
        let alone = games.iter().take(9).map(|&game| timed(&store, game));
        let mut alone: Vec<_> =
            alone.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        alone.sort_by_key(|&(_, spent)| spent);
        let alone = alone.get(alone.len() / 2).ok_or(Failure::NoGame)?.1;
        let begun = Instant::now();
        let one = |number: usize| -> Result<Vec<(bool, Duration)>, Failure> {
            let (store, mut moves) = (Store::open(&self.database(), false)?, Vec::new());
            for &game in games.iter().skip(number).step_by(writers) {
                if !moves.is_empty() && begun.elapsed() > span {
                    break;
                }
                moves.extend(timed(&store, game)?);
            }
            Ok(moves)
        };
        let moves = thread::scope(|scope| {
            let one = &one;
            let threads: Vec<_> =
                (0..writers).map(|number| scope.spawn(move || one(number))).collect();
            threads
                .into_iter()
                .map(|it| it.join().expect("a writer"))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let moves: Vec<_> = moves.into_iter().flatten().collect();
        let mut made: Vec<_> =
            moves.iter().filter(|(is_made, _)| *is_made).map(|&(_, spent)| spent).collect();
        made.sort();
        Ok(Waited { alone, refused: moves.len() - made.len(), made })
    }

    /// Returns the mails that were delivered.
    fn mails(&self) -> io::Result<Vec<PathBuf>> {
        let files = fs::read_dir(self.path("club.maildir").join("new"))?;
        files.map(|file| Ok(file?.path())).collect()
    }

    /// Puts a reply with a move to the last mail of each game into the inbox. Returns how many.
    fn write_replies(&self) -> Result<usize, Failure> {
        let store = Store::open(&self.database(), false)?;
        let (mut written, date) = (0, chrono::Utc::now().to_rfc2822());
        for mail in self.mails()? {
            let text = fs::read_to_string(&mail)?;
            let field = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().trim()
            };
            let id = field("Message-ID:");
            // Such as `<12.7.turn.…>`.
            let parts: Vec<_> = id.trim_matches(['<', '>']).split('.').collect();
            let [game, _, "turn", ..] = parts[..] else { continue };
            let Ok(game) = game.parse() else { continue };
            let Some(mv) = self.legal(&store, GameId(game))? else { continue };
            let reply = format!(
                "From: {}\nTo: {}\nSubject: Re: your turn\nDate: {date}\nIn-Reply-To: {id}\n\
                 Message-ID: <reply-{written}@example.org>\n\n{mv}\n",
                field("Delivered-To:"),
                field("Reply-To:"),
            );
            fs::write(self.path("inbox").join("new").join(format!("reply-{written}")), reply)?;
            written += 1;
        }
        Ok(written)
    }

    /// Asks for the pages of games for some time. Returns how many came.
    fn requests(&self, games: &[GameId], clients: usize, span: Duration) -> Result<usize, Failure> {
        let mut command = self.command(["web", "--listen", "127.0.0.1:0"]);
        let mut server = Server(command.stdout(Stdio::piped()).spawn()?);
        let address = server.address()?;
        let (begun, number, came) = (Instant::now(), AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    while begun.elapsed() < span {
                        let number = number.fetch_add(1, Ordering::Relaxed);
                        let game = games[number % games.len()];
                        if get(&address, game, number).is_ok_and(|is_page| is_page) {
                            came.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        Ok(came.into_inner())
    }
}

/// A web server, which is stopped when it is dropped.
struct Server(Child);

impl Server {
    /// Waits until it listens, and returns where.
    fn address(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        if let Some(stdout) = &mut self.0.stdout {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("Listening on http://");
        address.map(str::to_owned).ok_or(Failure::NoServer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks for the page of a game. Each request comes from another peer, as a reverse proxy says, since the
/// server limits the requests of each. Returns whether the page came.
fn get(address: &str, game: GameId, number: usize) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let [_, a, b, c] = u32::try_from(number).unwrap_or(0).to_be_bytes();
    write!(
        stream,
        "GET /game/{game} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.{a}.{b}.{c}\r\n\
         Connection: close\r\n\r\n"
    )?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    Ok(response.starts_with(b"HTTP/1.1 200"))
}
