//! Lets a club play a week by mail, while `send --watch` and `receive --watch` run in this process, and
//! checks that the memory, the open files and the time of a reaction stay level.
//!
//! `cargo run --release --example week`
//!
//! The clock stands still while mail is answered, and then goes on by a quarter of an hour.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use clap::Parser;
use outflank::app::{self, Actor, AnyCommand, App, FrontEnd, Session, Shell, Thinks};
use outflank::clock::Clock;
use outflank::config::{Config, ReceiveSettings};
use outflank::store::{self, Store};
use outflank_model::log::GameId;

/// Lets a club play a week by mail
#[derive(clap::Parser)]
#[command(name = "week")]
struct Arguments {
    /// How many players the club has
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(2..))]
    players: u32,
    /// How many games are played at a time
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// How many players answer in a quarter of an hour
    #[arg(long, default_value_t = 10)]
    answers: usize,
    /// How many days pass
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(3..))]
    days: u32,
    /// The seed of the moves
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Why the week ended early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    App(#[from] app::Error),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("no mail about game {0} came within {MAX_REACTION:?}")]
    NoMail(i64),
    #[error("a watch has ended")]
    Ended,
    #[error("{what} grew from {before} on the second day to {after} on the last one")]
    Grew { what: &'static str, before: String, after: String },
}

/// A command of the host.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: AnyCommand,
}

/// A clock that stands still until it is moved on.
#[derive(Clone)]
struct ClubClock(Arc<AtomicI64>);

impl Clock for ClubClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0.load(Ordering::Relaxed), 0).unwrap_or_default()
    }
}

/// The files of the club and its clock.
#[derive(Clone)]
struct Club {
    folder: PathBuf,
    clock: ClubClock,
    seed: u64,
}

/// A mail that asks for a move.
struct TurnMail {
    game: i64,
    player: String,
    reply_to: String,
    id: String,
}

/// The measurements of a day.
struct Day {
    moves: usize,
    reaction: Duration,
    longest: Duration,
    kilobytes: u64,
    files: usize,
}

