//! The terminal that the board fills: its modes, its input and its output.

use std::io::{self, BufWriter, Stdout};
use std::mem::{self, ManuallyDrop};
use std::panic;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event,
};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::crossterm::{cursor, execute, style};
use ratatui::{Frame, Terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::process::{self, Signal};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::app::{Error, contain, is_contained};

/// The modes that the terminal had before. Empty while it has them.
static EARLIER: Mutex<Option<Termios>> = Mutex::new(None);

/// The bytes of a large board in colour, so that it is written in one piece.
const FRAME_BYTES: usize = 1 << 16;

/// A terminal that shows the board until this is dropped or the program panics.
pub(super) struct Screen {
    // Its own end would show the cursor again, and panic where the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
}

/// Input from the terminal or from the system.
pub(super) enum Input {
    /// A key, a movement of the mouse, or a new size.
    Event(Event),
    /// The program must end as this signal ends programs.
    End(i32),
    /// The program must stop until it is continued.
    Stop,
    /// The program was continued.
    Continued,
    /// The terminal cannot be read any more.
    Failed(Error),
}

impl Screen {
    /// Prepares the terminal.
    pub(super) fn open() -> io::Result<Self> {
        restore_before_panics();
        set_up().inspect_err(|_| restore())?;
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(out)).inspect_err(|_| restore())?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Draws the whole screen, unless the program is about to be stopped.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if earlier().is_some() { self.terminal.draw(draw).map(drop) } else { Ok(()) }
    }

    /// Gives the terminal back and stops the process group, as a shell expects of a job.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        Ok(process::kill_current_process_group(Signal::STOP)?)
    }

    /// Prepares the terminal again after the program was continued.
    pub(super) fn resume(&mut self) -> io::Result<()> {
        set_up()?;
        // `clear` would ask the terminal for the cursor, and the other thread would read the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Returns whether the terminal was closed.
    pub(super) fn is_lost(&self) -> bool {
        let stdin = io::stdin();
        let mut polled = [PollFd::new(&stdin, PollFlags::empty())];
        let lost = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        poll(&mut polled, Some(&Timespec::default())).is_ok()
            && polled[0].revents().intersects(lost)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Returns whether this is a job of a shell, which continues it after a stop. A shell gives each job a
/// process group of its own.
pub(super) fn is_job() -> io::Result<bool> {
    Ok(process::getsid(None)? != process::getpgrp())
}

fn earlier() -> MutexGuard<'static, Option<Termios>> {
    EARLIER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the modes of the terminal, and the screen besides that of the shell.
fn set_up() -> io::Result<()> {
    let stdin = io::stdin();
    let mut raw = retry_on_intr(|| tcgetattr(&stdin))?;
    // A shell may have changed the modes while the program was stopped by others.
    earlier().get_or_insert_with(|| raw.clone());
    raw.make_raw();
    retry_on_intr(|| tcsetattr(&stdin, OptionalActions::Now, &raw))?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste,
        cursor::Hide
    )
}

/// Gives the terminal back as it was, if it was set up.
fn restore() {
    let Some(earlier) = earlier().take() else { return };
    // A lost terminal cannot be restored.
    let _ = execute!(
        io::stdout(),
        style::ResetColor,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    );
    // Reports of the mouse must not reach the shell.
    let _ = retry_on_intr(|| tcsetattr(io::stdin(), OptionalActions::Flush, &earlier));
}

/// Makes a panic restore the terminal before it is reported.
fn restore_before_panics() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_contained() {
                restore();
            }
            report(info);
        }));
    });
}

/// Sends the input from the terminal and the signals, until nobody receives it.
pub(super) fn listen(send: impl Fn(Input) -> bool + Clone + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT])?;
    let send_signal = send.clone();
    thread::Builder::new().name("signals".into()).spawn(move || {
        let mut is_ending = false;
        for signal in signals.forever() {
            let input = match signal {
                SIGTSTP => Input::Stop,
                SIGCONT => Input::Continued,
                end => {
                    if mem::replace(&mut is_ending, true) {
                        // The program may wait for a terminal that takes no output.
                        let _ = emulate_default_handler(end);
                    }
                    Input::End(end)
                }
            };
            send_signal(input);
        }
    })?;
    thread::Builder::new().name("input".into()).spawn(move || {
        // On a closed terminal, crossterm tries to read again and again, and never returns.
        let read = || {
            while send(Input::Event(event::read().map_err(Error::fault)?)) {}
            Ok(())
        };
        if let Err(error) = contain(read) {
            send(Input::Failed(error));
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::io::Read;
    use std::os::fd::AsFd;

    use pty_process::blocking::{Command, open};

    use super::*;

    /// The variable that makes the test the program that panics.
    const PANICS: &str = "OUTFLANK_TEST_PANICS";

    #[test]
    fn a_panic_restores_the_terminal_before_it_is_reported() {
        if env::var_os(PANICS).is_some() {
            let mut screen = Screen::open().unwrap();
            screen.draw(|frame| frame.render_widget("board", frame.area())).unwrap();
            panic!("the board is broken");
        }
        let (mut pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let modes = |pty: &dyn AsFd| format!("{:?}", tcgetattr(pty.as_fd()).unwrap());
        let before = modes(&pty);
        let test = "tui::terminal::tests::a_panic_restores_the_terminal_before_it_is_reported";
        let program = Command::new(env::current_exe().unwrap());
        let program = program.args(["--exact", test, "--nocapture"]).env(PANICS, "1");
        let mut child = program.spawn(pts).unwrap();
        let mut output = Vec::new();
        // Linux reports an error when the program has ended.
        let _ = pty.read_to_end(&mut output);
        assert!(!child.wait().unwrap().success());
        assert_eq!(modes(&pty), before);
        let output = String::from_utf8(output).unwrap();
        let at = |text: &str| output.find(text).unwrap_or_else(|| panic!("{text}: {output}"));
        let shown = [at("\x1b[?1049h"), at("board"), at("\x1b[?1049l"), at("the board is broken")];
        assert!(shown.is_sorted(), "{output}");
    }
}
