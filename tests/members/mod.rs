//! Members of a club: players without an address.

mod without_mail;
