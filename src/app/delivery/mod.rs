pub(crate) mod deliver;
pub(crate) mod digest;
pub(crate) mod housekeeping;
pub(crate) mod mailed;
