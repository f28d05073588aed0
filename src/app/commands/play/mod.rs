pub(crate) mod abort;
pub(crate) mod begin;
pub(crate) mod moves;
pub(crate) mod pass;
pub(crate) mod plan;
pub(crate) mod resign;
