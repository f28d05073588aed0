use std::io;
#[cfg(target_os = "linux")]
use std::os::unix::fs::MetadataExt;
use std::process::Child;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::{fs, thread};

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::config::ProgramSettings;

/// Does nothing: only Linux can limit another process.
#[cfg(not(target_os = "linux"))]
pub(super) fn limit(_: &Child, _: &ProgramSettings, _: Duration) -> io::Result<()> {
    Ok(())
}

/// Limits the memory, the processes and the processor time of a program that has just been started.
/// Its later children inherit the limits.
#[cfg(target_os = "linux")]
pub(super) fn limit(child: &Child, settings: &ProgramSettings, time: Duration) -> io::Result<()> {
    let pid = Some(Pid::from_child(child));
    let at_most = |resource, most: u64| -> io::Result<()> {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        Ok(prlimit(pid, resource, limit).map(drop)?)
    };
    at_most(Resource::As, u64::from(settings.memory_mb) << 20)?;
    at_most(Resource::Core, 0)?;
    // Linux counts all processes of the user, not only those of the program.
    at_most(Resource::Nproc, tasks_of_user() + u64::from(settings.processes))?;
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    at_most(Resource::Cpu, (time.as_secs() + 1) * threads)
}

/// Counts the processes and threads of this user.
#[cfg(target_os = "linux")]
fn tasks_of_user() -> u64 {
    let user = rustix::process::geteuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = processes.filter(|process| process.metadata().is_ok_and(|it| it.uid() == user));
    let threads = own.filter_map(|process| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let threads = status.lines().find_map(|line| line.strip_prefix("Threads:"))?;
        threads.trim().parse::<u64>().ok()
    });
    threads.sum()
}
