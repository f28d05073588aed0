//! The board as a dialogue in lines: for pipes, screen readers, and terminals without a cursor.

use std::io::{self, IsTerminal, Write};
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::args::OutputOptions;
use super::failure::{Failure, check_written};
use super::output::OutputStyle;
use super::streams::{self, read_lines};
use crate::app::{Error, LEAVING, Line, LiveGame, NO_PROGRESS, PlayerCommand, Reply, Seat, Typed};
use outflank_model::log::GameId;
use outflank_model::render::news::news;
use outflank_model::words::joined;

/// How long a computer player may think before a line says so.
const MOMENT: Duration = Duration::from_secs(1);

/// Plays a game in lines until the person leaves.
pub(super) fn run(seat: Seat, live: LiveGame, output: OutputOptions) -> Result<(), Failure> {
    let stop = Arc::default();
    let lines = listen(&stop).map_err(|error| Failure::fault(format!("cannot listen: {error}")))?;
    let mut dialogue = Dialogue { seat, live, output, stop, shown: None, has_printed: false };
    match dialogue.hold(&lines) {
        Ok(()) | Err(End::NoMember) => Ok(()),
        Err(End::Failed(failure)) => Err(failure),
        Err(End::Unwritten(error)) => check_written(Err(error), false),
    }
}

/// Passes on each line of the input, and `None` at its end or at a signal, which also sets the flag.
fn listen(stop: &Arc<AtomicBool>) -> io::Result<Receiver<Option<String>>> {
    let (sender, receiver) = mpsc::sync_channel(0);
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let (stop, of_signals) = (Arc::clone(stop), sender.clone());
    thread::spawn(move || {
        for _ in signals.forever() {
            stop.store(true, Ordering::Relaxed);
            let _ = of_signals.send(None);
        }
    });
    read_lines(Box::new(move |line| drop(sender.send(line))));
    Ok(receiver)
}

/// Why a dialogue ends before the person leaves it.
enum End {
    /// The player is no member any more.
    NoMember,
    Failed(Failure),
    Unwritten(io::Error),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

/// The state of the game when it was last shown.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shown {
    plies: usize,
    /// The event of the position, which changes with a takeback.
    position: usize,
    is_over: bool,
}

/// A dialogue about one game.
struct Dialogue {
    seat: Seat,
    live: LiveGame,
    output: OutputOptions,
    /// Set by a signal.
    stop: Arc<AtomicBool>,
    shown: Option<Shown>,
    /// Whether a reply was printed since the last prompt.
    has_printed: bool,
}

impl Dialogue {
    fn hold(&mut self, lines: &Receiver<Option<String>>) -> Result<(), End> {
        loop {
            self.let_bot_act()?;
            if self.is_stopped() {
                return Ok(());
            }
            if self.shown != Some(self.state()) {
                self.show()?;
            }
            self.prompt().map_err(End::Unwritten)?;
            let line = match lines.recv() {
                Ok(Some(line)) if !self.is_stopped() => line,
                _ => return self.end_prompt().map_err(End::Unwritten),
            };
            if LEAVING.contains(&line.trim().to_lowercase().as_str()) {
                return Ok(());
            }
            let line = self.live.typed(&line);
            self.look()?;
            match line {
                Ok(Typed::Command(command)) => self.run(&command)?,
                Ok(Typed::Play(play)) => match self.seat.play(&play) {
                    Ok(game) => self.open(game)?,
                    Err(error) => self.refuse(error),
                },
                Ok(Typed::Blank) => self.shown = None,
                Err(error) => self.refuse(error),
            }
        }
    }

    /// Lets the computer player act, if it must.
    fn let_bot_act(&mut self) -> Result<(), End> {
        if !self.live.bot_is_due {
            return Ok(());
        }
        let mut players = self.live.names.iter().zip(self.live.bots);
        let thinker = players.find(|(_, is_bot)| *is_bot && !self.output.json);
        let thinker = thinker.map(|(name, _)| name.clone());
        let (done, ended) = mpsc::channel();
        let thought = thread::scope(|scope| {
            scope.spawn(move || report_thinking(thinker, &ended));
            let thought = self.seat.think(self.live.id, &self.stop);
            drop(done);
            thought
        });
        match thought {
            Ok(mut reply) => reply.iter_mut().for_each(|reply| self.seat.deliver(reply)),
            Err(error) => self.refuse(error),
        }
        self.look()
    }

    /// Runs a command and prints its reply, unless the board that is shown next says the same.
    fn run(&mut self, command: &PlayerCommand) -> Result<(), End> {
        if let PlayerCommand::Next(_) = command
            && let Some(next) = self.seat.next_waiting(self.live.id)?
        {
            return self.open(next);
        }
        let mut reply = match self.seat.run(self.live.id, command, &self.stop, NO_PROGRESS) {
            Ok(reply) => reply,
            Err(error) => {
                self.refuse(error);
                return Ok(());
            }
        };
        self.seat.deliver(&mut reply);
        if matches!(command, PlayerCommand::Leave(_)) {
            self.print(reply)?;
            return Err(End::NoMember);
        }
        self.live = self.seat.game(reply.begun.unwrap_or(self.live.id))?;
        if reply.begun.is_some() {
            self.shown = None;
        }
        let has_game = self.output.json || !reply.game.is_empty();
        let is_shown_next = has_game && self.shown != Some(self.state());
        if is_shown_next { Ok(()) } else { self.print(reply) }
    }

