//! Texts of others, made fit to be shown, logged or compared.

pub(crate) mod echo;
pub(crate) mod redact;
pub(crate) mod similar;
