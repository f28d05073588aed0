use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;

use clap::Args;

use crate::app::commands::play::start;
use crate::app::run::progress::ProgressLine;
use crate::app::views::solved::{Solved, Written};
use crate::app::{Error, Heading, Reply, Searched, Session, Traits, UseCase, find};
use crate::command::RuleOptions;
use crate::files;
use outflank_engine::{
    BadDatabase, Database, Progress, Resources, Solution, SolvedMove, Unbuildable, Value, Wanted,
    build_database, estimated_nodes, solve,
};
use outflank_rules::{Cell, Lattice, Move, Overrides, Position, Setup, State};

/// Solve a small board or an ending exactly
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Ctrl-C prints what is proved so far.

Examples: outflank solve mini --all
          outflank solve mini --write mini.solved
          outflank solve --read mini.solved --position \"(w -b-- -bb- -bw- ----)\"")]
pub struct Solve {
    /// The variant [default: that of the database, or othello]
    variant: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    /// Solve this position instead of the start: the player to move, b or w, then the rows
    #[arg(long, value_name = "(T row row ...)")]
    position: Option<Setup>,
    /// On the hex lattice, the first cell of the position [default: A1]
    #[arg(long, value_name = "CELL", requires = "position")]
    frame: Option<Cell>,
    /// Show the value of every legal move
    #[arg(long)]
    all: bool,
    /// Leave out how many plies the game lasts, which takes longest to prove
    #[arg(long)]
    margin: bool,
    /// Solve every position that can be reached, and write their values to this new file
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Read the value from a file that --write has made
    #[arg(long, value_name = "FILE", conflicts_with = "write")]
    read: Option<PathBuf>,
    /// The most memory to use, in megabytes [default: 256]
    #[arg(long, value_name = "MB", default_value_t = 256, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    memory: u16,
    /// The number of threads [default: one for each processor, for a long search]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// The most positions that a search may be expected to need.
const MAX_POSITIONS: f64 = 1e11;
/// How many positions a search gets through in a second.
const POSITIONS_PER_SECOND: f64 = 1.5e6;
/// The bytes for a position while a database is built.
const BYTES_PER_POSITION: usize = 32;

impl UseCase for Solve {
    const TRAITS: Traits = Traits::new("solve", Heading::Host);

    fn run(&self, session: &mut Session) -> Result<Reply, Error> {
        if self.margin && (self.write.is_some() || self.read.is_some()) {
            let error = Error::usage("a database has the plies of every position");
            return Err(error.with_hint("leave out --margin"));
        }
        match (&self.write, &self.read) {
            (Some(file), _) => self.write(session, file),
            (_, Some(file)) => self.read(file),
            (None, None) => self.solve(session),
        }
    }
}

impl Solve {
    fn start(&self) -> Result<Position, Error> {
        if self.variant.is_none() && self.position.is_none() {
            let error = Error::usage("name a variant, or give a position with --position");
            return Err(error.with_hint("see `outflank help solve`"));
        }
        let variant = find::variant(self.variant.as_deref().unwrap_or("othello"))?;
        start::position(variant, &self.rules, self.position.as_ref(), self.frame)
    }

    fn memory(&self) -> usize {
        usize::from(self.memory) << 20
    }

    /// Searches a position.
    fn solve(&self, session: &mut Session) -> Result<Reply, Error> {
        let position = self.start()?;
        check_estimate(&position)?;
        let stop = session.front_end.stop_flag()?;
        let estimate = Some(magnitude(estimated_nodes(&position)));
        let searched = Searched { estimate, ..Searched::default() };
        let line = ProgressLine::new(&session.front_end, searched.clone());
        // A short search gains nothing from more threads.
        let is_short = estimated_nodes(&position) < POSITIONS_PER_SECOND;
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let threads = if is_short { 1 } else { processors };
        let resources = Resources {
            memory: self.memory(),
            threads: self.threads.map_or(threads, usize::from),
            stop: &|| stop.load(Ordering::Relaxed),
            counter: Some(&searched.nodes),
            progress: &|Progress { solved, moves }| {
                line.count(*solved, *moves, "moves solved");
            },
        };
        let wanted = Wanted { all: self.all, remoteness: !self.margin };
        let solution = solve(&position, wanted, &resources);
        drop(line);
        Ok(Solved { position: &position, solution: &solution, all: self.all }.reply())
    }

