pub(crate) mod away;
pub(crate) mod claim;