const QUARTER: i64 = 15 * 60;
const QUARTERS_OF_A_DAY: i64 = 96;
/// The longest wait for the mail about a move.
const MAX_REACTION: Duration = Duration::from_secs(30);
/// How much memory may grow from the second day to the last one, in kilobytes: the allocator keeps some.
const MAX_GROWTH: u64 = 8_000;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match play(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("week: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn play(arguments: &Arguments) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let begin = Arc::new(AtomicI64::new(1_800_000_000));
    let club =
        Club { folder: folder.path().to_owned(), clock: ClubClock(begin), seed: arguments.seed };
    for part in ["new", "cur", "tmp"] {
        fs::create_dir_all(club.inbox().join(part))?;
    }
    for number in 1..=arguments.players {
        club.run(&format!("signup player{number} player{number}@example.org"))?;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let receive = format!("receive --maildir {} --watch", club.inbox().display());
    let watches = ["send --watch".to_owned(), receive].map(|words| club.watch(words, &stop));
    let days = days(arguments, &club, &watches);
    stop.store(true, Ordering::Relaxed);
    for watch in watches {
        watch.join().map_err(|_| Failure::Ended)??;
    }
    check_level(&days?)
}

/// Lets the days pass, and returns the measurements.
fn days(
    arguments: &Arguments,
    club: &Club,
    watches: &[JoinHandle<Result<(), app::Error>>],
) -> Result<Vec<Day>, Failure> {
    let mut rng = fastrand::Rng::with_seed(arguments.seed);
    let store = Store::open(&club.database(), false)?;
    let mut waiting = VecDeque::new();
    let (mut begun_games, mut ended, mut sent) = (0, BTreeSet::new(), 0);
    let mut days = Vec::new();
    println!("day  moves  reaction  longest   memory  files");
    for number in 1..=arguments.days {
        let (mut reactions, mut moves) = (Vec::new(), 0);
        for _ in 0..QUARTERS_OF_A_DAY {
            while begun_games - ended.len() < arguments.games {
                let black = rng.u32(1..=arguments.players);
                let white = (black + rng.u32(1..arguments.players) - 1) % arguments.players + 1;
                club.run(&format!(
                    "new othello player{black} player{white} --clock 3d --flag hard"
                ))?;
                begun_games += 1;
            }
            club.collect(&mut waiting, &mut ended)?;
            let begun = Instant::now();
            let mut expected = BTreeSet::new();
            for _ in 0..arguments.answers {
                let Some(mail) = waiting.pop_front() else { break };
                let Some(game) = store.read(|db| db.game(GameId(mail.game)))? else { continue };
                let Some(mv) = rng.choice(game.game.legal()) else { continue };
                let label = game.game.start().rules().lattice.move_label(mv);
                sent += 1;
                club.answer(&mail, &label, sent)?;
                expected.insert(mail.game);
            }
            moves += expected.len();
            club.be_absent(sent)?;
            while let Some(&game) = expected.first() {
                for game in club.collect(&mut waiting, &mut ended)? {
                    expected.remove(&game);
                }
                if watches.iter().any(JoinHandle::is_finished) {
                    return Err(Failure::Ended);
                }
                if begun.elapsed() > MAX_REACTION {
                    return Err(Failure::NoMail(game));
                }
                thread::sleep(Duration::from_millis(2));
            }
            reactions.push(begun.elapsed());
            club.clock.0.fetch_add(QUARTER, Ordering::Relaxed);
        }
        reactions.sort();
        let day = Day {
            moves,
            reaction: reactions[reactions.len() / 2],
            longest: reactions[reactions.len() - 1],
            kilobytes: memory()?,
            files: fs::read_dir("/proc/self/fd")?.count(),
        };
        println!(
            "{number:>3}  {:>5}  {:>5} ms  {:>4} ms  {:>4} MB  {:>5}",
            day.moves,
            day.reaction.as_millis(),
            day.longest.as_millis(),
            day.kilobytes / 1000,
            day.files
        );
        days.push(day);
    }
    Ok(days)
}

/// Compares the last day with the second one: by then all caches are filled.
fn check_level(days: &[Day]) -> Result<(), Failure> {
    let [_, second, .., last] = days else { return Ok(()) };
    let check = |what, grew, before: String, after: String| match grew {
        true => Err(Failure::Grew { what, before, after }),
        false => Ok(()),
    };
    let kilobytes = |day: &Day| format!("{} KB", day.kilobytes);
    let grew = last.kilobytes > second.kilobytes + MAX_GROWTH;
    check("the memory", grew, kilobytes(second), kilobytes(last))?;
    let grew = last.files > second.files;
    check("the number of open files", grew, second.files.to_string(), last.files.to_string())?;
    let reaction = |day: &Day| format!("{:?}", day.reaction);
    let grew = last.reaction > second.reaction * 3 / 2;
    check("the time of a reaction", grew, reaction(second), reaction(last))
}

/// Returns the memory of this process, in kilobytes.
fn memory() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    Ok(line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default())
}

impl Club {
    fn database(&self) -> PathBuf {
        self.folder.join("club.db")
    }

    /// Returns the Maildir of incoming mail.
    fn inbox(&self) -> PathBuf {
        self.folder.join("inbox")
    }

    fn open(&self, seed: u64) -> Result<App, app::Error> {
        let receive = ReceiveSettings { enabled: true, ..ReceiveSettings::default() };
        let config = Config { receive, ..Config::default() };
        let rng = app::Rng::seeded(self.seed ^ seed);
        App::open(&self.database(), false, config, Box::new(self.clock.clone()), rng)
    }

    /// Runs a command of the host.
    fn run(&self, words: &str) -> Result<(), app::Error> {
        let line = Line::parse_from(["outflank"].into_iter().chain(words.split(' ')));
        let seed = self.clock.0.fetch_add(1, Ordering::Relaxed).unsigned_abs();
        let mut open = || self.open(seed);
        let mut session = Session::new(Actor::Host, FrontEnd::none(), &mut open);
        line.command.run(&mut session).map(drop)
    }

    /// Runs a command in a thread until the flag is set.
    fn watch(&self, words: String, stop: &Arc<AtomicBool>) -> JoinHandle<Result<(), app::Error>> {
        let (club, stop) = (self.clone(), Arc::clone(stop));
        thread::spawn(move || {
            let line = Line::parse_from(["outflank"].into_iter().chain(words.split(' ')));
            let stop = || Ok(Arc::clone(&stop));
            let shell = Shell {
                input: Box::new(io::empty()),
                report: Box::new(|problem| eprintln!("{problem}")),
                lines: |_| {},
                print: Box::new(|_| Ok(())),
                open_to_read: &|| club.open(0),
            };
            let thinks = Thinks { stop: &stop, progress: &|_, _, _| Box::new(()) };
            let front_end =
                FrontEnd { thinks: Some(thinks), shell: Some(shell), ..FrontEnd::none() };
            let mut open = || club.open(words.len() as u64);
            let mut session = Session::new(Actor::Host, front_end, &mut open);
            line.command.run(&mut session).map(drop)
        })
    }

    /// Takes the mails that were delivered, and adds those that ask for a move and the games that have
    /// ended. Returns the games that the mails are about.
    fn collect(
        &self,
        waiting: &mut VecDeque<TurnMail>,
        ended: &mut BTreeSet<i64>,
    ) -> Result<Vec<i64>, Failure> {
        let Ok(files) = fs::read_dir(self.folder.join("club.maildir/new")) else {
            return Ok(Vec::new());
        };
        let mut about = Vec::new();
        for file in files {
            let path = file?.path();
            let text = fs::read_to_string(&path)?;
            fs::remove_file(&path)?;
            let field = |name: &str| {
                let line = text.lines().find_map(|line| line.strip_prefix(name));
                line.unwrap_or_default().trim().to_owned()
            };
            let id = field("Message-ID:");
            // Such as `<12.7.turn.…>`.
            let parts: Vec<_> = id.trim_matches(['<', '>']).split('.').collect();
            let [game, _, kind, ..] = parts[..] else { continue };
            let Ok(game) = game.parse() else { continue };
            about.push(game);
            let player = field("Delivered-To:");
            let is_turn = kind == "turn" || (kind == "started" && text.contains("Your turn"));
            if is_turn {
                let reply_to = field("Reply-To:");
                waiting.push_back(TurnMail { game, player, reply_to, id: id.clone() });
            } else if kind == "over" {
                ended.insert(game);
            }
        }
        Ok(about)
    }

    /// Puts the answer to a mail into the Maildir.
    fn answer(&self, mail: &TurnMail, label: &str, number: usize) -> io::Result<()> {
        let TurnMail { player, reply_to, id, .. } = mail;
        self.put(
            &format!("answer-{number}"),
            &format!("From: {player}\nTo: {reply_to}\nSubject: Re: your turn\nIn-Reply-To: {id}\n\n{label}\n"),
        )
    }

    /// Puts a mail of a vacation program into the Maildir.
    fn be_absent(&self, number: usize) -> io::Result<()> {
        let header =
            "From: player1@example.org\nTo: outflank@localhost\nAuto-Submitted: auto-replied";
        let text = "I am away until Monday.\nd3\n";
        self.put(&format!("away-{number}"), &format!("{header}\nSubject: Away\n\n{text}"))
    }

    fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let mail = format!(
            "Date: {}\nMessage-ID: <{name}@example.org>\n{text}",
            self.clock.now().to_rfc2822()
        );
        let (draft, file) =
            (self.inbox().join("tmp").join(name), self.inbox().join("new").join(name));
        fs::write(&draft, mail)?;
        fs::rename(draft, file)?;
        tidy(&self.inbox().join("cur"))
    }
}

/// Deletes the mails that were processed, as a host would.
fn tidy(folder: &Path) -> io::Result<()> {
    fs::read_dir(folder)?.try_for_each(|file| fs::remove_file(file?.path()))
}
