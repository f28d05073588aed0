pub(crate) mod leave;
pub(crate) mod mute;
pub(crate) mod new_address;
pub(crate) mod page;
pub(crate) mod receipt;
pub(crate) mod set;