    /// Writes a database.
    fn write(&self, session: &mut Session, path: &Path) -> Result<Reply, Error> {
        if self.position.is_some() || self.all {
            let message = "a new database has every position from the start of the game";
            return Err(Error::usage(message).with_hint("leave out --position and --all"));
        }
        let start = self.start()?;
        if path.exists() {
            return Err(exists(path));
        }
        let draft = files::draft(files::folder_of(path), ".outflank-database-");
        let mut draft = draft.map_err(|error| cannot("write", path, &error))?;
        let file = self.build(session, &start)?;
        io::Write::write_all(&mut draft, &file)
            .and_then(|()| files::publish(draft, path))
            .map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => exists(path),
                _ => cannot("write", path, &error),
            })?;
        let (_, mut database) = open(path)?;
        let value = database.get(&start).map_err(|error| cannot("read", path, &error))?;
        let written = Written { path, positions: database.positions(), bytes: file.len() };
        Ok(written.reply(&start, value))
    }

    /// Solves every position that can be reached from the start. Returns the database as a file.
    fn build(&self, session: &mut Session, start: &Position) -> Result<Vec<u8>, Error> {
        let stop = session.front_end.stop_flag()?;
        let line = ProgressLine::new(&session.front_end, Searched::default());
        let proceed = |positions: usize| {
            if positions.is_multiple_of(1 << 16) {
                line.set(&format!("{positions} positions solved"));
            }
            !stop.load(Ordering::Relaxed)
        };
        line.set("solving every position");
        let built = build_database(start, self.memory() / BYTES_PER_POSITION, &proceed);
        drop(line);
        built.map_err(|error| {
            let refused = Error::refused(&error);
            match error {
                Unbuildable::Board => refused.with_hint("use a smaller --size"),
                Unbuildable::TooLarge(_) => {
                    refused.with_hint("use a smaller --size, or more --memory")
                }
                Unbuildable::Stopped => refused.with_hint("no file was written"),
            }
        })
    }

    /// Reads a value from a database.
    fn read(&self, path: &Path) -> Result<Reply, Error> {
        let has_rules = Overrides::from(&self.rules) != Overrides::default();
        if self.variant.is_some() || has_rules || self.frame.is_some() {
            let error = Error::usage("the database has its own rules");
            let hint = "leave out the variant, --size, --misere, --anywhere, --pass, --frame";
            return Err(error.with_hint(hint));
        }
        let (rules, mut database) = open(path)?;
        let position = match &self.position {
            None => Position::start(rules),
            Some(setup) => start::of_setup(setup, &rules, None)?,
        };
        if let (Lattice::Rectangle(needed), Lattice::Rectangle(size)) =
            (rules.lattice, position.rules().lattice)
            && needed != size
        {
            let message = format!("the position is {size}, but the database is for {needed}");
            return Err(Error::refused(message));
        }
        let mut get = |position: &Position| {
            database.get(position).map_err(|error| cannot("read", path, &error))
        };
        let Some(value) = get(&position)? else {
            let error = Error::refused("the position cannot be reached from the start of a game");
            return Err(error.with_hint("leave out --read to solve it now"));
        };
        // All are read in any case: a database that lacks one is damaged.
        let moves = values_of_moves(&position, &mut get)?;
        let line = line(&position, &mut get)?;
        let moves = if self.all { moves } else { Vec::new() };
        let solution =
            Solution { value: Some(value), line, moves, complete: true, ..Solution::default() };
        Ok(Solved { position: &position, solution: &solution, all: self.all }.reply())
    }
}

/// Returns the rules of the database in a file, and the database.
fn open(path: &Path) -> Result<(outflank_rules::Rules, Database<File>), Error> {
    let file = File::open(path).map_err(|error| cannot("read", path, &error))?;
    let database = Database::open(file).map_err(|error| match error {
        BadDatabase::Unreadable(error) => cannot("read", path, &error),
        BadDatabase::Malformed => {
            let error = Error::refused(format!("{} has no solved positions", path.display()));
            error.with_hint("write one with `outflank solve mini --write FILE`")
        }
    })?;
    Ok((*database.rules(), database))
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Error {
    Error::fault(format!("cannot {what} {}: {error}", path.display()))
}

fn exists(path: &Path) -> Error {
    let error = Error::refused(format!("{} exists already", path.display()));
    error.with_hint("name a new file, or use --read to read this one")
}

type Get<'a> = &'a mut dyn FnMut(&Position) -> Result<Option<Value>, Error>;

/// Returns the legal moves with their values, the best first: those with the greater margin, and
/// of those the one that a winner who hurries and a loser who delays would choose.
fn values_of_moves(position: &Position, get: Get) -> Result<Vec<SolvedMove>, Error> {
    let moves: Vec<_> = match position.state() {
        State::Placing => position.placements().iter().map(Move::Place).collect(),
        State::Passing => vec![Move::Pass],
        State::Over(_) => Vec::new(),
    };
    let mut values = Vec::new();
    for mv in moves {
        let mut after = position.clone();
        after.play(mv).map_err(Error::fault)?;
        if let Some(Value { margin, remoteness }) = get(&after)? {
            let remoteness = remoteness.map(|plies| plies + 1);
            values.push(SolvedMove { mv, value: Value { margin: -margin, remoteness } });
        }
    }
    values.sort_by_key(|SolvedMove { value: Value { margin, remoteness }, .. }| {
        let plies = remoteness.unwrap_or(0).cast_signed();
        (-margin, if *margin > 0 { plies } else { -plies })
    });
    Ok(values)
}

/// Returns a line of best moves to the end of the game.
fn line(position: &Position, get: Get) -> Result<Vec<Move>, Error> {
    let (mut after, mut line) = (position.clone(), Vec::new());
    while let Some(best) = values_of_moves(&after, get)?.first() {
        after.play(best.mv).map_err(Error::fault)?;
        line.push(best.mv);
    }
    Ok(line)
}

/// Refuses a position that takes too long.
fn check_estimate(position: &Position) -> Result<(), Error> {
    let nodes = estimated_nodes(position);
    if nodes <= MAX_POSITIONS {
        return Ok(());
    }
    let message = format!(
        "solving this takes about {} positions and {} (the limit is {} positions)",
        magnitude(nodes),
        duration(nodes / POSITIONS_PER_SECOND),
        magnitude(MAX_POSITIONS)
    );
    let hint = match position.rules().lattice {
        Lattice::Rectangle(_) => "use a smaller --size, or a --position with fewer empty cells",
        Lattice::Hex => "use a --position with fewer discs left to place",
    };
    Err(Error::refused(message).with_hint(hint))
}

/// Writes a number of positions as a power of ten.
fn magnitude(number: f64) -> String {
    format!("10^{:.0}", number.log10())
}

fn duration(seconds: f64) -> String {
    let days = seconds / 86_400.0;
    match days {
        ..2.0 => "a day".to_owned(),
        ..700.0 => format!("{days:.0} days"),
        ..365_000.0 => format!("{:.0} years", days / 365.0),
        _ => format!("{} years", magnitude(days / 365.0)),
    }
}
