//! Who may act: members and bans, the tokens and links that mails carry, and the histories that these are
//! bound to.

pub(crate) mod ban;
pub(crate) mod history;
pub(crate) mod link;
pub(crate) mod sign_up;
pub(crate) mod signing;
pub(crate) mod stopping;
pub(crate) mod tokens;
