pub(crate) mod alarms;
pub(crate) mod change;
pub(crate) mod clocks;
pub(crate) mod due;
pub(crate) mod failures;
pub(crate) mod notify;
