//! A terminal with a program on it: its keys, and the screen that a person would see.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Pty, open};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::termios::{tcgetattr, tcgetpgrp};
use vt100::{MouseProtocolMode, Parser, Screen};

use crate::harness::TestEnvironment;

/// The longest wait for something on the screen, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The size of a terminal, as it was for decades.
const SIZE: [u16; 2] = [24, 80];
/// The prompt of the shell.
const PROMPT: &str = "shell> ";

/// A terminal with a program on it.
pub struct Terminal {
    pty: Pty,
    child: Child,
    parser: Parser,
    /// The state before the program began.
    pub before: String,
}

impl Terminal {
    /// Starts a program on a terminal.
    pub fn start(command: Command) -> Self {
        Self::of_kind("xterm-256color", command)
    }

    /// Starts a program on a terminal of this kind.
    pub fn of_kind(kind: &str, mut command: Command) -> Self {
        let (pty, pts) = open().unwrap();
        let [rows, columns] = SIZE;
        pty.resize(Size::new(rows, columns)).unwrap();
        let [rows, columns] = SIZE.map(|side| side.try_into().unwrap());
        command.env("TERM", kind);
        if !command.get_envs().any(|(name, _)| name == "LANG") {
            command.env("LANG", "C.UTF-8");
        }
        let parser = Parser::new(rows, columns, 0);
        let before = state(&pty, parser.screen());
        let child = pty_process::blocking::Command::from(command).spawn(pts).unwrap();
        Self { pty, child, parser, before }
    }

    /// Starts a command of the binary.
    pub fn of(env: &TestEnvironment, words: &str) -> Self {
        Self::start(env.command(words))
    }

    /// Starts a shell, which can stop and continue its jobs.
    pub fn shell(env: &TestEnvironment) -> Self {
        let mut shell = Command::new("sh");
        env.seal(&mut shell).arg("-i").env("PS1", PROMPT);
        let mut terminal = Self::start(shell);
        terminal.shows(PROMPT);
        terminal
    }

    /// Types keys.
    pub fn keys(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this holds for the screen.
    #[track_caller]
    pub fn until(&mut self, what: &str, holds: impl Fn(&Screen) -> bool) {
        let started = Instant::now();
        while !holds(self.parser.screen()) {
            let shown = self.parser.screen().contents();
            assert!(started.elapsed() < TIMEOUT, "never: {what}\n{shown}");
            self.read();
        }
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits for the prompt of the shell below all other output.
    #[track_caller]
    pub fn shows_prompt(&mut self) {
        let is_last = |screen: &Screen| screen.contents().trim_end().ends_with(PROMPT.trim_end());
        self.until(PROMPT, |screen| !screen.alternate_screen() && is_last(screen));
    }

    /// Returns the text on the screen.
    pub fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Returns the cells of the screen.
    pub fn vt(&self) -> &Screen {
        self.parser.screen()
    }

    /// Reads the program's output, and waits a moment for it. Returns whether more can come.
    fn read(&mut self) -> bool {
        let soon = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        let mut polled = [PollFd::new(&self.pty, PollFlags::IN)];
        if poll(&mut polled, Some(&soon)).unwrap() == 0 {
            return true;
        }
        let mut buffer = [0; 4096];
        // When the program has ended, Linux reports an error.
        match self.pty.read(&mut buffer) {
            Ok(count @ 1..) => self.parser.process(&buffer[..count]),
            _ => return false,
        }
        true
    }

    /// Changes the size.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.pty.resize(Size::new(rows, columns)).unwrap();
        let [rows, columns] = [rows, columns].map(|side| side.try_into().unwrap());
        self.parser.screen_mut().set_size(rows, columns);
    }

    /// Returns the state that a program must leave as it was.
    pub fn state(&self) -> String {
        state(&self.pty, self.parser.screen())
    }

    /// Sends a signal to the job in the foreground.
    pub fn signal(&self, signal: Signal) {
        kill_process_group(tcgetpgrp(&self.pty).unwrap(), signal).unwrap();
    }

    /// Kills the program.
    pub fn kill(mut self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until the program has ended, and reads all that it has written.
    pub fn end(&mut self) -> ExitStatus {
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < TIMEOUT, "it does not end\n{}", self.screen());
            self.read();
        };
        while self.read() {}
        status
    }

    /// Closes the terminal, and waits until the program has ended.
    pub fn close(self) -> ExitStatus {
        let Self { pty, mut child, .. } = self;
        drop(pty);
        let started = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < TIMEOUT, "it does not end without its terminal");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns the modes of a terminal and of its screen.
fn state(pty: &Pty, screen: &Screen) -> String {
    let mouse = screen.mouse_protocol_mode() != MouseProtocolMode::None;
    let flags = [screen.alternate_screen(), mouse, screen.bracketed_paste(), screen.hide_cursor()];
    format!("{flags:?} {:?}", tcgetattr(pty).unwrap())
}
