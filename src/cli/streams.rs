//! Standard input and output, the terminal, and signals.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use anstream::{AutoStream, ColorChoice};

use super::args::color_choice;
use super::failure::FAULT;
use crate::app::{ColorOption, LineReader};
use crate::lines;

/// The most bytes of a line of the input; the rest counts as another line.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// Reads the input line by line, in a thread that ends with the process.
pub(super) fn read_lines(mut push: LineReader) {
    thread::spawn(move || {
        lines::for_each(io::stdin().lock(), MAX_LINE_BYTES, |line| {
            push(Some(line));
            true
        });
        push(None);
    });
}

pub(super) fn print_line(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

/// Returns whether standard output gets colours.
pub(super) fn stdout_color(option: ColorOption) -> ColorChoice {
    match color_choice(option) {
        ColorChoice::Auto => AutoStream::choice(&io::stdout()),
        choice => choice,
    }
}

/// Opens standard output. A reply goes out in one piece, not line by line.
pub(super) fn stdout(color: ColorOption) -> AutoStream<Box<dyn Write>> {
    let buffered = BufWriter::new(io::stdout().lock());
    AutoStream::new(Box::new(buffered), stdout_color(color))
}

/// Returns a flag that the first SIGINT or SIGTERM sets. A second signal ends the process at once.
pub(super) fn stop_on_signal() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, FAULT.into(), Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
