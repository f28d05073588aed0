//! Members of a club: players without an address, how players are named, and players who leave.

mod leaving;
mod named;
mod without_mail;
