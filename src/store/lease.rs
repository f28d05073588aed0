//! Leases: each names the process that has claimed mails or a job, and its claims hold until it is dropped or
//! the process ends.
//!
//! A lease is the number of a byte, which its holder keeps locked in a file beside the database. The lock
//! ends with the holder, however it ends. Where bytes cannot be locked, and while the database is in memory,
//! a lease is not a number, and its claims hold until a time.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use super::connection::{claims_of, open_beside};
use super::outbox::ClaimRequest;
use super::{Db, seconds};

/// A lease of this process.
#[derive(Debug)]
pub struct Lease {
    name: String,
    _lock: Option<File>,
}

impl Lease {
    /// Returns the name that is stored with the claims.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Db<'_> {
    /// Begins a lease. `random` returns random words.
    pub fn lease(&self, mut random: impl FnMut() -> String) -> Lease {
        let database = self.path();
        let file = database.and_then(|database| open_beside(database, &claims_of(database)));
        loop {
            let (process, word) = (std::process::id(), random());
            let mut hasher = DefaultHasher::new();
            (process, &word).hash(&mut hasher);
            // The end of the byte must be a valid place, too.
            let byte = (hasher.finish() >> 2).cast_signed();
            match file.as_ref().map(|file| byte_lock::take(file, byte)) {
                Some(Some(true)) => return Lease { name: byte.to_string(), _lock: file },
                // Another lease has the byte.
                Some(Some(false)) => {}
                Some(None) | None => {
                    return Lease { name: format!("{process}.{word}"), _lock: None };
                }
            }
        }
    }

    /// Returns whether the claim with this lease holds, which ends at this time if the lease has no lock.
    pub(super) fn holds(&self, lease: Option<&str>, until: i64, request: &ClaimRequest) -> bool {
        let Some(lease) = lease else { return false };
        let is_locked = lease.parse().ok().zip(self.path()).and_then(|(byte, database)| {
            byte_lock::is_taken(&File::open(claims_of(database)).ok()?, byte)
        });
        is_locked.unwrap_or_else(|| (seconds(request.now) + 1..=request.latest()).contains(&until))
    }

    /// Returns the file of the database; `None` while it is in memory.
    fn path(&self) -> Option<&Path> {
        self.connection.path().filter(|path| !path.is_empty()).map(Path::new)
    }
}

/// Locks on single bytes. They end when the file is closed or the process ends.
#[cfg(target_os = "linux")]
mod byte_lock {
    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc::{F_UNLCK, F_WRLCK, SEEK_SET, c_short, flock};

    const fn lock(byte: i64) -> flock {
        let (l_type, l_whence) = (F_WRLCK as c_short, SEEK_SET as c_short);
        flock { l_type, l_whence, l_start: byte, l_len: 1, l_pid: 0 }
    }

    /// Locks a byte. Returns false if somebody else has locked it, and `None` if bytes cannot be locked.
    pub(super) fn take(file: &File, byte: i64) -> Option<bool> {
        match fcntl(file, FcntlArg::F_OFD_SETLK(&lock(byte))) {
            Ok(_) => Some(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Some(false),
            Err(_) => None,
        }
    }

    /// Returns whether a byte is locked; `None` if bytes cannot be locked.
    pub(super) fn is_taken(file: &File, byte: i64) -> Option<bool> {
        let mut lock = lock(byte);
        fcntl(file, FcntlArg::F_OFD_GETLK(&mut lock)).ok()?;
        Some(lock.l_type != F_UNLCK as c_short)
    }
}

/// Other systems have no locks on bytes that end with the file.
#[cfg(not(target_os = "linux"))]
mod byte_lock {
    use std::fs::File;

    pub(super) fn take(_: &File, _: i64) -> Option<bool> {
        None
    }

    pub(super) fn is_taken(_: &File, _: i64) -> Option<bool> {
        None
    }
}
