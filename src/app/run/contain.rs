//! Contains faults: a fault or panic in one mail, job or game must not stop the work on others.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

use crate::app::{Error, Kind};
use crate::store::Tx;

thread_local! {
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a panic of this thread now becomes an error, which is recorded with its cause.
pub fn is_contained() -> bool {
    IS_CONTAINED.get()
}

/// Does the work. A panic becomes an error.
pub(crate) fn contain<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let was_contained = IS_CONTAINED.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_CONTAINED.set(was_contained);
    let panicked = |panic: Box<dyn Any + Send>| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Error::fault(format!("internal error, please report it: {what}")))
    };
    done.unwrap_or_else(panicked)
}

/// Does a part of a transaction. After a fault or panic only the part is undone.
///
/// # Errors
/// Only a fault of the whole transaction. The result of the work is inside.
pub(crate) fn contain_part<T>(
    tx: &Tx,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<Result<T, Error>, Error> {
    match tx.part(|| contain(work)) {
        Err(error) if tx.is_undone() || error.kind() == Kind::Locked => Err(error),
        done => Ok(done),
    }
}