    /// Goes to another game.
    fn open(&mut self, game: GameId) -> Result<(), End> {
        self.live = self.seat.game(game)?;
        self.shown = None;
        Ok(())
    }

    /// Reads the game again, and prints the comments and actions of others since, except their moves.
    fn look(&mut self) -> Result<(), End> {
        let live = self.seat.game(self.live.id)?;
        let before = mem::replace(&mut self.live, live);
        let live = &self.live;
        let said = live.words.strip_prefix(&before.words[..]).unwrap_or(&live.words);
        let known = before.game.events().len();
        let new = (known..).zip(live.game.events().get(known..).unwrap_or_default());
        let of_others = new.filter(|(_, event)| event.by.is_some_and(|by| !live.owns(by)));
        let news = of_others.filter_map(|(at, event)| {
            news(&live.game.after(at)?, event, &live.game.after(at + 1)?, live.names())
        });
        let lines: Vec<_> = said.iter().cloned().chain(news).collect();
        if lines.is_empty() || self.output.json {
            return Ok(());
        }
        self.print(Reply::of_text(lines.join("\n")))
    }

    /// Prints the moves since the game was last shown, the board, the score and the player to move; at first,
    /// the whole reply of `show`.
    fn show(&mut self) -> Result<(), End> {
        let (state, id) = (self.state(), self.live.id);
        let reply = match self.shown.replace(state) {
            Some(shown) if shown.plies < state.plies => self.seat.moves_after(shown.plies, id)?,
            _ => {
                let show = Line::typed("show", self.live.moment)?;
                let run = |show: Box<_>| self.seat.run(id, &show, &self.stop, NO_PROGRESS);
                show.map_or_else(|| Ok(Reply::default()), run)?
            }
        };
        self.print(reply)
    }

    /// Prints a reply as a command of the shell does.
    fn print(&mut self, mut reply: Reply) -> Result<(), End> {
        let style = OutputStyle::new(self.output, self.seat.styled(&mut reply)?);
        let mut out = streams::stdout(self.output.color);
        let has_printed = mem::replace(&mut self.has_printed, true);
        let space = if has_printed && !self.output.json { "\n" } else { "" };
        let written = write!(out, "{space}").and_then(|()| style.write_whole(&mut out, &reply));
        written.map_err(End::Unwritten)
    }

    /// Prints an error on one line.
    fn refuse(&self, error: Error) {
        Failure::from(error).over_ssh().print(self.output);
    }

    /// Asks for the next line.
    fn prompt(&mut self) -> io::Result<()> {
        self.has_printed = false;
        if self.output.json {
            return Ok(());
        }
        let names = self.live.names();
        let prompt = match self.live.game.turn() {
            Some(turn) if self.live.owns(turn) => {
                format!("{}, your move: ", names.with_color(turn))
            }
            Some(turn) => format!("{} is to move. Return looks again: ", names.with_color(turn)),
            None => {
                let rematch = self.live.can("rematch").then(|| "`rematch`".to_owned());
                let stronger = self.live.stronger().map(|bot| format!("`play {bot}`"));
                let quit = "`quit`".to_owned();
                let next: Vec<_> = rematch.into_iter().chain(stronger).chain([quit]).collect();
                format!("The game is over. {}: ", joined(&next, "or"))
            }
        };
        let mut out = io::stdout().lock();
        match io::stdin().is_terminal() {
            true => write!(out, "\n{prompt}")?,
            // Nothing is echoed that would end the line.
            false => writeln!(out, "\n{}", prompt.trim_end())?,
        }
        out.flush()
    }

    /// Ends the line of a prompt that nobody has answered.
    fn end_prompt(&self) -> io::Result<()> {
        if self.output.json || !io::stdin().is_terminal() {
            return Ok(());
        }
        writeln!(io::stdout())
    }

    /// Returns the state of the game that is shown.
    fn state(&self) -> Shown {
        let game = &self.live.game;
        Shown {
            plies: game.plies().len(),
            position: game.position_event(),
            is_over: game.outcome().is_some(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Prints that a computer player is thinking, if that takes longer than a moment. `ended` is closed when it
/// has thought.
fn report_thinking(thinker: Option<String>, ended: &Receiver<()>) {
    if let (Err(RecvTimeoutError::Timeout), Some(name)) = (ended.recv_timeout(MOMENT), thinker) {
        // A closed pipe shows at the next reply.
        let _ = writeln!(io::stdout(), "{name} is thinking.");
    }
}
