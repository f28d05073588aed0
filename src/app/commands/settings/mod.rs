pub(crate) mod leave;
pub(crate) mod mute;
pub(crate) mod receipt;
pub(crate) mod set;
