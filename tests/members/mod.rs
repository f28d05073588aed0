//! Members of a club: players without an address, and players who are named.

mod named;
mod without_mail;
