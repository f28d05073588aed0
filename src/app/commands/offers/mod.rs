pub(crate) mod accept;
pub(crate) mod decline;
pub(crate) mod draw;
pub(crate) mod offer;
pub(crate) mod pause;
pub(crate) mod rematch;
pub(crate) mod takeback;
