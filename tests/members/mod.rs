//! Members of a club: players without an address, how players are named, players who leave, and new
//! addresses.

mod leaving;
mod named;
mod new_address;
mod without_mail;
