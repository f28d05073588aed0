use std::error::Error;

/// Why a tool failed, for its user.
pub(crate) type Failure = Box<dyn Error>;
