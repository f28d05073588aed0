//! External programs that play: started with a clean environment and limits, asked for a move in a
//! [`protocol`](crate::protocol), and killed with all that they have started.
//!
//! ```no_run
//! # use outflank::config::ProgramSettings;
//! # use outflank::protocol::Record;
//! # fn example(settings: &ProgramSettings, game: &Record) {
//! match outflank::program::choose(settings, game, &|| false) {
//!     Ok(mv) => println!("{}", game.start().rules().lattice.move_label(mv)),
//!     Err(why) => println!("no move: {why}"),
//! }
//! # }
//! ```

mod error;
mod limits;

use std::io::{self, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

pub use error::ProgramError;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::clock::Deadline;
use crate::config::ProgramSettings;
use crate::lines;
use crate::protocol::{Protocol, Questioner, Record, UnknownProtocol};
use outflank_rules::{Move, State};

/// The `PATH` of a program, on which it is found itself if its name has no folder.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games";
/// How often `stop` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long to wait for the exit status and the last error line of a program that has closed its
/// output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// Longer lines are split into parts of this length.
const MAX_LINE_BYTES: u64 = 4096;
/// The output of a program for one move.
const MAX_OUTPUT_BYTES: usize = 16 << 20;
/// How many lines of output are buffered. A program that writes more blocks until they are read.
const BUFFERED_LINES: usize = 64;

/// Starts a program, and returns its legal move for the player to move.
///
/// # Errors
/// [`ProgramError`]; it is [`ProgramError::Stopped`] soon after `stop` returns true.
pub fn choose(
    settings: &ProgramSettings,
    game: &Record,
    stop: &dyn Fn() -> bool,
) -> Result<Move, ProgramError> {
    Program::start(settings, 1)?.choose(game, stop)
}

/// A running external program. It is killed when this is dropped.
pub struct Program {
    name: String,
    child: Child,
    questioner: Box<dyn Questioner>,
    per_move: Duration,
    input: Sender<String>,
    output: Receiver<String>,
    errors: Arc<Mutex<String>>,
    /// Disconnected at the end of standard error.
    errors_end: Receiver<()>,
}

impl Program {
    /// Starts a program. Its processor time is limited to the time of `moves` moves.
    ///
    /// # Errors
    /// [`ProgramError::Start`].
    pub fn start(settings: &ProgramSettings, moves: u32) -> Result<Self, ProgramError> {
        let name = settings.command.first().cloned().unwrap_or_default();
        let start = |reason: String| ProgramError::Start { program: name.clone(), reason };
        let failed = |error: io::Error| start(error.to_string());
        let protocol: Protocol = settings
            .protocol
            .get_ref()
            .parse()
            .map_err(|it: UnknownProtocol| start(it.to_string()))?;
        let folder = Path::new(&name).parent().filter(|folder| folder.is_absolute());
        let mut child = Command::new(&name)
            .args(settings.command.iter().skip(1))
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            // Programs look for their data files in their own folder.
            .current_dir(folder.unwrap_or(Path::new("/")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let per_move = Duration::from_secs(settings.seconds_per_move.into());
        let (input, lines) = channel::<String>();
        let (heard, output) = sync_channel(BUFFERED_LINES);
        let errors = Arc::<Mutex<String>>::default();
        let kept = Arc::clone(&errors);
        let (reads_errors, errors_end) = channel();
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // From here on, dropping `program` kills the process.
        let program = Self {
            name: name.clone(),
            child,
            questioner: protocol.questioner(settings.depth),
            per_move,
            input,
            output,
            errors,
            errors_end,
        };
        limits::limit(&program.child, settings, per_move * moves).map_err(failed)?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) = pipes else { return Ok(program) };
        // The program may read and write in any order, or not at all.
        let written = in_background(move || {
            lines.iter().all(|line| writeln!(stdin, "{line}").and_then(|()| stdin.flush()).is_ok());
        });
        let read = in_background(move || for_each_line(stdout, |line| heard.send(line).is_ok()));
        let errors_read = in_background(move || {
            for_each_line(stderr, |line| {
                if !line.trim().is_empty() {
                    *kept.lock().unwrap_or_else(PoisonError::into_inner) = line;
                }
                true
            });
            drop(reads_errors);
        });
        written.and(read).and(errors_read).map_err(failed)?;
        Ok(program)
    }

    /// Asks for a move of the player to move, and returns it if it is legal. After an error the
    /// program should not be asked again.
    ///
    /// # Errors
    /// [`ProgramError`]; it is [`ProgramError::Stopped`] soon after `stop` returns true.
    pub fn choose(&mut self, game: &Record, stop: &dyn Fn() -> bool) -> Result<Move, ProgramError> {
        if game.position().state() == State::Passing {
            return Ok(Move::Pass);
        }
        for line in self.questioner.question(game, self.per_move)? {
            // If the program has ended, `wait` notices it.
            let _ = self.input.send(line);
        }
        let mv = self.wait(stop)?;
        match game.position().check(mv) {
            Ok(_) => Ok(mv),
            Err(illegal) => Err(ProgramError::Illegal {
                program: self.name.clone(),
                mv: game.start().rules().lattice.move_label(mv),
                illegal,
            }),
        }
    }

    fn wait(&mut self, stop: &dyn Fn() -> bool) -> Result<Move, ProgramError> {
        let deadline = Deadline::after(self.per_move);
        let mut written = 0;
        loop {
            if stop() {
                return Err(ProgramError::Stopped(self.name.clone()));
            }
            if deadline.has_passed() {
                let (program, words) = (self.name.clone(), self.last_words());
                return Err(ProgramError::Silent { program, limit: self.per_move, words });
            }
            let line = match self.output.recv_timeout(POLL_INTERVAL.min(deadline.remaining())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            written += line.len() + 1;
            if written > MAX_OUTPUT_BYTES {
                return Err(ProgramError::Flood(self.name.clone()));
            }
            match self.questioner.answer(&line) {
                Ok(Some(mv)) => return Ok(mv),
                Ok(None) => {}
                Err(answer) => {
                    return Err(ProgramError::Nonsense { program: self.name.clone(), answer });
                }
            }
        }
    }

    /// Returns the error for a program that has closed its output.
    fn ended(&mut self) -> ProgramError {
        let deadline = Deadline::after(EXIT_TIMEOUT);
        let mut status = None;
        while status.is_none() && !deadline.has_passed() {
            // The process is not reaped yet, so that its group can still be killed.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            status = waitid(WaitId::Pid(Pid::from_child(&self.child)), options).ok().flatten();
            thread::sleep(POLL_INTERVAL / 10);
        }
        let how = match status {
            None => "closed its output".to_owned(),
            Some(status) => match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => format!("ended with status {code}"),
                (None, signal) => format!("was killed by signal {}", signal.unwrap_or_default()),
            },
        };
        // A child of the program may keep standard error open.
        let _ = self.errors_end.recv_timeout(deadline.remaining());
        ProgramError::Ended { program: self.name.clone(), how, words: self.last_words() }
    }

    /// Returns the last line that the program wrote to standard error.
    fn last_words(&self) -> String {
        let words = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        words.chars().filter(|c| !c.is_control()).take(200).collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program and its children have a group of their own. No other group can get its
        // number before the program has been reaped.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn in_background(job: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(job).map(drop)
}

fn for_each_line(pipe: impl Read, pass: impl FnMut(String) -> bool) {
    lines::for_each(BufReader::new(pipe), MAX_LINE_BYTES, pass);
}
