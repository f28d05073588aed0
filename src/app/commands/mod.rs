pub(crate) mod host;
pub(crate) mod offers;
pub(crate) mod play;
pub(crate) mod settings;
pub(crate) mod time;
pub(crate) mod view;
pub(crate) mod words;
