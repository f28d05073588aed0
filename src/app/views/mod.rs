pub(crate) mod analysis;
pub(crate) mod comments;
pub(crate) mod game;
pub(crate) mod hint;
pub(crate) mod reply;
pub(crate) mod solved;
pub(crate) mod table;
pub(crate) mod time;
