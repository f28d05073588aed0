//! Members of a club: players without an address, how players are named, players who leave, new
//! addresses, and the letter of the club.

mod leaving;
mod letter;
mod named;
mod new_address;
mod without_mail;
